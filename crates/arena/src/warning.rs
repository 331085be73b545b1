//! Warnings about results that are doubtful although nobody broke a rule: engines that do not think, report nothing or search more
//! than they may, and sides that used clearly different time.

use crate::{Allowance, Used};
use std::fmt;
use std::time::Duration;

/// Moves from which on habits are judged: about half a game. Fewer may all be forced, or from an engine's own book.
const MOVES_MIN: u32 = 20;
/// The share of its time below which an engine is taken not to think. The most careful engines, which keep an overhead for each move,
/// used a half and more of theirs; one that misread its limit used a 150th.
const IDLE_SHARE: f64 = 0.1;
/// The share of moves with so little time above which an engine is taken not to think, whatever the others took: the mean hides it
/// where one slow move has the time of all. Engines that think play quickly in forced moves, book moves and after ponder hits, in
/// well under three of four.
const IDLE_MOVES_SHARE: f64 = 0.75;
/// The share of moves without search output above which an engine is taken to report nothing; others may be silent in forced moves
/// and in those of their own book.
const SILENT_SHARE: f64 = 0.9;
/// Engines look at their counters now and then, and end the first ply whatever it takes: what they may search beyond a limit,
/// as a part of it and as a number. 15 ms at 600 kn/s are 9,000 nodes, which is no tolerance of 5,000.
const NODES_SHARE: u64 = 10;
const NODES_MORE: u64 = 1_000;
/// The share of moves above the node limit from which an engine is taken to exceed it by habit.
const EXCESS_SHARE: f64 = 0.1;
/// Time of one side against that of the other from which on it is clearly less. Engines with the same time for all their moves
/// differed by a tenth; Stockfish 11 with its usual overhead used 0.6 of Tesuji's time at 1 s + 10 ms, which was worth
/// 290 Elo.
const TIME_SHARE_MIN: f64 = 0.8;
/// Moves of each side from which on their times are compared: the times of single moves differ by half, the mean of a hundred by
/// a twentieth.
const GAP_MOVES_MIN: u32 = 100;

/// A reason to doubt a player's results.
///
/// # Examples
///
/// See [`warnings_of`].
///
/// ```
/// use tesuji_arena::Warning;
/// let warning = Warning::FewNodes { limit: 5000, mean: 12 };
/// assert_eq!(warning.name(), "few-nodes");
/// assert!(warning.to_string().starts_with("it searched 12 of 5000 nodes a move"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// It uses hardly any of its time.
    Idle {
        /// Time of a move.
        used: Duration,
        /// The time for a move, by an even division of its clock.
        given: Duration,
    },
    /// It uses hardly any of its time for nearly all moves, though a few took long.
    IdleMoves {
        /// Moves with hardly any of their time.
        idle: u32,
        /// All of its moves.
        moves: u32,
    },
    /// It does not tell what it thinks.
    Silent {
        /// Moves without a word.
        silent: u32,
        /// All of its moves.
        moves: u32,
    },
    /// It searches hardly any of the nodes that it may.
    FewNodes {
        /// The limits of a move.
        limit: u64,
        /// The mean of the nodes that it reported for a move.
        mean: u64,
    },
    /// It searches more nodes than it may.
    Nodes {
        /// The limits of a move.
        limit: u64,
        /// The most that it told of a move.
        most: u64,
        /// Moves in which it told clearly more than the limit.
        excess: u32,
        /// All of its moves.
        moves: u32,
    },
}

impl Warning {
    /// A word for tables and JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Warning::Idle { .. } | Warning::IdleMoves { .. } => "idle",
            Warning::Silent { .. } => "silent",
            Warning::FewNodes { .. } => "few-nodes",
            Warning::Nodes { .. } => "nodes",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Warning::Idle { used, given } => write!(
                f,
                "it used {} of about {} a move: it hardly thinks, and the result says little about its strength",
                ms_text(used),
                ms_text(given)
            ),
            Warning::IdleMoves { idle, moves } => write!(
                f,
                "it used less than a tenth of its time in {idle} of {moves} moves: it hardly thinks, and the result says little about its strength"
            ),
            Warning::Silent { silent, moves } => write!(
                f,
                "it told nothing about its search (no info) in {silent} of {moves} moves: its depths, nodes and values are unknown"
            ),
            Warning::FewNodes { limit, mean } => write!(
                f,
                "it searched {mean} of {limit} nodes a move: it hardly thinks, and the result says little about its strength"
            ),
            Warning::Nodes { limit, most, excess, moves } => write!(
                f,
                "it searched more than its {limit} nodes in {excess} of {moves} moves, up to {most}: the nodes are not equal"
            ),
        }
    }
}

/// The warnings about a player's games under this allowance.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Allowance, Used, Warning, warnings_of};
/// let used = Used { moves: 100, nodes: 1_200, ..Used::default() };
/// let warnings = warnings_of(&used, &Allowance::of_nodes(5000));
/// assert!(warnings.contains(&Warning::FewNodes { limit: 5000, mean: 12 }));
/// assert!(warnings_of(&Used { moves: 2, ..used }, &Allowance::of_nodes(5000)).is_empty(), "too few moves to tell");
/// ```
pub fn warnings_of(used: &Used, allowance: &Allowance) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let moves = used.moves;
    if moves < MOVES_MIN {
        return warnings;
    }
    let share = |part: u32| f64::from(part) / f64::from(moves);
    if is_idle(used.time, used.given) {
        warnings.push(Warning::Idle { used: used.time / moves, given: used.given / moves });
    } else if share(used.idle_moves) > IDLE_MOVES_SHARE {
        warnings.push(Warning::IdleMoves { idle: used.idle_moves, moves });
    }
    if share(used.silent) > SILENT_SHARE {
        warnings.push(Warning::Silent { silent: used.silent, moves });
    }
    let told = moves.saturating_sub(used.silent);
    if let Some((limit, told)) = allowance.nodes.zip(std::num::NonZeroU32::new(told)) {
        let mean = used.nodes / u64::from(told.get());
        // Who tells no nodes is another matter.
        if used.nodes > 0 && is_few(mean, limit) {
            warnings.push(Warning::FewNodes { limit, mean });
        }
    }
    if let Some(limit) = allowance.nodes
        && share(used.excess_moves) > EXCESS_SHARE
    {
        warnings.push(Warning::Nodes { limit, most: used.nodes_most, excess: used.excess_moves, moves });
    }
    warnings
}

/// Whether `used` of the time `given` for a move, or for many, is too little for an engine that thinks.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::is_idle;
/// assert!(is_idle(Duration::from_millis(1), Duration::from_secs(1)));
/// assert!(!is_idle(Duration::from_millis(500), Duration::from_secs(1)));
/// ```
pub fn is_idle(used: Duration, given: Duration) -> bool {
    used.as_secs_f64() < IDLE_SHARE * given.as_secs_f64()
}

/// Whether `nodes` of a limit of this many are too few for an engine that thinks.
///
/// # Examples
///
/// ```
/// assert!(tesuji_arena::is_few(12, 5000) && !tesuji_arena::is_few(4000, 5000));
/// ```
pub fn is_few(nodes: u64, limit: u64) -> bool {
    (nodes as f64) < IDLE_SHARE * limit as f64
}

/// The nodes from which on a limit of this many is exceeded.
///
/// # Examples
///
/// ```
/// // An engine looks at its count only now and then.
/// assert!(tesuji_arena::nodes_tolerated(5000) > 5000);
/// assert_eq!(tesuji_arena::nodes_tolerated(u64::MAX), u64::MAX);
/// ```
pub fn nodes_tolerated(limit: u64) -> u64 {
    limit.saturating_add(limit / NODES_SHARE).saturating_add(NODES_MORE)
}

/// Two sides with the same time of which one used clearly less: their result is not that of equal time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeGap {
    /// Time of a move of each.
    pub used: [Duration; 2],
    /// The lesser one's part of the other's, in 0..1.
    pub share: f64,
}

impl TimeGap {
    /// The warning about different time used by these players, as text.
    pub fn text(&self, names: [&str; 2]) -> String {
        let [a, b] = self.used.map(ms_text);
        let percent = 100.0 * self.share;
        format!(
            "{} used {a} a move, {} {b} ({percent:.0} % of the other's): this Elo is not that of equal time",
            names[0], names[1]
        )
    }
}

/// The gap between the times of two sides that may use the same; `None` without one, and where nodes or depths limit them.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::{Allowance, Used, time_gap};
/// let a_second = Allowance { move_time: Some(Duration::from_secs(1)), ..Allowance::default() };
/// let used = |seconds| Used {
///     moves: 200,
///     time: Duration::from_secs(seconds),
///     given: Duration::from_secs(200),
///     ..Used::default()
/// };
/// let gap = time_gap([&used(200), &used(50)], [&a_second, &a_second]).unwrap();
/// assert_eq!((gap.share, gap.used[1]), (0.25, Duration::from_millis(250)));
/// assert!(gap.text(["new", "old"]).contains("25 % of the other's"));
/// assert_eq!(time_gap([&used(200), &used(190)], [&a_second, &a_second]), None);
/// ```
pub fn time_gap(used: [&Used; 2], allowances: [&Allowance; 2]) -> Option<TimeGap> {
    let [a, b] = allowances;
    let is_even = (&a.control, a.move_time) == (&b.control, b.move_time);
    if !is_even || used.iter().any(|used| used.moves < GAP_MOVES_MIN || used.given.is_zero()) {
        return None;
    }
    let times = used.map(|used| used.time / used.moves);
    let [less, more] = [times[0].min(times[1]), times[0].max(times[1])].map(|time| time.as_secs_f64());
    let share = if more > 0.0 { less / more } else { 1.0 };
    (share < TIME_SHARE_MIN).then_some(TimeGap { used: times, share })
}

/// Milliseconds, with digits for what is shorter.
fn ms_text(time: Duration) -> String {
    match time.as_secs_f64() * 1e3 {
        ms if ms < 10.0 => format!("{ms:.2} ms"),
        ms if ms < 1_000.0 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", ms / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: f64) -> Duration {
        Duration::from_secs_f64(ms / 1e3)
    }

    /// The resources used by a player in `moves` moves of `time_ms` each.
    fn used(moves: u32, time_ms: f64, given_ms: f64) -> Used {
        let (time, given) = (ms(time_ms) * moves, ms(given_ms) * moves);
        Used { moves, time, given, nodes: 4_000 * u64::from(moves), depths: 5, ..Used::default() }
    }

    fn timed(control: &str) -> Allowance {
        Allowance { control: control.parse().ok(), ..Allowance::default() }
    }

    #[track_caller]
    fn check(used: Used, allowance: &Allowance, names: &[&str]) {
        let found: Vec<&str> = warnings_of(&used, allowance).iter().map(Warning::name).collect();
        assert_eq!(found, names, "{used:?}");
    }

    /// Carp answered `go movetime 100` after 0.6 ms and lost 12 : 0 "without faults".
    #[test]
    fn an_engine_that_does_not_think_is_named() {
        let second = timed("1+0.01");
        check(used(400, 0.6, 100.0), &second, &["idle"]);
        check(used(MOVES_MIN, 0.6, 100.0), &second, &["idle"]);
        check(used(MOVES_MIN - 1, 0.6, 100.0), &second, &[]);
        check(used(400, 11.0, 100.0), &second, &[]);
        check(used(400, 0.6, 0.0), &Allowance::of_nodes(5_000), &[]);
        let text = Warning::Idle { used: ms(0.6), given: ms(100.0) }.to_string();
        assert!(text.contains("0.60 ms of about 100 ms a move"), "{text}");
    }

    /// The mean of an engine that loaded its tables for seconds at its first move and then answered at once was that of one that thinks.
    #[test]
    fn a_slow_first_move_does_not_hide_an_engine_that_does_not_think() {
        let second = timed("1+0.01");
        let idle = |idle_moves| Used { idle_moves, ..used(100, 15.0, 100.0) };
        check(idle(99), &second, &["idle"]);
        check(idle(75), &second, &[]);
        check(Used { idle_moves: 100, ..used(100, 0.6, 100.0) }, &second, &["idle"]);
        let text = warnings_of(&idle(99), &second)[0].to_string();
        assert!(text.contains("less than a tenth of its time in 99 of 100 moves"), "{text}");
    }

    #[test]
    fn an_engine_that_tells_nothing_is_named() {
        let silent = |silent| Used { silent, ..used(100, 50.0, 100.0) };
        check(silent(100), &timed("1"), &["silent"]);
        check(silent(91), &timed("1"), &["silent"]);
        check(silent(90), &timed("1"), &[]);
    }

    /// An engine that played at random lost 20 of 20 games at 5,000 nodes without a warning.
    #[test]
    fn an_engine_that_searches_hardly_any_of_its_nodes_is_named() {
        let limit = Allowance::of_nodes(5_000);
        let few = |nodes| Used { nodes, ..used(285, 0.6, 0.0) };
        check(few(285), &limit, &["few-nodes"]);
        check(few(285 * 600), &limit, &[]);
        check(few(0), &limit, &[]);
        let text = warnings_of(&few(285), &limit)[0].to_string();
        assert!(text.contains("it searched 1 of 5000 nodes a move"), "{text}");
    }

    /// 15 ms at 600 kn/s were taken for 5,000 nodes.
    #[test]
    fn an_engine_that_exceeds_its_nodes_is_named() {
        let limit = Allowance::of_nodes(5_000);
        let excess = |excess_moves| Used { excess_moves, nodes_most: 9_000, ..used(100, 15.0, 0.0) };
        check(excess(95), &limit, &["nodes"]);
        check(excess(10), &limit, &[]);
        check(excess(95), &timed("1"), &[]);
        assert!(nodes_tolerated(5_000) < 9_000 && nodes_tolerated(5_000) > 5_120);
        assert_eq!(nodes_tolerated(u64::MAX), u64::MAX);
        let text = warnings_of(&excess(95), &limit)[0].to_string();
        assert!(text.contains("more than its 5000 nodes in 95 of 100 moves, up to 9000"), "{text}");
    }

    /// Stockfish 11 used 60 % of the time of its opponent, with which it lost 290 Elo.
    #[test]
    fn clearly_different_times_are_told_beside_the_elo() {
        let (even, odds) = (timed("1+0.01"), timed("2+0.02"));
        let gap = |a: f64, b: f64| time_gap([&used(400, a, 40.0), &used(400, b, 40.0)], [&even, &even]);
        let text = gap(35.0, 21.0).unwrap().text(["Tesuji", "Stockfish"]);
        assert_eq!(
            text,
            "Tesuji used 35 ms a move, Stockfish 21 ms (60 % of the other's): this Elo is not that of equal time"
        );
        assert!(gap(21.0, 35.0).is_some() && gap(35.0, 30.0).is_none() && gap(0.0, 0.0).is_none());
        let sides = [&used(400, 35.0, 40.0), &used(400, 21.0, 40.0)];
        assert_eq!(time_gap(sides, [&even, &odds]), None, "odds are meant");
        let nodes = Allowance::of_nodes(5_000);
        assert_eq!(time_gap([&used(400, 5.0, 0.0), &used(400, 14.0, 0.0)], [&nodes, &nodes]), None);
        assert_eq!(time_gap([&used(99, 35.0, 40.0), &used(400, 21.0, 40.0)], [&even, &even]), None, "too few moves");
    }
}
