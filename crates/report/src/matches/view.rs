//! A match as a page shows it: all that stands, in one JSON object that is written again while the match runs.
//!
//! Keys: `game`, `rules`, `players`, `limits`, `jobs`, `seed`, `openings`, `games`, `done`, `tested` (`games`, `pairs` of the
//! first player against all others), `test` (SPRT) or null, `pairings` (`players` by index, `games`, `pairs`), `reasons`,
//! `warnings` (faults: how many), `doubts` (warnings about the result: `players` by name, `kind`, `text`), `used` (of each player, with `faults`), `ratings` or null, `left` (seconds) or null, `live`
//! (games in play: `game`, `players` by side, `position`, `side` to move,
//! `plies`, `last` move, `values` in centipawns, `mates` in plies, `depths`, `clocks`,
//! `seconds`), `end` (a word) or null.

use super::{
    events,
    numbers::{games_json, pairs_json, sprt_json},
    ratings::RatingTable,
    warnings,
};
use serde_json::{Map, Value, json};
use std::time::Instant;
use tesuji_arena::{Live, Match, MatchEnd, MatchPlan};
use tesuji_game::Side;
use tesuji_stats::TimeLeft;

/// Games in play that are shown.
const GAMES_MAX: usize = 12;

/// The current state of the match, as JSON.
pub fn view(
    plan: &MatchPlan<'_>,
    running: &Match<'_>,
    seed: u64,
    left: Option<TimeLeft>,
    (end, ratings): (Option<MatchEnd>, Option<&RatingTable>),
) -> Value {
    let standing = running.standing();
    let sprt = plan.sprt.as_ref();
    let names: Vec<&str> = plan.entrants.iter().map(|e| e.name.as_str()).collect();
    let limits: Vec<String> = plan.entrants.iter().map(|e| e.allowance.to_string()).collect();
    let pairings: Vec<Value> = standing
        .pairings()
        .iter()
        .map(|p| json!({ "players": p.players, "games": games_json(&p.games, None), "pairs": pairs_json(&p.pairs, None) }))
        .collect();
    let (games, pairs) = standing.tested();
    let used: Vec<Value> = standing
        .players()
        .iter()
        .map(|player| {
            let faults: Map<String, Value> =
                player.faults.iter().map(|(kind, n)| (kind.name().to_string(), (*n).into())).collect();
            let mut used = events::used(&player.used);
            used["faults"] = faults.into();
            used
        })
        .collect();
    let seconds = |t: std::time::Duration| t.as_secs_f64();
    let left = left.map(|t| json!({ "low": seconds(t.low), "middle": seconds(t.middle), "high": seconds(t.high) }));
    let live: Vec<Value> = running.live().take(GAMES_MAX).map(|live| game(plan, live, Instant::now())).collect();
    json!({
        "game": plan.game.name(), "rules": plan.rules, "players": names, "limits": limits, "jobs": plan.jobs, "seed": seed,
        "openings": plan.openings.len(), "games": running.schedule().games(), "done": standing.games(),
        "tested": { "games": games_json(&games, None), "pairs": pairs_json(&pairs, None) },
        "test": sprt.zip(running.decision()).map(|(sprt, (llr, _))| sprt_json(sprt, llr)),
        "pairings": pairings, "reasons": standing.reasons(), "warnings": standing.faults(),
        "doubts": warnings::as_json(plan, standing), "used": used,
        "ratings": ratings.map(RatingTable::json), "left": left, "live": live, "end": end.map(events::end_name),
    })
}

/// A game in play.
fn game(plan: &MatchPlan<'_>, live: &Live, now: Instant) -> Value {
    let scene = live.scene();
    let opening = plan.openings.get(live.fixture.opening).unwrap_or_default();
    let seconds = |t: Option<std::time::Duration>| t.map(|t| t.as_secs_f64());
    let position = plan.game.table(&plan.rules, opening.start.as_deref()).ok().and_then(|mut table| {
        scene.moves.iter().try_for_each(|mv| table.play(mv)).ok()?;
        Some((table.position(), tesuji_game::Side::index(table.side_to_move())))
    });
    let (position, side) = position.unzip();
    let mate = |v: tesuji_game::Value| v.mate_plies();
    json!({
        "game": live.fixture.game + 1,
        "players": Side::ALL.map(|side| live.fixture.players[side.index()]),
        "position": position, "side": side, "plies": scene.moves.len(), "last": scene.moves.last(),
        "values": scene.values.map(|v| v.filter(|&v| mate(v).is_none()).map(tesuji_game::Value::raw)),
        "mates": scene.values.map(|v| v.and_then(mate)),
        "depths": scene.depths, "clocks": scene.left.map(seconds),
        "seconds": now.duration_since(live.began).as_secs_f64(),
    })
}
