//! The lines of an engine: one write for a question, waits and reads for answers. Times are taken at `read`.

use super::{EngineSpec, is_raised};
use std::borrow::Cow;
use std::io;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tesuji_system::{Ending, ProcessTree, ProgramPipes, contained, ending, program_path};

/// The result of waiting for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// A line is there.
    Line,
    /// The engine ended, or closed its output.
    Ended,
    /// The time came first.
    Late,
    /// The match was stopped.
    Stopped,
    /// A line longer than any protocol has.
    Flood,
}

/// Between two looks at the flag that stops a match.
const LOOK: Duration = Duration::from_millis(100);
/// The longest line that is taken for one.
const LINE_BYTES_MAX: usize = 1 << 20;
/// Bytes of the last output that are kept for reports of faults.
const TAIL_BYTES: usize = 4096;
/// Lines of it that are shown.
const TAIL_LINES: usize = 12;

/// A process and its three pipes.
pub struct Pipes {
    process: ProcessTree,
    pipes: ProgramPipes,
    buffer: Vec<u8>,
    /// Start and end of the present line; the next one begins there.
    line: (usize, usize),
    next: usize,
    /// Bytes of the buffer known to hold no line end.
    scanned: usize,
    chunk: Box<[u8]>,
    read_at: Instant,
    read_bytes: usize,
    tail: Vec<u8>,
    error_tail: Vec<u8>,
    is_over: bool,
}

impl Pipes {
    /// Starts the process.
    pub fn spawn(spec: &EngineSpec) -> io::Result<Pipes> {
        let mut command = Command::new(program_path(&spec.command));
        command.args(&spec.args).envs(spec.env.iter().map(|(k, v)| (k, v)));
        if let Some(dir) = &spec.dir {
            command.current_dir(dir);
        }
        let mut command = contained(command, &[], &[]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = ProcessTree::spawn(&mut command)?;
        let pipes = ProgramPipes::of(&mut process)?;
        Ok(Pipes {
            process,
            pipes,
            buffer: Vec::with_capacity(1 << 14),
            line: (0, 0),
            next: 0,
            scanned: 0,
            chunk: vec![0; 1 << 16].into_boxed_slice(),
            read_at: Instant::now(),
            read_bytes: 0,
            tail: Vec::with_capacity(2 * TAIL_BYTES),
            error_tail: Vec::new(),
            is_over: false,
        })
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Writes all of `bytes`, in one call where the pipe takes it.
    pub fn send(&mut self, mut bytes: &[u8], patience: Duration) -> io::Result<()> {
        let end = Instant::now() + patience;
        while !bytes.is_empty() {
            match self.pipes.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => bytes = &bytes[n..],
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() >= end {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    // An engine that writes without reading must be read, or both wait for ever.
                    self.read_output()?;
                    self.pipes.wait_to_write(LOOK)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Waits for the next line until `end`.
    pub fn wait(&mut self, end: Instant, stop: &AtomicBool) -> Wait {
        loop {
            if self.next_line() {
                return Wait::Line;
            }
            if self.is_over {
                return Wait::Ended;
            }
            if self.buffer.len() - self.next > LINE_BYTES_MAX {
                return Wait::Flood;
            }
            let now = Instant::now();
            if now >= end {
                return Wait::Late;
            }
            if is_raised(stop) {
                return Wait::Stopped;
            }
            let read_before = self.read_bytes;
            if self.wait_for_output(LOOK.min(end - now)).and_then(|()| self.read_output()).is_err() {
                self.is_over = true;
            } else if self.read_bytes == read_before && self.process.has_ended() {
                self.end_of_process();
            }
        }
    }

    /// The engine is dead. Its helpers, which would hold its output open, go with it; its last words are read.
    fn end_of_process(&mut self) {
        self.process.kill();
        loop {
            let read_before = self.read_bytes;
            if self.read_output().is_err() || self.read_bytes == read_before {
                self.is_over = true;
                return;
            }
        }
    }

    /// The line that was waited for, without its end.
    pub fn line_bytes(&self) -> &[u8] {
        &self.buffer[self.line.0..self.line.1]
    }

    /// The line that was waited for, as text.
    pub fn line(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.line_bytes())
    }

    /// When the last output was read.
    pub fn last_read(&self) -> Instant {
        self.read_at
    }

    /// Drops the lines that were not read yet: they belong to an earlier question.
    pub fn forget(&mut self) {
        match self.buffer[self.next..].iter().rposition(|&b| b == b'\n') {
            Some(at) => drop(self.buffer.drain(..=self.next + at)),
            None => drop(self.buffer.drain(..self.next)),
        }
        (self.line, self.next, self.scanned, self.read_bytes) = ((0, 0), 0, 0, 0);
    }

    /// Takes the next line if it is there, without waiting.
    pub fn look(&mut self) -> bool {
        self.next_line() || (!self.is_over && self.read_output().is_ok() && self.next_line())
    }

    /// Bytes read since [`Pipes::forget`].
    pub fn read_since_forget(&self) -> usize {
        self.read_bytes
    }

    /// The last lines of output, then those of the error output.
    pub fn last_lines(&mut self) -> Vec<String> {
        // What it wrote before it closed its input is not read yet.
        let _ = self.read_output();
        let _ = self.read_errors();
        let last = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let lines: Vec<String> = text.lines().map(|l| l.chars().take(300).collect()).collect();
            lines[lines.len().saturating_sub(TAIL_LINES)..].to_vec()
        };
        let mut lines = last(&self.tail);
        lines.extend(last(&self.error_tail).into_iter().map(|l| format!("stderr: {l}")));
        lines
    }

    /// The end of the process: whether it exited by itself, and a description.
    pub fn how_it_ended(&mut self) -> (bool, String) {
        let end = Instant::now() + Duration::from_millis(500);
        loop {
            match self.process.exit_status() {
                Some(status) => {
                    return match ending(status) {
                        Ending::Code(code) => (true, format!("it ended with exit code {code}")),
                        Ending::Signal(signal) => (false, format!("it was ended by signal {signal}")),
                        Ending::Error(code) => (false, format!("it was ended by error {code:#x}")),
                        Ending::Unknown => (true, "it ended".to_string()),
                    };
                }
                None if Instant::now() < end => std::thread::sleep(Duration::from_millis(1)),
                None => return (true, "it closed its output".to_string()),
            }
        }
    }

    /// Waits for the process to end, and kills it if it does not; whether it ended by itself. What it started is killed.
    pub fn end(&mut self, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        let mut nap = Duration::from_micros(200);
        while !self.process.has_ended() {
            if Instant::now() >= end {
                self.process.kill();
                return false;
            }
            let _ = self.read_output();
            std::thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(20));
        }
        self.process.kill();
        true
    }

    /// Finds the end of the next line in the buffer.
    fn next_line(&mut self) -> bool {
        let from = self.next.max(self.scanned);
        match self.buffer[from..].iter().position(|&b| b == b'\n') {
            Some(at) => {
                let end = from + at;
                let trimmed = if end > self.next && self.buffer[end - 1] == b'\r' { end - 1 } else { end };
                self.line = (self.next, trimmed);
                self.next = end + 1;
                self.scanned = self.next;
                true
            }
            None => {
                self.buffer.drain(..self.next);
                (self.line, self.next, self.scanned) = ((0, 0), 0, self.buffer.len());
                false
            }
        }
    }

    /// Waits until there is output, or errors, or `patience` is over.
    fn wait_for_output(&mut self, patience: Duration) -> io::Result<()> {
        if self.pipes.wait(patience)? {
            self.read_errors()?;
        }
        Ok(())
    }

    /// Reads what there is.
    fn read_output(&mut self) -> io::Result<()> {
        match self.pipes.read_output(&mut self.chunk) {
            Ok(0) => self.is_over = true,
            Ok(n) => {
                self.read_at = Instant::now();
                self.read_bytes += n;
                self.buffer.extend_from_slice(&self.chunk[..n]);
                keep_tail(&mut self.tail, &self.chunk[..n]);
            }
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }

    /// Reads the error output that there is.
    fn read_errors(&mut self) -> io::Result<()> {
        match self.pipes.read_errors(&mut self.chunk) {
            Ok(n) => keep_tail(&mut self.error_tail, &self.chunk[..n]),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }
}

/// Appends, and keeps the last [`TAIL_BYTES`] at least and twice as many at most.
fn keep_tail(tail: &mut Vec<u8>, bytes: &[u8]) {
    tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL_BYTES)..]);
    if tail.len() > 2 * TAIL_BYTES {
        tail.drain(..tail.len() - TAIL_BYTES);
    }
}
