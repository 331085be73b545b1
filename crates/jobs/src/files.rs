//! Files that are read whatever compresses them, and written whole or not at all.

use crate::unpack::{BUFFER, decompressed};
use crate::zipped::{Entries, is_zip};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Opens a file for reading, through zstd, gzip, bzip2, xz or zip where its first bytes say so (names do not matter; the files of an
/// archive follow each other). `-` is stdin.
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
    if path == Path::new("-") {
        return decompressed(Box::new(Counted { inner: io::stdin(), read: read.clone() })).map_err(|e| named(path, &e));
    }
    let mut file = File::open(path).map_err(|e| named(path, &e))?;
    // Pipes cannot be rewound; they are no archives either.
    if file.metadata().is_ok_and(|m| m.is_file()) {
        let mut magic = [0; 4];
        let archive = file.read_exact(&mut magic).is_ok() && is_zip(&magic);
        file.rewind().map_err(|e| named(path, &e))?;
        if archive {
            let entries = Entries::open(file).map_err(|e| named(path, &e))?;
            return Ok(Box::new(BufReader::with_capacity(BUFFER, Counted { inner: entries, read: read.clone() })));
        }
    }
    decompressed(Box::new(Counted { inner: file, read: read.clone() })).map_err(|e| named(path, &e))
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

/// The same error with the path in its message.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A file that appears under its name only when it is complete: written beside, synced, renamed.
///
/// Dropped without [`AtomicFile::commit`], it leaves what was there before.
#[derive(Debug)]
pub struct AtomicFile {
    out: Option<BufWriter<File>>,
    aside: PathBuf,
    path: PathBuf,
}

impl AtomicFile {
    /// Begins a file that will be called `path`.
    ///
    /// # Errors
    /// Those of the file system, with the path in the message.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        let name = path.file_name().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("{}: not the name of a file", path.display()))
        })?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.tmp", std::process::id()));
        let aside = path.with_file_name(hidden);
        let out = BufWriter::with_capacity(1 << 17, File::create(&aside).map_err(|e| named(path, &e))?);
        Ok(AtomicFile { out: Some(out), aside, path: path.to_path_buf() })
    }

    /// Puts the file in its place. After this it survives a crash of the machine.
    ///
    /// # Errors
    /// Those of the file system; the old file is then still in place.
    pub fn commit(mut self) -> io::Result<()> {
        if let Some(out) = self.out.take() {
            let file = out.into_inner().map_err(|e| named(&self.path, e.error()))?;
            file.sync_all().map_err(|e| named(&self.path, &e))?;
            fs::rename(&self.aside, &self.path).map_err(|e| named(&self.path, &e))?;
            let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            // The name itself lives in the folder. Not every file system lets a folder be synced.
            if let Ok(folder) = File::open(folder) {
                let _ = folder.sync_all();
            }
        }
        Ok(())
    }

    /// Writes `bytes` as the file `path`, whole or not at all.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(bytes)?;
        file.commit()
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.as_mut().map_or(Ok(0), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.out.take().is_some() {
            let _ = fs::remove_file(&self.aside);
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
}
