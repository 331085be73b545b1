//! Errors of reading and writing records, with the line.

use crate::GameRecord;
use std::{fmt, io, num::NonZeroU64};
use tesuji_game::NotationError;

/// An error of reading or writing a record, with its place.
#[derive(Debug)]
pub struct RecordError {
    /// The file within a folder or an archive that is read as one.
    pub file: Option<Box<str>>,
    /// Line of the input, from 1; `None` when there is none (writing, or binary formats).
    pub line: Option<NonZeroU64>,
    /// Number of the record, from 1; 0 before the first.
    pub record: u64,
    /// The kind of error.
    pub fault: Fault,
    /// The game up to the fault, from readers that know it.
    pub read: Option<Box<GameRecord<String>>>,
}

/// The kind of an error in a record.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The stream failed; nothing more can be read or written.
    Io(io::Error),
    /// Something else than expected.
    Expected {
        /// The text expected there.
        expected: &'static str,
        /// The text found there, shortened.
        found: String,
    },
    /// Something else than expected, in a format where one line may hold a whole game.
    ExpectedAt {
        /// Offset in bytes from the start of the input.
        byte: u64,
        /// The text expected there.
        expected: &'static str,
        /// The text found there, shortened.
        found: String,
    },
    /// The input ends before the game does: what closes it is missing, and nothing else.
    Unclosed {
        /// Offset in bytes from the start of the input.
        byte: u64,
        /// The text expected there.
        expected: &'static str,
    },
    /// A move that cannot be played.
    IllegalMove {
        /// Its number from 1, counted in plies as the format counts them (SoFGameSet: in its line).
        number: usize,
        /// The move as written.
        text: String,
    },
    /// A position that cannot be read.
    Position(NotationError),
    /// The record holds something that this format cannot hold.
    Unsupported(&'static str),
}

impl RecordError {
    /// An error on `line` of the input in record number `record`.
    pub fn new(line: u64, record: u64, fault: Fault) -> RecordError {
        RecordError { file: None, line: NonZeroU64::new(line), record, fault, read: None }
    }

    /// An error in record number `record`, of writing or in a format without lines.
    pub fn without_line(record: u64, fault: Fault) -> RecordError {
        RecordError { file: None, line: None, record, fault, read: None }
    }

    /// Whether the stream itself failed, so that going on with the next record is pointless.
    pub fn is_fatal(&self) -> bool {
        matches!(self.fault, Fault::Io(_))
    }
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        RecordError::without_line(0, Fault::Io(error))
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        if let Some(line) = self.line {
            write!(f, "line {line}")?;
            if self.record > 0 {
                write!(f, " (game {})", self.record)?;
            }
            write!(f, ": ")?;
        } else if self.record > 0 {
            write!(f, "game {}: ", self.record)?;
        }
        self.fault.fmt(f)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Io(error) => error.fmt(f),
            Fault::Expected { expected, found } if found.is_empty() => write!(f, "expected {expected}"),
            Fault::Expected { expected, found } => write!(f, "expected {expected}, found `{found}`"),
            Fault::ExpectedAt { byte, expected, found } if found.is_empty() => {
                write!(f, "at byte {byte}: expected {expected}")
            }
            Fault::ExpectedAt { byte, expected, found } => {
                write!(f, "at byte {byte}: expected {expected}, found `{found}`")
            }
            Fault::Unclosed { byte, expected } => write!(f, "at byte {byte}: expected {expected}, found `the end`"),
            Fault::IllegalMove { number, text } => write!(f, "move #{number} is illegal: {text}"),
            Fault::Position(error) => write!(f, "bad position: {error}"),
            Fault::Unsupported(what) => write!(f, "this format cannot hold {what}"),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            Fault::Io(error) => Some(error),
            Fault::Position(error) => Some(error),
            _ => None,
        }
    }
}

impl Fault {
    /// [`Fault::Expected`] with at most 40 characters of what was found.
    pub fn expected(expected: &'static str, found: &str) -> Fault {
        Fault::Expected { expected, found: shortened(found) }
    }

    /// [`Fault::ExpectedAt`] with at most 40 characters of what was found.
    pub fn expected_at(byte: u64, expected: &'static str, found: &str) -> Fault {
        Fault::ExpectedAt { byte, expected, found: shortened(found) }
    }
}

/// At most 40 characters of `text`.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_where_and_what() {
        let e = RecordError::new(7, 2, Fault::IllegalMove { number: 3, text: "e2e5".into() });
        assert_eq!(e.to_string(), "line 7 (game 2): move #3 is illegal: e2e5");
        let within =
            RecordError { file: Some("a.zip: b.sgf".into()), ..RecordError::new(7, 2, Fault::expected("a point", "")) };
        assert_eq!(within.to_string(), "a.zip: b.sgf: line 7 (game 2): expected a point");
        let long = "x".repeat(100);
        let e = RecordError::new(1, 0, Fault::expected("a command", &long));
        assert_eq!(e.to_string(), format!("line 1: expected a command, found `{}…`", "x".repeat(40)));
        let e = RecordError::new(3, 1, Fault::expected_at(99, "a point", "zz"));
        assert_eq!(e.to_string(), "line 3 (game 1): at byte 99: expected a point, found `zz`");
    }
}
