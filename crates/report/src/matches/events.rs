//! The output of `--json`: one JSON object a line on stdout. Every object has `event`:
//!
//! - `start`, first: `game`, `players` (names), `limits` (of each), `games` (all of the schedule), `done` (played before),
//!   `openings`, `seed`, `jobs`, `sprt` (`elo0`, `elo1`, `alpha`, `beta`, `model`) or null.
//! - `game`, after each: `game` (its number, from 1), `round`, `first` and `second` (names of the players by side), `opening`
//!   (from 1), `winner` (name) or null, `by` (reason), `plies`, `seconds`, `used` (of each side: `moves`, `seconds`,
//!   `longest`, `nodes`, `depth`, `overrun`, `given` (seconds of an even division of its time), `silent` (moves without a word
//!   about the search), `excess` (moves with clearly more nodes than allowed)), `fault` (`player`, `kind`, `detail`, `stolen`, `last_lines`) or null,
//!   `start` (its position, null: the usual one) and `moves`,
//!   `standing` (of the pairing, from its first player's view, as `--stats --json` has it), `pairs` (the five counts),
//!   `llr` (of the test) or null.
//! - `warning`, when a result turns out to be doubtful: `players` (names), `kind` (`idle`: hardly uses its time, `silent`: tells nothing
//!   about its search, `nodes`: exceeds its nodes, `time`: sides with the same time used clearly different time), `text`.
//! - `left`, every ten seconds: `low`, `middle`, `high` (seconds; eight chances in ten between low and high), `games` done.
//! - `end`, last: `end` (`complete`, `narrow`, `stopped`, `H0`, `H1`), `games`, `pairings` (`players`, `games`, `pairs`),
//!   `winner` (of a knockout, name) or null, `ratings` (as `--rate --json` has them) or null, `reasons` and `faults` (counts), `seconds_a_game`,
//!   `spread_of_seconds`, `players` (`name`, `used`, `faults`, `games`, `games_first`), `warnings` (each as in `warning`).
//!
//! Numbers that are infinite or unknown are null.

use super::numbers::{games_json, pairs_json, sprt_unit};
use super::ratings::RatingTable;
use super::warnings::{self, Told};
use serde_json::{Map, Value, json};
use tesuji_arena::{Finished, Match, MatchEnd, MatchPlan, Used};
use tesuji_game::Side;
use tesuji_stats::{Decision, Games, TimeLeft};

/// `start`.
pub fn start(plan: &MatchPlan<'_>, seed: u64, done: u64) -> Value {
    let names: Vec<&str> = plan.entrants.iter().map(|e| e.name.as_str()).collect();
    let limits: Vec<String> = plan.entrants.iter().map(|e| e.allowance.to_string()).collect();
    let sprt = plan.sprt.as_ref().map(
        |s| json!({ "elo0": s.elo0, "elo1": s.elo1, "alpha": s.alpha, "beta": s.beta, "model": sprt_unit(s.model) }),
    );
    json!({ "event": "start", "game": plan.game.name(), "players": names, "limits": limits,
            "games": plan.schedule.games(), "done": done, "openings": plan.openings.len(), "seed": seed,
            "jobs": plan.jobs, "sprt": sprt })
}

/// `game`.
pub fn game(plan: &MatchPlan<'_>, running: &Match<'_>, finished: &Finished) -> Value {
    let fixture = running.schedule().fixture(finished.game);
    let name = |side: Side| plan.entrants[fixture.players[side.index()]].name.as_str();
    let fault = finished.fault.as_ref().map(|(side, fault)| {
        json!({ "player": name(*side), "kind": fault.kind.name(), "detail": fault.detail,
                "stolen": fault.stolen, "last_lines": fault.last_lines })
    });
    let pairing = running.standing().pairings().iter().find(|p| p.index == fixture.pairing);
    let (games, pairs) = pairing.map_or_else(Default::default, |p| (p.games, p.pairs));
    json!({ "event": "game", "game": finished.game + 1, "round": fixture.round + 1,
            "first": name(Side::First), "second": name(Side::Second), "opening": fixture.opening + 1,
            "winner": finished.outcome.winner.map(name), "by": finished.outcome.by.name(),
            "plies": finished.plies, "seconds": finished.duration.as_secs_f64(),
            "start": plan.openings.get(fixture.opening).and_then(|opening| opening.start), "moves": finished.moves,
            "used": [used(&finished.used[0]), used(&finished.used[1])], "fault": fault,
            "standing": games_json(&games, None), "pairs": pairs.0,
            "llr": running.decision().map(|(llr, _)| llr) })
}

/// `warning`.
pub fn warning(plan: &MatchPlan<'_>, told: &Told) -> Value {
    let mut value = warnings::told_json(plan, told);
    value["event"] = "warning".into();
    value
}

/// `left`.
pub fn left(running: &Match<'_>, left: &TimeLeft) -> Value {
    json!({ "event": "left", "low": left.low.as_secs_f64(), "middle": left.middle.as_secs_f64(),
            "high": left.high.as_secs_f64(), "games": running.standing().games() })
}

/// `end`.
pub fn end(plan: &MatchPlan<'_>, running: &Match<'_>, end: MatchEnd, ratings: Option<&RatingTable>) -> Value {
    let standing = running.standing();
    let sprt = plan.sprt.as_ref();
    let pairings: Vec<Value> = standing
        .pairings()
        .iter()
        .map(|p| {
            let names = p.players.map(|i| plan.entrants[i].name.as_str());
            json!({ "players": names, "games": games_json(&p.games, sprt), "pairs": pairs_json(&p.pairs, sprt) })
        })
        .collect();
    let counts = |g: &Games| json!({ "wins": g.wins, "draws": g.draws, "losses": g.losses });
    let players: Vec<Value> = plan
        .entrants
        .iter()
        .zip(standing.players())
        .map(|(entrant, player)| {
            let faults: Map<String, Value> =
                player.faults.iter().map(|(kind, n)| (kind.name().to_string(), (*n).into())).collect();
            json!({ "name": entrant.name, "used": used(&player.used), "faults": faults,
                    "games": counts(&player.games), "games_first": counts(&player.games_first) })
        })
        .collect();
    json!({ "event": "end", "end": end_name(end), "games": standing.games(), "pairings": pairings,
            "winner": running.schedule().winner().map(|i| plan.entrants[i].name.as_str()),
            "ratings": ratings.map(RatingTable::json), "reasons": standing.reasons(), "faults": standing.faults(),
            "seconds_a_game": running.durations().mean().map(|t| t.as_secs_f64()),
            "spread_of_seconds": running.durations().spread(), "players": players,
            "warnings": warnings::as_json(plan, standing) })
}

/// The reason why a match ended, in a word.
pub fn end_name(end: MatchEnd) -> &'static str {
    match end {
        MatchEnd::Complete => "complete",
        MatchEnd::Narrow => "narrow",
        MatchEnd::Stopped => "stopped",
        MatchEnd::Decided(Decision::AcceptH1) => "H1",
        MatchEnd::Decided(_) => "H0",
    }
}

/// The resources a player used. Those it never reported are null.
pub fn used(used: &Used) -> Value {
    json!({ "moves": used.moves, "seconds": used.time.as_secs_f64(), "longest": used.longest.as_secs_f64(),
            "nodes": (used.nodes > 0).then_some(used.nodes), "depth": used.depth(),
            "overrun": used.overrun.as_secs_f64(), "given": used.given.as_secs_f64(), "silent": used.silent,
            "excess": used.excess_moves })
}
