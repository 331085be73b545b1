//! Clocks in GTP: whole seconds, set once for both sides, told before each move.

use super::colour;
use crate::{
    ProtocolError,
    words::{Words, number, time},
};
use std::time::Duration;
use tesuji_game::{Clock, Side};

/// What follows the main time, remembered because `time_left` says only how much of it is left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Overtime {
    period: Duration,
    /// Moves in each period; 0 in Japanese byoyomi, where each period is one move.
    stones: u32,
    /// Japanese periods.
    periods: u32,
}

/// The clock that `time_settings` sets, and what must be remembered of it.
pub(super) fn read_settings(words: &mut Words) -> Result<(Option<Clock>, Overtime), ProtocolError> {
    let [main, period, stones] = three(words, "time_settings")?;
    if period > 0 && stones == 0 {
        return Ok((None, Overtime::default())); // so says the standard
    }
    let overtime = Overtime { period: seconds(period), stones, periods: 0 };
    let overtime = if period == 0 { Overtime::default() } else { overtime };
    Ok((Some(clock_of(seconds(main), overtime)), overtime))
}

/// The clock that `kgs-time_settings` sets.
pub(super) fn read_kgs_settings(words: &mut Words) -> Result<(Option<Clock>, Overtime), ProtocolError> {
    const AFTER: &str = "kgs-time_settings";
    const EXPECTED: &str = "none, absolute, byoyomi or canadian";
    let overtime = match words.next() {
        Some("none") => return Ok((None, Overtime::default())),
        Some("absolute") => {
            let main = seconds(whole(words, AFTER)?);
            return Ok((Some(clock_of(main, Overtime::default())), Overtime::default()));
        }
        Some(kind @ ("byoyomi" | "canadian")) => {
            let [main, period, n] = three(words, AFTER)?;
            let (stones, periods) = if kind == "byoyomi" { (0, n) } else { (n, 0) };
            (main, Overtime { period: seconds(period), stones, periods })
        }
        Some(found) => {
            return Err(ProtocolError::Wrong { after: AFTER, expected: EXPECTED, found: found.to_string() });
        }
        None => return Err(ProtocolError::Missing { after: AFTER, expected: EXPECTED }),
    };
    Ok((Some(clock_of(seconds(overtime.0), overtime.1)), overtime.1))
}

/// The clock that `kata-time_settings` sets: KGS's kinds, and Fischer's.
pub(super) fn read_kata_settings(words: &mut Words) -> Result<(Option<Clock>, Overtime), ProtocolError> {
    const AFTER: &str = "kata-time_settings";
    if !matches!(words.peek(), Some("fischer" | "fischer-capped")) {
        return read_kgs_settings(words);
    }
    words.next();
    let [left, increment] = [fraction(words, AFTER)?, fraction(words, AFTER)?];
    Ok((Some(Clock { left, increment, ..Clock::default() }), Overtime::default()))
}

/// Seconds with a fraction.
fn fraction(words: &mut Words, after: &'static str) -> Result<Duration, ProtocolError> {
    const EXPECTED: &str = "a number of seconds";
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    match word.parse::<f64>() {
        Ok(n) if (0.0..=1e9).contains(&n) => Ok(time((n * 1000.0) as i64)),
        _ => Err(ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() }),
    }
}

/// The clock that `time_left` tells, under what was set before.
pub(super) fn read_left(words: &mut Words, overtime: Overtime) -> Result<Clock, ProtocolError> {
    let left = seconds(whole(words, "time_left")?);
    let stones = if words.peek().is_some() { whole(words, "time_left")? } else { 0 };
    Ok(if stones == 0 {
        clock_of(left, overtime)
    } else if overtime.periods > 0 {
        Clock { byoyomi: overtime.period, periods: stones, ..Clock::default() }
    } else {
        Clock { byoyomi: left, stones, ..Clock::default() }
    })
}

fn clock_of(left: Duration, overtime: Overtime) -> Clock {
    let Overtime { period: byoyomi, stones, periods } = overtime;
    Clock { left, byoyomi, stones, periods, ..Clock::default() }
}

/// The settings of a whole game. `kgs` and `kata`: whether the engine knows those commands.
pub(super) fn settings(clock: &Clock, kgs: bool, kata: bool) -> String {
    let (left, period) = (whole_seconds(clock.left), whole_seconds(clock.byoyomi));
    match clock {
        Clock { byoyomi: Duration::ZERO, increment, .. } if !increment.is_zero() && kata => {
            let (left, increment) = (clock.left.as_secs_f64(), increment.as_secs_f64());
            format!("kata-time_settings fischer {left} {increment}")
        }
        Clock { byoyomi: Duration::ZERO, .. } => format!("time_settings {left} 0 0"),
        Clock { stones, .. } if *stones > 0 => format!("time_settings {left} {period} {stones}"),
        // A period for each move is what a period of one stone is, as long as there are enough of them.
        _ if !kgs => format!("time_settings {left} {period} 1"),
        Clock { periods, .. } => format!("kgs-time_settings byoyomi {left} {period} {periods}"),
    }
}

/// A time for each move and nothing else.
pub(super) fn settings_of_move_time(time: Duration) -> String {
    format!("time_settings 0 {} 1", whole_seconds(time))
}

/// What a clock shows.
pub(super) fn left(side: Side, clock: &Clock) -> String {
    let colour = colour(side);
    if !clock.left.is_zero() || clock.byoyomi.is_zero() {
        return format!("time_left {colour} {} 0", whole_seconds(clock.left));
    }
    let stones = if clock.stones > 0 { clock.stones } else { clock.periods.max(1) };
    format!("time_left {colour} {} {stones}", whole_seconds(clock.byoyomi))
}

/// Rounded down, lest an engine trust in time that it has not; but not to nothing.
fn whole_seconds(time: Duration) -> u64 {
    if time.is_zero() { 0 } else { time.as_secs().max(1) }
}

fn seconds(n: u32) -> Duration {
    time(i64::from(n) * 1000)
}

fn three(words: &mut Words, after: &'static str) -> Result<[u32; 3], ProtocolError> {
    Ok([whole(words, after)?, whole(words, after)?, whole(words, after)?])
}

/// A whole number; a fraction, which some runners send, is cut off.
fn whole(words: &mut Words, after: &'static str) -> Result<u32, ProtocolError> {
    const EXPECTED: &str = "a whole number of seconds or stones";
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    let whole = word.split_once('.').map_or(word, |(whole, _)| whole);
    match number(whole) {
        Some(n) => Ok(n.clamp(0, i64::from(u32::MAX)) as u32),
        None => Err(ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() }),
    }
}
