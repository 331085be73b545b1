//! A match as a page shows it: all that stands, in one JSON object that is written again while the match runs.

use super::{
    counts::{GameCounts, PairCounts, TestState},
    events::{self, SecondsLeft, UsedResources},
    ratings::RatingTable,
    warnings::{self, Doubt},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, fmt, time::Instant};
use tesuji_arena::{Live, Match, MatchEnd, MatchPlan, Pairing};
use tesuji_game::Side;
use tesuji_stats::TimeLeft;
use utoipa::ToSchema;

/// Games in play that are shown.
const GAMES_MAX: usize = 12;

/// A match as it stands. Displays as one JSON object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct MatchView {
    /// The game.
    pub game: String,
    /// Its rules; empty: the usual ones.
    pub rules: String,
    /// Names of the players.
    pub players: Vec<String>,
    /// The limits of each.
    pub limits: Vec<String>,
    /// Games at a time.
    pub jobs: usize,
    /// The seed of the openings.
    pub seed: u64,
    /// Openings.
    pub openings: usize,
    /// Games of the schedule.
    pub games: u64,
    /// Games played.
    pub done: u64,
    /// The first player against all others.
    pub tested: TestedPlayer,
    /// The test that ends the match.
    pub test: Option<TestState>,
    /// The pairings.
    pub pairings: Vec<PairingView>,
    /// Games by the reasons why they ended.
    pub reasons: BTreeMap<String, u64>,
    /// Faults.
    pub warnings: u64,
    /// What makes the result doubtful.
    pub doubts: Vec<Doubt>,
    /// What each player used.
    pub used: Vec<PlayerUse>,
    /// Ratings, where more than two play.
    #[schema(value_type = Option<Object>)]
    pub ratings: Option<Value>,
    /// The time that is left.
    pub left: Option<SecondsLeft>,
    /// Games in play.
    pub live: Vec<LiveGame>,
    /// Why it ended: `complete`, `narrow`, `stopped`, `H0`, `H1`; null: it has not ended.
    pub end: Option<String>,
}

impl fmt::Display for MatchView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", serde_json::to_value(self).unwrap_or_default())
    }
}

/// The player that is tested, against all others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct TestedPlayer {
    /// Games one by one.
    pub games: GameCounts,
    /// Games by pairs.
    pub pairs: PairCounts,
}

/// A pairing of a match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PairingView {
    /// Indices of the players.
    pub players: (usize, usize),
    /// Games one by one.
    pub games: GameCounts,
    /// Games by pairs.
    pub pairs: PairCounts,
}

/// What a player used, and its faults by kinds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PlayerUse {
    /// Time, nodes and depths.
    #[serde(flatten)]
    pub used: UsedResources,
    /// Faults by kinds.
    pub faults: BTreeMap<String, u64>,
}

/// A game in play. What is told of each side comes in the order of the sides.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct LiveGame {
    /// Its number, from 1.
    pub game: u64,
    /// Indices of the players by side.
    pub players: (usize, usize),
    /// The position.
    pub position: Option<String>,
    /// The side to move.
    pub side: Option<usize>,
    /// Moves so far.
    pub plies: usize,
    /// The last move.
    pub last: Option<String>,
    /// The last value of each side from its own view, in centipawns.
    pub values: (Option<i32>, Option<i32>),
    /// Plies to the mate that each side sees; below 0: it is mated.
    pub mates: (Option<i32>, Option<i32>),
    /// The last depth of each side, in plies.
    pub depths: (u32, u32),
    /// The clock of each side after its last move, in seconds.
    pub clocks: (Option<f64>, Option<f64>),
    /// Since when it is played, in seconds.
    pub seconds: f64,
}

/// The current state of the match.
pub fn view(
    plan: &MatchPlan<'_>,
    running: &Match<'_>,
    seed: u64,
    left: Option<TimeLeft>,
    (end, ratings): (Option<MatchEnd>, Option<&RatingTable>),
) -> MatchView {
    let standing = running.standing();
    let pairing = |pairing: &Pairing| PairingView {
        players: pairing.players.into(),
        games: GameCounts::of(&pairing.games, None),
        pairs: PairCounts::of(&pairing.pairs, None),
    };
    let (games, pairs) = standing.tested();
    let used = standing.players().iter().map(|player| PlayerUse {
        used: (&player.used).into(),
        faults: player.faults.iter().map(|(kind, n)| (kind.name().to_string(), *n)).collect(),
    });
    MatchView {
        game: plan.game.name().into(),
        rules: plan.rules.clone(),
        players: events::names(plan),
        limits: events::limits(plan),
        jobs: plan.jobs,
        seed,
        openings: plan.openings.len(),
        games: running.schedule().games(),
        done: standing.games(),
        tested: TestedPlayer { games: GameCounts::of(&games, None), pairs: PairCounts::of(&pairs, None) },
        test: plan.sprt.as_ref().zip(running.decision()).map(|(sprt, (llr, _))| TestState::of(sprt, llr)),
        pairings: standing.pairings().iter().map(pairing).collect(),
        reasons: events::reasons(standing),
        warnings: standing.faults(),
        doubts: warnings::doubts(plan, standing),
        used: used.collect(),
        ratings: ratings.map(RatingTable::json),
        left: left.as_ref().map(SecondsLeft::from),
        live: running.live().take(GAMES_MAX).map(|live| game(plan, live, Instant::now())).collect(),
        end: end.map(|end| events::end_name(end).to_string()),
    }
}

/// A game in play.
fn game(plan: &MatchPlan<'_>, live: &Live, now: Instant) -> LiveGame {
    let scene = live.scene();
    let opening = plan.openings.get(live.fixture.opening).unwrap_or_default();
    let seconds = |t: Option<std::time::Duration>| t.map(|t| t.as_secs_f64());
    let position = plan.game.table(&plan.rules, opening.start.as_deref()).ok().and_then(|mut table| {
        scene.moves.iter().try_for_each(|mv| table.play(mv)).ok()?;
        Some((table.position(), Side::index(table.side_to_move())))
    });
    let (position, side) = position.unzip();
    let mate = |v: tesuji_game::Value| v.mate_plies();
    LiveGame {
        game: live.fixture.game + 1,
        players: Side::ALL.map(|side| live.fixture.players[side.index()]).into(),
        position,
        side,
        plies: scene.moves.len(),
        last: scene.moves.last().cloned(),
        values: scene.values.map(|v| v.filter(|&v| mate(v).is_none()).map(tesuji_game::Value::raw)).into(),
        mates: scene.values.map(|v| v.and_then(mate)).into(),
        depths: scene.depths.into(),
        clocks: scene.left.map(seconds).into(),
        seconds: now.duration_since(live.began).as_secs_f64(),
    }
}
