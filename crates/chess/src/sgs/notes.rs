//! Words of our extension commands: values, times, reasons, escaped text. Each is written and read here, side by side.

use std::{fmt::Write, time::Duration};
use tesuji_game::{By, Value};

/// Stands in lists where a move has no entry.
pub(super) const NOTHING: &str = ".";

/// Appends a value: centipawns with a sign, or `#` and the plies to the mate.
pub(super) fn write_value(value: Value, out: &mut String) {
    let _ = match value.mate_plies() {
        Some(plies) if plies > 0 => write!(out, "#{plies}"),
        Some(plies) => write!(out, "#-{}", -plies),
        None => write!(out, "{:+}", value.raw()),
    };
}

/// The inverse of [`write_value`].
pub(super) fn read_value(text: &str) -> Option<Value> {
    let mate_max = (Value::MATE - Value::CP_MAX) as i32;
    match text.strip_prefix('#') {
        Some(plies) => match plies.strip_prefix('-') {
            Some(plies) => plies.parse().ok().filter(|p| (0..mate_max).contains(p)).map(Value::mated_in),
            None => plies.parse().ok().filter(|p| (1..mate_max).contains(p)).map(Value::mate_in),
        },
        None => text.parse().ok().map(Value::cp),
    }
}

/// Whether `text` is a value out of range: [`read_value`] takes the nearest.
pub(super) fn is_clipped(text: &str) -> bool {
    text.parse().is_ok_and(|cp: i32| cp.unsigned_abs() > Value::CP_MAX as u32)
}

/// Appends a duration in milliseconds, with as many decimals as it has.
pub(super) fn write_time(time: Duration, out: &mut String) {
    let nanos = time.as_nanos();
    let (whole, rest) = (nanos / 1_000_000, nanos % 1_000_000);
    let _ = write!(out, "{whole}");
    if rest > 0 {
        let decimals = format!("{rest:06}");
        let _ = write!(out, ".{}", decimals.trim_end_matches('0'));
    }
}

/// The inverse of [`write_time`].
pub(super) fn read_time(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 6 || !digits(whole) || !digits(decimals) {
        return None;
    }
    let millis: u64 = whole.parse().ok()?;
    let nanos: u64 = format!("{decimals:0<6}").parse().ok()?;
    Duration::from_millis(millis).checked_add(Duration::from_nanos(nanos))
}

/// The reasons and their words.
const REASONS: [(By, &str); 14] = [
    (By::Mate, "mate"),
    (By::NoMoves, "stalemate"),
    (By::Repetition, "repetition"),
    (By::Superiority, "superiority"),
    (By::MoveRule, "move_rule"),
    (By::Material, "material"),
    (By::Declaration, "declaration"),
    (By::Resignation, "resignation"),
    (By::Time, "time"),
    (By::Illegal, "illegal"),
    (By::Agreement, "agreement"),
    (By::Adjudication, "adjudication"),
    (By::Disconnect, "disconnect"),
    (By::Void, "void"),
];

/// Appends the word of a reason; points carry their margin.
pub(super) fn write_reason(by: By, out: &mut String) {
    if let By::Points(margin) = by {
        let _ = write!(out, "points {margin}");
    } else if let Some((_, word)) = REASONS.iter().find(|r| r.0 == by) {
        out.push_str(word);
    }
}

/// The inverse of [`write_reason`].
pub(super) fn read_reason(text: &str) -> Option<By> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if word == "points" {
        return rest.trim().parse().ok().filter(|m: &f32| m.is_finite()).map(By::Points);
    }
    REASONS.iter().find(|r| r.1 == word).map(|r| r.0)
}

/// Appends `text` in one line: backslash, line ends and tabs are escaped, other control characters become spaces; `\-`,
/// which stands for nothing, guards spaces at the ends.
pub(super) fn write_text(text: &str, out: &mut String) {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    if text.starts_with(blank) {
        out.push_str("\\-");
    }
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(plain(c)),
        }
    }
    if text.ends_with(blank) {
        out.push_str("\\-");
    }
}

/// `c`, or a space where a control character stands, which the format does not allow.
pub(super) fn plain(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// A name of a tag as one word.
pub(super) fn tag_name(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

/// The inverse of [`write_text`].
pub(super) fn read_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(plain(c));
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('-') => {}
            Some(c) => out.push(plain(c)),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(f: impl FnOnce(&mut String)) -> String {
        let mut out = String::new();
        f(&mut out);
        out
    }

    #[test]
    fn values_round_trip() {
        for raw in -32_000..=31_999 {
            let value = Value::from_raw(raw);
            let text = written(|o| write_value(value, o));
            assert_eq!(read_value(&text), Some(value), "{text}");
        }
        assert_eq!(written(|o| write_value(Value::mate_in(3), o)), "#3");
        assert_eq!(written(|o| write_value(Value::cp(-31), o)), "-31");
        for bad in ["", ".", "#", "#0", "#-", "#5000", "1.5"] {
            assert_eq!((read_value(bad), is_clipped(bad)), (None, false), "{bad}");
        }
        assert_eq!((read_value("30999"), is_clipped("-30999")), (Some(Value::cp(30_999)), false));
        assert_eq!((read_value("-99999"), is_clipped("-99999")), (Some(Value::cp(-30_999)), true));
    }

    #[test]
    fn times_round_trip() {
        for nanos in [0, 1, 999_999, 1_000_000, 52_000_000, 52_100_000, 3_600_000_000_001] {
            let time = Duration::from_nanos(nanos);
            assert_eq!(read_time(&written(|o| write_time(time, o))), Some(time));
        }
        assert_eq!(written(|o| write_time(Duration::from_micros(52_100), o)), "52.1");
        for bad in ["", ".", "-1", "1.0000001", "1e3", "99999999999999999999999"] {
            assert_eq!(read_time(bad), None, "{bad}");
        }
    }

    #[test]
    fn reasons_and_texts_round_trip() {
        for (by, _) in REASONS.iter().chain(&[(By::Points(1.5), "")]) {
            assert_eq!(read_reason(&written(|o| write_reason(*by, o))), Some(*by));
        }
        for text in ["plain", " spaces ", "two\nlines\t\\n", "", "\\", "ends \\"] {
            assert_eq!(read_text(&written(|o| write_text(text, o))), text);
        }
    }
}
