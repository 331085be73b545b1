//! The runner's end of UCI.

use super::{
    engine::moves_to_go,
    info::{MateUnit, glance_at, read_info},
    options::{read_offer, write_option},
};
use crate::{
    Ask, BoardCommand, Command, Glance, Go, Info, ProtocolError, Reply, RunnerEnd,
    words::{Words, one_line, push_line},
};
use std::{fmt::Write, time::Duration};
use tesuji_game::Choice;

/// The runner's end of UCI. It remembers the line sent, so that single moves can be played and taken back, and the variant.
#[derive(Debug, Clone, Default)]
pub struct UciRunner {
    sent: Sent,
    rules: String,
}

/// The prefix by which an engine's fault differs from its other remarks.
const FAULT: &str = "error: ";

impl RunnerEnd for UciRunner {
    fn write(&mut self, command: &Command, out: &mut String) {
        match command {
            Command::Hello => out.push_str("uci\n"),
            Command::Debug(on) => out.push_str(if *on { "debug on\n" } else { "debug off\n" }),
            Command::Set { name, value } => write_option(name, value, out),
            Command::Sync => out.push_str("isready\n"),
            Command::NewGame => out.push_str("ucinewgame\n"),
            Command::Board(board) => self.write_board(board, out),
            Command::Go(go) => write_go(go, out),
            Command::Stop => out.push_str("stop\n"),
            Command::PonderHit => out.push_str("ponderhit\n"),
            Command::Ask(ask) => write_ask(ask, out),
            Command::Quit => out.push_str("quit\n"),
            Command::Clock { .. }
            | Command::GameOver(_)
            | Command::OfferDraw
            | Command::Ponder(_)
            | Command::Say(_) => {}
        }
    }

    fn read(&mut self, line: &str) -> Result<Option<Reply>, ProtocolError> {
        let line = one_line(line);
        let mut words = Words::new(&line);
        Ok(Some(match words.next() {
            None => return Ok(None),
            Some("uciok") => Reply::Welcome,
            Some("bestmove") => read_best(words)?,
            Some("copyprotection" | "registration") => return Ok(None),
            Some(word) => match read_common(word, words, MateUnit::InMoves)? {
                Common::Reply(reply) => *reply,
                Common::Ignored => return Ok(None),
                Common::Unknown => Reply::Text(line.to_string()),
            },
        }))
    }

    fn glance(&self, line: &[u8]) -> Glance {
        glance_at(line)
    }
}

/// A line that UCI and USI have in common, or not.
pub(crate) enum Common {
    /// It says this.
    Reply(Box<Reply>),
    /// It says nothing to us.
    Ignored,
    /// It is none of these.
    Unknown,
}

/// Reads the lines that UCI and USI have in common, whose first word is read already.
pub(crate) fn read_common(word: &str, mut words: Words, mates: MateUnit) -> Result<Common, ProtocolError> {
    Ok(Common::Reply(Box::new(match word {
        "id" => match words.next() {
            Some("name") => Reply::Name(words.rest().to_string()),
            Some("author") => Reply::Author(words.rest().to_string()),
            _ => return Ok(Common::Ignored),
        },
        "option" => Reply::Option(read_offer(words)?),
        "readyok" => Reply::Ready,
        "info" => {
            let info = read_info(words, mates)?;
            match info.text.as_deref().and_then(|t| t.strip_prefix(FAULT)) {
                Some(fault) if info == Info::remark(format!("{FAULT}{fault}")) => Reply::Fault(fault.to_string()),
                _ => Reply::Info(info),
            }
        }
        _ => return Ok(Common::Unknown),
    })))
}

/// The line sent last, so that single moves can be played and taken back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sent {
    start: Option<String>,
    moves: Vec<String>,
}

impl Sent {
    /// Takes a change of the board; whether the line is to be sent again.
    pub(crate) fn take(&mut self, board: &BoardCommand) -> bool {
        match board {
            BoardCommand::Set { start, moves } => {
                self.start.clone_from(start);
                self.moves.clone_from(moves);
            }
            BoardCommand::Play { text, .. } => self.moves.push(text.clone()),
            BoardCommand::Undo => drop(self.moves.pop()),
            BoardCommand::Clear => *self = Sent::default(),
            BoardCommand::Rules(_) | BoardCommand::Place { .. } | BoardCommand::Komi(_) | BoardCommand::Load { .. } => {
                return false;
            }
        }
        true
    }

    /// Writes the line; `position`: how a position is announced.
    pub(crate) fn write(&self, position: &str, out: &mut String) {
        match &self.start {
            None => out.push_str("position startpos"),
            Some(text) => {
                out.push_str(position);
                push_line(out, text);
            }
        }
        if !self.moves.is_empty() {
            out.push_str(" moves");
            for mv in &self.moves {
                out.push(' ');
                push_line(out, mv);
            }
        }
        out.push('\n');
    }
}

impl UciRunner {
    fn write_board(&mut self, board: &BoardCommand, out: &mut String) {
        match board {
            BoardCommand::Rules(rules) => self.write_rules(rules, out),
            board if self.sent.take(board) => self.sent.write("position fen ", out),
            _ => {}
        }
    }

    /// Variants are options in UCI: one of the standard's own, others by the name that multi-variant engines took up.
    fn write_rules(&mut self, rules: &str, out: &mut String) {
        self.sent = Sent::default();
        if self.rules != rules {
            for (rules, value) in [(self.rules.as_str(), "false"), (rules, "true")] {
                match (rules, value) {
                    ("" | "chess" | "standard", _) => {}
                    ("chess960", _) => write_option("UCI_Chess960", value, out),
                    (_, "true") => write_option("UCI_Variant", rules, out),
                    _ => write_option("UCI_Variant", "chess", out),
                }
            }
            self.rules = rules.to_string();
        }
    }
}

fn write_go(go: &Go, out: &mut String) {
    let limits = &go.limits;
    let ms = |t: Duration| t.as_millis();
    out.push_str("go");
    if limits.ponder {
        out.push_str(" ponder");
    }
    if let Some(clocks) = &limits.clock {
        let [first, second] = clocks;
        let _ = write!(out, " wtime {} btime {}", ms(first.left), ms(second.left));
        if !(first.increment.is_zero() && second.increment.is_zero()) {
            let _ = write!(out, " winc {} binc {}", ms(first.increment), ms(second.increment));
        }
        if let Some(n) = moves_to_go(clocks, go.side) {
            let _ = write!(out, " movestogo {n}");
        }
    }
    if let Some(n) = limits.depth {
        let _ = write!(out, " depth {n}");
    }
    if let Some(n) = limits.nodes {
        let _ = write!(out, " nodes {n}");
    }
    if let Some(plies) = limits.mate_plies {
        let _ = write!(out, " mate {}", plies.div_ceil(2));
    }
    if let Some(t) = limits.move_time {
        let _ = write!(out, " movetime {}", ms(t));
    }
    if limits.infinite {
        out.push_str(" infinite");
    }
    end_go(go, out);
}

/// The end of an order to think. The moves come last: some engines take everything that follows for moves.
pub(crate) fn end_go(go: &Go, out: &mut String) {
    if !go.only.is_empty() {
        out.push_str(" searchmoves");
        for mv in &go.only {
            out.push(' ');
            push_line(out, mv);
        }
    }
    out.push('\n');
}

pub(crate) fn write_ask(ask: &Ask, out: &mut String) {
    match ask {
        Ask::Show => out.push_str("d\n"),
        Ask::Explain => out.push_str("eval\n"),
        Ask::Bench => out.push_str("bench\n"),
        Ask::Help => out.push_str("help\n"),
        Ask::Perft(depth) => {
            let _ = writeln!(out, "go perft {depth}");
        }
        _ => {}
    }
}

pub(crate) fn read_best(mut words: Words) -> Result<Reply, ProtocolError> {
    let none = |word: &&str| !matches!(*word, "(none)" | "0000" | "NULL" | "none");
    let word = words.next().ok_or(ProtocolError::Missing { after: "bestmove", expected: "a move" })?;
    let choice = match word {
        "resign" => Some(Choice::Resign),
        "win" => Some(Choice::Claim),
        _ => Some(word).filter(none).map(|mv| Choice::Play(mv.to_string())),
    };
    let ponder = match words.next() {
        Some("ponder") => words.next().filter(none).map(str::to_string),
        _ => None,
    };
    Ok(Reply::Best { choice, ponder })
}
