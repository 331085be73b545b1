//! Lines as words: spaces of any kind between them, numbers read leniently, nothing that breaks a line let through.

use crate::ProtocolError;
use std::{borrow::Cow, time::Duration};

/// The longest time a protocol may name: ten years. Sums of such times stay within what clocks can hold.
const TIME_MS_MAX: u64 = 10 * 365 * 24 * 60 * 60 * 1000;

/// The words of a line, with the rest of the line as it was written.
#[derive(Clone)]
pub(crate) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// The words of `line`.
    pub(crate) fn new(line: &'a str) -> Words<'a> {
        Words { rest: line.trim() }
    }

    /// The rest of the line, unread.
    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next word, left in place.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Reads words until one of which `stop` is true, which stays.
    pub(crate) fn until(&mut self, stop: impl Fn(&str) -> bool) -> Vec<&'a str> {
        let mut words = Vec::new();
        while let Some(word) = self.peek() {
            if stop(word) {
                break;
            }
            words.push(word);
            self.next();
        }
        words
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Some(word)
    }
}

/// `line` with carriage returns inside it as spaces, as they are read by anyone who shows lines.
pub(crate) fn one_line(line: &str) -> Cow<'_, str> {
    let line = line.trim_end_matches(['\r', '\n']);
    if line.contains(['\r', '\n']) { Cow::Owned(line.replace(['\r', '\n'], " ")) } else { Cow::Borrowed(line) }
}

/// A whole number of any size and sign.
pub(crate) fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let negative = text.starts_with('-');
    Some(digits.parse::<i64>().map_or(if negative { i64::MIN } else { i64::MAX }, |n| if negative { -n } else { n }))
}

/// The whole number, at least 1, that must follow `after`; larger ones than fit are cut.
pub(crate) fn count(words: &mut Words, after: &'static str) -> Result<u64, ProtocolError> {
    const EXPECTED: &str = "a whole number from 1";
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    match number(word) {
        Some(n) if n >= 1 => Ok(n.unsigned_abs()),
        _ => Err(ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() }),
    }
}

/// The moves to the next time control that must follow `go movestogo`; 0 is how some GUIs say that there is none.
pub(crate) fn moves_to_go(words: &mut Words) -> Result<Option<u32>, ProtocolError> {
    if words.peek() == Some("0") {
        words.next();
        return Ok(None);
    }
    Ok(Some(small(count(words, "go movestogo")?)))
}

/// The milliseconds that must follow `after`. Less than none is none: clocks of GUIs run over. A fraction, which some runners
/// send, is cut off.
pub(crate) fn milliseconds(words: &mut Words, after: &'static str) -> Result<Duration, ProtocolError> {
    const EXPECTED: &str = "milliseconds";
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    let is_fraction = |(_, digits): &(&str, &str)| digits.bytes().all(|b| b.is_ascii_digit());
    let whole = word.split_once('.').filter(is_fraction).map_or(word, |(whole, _)| whole);
    let n = number(whole).ok_or(ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() })?;
    Ok(time(n))
}

/// `ms` as a time within bounds.
pub(crate) fn time(ms: i64) -> Duration {
    Duration::from_millis(ms.max(0).unsigned_abs().min(TIME_MS_MAX))
}

/// Cuts a number to 32 bits.
pub(crate) fn small(n: u64) -> u32 {
    n.min(u64::from(u32::MAX)) as u32
}

/// Appends `text` with whatever would break the line turned into spaces.
pub(crate) fn push_line(out: &mut String, text: &str) {
    out.extend(text.chars().map(|c| if c == '\n' || c == '\r' { ' ' } else { c }));
}

/// Appends a line: `head`, which breaks no line, and `text`.
pub(crate) fn write_line(out: &mut String, head: &str, text: &str) {
    out.push_str(head);
    push_line(out, text);
    out.push('\n');
}
