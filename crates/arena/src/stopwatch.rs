//! The running clock of one side: stages, increments, overtime of three kinds.

use crate::{Overtime, TimeControl};
use std::time::Duration;
use tesuji_game::Clock;

/// Into this many moves a clock without a number of moves is divided: engines expect 25 to 50.
const MOVES_LEFT: u32 = 40;

/// A running clock of one side.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::Stopwatch;
/// let seconds = Duration::from_secs;
/// let mut clock = Stopwatch::new("60+1".parse()?);
/// clock.press(seconds(11));
/// assert_eq!((clock.left(), clock.available()), (seconds(50), seconds(50)));
/// assert_eq!((clock.clock().increment, clock.share()), (seconds(1), seconds(50) / 40 + seconds(1)));
/// # Ok::<(), tesuji_arena::ControlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopwatch {
    control: TimeControl,
    stage: usize,
    moves_to_go: Option<u32>,
    left: Duration,
    /// Japanese periods, the present one counted.
    periods: u32,
    /// Time left in the present Canadian period, and the moves to make in it.
    period_left: Duration,
    stones: u32,
}

impl Stopwatch {
    /// The clock before the first move.
    pub fn new(control: TimeControl) -> Stopwatch {
        let first = control.stages()[0];
        let (periods, period_left, stones) = match control.overtime() {
            Some(Overtime::Periods(_, periods)) => (periods, Duration::ZERO, 0),
            Some(Overtime::Canadian(period, stones)) => (0, period, stones),
            Some(Overtime::Byoyomi(_)) | None => (0, Duration::ZERO, 0),
        };
        Stopwatch { control, stage: 0, moves_to_go: first.moves, left: first.time, periods, period_left, stones }
    }

    /// Main time left.
    pub fn left(&self) -> Duration {
        self.left
    }

    /// Time within which the next move must be made.
    pub fn available(&self) -> Duration {
        self.left
            + match self.overtime() {
                None => Duration::ZERO,
                Some(Overtime::Byoyomi(period)) => period,
                Some(Overtime::Periods(period, _)) => period * self.periods,
                Some(Overtime::Canadian(..)) => self.period_left,
            }
    }

    /// The time for the next move by an even division of the time until the next control, with the increment after the move.
    pub fn share(&self) -> Duration {
        let increment = self.control.stages()[self.stage].increment;
        let overtime = match self.overtime() {
            None => Duration::ZERO,
            Some(Overtime::Byoyomi(period) | Overtime::Periods(period, _)) => period,
            Some(Overtime::Canadian(..)) => self.period_left / self.stones.max(1),
        };
        self.left / self.moves_to_go.unwrap_or(MOVES_LEFT).max(1) + increment + overtime
    }

    /// The overtime, where none of the stages is left to come.
    fn overtime(&self) -> Option<Overtime> {
        self.control.overtime().filter(|_| self.stage + 1 == self.control.stages().len())
    }

    /// The clock as a search sees it. In a Canadian period `byoyomi` is what is left of it, for `stones` moves.
    pub fn clock(&self) -> Clock {
        let increment = self.control.stages()[self.stage].increment;
        let plain = Clock { left: self.left, increment, moves_to_go: self.moves_to_go, ..Clock::default() };
        match self.overtime() {
            None => plain,
            Some(Overtime::Byoyomi(byoyomi)) => Clock { byoyomi, periods: 1, ..plain },
            Some(Overtime::Periods(byoyomi, _)) => Clock { byoyomi, periods: self.periods, ..plain },
            Some(Overtime::Canadian(..)) => Clock { byoyomi: self.period_left, stones: self.stones, ..plain },
        }
    }

    /// A move was made in `spent`: takes it off (never below zero), adds the increment, goes on to the next stage.
    /// Stops the clock after a move. Overstepping within the margin costs no period.
    pub fn press(&mut self, spent: Duration) {
        let over = spent.saturating_sub(self.left);
        let was_left = !self.left.is_zero();
        self.left = self.left.saturating_sub(spent) + self.control.stages()[self.stage].increment;
        match self.overtime() {
            Some(Overtime::Periods(period, _)) => {
                let used = (over.as_nanos() / period.as_nanos().max(1)).min(u128::from(u32::MAX)) as u32;
                self.periods = self.periods.saturating_sub(used).max(1);
            }
            Some(Overtime::Canadian(period, stones)) if !over.is_zero() || !was_left => {
                self.period_left = self.period_left.saturating_sub(over);
                self.stones -= 1;
                if self.stones == 0 {
                    (self.period_left, self.stones) = (period, stones);
                }
            }
            _ => {}
        }
        if let Some(n) = &mut self.moves_to_go {
            *n -= 1;
            if *n == 0 {
                self.stage = (self.stage + 1).min(self.control.stages().len() - 1);
                let next = self.control.stages()[self.stage];
                self.moves_to_go = next.moves;
                self.left += next.time;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn clock(control: &str) -> Stopwatch {
        Stopwatch::new(control.parse().unwrap())
    }

    #[test]
    fn stages_follow_each_other_and_the_last_repeats() {
        let mut clock = clock("2/10+1:1/5");
        clock.press(s(4.0));
        assert_eq!((clock.left(), clock.clock().moves_to_go), (s(7.0), Some(1)));
        clock.press(s(4.0));
        assert_eq!((clock.left(), clock.clock().moves_to_go, clock.clock().increment), (s(9.0), Some(1), s(0.0)));
        clock.press(s(9.5));
        assert_eq!((clock.left(), clock.clock().moves_to_go), (s(5.0), Some(1)));
        clock.press(s(1.0));
        assert_eq!(clock.left(), s(9.0));
        assert_eq!(clock.available(), clock.left());
    }

    #[test]
    fn byoyomi_is_there_for_every_move() {
        let mut clock = clock("10+b3");
        assert_eq!(clock.available(), s(13.0));
        clock.press(s(12.0));
        for _ in 0..5 {
            assert_eq!((clock.left(), clock.available()), (s(0.0), s(3.0)));
            clock.press(s(2.9));
        }
        assert_eq!((clock.clock().byoyomi, clock.clock().periods), (s(3.0), 1));
    }

    #[test]
    fn periods_are_kept_by_moves_within_them() {
        let mut clock = clock("10+b3x3");
        assert_eq!(clock.available(), s(19.0));
        clock.press(s(12.9));
        assert_eq!((clock.clock().periods, clock.available()), (3, s(9.0)));
        clock.press(s(3.5));
        assert_eq!((clock.clock().periods, clock.available()), (2, s(6.0)));
        clock.press(s(2.0));
        clock.press(s(5.0));
        assert_eq!((clock.clock().periods, clock.available()), (1, s(3.0)));
        clock.press(s(3.0));
        assert_eq!(clock.available(), s(3.0), "what a margin forgives costs nothing");
    }

    #[test]
    fn canadian_periods_are_for_many_moves() {
        let mut clock = clock("10+b30/3");
        clock.press(s(10.0));
        assert_eq!((clock.clock().stones, clock.available()), (3, s(30.0)), "main time was enough");
        clock.press(s(20.0));
        assert_eq!((clock.clock().stones, clock.clock().byoyomi), (2, s(10.0)));
        clock.press(s(5.0));
        clock.press(s(4.0));
        assert_eq!((clock.clock().stones, clock.available()), (3, s(30.0)), "the next period");
        let mut clock = self::clock("10+b30/3");
        clock.press(s(15.0));
        assert_eq!((clock.clock().stones, clock.available()), (2, s(25.0)), "this move began in main time");
    }

    #[test]
    fn overtime_follows_the_last_stage_only() {
        let mut clock = clock("1/10:5+b2");
        assert_eq!((clock.available(), clock.clock().periods), (s(10.0), 0));
        clock.press(s(1.0));
        assert_eq!((clock.available(), clock.clock().periods), (s(16.0), 1));
    }
}
