//! The pipes of a program where a pipe cannot be waited for: a thread for each of them, which blocks in its place.
//!
//! Only the standard library is used. The threads end with their pipes, that is with the program.

use std::{
    io::{self, ErrorKind, Read, Write},
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// Bytes that wait to be read: then the program is held up by its pipe, as if there were no thread.
const WAITING_MAX: usize = 1 << 18;
/// Bytes that are read or written at a time.
const CHUNK: usize = 1 << 16;

/// What came out of a pipe.
#[derive(Debug, Default)]
struct Heard {
    bytes: Vec<u8>,
    /// The end, once all is read: nothing more, or an error.
    end: Option<Result<(), ErrorKind>>,
}

#[derive(Debug, Default)]
struct State {
    output: Heard,
    errors: Heard,
    /// What the thread of the input is to write next.
    to_write: Vec<u8>,
    /// Why nothing can be written any more.
    write_error: Option<ErrorKind>,
    /// The pipes are gone: the threads have nobody to work for.
    is_over: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(super) struct Pipes(Arc<Shared>);

impl Pipes {
    pub(super) fn new(input: ChildStdin, output: ChildStdout, errors: ChildStderr) -> io::Result<Pipes> {
        let shared = Arc::new(Shared::default());
        let run =
            |name: &str, work: Box<dyn FnOnce() + Send>| thread::Builder::new().name(name.into()).spawn(work).map(drop);
        let (of_input, of_output, of_errors) = (shared.clone(), shared.clone(), shared.clone());
        run("engine-input", Box::new(move || write_all(input, &of_input)))?;
        run("engine-output", Box::new(move || read_all(output, &of_output, |state| &mut state.output)))?;
        run("engine-errors", Box::new(move || read_all(errors, &of_errors, |state| &mut state.errors)))?;
        Ok(Pipes(shared))
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        if let Some(kind) = state.write_error {
            return Err(kind.into());
        }
        if !state.to_write.is_empty() {
            return Err(ErrorKind::WouldBlock.into());
        }
        let taken = bytes.len().min(CHUNK);
        state.to_write.extend_from_slice(&bytes[..taken]);
        self.0.changed.notify_all();
        Ok(taken)
    }

    pub(super) fn read_output(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.take(buffer, |state| &mut state.output)
    }

    pub(super) fn read_errors(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.take(buffer, |state| &mut state.errors)
    }

    fn take(&self, buffer: &mut [u8], part: fn(&mut State) -> &mut Heard) -> io::Result<usize> {
        let mut state = self.0.lock();
        let heard = part(&mut state);
        if heard.bytes.is_empty() {
            return match heard.end {
                None => Err(ErrorKind::WouldBlock.into()),
                Some(Ok(())) => Ok(0),
                Some(Err(kind)) => Err(kind.into()),
            };
        }
        let taken = heard.bytes.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&heard.bytes[..taken]);
        heard.bytes.drain(..taken);
        self.0.changed.notify_all();
        Ok(taken)
    }

    pub(super) fn wait(&mut self, patience: Duration) -> io::Result<bool> {
        let state = self.until(patience, |state| {
            !state.output.bytes.is_empty() || state.output.end.is_some() || !state.errors.bytes.is_empty()
        });
        Ok(!state.errors.bytes.is_empty())
    }

    pub(super) fn wait_to_write(&mut self, patience: Duration) -> io::Result<()> {
        drop(self.until(patience, |state| {
            state.to_write.is_empty() || state.write_error.is_some() || !state.output.bytes.is_empty()
        }));
        Ok(())
    }

    fn until(&self, patience: Duration, is_so: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let (end, mut state) = (Instant::now() + patience, self.0.lock());
        while !is_so(&state) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.0.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

/// Reads a pipe to its end.
fn read_all(mut pipe: impl Read, shared: &Shared, part: fn(&mut State) -> &mut Heard) {
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = pipe.read(&mut chunk);
        let mut state = shared.lock();
        match read {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Ok(n) if n > 0 => part(&mut state).bytes.extend_from_slice(&chunk[..n]),
            // Windows calls the end of a pipe an error.
            Ok(_) => part(&mut state).end = Some(Ok(())),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => part(&mut state).end = Some(Ok(())),
            Err(error) => part(&mut state).end = Some(Err(error.kind())),
        }
        shared.changed.notify_all();
        while part(&mut state).bytes.len() >= WAITING_MAX && !state.is_over {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_over || part(&mut state).end.is_some() {
            return;
        }
    }
}

/// Writes what it is given until the pipes are dropped.
fn write_all(mut pipe: ChildStdin, shared: &Shared) {
    loop {
        let mut state = shared.lock();
        while state.to_write.is_empty() && !state.is_over {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.to_write.is_empty() {
            return;
        }
        // It stays there until it is written: that is how the other side knows that the pipe is full.
        let bytes = state.to_write.clone();
        drop(state);
        let written = pipe.write_all(&bytes).and_then(|()| pipe.flush());
        let mut state = shared.lock();
        state.to_write.clear();
        state.write_error = written.err().map(|error| error.kind());
        shared.changed.notify_all();
        if state.write_error.is_some() {
            return;
        }
    }
}
