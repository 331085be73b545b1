//! stdout and stderr of the program, whose reader may go (`| head`) and whose disk may be full at any time.
//!
//! A reader that has seen enough ends the program without a word. A disk that is full ends it with an error. Work whose
//! results are in files goes on in both cases, see [`go_on_without_reader`]. What cannot be written to stderr is dropped.

use std::ffi::OsStr;
use std::fmt::Arguments;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The exit code of a program whose reader is gone, as shells have it: 128 and the number of SIGPIPE.
pub const NO_READER: u8 = 141;
/// The exit code when stdout cannot be written.
const NOT_WRITTEN: u8 = 1;

/// Whether the work is worth more than its reader.
static GOES_ON: AtomicBool = AtomicBool::new(false);
/// The first error of stdout.
static LOST: OnceLock<io::ErrorKind> = OnceLock::new();

/// The work that begins now has its results in files: nothing that happens to stdout or stderr ends it.
pub fn go_on_without_reader() {
    GOES_ON.store(true, Relaxed);
}

/// stdout, for everything that the program prints. Writing never fails: it ends the program, or is dropped.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if LOST.get().is_none() {
            io::stdout().lock().write_all(bytes).unwrap_or_else(lose);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if LOST.get().is_none() {
            io::stdout().lock().flush().unwrap_or_else(lose);
        }
        Ok(())
    }
}

/// Prints to stdout, as `print!` does, but never panics.
pub fn print(text: Arguments<'_>) {
    if LOST.get().is_none() {
        io::stdout().lock().write_fmt(text).unwrap_or_else(lose);
    }
}

/// Prints to stderr, as `eprint!` does, but never panics: what cannot be written is dropped.
pub fn eprint(text: Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(text);
}

/// Columns of wrapped text where nobody says how many there are, and the most: longer lines are hard to read.
const COLUMNS_UNKNOWN: usize = 80;
const COLUMNS_MAX: usize = 120;

/// Columns for text that is wrapped, such as help: those of the terminal, else those that the environment's `COLUMNS` says, else 80; 120 at
/// most.
pub fn text_columns() -> usize {
    columns_within(tesuji_system::terminal::columns(), std::env::var("COLUMNS").ok().as_deref())
}

fn columns_within(of_terminal: Option<usize>, of_environment: Option<&str>) -> usize {
    let found = of_terminal.or_else(|| of_environment?.trim().parse().ok());
    found.filter(|&columns| columns > 0).map_or(COLUMNS_UNKNOWN, |columns| columns.min(COLUMNS_MAX))
}

/// Whether text that goes to a stream may have colours: it is a terminal that has some, and `NO_COLOR` (no-color.org) is not set.
pub fn shows_colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && allows_colours(std::env::var_os("NO_COLOR").as_deref(), std::env::var_os("TERM").as_deref())
}

fn allows_colours(no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    no_color.is_none_or(OsStr::is_empty) && term.is_none_or(|term| term != "dumb")
}

/// The longest word in an error, in characters, and the longest line of a file that it shows.
const EXCERPT_MAX: usize = 200;
/// The longest line in an error, in characters.
const LINE_MAX: usize = 2000;

/// An error as it is shown: what it is about is named once, where several parts of the program said it before the rest, and long texts that it
/// quotes are cut: errors of TOML show the line that they are about, others the value that was wrong, however long these are.
///
/// # Examples
/// ```
/// let error = "weights.json: weights.json: No such file";
/// assert_eq!(tesuji_jobs::terminal::error_text(error), "weights.json: No such file");
/// ```
pub fn error_text(text: &str) -> String {
    with_short_excerpts(&named_once(text))
}

/// `text` without what stands in its first line twice in a row, with a colon behind it.
fn named_once(text: &str) -> String {
    let (first, rest) = text.split_at(text.find('\n').unwrap_or(text.len()));
    let mut parts: Vec<&str> = first.split(": ").collect();
    parts.dedup();
    parts.join(": ") + rest
}

/// `text` without the long texts that it quotes.
fn with_short_excerpts(text: &str) -> String {
    if text.len() <= EXCERPT_MAX {
        return text.to_string();
    }
    let lines: Vec<String> = text.split('\n').map(short_line).collect();
    lines.join("\n")
}

/// A line of an error. An excerpt has the number of a line, or nothing, before a bar.
fn short_line(line: &str) -> String {
    let before_bar = line.split_once('|').map(|(before, _)| before.trim());
    if before_bar.is_some_and(|before| before.bytes().all(|b| b.is_ascii_digit())) {
        return shortened(line, EXCERPT_MAX, 0);
    }
    let words: Vec<String> = line.split(' ').map(|word| shortened(word, EXCERPT_MAX, 0)).collect();
    // What was expected stands at the end.
    shortened(&words.join(" "), LINE_MAX - EXCERPT_MAX, EXCERPT_MAX)
}

/// `text`, or its first `head` and last `tail` characters.
fn shortened(text: &str, head: usize, tail: usize) -> String {
    let count = text.chars().count();
    if count <= head + tail {
        return text.to_string();
    }
    let at = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    format!("{}…{}", &text[..at(head)], &text[at(count - tail)..])
}

/// Hands what was printed to the system, at the end of the program, and says where a signal stopped it. Whether all of it could be.
pub fn finish() -> bool {
    let _ = Stdout.flush();
    if let Some(words) = crate::interrupt::stopped_by() {
        eprint(format_args!("tesuji: {words}\n"));
    }
    LOST.get().is_none_or(|kind| *kind == io::ErrorKind::BrokenPipe)
}

/// stdout failed: the end, or the end of printing.
fn lose(error: io::Error) {
    if LOST.set(error.kind()).is_err() {
        return;
    }
    let is_gone = error.kind() == io::ErrorKind::BrokenPipe;
    let goes_on = GOES_ON.load(Relaxed);
    if !is_gone {
        let more = if goes_on { "; the work goes on, and nothing more is printed" } else { "" };
        eprint(format_args!("tesuji: stdout: {error}{more}\n"));
    }
    if !goes_on {
        std::process::exit(i32::from(if is_gone { NO_READER } else { NOT_WRITTEN }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_that_want_them() {
        let check =
            |no_color: Option<&str>, term: Option<&str>| allows_colours(no_color.map(OsStr::new), term.map(OsStr::new));
        assert!(check(None, None) && check(Some(""), Some("xterm")));
        assert!(!check(Some("1"), Some("xterm")) && !check(None, Some("dumb")));
        assert!(!shows_colours(&std::fs::File::open("/dev/null").unwrap()));
    }

    /// `--help` had lines of 108 columns in terminals of 60 that did not tell their rows, and 100 columns where there was no terminal.
    #[test]
    fn text_is_as_wide_as_the_terminal_within_bounds() {
        let check = |terminal, environment, expect| assert_eq!(columns_within(terminal, environment), expect);
        check(Some(60), Some("100"), 60);
        check(Some(300), None, 120);
        check(None, Some("100"), 100);
        check(None, Some("wide"), 80);
        check(None, Some("0"), 80);
        check(None, None, 80);
    }

    /// `improve --from nosuch` said `nosuch: nosuch: No such file or directory`.
    #[test]
    fn a_file_is_named_once() {
        let check = |text: &str, expect: &str| assert_eq!(error_text(text), expect);
        check("a b.json: a b.json: No such file", "a b.json: No such file");
        check("--request: a: a: a: line 3: expected a number", "--request: a: line 3: expected a number");
        check("a: b: a: it is in both", "a: b: a: it is in both");
        check("a.toml: bad\n  |\n1 | x: x: y", "a.toml: bad\n  |\n1 | x: x: y");
        check("plain", "plain");
    }

    /// A configuration of one line of 1 MB made an error of 2 MB.
    #[test]
    fn errors_do_not_quote_long_texts_whole() {
        let long = "x".repeat(1_000_000);
        let toml = format!(
            "a.toml: TOML parse error at line 1, column 8\n  |\n1 | a = {long}\n  |     {}\nbad",
            "^".repeat(1_000_000)
        );
        let said = with_short_excerpts(&toml);
        assert!(said.len() < 600 && said.contains("\n1 | a = xxx") && said.ends_with("…\nbad"), "{}", said.len());
        let said = with_short_excerpts(&format!("unknown field `{long}`, expected one of `a`, `b`"));
        assert!(said.len() < 300 && said.ends_with("x… expected one of `a`, `b`"), "{said}");
        let said = with_short_excerpts(&format!("position {:?}: expected a FEN", "äö ".repeat(400_000)));
        assert!(said.chars().count() == 2001 && said.ends_with(": expected a FEN"), "{}", said.len());
        let many = (0..300).map(|i| format!("field{i}")).collect::<Vec<_>>();
        for fits in ["short".to_string(), many[..200].join(" "), many.join("\n")] {
            assert_eq!(with_short_excerpts(&fits), fits);
        }
    }
}
