//! The one door of files that the program writes: appended to, refused when they are there, or replaced with `--force`.
//!
//! Streams go through [`open_output`], whole files through [`AtomicFile`] behind [`check_output`]. A test
//! (`crates/testkit/tests/house`) searches all crates for files that are opened for writing in another way.

use crate::{
    AtomicFile,
    interrupt::is_process_interrupted,
    log_file::{is_log, set_log},
    paths::{folder_of, is_special},
    unwritten::{noted, noted_at},
};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tesuji_system::{FileId, is_named_pipe, may_write, open_pipe, try_lock, try_lock_shared};

/// The treatment of an existing output file: append, refuse or replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is kept, and what is written follows it.
    Append,
    /// It is an error, unless the user said `--force`: then it is replaced when the new file is whole.
    Refuse,
    /// It is kept until the new file is whole, and then replaced.
    Replace,
}

/// Whether the user said `--force`.
static FORCE: AtomicBool = AtomicBool::new(false);

/// Lets [`Existing::Refuse`] replace files from now on: the user said `--force`.
pub fn allow_replacing() {
    FORCE.store(true, Relaxed);
}

/// Whether the user said `--force`: what would be refused for the sake of what is there is done.
pub fn is_replacing_allowed() -> bool {
    FORCE.load(Relaxed)
}

/// Checks that a file may be written as `path`, and touches nothing: for commands whose work comes before their output.
///
/// # Errors
/// When `path` is a folder or in no folder, or is there and refused ([`io::ErrorKind::AlreadyExists`]), or `--force` would take it
/// from another run that writes it ([`io::ErrorKind::WouldBlock`]). The words name it and say what to do.
pub fn check_output(path: &Path, existing: Existing) -> io::Result<()> {
    check(path, existing, FORCE.load(Relaxed))
}

fn check(path: &Path, existing: Existing, is_forced: bool) -> io::Result<()> {
    let wrong = |kind, what: &str| Err(io::Error::new(kind, format!("{}: {what}", path.display())));
    if path.is_dir() || path.file_name().is_none() {
        return wrong(io::ErrorKind::InvalidInput, "this is a folder; name a file in it");
    }
    if !folder_of(path).is_dir() {
        return wrong(io::ErrorKind::NotFound, "the folder of this file does not exist; make it first");
    }
    if is_special(path) {
        return Ok(());
    }
    if is_log(path) {
        return wrong(io::ErrorKind::AlreadyExists, "the log goes into this file; name another one");
    }
    let place = place_of(path);
    let is_grown = existing == Existing::Append && place.exists();
    may_write(if is_grown { &place } else { folder_of(&place) }).map_err(|e| named(path, &e))?;
    if existing != Existing::Refuse || !path.exists() {
        return Ok(());
    }
    if !is_forced {
        return wrong(io::ErrorKind::AlreadyExists, "this file exists; --force replaces it, or give another name");
    }
    if is_locked(path) {
        return wrong(io::ErrorKind::WouldBlock, "another run writes this file; stop it first, or give another name");
    }
    Ok(())
}

/// Whether another run holds the lock of a file ([`open_alone`]).
fn is_locked(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(try_lock_shared(&file), Err(fs::TryLockError::WouldBlock)))
}

/// Opens `path` for writing. The folder must be there.
///
/// # Errors
/// Those of [`check_output`], and of the file system with the path in the message.
pub fn open_output(path: &Path, existing: Existing) -> io::Result<OutputFile> {
    check_output(path, existing)?;
    let target = if is_named_pipe(path) {
        Target::Grows(open_pipe(path, is_process_interrupted).map_err(|e| named(path, &e))?)
    } else if existing == Existing::Append || is_special(path) {
        let file = OpenOptions::new().read(!is_special(path)).append(true).create(true).open(path);
        Target::Grows(file.map_err(|e| named(path, &e))?)
    } else {
        Target::Whole(Box::new(AtomicFile::create(path)?))
    };
    Ok(OutputFile { target, path: path.to_path_buf() })
}

/// Opens `path` for lines that can be read while they are written, such as the steps of a run. A file that is there is
/// refused, or replaced at once with `--force`.
///
/// # Errors
/// Those of [`open_output`].
pub fn open_log(path: &Path) -> io::Result<OutputFile> {
    check_output(path, Existing::Refuse)?;
    if path.exists() && !is_special(path) {
        fs::remove_file(path).map_err(|e| named(path, &e))?;
    }
    open_output(path, Existing::Append)
}

/// Opens `path` for the log of the program, which is appended to: a file that holds anything else is refused. No other output of this
/// process may have its name.
///
/// # Errors
/// Those of [`open_output`], and when the file does not begin with a date as logs do.
pub fn open_program_log(path: &Path) -> io::Result<OutputFile> {
    let mut head = Vec::new();
    if !is_special(path) && path.is_file() {
        File::open(path).and_then(|file| file.take(5).read_to_end(&mut head)).map_err(|e| named(path, &e))?;
    }
    let is_dated = matches!(head.as_slice(), [b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'-']);
    if !head.is_empty() && !is_dated {
        let words = format!("{}: this file holds something else than a log; name another one", path.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, words));
    }
    let log = open_output(path, Existing::Append)?;
    if !is_special(path) {
        set_log(path);
    }
    Ok(log)
}

/// Opens the file by whose lock processes know of each other. It stays empty.
///
/// # Errors
/// Those of the file system.
pub fn open_lock_file(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(path)
}

/// Opens `path` for reading and writing, with what is in it, for this process alone until it is closed. `None` while another process has
/// it.
///
/// # Errors
/// Those of the file system, with the path in the message.
pub fn open_alone(path: &Path) -> io::Result<Option<File>> {
    let open = || {
        loop {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
            match try_lock(&file) {
                Err(fs::TryLockError::WouldBlock) => return Ok(None),
                // Not every file system has locks.
                Ok(()) | Err(fs::TryLockError::Error(_)) => {}
            }
            // The other process may have removed or renamed it between the opening and the lock.
            if FileId::of(path).is_ok_and(|there| FileId::of_open(&file).is_ok_and(|open| open == there)) {
                return Ok(Some(file));
            }
        }
    };
    open().map_err(|e| named(path, &e))
}

/// Takes the folder `path` for this process alone until the file is closed. `None` while another process has it; a file system
/// without locks gives it to everybody.
///
/// # Errors
/// Those of the file system, with the path in the message.
pub fn lock_folder(path: &Path) -> io::Result<Option<File>> {
    tesuji_system::lock_folder(path).map_err(|e| named(path, &e))
}

/// Whether two paths lead to one file, which need not exist: by the same name in the same folder, over a symbolic link, or over a
/// hard link. Devices and pipes are never the same: writing there replaces nothing.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    if is_special(a) || is_special(b) {
        return false;
    }
    let linked = || FileId::of(a).is_ok_and(|id| FileId::of(b).is_ok_and(|other| id == other));
    a == b || place_of(a) == place_of(b) || linked()
}

/// The path of the file without links, or that of its folder and its name if it does not exist.
fn place_of(path: &Path) -> PathBuf {
    let resolved = fs::canonicalize(path).or_else(|_| {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        fs::canonicalize(folder_of(path)).map(|folder| folder.join(name))
    });
    resolved.unwrap_or_else(|_| path.to_path_buf())
}

/// Opens the file that another program's output is appended to, as its stdout or stderr.
///
/// # Errors
/// Those of [`check_output`] and of the file system.
pub fn open_append(path: &Path) -> io::Result<File> {
    check_output(path, Existing::Append)?;
    if is_named_pipe(path) {
        return open_pipe(path, is_process_interrupted).map_err(|e| named(path, &e));
    }
    OpenOptions::new().append(true).create(true).open(path).map_err(|e| named(path, &e))
}

/// A file being written, see [`open_output`].
#[derive(Debug)]
pub struct OutputFile {
    target: Target,
    path: PathBuf,
}

#[derive(Debug)]
enum Target {
    /// Under its name from the beginning.
    Grows(File),
    /// Aside until it is whole.
    Whole(Box<AtomicFile>),
}

impl OutputFile {
    /// Its path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The length of a file that is appended to, in bytes; 0 for others.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn length(&self) -> io::Result<u64> {
        match &self.target {
            Target::Grows(file) => Ok(file.metadata().map_err(|e| named(&self.path, &e))?.len()),
            Target::Whole(_) => Ok(0),
        }
    }

    /// The bytes of a file that is appended to, from `start` on, `limit` at most.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn tail(&mut self, start: u64, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if let Target::Grows(file) = &mut self.target {
            let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.take(limit).read_to_end(&mut bytes));
            read.map_err(|e| named(&self.path, &e))?;
        }
        Ok(bytes)
    }

    /// Ends the last line of a file that is appended to, where a person or a killed program left it open.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn end_last_line(&mut self) -> io::Result<()> {
        let length = self.length()?;
        let is_open = length > 0 && self.tail(length - 1, 1)? != b"\n";
        if is_open { self.write_all(b"\n") } else { Ok(()) }
    }

    /// Cuts what stands behind the first `length` bytes of a file that is appended to: a piece that could not be written whole. Devices
    /// and pipes keep what they have.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        match &self.target {
            Target::Grows(file) if !is_special(&self.path) => file.set_len(length).map_err(|e| named(&self.path, &e)),
            _ => Ok(()),
        }
    }

    /// Takes the file for this process alone, until it is closed. `false` when another process has it.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn lock(&self) -> io::Result<bool> {
        let Target::Grows(file) = &self.target else { return Ok(true) };
        match try_lock(file) {
            Ok(()) => Ok(true),
            Err(fs::TryLockError::WouldBlock) => Ok(false),
            // Not every file system has locks.
            Err(fs::TryLockError::Error(_)) => Ok(true),
        }
    }

    /// Checks that what is written can still be found under the file's name.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] when the file or its folder was deleted, moved or replaced.
    pub fn check_present(&self) -> io::Result<()> {
        match &self.target {
            Target::Grows(file) => check_present(&self.path, FileId::of_open(file)?),
            Target::Whole(_) => Ok(()),
        }
    }

    /// Puts a whole file in its place; nothing to do for one that is appended to.
    ///
    /// # Errors
    /// Those of the file system; an old file is then still in place.
    pub fn commit(self) -> io::Result<()> {
        match self.target {
            Target::Grows(_) => noted(self.check_present()),
            Target::Whole(file) => file.commit(),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.target {
            Target::Grows(file) => file.write(bytes),
            Target::Whole(file) => file.write(bytes),
        };
        noted_at(&self.path, written)
    }

    /// Also checks that a file that is appended to is still there: work whose results go nowhere must end.
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Grows(_) => noted(self.check_present()),
            Target::Whole(file) => file.flush(),
        }
    }
}

/// The file that `path` names now.
///
/// # Errors
/// Those of the file system, with the path in the message.
pub fn file_id(path: &Path) -> io::Result<FileId> {
    FileId::of(path).map_err(|e| named(path, &e))
}

/// Checks that `path` still names the file `id`.
///
/// # Errors
/// [`io::ErrorKind::NotFound`] when it was deleted, moved or replaced.
pub fn check_present(path: &Path, id: FileId) -> io::Result<()> {
    if FileId::of(path).is_ok_and(|there| there == id) {
        return Ok(());
    }
    let words = format!("{}: this file or its folder was deleted, moved or replaced during the work", path.display());
    Err(io::Error::new(io::ErrorKind::NotFound, words))
}

/// This error with the path in its message.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, existing: Existing, text: &str) -> io::Result<()> {
        let mut file = open_output(path, existing)?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        file.commit()
    }

    #[test]
    fn existing_files_are_appended_to_refused_or_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let read = || fs::read_to_string(&path).unwrap();
        write(&path, Existing::Refuse, "one").unwrap();
        let error = write(&path, Existing::Refuse, "two").unwrap_err();
        assert_eq!((error.kind(), read()), (io::ErrorKind::AlreadyExists, "one".to_string()));
        assert!(error.to_string().contains("games.pgn: this file exists; --force replaces it"), "{error}");
        write(&path, Existing::Append, "+").unwrap();
        assert_eq!(read(), "one+");
        drop(open_output(&path, Existing::Append).unwrap());
        drop(open_output(&path, Existing::Replace).unwrap());
        assert_eq!(read(), "one+", "opening changes nothing");
        write(&path, Existing::Replace, "new").unwrap();
        assert_eq!(read(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// `selfplay --force` removed the file that another self-play was writing, and its games were gone.
    #[test]
    fn force_does_not_take_a_file_from_a_run_that_writes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sgs");
        let writer = open_alone(&path).unwrap().unwrap();
        let error = check(&path, Existing::Refuse, true).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(error.to_string().contains("games.sgs: another run writes this file"), "{error}");
        drop(writer);
        check(&path, Existing::Refuse, true).unwrap();
    }

    #[test]
    fn one_file_by_many_names_is_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        fs::write(at("v.sgs"), "games").unwrap();
        fs::write(at("w.sgs"), "games").unwrap();
        fs::hard_link(at("v.sgs"), at("hard.sgs")).unwrap();
        let mut same = vec!["v.sgs", "deep/../v.sgs", "./v.sgs", "hard.sgs"];
        use tesuji_system::link;
        let is_linked = link(&at("v.sgs"), &at("soft.sgs")).and_then(|()| link(folder.path(), &at("round")));
        assert!(is_linked.is_ok() || cfg!(windows), "only Windows may forbid links");
        if is_linked.is_ok() {
            same.extend(["soft.sgs", "round/v.sgs"]);
            assert!(is_same_file(&at("none.sgs"), &at("round/none.sgs")));
        }
        for name in same {
            assert!(is_same_file(&at("v.sgs"), &at(name)) && !is_same_file(&at("w.sgs"), &at(name)), "{name}");
        }
        assert!(is_same_file(&at("none.sgs"), &at("deep/../none.sgs")) && !is_same_file(&at("none.sgs"), &at("v.sgs")));
    }

    /// Two runs wrote one file at once, and it held a mixture.
    #[test]
    fn a_file_taken_for_one_process_is_not_given_to_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn.part");
        let mut first = open_alone(&path).unwrap().unwrap();
        first.write_all(b"game").unwrap();
        assert!(open_alone(&path).unwrap().is_none());
        drop(first);
        let mut text = String::new();
        open_alone(&path).unwrap().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "game");
    }

    #[test]
    fn an_open_last_line_is_ended_before_more_follows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        for (before, after) in [("", "x"), ("a\n", "a\nx"), ("a", "a\nx")] {
            fs::write(&path, before).unwrap();
            let mut file = open_output(&path, Existing::Append).unwrap();
            file.end_last_line().unwrap();
            file.write_all(b"x").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
        }
    }

    #[test]
    fn files_in_deleted_and_missing_folders_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("deep");
        let path = inside.join("games.pgn");
        for existing in [Existing::Append, Existing::Refuse, Existing::Replace] {
            let error = open_output(&path, existing).unwrap_err().to_string();
            assert!(error.contains("games.pgn: the folder of this file does not exist"), "{error}");
            let error = open_output(folder.path(), existing).unwrap_err().to_string();
            assert!(error.contains("this is a folder"), "{error}");
        }
        for replaced in [false, true] {
            fs::create_dir(&inside).unwrap();
            let mut file = open_output(&path, Existing::Append).unwrap();
            write!(file, "game").and_then(|()| file.flush()).unwrap();
            fs::remove_dir_all(&inside).unwrap();
            if replaced {
                fs::create_dir(&inside).unwrap();
                fs::write(&path, "another").unwrap();
            }
            let error = write!(file, "game").and_then(|()| file.flush()).unwrap_err();
            assert!(error.to_string().contains("was deleted, moved or replaced"), "{error}");
            let _ = fs::remove_dir_all(&inside);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written_and_never_replaced() {
        let full = Path::new("/dev/full");
        for existing in [Existing::Append, Existing::Refuse, Existing::Replace] {
            write(Path::new("/dev/null"), existing, "gone").unwrap();
            let error = write(full, existing, "no").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{error}");
            assert!(is_special(full) && is_special(Path::new("/dev/null")));
        }
        assert_eq!(AtomicFile::write(full, b"no").unwrap_err().kind(), io::ErrorKind::StorageFull);
        AtomicFile::write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(is_special(full) && is_special(Path::new("/dev/null")));
    }

    /// `/proc` takes no files from anybody, root included.
    #[cfg(target_os = "linux")]
    #[test]
    fn folders_that_take_no_files_are_errors_with_the_path() {
        let path = Path::new("/proc/tesuji-test.pgn");
        for existing in [Existing::Append, Existing::Refuse, Existing::Replace] {
            let error = open_output(path, existing).unwrap_err().to_string();
            assert!(error.contains("/proc/tesuji-test.pgn"), "{error}");
        }
        let error = open_log(path).unwrap_err().to_string();
        assert!(error.contains("/proc/tesuji-test.pgn"), "{error}");
    }

    #[test]
    fn one_process_at_a_time_appends_to_a_locked_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let first = open_output(&path, Existing::Append).unwrap();
        let second = open_output(&path, Existing::Append).unwrap();
        assert!(first.lock().unwrap());
        assert!(!second.lock().unwrap());
        drop(first);
        assert!(second.lock().unwrap());
    }
}
