//! The limits of an engine's moves as XBoard tells them: `level`, `st`, `sd`, `time` and `otim`.

use crate::words::{Words, number, small};
use std::time::Duration;
use tesuji_game::{Clock, Limits, Side};

/// The longest time that is meant, in seconds: ten years.
const SECONDS_MAX: f64 = 10.0 * 365.0 * 24.0 * 3600.0;

/// The time control of a game and what is left of it; 5 minutes for 40 moves until something is said.
#[derive(Debug, Clone)]
pub(super) struct Level {
    moves: u32,
    base: Duration,
    increment: Duration,
    /// Of each move, in place of a clock.
    move_time: Option<Duration>,
    depth: Option<u32>,
    /// The clocks of the engine and of its opponent, where they were told.
    left: [Option<Duration>; 2],
}

impl Default for Level {
    fn default() -> Level {
        let base = Duration::from_secs(300);
        Level { moves: 40, base, increment: Duration::ZERO, move_time: None, depth: None, left: [None; 2] }
    }
}

impl Level {
    /// A new game begins: neither clock is known, and depth is not limited.
    pub(super) fn begin(&mut self) {
        (self.left, self.depth) = ([None; 2], None);
    }

    /// Takes a line whose first word is `word`; whether it was one of these.
    pub(super) fn take(&mut self, word: &str, words: &mut Words) -> bool {
        match word {
            "level" => {
                let [moves, base, increment] = [(); 3].map(|()| words.next().unwrap_or_default());
                self.moves = number(moves).map_or(0, |n| small(n.max(0).unsigned_abs()));
                (self.base, self.increment) = (minutes(base), seconds(increment));
                (self.move_time, self.left) = (None, [None; 2]);
            }
            "st" => self.move_time = Some(words.next().map(seconds).unwrap_or_default()),
            "sd" => {
                self.depth = words.next().and_then(number).map(|n| small(n.max(1).unsigned_abs()));
            }
            "time" | "otim" => {
                let hundredths = words.next().and_then(number).unwrap_or(0).max(0);
                let left = seconds(&(hundredths as f64 / 100.0).to_string());
                self.left[usize::from(word == "otim")] = Some(left);
            }
            _ => return false,
        }
        true
    }

    /// The limits of a search for the engine, which is `mover` after `plies` of the game.
    pub(super) fn limits(&self, mover: Side, plies: usize) -> Limits {
        let depth = self.depth;
        if self.move_time.is_some() {
            return Limits { move_time: self.move_time, depth, ..Limits::default() };
        }
        let played = (plies / 2) as u32;
        let moves_to_go = (self.moves > 0).then(|| self.moves - played % self.moves);
        let clock = |left: Option<Duration>| Clock {
            left: left.unwrap_or(self.base),
            increment: self.increment,
            moves_to_go,
            ..Clock::default()
        };
        let mut clocks = self.left.map(clock);
        if mover == Side::Second {
            clocks.reverse();
        }
        Limits { clock: Some(clocks), depth, ..Limits::default() }
    }
}

/// `5` or `5:30`, minutes and seconds.
fn minutes(text: &str) -> Duration {
    let (minutes, rest) = text.split_once(':').unwrap_or((text, "0"));
    seconds(&(minutes.parse::<f64>().unwrap_or(0.0) * 60.0 + rest.parse::<f64>().unwrap_or(0.0)).to_string())
}

/// Seconds, which may have a fraction; 0 where they cannot be read.
fn seconds(text: &str) -> Duration {
    let seconds = text.parse::<f64>().ok().filter(|s| s.is_finite()).unwrap_or(0.0);
    Duration::from_secs_f64(seconds.clamp(0.0, SECONDS_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(lines: &str) -> Level {
        let mut level = Level::default();
        for line in lines.split(';') {
            let mut words = Words::new(line);
            let word = words.next().unwrap();
            assert!(level.take(word, &mut words), "{line}");
        }
        level
    }

    #[test]
    fn levels_are_clocks_of_both_sides() {
        let limits = level("level 40 5:30 0.5;time 1250;otim 30000").limits(Side::Second, 7);
        let [white, black] = limits.clock.unwrap();
        assert_eq!((white.left, black.left), (Duration::from_secs(300), Duration::from_millis(12_500)));
        assert_eq!((black.increment, black.moves_to_go), (Duration::from_millis(500), Some(37)));
        assert_eq!(level("level 40 5:30 0.5").limits(Side::First, 80).clock.unwrap()[0].moves_to_go, Some(40));
        assert_eq!(level("level 0 1 1").limits(Side::First, 80).clock.unwrap()[0].moves_to_go, None);
        assert_eq!(level("level 0 1:30 1").limits(Side::First, 0).clock.unwrap()[0].left, Duration::from_secs(90));
        let limits = level("st 0.25;sd 9").limits(Side::First, 0);
        assert_eq!((limits.move_time, limits.depth), (Some(Duration::from_millis(250)), Some(9)));
        assert_eq!((limits.clock, Level::default().take("nps", &mut Words::new("1"))), (None, false));
        // Nonsense is no time, and no panic.
        assert_eq!(level("level x NaN inf;st -3").limits(Side::First, 0).move_time, Some(Duration::ZERO));
    }
}
