//! Time management: limits in, a soft and a hard time budget out. Reads no clock.

use std::time::Duration;
use tesuji_game::{Clock, Limits, Side};

/// Moves a game is taken to last where no control says otherwise.
const HORIZON_MOVES: f64 = 44.0;
/// The share of a fair part that is used as soft budget: the hard moves take more.
const SOFT_SHARE: f64 = 0.85;
/// The hard budget of a move as a multiple of the soft one.
const HARD_FACTOR: f64 = 4.5;
/// The share of all time that one move may take.
const HARD_SHARE: f64 = 0.42;
/// The share of all time that the last move before a time control may take.
const LAST_SHARE: f64 = 0.9;
/// The share of a byoyomi period that is used at least.
const BYOYOMI_SHARE: f64 = 0.85;

/// The time for one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Begin nothing new after this; scaled by how settled the search is. `None`: only the hard budget holds.
    pub soft: Option<Duration>,
    /// Stop here, whatever is going on.
    pub hard: Duration,
}

/// The budget for `side` under `limits`; `None` where time does not limit the search.
///
/// `overhead` is what is lost on the way between clock and search, for each move.
pub fn budget(limits: &Limits, side: Side, overhead: Duration) -> Option<Budget> {
    if limits.infinite {
        return None;
    }
    let clock = limits.clock.map(|clocks| from_clock(&clocks[side.index()], overhead));
    match (limits.move_time, clock) {
        (Some(fixed), Some(b)) => Some(Budget { soft: b.soft, hard: b.hard.min(fixed) }),
        (Some(fixed), None) => Some(Budget { soft: None, hard: fixed }),
        (None, clock) => clock,
    }
}

fn from_clock(clock: &Clock, overhead: Duration) -> Budget {
    let ms = |d: Duration| d.as_secs_f64() * 1000.0;
    let overhead = ms(overhead);
    let byoyomi = match (clock.stones, ms(clock.byoyomi)) {
        (0, period) => period,
        (stones, period) => period / f64::from(stones),
    };
    // Near the end of the time the overhead may eat everything: a little is always left to think with.
    let left = (ms(clock.left) - overhead).max(ms(clock.left) * 0.1);
    let increment = ms(clock.increment);
    let moves = clock.moves_to_go.map_or(HORIZON_MOVES, |n| f64::from(n.max(1)).min(HORIZON_MOVES));
    let last = moves < 1.5;

    // Increments of moves to come are counted in; their overhead shows in the clock soon enough.
    let ahead = left + increment * (moves - 1.0);
    let fair = ahead / moves;
    let share = if last { LAST_SHARE } else { HARD_SHARE };
    let spare = (byoyomi - overhead).max(byoyomi * 0.1);
    let hard = (fair * HARD_FACTOR).min(left * share) + spare;
    let soft = (fair * SOFT_SHARE).min(left * share) + spare * BYOYOMI_SHARE;
    let duration = |ms: f64| Duration::from_secs_f64(ms.max(0.0) / 1000.0);
    Budget { soft: Some(duration(soft.min(hard))), hard: duration(hard) }
}

/// Stability of the best move, as a factor of the soft budget.
///
/// Three ideas of the field: time follows the share of nodes spent on the best move (Koivisto, 2021), how long it has
/// been the best (Glaurung and Stockfish), and how far the score fell (Crafty, Hyatt).
#[derive(Debug, Clone, Copy, Default)]
pub struct Settledness {
    /// Share of all nodes spent on the best move, in 0..=1.
    pub node_share: f64,
    /// Iterations since the best move changed.
    pub stable: u32,
    /// Centipawns that the value fell since some iterations ago; negative where it rose.
    pub fall_cp: i32,
}

impl Settledness {
    /// The factor, about 1 in an ordinary position.
    pub fn factor(&self) -> f64 {
        let share = 1.75 - 1.35 * self.node_share.clamp(0.0, 1.0);
        let stable = 1.25 - 0.06 * f64::from(self.stable.min(8));
        let fall = (1.0 + f64::from(self.fall_cp) / 120.0).clamp(0.75, 1.6);
        (share * stable * fall).clamp(0.3, 2.8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn of(left: u64, increment: u64, moves_to_go: Option<u32>) -> Budget {
        let clock = Clock { left: MS(left), increment: MS(increment), moves_to_go, ..Clock::default() };
        let limits = Limits { clock: Some([clock; 2]), ..Limits::default() };
        budget(&limits, Side::Second, MS(10)).expect("a budget")
    }

    #[test]
    fn no_time_no_budget() {
        assert_eq!(budget(&Limits { depth: Some(3), ..Limits::default() }, Side::First, MS(10)), None);
        let infinite = Limits { infinite: true, move_time: Some(MS(5)), ..Limits::default() };
        assert_eq!(budget(&infinite, Side::First, MS(10)), None);
    }

    #[test]
    fn a_move_time_is_kept_to_the_letter() {
        let limits = Limits { move_time: Some(MS(2)), ..Limits::default() };
        assert_eq!(budget(&limits, Side::First, MS(10)), Some(Budget { soft: None, hard: MS(2) }));
    }

    /// Plays out games in which every move takes its hard budget and the overhead is really lost: the flag never falls.
    #[test]
    fn hard_budgets_never_flag() {
        for (main, increment, control) in [
            (5000, 0, None),
            (1000, 10, None),
            (4000, 0, Some(40)),
            (60_000, 600, None),
            (100, 0, None),
            (30, 10, None),
            (500, 0, Some(1)),
        ] {
            let mut left = MS(main);
            let mut to_go = control;
            for mv in 0..300 {
                let b = of(left.as_millis() as u64, increment, to_go);
                assert!(b.soft.is_some_and(|s| s <= b.hard));
                let spent = b.hard + if left > MS(20) { MS(8) } else { Duration::ZERO };
                assert!(spent < left, "move {mv} of {main}+{increment}/{control:?}: {spent:?} of {left:?}");
                left = left - spent + MS(increment);
                if let Some(n) = to_go.as_mut() {
                    *n -= 1;
                    if *n == 0 {
                        *n = control.unwrap_or(1);
                        left += MS(main);
                    }
                }
            }
        }
    }

    #[test]
    fn ordinary_controls_get_ordinary_budgets() {
        let soft = |b: Budget| b.soft.map_or(0, |s| s.as_millis());
        assert!((20..40).contains(&soft(of(1000, 10, None))), "{:?}", of(1000, 10, None));
        assert!((60..110).contains(&soft(of(5000, 0, None))), "{:?}", of(5000, 0, None));
        assert!((60..100).contains(&soft(of(4000, 0, Some(40)))), "{:?}", of(4000, 0, Some(40)));
        assert!((300..500).contains(&soft(of(500, 0, Some(1)))), "{:?}", of(500, 0, Some(1)));
    }

    #[test]
    fn byoyomi_is_used() {
        let clock = Clock { byoyomi: MS(1000), periods: 1, ..Clock::default() };
        let limits = Limits { clock: Some([clock; 2]), ..Limits::default() };
        let b = budget(&limits, Side::First, MS(10)).expect("a budget");
        assert!(b.hard >= MS(900) && b.hard <= MS(990), "{b:?}");
    }

    #[test]
    fn settled_searches_stop_early() {
        let settled = Settledness { node_share: 0.95, stable: 10, fall_cp: -5 };
        let torn = Settledness { node_share: 0.2, stable: 0, fall_cp: 60 };
        assert!(settled.factor() < 0.5 && torn.factor() > 1.8, "{} {}", settled.factor(), torn.factor());
    }
}
