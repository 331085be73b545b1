//! Transcripts of what the rules of a game say about positions, entry by entry: read, compared, named by a hash; the first
//! difference in words that lead to the bug.

use fnv::FnvHasher;
use std::{fmt, hash::Hasher};

/// One entry of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The position as echoed.
    pub position: &'a str,
    /// The line of the transcript on which it stands, from 1.
    pub line: usize,
    /// The whole entry without the blank line at its end.
    pub text: &'a str,
}

/// The entries of a transcript, in order.
pub fn entries(transcript: &str) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    let mut start: Option<(usize, usize)> = None;
    let mut offset = 0;
    for (i, line) in transcript.split_inclusive('\n').enumerate() {
        let blank = line.trim().is_empty();
        match start {
            None if !blank => start = Some((offset, i + 1)),
            Some((from, number)) if blank => {
                entries.push(entry(&transcript[from..offset], number));
                start = None;
            }
            _ => {}
        }
        offset += line.len();
    }
    if let Some((from, number)) = start {
        entries.push(entry(&transcript[from..], number));
    }
    entries
}

fn entry(text: &str, line: usize) -> Entry<'_> {
    let text = text.trim_end();
    let first = text.lines().next().unwrap_or("");
    Entry { position: first.split_once(": ").map_or(first, |(_, position)| position), line, text }
}

impl<'a> Entry<'a> {
    /// The moves listed.
    pub fn moves(&self) -> Vec<&'a str> {
        let mut lines = self.text.lines().skip_while(|l| *l != "moves: [").skip(1);
        lines.by_ref().take_while(|l| *l != "]").map(str::trim).collect()
    }

    /// The value of the field `name`.
    pub fn field(&self, name: &str) -> Option<&'a str> {
        self.text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// The first place where two transcripts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Number of the entry, from 1.
    pub entry: usize,
    /// Line of the expected transcript, from 1.
    pub line: usize,
    /// The position.
    pub position: String,
    /// The difference, in words.
    pub what: String,
}

impl Difference {
    /// Shifts the entry number by `before` entries that stand before those compared.
    pub fn at(self, before: usize) -> Difference {
        Difference { entry: self.entry + before, ..self }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position {} (line {}): {}\n  {}", self.entry, self.line, self.position, self.what)
    }
}

/// The first difference between the `expected` entries and those `found`; `None` when they are the same.
pub fn compare(expected: &[Entry<'_>], found: &[Entry<'_>]) -> Option<Difference> {
    for (i, (expect, got)) in expected.iter().zip(found).enumerate() {
        if expect.text != got.text {
            let what = difference(expect, got);
            return Some(Difference { entry: i + 1, line: expect.line, position: expect.position.into(), what });
        }
    }
    let shared = expected.len().min(found.len());
    let (rest, what) = match (expected.get(shared), found.get(shared)) {
        (Some(e), _) => (e, "is missing in the transcript found"),
        (_, Some(g)) => (g, "stands behind the end of the transcript expected"),
        (None, None) => return None,
    };
    Some(Difference { entry: shared + 1, line: rest.line, position: rest.position.into(), what: what.into() })
}

/// Describes the difference between two unequal entries.
fn difference(expect: &Entry<'_>, got: &Entry<'_>) -> String {
    if expect.position != got.position {
        return format!("another position was found: {}", got.position);
    }
    let (wanted, given) = (expect.moves(), got.moves());
    if let Some(mv) = wanted.iter().find(|m| !given.contains(m)) {
        return format!("move {mv} is missing");
    }
    if let Some(mv) = given.iter().find(|m| !wanted.contains(m)) {
        return format!("move {mv} is not expected");
    }
    for (e, g) in expect.text.lines().zip(got.text.lines()) {
        if e != g {
            return format!("expected `{e}`, found `{g}`");
        }
    }
    "one entry is longer than the other".into()
}

/// The lines of a position file that hold positions, with their numbers: blank lines and `#` comments are left out.
pub fn positions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.trim_end_matches('\r')))
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// FNV-1a with 64 bits (Fowler, Noll and Vo): the hash by which a transcript is named.
///
/// # Examples
/// ```
/// assert_eq!(tesuji_record::transcript::fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
/// ```
pub fn fnv1a(bytes: &[u8]) -> u64 {
    fnv1a_on(FnvHasher::default().finish(), bytes)
}

/// Goes on with the [`fnv1a`] of what came before.
pub fn fnv1a_on(hash: u64, bytes: &[u8]) -> u64 {
    let mut hash = FnvHasher::with_key(hash);
    hash.write(bytes);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "fen: a\nmoves: [\n  e1e2\n  e1f1\n]\ncheck?: false\ndepth-dump-at-1: 1\n\n";

    #[track_caller]
    fn check(found: &str, expect: Option<&str>) {
        let difference = compare(&entries(ONE), &entries(found));
        assert_eq!(difference.map(|d| d.what).as_deref(), expect);
    }

    #[test]
    fn the_first_difference_is_named() {
        check(ONE, None);
        check(&ONE.replace("  e1f1\n", ""), Some("move e1f1 is missing"));
        check(&ONE.replace("e1f1\n", "e1f1\n  e1g1\n"), Some("move e1g1 is not expected"));
        check(&ONE.replace("at-1: 1", "at-1: 2"), Some("expected `depth-dump-at-1: 1`, found `depth-dump-at-1: 2`"));
        check(&ONE.replace("fen: a", "fen: b"), Some("another position was found: b"));
        check("", Some("is missing in the transcript found"));
        check(&ONE.repeat(2), Some("stands behind the end of the transcript expected"));
    }

    #[test]
    fn entries_know_their_lines() {
        let twice = ONE.repeat(2);
        let all = entries(&twice);
        assert_eq!((all[1].line, all[1].position), (9, "a"));
        assert_eq!(all[0].moves(), ["e1e2", "e1f1"]);
        assert_eq!(all[0].field("depth-dump-at-1"), Some("1"));
    }
}
