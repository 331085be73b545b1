//! The output of replies: written whole, one thread at a time, logged line by line.

use std::{
    io::{self, Write},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tesuji_protocol::{Command, EngineEnd, ProtocolError, Reply};

/// The protocol's end and the writer behind it, shared by the reading and the thinking thread.
pub(super) struct Output<'a> {
    end: Mutex<&'a mut dyn EngineEnd>,
    writer: Mutex<&'a mut (dyn Write + Send)>,
    broken: AtomicBool,
    /// The first failure to write that is no reader who has gone.
    failure: Mutex<Option<io::Error>>,
}

impl<'a> Output<'a> {
    pub(super) fn new(end: &'a mut dyn EngineEnd, writer: &'a mut (dyn Write + Send)) -> Output<'a> {
        Output {
            end: Mutex::new(end),
            writer: Mutex::new(writer),
            broken: AtomicBool::new(false),
            failure: Mutex::default(),
        }
    }

    /// Reads a line of the runner.
    pub(super) fn read(&self, line: &str) -> Result<Option<Command>, ProtocolError> {
        tracing::trace!(target: "protocol", "<< {}", line.trim_end());
        lock(&self.end).read(line)
    }

    /// The next command of the last line.
    pub(super) fn next_command(&self) -> Option<Command> {
        lock(&self.end).next_command()
    }

    /// Help for a person who types commands.
    pub(super) fn help(&self) -> &'static str {
        lock(&self.end).help()
    }

    /// Whether every command is answered before the next is done.
    pub(super) fn is_orderly(&self) -> bool {
        lock(&self.end).is_orderly()
    }

    /// Writes replies, all together.
    pub(super) fn say(&self, replies: &[Reply]) {
        let mut text = String::new();
        {
            let mut end = lock(&self.end);
            for reply in replies {
                if let Reply::Fault(fault) = reply {
                    tracing::info!("{fault}");
                }
                end.write(reply, &mut text);
            }
        }
        if text.is_empty() {
            return;
        }
        for line in text.lines() {
            tracing::trace!(target: "protocol", ">> {line}");
        }
        let mut writer = lock(&self.writer);
        if let Err(error) = write(&mut **writer, &text) {
            tracing::debug!("nobody reads: {error}");
            self.broken.store(true, Ordering::Relaxed);
            if error.kind() != io::ErrorKind::BrokenPipe {
                lock(&self.failure).get_or_insert(error);
            }
        }
    }

    /// Refuses something.
    pub(super) fn fault(&self, fault: impl ToString) {
        self.say(&[Reply::Fault(fault.to_string())]);
    }

    /// The failure that ended the output, where it was not that its reader has gone.
    pub(super) fn take_failure(&self) -> Option<io::Error> {
        lock(&self.failure).take()
    }

    /// Whether writing failed: nobody listens.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }
}

fn write(writer: &mut dyn Write, text: &str) -> io::Result<()> {
    writer.write_all(text.as_bytes())?;
    writer.flush()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
