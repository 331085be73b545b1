//! Time controls in stages with byoyomi behind them, as text and as numbers.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use tesuji_game::Side;

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

/// Overtime after the last stage: byoyomi or Canadian periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overtime {
    /// So much for every move, as in shogi.
    Byoyomi(Duration),
    /// The number of periods, each of which is kept by a move made within it, as in go in Japan.
    Periods(Duration, u32),
    /// A period for this many moves, then the next one, as in go in Canada.
    Canadian(Duration, u32),
}

/// Stages of time; the last one repeats, or overtime follows it. Written as in PGN, in seconds: `1+0.01`, `40/4`,
/// `40/900+5:900+5`; with overtime `600+b30`, `600+b30x5`, `600+b300/25`. Where the sides have different time, the first side's
/// stands before the second's: `10+0.1|5+0.05`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::TimeControl;
/// use tesuji_game::Side;
///
/// let control: TimeControl = "40/900+5:300+5".parse()?;
/// let [first, rest] = control.stages() else { panic!("two stages") };
/// assert_eq!((first.moves, first.time, rest.moves), (Some(40), Duration::from_secs(900), None));
/// assert_eq!(control.to_string(), "40/900+5:300+5");
/// let uneven: TimeControl = "10+0.1|5+0.05".parse()?;
/// assert_eq!(uneven.of(Side::Second), "5+0.05".parse()?);
/// assert!("soon".parse::<TimeControl>().is_err());
/// # Ok::<(), tesuji_arena::ControlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeControl {
    /// The stages, at least one.
    stages: Vec<Stage>,
    overtime: Option<Overtime>,
    /// That of the second side, where it has another one.
    second: Option<Box<TimeControl>>,
}

/// The error in the text of a time control.
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
            "{:?}: {}; a time control looks like 1+0.01, 40/4, 40/900+5:900+5, 600+b30, 600+b30x5 or 600+b300/25 (seconds), with | between \
             unequal sides",
            self.part, self.reason
        )
    }
}

impl std::error::Error for ControlError {}

impl TimeControl {
    /// One stage for the whole game.
    pub fn new(time: Duration, increment: Duration) -> TimeControl {
        TimeControl { stages: vec![Stage { moves: None, time, increment }], overtime: None, second: None }
    }

    /// That of one side.
    pub fn of(&self, side: Side) -> TimeControl {
        match (side, &self.second) {
            (Side::Second, Some(second)) => TimeControl::clone(second),
            _ => TimeControl { second: None, ..self.clone() },
        }
    }

    /// The same with all times longer by `factor`: what it is on a machine that is slower by as much.
    ///
    /// # Examples
    ///
    /// ```
    /// use tesuji_arena::TimeControl;
    /// let control: TimeControl = "40/10+0.1|5+b1".parse()?;
    /// assert_eq!(control.scaled(2.0), "40/20+0.2|10+b2".parse()?);
    /// # Ok::<(), tesuji_arena::ControlError>(())
    /// ```
    pub fn scaled(&self, factor: f64) -> TimeControl {
        let longer = |time: Duration| Duration::from_secs_f64((time.as_secs_f64() * factor).clamp(0.0, 3.2e9));
        let stage =
            |stage: &Stage| Stage { time: longer(stage.time), increment: longer(stage.increment), moves: stage.moves };
        let overtime = self.overtime.map(|overtime| match overtime {
            Overtime::Byoyomi(time) => Overtime::Byoyomi(longer(time)),
            Overtime::Periods(time, count) => Overtime::Periods(longer(time), count),
            Overtime::Canadian(time, moves) => Overtime::Canadian(longer(time), moves),
        });
        let second = self.second.as_ref().map(|second| Box::new(second.scaled(factor)));
        TimeControl { stages: self.stages.iter().map(stage).collect(), overtime, second }
    }

    /// The stages, at least one; of the first side where the sides differ.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The overtime after the stages.
    pub fn overtime(&self) -> Option<Overtime> {
        self.overtime
    }
}

impl FromStr for TimeControl {
    type Err = ControlError;

    fn from_str(text: &str) -> Result<TimeControl, ControlError> {
        let Some((first, second)) = text.split_once('|') else { return read_side(text) };
        let [first, second] = [read_side(first)?, read_side(second)?];
        let second = (second != first).then(|| Box::new(second));
        Ok(TimeControl { second, ..first })
    }
}

/// The control of one side.
fn read_side(text: &str) -> Result<TimeControl, ControlError> {
    let (text_of_stages, overtime) = match text.split_once("+b") {
        Some((before, after)) => (before, Some(read_overtime(after)?)),
        None => (text, None),
    };
    let mut stages = Vec::new();
    for part in text_of_stages.split(':') {
        stages.push(read_stage(part, overtime.is_some())?);
    }
    if let [first @ .., last] = stages.as_slice()
        && (first.iter().any(|s| s.moves.is_none()) || (overtime.is_some() && last.moves.is_some()))
    {
        let reason = if overtime.is_some() && last.moves.is_some() {
            "overtime follows a stage without a number of moves"
        } else {
            "a stage that is not the last needs a number of moves"
        };
        return Err(error(text, reason));
    }
    Ok(TimeControl { stages, overtime, second: None })
}

fn error(part: &str, reason: &'static str) -> ControlError {
    ControlError { part: part.to_string(), reason }
}

fn read_seconds(part: &str) -> Result<Duration, ControlError> {
    match part.trim().parse::<f64>() {
        Ok(s) if s.is_finite() && (0.0..=1e9).contains(&s) => Ok(Duration::from_micros((s * 1e6).round() as u64)),
        _ => Err(error(part, "not a number of seconds")),
    }
}

fn read_count(part: &str, text: &str, reason: &'static str) -> Result<u32, ControlError> {
    text.trim().parse().ok().filter(|&n| n > 0).ok_or_else(|| error(part, reason))
}

/// `MOVES/TIME+INCREMENT`. `may_be_empty`: whether overtime alone is time enough.
fn read_stage(part: &str, may_be_empty: bool) -> Result<Stage, ControlError> {
    let (moves, rest) = match part.split_once('/') {
        Some((moves, rest)) => (Some(read_count(part, moves, "not a number of moves")?), rest),
        None => (None, part),
    };
    let (time, increment) = match rest.split_once('+') {
        Some((time, increment)) => (read_seconds(time)?, read_seconds(increment)?),
        None => (read_seconds(rest)?, Duration::ZERO),
    };
    if time.is_zero() && increment.is_zero() && !may_be_empty {
        return Err(error(part, "no time at all"));
    }
    Ok(Stage { moves, time, increment })
}

/// `30`, `30x5`, `300/25`: what stands behind `+b`.
fn read_overtime(part: &str) -> Result<Overtime, ControlError> {
    let period = |text| match read_seconds(text)? {
        Duration::ZERO => Err(error(part, "no time at all")),
        period => Ok(period),
    };
    Ok(match (part.split_once('x'), part.split_once('/')) {
        (Some((time, n)), _) => Overtime::Periods(period(time)?, read_count(part, n, "not a number of periods")?),
        (_, Some((time, n))) => Overtime::Canadian(period(time)?, read_count(part, n, "not a number of moves")?),
        _ => Overtime::Byoyomi(period(part)?),
    })
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
        match self.overtime {
            None => {}
            Some(Overtime::Byoyomi(period)) => write!(f, "+b{}", period.as_secs_f64())?,
            Some(Overtime::Periods(period, n)) => write!(f, "+b{}x{n}", period.as_secs_f64())?,
            Some(Overtime::Canadian(period, n)) => write!(f, "+b{}/{n}", period.as_secs_f64())?,
        }
        self.second.as_ref().map_or(Ok(()), |second| write!(f, "|{second}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Allowance, Stopwatch};

    fn s(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn controls_are_read_and_written() {
        for text in [
            "1+0.01",
            "40/4",
            "5",
            "40/900+5:900+5",
            "20/10:10/5:3+0.5",
            "600+b30",
            "0+b10",
            "600+5+b30",
            "600+b30x5",
            "600+b300/25",
            "40/900:600+b30x5",
            "10+0.1|5+0.05",
            "40/900:600+b30x5|600+b30",
        ] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        assert_eq!("5|5+0".parse::<TimeControl>().unwrap().to_string(), "5");
        assert_eq!("5+0".parse::<TimeControl>().unwrap().to_string(), "5");
        for text in [
            "", "x", "0", "-1", "40/", "/3", "1+", "5:5", "inf", "nan", "0/5", "1e300", "5+b", "5+b0", "5+b3x0",
            "5+b3/x", "9/5+b3", "5|", "|5", "5|x", "5|5|5",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
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

    #[test]
    fn the_share_of_a_move_is_an_even_part_of_the_clock() {
        let timed = |control: &str| Allowance { control: control.parse().ok(), ..Allowance::default() };
        let share = |control: &str| {
            let allowance = timed(control);
            allowance.share(allowance.control.clone().map(Stopwatch::new).as_ref()).map(|t| t.as_secs_f64())
        };
        assert_eq!(share("4+0.1"), Some(0.2));
        assert_eq!(share("20/4"), Some(0.2));
        assert_eq!(share("40+b3"), Some(4.0));
        assert_eq!(share("40+b3x5"), Some(4.0));
        assert_eq!(share("40+b50/25"), Some(3.0));
        assert_eq!(share("0+b3"), Some(3.0));
        let clock = Stopwatch::new("4+0.1".parse().unwrap());
        let fixed = Allowance { move_time: Some(s(0.1)), ..timed("4+0.1") };
        assert_eq!((fixed.share(Some(&clock)), fixed.share(None)), (Some(s(0.1)), Some(s(0.1))));
        let nodes = Allowance { nodes: Some(5), ..fixed };
        assert_eq!(nodes.share(Some(&clock)), None);
    }
}
