//! Files that are read whatever compresses them, and written whole or not at all.

use crate::interrupt::is_process_interrupted;
use crate::joined::Wanted;
use crate::log_file::is_log;
use crate::paths::{folder_of, is_special};
use crate::tar_members::{TarMembers, is_tar};
use crate::unpack::{BUFFER, unpacked};
use crate::unwritten::{noted, noted_at};
use crate::zipped::{directory, is_zip, joined_zip};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use tesuji_system::{Waiting, is_named_pipe, is_process_alive, open_pipe, sync_folder, try_lock};

/// Opens a file for reading, through zstd, gzip, bzip2, xz or zip where its first bytes say so (names do not matter; the files of an
/// archive follow each other). `-` is stdin. Where a pipe or a terminal is silent, Ctrl-C ends the wait for it.
///
/// # Errors
/// Those of the file system, with the path in the message.
pub fn open_input(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    open_watched(path, &Arc::default())
}

/// [`open_input`], counting in `read` the bytes taken from the file as it lies on disk.
///
/// # Errors
/// Those of the file system, with the path in the message.
pub fn open_watched(path: &Path, read: &Arc<AtomicU64>) -> io::Result<Box<dyn BufRead + Send>> {
    open_members(path, read, &(Arc::new(|_: &str| true) as Wanted))
}

/// [`open_watched`], of an archive (zip, or tar packed or not) only the files whose names are `wanted`, one after another.
///
/// # Errors
/// Those of the file system, with the path in the message; what is wrong with the archive.
pub fn open_members(path: &Path, read: &Arc<AtomicU64>, wanted: &Wanted) -> io::Result<Box<dyn BufRead + Send>> {
    let failed = |e: io::Error| named(path, &e);
    if path == Path::new("-") {
        let inner = Waiting::stdin(is_process_interrupted).map_err(failed)?;
        return unpacked(Box::new(Counted { inner, read: read.clone() })).map_err(failed);
    }
    // Pipes cannot be rewound; they are no archives either.
    let mut file = match Waiting::open(path, is_process_interrupted).map_err(failed)?.into_regular() {
        Ok(file) => file,
        Err(inner) => return unpacked(Box::new(Counted { inner, read: read.clone() })).map_err(failed),
    };
    let counted = |inner: File| Counted { inner, read: read.clone() };
    // What is wrong with the compression is told when it is read.
    let kind = archive_kind(&mut file).unwrap_or(None);
    file.rewind().map_err(failed)?;
    Ok(match kind {
        Some(Archive::Zip) => {
            let inner = joined_zip(file, &**wanted).map_err(failed)?;
            Box::new(BufReader::with_capacity(BUFFER, Counted { inner, read: read.clone() }))
        }
        Some(Archive::Tar) => {
            let members = TarMembers::new(counted(file), path.display().to_string())?;
            Box::new(BufReader::with_capacity(BUFFER, members.joined(wanted.clone())))
        }
        None => unpacked(Box::new(counted(file))).map_err(failed)?,
    })
}

/// Kinds of archives.
enum Archive {
    Zip,
    Tar,
}

/// The kind of archive that `file` is, by its content; the file is left at its beginning.
fn archive_kind(file: &mut File) -> io::Result<Option<Archive>> {
    let mut magic = [0; 4];
    let is_zip = file.read_exact(&mut magic).is_ok() && is_zip(&magic);
    file.rewind()?;
    let is_tar = !is_zip && is_tar(file.try_clone()?)?;
    file.rewind()?;
    Ok(is_zip.then_some(Archive::Zip).or(is_tar.then_some(Archive::Tar)))
}

/// The name of the first file in the archive `path` whose name is `known`; `None` for other files, and for archives without such a file.
///
/// # Errors
/// Those of the file system, with the path in the message; what is wrong with the archive.
pub fn find_in_archive(path: &Path, known: &dyn Fn(&str) -> bool) -> io::Result<Option<String>> {
    // A pipe would lose its first bytes.
    if !fs::metadata(path).is_ok_and(|m| m.is_file()) {
        return Ok(None);
    }
    let failed = |e: io::Error| named(path, &e);
    let mut file = File::open(path).map_err(failed)?;
    match archive_kind(&mut file).map_err(failed)? {
        None => Ok(None),
        Some(Archive::Zip) => {
            let entries = directory(file).map_err(failed)?;
            Ok(entries.into_iter().map(|entry| entry.name).find(|name| known(name)))
        }
        Some(Archive::Tar) => {
            let found = TarMembers::new(file, path.display().to_string())?.next(known)?;
            Ok(found.map(|member| member.name))
        }
    }
}

/// Counts the bytes read.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.read.fetch_add(n as u64, Relaxed);
        Ok(n)
    }
}

/// This error with the path in its message.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A file that appears under its name only when it is complete: written beside, synced, renamed.
///
/// Dropped without [`AtomicFile::commit`], it leaves what was there before. What a killed process left beside is removed
/// when the next one writes the same file. A device or a pipe is written as it is, a link stays one.
#[derive(Debug)]
pub struct AtomicFile {
    out: Option<BufWriter<File>>,
    /// The path of the file until it is complete; `None`: it is written in place.
    aside: Option<PathBuf>,
    path: PathBuf,
}

/// The ending of files that are not complete.
const UNFINISHED: &str = ".tmp";

impl AtomicFile {
    /// Begins a file that will be called `path`.
    ///
    /// # Errors
    /// Those of the file system, with the path in the message.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        if is_special(path) {
            let open = |path| File::options().write(true).open(path);
            let is_pipe = is_named_pipe(path);
            let opened = if is_pipe { open_pipe(path, is_process_interrupted) } else { open(path) };
            let file = noted_at(path, opened)?;
            return Ok(AtomicFile { out: Some(BufWriter::new(file)), aside: None, path: path.to_path_buf() });
        }
        if is_log(path) {
            let error = io::Error::new(io::ErrorKind::AlreadyExists, "the log goes into this file; name another one");
            return Err(named(path, &error));
        }
        let target = if path.is_symlink() { fs::canonicalize(path) } else { Ok(path.to_path_buf()) };
        let path = target.map_err(|e| named(path, &e))?;
        let start = unfinished_name(&path)?;
        remove_stale(&path, &start);
        let mut name = start;
        name.push(format!("{}{UNFINISHED}", std::process::id()));
        let aside = path.with_file_name(name);
        let file = noted_at(&path, File::create(&aside))?;
        // By this lock other processes know that it is not stale. Not every file system has locks.
        let _ = try_lock(&file);
        Ok(AtomicFile { out: Some(BufWriter::with_capacity(1 << 17, file)), aside: Some(aside), path })
    }

    /// Puts the file in its place. After this it survives a crash of the machine.
    ///
    /// # Errors
    /// Those of the file system; the old file is then still in place, and nothing is left beside it.
    pub fn commit(mut self) -> io::Result<()> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let done = noted_at(&self.path, self.finish(out));
        if let (Err(_), Some(aside)) = (&done, &self.aside) {
            let _ = fs::remove_file(aside);
        }
        done
    }

    fn finish(&self, out: BufWriter<File>) -> io::Result<()> {
        // Without the rest of the buffer, which could not be written.
        let file = out.into_inner().map_err(|e| io::Error::new(e.error().kind(), e.error().to_string()))?;
        let Some(aside) = &self.aside else { return Ok(()) };
        file.sync_all()?;
        fs::rename(aside, &self.path)?;
        // The name itself lives in the folder.
        sync_folder(folder_of(&self.path));
        Ok(())
    }

    /// Writes `bytes` as the file `path`, whole or not at all.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(bytes).map_err(|e| named(path, &e))?;
        file.commit()
    }
}

/// The prefix of temporary files beside `path` that are not complete; the process id follows.
fn unfinished_name(path: &Path) -> io::Result<OsString> {
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, format!("{}: not the name of a file", path.display()))
    })?;
    let mut start = OsString::from(".");
    start.push(name);
    start.push(".");
    Ok(start)
}

/// Removes what killed processes left of `path`, once for each path in a process.
fn remove_stale(path: &Path, start: &OsStr) {
    static SEEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if !SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf()) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return };
    let start = start.as_encoded_bytes();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.as_encoded_bytes().strip_prefix(start).and_then(|n| n.strip_suffix(UNFINISHED.as_bytes()));
        let process = number.and_then(|n| std::str::from_utf8(n).ok()?.parse::<u32>().ok());
        if process.is_some_and(|id| id != std::process::id() && !is_process_alive(id)) && is_unlocked(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether nobody writes the file.
fn is_unlocked(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| try_lock(&file).is_ok())
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        noted(self.out.as_mut().map_or(Ok(0), |out| out.write(bytes)))
    }

    fn flush(&mut self) -> io::Result<()> {
        noted(self.out.as_mut().map_or(Ok(()), BufWriter::flush))
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        let Some(out) = self.out.take() else { return };
        // What is left in the buffer is not wanted, and a full disk would say so once more.
        let _ = out.into_parts();
        if let Some(aside) = &self.aside {
            let _ = fs::remove_file(aside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expect: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        fs::write(&path, bytes).unwrap();
        let mut text = String::new();
        open_input(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, expect);
    }

    #[test]
    fn compression_is_found_by_its_magic() {
        let text = "one\ntwo\n".repeat(1000);
        check(text.as_bytes(), &text);
        check(&zstd::encode_all(text.as_bytes(), 3).unwrap(), &text);
        check(crate::unpack::tests::XZ, "one\ntwo\n");
        check(b"", "");
        check(b"x", "x");
    }

    #[test]
    fn errors_name_the_file() {
        let error = open_input(Path::new("no/such/file")).err().unwrap();
        assert!(error.to_string().contains("no/such/file"), "{error}");
    }

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.json");
        AtomicFile::write(&path, b"old").unwrap();
        let mut half = AtomicFile::create(&path).unwrap();
        half.write_all(b"ne").unwrap();
        half.flush().unwrap();
        drop(half);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        AtomicFile::write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(AtomicFile::create(Path::new("/")).is_err());
    }

    #[test]
    fn a_failed_commit_leaves_no_unfinished_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.json");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        // A folder of this name came meanwhile: the file cannot take its place.
        fs::create_dir_all(path.join("full")).unwrap();
        assert!(file.commit().unwrap_err().to_string().contains("weights.json"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_others_write_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.bin");
        let beside = |name: &str| folder.path().join(name);
        // Numbers of processes are smaller than this one; the locked file is one that is being written.
        let (stale, busy) = (beside(".net.bin.4294967294.tmp"), beside(".net.bin.4294967293.tmp"));
        let others = [".net.bin.old.tmp", ".net.bin2.4294967294.tmp", "net.bin.4294967294.tmp"].map(beside);
        for file in others.iter().chain([&stale, &busy]) {
            fs::write(file, "half").unwrap();
        }
        let writer = File::options().write(true).open(&busy).unwrap();
        try_lock(&writer).unwrap();
        AtomicFile::write(&path, b"new").unwrap();
        assert!(!stale.exists() && busy.exists() && others.iter().all(|file| file.exists()));
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "old").unwrap();
        if tesuji_system::link(&path, &link).is_err() && cfg!(windows) {
            return;
        }
        AtomicFile::write(&link, b"new").unwrap();
        assert_eq!((link.is_symlink(), fs::read(&path).unwrap()), (true, b"new".to_vec()));
    }
}
