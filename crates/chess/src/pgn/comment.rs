//! Engine output in comments: `+0.31/12 0.052s, n=12345, lat=0.31ms`, and the embedded commands `[%eval]`, `[%clk]`, `[%emt]`.

use std::{
    fmt::Write,
    num::{NonZeroU32, NonZeroU64},
    time::Duration,
};
use tesuji_game::Value;
use tesuji_record::Note;

/// How values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// As runners of matches write them: `+0.31/12`, for the side that moved.
    Scores,
    /// As lichess writes them: `[%eval 0.31]`, for White, after a move of White or of Black.
    Evals { white: bool },
}

/// Appends the comment of `note` without braces; nothing when there is nothing to say.
pub(super) fn write_comment(note: &Note, values: Values, out: &mut String) {
    let start = out.len();
    if let Values::Evals { white } = values {
        if let Some(value) = note.value {
            write_eval(value, white, out);
        }
        write_clock(note, start, out);
    }
    let commands = out.len();
    // Numbers are read from the front of what is left without the commands.
    let next = |by: &str, out: &mut String| separate(start, if out.len() > commands { by } else { " " }, out);
    match note.value.filter(|_| values == Values::Scores) {
        Some(value) => {
            write_score(value, out);
            if let Some(depth) = note.depth {
                let _ = write!(out, "/{depth}");
            }
        }
        None => {
            if let Some(depth) = note.depth {
                next(" ", out);
                let _ = write!(out, "d={depth}");
            }
        }
    }
    if let Some(spent) = note.spent {
        next(" ", out);
        let _ = write!(out, "{:.3}s", spent.as_secs_f64());
    }
    if let Some(nodes) = note.nodes {
        next(", ", out);
        let _ = write!(out, "n={nodes}");
    }
    if let (Some(spent), Some(told)) = (note.spent, note.told) {
        next(", ", out);
        let _ = write!(out, "lat={:.2}ms", (spent.as_secs_f64() - told.as_secs_f64()) * 1e3);
    }
    if values == Values::Scores {
        write_clock(note, start, out);
    }
    // Commands that we read are never part of the words, lest they be found there; foreign ones (`[%csl Ra1]`) stay as they are.
    let own = |word: String| {
        COMMANDS.iter().fold(word, |word, name| word.replace(&format!("[%{name}"), &format!("[ %{name}")))
    };
    // Engines send what they like: what steers terminals has no place in a text.
    let words = note.comment.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| own(word.to_string())).collect();
    if words.is_empty() {
        return;
    }
    let mut probe = Note::default();
    let said = out.len() > start;
    let words = words.join(" ");
    read_comment(&words, true, &mut probe);
    if said || probe.comment != words {
        out.push_str(if said { "; " } else { ";" });
    }
    out.push_str(&words);
}

/// Appends the time left; whole seconds without decimals, as servers write them.
fn write_clock(note: &Note, start: usize, out: &mut String) {
    let Some(left) = note.left else { return };
    separate(start, " ", out);
    let millis = left.as_millis();
    let (h, m, s) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60);
    let _ = write!(out, "[%clk {h}:{m:02}:{s:02}");
    let _ = if millis % 1000 == 0 { write!(out, "]") } else { write!(out, ".{:03}]", millis % 1000) };
}

/// Appends `[%eval]`, the inverse of [`read_eval`]; nothing for a move that mates, after which there is nothing to value.
fn write_eval(value: Value, white: bool, out: &mut String) {
    let sign = |is_good_for_mover: bool| if is_good_for_mover == white { "" } else { "-" };
    let _ = match value.mate_plies() {
        Some(0 | 1) => Ok(()),
        Some(plies) if plies > 0 => write!(out, "[%eval #{}{}]", sign(true), plies / 2),
        Some(plies) => write!(out, "[%eval #{}{}]", sign(false), (1 - plies) / 2),
        None => {
            let cp = value.raw();
            let sign = if cp == 0 { "" } else { sign(cp > 0) };
            write!(out, "[%eval {sign}{}.{:02}]", cp.abs() / 100, cp.abs() % 100)
        }
    };
}

fn separate(start: usize, by: &str, out: &mut String) {
    if out.len() > start {
        out.push_str(by);
    }
}

/// Appends pawns with two decimals, or `M` and the plies to the mate, with a sign.
fn write_score(value: Value, out: &mut String) {
    let _ = match value.mate_plies() {
        Some(plies) if plies > 0 => write!(out, "+M{plies}"),
        Some(plies) => write!(out, "-M{}", -plies),
        None => {
            let (sign, cp) = (if value.raw() < 0 { '-' } else { '+' }, value.raw().abs());
            write!(out, "{sign}{}.{:02}", cp / 100, cp % 100)
        }
    };
}

/// Reads a comment after a move of White (`white`) or Black into `note`; the words that are left join its comment. Returns how many
/// values were out of range, and became the nearest.
pub(super) fn read_comment(text: &str, white: bool, note: &mut Note) -> u32 {
    let mut clipped = 0;
    let mut words = String::new();
    let mut rest = text;
    while let Some(open) = rest.find("[%") {
        let Some(length) = rest[open..].find(']') else { break };
        if !obey(&rest[open + 2..open + length], white, note, &mut clipped) {
            words.push_str(&rest[..=open + length]);
        } else {
            words.push_str(&rest[..open]);
        }
        rest = &rest[open + length + 1..];
    }
    words.push_str(rest);
    let left = read_numbers(words.trim(), note, &mut clipped);
    let left: Vec<&str> = left.split_whitespace().collect();
    if !left.is_empty() {
        separate(0, " ", &mut note.comment);
        note.comment.push_str(&left.join(" "));
    }
    clipped
}

/// Takes the numbers from the front of a comment and returns the words behind them.
fn read_numbers<'a>(text: &'a str, note: &mut Note, clipped: &mut u32) -> &'a str {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(words) = rest.strip_prefix(';') {
            return words.trim_start();
        }
        let end = rest.find([' ', ',', ';']).unwrap_or(rest.len());
        if end == 0 || !read_number(&rest[..end], note, clipped) {
            return rest;
        }
        rest = rest[end..].strip_prefix(',').unwrap_or(&rest[end..]);
    }
}

/// Reads one number of a comment: score and depth, time, nodes, latency, time left.
fn read_number(word: &str, note: &mut Note, clipped: &mut u32) -> bool {
    if let Some(nodes) = word.strip_prefix("n=") {
        return nodes.parse().map(|n| note.nodes = NonZeroU64::new(n)).is_ok();
    }
    if let Some(depth) = word.strip_prefix("d=") {
        return depth.parse().map(|d| note.depth = NonZeroU32::new(d)).is_ok();
    }
    if let Some(left) = word.strip_prefix("tl=") {
        return read_seconds(left.trim_end_matches('s')).map(|t| note.left = Some(t)).is_some();
    }
    if let Some(latency) = word.strip_prefix("lat=").and_then(|l| l.strip_suffix("ms")) {
        let told = latency.parse().ok().zip(note.spent).and_then(|(ms, spent)| told(spent, ms));
        note.told = told.or(note.told);
        return told.is_some();
    }
    if let Some((score, depth)) = word.split_once('/') {
        let Ok(depth) = depth.parse::<u32>() else { return false };
        let value = read_score(score, clipped);
        if value.is_some() {
            (note.value, note.depth) = (value, NonZeroU32::new(depth));
        }
        return value.is_some();
    }
    if word.starts_with(['+', '-'])
        && let Some(value) = read_score(word, clipped)
    {
        note.value = Some(value);
        return true;
    }
    let time = match word.strip_suffix("ms") {
        Some(millis) => read_seconds(millis).map(|t| t / 1000),
        None => word.strip_suffix('s').and_then(read_seconds),
    };
    time.map(|t| note.spent = Some(t)).is_some()
}

/// The time that an engine told, from what was measured and the latency in milliseconds with two decimals.
fn told(spent: Duration, latency_ms: f64) -> Option<Duration> {
    let hundredths = (spent.as_secs_f64() * 1e5 - latency_ms * 100.0).round();
    (0.0..1e15).contains(&hundredths).then(|| Duration::from_micros(hundredths as u64 * 10))
}

/// A score as [`write_score`] writes it, also without a sign or decimals.
fn read_score(text: &str, clipped: &mut u32) -> Option<Value> {
    let (losing, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if let Some(plies) = rest.strip_prefix(['M', '#']) {
        let plies: i32 = plies.parse().ok().filter(|p| (0..1000).contains(p))?;
        return match losing {
            true => Some(Value::mated_in(plies)),
            false => (plies > 0).then(|| Value::mate_in(plies)),
        };
    }
    let cp = read_hundredths(rest)?;
    Some(value_of(if losing { -cp } else { cp }, clipped))
}

/// The value of these centipawns, or the nearest one, which is counted.
fn value_of(cp: i32, clipped: &mut u32) -> Value {
    *clipped += u32::from(cp.abs() > i32::from(Value::CP_MAX));
    Value::cp(cp)
}

/// Digits with at most one point, times 100, exactly.
fn read_hundredths(text: &str) -> Option<i32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 6 || !digits(whole) || !digits(decimals) {
        return None;
    }
    let whole: i32 = whole.parse().ok()?;
    let mut cents = decimals.bytes().map(|b| (b - b'0') as i32);
    Some(whole * 100 + cents.next().unwrap_or(0) * 10 + cents.next().unwrap_or(0))
}

fn read_seconds(text: &str) -> Option<Duration> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.') && text.starts_with(|c: char| c.is_ascii_digit());
    let seconds: f64 = if plain { text.parse().ok()? } else { return None };
    // Rounded to microseconds, so that the third decimal survives the way through floating point.
    (seconds < 1e9).then(|| Duration::from_micros((seconds * 1e6).round() as u64))
}

/// Hours, minutes and seconds between colons.
fn read_clock(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut parts = text.trim().rsplit(':');
    for unit in [1, 60, 3600] {
        let Some(part) = parts.next() else { break };
        total = total.checked_add(read_seconds(part)?.checked_mul(unit)?)?;
    }
    parts.next().is_none().then_some(total)
}

/// The embedded commands that are read into notes.
const COMMANDS: [&str; 3] = ["clk", "emt", "eval"];

/// Takes in an embedded command; `false` for foreign ones, which stay in the comment.
fn obey(command: &str, white: bool, note: &mut Note, clipped: &mut u32) -> bool {
    let (name, body) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    match name {
        "clk" => read_clock(body).map(|t| note.left = Some(t)).is_some(),
        "emt" => read_clock(body).map(|t| note.spent = Some(t)).is_some(),
        "eval" => {
            let (score, depth) = body.split_once(',').unwrap_or((body, ""));
            let Some(value) = read_eval(score.trim(), white, clipped) else { return false };
            note.value = Some(value);
            note.depth = depth.trim().parse().map_or(note.depth, NonZeroU32::new);
            true
        }
        _ => false,
    }
}

/// `[%eval]`: from White's side, after the move, mates in moves. Ours is for the side that moved, mates in plies from
/// before the move: a win in n more moves is 2n+1 plies, a loss 2n.
fn read_eval(text: &str, white: bool, clipped: &mut u32) -> Option<Value> {
    let Some(moves) = text.strip_prefix('#') else {
        let (losing, rest) = text.strip_prefix('-').map_or((false, text), |r| (true, r));
        let cp = read_hundredths(rest.trim_start_matches('+'))?;
        return Some(value_of(if losing == white { -cp } else { cp }, clipped));
    };
    let moves: i32 = moves.parse().ok()?;
    let moves_of_mover = if white { moves } else { -moves };
    // 999 plies at most for the side that mates, 1,000 for the other one.
    if !(-500..500).contains(&moves_of_mover) {
        return None;
    }
    Some(if moves_of_mover > 0 { Value::mate_in(2 * moves_of_mover + 1) } else { Value::mated_in(-2 * moves_of_mover) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, white: bool, expect: Note) {
        let mut note = Note::default();
        read_comment(text, white, &mut note);
        assert_eq!(note, expect, "{text}");
    }

    fn millis(n: u64) -> Option<Duration> {
        Some(Duration::from_millis(n))
    }

    #[test]
    fn numbers_are_read() {
        let value = |cp| Some(Value::cp(cp));
        check(
            "+0.31/12 0.052s, n=12345",
            true,
            Note {
                value: value(31),
                depth: NonZeroU32::new(12),
                spent: millis(52),
                nodes: NonZeroU64::new(12345),
                ..Note::default()
            },
        );
        check(
            "-M4/20 1s",
            false,
            Note {
                value: Some(Value::mated_in(4)),
                depth: NonZeroU32::new(20),
                spent: millis(1000),
                ..Note::default()
            },
        );
        check(
            "0.052s, lat=0.25ms",
            true,
            Note { spent: millis(52), told: Some(Duration::from_micros(51_750)), ..Note::default() },
        );
        check("lat=0.25ms", true, Note { comment: "lat=0.25ms".into(), ..Note::default() });
        check("[+0.64]", true, Note { comment: "[+0.64]".into(), ..Note::default() });
        check("book", true, Note { comment: "book".into(), ..Note::default() });
        check(
            "+1.50/8 0.1s, White mates",
            true,
            Note {
                value: value(150),
                depth: NonZeroU32::new(8),
                spent: millis(100),
                comment: "White mates".into(),
                ..Note::default()
            },
        );
        check(
            "[%eval -0.25,18] [%clk 1:02:03.5] good",
            false,
            Note {
                value: value(25),
                depth: NonZeroU32::new(18),
                left: millis(3_723_500),
                comment: "good".into(),
                ..Note::default()
            },
        );
        check("[%eval #3]", true, Note { value: Some(Value::mate_in(7)), ..Note::default() });
        check("[%eval #3]", false, Note { value: Some(Value::mated_in(6)), ..Note::default() });
        check("[%csl Ra1] x", true, Note { comment: "[%csl Ra1] x".into(), ..Note::default() });
        check("5 pawns", true, Note { comment: "5 pawns".into(), ..Note::default() });
    }

    #[test]
    fn notes_round_trip() {
        let full = Note {
            comment: "only move".into(),
            spent: millis(52),
            left: millis(59_900),
            value: Some(Value::cp(-31)),
            depth: NonZeroU32::new(12),
            nodes: NonZeroU64::new(12345),
            ..Note::default()
        };
        let notes = [
            full.clone(),
            Note { told: millis(51), ..full.clone() },
            Note { told: millis(54), ..full.clone() },
            Note { value: None, ..full.clone() },
            Note { value: None, depth: None, spent: None, nodes: None, ..full.clone() },
            Note { comment: "+0.10/3 looks like numbers".into(), ..Note::default() },
            Note { comment: "; starts with a semicolon".into(), ..Note::default() },
            Note { comment: "5s were left".into(), ..Note::default() },
            Note { comment: "[%clk 0:00:01] in words".into(), ..Note::default() },
            Note { comment: "[%csl Gf7][%cal Gc4f7] foreign commands".into(), ..full.clone() },
            Note { value: Some(Value::mate_in(5)), depth: NonZeroU32::new(9), ..Note::default() },
            Note { value: Some(Value::mated_in(0)), ..Note::default() },
            Note::default(),
        ];
        for note in notes {
            let mut text = String::new();
            write_comment(&note, Values::Scores, &mut text);
            let mut back = Note::default();
            read_comment(&text, true, &mut back);
            if !note.comment.starts_with("[%clk") {
                assert_eq!(back, note, "{text}");
            }
        }
        let mut text = String::new();
        write_comment(&full, Values::Scores, &mut text);
        assert_eq!(text, "-0.31/12 0.052s, n=12345 [%clk 0:00:59.900]; only move");
    }

    /// Reviews are read by lichess and by programs that know its files.
    #[test]
    fn evaluations_are_written_as_lichess_does() {
        let note = |value| Note { value: Some(value), left: millis(180_000), ..Note::default() };
        let deep = |note| Note { depth: NonZeroU32::new(8), nodes: NonZeroU64::new(5000), ..note };
        for (white, note, says) in [
            (true, note(Value::cp(27)), "[%eval 0.27] [%clk 0:03:00]"),
            (false, note(Value::cp(27)), "[%eval -0.27] [%clk 0:03:00]"),
            (true, note(Value::cp(-105)), "[%eval -1.05] [%clk 0:03:00]"),
            (false, note(Value::cp(0)), "[%eval 0.00] [%clk 0:03:00]"),
            (true, note(Value::mate_in(5)), "[%eval #2] [%clk 0:03:00]"),
            (false, note(Value::mate_in(5)), "[%eval #-2] [%clk 0:03:00]"),
            (true, note(Value::mated_in(4)), "[%eval #-2] [%clk 0:03:00]"),
            (false, note(Value::mated_in(2)), "[%eval #1] [%clk 0:03:00]"),
            (false, deep(note(Value::cp(27))), "[%eval -0.27] [%clk 0:03:00] d=8, n=5000"),
            (
                true,
                Note { comment: "good".into(), ..deep(note(Value::cp(1))) },
                "[%eval 0.01] [%clk 0:03:00] d=8, n=5000; good",
            ),
            (
                true,
                Note { comment: "+0.1 better".into(), ..note(Value::cp(1)) },
                "[%eval 0.01] [%clk 0:03:00]; +0.1 better",
            ),
            (true, Note { comment: "words".into(), ..Note::default() }, "words"),
            (true, Note { left: millis(1500), ..Note::default() }, "[%clk 0:00:01.500]"),
        ] {
            let (mut text, mut back) = (String::new(), Note::default());
            write_comment(&note, Values::Evals { white }, &mut text);
            read_comment(&text, white, &mut back);
            assert_eq!((text.as_str(), back), (says, note));
        }
        let mut text = String::new();
        write_comment(
            &Note { value: Some(Value::mate_in(1)), ..Note::default() },
            Values::Evals { white: true },
            &mut text,
        );
        assert_eq!(text, "", "mate: there is nothing to value");
    }

    /// A value that no value can be became the nearest, and nobody was told.
    #[test]
    fn values_out_of_range_are_counted() {
        for (text, raw, expect) in [
            ("+309.99/5", 30_999, 0),
            ("+310.00/5", 30_999, 1),
            ("-1234.5/20 0.1s", -30_999, 1),
            ("[%eval -999.00]", -30_999, 1),
            ("+500.00/1 [%eval 500]", 30_999, 2),
        ] {
            let mut note = Note::default();
            assert_eq!((read_comment(text, true, &mut note), note.value), (expect, Some(Value::cp(raw))), "{text}");
        }
        // Words.
        let mut note = Note::default();
        assert_eq!((read_comment("+500.00/deep", true, &mut note), note.value), (0, None));
    }

    /// What an engine sent to colour a terminal, or to end a text, stood in comments.
    #[test]
    fn control_characters_are_no_part_of_a_comment() {
        let mut text = String::new();
        write_comment(
            &Note { comment: "\u{1B}[31mred\0\u{7F}\u{9B}2J line\nend".into(), ..Note::default() },
            Values::Scores,
            &mut text,
        );
        assert_eq!(text, "[31mred 2J line end");
    }

    /// Games of self-play, which keep values alone, said `{+0.32/0}`.
    #[test]
    fn a_depth_that_is_not_known_is_not_written() {
        let note = |value, comment: &str| Note { value, comment: comment.into(), ..Note::default() };
        let (cp, mate) = (Some(Value::cp(32)), Some(Value::mate_in(5)));
        for (note, says) in [
            (note(cp, ""), "+0.32"),
            (note(mate, ""), "+M5"),
            (note(cp, "-0.20 before"), "+0.32; -0.20 before"),
            (note(None, "+0.32"), ";+0.32"),
        ] {
            let (mut text, mut back) = (String::new(), Note::default());
            write_comment(&note, Values::Scores, &mut text);
            read_comment(&text, true, &mut back);
            assert_eq!((text.as_str(), back), (says, note));
        }
    }
}
