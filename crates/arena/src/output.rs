//! Files that games are appended to, one whole game at a time, and cut back to what the journal knows after a kill.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use tesuji_record::{GameRecord, RecordError, RecordFormat, RecordWriter};

/// A file of games.
pub struct Output {
    file: File,
    writer: Box<dyn RecordWriter>,
}

impl Output {
    /// Opens `path` in `format`: emptied, or cut to `length` and gone on with.
    ///
    /// # Errors
    /// Those of the file system; a file shorter than `length` has lost games.
    pub fn open(path: &Path, format: &dyn RecordFormat, length: u64) -> io::Result<Output> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let present = file.metadata()?.len();
        if present < length {
            let lost = format!("{}: {present} bytes, but the journal knows of {length}", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, lost));
        }
        file.set_len(length)?;
        let writer = format.writer(Box::new(file.try_clone()?));
        Ok(Output { file, writer })
    }

    /// Appends a game and hands it to the system.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        self.writer.write(record)?;
        self.writer.flush()
    }

    /// How long the file is.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn length(&self) -> Result<u64, RecordError> {
        Ok(self.file.metadata()?.len())
    }
}
