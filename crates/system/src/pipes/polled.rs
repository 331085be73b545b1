//! The pipes of a program on Unix: they never block, and `poll` waits for them. No threads.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::{
    io::{self, Read, Write},
    os::fd::AsFd,
    process::{ChildStderr, ChildStdin, ChildStdout},
    time::Duration,
};

#[derive(Debug)]
pub(super) struct Pipes {
    input: ChildStdin,
    output: ChildStdout,
    /// `None` at its end: it would end every wait.
    errors: Option<ChildStderr>,
}

impl Pipes {
    pub(super) fn new(input: ChildStdin, output: ChildStdout, errors: ChildStderr) -> io::Result<Pipes> {
        for fd in [input.as_fd(), output.as_fd(), errors.as_fd()] {
            rustix::io::ioctl_fionbio(fd, true)?;
        }
        Ok(Pipes { input, output, errors: Some(errors) })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        again(|| self.input.write(bytes))
    }

    pub(super) fn read_output(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        again(|| self.output.read(buffer))
    }

    pub(super) fn read_errors(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(errors) = &mut self.errors else { return Ok(0) };
        let read = again(|| errors.read(buffer))?;
        if read == 0 {
            self.errors = None;
        }
        Ok(read)
    }

    pub(super) fn wait(&mut self, patience: Duration) -> io::Result<bool> {
        let timeout = timespec(patience);
        let Some(errors) = &self.errors else {
            wake(&mut [PollFd::new(&self.output, PollFlags::IN)], &timeout)?;
            return Ok(false);
        };
        let mut fds = [PollFd::new(&self.output, PollFlags::IN), PollFd::new(errors, PollFlags::IN)];
        wake(&mut fds, &timeout)?;
        Ok(!fds[1].revents().is_empty())
    }

    pub(super) fn wait_to_write(&mut self, patience: Duration) -> io::Result<()> {
        let mut fds = [PollFd::new(&self.input, PollFlags::OUT), PollFd::new(&self.output, PollFlags::IN)];
        wake(&mut fds, &timespec(patience))
    }
}

/// Does it again where a signal came between.
fn again(mut work: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match work() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Waits for one of `fds`. A signal ends the waiting early, which is no error.
fn wake(fds: &mut [PollFd<'_>], timeout: &Timespec) -> io::Result<()> {
    match poll(fds, Some(timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs() as _, tv_nsec: duration.subsec_nanos().into() }
}
