//! The output of `--json`: one JSON object a line on stdout, keys in the order of the alphabet. Every object has `event`:
//!
//! - `start`, first: `game`, `players` (names), `limits` (of each), `games` (all of the schedule), `done` (played before),
//!   `openings`, `seed`, `jobs`, `sprt` (`elo0`, `elo1`, `alpha`, `beta`, `model`) or null.
//! - `game`, after each: `game` (its number, from 1), `round`, `first` and `second` (names of the players by side), `opening`
//!   (from 1), `winner` (name) or null, `by` (reason), `plies`, `seconds`, `used` (of each side: `moves`, `seconds`,
//!   `longest`, `nodes`, `depth`, `overrun`, `given` (seconds of an even division of its time), `silent` (moves without a word
//!   about the search), `excess` (moves with clearly more nodes than allowed)), `fault` (`player`, `kind`, `detail`, `stolen`, `last_lines`) or null,
//!   `start` (its position, null: the usual one), `second_begins` (whether the second side moves first there), `moves` and `values` (what each move's player found, for the side that moved, in
//!   hundredths of a pawn; null where it told none; 32000 less the plies to it is a mate),
//!   `standing` (of the pairing, from its first player's view, as `--stats --json` has it), `pairs` (the five counts),
//!   `llr` (of the test) or null.
//! - `warning`, when a result turns out to be doubtful: `players` (names), `kind` (`idle`: hardly uses its time, `silent`: tells nothing
//!   about its search, `nodes`: exceeds its nodes, `time`: sides with the same time used clearly different time), `text`.
//! - `left`, every ten seconds: `low`, `middle`, `high` (seconds; eight chances in ten between low and high), `games` done.
//! - `end`, last: `end` (`complete`, `narrow`, `stopped`, `H0`, `H1`), `games`, `pairings` (`players`, `games`, `pairs`),
//!   `winner` (of a knockout, name) or null, `table` (of a Swiss tournament, the best first: `name`, `points`, `buchholz`, `byes`) or null, `ratings` (as `--rate --json` has them) or null, `reasons` and `faults` (counts), `seconds_a_game`,
//!   `spread_of_seconds`, `players` (`name`, `used`, `faults`, `games`, `games_first`), `warnings` (each as in `warning`).
//!
//! Numbers that are infinite or unknown are null.

use super::counts::{GameCounts, PairCounts, sprt_unit};
use super::ratings::RatingTable;
use super::warnings::{self, Doubt, Told};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, fmt};
use tesuji_arena::{Finished, Match, MatchEnd, MatchPlan, Standing, SwissRow, Used};
use tesuji_game::Side;
use tesuji_stats::{Decision, Games, TimeLeft};
use utoipa::ToSchema;

/// An event of a match. Displays as its line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum MatchEvent {
    /// The match begins.
    Start(StartEvent),
    /// A game is over.
    Game(Box<GameEvent>),
    /// The result turns out to be doubtful.
    Warning(Doubt),
    /// Time passes.
    Left(LeftEvent),
    /// The match is over.
    End(Box<EndEvent>),
}

impl fmt::Display for MatchEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", serde_json::to_value(self).unwrap_or_default())
    }
}

/// See [`MatchEvent::Start`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StartEvent {
    /// The game.
    pub game: String,
    /// Names of the players.
    pub players: Vec<String>,
    /// The limits of each.
    pub limits: Vec<String>,
    /// Games of the schedule.
    pub games: u64,
    /// Games played before.
    pub done: u64,
    /// Openings.
    pub openings: usize,
    /// The seed of the openings.
    pub seed: u64,
    /// Games at a time.
    pub jobs: usize,
    /// The test that ends the match.
    pub sprt: Option<TestForm>,
}

/// A sequential test before its first game.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestForm {
    /// The lower difference.
    pub elo0: f64,
    /// The higher difference.
    pub elo1: f64,
    /// The chance of a wrong H1.
    pub alpha: f64,
    /// The chance of a wrong H0.
    pub beta: f64,
    /// The unit of the differences.
    pub model: String,
}

/// See [`MatchEvent::Game`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameEvent {
    /// Its number, from 1.
    pub game: u64,
    /// The round, from 1.
    pub round: u64,
    /// The player with the first side.
    pub first: String,
    /// The player with the second side.
    pub second: String,
    /// The opening, from 1.
    pub opening: usize,
    /// The winner; none: a draw.
    pub winner: Option<String>,
    /// Why it ended.
    pub by: String,
    /// Moves, opening included.
    pub plies: u32,
    /// Its duration.
    pub seconds: f64,
    /// Its start; none: the usual one.
    pub start: Option<String>,
    /// Whether the second side moves first there.
    pub second_begins: bool,
    /// Its moves.
    pub moves: Vec<String>,
    /// The value that each move's player found, for the side that moved.
    pub values: Vec<Option<i32>>,
    /// What each side used.
    pub used: [UsedResources; 2],
    /// The fault that decided it.
    pub fault: Option<FaultEvent>,
    /// The standing of its pairing after it, for the pairing's first player.
    pub standing: GameCounts,
    /// Pairs of that pairing by points.
    pub pairs: [u64; 5],
    /// The log-likelihood ratio of the test after it.
    pub llr: Option<f64>,
}

/// A fault in a game.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FaultEvent {
    /// The player at fault.
    pub player: String,
    /// Its kind in a word.
    pub kind: String,
    /// In words.
    pub detail: String,
    /// Whether a processor that was taken away explains it.
    pub stolen: bool,
    /// The last lines that the player wrote, oldest first.
    pub last_lines: Vec<String>,
}

/// See [`MatchEvent::Left`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LeftEvent {
    /// The time that is left.
    #[serde(flatten)]
    pub left: SecondsLeft,
    /// Games played.
    pub games: u64,
}

/// An estimate of the time that is left, in seconds: eight chances in ten lie between its ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SecondsLeft {
    /// The lower end.
    pub low: f64,
    /// The middle.
    pub middle: f64,
    /// The upper end.
    pub high: f64,
}

impl From<&TimeLeft> for SecondsLeft {
    fn from(left: &TimeLeft) -> SecondsLeft {
        let [low, middle, high] = [left.low, left.middle, left.high].map(|time| time.as_secs_f64());
        SecondsLeft { low, middle, high }
    }
}

/// See [`MatchEvent::End`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndEvent {
    /// Why it ended, as [`end_name`] has it.
    pub end: String,
    /// Games played.
    pub games: u64,
    /// The pairings.
    pub pairings: Vec<PairingEnd>,
    /// The winner of a knockout.
    pub winner: Option<String>,
    /// The table of a Swiss tournament, the best first.
    pub table: Option<Vec<SwissLine>>,
    /// Ratings, where more than two played.
    pub ratings: Option<Value>,
    /// Games by the reasons why they ended.
    pub reasons: BTreeMap<String, u64>,
    /// Faults.
    pub faults: u64,
    /// The mean duration of a game.
    pub seconds_a_game: Option<f64>,
    /// The spread of the logarithms of durations.
    pub spread_of_seconds: Option<f64>,
    /// The players.
    pub players: Vec<PlayerEnd>,
    /// What makes the result doubtful.
    pub warnings: Vec<Doubt>,
}

/// A line of the table of a Swiss tournament.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SwissLine {
    /// The player's name.
    pub name: String,
    /// Points of its games, and of byes.
    pub points: f64,
    /// The sum of its opponents' points.
    pub buchholz: f64,
    /// Rounds without an opponent.
    pub byes: u64,
}

/// A pairing at the end of a match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PairingEnd {
    /// Names of the players.
    pub players: [String; 2],
    /// Games one by one.
    pub games: GameCounts,
    /// Games by pairs.
    pub pairs: PairCounts,
}

/// A player at the end of a match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlayerEnd {
    /// Its name.
    pub name: String,
    /// What it used.
    pub used: UsedResources,
    /// Its faults by kinds.
    pub faults: BTreeMap<String, u64>,
    /// Its games.
    pub games: GameResults,
    /// Its games with the first side.
    pub games_first: GameResults,
}

/// Results of games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameResults {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl From<&Games> for GameResults {
    fn from(games: &Games) -> GameResults {
        GameResults { wins: games.wins, draws: games.draws, losses: games.losses }
    }
}

/// The resources that a player used. What it never reported is null.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct UsedResources {
    /// Moves that it thought about.
    pub moves: u32,
    /// Its time, in seconds.
    pub seconds: f64,
    /// Its longest move.
    pub longest: f64,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The mean depth of its moves.
    pub depth: Option<f64>,
    /// The most by which a move overstepped its time.
    pub overrun: f64,
    /// Seconds of an even division of its time.
    pub given: f64,
    /// Moves without a word about the search.
    pub silent: u32,
    /// Moves with clearly more nodes than allowed.
    pub excess: u32,
}

impl From<&Used> for UsedResources {
    fn from(used: &Used) -> UsedResources {
        UsedResources {
            moves: used.moves,
            seconds: used.time.as_secs_f64(),
            longest: used.longest.as_secs_f64(),
            nodes: (used.nodes > 0).then_some(used.nodes),
            depth: used.depth(),
            overrun: used.overrun.as_secs_f64(),
            given: used.given.as_secs_f64(),
            silent: used.silent,
            excess: used.excess_moves,
        }
    }
}

/// The names of the players, in their order.
pub(super) fn names(plan: &MatchPlan<'_>) -> Vec<String> {
    plan.entrants.iter().map(|entrant| entrant.name.clone()).collect()
}

/// The limits of each player in words.
pub(super) fn limits(plan: &MatchPlan<'_>) -> Vec<String> {
    plan.entrants.iter().map(|entrant| entrant.allowance.to_string()).collect()
}

/// Games by the reasons why they ended.
pub(super) fn reasons(standing: &Standing) -> BTreeMap<String, u64> {
    standing.reasons().iter().map(|(reason, n)| (reason.to_string(), *n)).collect()
}

/// `start`.
pub fn start(plan: &MatchPlan<'_>, seed: u64, done: u64) -> MatchEvent {
    let sprt = plan.sprt.as_ref().map(|sprt| TestForm {
        elo0: sprt.elo0,
        elo1: sprt.elo1,
        alpha: sprt.alpha,
        beta: sprt.beta,
        model: sprt_unit(sprt.model).into(),
    });
    MatchEvent::Start(StartEvent {
        game: plan.game.name().into(),
        players: names(plan),
        limits: limits(plan),
        games: plan.schedule.games(),
        done,
        openings: plan.openings.len(),
        seed,
        jobs: plan.jobs,
        sprt,
    })
}

/// `game`.
pub fn game(plan: &MatchPlan<'_>, running: &Match<'_>, finished: &Finished) -> MatchEvent {
    let fixture = running.schedule().fixture(finished.game);
    let name = |side: Side| plan.entrants[fixture.players[side.index()]].name.clone();
    let fault = finished.fault.as_ref().map(|(side, fault)| FaultEvent {
        player: name(*side),
        kind: fault.kind.name().into(),
        detail: fault.detail.clone(),
        stolen: fault.stolen,
        last_lines: fault.last_lines.clone(),
    });
    let pairing = running.standing().pairings().iter().find(|p| p.index == fixture.pairing);
    let (games, pairs) = pairing.map_or_else(Default::default, |p| (p.games, p.pairs));
    let start = plan.openings.get(fixture.opening).and_then(|opening| opening.start);
    let table = plan.game.table(&plan.rules, start.as_deref()).ok();
    MatchEvent::Game(Box::new(GameEvent {
        game: finished.game + 1,
        round: fixture.round + 1,
        first: name(Side::First),
        second: name(Side::Second),
        opening: fixture.opening + 1,
        winner: finished.outcome.winner.map(name),
        by: finished.outcome.by.name().into(),
        plies: finished.plies,
        seconds: finished.duration.as_secs_f64(),
        start,
        second_begins: table.is_some_and(|table| table.side_to_move() == Side::Second),
        moves: finished.moves.clone(),
        values: finished.values.iter().map(|value| value.map(|value| value.raw())).collect(),
        used: [&finished.used[0], &finished.used[1]].map(UsedResources::from),
        fault,
        standing: GameCounts::of(&games, None),
        pairs: pairs.0,
        llr: running.decision().map(|(llr, _)| llr),
    }))
}

/// `warning`.
pub fn warning(plan: &MatchPlan<'_>, told: &Told) -> MatchEvent {
    MatchEvent::Warning(Doubt::of(plan, told))
}

/// `left`.
pub fn left(running: &Match<'_>, left: &TimeLeft) -> MatchEvent {
    MatchEvent::Left(LeftEvent { left: left.into(), games: running.standing().games() })
}

/// `end`.
pub fn end(plan: &MatchPlan<'_>, running: &Match<'_>, end: MatchEnd, ratings: Option<&RatingTable>) -> MatchEvent {
    let standing = running.standing();
    let sprt = plan.sprt.as_ref();
    let pairing = |p: &tesuji_arena::Pairing| PairingEnd {
        players: p.players.map(|i| plan.entrants[i].name.clone()),
        games: GameCounts::of(&p.games, sprt),
        pairs: PairCounts::of(&p.pairs, sprt),
    };
    let players = plan.entrants.iter().zip(standing.players()).map(|(entrant, player)| PlayerEnd {
        name: entrant.name.clone(),
        used: (&player.used).into(),
        faults: player.faults.iter().map(|(kind, n)| (kind.name().to_string(), *n)).collect(),
        games: (&player.games).into(),
        games_first: (&player.games_first).into(),
    });
    let line = |row: &SwissRow| SwissLine {
        name: plan.entrants[row.player].name.clone(),
        points: row.points,
        buchholz: row.buchholz,
        byes: row.byes,
    };
    MatchEvent::End(Box::new(EndEvent {
        end: end_name(end).into(),
        games: standing.games(),
        pairings: standing.pairings().iter().map(pairing).collect(),
        winner: running.schedule().winner().map(|i| plan.entrants[i].name.clone()),
        table: running.schedule().swiss_table().map(|table| table.iter().map(line).collect()),
        ratings: ratings.map(RatingTable::json),
        reasons: reasons(standing),
        faults: standing.faults(),
        seconds_a_game: running.durations().mean().map(|t| t.as_secs_f64()),
        spread_of_seconds: running.durations().spread(),
        players: players.collect(),
        warnings: warnings::doubts(plan, standing),
    }))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The page read lines by names of its own, and its tests by lines of their own.
    #[test]
    fn lines_are_read_back_as_they_were_written() {
        let fault = FaultEvent { player: "A".into(), kind: "time".into(), ..FaultEvent::default() };
        let standing = GameCounts::of(&Games::new(1, 0, 0), None);
        let game = GameEvent { game: 1, first: "A".into(), fault: Some(fault), standing, ..GameEvent::default() };
        for event in [
            MatchEvent::Start(StartEvent { sprt: Some(TestForm::default()), ..StartEvent::default() }),
            MatchEvent::Game(Box::new(game)),
            MatchEvent::Warning(Doubt { kind: "idle".into(), ..Doubt::default() }),
            MatchEvent::Left(LeftEvent { games: 3, ..LeftEvent::default() }),
            MatchEvent::End(Box::new(EndEvent { players: vec![PlayerEnd::default()], ..EndEvent::default() })),
        ] {
            let line = event.to_string();
            assert_eq!(serde_json::from_str::<MatchEvent>(&line).unwrap(), event, "{line}");
        }
    }
}
