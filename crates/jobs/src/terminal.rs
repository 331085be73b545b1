//! stdout and stderr of the program, whose reader may go (`| head`) and whose disk may be full at any time.
//!
//! A reader that has seen enough ends the program without a word. A disk that is full ends it with an error. Work whose
//! results are in files goes on in both cases, see [`go_on_without_reader`]. What cannot be written to stderr is dropped.

use std::fmt::Arguments;
use std::io::{self, Write};
use std::os::fd::AsFd;
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
    let of_terminal = columns_of(io::stdout()).or_else(|| columns_of(io::stderr()));
    columns_within(of_terminal, std::env::var("COLUMNS").ok().as_deref())
}

fn columns_within(of_terminal: Option<usize>, of_environment: Option<&str>) -> usize {
    let found = of_terminal.or_else(|| of_environment?.trim().parse().ok());
    found.filter(|&columns| columns > 0).map_or(COLUMNS_UNKNOWN, |columns| columns.min(COLUMNS_MAX))
}

/// Columns of the terminal that a stream is; `None` where it is none, or one that does not know.
fn columns_of(stream: impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}

/// Hands what was printed to the system, at the end of the program. Whether all of it could be.
pub fn finish() -> bool {
    let _ = Stdout.flush();
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
}
