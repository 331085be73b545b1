//! Clocks in GTP: set once for both sides, told before each move; whole seconds, or fractions to those who know KataGo's commands.

use super::colour;
use crate::{
    ProtocolError,
    words::{Words, number, time},
};
use std::time::Duration;
use tesuji_game::{Clock, Side};

/// The most seconds that a command may name: runners say "no limit" by the largest number that they have.
const SECONDS_MAX: f64 = u32::MAX as f64;
/// Seconds by which a clock may be overdrawn: the flag falls a little late in some runners. As in KataGo's `time_left`.
const OVERDRAWN_MAX: f64 = 10.0;

/// The overtime settings, remembered because `time_left` only gives the time left.
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
    let (main, period, stones) = three(words, "time_settings")?;
    if !period.is_zero() && stones == 0 {
        return Ok((None, Overtime::default())); // so says the standard
    }
    let overtime = if period.is_zero() { Overtime::default() } else { Overtime { period, stones, periods: 0 } };
    Ok((Some(clock_of(main, overtime)), overtime))
}

/// The clock that `kgs-time_settings` sets.
pub(super) fn read_kgs_settings(words: &mut Words) -> Result<(Option<Clock>, Overtime), ProtocolError> {
    read_kind(words, "kgs-time_settings")
}

/// One of KGS's kinds, after this command.
fn read_kind(words: &mut Words, after: &'static str) -> Result<(Option<Clock>, Overtime), ProtocolError> {
    const EXPECTED: &str = "none, absolute, byoyomi or canadian";
    let overtime = match words.next() {
        Some("none") => return Ok((None, Overtime::default())),
        Some("absolute") => {
            let main = seconds(words, after)?;
            return Ok((Some(clock_of(main, Overtime::default())), Overtime::default()));
        }
        Some(kind @ ("byoyomi" | "canadian")) => {
            let (main, period, n) = three(words, after)?;
            let (stones, periods) = if kind == "byoyomi" { (0, n) } else { (n, 0) };
            (main, Overtime { period, stones, periods })
        }
        Some(found) => {
            return Err(ProtocolError::Wrong { after, expected: EXPECTED, found: found.to_string() });
        }
        None => return Err(ProtocolError::Missing { after, expected: EXPECTED }),
    };
    Ok((Some(clock_of(overtime.0, overtime.1)), overtime.1))
}

/// The clock that `kata-time_settings` sets: KGS's kinds, and Fischer's.
pub(super) fn read_kata_settings(words: &mut Words) -> Result<(Option<Clock>, Overtime), ProtocolError> {
    const AFTER: &str = "kata-time_settings";
    if !matches!(words.peek(), Some("fischer" | "fischer-capped")) {
        return read_kind(words, AFTER);
    }
    words.next();
    let [left, increment] = [seconds(words, AFTER)?, seconds(words, AFTER)?];
    Ok((Some(Clock { left, increment, ..Clock::default() }), Overtime::default()))
}

/// Seconds, with a fraction or without.
fn seconds(words: &mut Words, after: &'static str) -> Result<Duration, ProtocolError> {
    seconds_from(0.0, words, after)
}

/// The same, from `least` on; less than nothing is nothing.
fn seconds_from(least: f64, words: &mut Words, after: &'static str) -> Result<Duration, ProtocolError> {
    const EXPECTED: &str = "a number of seconds from 0 to 4294967295";
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    match word.parse::<f64>() {
        Ok(n) if (least..=SECONDS_MAX).contains(&n) => Ok(time((n * 1000.0) as i64)),
        _ => Err(ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() }),
    }
}

/// The clock that `time_left` tells, under what was set before.
pub(super) fn read_left(words: &mut Words, overtime: Overtime) -> Result<Clock, ProtocolError> {
    let left = seconds_from(-OVERDRAWN_MAX, words, "time_left")?;
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

/// The settings of a whole game. `kgs` and `kata`: whether the engine knows those commands. Only the latter's take fractions.
pub(super) fn settings(clock: &Clock, kgs: bool, kata: bool) -> String {
    let Clock { left, increment, byoyomi, stones, periods, .. } = *clock;
    let exact = kata && !(is_whole(left) && is_whole(byoyomi));
    let word = if exact { "kata-time_settings" } else { "kgs-time_settings" };
    let [main, period] = [left, byoyomi].map(|time| text(time, exact));
    match stones {
        _ if byoyomi.is_zero() && !increment.is_zero() && kata => {
            format!("kata-time_settings fischer {} {}", text(left, true), text(increment, true))
        }
        _ if byoyomi.is_zero() && exact => format!("{word} absolute {main}"),
        _ if byoyomi.is_zero() => format!("time_settings {main} 0 0"),
        1.. if exact => format!("{word} canadian {main} {period} {stones}"),
        1.. => format!("time_settings {main} {period} {stones}"),
        // A period for each move is what a period of one stone is, as long as there are enough of them.
        0 if !kgs && !exact => format!("time_settings {main} {period} 1"),
        0 => format!("{word} byoyomi {main} {period} {periods}"),
    }
}

/// A time for each move and nothing else. `kata`: as for [`settings`].
pub(super) fn settings_of_move_time(time: Duration, kata: bool) -> String {
    settings(&Clock { byoyomi: time, stones: 1, ..Clock::default() }, false, kata)
}

/// The `time_left` command for a clock. `kata`: whether the engine knows KataGo's command, and so fractions here, too.
pub(super) fn left(side: Side, clock: &Clock, kata: bool) -> String {
    let colour = colour(side);
    if !clock.left.is_zero() || clock.byoyomi.is_zero() {
        return format!("time_left {colour} {} 0", text(clock.left, kata));
    }
    let stones = if clock.stones > 0 { clock.stones } else { clock.periods.max(1) };
    format!("time_left {colour} {} {stones}", text(clock.byoyomi, kata))
}

fn is_whole(time: Duration) -> bool {
    time.subsec_nanos() == 0
}

/// To the millisecond where that is `exact`; else whole seconds, rounded down, lest an engine trust in time that it has not, but not
/// to nothing.
fn text(time: Duration, exact: bool) -> String {
    match time {
        _ if exact => (time.as_millis() as f64 / 1000.0).to_string(),
        Duration::ZERO => "0".to_string(),
        _ => time.as_secs().max(1).to_string(),
    }
}

/// Main time, period, and how many stones or periods.
fn three(words: &mut Words, after: &'static str) -> Result<(Duration, Duration, u32), ProtocolError> {
    Ok((seconds(words, after)?, seconds(words, after)?, whole(words, after)?))
}

/// A whole number; a fraction, which some runners send, is cut off.
fn whole(words: &mut Words, after: &'static str) -> Result<u32, ProtocolError> {
    const EXPECTED: &str = "a whole number of stones or periods";
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    let whole = word.split_once('.').map_or(word, |(whole, _)| whole);
    match number(whole) {
        Some(n) => Ok(n.clamp(0, i64::from(u32::MAX)) as u32),
        None => Err(ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() }),
    }
}
