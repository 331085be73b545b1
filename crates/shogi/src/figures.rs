//! Engine output for a move and annotators' glyphs, as a line of words in comments:
//! `depth=12 nodes=3456 told=0.5 left=10.25 spent=3.2 nag=2,14`.

use std::{
    fmt::Write,
    num::{NonZeroU32, NonZeroU64},
    time::Duration,
};
use tesuji_record::Note;

/// The line; empty where nothing is told. A whole number of seconds spent stands elsewhere.
pub(crate) fn words(note: &Note) -> String {
    let mut out = String::new();
    if let Some(depth) = note.depth {
        let _ = write!(out, " depth={depth}");
    }
    if let Some(nodes) = note.nodes {
        let _ = write!(out, " nodes={nodes}");
    }
    let spent = note.spent.filter(|spent| spent.subsec_nanos() > 0);
    for (name, time) in [("told", note.told), ("left", note.left), ("spent", spent)] {
        if let Some(time) = time {
            let _ = write!(out, " {name}={}", seconds(time));
        }
    }
    for (i, glyph) in note.glyphs.iter().enumerate() {
        let _ = write!(out, "{}{glyph}", if i == 0 { " nag=" } else { "," });
    }
    out.trim_start().to_string()
}

/// Seconds, rounded to milliseconds as in PGN, with as many decimals as are needed.
pub(crate) fn seconds(time: Duration) -> String {
    let millis = (time.as_nanos() + 500_000) / 1_000_000;
    let text = format!("{}.{:03}", millis / 1_000, millis % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Reads [`seconds`].
pub(crate) fn read_seconds(text: &str) -> Option<Duration> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 9 {
        return None;
    }
    let nanos: u32 = format!("{part:0<9}").parse().ok()?;
    Some(Duration::new(whole.parse().ok()?, nanos))
}

/// Takes a line of [`words`] into `note`; `false`, and nothing taken, where it is none.
pub(crate) fn read_words(text: &str, note: &mut Note) -> bool {
    let mut read = note.clone();
    let mut some = false;
    for word in text.split_ascii_whitespace() {
        let Some((name, value)) = word.split_once('=') else { return false };
        let good = match name {
            "depth" => value.parse().map(|n| read.depth = NonZeroU32::new(n)).is_ok(),
            "nodes" => value.parse().map(|n| read.nodes = NonZeroU64::new(n)).is_ok(),
            "told" => read_seconds(value).map(|t| read.told = Some(t)).is_some(),
            "left" => read_seconds(value).map(|t| read.left = Some(t)).is_some(),
            "spent" => read_seconds(value).map(|t| read.spent = Some(t)).is_some(),
            "nag" => value.split(',').try_for_each(|glyph| glyph.parse().map(|glyph| read.glyphs.push(glyph))).is_ok(),
            _ => false,
        };
        if !good {
            return false;
        }
        some = true;
    }
    if some {
        *note = read;
    }
    some
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_come_back() {
        let note = Note {
            depth: NonZeroU32::new(12),
            nodes: NonZeroU64::new(3456),
            told: Some(Duration::from_millis(500)),
            left: Some(Duration::from_secs(10)),
            spent: Some(Duration::from_micros(3_006_700)),
            glyphs: vec![2, 14],
            ..Note::default()
        };
        let text = words(&note);
        assert_eq!(text, "depth=12 nodes=3456 told=0.5 left=10 spent=3.007 nag=2,14");
        let mut read = Note::default();
        assert!(read_words(&text, &mut read));
        let note = Note { spent: Some(Duration::from_millis(3_007)), ..note };
        assert_eq!(read, note);
        let long = Duration::from_secs(u64::MAX);
        assert_eq!(read_seconds(&seconds(long)), Some(long));
        for words in ["depth=x", "a draw", "nodes=1 then", "nag=2,x", "nag=256"] {
            assert!(!read_words(words, &mut read));
        }
        assert_eq!(read, note);
    }
}
