//! A journal of lines that survives a kill at any moment: what was appended stays, a torn last line is dropped.

use crate::{check_present, log_file::is_log, open_alone, unwritten::noted};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tesuji_system::FileId;

/// The longest journal that is read, in bytes: a tuning of a million matches has a few.
const JOURNAL_BYTES_MAX: u64 = 1 << 30;

/// A file of lines, appended one at a time.
#[derive(Debug)]
pub struct LineJournal {
    file: File,
    path: PathBuf,
    durable: bool,
}

impl LineJournal {
    /// Opens or creates a journal and returns the complete lines in it. A last line without its end was torn by a
    /// kill: it is cut off.
    ///
    /// `durable` syncs after each line: it then survives a power loss too, at the price of a few milliseconds.
    ///
    /// # Errors
    /// Those of the file system; [`io::ErrorKind::InvalidData`] when the file is no text.
    pub fn open(path: &Path, durable: bool) -> io::Result<(LineJournal, Vec<String>)> {
        if is_log(path) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the log goes into this file; name another one"));
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        LineJournal::of_file(file, path, durable)
    }

    /// [`LineJournal::open`] for this process alone until the journal is dropped. `None` while another process has it.
    ///
    /// # Errors
    /// Those of [`LineJournal::open`].
    pub fn open_alone(path: &Path, durable: bool) -> io::Result<Option<(LineJournal, Vec<String>)>> {
        open_alone(path)?.map(|file| LineJournal::of_file(file, path, durable)).transpose()
    }

    fn of_file(mut file: File, path: &Path, durable: bool) -> io::Result<(LineJournal, Vec<String>)> {
        let wrong = |words: String| Err(io::Error::new(io::ErrorKind::InvalidData, words));
        if !file.metadata()?.is_file() {
            return wrong("expected a regular file, found a device or a pipe".into());
        }
        let mut bytes = Vec::new();
        (&mut file).take(JOURNAL_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > JOURNAL_BYTES_MAX {
            return wrong(format!("expected a journal of at most {} MiB", JOURNAL_BYTES_MAX >> 20));
        }
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        // A file that is no text is no journal, and left as it is.
        let text = std::str::from_utf8(&bytes[..whole]).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        let lines = text.lines().map(str::to_string).collect();
        if whole < bytes.len() {
            tracing::warn!(target: "jobs", "{}: a torn last line of {} bytes cut off", path.display(), bytes.len() - whole);
            file.set_len(whole as u64)?;
        }
        file.seek(SeekFrom::End(0))?;
        Ok((LineJournal { file, path: path.to_path_buf(), durable }, lines))
    }

    /// Drops all lines.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()
    }

    /// Appends a line in one write.
    ///
    /// # Errors
    /// Those of the file system, also when the journal was deleted meanwhile; [`io::ErrorKind::InvalidInput`] when `line` holds a line end.
    pub fn append(&mut self, line: &str) -> io::Result<()> {
        // A carriage return at the end would be read as a part of the line end.
        if line.contains('\n') || line.ends_with('\r') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a line of a journal holds a line end"));
        }
        noted(self.write(line))
    }

    /// Writes a line to a journal that can still be found: what goes nowhere is not kept.
    fn write(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(format!("{line}\n").as_bytes())?;
        check_present(&self.path, FileId::of_open(&self.file)?)?;
        if self.durable { self.file.sync_data() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `spsa --journal /dev/zero` read on until the memory was full.
    #[cfg(unix)]
    #[test]
    fn a_device_is_no_journal() {
        let error = LineJournal::open(Path::new("/dev/zero"), false).unwrap_err().to_string();
        assert_eq!(error, "expected a regular file, found a device or a pipe");
    }

    /// The end of such a file was cut off before it was refused.
    #[test]
    fn a_file_that_is_no_text_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("photo.jpg");
        let bytes = b"\xff\xd8\n\xff";
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(LineJournal::open(&path, false).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn a_journal_taken_for_one_process_can_be_begun_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, _) = LineJournal::open_alone(&path, false).unwrap().unwrap();
        journal.append("one").unwrap();
        assert!(LineJournal::open_alone(&path, false).unwrap().is_none());
        journal.clear().unwrap();
        journal.append("two").unwrap();
        drop(journal);
        assert_eq!(LineJournal::open_alone(&path, false).unwrap().unwrap().1, ["two"]);
    }

    #[test]
    fn every_cut_keeps_all_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, lines) = LineJournal::open(&path, true).unwrap();
        assert!(lines.is_empty());
        for line in ["one", "", "three α"] {
            journal.append(line).unwrap();
        }
        assert!(journal.append("a\nb").is_err() && journal.append("a\r").is_err());
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let (mut journal, lines) = LineJournal::open(&path, false).unwrap();
            let ends = bytes[..cut].iter().filter(|&&b| b == b'\n').count();
            assert_eq!(lines, ["one", "", "three α"][..ends]);
            journal.append("more").unwrap();
            let (_, again) = LineJournal::open(&path, false).unwrap();
            assert_eq!((again.len(), again[ends].as_str()), (ends + 1, "more"));
        }
    }
}
