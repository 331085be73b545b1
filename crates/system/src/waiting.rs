//! Inputs and outputs whose other end may be long in coming: a named pipe that nobody writes or reads, a terminal, another program. They
//! are waited for until the work is stopped.

#[cfg(unix)]
mod polled;
#[cfg(any(not(unix), feature = "portable", test))]
mod threaded;

#[cfg(all(unix, not(feature = "portable")))]
use polled as backend;
#[cfg(any(not(unix), feature = "portable"))]
use threaded as backend;

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
    time::Duration,
};

/// The interval at which a waiting reader or writer checks whether to stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A reader that stops waiting for bytes when it is told to. Bytes that are there are read all the same.
#[derive(Debug)]
pub struct Waiting(backend::Waiting);

impl Waiting {
    /// Opens the file `path`, and reads it until `is_stopped` where nothing comes. A named pipe is opened at once, whether somebody writes
    /// it or not.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(path: &Path, is_stopped: fn() -> bool) -> io::Result<Waiting> {
        backend::Waiting::open(path, is_stopped).map(Waiting)
    }

    /// stdin without the buffer of the standard library: what is buffered there cannot be waited for.
    ///
    /// # Errors
    /// Those of the system.
    pub fn stdin(is_stopped: fn() -> bool) -> io::Result<Waiting> {
        backend::Waiting::stdin(is_stopped).map(Waiting)
    }

    /// The file itself, where it is a regular one, whose bytes are there.
    ///
    /// # Errors
    /// The reader, where it is none.
    pub fn into_regular(self) -> Result<File, Waiting> {
        self.0.into_regular().map_err(Waiting)
    }
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

/// Opens the named pipe `path` for writing once somebody reads it; the wait ends with `is_stopped`.
///
/// # Errors
/// Those of the file system, and that the wait was ended.
pub fn open_pipe(path: &Path, is_stopped: fn() -> bool) -> io::Result<File> {
    #[cfg(unix)]
    return polled::open_pipe(path, is_stopped);
    // A pipe of Windows is there only as long as its other end is.
    #[cfg(not(unix))]
    {
        let _ = is_stopped;
        File::options().write(true).open(path)
    }
}

/// Whether `path` is a named pipe of the kind that waits for its other end when it is opened. Windows has none.
pub fn is_named_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Whether an open file is a regular one.
fn is_regular(file: &File) -> bool {
    file.metadata().is_ok_and(|found: fs::Metadata| found.is_file())
}

/// The error of a wait that was ended.
fn stopped() -> io::Error {
    io::Error::other("stopped while waiting for this input")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::{io::Write, path::PathBuf, thread};

    fn pipe(folder: &tempfile::TempDir) -> PathBuf {
        let path = folder.path().join("pipe.pgn");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        path
    }

    /// The same tests for both ways.
    macro_rules! tests_of {
        ($name:ident, $backend:ident) => {
            mod $name {
                use super::{super::$backend::Waiting, *};

                /// `data stats PIPE` hung in the opening of a named pipe without a writer, and only a second Ctrl-C ended it.
                #[test]
                fn one_interrupt_ends_the_wait_for_a_named_pipe() {
                    let folder = tempfile::tempdir().unwrap();
                    let path = pipe(&folder);
                    let mut waiting = Waiting::open(&path, || true).unwrap();
                    let error = waiting.read(&mut [0; 8]).unwrap_err().to_string();
                    assert_eq!(error, "stopped while waiting for this input");
                    // A writer that is silent.
                    let mut writer = File::options().write(true).open(&path).unwrap();
                    assert!(waiting.read(&mut [0; 8]).is_err());
                    writer.write_all(b"ab").unwrap();
                    drop(writer);
                    let mut text = Vec::new();
                    while text.len() < 2 {
                        let mut bytes = [0; 8];
                        // A thread may need a moment to see what is there.
                        let read = waiting.read(&mut bytes).unwrap_or(0);
                        text.extend_from_slice(&bytes[..read]);
                    }
                    assert_eq!(text, b"ab", "what is there is read");
                }

                #[test]
                fn a_named_pipe_is_read_from_its_first_writer_to_the_end() {
                    let folder = tempfile::tempdir().unwrap();
                    let path = pipe(&folder);
                    let mut waiting = Waiting::open(&path, || false).unwrap();
                    let writer = thread::spawn(move || {
                        thread::sleep(Duration::from_millis(150));
                        fs::write(&path, "x".repeat(200_000))
                    });
                    let mut text = String::new();
                    waiting.read_to_string(&mut text).unwrap();
                    assert_eq!(text.len(), 200_000);
                    writer.join().unwrap().unwrap();
                }

                #[test]
                fn files_and_devices_are_read_to_their_end() {
                    let folder = tempfile::tempdir().unwrap();
                    let path = folder.path().join("a");
                    fs::write(&path, "abc").unwrap();
                    for (path, expect) in [(path.as_path(), "abc"), (Path::new("/dev/null"), "")] {
                        let mut text = String::new();
                        Waiting::open(path, || false).unwrap().read_to_string(&mut text).unwrap();
                        assert_eq!(text, expect);
                        let is_regular = Waiting::open(path, || false).unwrap().into_regular().is_ok();
                        assert_eq!(is_regular, expect == "abc");
                    }
                    assert!(Waiting::open(&folder.path().join("b"), || false).is_err());
                }
            }
        };
    }

    tests_of!(by_polling, polled);
    tests_of!(by_threads, threaded);

    /// `selfplay --out PIPE` hung in the opening of a pipe without a reader, and only SIGKILL ended it.
    #[test]
    fn one_interrupt_ends_the_wait_for_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(&folder);
        assert!(is_named_pipe(&path) && !is_named_pipe(folder.path()));
        let error = open_pipe(&path, || true).unwrap_err().to_string();
        assert_eq!(error, "stopped while waiting for a reader of this pipe");
        let reader = thread::spawn({
            let path = path.clone();
            move || fs::read(path)
        });
        let text = vec![b'x'; 200_000];
        open_pipe(&path, || false).unwrap().write_all(&text).unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), text, "a pipe holds less: the writer waits for the reader");
    }
}
