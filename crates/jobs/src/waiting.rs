//! Inputs and outputs whose other end may be long in coming: a named pipe that nobody writes or reads, a terminal, another program. They are
//! waited for until Ctrl-C.

use crate::interrupt;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags},
};
use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read},
    os::{fd::AsFd, unix::fs::FileTypeExt},
    path::Path,
    thread,
    time::Duration,
};

/// The interval at which a waiting reader checks whether to stop.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Opens the file `path` for reading. A named pipe is opened at once, whether somebody writes it or not.
///
/// # Errors
/// Those of the file system.
pub(crate) fn open_at_once(path: &Path) -> io::Result<File> {
    if is_named_pipe(path) {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        return Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?));
    }
    File::open(path)
}

/// Opens the named pipe `path` for writing once somebody reads it; the wait ends with Ctrl-C.
///
/// # Errors
/// Those of the file system, and that the wait was ended.
pub(crate) fn open_pipe(path: &Path) -> io::Result<File> {
    open_pipe_until(path, interrupt::is_process_interrupted)
}

fn open_pipe_until(path: &Path, is_stopped: fn() -> bool) -> io::Result<File> {
    loop {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::open(path, flags, Mode::empty()) {
            // Writing waits for a slow reader, as in any pipe.
            Ok(pipe) => {
                rustix::fs::fcntl_setfl(&pipe, OFlags::WRONLY)?;
                return Ok(File::from(pipe));
            }
            Err(rustix::io::Errno::NXIO) if is_stopped() => {
                return Err(io::Error::other("stopped while waiting for a reader of this pipe"));
            }
            Err(rustix::io::Errno::NXIO) => thread::sleep(Duration::from_nanos(LOOK_EVERY.tv_nsec as u64)),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether `path` is a named pipe.
pub(crate) fn is_named_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.file_type().is_fifo())
}

/// stdin without the buffer of the standard library: what is buffered there cannot be waited for.
///
/// # Errors
/// Those of the system.
pub(crate) fn unbuffered_stdin() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// A reader that stops waiting for bytes when the process is interrupted. Bytes that are there are read all the same.
pub(crate) struct Waiting {
    file: File,
    is_stopped: fn() -> bool,
}

impl Waiting {
    /// Reads `file`, until Ctrl-C where nothing comes.
    pub(crate) fn new(file: File) -> Waiting {
        Waiting { file, is_stopped: interrupt::is_process_interrupted }
    }
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // A pipe without a writer yet has no end either: reading it would find one.
            let ready = poll(&mut [PollFd::new(&self.file, PollFlags::IN)], Some(&LOOK_EVERY));
            match ready.map_err(io::Error::from) {
                Ok(0) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(_) => match self.file.read(buffer) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    read => return read,
                },
            }
            if (self.is_stopped)() {
                return Err(io::Error::other("stopped while waiting for this input"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, mknodat};
    use std::{io::Write, path::PathBuf, thread};

    fn pipe(folder: &tempfile::TempDir) -> PathBuf {
        let path = folder.path().join("pipe.pgn");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        path
    }

    /// `data stats PIPE` hung in the opening of a named pipe without a writer, and only a second Ctrl-C ended it.
    #[test]
    fn one_interrupt_ends_the_wait_for_a_named_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(&folder);
        let mut waiting = Waiting { file: open_at_once(&path).unwrap(), is_stopped: || true };
        let error = waiting.read(&mut [0; 8]).unwrap_err().to_string();
        assert_eq!(error, "stopped while waiting for this input");
        // A writer that is silent.
        let mut writer = File::options().write(true).open(&path).unwrap();
        assert!(waiting.read(&mut [0; 8]).is_err());
        writer.write_all(b"ab").unwrap();
        assert_eq!(waiting.read(&mut [0; 8]).unwrap(), 2, "what is there is read");
    }

    #[test]
    fn a_named_pipe_is_read_from_its_first_writer_to_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(&folder);
        let file = open_at_once(&path).unwrap();
        let writer = thread::spawn(move || {
            thread::sleep(std::time::Duration::from_millis(150));
            fs::write(&path, "x".repeat(200_000))
        });
        let mut text = String::new();
        Waiting { file, is_stopped: || false }.read_to_string(&mut text).unwrap();
        assert_eq!(text.len(), 200_000);
        writer.join().unwrap().unwrap();
    }

    /// `selfplay --out PIPE` hung in the opening of a pipe without a reader, and only SIGKILL ended it.
    #[test]
    fn one_interrupt_ends_the_wait_for_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(&folder);
        let error = open_pipe_until(&path, || true).unwrap_err().to_string();
        assert_eq!(error, "stopped while waiting for a reader of this pipe");
        let reader = thread::spawn({
            let path = path.clone();
            move || fs::read(path)
        });
        let text = vec![b'x'; 200_000];
        open_pipe_until(&path, || false).unwrap().write_all(&text).unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), text, "a pipe holds less: the writer waits for the reader");
    }

    #[test]
    fn files_and_devices_are_read_to_their_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "abc").unwrap();
        for (path, expect) in [(path.as_path(), "abc"), (Path::new("/dev/null"), "")] {
            let mut text = String::new();
            Waiting::new(open_at_once(path).unwrap()).read_to_string(&mut text).unwrap();
            assert_eq!(text, expect);
        }
    }
}
