//! Limits on size: `cli` stays a face, and functions stay short enough to be read at one look.

use super::{files, root};
use std::fs;

/// Lines of source that `cli` may have: its work belongs to the crates that own it.
const CLI_LINES_MAX: usize = 9_000;
/// Lines of a function, from its name to its last brace.
const FUNCTION_LINES_MAX: usize = 80;
/// Longer functions that are right as they are: file, function, and why. Rule tables and generated data are such.
const LONGER: [(&str, &str, &str); 0] = [];

/// `text` with spaces for all that is in comments, strings and characters; lines stay what they are.
fn blanked(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    let mut was_word = false;
    while let Some(c) = rest.chars().next() {
        let skipped = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest, 1),
            '\'' => character(rest),
            'r' if !was_word => raw_string(rest, 1),
            'b' if !was_word && rest.starts_with("b\"") => string(rest, 2),
            'b' if !was_word && rest.starts_with("br") => raw_string(rest, 2),
            _ => 0,
        };
        was_word = c.is_alphanumeric() || c == '_';
        let taken = if skipped == 0 { c.len_utf8() } else { skipped };
        match skipped {
            0 => out.push(c),
            _ => out.extend(rest[..taken].chars().map(|c| if c == '\n' { c } else { ' ' })),
        }
        rest = &rest[taken..];
    }
    out
}

/// Bytes of the comment that `text` begins with; comments of this kind hold others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Bytes of the string that `text` begins with, whose first `head` bytes open it.
fn string(text: &str, head: usize) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().enumerate().skip(head).find(|&(_, byte)| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Bytes of the raw string that `text` begins with, `head` bytes before its signs; 0 where there is none.
fn raw_string(text: &str, head: usize) -> usize {
    let signs = text[head..].bytes().take_while(|byte| *byte == b'#').count();
    let inner = head + signs + 1;
    if text.as_bytes().get(inner - 1) != Some(&b'"') {
        return 0;
    }
    let close = format!("\"{}", "#".repeat(signs));
    text[inner..].find(&close).map_or(text.len(), |at| inner + at + close.len())
}

/// Bytes of the character that `text` begins with; 0 where it begins with the name of a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let from = at + escaped.len_utf8();
            text[from..].find('\'').map_or(0, |end| from + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 0,
    }
}

/// The functions of a source file that have a body, with the lines from name to last brace.
fn functions(text: &str) -> Vec<(String, usize)> {
    let text = blanked(text);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in text.match_indices("fn ") {
        let rest = &text[at + 3..];
        let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
        // `fn (…)` is a type, and a longer word ends so too.
        if name.is_empty() || text[..at].ends_with(is_word) {
            continue;
        }
        let mut depth = 0;
        let mut is_in_body = false;
        for (end, c) in rest.char_indices() {
            match c {
                '(' | '[' | '{' => {
                    is_in_body |= c == '{' && depth == 0;
                    depth += 1;
                }
                ')' | ']' | '}' => depth -= 1,
                // Declared only.
                ';' if depth == 0 => break,
                _ => {}
            }
            if is_in_body && depth == 0 {
                found.push((name, rest[..end].matches('\n').count() + 1));
                break;
            }
        }
    }
    found
}

#[test]
fn functions_are_measured_behind_strings_and_comments() {
    let source = r####"
/* fn no() { /* { */ */
fn one<'a>(text: &'a str) -> char { /* } */ '{' }
fn three(f: fn(u8) -> [u8; 2]) -> &'static str {
    r##"}"#"## // }
}
trait T { fn declared(&self) -> [u8; 3]; fn given(&self) -> bool {
    "\"}" == "}" && '\'' != '"' && b"{" == br"{"
} }
"####;
    let named = |name: &str, lines| (name.to_string(), lines);
    assert_eq!(functions(source), [named("one", 1), named("three", 3), named("given", 3)]);
}

#[test]
fn functions_stay_short() {
    let mut unused: Vec<_> = LONGER.to_vec();
    let mut found = Vec::new();
    for path in files(&[".rs"]) {
        let name = path.strip_prefix(root()).expect("a file of the workspace").to_string_lossy().into_owned();
        if !(name.starts_with("crates/") && name.contains("/src/")) || name.contains("/generated/") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        for (function, lines) in functions(&text).into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES_MAX) {
            match unused.iter().position(|(file, known, _)| *file == name && *known == function) {
                Some(listed) => drop(unused.remove(listed)),
                None => found.push(format!("{name}: {function}: {lines} lines")),
            }
        }
    }
    assert!(found.is_empty(), "functions over {FUNCTION_LINES_MAX} lines ask to be split: {found:#?}");
    assert!(unused.is_empty(), "functions that are no longer so long: {unused:?}");
}

#[test]
fn the_command_line_stays_a_face() {
    let is_source = |path: &std::path::PathBuf| path.starts_with(root().join("crates/cli/src"));
    let lines = |path| fs::read_to_string(path).expect("a source file").lines().count();
    let sum: usize = files(&[".rs"]).into_iter().filter(is_source).map(lines).sum();
    assert!(sum > 1_000, "the sources of cli are looked for in the wrong place");
    assert!(sum <= CLI_LINES_MAX, "cli has {sum} lines: work belongs to the crates that ARCHITECTURE.md names");
}
