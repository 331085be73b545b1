//! Limits of a contestant: time controls in stages, time a move, nodes, depth; and the clock that counts a stage down.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use tesuji_game::{Clock, Limits, Side};

/// One stage of a time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// Moves of the stage; `None`: all that are left.
    pub moves: Option<u32>,
    /// Time given at its beginning.
    pub time: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

/// Stages of time; the last one repeats. Written as in PGN: `1+0.01`, `40/4`, `40/900+5:900+5`, in seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeControl {
    /// The stages, at least one.
    stages: Vec<Stage>,
}

/// Why a text is no time control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlError {
    /// The part that was not understood.
    pub part: String,
    /// Why.
    pub reason: &'static str,
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?}: {}; a time control looks like 1+0.01, 40/4 or 40/900+5:900+5 (seconds)",
            self.part, self.reason
        )
    }
}

impl std::error::Error for ControlError {}

impl TimeControl {
    /// One stage for the whole game.
    pub fn new(time: Duration, increment: Duration) -> TimeControl {
        TimeControl { stages: vec![Stage { moves: None, time, increment }] }
    }

    /// The stages, at least one.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }
}

impl FromStr for TimeControl {
    type Err = ControlError;

    fn from_str(text: &str) -> Result<TimeControl, ControlError> {
        let error = |part: &str, reason| ControlError { part: part.to_string(), reason };
        let seconds = |part: &str| match part.trim().parse::<f64>() {
            Ok(s) if s.is_finite() && (0.0..=1e9).contains(&s) => Ok(Duration::from_micros((s * 1e6).round() as u64)),
            _ => Err(error(part, "not a number of seconds")),
        };
        let mut stages = Vec::new();
        for part in text.split(':') {
            let (moves, rest) = match part.split_once('/') {
                Some((m, rest)) => match m.trim().parse::<u32>() {
                    Ok(m) if m > 0 => (Some(m), rest),
                    _ => return Err(error(part, "not a number of moves")),
                },
                None => (None, part),
            };
            let (time, increment) = match rest.split_once('+') {
                Some((t, i)) => (seconds(t)?, seconds(i)?),
                None => (seconds(rest)?, Duration::ZERO),
            };
            if time.is_zero() && increment.is_zero() {
                return Err(error(part, "no time at all"));
            }
            stages.push(Stage { moves, time, increment });
        }
        if let [first @ .., _] = stages.as_slice()
            && first.iter().any(|s| s.moves.is_none())
        {
            return Err(error(text, "a stage that is not the last needs a number of moves"));
        }
        Ok(TimeControl { stages })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, stage) in self.stages.iter().enumerate() {
            if i > 0 {
                write!(f, ":")?;
            }
            if let Some(moves) = stage.moves {
                write!(f, "{moves}/")?;
            }
            write!(f, "{}", stage.time.as_secs_f64())?;
            if !stage.increment.is_zero() {
                write!(f, "+{}", stage.increment.as_secs_f64())?;
            }
        }
        Ok(())
    }
}

/// What one contestant may use. All that are given hold at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Allowance {
    /// Time for the game.
    pub control: Option<TimeControl>,
    /// Time for a move.
    pub move_time: Option<Duration>,
    /// Nodes a move.
    pub nodes: Option<u64>,
    /// Plies a move.
    pub depth: Option<u32>,
    /// Overstepping that is forgiven.
    pub margin: Duration,
    /// How long to wait for a move beyond what is allowed before giving it up as hung; `None`: fitting the limits.
    pub patience: Option<Duration>,
}

impl Default for Allowance {
    /// No limits, and a margin of 50 ms: on a shared machine the scheduler takes that much now and then.
    fn default() -> Allowance {
        Allowance {
            control: None,
            move_time: None,
            nodes: None,
            depth: None,
            margin: Duration::from_millis(50),
            patience: None,
        }
    }
}

impl Allowance {
    /// Nodes a move, and nothing else.
    pub fn of_nodes(nodes: u64) -> Allowance {
        Allowance { nodes: Some(nodes), ..Allowance::default() }
    }

    /// Whether any limit is given.
    pub fn is_limited(&self) -> bool {
        self.control.is_some() || self.move_time.is_some() || self.nodes.is_some() || self.depth.is_some()
    }

    /// After which time a move is too late, with this much on the clock.
    pub fn deadline(&self, left: Option<Duration>) -> Option<Duration> {
        let limit = match (left, self.move_time) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        limit.map(|l| l + self.margin)
    }

    /// After which time a contestant is given up as hung: with a clock two seconds after the flag, without one what the
    /// slowest engine might need.
    pub fn patience(&self, deadline: Option<Duration>) -> Duration {
        let base = match (deadline, self.nodes) {
            (Some(deadline), _) => deadline + Duration::from_secs(2),
            (None, Some(nodes)) => Duration::from_secs(10) + Duration::from_micros(nodes.saturating_mul(100)),
            (None, None) => Duration::from_secs(600),
        };
        match self.patience {
            Some(extra) => deadline.unwrap_or_default() + extra,
            None => base,
        }
    }

    /// The limits of a search, with these clocks (own and the opponent's; own stands in where it has none).
    pub fn limits(&self, side: Side, own: Option<&Stopwatch>, other: Option<&Stopwatch>) -> Limits {
        let clock = own.map(|own| {
            let mut pair = [own.clock(), other.unwrap_or(own).clock()];
            if side == Side::Second {
                pair.swap(0, 1);
            }
            pair
        });
        Limits { depth: self.depth, nodes: self.nodes, move_time: self.move_time, clock, ..Limits::default() }
    }
}

impl fmt::Display for Allowance {
    /// As in a PGN's `TimeControl` tag and in tables: `1+0.01`, `nodes 5000`, `40/4 and depth 9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(c) = &self.control {
            parts.push(c.to_string());
        }
        if let Some(t) = self.move_time {
            parts.push(format!("{} s a move", t.as_secs_f64()));
        }
        if let Some(n) = self.nodes {
            parts.push(format!("nodes {n}"));
        }
        if let Some(d) = self.depth {
            parts.push(format!("depth {d}"));
        }
        if parts.is_empty() { write!(f, "no limit") } else { write!(f, "{}", parts.join(" and ")) }
    }
}

/// A running clock of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopwatch {
    control: TimeControl,
    stage: usize,
    moves_to_go: Option<u32>,
    left: Duration,
}

impl Stopwatch {
    /// The clock before the first move.
    pub fn new(control: TimeControl) -> Stopwatch {
        let first = control.stages[0];
        Stopwatch { control, stage: 0, moves_to_go: first.moves, left: first.time }
    }

    /// Time left.
    pub fn left(&self) -> Duration {
        self.left
    }

    /// The clock as a search sees it.
    pub fn clock(&self) -> Clock {
        let stage = self.control.stages[self.stage];
        Clock { left: self.left, increment: stage.increment, moves_to_go: self.moves_to_go, ..Clock::default() }
    }

    /// A move was made in `spent`: takes it off (never below zero), adds the increment, goes on to the next stage.
    pub fn press(&mut self, spent: Duration) {
        self.left = self.left.saturating_sub(spent) + self.control.stages[self.stage].increment;
        if let Some(n) = &mut self.moves_to_go {
            *n -= 1;
            if *n == 0 {
                self.stage = (self.stage + 1).min(self.control.stages.len() - 1);
                let next = self.control.stages[self.stage];
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

    #[test]
    fn controls_are_read_and_written() {
        for text in ["1+0.01", "40/4", "5", "40/900+5:900+5", "20/10:10/5:3+0.5"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        assert_eq!("5+0".parse::<TimeControl>().unwrap().to_string(), "5");
        for text in ["", "x", "0", "-1", "40/", "/3", "1+", "5:5", "inf", "nan", "0/5", "1e300"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn stages_follow_each_other_and_the_last_repeats() {
        let mut clock = Stopwatch::new("2/10+1:1/5".parse().unwrap());
        clock.press(s(4.0));
        assert_eq!((clock.left(), clock.clock().moves_to_go), (s(7.0), Some(1)));
        clock.press(s(4.0));
        assert_eq!((clock.left(), clock.clock().moves_to_go, clock.clock().increment), (s(9.0), Some(1), s(0.0)));
        clock.press(s(9.5));
        assert_eq!((clock.left(), clock.clock().moves_to_go), (s(5.0), Some(1)));
        clock.press(s(1.0));
        assert_eq!(clock.left(), s(9.0));
    }

    #[test]
    fn each_side_sees_its_own_clock() {
        let allowance = Allowance { control: Some("3+1".parse().unwrap()), ..Allowance::default() };
        let own = Stopwatch::new("3+1".parse().unwrap());
        let other = Stopwatch::new("9".parse().unwrap());
        let clock = allowance.limits(Side::Second, Some(&own), Some(&other)).clock.unwrap();
        assert_eq!((clock[0].left, clock[1].left), (s(9.0), s(3.0)));
        let clock = allowance.limits(Side::First, Some(&own), None).clock.unwrap();
        assert_eq!((clock[0].left, clock[1].left), (s(3.0), s(3.0)));
        assert_eq!(allowance.deadline(Some(s(3.0))), Some(s(3.05)));
    }
}
