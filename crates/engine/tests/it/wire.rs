//! A session on the other end of two pipes.

use crate::scripted::Scripted;
use std::{
    io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread::{JoinHandle, spawn},
    time::Duration,
};
use tesuji_engine::{Identity, Player, Session};
use tesuji_protocol::uci::UciEngine;

/// How long a test waits for a line before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running session.
pub struct Wire {
    input: Option<PipeWriter>,
    lines: Receiver<String>,
    session: JoinHandle<std::io::Result<()>>,
}

impl Wire {
    /// A session of the scripted player.
    pub fn scripted() -> Wire {
        Wire::new(Box::new(Scripted::default()))
    }

    /// A session of `player`.
    pub fn new(player: Box<dyn Player>) -> Wire {
        let (wire, output) = Wire::with_output(player);
        let (sender, lines) = channel();
        spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Wire { lines, ..wire }
    }

    /// A session of `player`, and its bare output.
    pub fn with_output(player: Box<dyn Player>) -> (Wire, PipeReader) {
        let (from, to) = pipe().unwrap();
        let (output, writer) = pipe().unwrap();
        let identity = Identity { name: "Scripted".into(), version: "1.0".into(), author: "the tests".into() };
        let session = Session::new(player, Box::new(UciEngine), identity)
            .with_bench(Box::new(|player, _| format!("bench of\n{}", player.show())));
        let session = spawn(move || session.run(BufReader::new(from), writer));
        (Wire { input: Some(to), lines: channel().1, session }, output)
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The next line; `None` at the end.
    #[track_caller]
    pub fn next(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the session says nothing"),
        }
    }

    /// All lines up to one that begins with `head`, which is the last of them.
    #[track_caller]
    pub fn until(&mut self, head: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.next().unwrap_or_else(|| panic!("the session ended before {head:?}: {lines:#?}"));
            lines.push(line);
            if lines.last().is_some_and(|l| l.starts_with(head)) {
                return lines;
            }
        }
    }

    /// Closes the input.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Waits for the session's end and returns the lines that were left.
    pub fn rest(mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.next() {
            lines.push(line);
        }
        self.session.join().expect("no panic").expect("no error");
        lines
    }

    /// Waits for the session's end.
    pub fn join(self) {
        self.session.join().expect("no panic").expect("no error");
    }
}
