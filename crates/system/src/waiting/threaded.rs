//! Inputs that may be long in coming, where nothing says whether there is something to read: a thread opens and reads in the place of its
//! reader. Only the standard library is used.

use super::{LOOK_EVERY, is_named_pipe, is_regular, stopped};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread,
};

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 16;
/// Chunks that wait for their reader.
const WAITING_MAX: usize = 4;

/// A reader whose thread reads ahead; a regular file, whose bytes are there, is read without one.
#[derive(Debug)]
pub(super) enum Waiting {
    Regular(File),
    Ahead { chunks: Receiver<io::Result<Vec<u8>>>, chunk: Vec<u8>, taken: usize, is_stopped: fn() -> bool },
}

impl Waiting {
    pub(super) fn open(path: &Path, is_stopped: fn() -> bool) -> io::Result<Waiting> {
        if is_named_pipe(path) {
            // The opening waits for a writer.
            let path = path.to_path_buf();
            return Waiting::ahead(move || File::open(path), is_stopped);
        }
        let file = File::open(path)?;
        if is_regular(&file) { Ok(Waiting::Regular(file)) } else { Waiting::ahead(move || Ok(file), is_stopped) }
    }

    /// The standard library reads stdin: on a console of Windows its bytes are no UTF-8.
    #[cfg_attr(all(unix, not(feature = "portable")), allow(dead_code))]
    pub(super) fn stdin(is_stopped: fn() -> bool) -> io::Result<Waiting> {
        Waiting::ahead(|| Ok(io::stdin()), is_stopped)
    }

    fn ahead<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        is_stopped: fn() -> bool,
    ) -> io::Result<Waiting> {
        let (sender, chunks) = sync_channel(WAITING_MAX);
        let read = move || {
            let mut inner = match open() {
                Ok(inner) => inner,
                Err(error) => return drop(sender.send(Err(error))),
            };
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match inner.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    // Windows calls the end of a pipe an error.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return,
                    Ok(0) => return,
                    Ok(n) => {
                        chunk.truncate(n);
                        Ok(chunk)
                    }
                    Err(error) => Err(error),
                };
                let is_last = read.is_err();
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        };
        thread::Builder::new().name("input".into()).spawn(read)?;
        Ok(Waiting::Ahead { chunks, chunk: Vec::new(), taken: 0, is_stopped })
    }

    pub(super) fn into_regular(self) -> Result<File, Waiting> {
        match self {
            Waiting::Regular(file) => Ok(file),
            other => Err(other),
        }
    }
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (chunks, chunk, taken, is_stopped) = match self {
            Waiting::Regular(file) => return file.read(buffer),
            Waiting::Ahead { chunks, chunk, taken, is_stopped } => (chunks, chunk, taken, is_stopped),
        };
        while *taken == chunk.len() {
            match chunks.recv_timeout(LOOK_EVERY) {
                Ok(next) => (*chunk, *taken) = (next?, 0),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) if is_stopped() => return Err(stopped()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let n = buffer.len().min(chunk.len() - *taken);
        buffer[..n].copy_from_slice(&chunk[*taken..*taken + n]);
        *taken += n;
        Ok(n)
    }
}
