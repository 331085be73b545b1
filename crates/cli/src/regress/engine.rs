//! An engine that is asked over GTP, one command after the other, with a limit on how long it may take.

use anyhow::{Context, bail};
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};
use tesuji_arena::EngineProcess;

/// A running engine.
pub(crate) struct Engine {
    /// Killed with all that it started when this is dropped.
    _process: EngineProcess,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// An answer: whether the command was carried out, and the words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) done: bool,
    pub(crate) text: String,
}

impl Engine {
    /// Starts `command` (a program and its arguments) in `folder`.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) fn start(command: &[String], folder: &Path) -> anyhow::Result<Engine> {
        let [program, arguments @ ..] = command else { bail!("no engine is named") };
        let mut spawned = Command::new(program);
        spawned.args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = EngineProcess::spawn(&mut spawned).with_context(|| format!("cannot start {program}"))?;
        let (Some(input), Some(output)) = (process.take_input(), process.take_output()) else {
            bail!("{program} has no pipes");
        };
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).trim_end().to_string();
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Engine { _process: process, input, lines })
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// When the engine is gone, says something else, or takes longer than `time`.
    pub(crate) fn ask(&mut self, number: Option<u64>, command: &str, time: Duration) -> anyhow::Result<Answer> {
        let line = number.map_or_else(|| command.to_string(), |number| format!("{number} {command}"));
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).context("the engine is gone")?;
        let until = Instant::now() + time;
        let mut answer: Option<Answer> = None;
        loop {
            let line = match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => bail!("no answer in {} s", time.as_secs()),
                Err(RecvTimeoutError::Disconnected) => bail!("the engine has ended"),
            };
            match (&mut answer, line.is_empty()) {
                (None, true) => {}
                (None, false) => answer = Some(first_line(&line, number)?),
                (Some(answer), false) => {
                    answer.text.push('\n');
                    answer.text.push_str(&line);
                }
                (Some(_), true) => return answer.context("no answer"),
            }
        }
    }
}

/// The beginning of an answer.
fn first_line(line: &str, number: Option<u64>) -> anyhow::Result<Answer> {
    let (done, rest) = match (line.strip_prefix('='), line.strip_prefix('?')) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => bail!("{line:?} is no answer: expected = or ?"),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (id, text) = rest.split_at(digits);
    if id.parse().ok() != number {
        bail!("{line:?} answers another command than {}", number.map_or("the last".to_string(), |n| n.to_string()));
    }
    Ok(Answer { done, text: text.trim().to_string() })
}
