//! The engine's end of GTP.

use super::{
    OPTION, POSITION, cleaned,
    clocks::{Overtime, read_kgs_settings, read_left, read_settings},
};
use crate::{
    Ask, Board, Command, EngineEnd, Go, ProtocolError, Reply,
    words::{Words, count, small},
};
use std::collections::VecDeque;
use tesuji_game::{Choice, Side};

/// The engine's end of GTP. It remembers the ids of commands that wait for an answer, and the kind of overtime.
#[derive(Debug, Clone, Default)]
pub struct GtpEngine {
    open: VecDeque<String>,
    overtime: Overtime,
}

/// All commands, as `list_commands` tells them.
const COMMANDS: [&str; 28] = [
    "boardsize",
    "clear_board",
    "cputime",
    "final_score",
    "final_status_list",
    "fixed_handicap",
    "genmove",
    "help",
    "known_command",
    "kata-set-rules",
    "kgs-time_settings",
    "komi",
    "list_commands",
    "name",
    "place_free_handicap",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    "set_free_handicap",
    "showboard",
    OPTION,
    POSITION,
    "time_left",
    "time_settings",
    "undo",
    "version",
    "explain",
];

impl EngineEnd for GtpEngine {
    /// Lines that are no commands are commands here, too: to say so when their turn comes.
    fn read(&mut self, line: &str) -> Result<Option<Command>, ProtocolError> {
        let line = cleaned(line);
        let mut words = Words::new(&line);
        let Some(mut word) = words.next() else { return Ok(None) };
        let mut id = String::new();
        if word.bytes().all(|b| b.is_ascii_digit()) {
            id = word.to_string();
            match words.next() {
                Some(next) => word = next,
                None => return Ok(None),
            }
        }
        let command = self.command(word, words).unwrap_or_else(|error| {
            Command::Say(Reply::Fault(match error {
                ProtocolError::Unknown { .. } => "unknown command".to_string(),
                error => format!("syntax error: {error}"),
            }))
        });
        self.open.push_back(id);
        Ok(Some(command))
    }

    fn write(&mut self, reply: &Reply, out: &mut String) {
        let (sign, text) = match reply {
            Reply::Done => ('=', ""),
            Reply::Text(text) => ('=', text.as_str()),
            Reply::Fault(text) => ('?', text.as_str()),
            Reply::Best { choice, .. } => match choice {
                Some(Choice::Play(mv)) => ('=', mv.as_str()),
                Some(Choice::Resign) => ('=', "resign"),
                Some(Choice::Claim) | None => ('=', "pass"),
            },
            _ => return,
        };
        let Some(id) = self.open.pop_front() else { return };
        out.push(sign);
        out.push_str(&id);
        // A blank line would end the answer.
        let lines = text.lines().map(|l| l.chars().filter(|c| !c.is_control()).collect::<String>());
        for (index, line) in lines.filter(|l| !l.trim().is_empty()).enumerate() {
            out.push(if index == 0 { ' ' } else { '\n' });
            out.push_str(line.trim_end());
        }
        out.push_str("\n\n");
    }

    fn help(&self) -> &'static str {
        HELP
    }
}

/// The answer to `help`.
const HELP: &str = "\
This engine speaks GTP; usually a GUI or a match runner does the typing.
  list_commands                        all it knows
  boardsize N, komi POINTS, clear_board
  play b|w MOVE, genmove b|w, undo, showboard
  time_settings MAIN PERIOD STONES, time_left b|w SECONDS STONES
  quit";

impl GtpEngine {
    fn command(&mut self, word: &str, mut words: Words) -> Result<Command, ProtocolError> {
        Ok(match word {
            "protocol_version" => say("2"),
            "list_commands" => say(&COMMANDS.join("\n")),
            "known_command" => {
                let known = words.next().is_some_and(|word| COMMANDS.contains(&word));
                say(if known { "true" } else { "false" })
            }
            "name" => Command::Ask(Ask::Name),
            "version" => Command::Ask(Ask::Version),
            "help" => Command::Ask(Ask::Help),
            "showboard" => Command::Ask(Ask::Show),
            "explain" => Command::Ask(Ask::Explain),
            "cputime" => Command::Ask(Ask::ProcessorTime),
            "final_score" => Command::Ask(Ask::FinalScore),
            "final_status_list" => Command::Ask(Ask::FinalStatus(rest(&words, "final_status_list", "a status")?)),
            "fixed_handicap" => handicap(&mut words, "fixed_handicap", true)?,
            "place_free_handicap" => handicap(&mut words, "place_free_handicap", false)?,
            "set_free_handicap" => {
                let points = rest(&words, "set_free_handicap", "points")?;
                let points = points.split_whitespace().map(str::to_string).collect();
                Command::Board(Board::Place { side: Side::First, points })
            }
            "boardsize" => {
                let size = small(count(&mut words, "boardsize")?);
                Command::Board(Board::Rules(format!("size={size}")))
            }
            "komi" => Command::Board(Board::Komi(points(&mut words)?)),
            "kata-set-rules" => {
                let rules = rest(&words, "kata-set-rules", "the name of rules")?;
                Command::Board(Board::Rules(format!("rules={}", rules.replace(char::is_whitespace, ","))))
            }
            "clear_board" => Command::Board(Board::Clear),
            OPTION => {
                let text = rest(&words, OPTION, "NAME=VALUE")?;
                let (name, value) = text.split_once('=').unwrap_or((&text, ""));
                Command::Set { name: name.trim().to_string(), value: value.trim().to_string() }
            }
            POSITION => {
                let start = rest(&words, POSITION, "a position")?;
                Command::Board(Board::Set { start: Some(start), moves: Vec::new() })
            }
            "play" => {
                let side = side(&mut words, "play")?;
                Command::Board(Board::Play { side, text: rest(&words, "play", "a move")? })
            }
            "undo" => Command::Board(Board::Undo),
            "genmove" => go(side(&mut words, "genmove")?, true),
            "reg_genmove" => go(side(&mut words, "reg_genmove")?, false),
            "time_settings" => self.settings(read_settings(&mut words)?),
            "kgs-time_settings" => self.settings(read_kgs_settings(&mut words)?),
            "time_left" => {
                let side = Some(side(&mut words, "time_left")?);
                Command::Clock { side, clock: Some(read_left(&mut words, self.overtime)?) }
            }
            "quit" => Command::Quit,
            _ => return Err(ProtocolError::Unknown { word: word.to_string() }),
        })
    }

    fn settings(&mut self, (clock, overtime): (Option<tesuji_game::Clock>, Overtime)) -> Command {
        self.overtime = overtime;
        Command::Clock { side: None, clock }
    }
}

fn say(text: &str) -> Command {
    Command::Say(Reply::Text(text.to_string()))
}

fn go(side: Side, commit: bool) -> Command {
    Command::Go(Go { side: Some(side), commit, ..Go::default() })
}

fn handicap(words: &mut Words, after: &'static str, fixed: bool) -> Result<Command, ProtocolError> {
    Ok(Command::Ask(Ask::Handicap { stones: small(count(words, after)?), fixed }))
}

fn side(words: &mut Words, after: &'static str) -> Result<Side, ProtocolError> {
    const EXPECTED: &str = "black or white";
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::First),
        "w" | "white" => Ok(Side::Second),
        _ => Err(ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() }),
    }
}

fn points(words: &mut Words) -> Result<String, ProtocolError> {
    const EXPECTED: &str = "a number of points";
    let word = words.next().ok_or(ProtocolError::Missing { after: "komi", expected: EXPECTED })?;
    match word.parse::<f64>() {
        Ok(n) if n.is_finite() => Ok(word.to_string()),
        _ => Err(ProtocolError::Wrong { after: "komi", expected: EXPECTED, found: word.to_string() }),
    }
}

fn rest(words: &Words, after: &'static str, expected: &'static str) -> Result<String, ProtocolError> {
    match words.rest() {
        "" => Err(ProtocolError::Missing { after, expected }),
        text => Ok(text.to_string()),
    }
}
