//! Checks of GTP: answers in their form and order, the commands that every engine must have.

use super::{Check, CheckVerdict, Subject};
use std::time::Duration;
use tesuji_game::{Choice, Side};
use tesuji_protocol::{Ask, BoardCommand, Command, Go, Reply};

/// The checks.
pub(super) const CHECKS: [Check; 7] = [
    ("protocol version", protocol_version),
    ("required commands", required_commands),
    ("known_command", known_command),
    ("ids and comments", ids_and_comments),
    ("refusal", refusal),
    ("genmove", genmove),
    ("undo", undo),
];

/// The commands that the standard requires.
const REQUIRED: [&str; 11] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
];

/// Timeout of an answer.
const ANSWER: Duration = Duration::from_secs(5);
const MOVE: Duration = Duration::from_secs(60);

impl Subject<'_> {
    /// A whole answer to a line, as it is: up to its blank line.
    fn answer(&mut self, line: &str) -> Result<String, String> {
        self.probe.send_text(&format!("{line}\n"));
        let mut text = String::new();
        loop {
            match self.probe.line(ANSWER) {
                Ok(line) if line.is_empty() && !text.is_empty() => return Ok(text),
                Ok(line) if line.is_empty() => {}
                Ok(line) => text = text + &line + "\n",
                Err(silence) => return Err(super::in_words(&format!("whole answer to {line:?}"), ANSWER, silence)),
            }
        }
    }
}

fn protocol_version(subject: &mut Subject<'_>) -> CheckVerdict {
    match subject.answer("protocol_version") {
        Ok(text) if text.trim() == "= 2" || text.trim() == "=2" => CheckVerdict::Ok("2".to_string()),
        Ok(text) => CheckVerdict::Warning(format!("{:?} instead of \"= 2\"", text.trim())),
        Err(words) => CheckVerdict::Error(words),
    }
}

fn required_commands(subject: &mut Subject<'_>) -> CheckVerdict {
    let text = match subject.answer("list_commands") {
        Ok(text) => text,
        Err(words) => return CheckVerdict::Error(words),
    };
    let known: Vec<&str> = text.trim_start_matches('=').split_whitespace().collect();
    let missing: Vec<&str> = REQUIRED.into_iter().filter(|name| !known.contains(name)).collect();
    match missing.is_empty() {
        true => CheckVerdict::Ok(format!("{} commands", known.len())),
        false => CheckVerdict::Warning(format!("not listed: {}", missing.join(", "))),
    }
}

fn known_command(subject: &mut Subject<'_>) -> CheckVerdict {
    let answers = [subject.answer("known_command genmove"), subject.answer("known_command xyzzy")];
    match answers.map(|answer| answer.map(|text| text.trim_start_matches('=').trim().to_string())) {
        [Ok(yes), Ok(no)] if yes == "true" && no == "false" => CheckVerdict::Ok(String::new()),
        [Ok(yes), Ok(no)] => CheckVerdict::Warning(format!("{yes:?} for genmove, {no:?} for xyzzy")),
        [Err(words), _] | [_, Err(words)] => CheckVerdict::Error(words),
    }
}

/// The id is echoed, remarks and blank lines are ignored.
fn ids_and_comments(subject: &mut Subject<'_>) -> CheckVerdict {
    match subject.answer("# a remark\n\n4711 name # and another") {
        Ok(text) if text.starts_with("=4711") => CheckVerdict::Ok(String::new()),
        Ok(text) => CheckVerdict::Error(format!("{:?} to a command with the id 4711", text.trim())),
        Err(words) => CheckVerdict::Error(words),
    }
}

fn refusal(subject: &mut Subject<'_>) -> CheckVerdict {
    match subject.answer("4712 xyzzy") {
        Ok(text) if text.starts_with("?4712") => CheckVerdict::Ok(text.trim().to_string()),
        Ok(text) => CheckVerdict::Error(format!("{:?} to an unknown command", text.trim())),
        Err(words) => CheckVerdict::Error(words),
    }
}

/// A move of its own in a new game.
fn genmove(subject: &mut Subject<'_>) -> CheckVerdict {
    let go = Command::Go(Go { side: Some(Side::First), commit: true, ..Go::default() });
    subject.probe.send(&[Command::NewGame, Command::Board(BoardCommand::Set { start: None, moves: Vec::new() }), go]);
    let mut answer = Err("nothing".to_string());
    let reply = subject.expect("move", MOVE, |reply| match reply {
        Reply::Best { choice: Some(Choice::Play(mv)), .. } => {
            answer = Ok(mv.clone());
            true
        }
        Reply::Best { .. } => true,
        Reply::Fault(text) => {
            answer = Err(text.clone());
            true
        }
        _ => false,
    });
    match reply.and(answer) {
        Ok(mv) => CheckVerdict::Ok(mv),
        Err(words) => CheckVerdict::Error(words),
    }
}

fn undo(subject: &mut Subject<'_>) -> CheckVerdict {
    subject.probe.send(&[Command::Ask(Ask::Known("undo".to_string()))]);
    let mut is_known = false;
    let reply = subject.expect("answer", ANSWER, |reply| {
        is_known = matches!(reply, Reply::Text(text) if text == "true");
        matches!(reply, Reply::Text(_) | Reply::Fault(_))
    });
    subject.probe.strange.clear();
    match reply {
        Err(words) => CheckVerdict::Error(words),
        Ok(_) if !is_known => CheckVerdict::Skipped("not known to it".to_string()),
        Ok(_) => match subject.answer("undo") {
            Ok(text) if text.starts_with('=') => CheckVerdict::Ok(String::new()),
            Ok(text) => CheckVerdict::Error(format!("{:?} after a move", text.trim())),
            Err(words) => CheckVerdict::Error(words),
        },
    }
}
