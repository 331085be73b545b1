//! Engine output (value, depth, time, nodes) as the first line of a comment: `+0.31/12 0.052s, n=12345`, all of it exact.

use std::{
    fmt::Write,
    num::{NonZeroU32, NonZeroU64},
    time::Duration,
};
use tesuji_game::Value;
use tesuji_record::Note;

/// Appends the numbers of `note`; nothing where there are none. The time left is written only if `left` says so, since
/// SGF has properties for it.
pub(super) fn write_numbers(note: &Note, left: bool, out: &mut String) {
    let start = out.len();
    if let Some(value) = note.value {
        write_value(value, out);
        if let Some(depth) = note.depth {
            let _ = write!(out, "/{depth}");
        }
    } else if let Some(depth) = note.depth {
        let _ = write!(out, "d={depth}");
    }
    if let Some(spent) = note.spent {
        separate(start, " ", out);
        write_seconds(spent, out);
        out.push('s');
    }
    if let Some(told) = note.told {
        separate(start, " ", out);
        out.push_str("own=");
        write_seconds(told, out);
        out.push('s');
    }
    if let Some(nodes) = note.nodes {
        separate(start, ", ", out);
        let _ = write!(out, "n={nodes}");
    }
    if let Some(time) = note.left.filter(|_| left) {
        separate(start, ", ", out);
        out.push_str("tl=");
        write_seconds(time, out);
        out.push('s');
    }
    for (i, (mv, count)) in note.visits.iter().enumerate() {
        separate(start, if i > 0 { "," } else { ", v=" }, out);
        if out.len() == start {
            out.push_str("v=");
        }
        let _ = write!(out, "{mv}:{count}");
    }
}

fn separate(start: usize, by: &str, out: &mut String) {
    if out.len() > start {
        out.push_str(by);
    }
}

/// Reads the first line of a comment into `note` if it is numbers and nothing else; what is left are the words.
pub(super) fn read_numbers<'a>(comment: &'a str, note: &mut Note) -> &'a str {
    if let Some(rest) = comment.strip_prefix(';')
        && is_guarded(rest)
    {
        return rest;
    }
    let (line, words) = comment.split_once('\n').unwrap_or((comment, ""));
    match numbers_of(line) {
        Some(said) => {
            let (text, left) = (std::mem::take(&mut note.comment), note.left);
            let glyphs = std::mem::take(&mut note.glyphs);
            *note = Note { comment: text, glyphs, left: said.left.or(left), ..said };
            words
        }
        None => comment,
    }
}

/// Whether words without numbers need a `;` before them, lest they be read as such.
pub(super) fn is_guarded(words: &str) -> bool {
    let line = words.trim_start_matches(';');
    numbers_of(line.split_once('\n').map_or(line, |l| l.0)).is_some()
}

/// The numbers of a line that holds nothing else; each kind once.
fn numbers_of(line: &str) -> Option<Note> {
    let mut note = Note::default();
    if line.is_empty() {
        return None;
    }
    let mut rest = line;
    loop {
        let end = rest.find(' ').unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        read_word(word.strip_suffix(',').filter(|_| !tail.is_empty()).unwrap_or(word), &mut note)?;
        match tail.strip_prefix(' ') {
            Some(tail) => rest = tail,
            None => return Some(note),
        }
    }
}

fn read_word(word: &str, note: &mut Note) -> Option<()> {
    let once = |free: bool| free.then_some(());
    if let Some(nodes) = word.strip_prefix("n=") {
        once(note.nodes.is_none())?;
        note.nodes = NonZeroU64::new(number(nodes)?);
    } else if let Some(depth) = word.strip_prefix("d=") {
        once(note.depth.is_none() && note.value.is_none())?;
        note.depth = NonZeroU32::new(number(depth)?);
    } else if let Some(told) = word.strip_prefix("own=") {
        once(note.told.is_none())?;
        note.told = Some(read_seconds(told.strip_suffix('s')?)?);
    } else if let Some(left) = word.strip_prefix("tl=") {
        once(note.left.is_none())?;
        note.left = Some(read_seconds(left.strip_suffix('s')?)?);
    } else if let Some(visits) = word.strip_prefix("v=") {
        once(note.visits.is_empty())?;
        for visit in visits.split(',') {
            let (mv, count) = visit.split_once(':')?;
            note.visits.push((number(mv)?, count.parse().ok()?));
        }
    } else if word.starts_with(['+', '-']) {
        once(note.value.is_none() && note.depth.is_none())?;
        let (value, depth) = word.split_once('/').map_or((word, None), |(v, d)| (v, Some(d)));
        note.value = Some(read_value(value)?);
        note.depth = depth.map_or(Some(0), number).map(NonZeroU32::new)?;
    } else {
        once(note.spent.is_none())?;
        note.spent = Some(read_seconds(word.strip_suffix('s')?)?);
    }
    Some(())
}

/// A number above nothing, in digits alone.
fn number<T: std::str::FromStr + PartialEq + Default>(text: &str) -> Option<T> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Appends pawns with two decimals, or `M` and the plies to the mate, with a sign.
fn write_value(value: Value, out: &mut String) {
    let _ = match value.mate_plies() {
        Some(plies) if plies > 0 => write!(out, "+M{plies}"),
        Some(plies) => write!(out, "-M{}", -plies),
        None => {
            let (sign, cents) = (if value.raw() < 0 { '-' } else { '+' }, value.raw().abs());
            write!(out, "{sign}{}.{:02}", cents / 100, cents % 100)
        }
    };
}

/// The inverse of [`write_value`].
fn read_value(text: &str) -> Option<Value> {
    let (losing, rest) = (text.starts_with('-'), text.get(1..)?);
    if let Some(plies) = rest.strip_prefix('M') {
        let plies = number::<i32>(plies).filter(|p| *p < (Value::MATE - Value::CP_MAX) as i32)?;
        return match losing {
            true => Some(Value::mated_in(plies)),
            false => (plies > 0).then(|| Value::mate_in(plies)),
        };
    }
    let (whole, cents) = rest.split_once('.').filter(|(w, c)| w.len() <= 3 && c.len() == 2)?;
    let cents = number::<i32>(whole)? * 100 + number::<i32>(cents)?;
    // What no value can be stays in the words.
    (cents <= i32::from(Value::CP_MAX)).then(|| Value::cp(if losing { -cents } else { cents }))
}

/// Appends seconds, rounded to milliseconds as in PGN, with as many decimals as are needed.
pub(super) fn write_seconds(time: Duration, out: &mut String) {
    let millis = (time.as_nanos() + 500_000) / 1_000_000;
    let _ = write!(out, "{}", millis / 1_000);
    if !millis.is_multiple_of(1_000) {
        let decimals = format!("{:03}", millis % 1_000);
        let _ = write!(out, ".{}", decimals.trim_end_matches('0'));
    }
}

/// The inverse of [`write_seconds`]; `None` for what is not digits with at most nine decimals.
pub(super) fn read_seconds(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    if decimals.len() > 9 {
        return None;
    }
    let nanos: u32 = number::<u32>(decimals)? * 10u32.pow(9 - decimals.len() as u32);
    Some(Duration::new(number(whole)?, nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(note: &Note, expect: &str) {
        let mut out = String::new();
        write_numbers(note, true, &mut out);
        assert_eq!(out, expect);
        let mut back = Note::default();
        assert_eq!(read_numbers(&format!("{expect}\nwords"), &mut back), "words");
        assert_eq!(back, *note);
    }

    #[test]
    fn numbers_read_back() {
        let spent = Some(Duration::from_millis(52));
        let full = Note {
            value: Some(Value::cp(31)),
            depth: NonZeroU32::new(12),
            spent,
            nodes: NonZeroU64::new(12345),
            ..Note::default()
        };
        check(&full, "+0.31/12 0.052s, n=12345");
        check(&Note { told: Some(Duration::from_millis(51)), ..full }, "+0.31/12 0.052s own=0.051s, n=12345");
        check(&Note { value: Some(Value::cp(-105)), ..Note::default() }, "-1.05");
        check(&Note { value: Some(Value::mated_in(4)), depth: NonZeroU32::new(9), ..Note::default() }, "-M4/9");
        check(
            &Note { depth: NonZeroU32::new(3), left: Some(Duration::from_millis(1)), ..Note::default() },
            "d=3, tl=0.001s",
        );
        check(&Note { visits: vec![(300, 12), (5, 0)], ..Note::default() }, "v=300:12,5:0");
        check(&Note { nodes: NonZeroU64::new(7), visits: vec![(1, 2)], ..Note::default() }, "n=7, v=1:2");
        for raw in -32_000..=31_999 {
            let mut out = String::new();
            write_value(Value::from_raw(raw), &mut out);
            assert_eq!(read_value(&out), Some(Value::from_raw(raw)), "{out}");
        }
    }

    /// `0.033119623s` stood in comments.
    #[test]
    fn measured_times_have_milliseconds() {
        let seconds = |nanos| {
            let mut out = String::new();
            write_seconds(Duration::from_nanos(nanos), &mut out);
            out
        };
        assert_eq!([33_119_623, 999_999_999, 400_000, 5_000_000_000].map(seconds), ["0.033", "1", "0", "5"]);
    }

    #[test]
    fn words_are_not_numbers() {
        let words =
            ["good", "+1", "+1.5", "12", "1s 2s", "n=", "+0.31/12 good", "n=1,", "", " n=1", "+0.31  n=2", "-é", ";)"];
        for words in words {
            let mut note = Note::default();
            assert_eq!((read_numbers(words, &mut note), note), (words, Note::default()), "{words}");
            assert!(!is_guarded(words), "{words}");
        }
    }

    #[test]
    fn words_that_look_like_numbers_are_guarded() {
        for words in ["n=1", ";n=1\nx", ";;2s"] {
            assert!(is_guarded(words));
            let (guarded, mut note) = (format!(";{words}"), Note::default());
            assert_eq!(read_numbers(&guarded, &mut note), words);
            assert_eq!(note, Note::default());
        }
    }
}
