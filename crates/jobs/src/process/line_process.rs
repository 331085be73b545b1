//! A program that is asked in lines, one question after the other, outside of any match.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
    process::{ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread,
    time::{Duration, Instant},
};
use tesuji_system::{ProcessTree, contained, program_path};

/// Lines that wait to be read: a program that writes without end is held up by its pipe instead of filling the memory.
const WAITING_MAX: usize = 64;
/// The longest line that is read as one, in bytes.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// A running program that reads lines and answers in lines. It is killed with all that it started when this is dropped.
pub struct LineProcess {
    process: ProcessTree,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// The reason why no line came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLine {
    /// None came in time.
    Late,
    /// The program has ended.
    Ended,
}

impl LineProcess {
    /// Starts `program` with `arguments`, in `folder` where one is given. What it writes to stderr is shown where `is_loud`.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(program: &str, arguments: &[String], folder: Option<&Path>, is_loud: bool) -> io::Result<LineProcess> {
        let mut command = Command::new(program_path(program));
        command.args(arguments);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let mut command = contained(command, &[], &[]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        if !is_loud {
            command.stderr(Stdio::null());
        }
        let mut process = ProcessTree::spawn(&mut command)?;
        let pipes = process.take_input().zip(process.take_output());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("no pipes"))?;
        let (sender, lines) = sync_channel(WAITING_MAX);
        let read = move || {
            let (mut output, mut bytes) = (BufReader::new(output), Vec::new());
            while matches!(output.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes), Ok(n) if n > 0) {
                let line = String::from_utf8_lossy(&bytes).trim_end().to_string();
                if sender.send(line).is_err() {
                    return;
                }
                bytes.clear();
            }
        };
        thread::Builder::new().spawn(read)?;
        Ok(LineProcess { process, input, lines })
    }

    /// Sends a line.
    ///
    /// # Errors
    /// When the program reads no more.
    pub fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.input, "{line}").and_then(|()| self.input.flush())
    }

    /// The next line, without its end and spaces before that.
    ///
    /// # Errors
    /// When none comes before `until`.
    pub fn hear(&mut self, until: Instant) -> Result<String, NoLine> {
        let left = until.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoLine::Late,
            RecvTimeoutError::Disconnected => NoLine::Ended,
        })
    }

    /// Says `farewell` and waits until the program has ended by itself, at most for `patience`.
    pub fn leave(&mut self, farewell: &str, patience: Duration) {
        // One that has ended already hears nothing.
        let _ = self.say(farewell);
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline && !self.process.has_ended() {
            thread::sleep(Duration::from_millis(10));
        }
    }
}
