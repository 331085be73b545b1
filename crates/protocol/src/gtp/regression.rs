//! Regression files as GNU Go's: GTP commands, and after those with a number what the answer should be, `#? [PATTERN]*`.

use regex_lite::Regex;

/// A line of a regression file that means something.
#[derive(Debug)]
pub enum RegressionLine {
    /// A command to send, with its number if it has one.
    Command {
        /// Its number.
        number: Option<u64>,
        /// The command without it.
        text: String,
    },
    /// The expected answer to the last numbered command.
    Expect(Expect),
}

/// An answer that is right.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::gtp::regression::{RegressionLine, read};
/// let lines = read("10 owl_attack A1\n#? [!0.*]*\n").unwrap();
/// let (2, RegressionLine::Expect(expected)) = &lines[1] else { panic!("an expected answer") };
/// assert!(expected.accepts("1 B2") && !expected.accepts("0"));
/// assert!(expected.known_to_fail);
/// ```
#[derive(Debug)]
pub struct Expect {
    /// As written, with its brackets and marks.
    pub text: String,
    pattern: Regex,
    /// Whether the pattern says what is wrong (`!`).
    negated: bool,
    /// Whether the engine is known to fail (`*`).
    pub known_to_fail: bool,
}

impl Expect {
    /// Whether `answer`, without its sign and number, is right.
    pub fn accepts(&self, answer: &str) -> bool {
        self.pattern.is_match(answer.trim()) != self.negated
    }
}

/// Reads a regression file: each line that means something with its number from 1.
///
/// # Errors
/// The number of the line, and what is wrong with it.
///
/// # Examples
/// ```
/// use tesuji_protocol::gtp::regression::{RegressionLine, read};
/// let lines = read("loadsgf game.sgf\n10 genmove black\n#? [C3|D4]\n").unwrap();
/// assert!(matches!(&lines[2], (3, RegressionLine::Expect(expected)) if expected.accepts("D4")));
/// assert!(read("#? [C3]\n").is_err(), "no command stands before it");
/// ```
pub fn read(text: &str) -> Result<Vec<(usize, RegressionLine)>, String> {
    let mut lines = Vec::new();
    let mut is_numbered = false;
    for (index, line) in text.lines().enumerate() {
        let at = index + 1;
        if let Some(rest) = line.trim_start().strip_prefix("#?") {
            if !is_numbered {
                return Err(format!("line {at}: an answer is expected, but no command with a number stands before it"));
            }
            let expect = read_expect(rest.trim()).map_err(|error| format!("line {at}: {error}"))?;
            lines.push((at, RegressionLine::Expect(expect)));
            is_numbered = false;
            continue;
        }
        let command = line.split_once('#').map_or(line, |(command, _)| command).trim();
        if command.is_empty() {
            continue;
        }
        let (first, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let number = first.parse().ok();
        let text = if number.is_some() { rest.trim() } else { command };
        if text.is_empty() {
            return Err(format!("line {at}: a number without a command"));
        }
        is_numbered |= number.is_some();
        lines.push((at, RegressionLine::Command { number, text: text.to_string() }));
    }
    Ok(lines)
}

/// `[PATTERN]`, `[!PATTERN]`, with `*` behind where it is known to fail. `&`, by which GNU Go leaves slow cases out, is read over.
fn read_expect(text: &str) -> Result<Expect, String> {
    const EXPECTED: &str = "expected [PATTERN], [!PATTERN] or [PATTERN]*";
    let end = text.rfind(']').filter(|_| text.starts_with('[')).ok_or(EXPECTED)?;
    let marks = text[end + 1..].trim();
    if !marks.chars().all(|c| matches!(c, '*' | '&')) {
        return Err(EXPECTED.to_string());
    }
    let inside = text[1..end].trim();
    let (negated, inside) = inside.strip_prefix('!').map_or((false, inside), |rest| (true, rest));
    let pattern =
        Regex::new(&format!("^(?:{inside})$")).map_err(|error| format!("{inside:?} is no pattern: {error}"))?;
    Ok(Expect { text: text.to_string(), pattern, negated, known_to_fail: marks.contains('*') })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expect: &str, answer: &str, is_right: bool) {
        assert_eq!(read_expect(expect).unwrap().accepts(answer), is_right, "{expect} against {answer:?}");
    }

    #[test]
    fn patterns_are_whole_answers() {
        check("[R11|S12]*", "R11", true);
        check("[R11|S12]", "R112", false);
        check("[!R11]", "R11", false);
        check("[!R11]", "R1", true);
        check("[1 (A1|B2)]&", "1 B2", true);
        check("[W\\+12.5]", "W+12.5", true);
        check("[0]", "", false);
        check("[]", "", true);
        check("[[A-C]1]", "B1", true);
        assert!(read_expect("[A1]*").unwrap().known_to_fail && !read_expect("[A1]").unwrap().known_to_fail);
    }

    #[test]
    fn files_are_commands_and_answers() {
        let lines = read("# nothing\nloadsgf a.sgf 7 # a game\n\n10 reg_genmove b\n#? [D4]*\n").unwrap();
        assert_eq!(lines.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [2, 4, 5]);
        let RegressionLine::Command { number: None, text } = &lines[0].1 else { panic!("{lines:?}") };
        assert_eq!(text, "loadsgf a.sgf 7");
        assert!(matches!(&lines[1].1, RegressionLine::Command { number: Some(10), text } if text == "reg_genmove b"));
        assert!(matches!(&lines[2].1, RegressionLine::Expect(expect) if expect.text == "[D4]*"));
    }

    #[test]
    fn broken_lines_are_named() {
        for (text, words) in [
            ("#? [A1]\n", "line 1: an answer is expected"),
            ("1 name\n#? A1\n", "line 2: expected [PATTERN]"),
            ("1 name\n#? [(]\n", "line 2: \"(\" is no pattern"),
            ("1 name\n#? [A1]?\n", "line 2: expected"),
            ("\n77\n", "line 2: a number without a command"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(words), "{error}");
        }
    }
}
