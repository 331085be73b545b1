//! Tags of a game: the seven that every game has, and those that the record keeps as rules, start and outcome.

use tesuji_game::{By, Outcome, Side};

/// The tags that every game has, in order, with what stands for "unknown".
pub(super) const ROSTER: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];

/// The result as PGN writes it.
pub(super) fn result_text(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome { by: By::Void, .. }) | None => "*",
        Some(Outcome { winner: Some(Side::First), .. }) => "1-0",
        Some(Outcome { winner: Some(Side::Second), .. }) => "0-1",
        Some(Outcome { winner: None, .. }) => "1/2-1/2",
    }
}

/// Reads a result: the winner inside; `Some(None)` for an unknown one, `None` for what is no result.
#[allow(clippy::option_option)]
pub(super) fn read_result(text: &str) -> Option<Option<Option<Side>>> {
    match text {
        "1-0" => Some(Some(Some(Side::First))),
        "0-1" => Some(Some(Some(Side::Second))),
        "1/2-1/2" | "1/2" | "½-½" | "½" => Some(Some(None)),
        "*" => Some(None),
        _ => None,
    }
}

/// The value of the tag `Termination` for a reason.
pub(super) fn termination_text(by: By) -> &'static str {
    match by {
        By::Adjudication => "adjudication",
        By::Time => "time forfeit",
        By::Illegal => "rules infraction",
        By::Disconnect => "abandoned",
        By::Void => "unterminated",
        _ => "normal",
    }
}

/// The reason that a `Termination` names, as written by us and by the usual servers and runners. `None`: the last
/// position must tell.
pub(super) fn read_termination(text: &str) -> Option<By> {
    const WORDS: [(&str, By); 19] = [
        ("adjudicat", By::Adjudication),
        ("forfeit", By::Time),
        ("on time", By::Time),
        ("timeout", By::Time),
        ("infraction", By::Illegal),
        ("illegal", By::Illegal),
        ("abandon", By::Disconnect),
        ("disconnect", By::Disconnect),
        ("stall", By::Disconnect),
        ("crash", By::Disconnect),
        ("unterminated", By::Void),
        ("resign", By::Resignation),
        ("agree", By::Agreement),
        ("repetition", By::Repetition),
        ("stalemate", By::NoMoves),
        ("checkmate", By::Mate),
        ("material", By::Material),
        ("50", By::MoveRule),
        ("fifty", By::MoveRule),
    ];
    let lower = text.to_lowercase();
    WORDS.iter().find(|(word, _)| lower.contains(word)).map(|&(_, by)| by)
}

/// Reads the tag pairs of a line that starts with `[`; gives them to `keep`. `None` when the line is broken.
pub(super) fn read_tags(line: &str, mut keep: impl FnMut(&str, String)) -> Option<()> {
    let mut rest = line.trim();
    while !rest.is_empty() {
        rest = rest.strip_prefix('[')?.trim_start();
        let end = rest.find(|c: char| c.is_whitespace() || c == '"')?;
        let name = &rest[..end];
        rest = rest[end..].trim_start().strip_prefix('"')?;
        let (mut value, mut escaped, mut close) = (String::new(), false, None);
        for (i, c) in rest.char_indices() {
            if escaped {
                if c != '"' && c != '\\' {
                    value.push('\\');
                }
                value.push(c);
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == '"' && rest[i + 1..].trim_start().starts_with(']') {
                close = Some(i + 1);
                break;
            } else {
                value.push(c);
            }
        }
        if name.is_empty() {
            return None;
        }
        rest = rest[close?..].trim_start().strip_prefix(']')?.trim_start();
        keep(name, value);
    }
    Some(())
}

/// Whether `line` starts like a tag pair: a name in brackets and a quote.
pub(super) fn looks_like_tag(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii().strip_prefix(b"[") else { return false };
    let rest = rest.trim_ascii_start();
    let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    name > 0 && rest[name..].trim_ascii_start().starts_with(b"\"")
}

/// Appends a tag pair in its own line.
pub(super) fn write_tag(name: &str, value: &str, out: &mut String) {
    out.push('[');
    out.extend(name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }));
    out.push_str(" \"");
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push_str("\"]\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: Option<&[(&str, &str)]>) {
        let mut tags = Vec::new();
        let read = read_tags(line, |n, v| tags.push((n.to_string(), v)));
        let pairs: Vec<_> = tags.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(read.map(|()| pairs.as_slice()), expect, "{line}");
    }

    #[test]
    fn tags_are_read_with_patience() {
        check(r#"[White "Ann"]"#, Some(&[("White", "Ann")]));
        check(r#"  [ White  "Ann" ] [Black "Bob"]"#, Some(&[("White", "Ann"), ("Black", "Bob")]));
        check(r#"[Event "the \"big\" \\ one"]"#, Some(&[("Event", r#"the "big" \ one"#)]));
        check(r#"[Event "an "unescaped" one"]"#, Some(&[("Event", r#"an "unescaped" one"#)]));
        check(r#"[Event "open"#, None);
        check("[Event]", None);
        assert!(looks_like_tag(b"[White \"Ann\"]"));
        assert!(!looks_like_tag(b"[%eval 0.1] }"));
    }

    /// An engine's name with an escape sequence was written as it was.
    #[test]
    fn control_characters_are_no_part_of_a_tag() {
        let mut line = String::new();
        write_tag("White", "\u{1B}[31mA\0\u{7F}\u{9B}b", &mut line);
        assert_eq!(line, "[White \" [31mA   b\"]\n");
    }

    #[test]
    fn tags_round_trip() {
        for value in ["plain", r#"q"uo\te"#, "", r"end\", r#""]"#] {
            let mut line = String::new();
            write_tag("Event", value, &mut line);
            check(line.trim_end(), Some(&[("Event", value)]));
        }
    }
}
