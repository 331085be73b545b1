//! Files that somebody else named, over a protocol or in an option: regular ones only, read up to a size however they are compressed.

use crate::open_input;
use std::{
    fs, io,
    io::{BufRead, BufReader, Read},
    path::Path,
};

/// Opens a file as [`open_input`] does, but neither stdin nor a device, a pipe or a folder. Reading more than `bytes_max`
/// bytes of it, unpacked, is an error: a small file may unpack without end.
///
/// # Errors
/// Those of the file system, or what the file is instead of a regular one, with the path in the message.
pub fn open_bounded(path: &Path, bytes_max: u64) -> io::Result<Box<dyn BufRead + Send>> {
    check(path)?;
    Ok(Box::new(BufReader::new(Bounded {
        inner: open_input(path)?,
        name: path.display().to_string(),
        bytes_max,
        read: 0,
    })))
}

/// Opens a file as [`open_input`] does, stdin and pipes as well. Reading more than `bytes_max` bytes of it, unpacked, is an error:
/// for what is held in memory as a whole. What never ends, such as `/dev/zero`, ends there.
///
/// # Errors
/// Those of the file system, with the path in the message.
pub fn open_limited(path: &Path, bytes_max: u64) -> io::Result<Box<dyn BufRead + Send>> {
    let (inner, name) = (open_input(path)?, path.display().to_string());
    Ok(Box::new(BufReader::new(Bounded { inner, name, bytes_max, read: 0 })))
}

/// The text of a file of at most `bytes_max` bytes, unpacked; of stdin and pipes as well.
///
/// # Errors
/// As [`open_limited`], or when it is not UTF-8.
pub fn read_text_limited(path: &Path, bytes_max: u64) -> io::Result<String> {
    text_of(path, &mut open_limited(path, bytes_max)?)
}

/// The bytes of a regular file of at most `bytes_max`, as they lie there.
///
/// # Errors
/// As [`open_bounded`].
pub fn read_bounded(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    check(path)?;
    let file = fs::File::open(path).map_err(|error| named(path, &error))?;
    let mut bytes = Vec::new();
    let mut file = Bounded { inner: file, name: path.display().to_string(), bytes_max, read: 0 };
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a regular file of at most `bytes_max` bytes, unpacked.
///
/// # Errors
/// As [`open_bounded`], or when it is not UTF-8.
pub fn read_text_bounded(path: &Path, bytes_max: u64) -> io::Result<String> {
    text_of(path, &mut open_bounded(path, bytes_max)?)
}

/// All of `input`, which is the file `path`, as text.
fn text_of(path: &Path, input: &mut dyn Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes);
    text.map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("{}: byte {at}: expected text in UTF-8", path.display()))
    })
}

/// Whether the path names a regular file. Asked before it is opened: opening a pipe waits for its writer.
fn check(path: &Path) -> io::Result<()> {
    let found = fs::metadata(path).map_err(|error| named(path, &error))?.file_type();
    let what = match () {
        () if found.is_file() => return Ok(()),
        () if found.is_dir() => "a folder",
        () => "a device or a pipe",
    };
    let words = format!("{}: expected a regular file, found {what}", path.display());
    Err(io::Error::new(io::ErrorKind::InvalidInput, words))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A reader that fails where it comes to more than its bound.
struct Bounded<R> {
    inner: R,
    name: String,
    bytes_max: u64,
    read: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.read += n as u64;
        if self.read > self.bytes_max {
            let words = format!("{}: expected at most {} MiB, unpacked", self.name, self.bytes_max >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `loadsgf /dev/zero` read on until the memory was full.
    #[test]
    fn devices_and_endless_files_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, words) in [(Path::new("/dev/zero"), "a device or a pipe"), (folder.path(), "a folder")] {
            let error = read_bounded(path, 10).expect_err("refused").to_string();
            assert!(error.contains(words), "{error}");
            assert!(open_bounded(path, 10).is_err());
        }
        assert!(open_bounded(Path::new("-"), 10).is_err(), "stdin is the protocol's");
        let packed = folder.path().join("zeros.gz");
        let mut gz =
            flate2::write::GzEncoder::new(fs::File::create(&packed).expect("a file"), flate2::Compression::best());
        io::copy(&mut io::repeat(0).take(3 << 20), &mut gz).and_then(|_| gz.finish()).expect("written");
        let mut text = Vec::new();
        let error =
            open_bounded(&packed, 2 << 20).and_then(|mut file| file.read_to_end(&mut text)).expect_err("too long");
        assert!(error.to_string().ends_with("zeros.gz: expected at most 2 MiB, unpacked"), "{error}");
        assert_eq!(
            open_bounded(&packed, 3 << 20).and_then(|mut file| file.read_to_end(&mut text)).expect("read"),
            3 << 20
        );
    }

    /// `match --request /dev/zero` and others read on until the memory was full.
    #[test]
    fn what_never_ends_is_read_up_to_its_limit() {
        let error = read_text_limited(Path::new("/dev/zero"), 2 << 20).expect_err("no end").to_string();
        assert_eq!(error, "/dev/zero: expected at most 2 MiB, unpacked");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.txt");
        fs::write(&path, "abc").expect("written");
        assert_eq!(read_text_limited(&path, 3).expect("text"), "abc");
        assert!(read_text_limited(&path, 2).is_err());
    }

    #[test]
    fn what_is_no_text_names_its_byte() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.txt");
        fs::write(&path, b"abc\xff").expect("written");
        let error = read_text_bounded(&path, 10).expect_err("no text").to_string();
        assert!(error.ends_with("a.txt: byte 3: expected text in UTF-8"), "{error}");
        fs::write(&path, b"abc").expect("written");
        assert_eq!(read_text_bounded(&path, 3).expect("text"), "abc");
    }
}
