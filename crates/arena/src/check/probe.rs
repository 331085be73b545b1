//! An engine under examination: lines to it and from it, each with its time, and what it said that no protocol knows.

use crate::{Dialect, EngineSpec, process::quota::Quota};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command as Process, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use tesuji_jobs::{ProcessTree, program_path};
use tesuji_protocol::{Command, Reply, RunnerEnd};

/// Lines that wait to be read: one that floods is held up by its pipe instead of filling the memory.
const WAITING_MAX: usize = 64;
/// The longest line that is read as one, in bytes.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// Lines without a meaning that are kept, and the characters of each.
const STRANGE_MAX: usize = 1000;
const STRANGE_CHARS_MAX: usize = 300;

/// The engine and what it said.
pub(super) struct Probe {
    process: ProcessTree,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
    protocol: Box<dyn RunnerEnd>,
    /// Lines of no meaning in the protocol, or against its grammar, with what is wrong.
    pub(super) strange: Vec<String>,
}

/// The reason for a missing answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// It takes too long.
    Late,
    /// The engine is gone.
    Ended,
    /// It says more than the answer may have.
    Flood,
}

impl Probe {
    /// Starts the engine, without a word to it.
    pub(super) fn start(spec: &EngineSpec, dialect: Dialect) -> io::Result<Probe> {
        let mut command = Process::new(program_path(&spec.command));
        command.args(&spec.args).envs(spec.env.iter().map(|(k, v)| (k, v)));
        if let Some(dir) = &spec.dir {
            command.current_dir(dir);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = ProcessTree::spawn(&mut command)?;
        let output = process.take_output().ok_or_else(|| io::Error::other("a pipe is missing"))?;
        let (sender, lines) = sync_channel(WAITING_MAX);
        let read = move || {
            let mut output = BufReader::new(output);
            let mut bytes = Vec::new();
            while matches!(output.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes), Ok(n) if n > 0) {
                let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_string();
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
                bytes.clear();
            }
        };
        std::thread::Builder::new().spawn(read)?;
        let input = process.take_input();
        Ok(Probe { process, input, lines, protocol: dialect.runner(), strange: Vec::new() })
    }

    /// Sends commands; one that cannot be sent shows in the answer that does not come.
    pub(super) fn send(&mut self, commands: &[Command]) {
        let mut text = String::new();
        commands.iter().for_each(|command| self.protocol.write(command, &mut text));
        self.send_text(&text);
    }

    /// Sends lines as they are.
    pub(super) fn send_text(&mut self, text: &str) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(text.as_bytes()).and_then(|()| input.flush());
        }
    }

    /// Closes the engine's input.
    pub(super) fn close(&mut self) {
        self.input = None;
    }

    /// The next line, as it is.
    pub(super) fn line(&mut self, patience: Duration) -> Result<String, Silence> {
        match self.lines.recv_timeout(patience) {
            Ok((_, line)) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(Silence::Late),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Ended),
        }
    }

    /// Reads replies until `done` says so; the time that took.
    pub(super) fn hear(
        &mut self,
        patience: Duration,
        done: impl FnMut(&Reply, &str) -> bool,
    ) -> Result<Duration, Silence> {
        self.hear_within(Quota::UNLIMITED, patience, done)
    }

    /// [`Probe::hear`] for answers that are kept, which may therefore not be longer than `quota`.
    pub(super) fn hear_within(
        &mut self,
        mut quota: Quota,
        patience: Duration,
        mut done: impl FnMut(&Reply, &str) -> bool,
    ) -> Result<Duration, Silence> {
        let began = Instant::now();
        loop {
            while let Some(reply) = self.protocol.next_reply() {
                if done(&reply, "") {
                    return Ok(began.elapsed());
                }
            }
            let (at, line) = match self.lines.recv_timeout(patience.saturating_sub(began.elapsed())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Err(Silence::Late),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Ended),
            };
            if !quota.take(&line) {
                return Err(Silence::Flood);
            }
            let reply = self.protocol.read(&line);
            let mut response = String::new();
            self.protocol.respond(&mut response);
            self.send_text(&response);
            match reply {
                Ok(Some(reply)) => {
                    if let Reply::Text(text) = &reply {
                        self.note_strange(text);
                    }
                    if done(&reply, &line) {
                        return Ok(at.saturating_duration_since(began));
                    }
                }
                Ok(None) => {}
                Err(error) => self.note_strange(&format!("{line} ({error})")),
            }
        }
    }

    /// Keeps the beginning of a line without a meaning, unless there are many already.
    fn note_strange(&mut self, text: &str) {
        if self.strange.len() < STRANGE_MAX {
            self.strange.push(text.chars().take(STRANGE_CHARS_MAX).collect());
        }
    }

    /// Whether the engine ends by itself, and how.
    pub(super) fn ends_within(&mut self, patience: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + patience;
        while Instant::now() < end {
            while self.lines.try_recv().is_ok() {}
            if let Some(status) = self.process.exit_status() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}
