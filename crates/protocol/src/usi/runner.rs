//! The runner's end of USI.

use super::{NO_MATE, NOT_IMPLEMENTED, TIMEOUT};
use crate::{
    BoardCommand, Command, Ending, Glance, Go, MateAnswer, ProtocolError, Reply, RunnerEnd,
    uci::{
        engine::moves_to_go,
        info::{MateUnit, glance_at},
        options::write_option,
        runner::{Common, Sent, end_go, read_best, read_common, write_ask},
    },
    words::{Words, one_line},
};
use std::{fmt::Write, time::Duration};
use tesuji_game::Clock;

/// The runner's end of USI. It remembers the line sent, so that single moves can be played and taken back, and the variant.
#[derive(Debug, Clone, Default)]
pub struct UsiRunner {
    sent: Sent,
    rules: String,
}

impl RunnerEnd for UsiRunner {
    fn write(&mut self, command: &Command, out: &mut String) {
        match command {
            Command::Hello => out.push_str("usi\n"),
            Command::Debug(on) => out.push_str(if *on { "debug on\n" } else { "debug off\n" }),
            Command::Set { name, value } => write_option(name, value, out),
            Command::Sync => out.push_str("isready\n"),
            Command::NewGame => out.push_str("usinewgame\n"),
            Command::Board(board) => self.write_board(board, out),
            Command::Go(go) => write_go(go, out),
            Command::Stop => out.push_str("stop\n"),
            Command::PonderHit => out.push_str("ponderhit\n"),
            Command::Ask(ask) => write_ask(ask, out),
            Command::GameOver(ending) => out.push_str(match ending {
                Ending::Win => "gameover win\n",
                Ending::Lose => "gameover lose\n",
                Ending::Draw => "gameover draw\n",
            }),
            Command::Quit => out.push_str("quit\n"),
            Command::Clock { .. } | Command::OfferDraw | Command::Ponder(_) | Command::Say(_) => {}
        }
    }

    fn read(&mut self, line: &str) -> Result<Option<Reply>, ProtocolError> {
        let line = one_line(line);
        let mut words = Words::new(&line);
        Ok(Some(match words.next() {
            None => return Ok(None),
            Some("usiok") => Reply::Welcome,
            Some("bestmove") => read_best(words)?,
            Some("checkmate") => Reply::Mate(read_mate(words)?),
            Some(word) => match read_common(word, words, MateUnit::InPlies)? {
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

impl UsiRunner {
    fn write_board(&mut self, board: &BoardCommand, out: &mut String) {
        match board {
            BoardCommand::Rules(rules) => {
                self.sent = Sent::default();
                if self.rules != *rules && !rules.is_empty() {
                    write_option("UCI_Variant", rules, out);
                }
                self.rules.clone_from(rules);
            }
            board if self.sent.take(board) => self.sent.write("position sfen ", out),
            _ => {}
        }
    }
}

fn write_go(go: &Go, out: &mut String) {
    let limits = &go.limits;
    out.push_str("go");
    if go.solve {
        let _ = match limits.move_time {
            Some(time) => writeln!(out, " mate {}", ms(time)),
            None => writeln!(out, " mate infinite"),
        };
        return;
    }
    if limits.ponder {
        out.push_str(" ponder");
    }
    if let Some(clocks) = &limits.clock {
        write_clocks(clocks, go, out);
    }
    if let Some(n) = limits.depth {
        let _ = write!(out, " depth {n}");
    }
    if let Some(n) = limits.nodes {
        let _ = write!(out, " nodes {n}");
    }
    if let Some(t) = limits.move_time {
        let _ = write!(out, " movetime {}", ms(t));
    }
    if limits.infinite {
        out.push_str(" infinite");
    }
    end_go(go, out);
}

/// Clocks with increments, or with byoyomi: engines expect the one or the other.
fn write_clocks(clocks: &[Clock; 2], go: &Go, out: &mut String) {
    let [first, second] = clocks;
    let _ = write!(out, " btime {} wtime {}", ms(first.left), ms(second.left));
    let byoyomi = match go.side {
        Some(side) => clocks[side.index()].byoyomi,
        None => first.byoyomi.max(second.byoyomi),
    };
    if !byoyomi.is_zero() {
        let _ = write!(out, " byoyomi {}", ms(byoyomi));
    }
    if !(first.increment.is_zero() && second.increment.is_zero()) {
        let _ = write!(out, " binc {} winc {}", ms(first.increment), ms(second.increment));
    } else if byoyomi.is_zero() {
        out.push_str(" byoyomi 0");
    }
    if let Some(n) = moves_to_go(clocks, go.side) {
        let _ = write!(out, " movestogo {n}");
    }
}

fn ms(time: Duration) -> u128 {
    time.as_millis()
}

fn read_mate(mut words: Words) -> Result<MateAnswer, ProtocolError> {
    match words.peek() {
        None => Err(ProtocolError::Missing { after: "checkmate", expected: "moves, nomate or timeout" }),
        Some(NO_MATE) => Ok(MateAnswer::None),
        Some(TIMEOUT) => Ok(MateAnswer::Limit),
        Some(NOT_IMPLEMENTED) => Ok(MateAnswer::Unable),
        Some(_) => Ok(MateAnswer::Line(words.by_ref().map(str::to_string).collect())),
    }
}
