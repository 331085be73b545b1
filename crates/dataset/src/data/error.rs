//! Errors in data: the file, the line or record, and the message.

use std::path::Path;
use std::{fmt, io, num::NonZeroU64};
use tesuji_jobs::RequestError;
use tesuji_record::{Fault, RecordError};

/// An error that keeps data from being read, used or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataError {
    /// The file, as it was named.
    pub file: String,
    /// Line of the file, from 1; `None` where there are no lines.
    pub line: Option<NonZeroU64>,
    /// The game or position of the file, from 1; 0 when it is no matter of one.
    pub record: u64,
    /// Whether the records are games.
    pub games: bool,
    /// The error in words.
    pub message: String,
    /// Whether nothing more can be done, also where broken records are passed over.
    pub ends_all: bool,
}

impl DataError {
    /// Something wrong with `file` as a whole.
    pub fn of_file(file: &Path, message: impl fmt::Display) -> DataError {
        // Errors of the file system carry the path already.
        let (file, message) = (file.display().to_string(), message.to_string());
        let message = message.strip_prefix(&format!("{file}: ")).unwrap_or(&message).to_string();
        DataError { file, line: None, record: 0, games: false, message, ends_all: false }
    }

    /// Converts an I/O error on `file` into an error for a person to read.
    pub(super) fn of_io(file: &Path, error: &io::Error) -> DataError {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                tesuji_jobs::note_unwritten();
                DataError::of_file(file, "the disk is full")
            }
            _ => DataError::of_file(file, error),
        }
    }

    /// Something wrong with no file.
    pub fn other(message: impl fmt::Display) -> DataError {
        DataError {
            file: String::new(),
            line: None,
            record: 0,
            games: false,
            message: message.to_string(),
            ends_all: false,
        }
    }

    /// Converts a reader's error in a block that begins after `lines` lines; records count within the block until
    /// [`DataError::after`] moves them.
    pub(super) fn of_record(file: &Path, games: bool, lines: u64, error: &RecordError) -> DataError {
        let line = error.line.and_then(|line| line.checked_add(lines));
        DataError {
            file: file.display().to_string(),
            line,
            record: error.record,
            games,
            message: error.fault.to_string(),
            ends_all: false,
        }
    }

    /// An error for a fault in record number `record` of a block.
    pub(super) fn of_fault(file: &Path, games: bool, record: u64, fault: &Fault) -> DataError {
        let (file, message) = (file.display().to_string(), fault.to_string());
        DataError { file, line: None, record, games, message, ends_all: matches!(fault, Fault::Io(_)) }
    }

    /// Adds `records` to the record number, for a block that comes after that many records of its file.
    pub(super) fn after(mut self, records: u64) -> DataError {
        if self.record > 0 {
            self.record += records;
        }
        self
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}: ", self.file)?;
        }
        let noun = if self.games { "game" } else { "position" };
        match (self.line, self.record) {
            (None, 0) => {}
            (None, record) => write!(f, "{noun} {record}: ")?,
            (Some(line), 0) => write!(f, "line {line}: ")?,
            (Some(line), record) => write!(f, "line {line} ({noun} {record}): ")?,
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for DataError {}

impl From<DataError> for RequestError {
    fn from(error: DataError) -> RequestError {
        RequestError::failed(error)
    }
}
