//! Inputs and outputs that may be long in coming, on Unix: `poll` waits for them.

use super::{LOOK_EVERY, is_named_pipe, is_regular, stopped};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags},
};
use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    os::fd::AsFd,
    path::Path,
    thread,
};

/// Opens the named pipe `path` for writing once somebody reads it; the wait ends with `is_stopped`.
pub(super) fn open_pipe(path: &Path, is_stopped: fn() -> bool) -> io::Result<File> {
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
            Err(rustix::io::Errno::NXIO) => thread::sleep(LOOK_EVERY),
            Err(error) => return Err(error.into()),
        }
    }
}

/// A reader that polls before it reads.
#[derive(Debug)]
#[cfg_attr(feature = "portable", allow(dead_code))]
pub(super) struct Waiting {
    file: File,
    is_stopped: fn() -> bool,
}

#[cfg_attr(feature = "portable", allow(dead_code))]
impl Waiting {
    pub(super) fn open(path: &Path, is_stopped: fn() -> bool) -> io::Result<Waiting> {
        let file = if is_named_pipe(path) {
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            File::from(rustix::fs::open(path, flags, Mode::empty())?)
        } else {
            File::open(path)?
        };
        Ok(Waiting { file, is_stopped })
    }

    pub(super) fn stdin(is_stopped: fn() -> bool) -> io::Result<Waiting> {
        Ok(Waiting { file: File::from(io::stdin().as_fd().try_clone_to_owned()?), is_stopped })
    }

    pub(super) fn into_regular(self) -> Result<File, Waiting> {
        if is_regular(&self.file) { Ok(self.file) } else { Err(self) }
    }
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let timeout = Timespec { tv_sec: 0, tv_nsec: LOOK_EVERY.subsec_nanos().into() };
        loop {
            // A pipe without a writer yet has no end either: reading it would find one.
            let ready = poll(&mut [PollFd::new(&self.file, PollFlags::IN)], Some(&timeout));
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
                return Err(stopped());
            }
        }
    }
}
