//! The engine's end of UCI.

use super::{
    info::{MateUnit, write_info},
    options::{read_option, write_offer},
};
use crate::{
    Ask, BoardCommand, Command, EngineEnd, Go, ProtocolError, Reply,
    words::{Words, count, milliseconds, moves_to_go as read_moves_to_go, one_line, push_line, small, write_line},
};
use std::{fmt::Write, time::Duration};
use tesuji_game::{Choice, Clock, Side};

/// The engine's end of UCI. It remembers nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct UciEngine;

/// The protocol's own words that may begin a command anywhere in a line.
const COMMANDS: [&str; 13] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
    "exit",
    "gameover",
];

impl EngineEnd for UciEngine {
    fn name(&self) -> &'static str {
        "uci"
    }

    fn read(&mut self, line: &str) -> Result<Option<Command>, ProtocolError> {
        let line = one_line(line);
        let mut words = Words::new(&line);
        let Some(first) = words.peek() else { return Ok(None) };
        if first.starts_with('#') {
            return Ok(None);
        }
        if let Some(ask) = read_ask(words.clone())? {
            return Ok(Some(Command::Ask(ask)));
        }
        for word in words.by_ref() {
            if let Some(command) = COMMANDS.into_iter().find(|c| c.eq_ignore_ascii_case(word)) {
                return read_command(command, words);
            }
        }
        Err(ProtocolError::Unknown { word: first.to_string() })
    }

    fn write(&mut self, reply: &Reply, out: &mut String) {
        write_reply(reply, "uciok\n", MateUnit::InMoves, out);
    }

    fn help(&self) -> &'static str {
        HELP
    }
}

/// Writes a reply as UCI and USI do.
pub(crate) fn write_reply(reply: &Reply, welcome: &str, mates: MateUnit, out: &mut String) {
    match reply {
        Reply::Name(text) => write_line(out, "id name ", text),
        Reply::Author(text) => write_line(out, "id author ", text),
        Reply::Option(offer) => write_offer(offer, out),
        Reply::Welcome => out.push_str(welcome),
        Reply::Ready => out.push_str("readyok\n"),
        Reply::Done | Reply::Mate(_) | Reply::OfferDraw | Reply::Analysis(_) | Reply::Analysed(_) => {}
        Reply::Info(info) => write_info(info, mates, out),
        Reply::Best { choice, ponder } => write_best(choice.as_ref(), ponder.as_deref(), out),
        Reply::Text(text) => text.lines().for_each(|line| write_line(out, "", line)),
        Reply::Fault(text) => write_line(out, "info string error: ", text),
    }
}

/// The answer to `help`.
const HELP: &str = "\
This engine speaks UCI; usually a GUI or a match runner does the typing.
  uci                                  who it is, and its options
  setoption name NAME value VALUE      set an option
  position startpos|fen FEN [moves …]  set the board
  go depth N|nodes N|movetime MS|wtime MS btime MS [winc MS binc MS]|infinite [searchmoves …]
  stop                                 end the search and tell the move
  d, eval                              show the board, explain its evaluation
  go perft N, bench                    count positions, search a fixed set of positions
  quit";

/// Questions, which are not the standard's: only as the first word, lest talk be taken for them.
pub(crate) fn read_ask(mut words: Words) -> Result<Option<Ask>, ProtocolError> {
    Ok(match words.next() {
        Some("d") => Some(Ask::Show),
        Some("eval") => Some(Ask::Explain),
        Some("bench") => Some(Ask::Bench),
        Some("help" | "?") => Some(Ask::Help),
        Some("perft") => Some(Ask::Perft(small(count(&mut words, "perft")?))),
        _ => None,
    })
}

fn read_command(command: &str, mut words: Words) -> Result<Option<Command>, ProtocolError> {
    Ok(Some(match command {
        "uci" => Command::Hello,
        "debug" => Command::Debug(read_switch(words.next())?),
        "isready" => Command::Sync,
        "setoption" => read_option(words)?,
        "ucinewgame" => Command::NewGame,
        "position" => Command::Board(read_position(words, "fen", ["position fen", "startpos or fen"])?),
        "go" => read_go(words)?,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" | "exit" => Command::Quit,
        _ => return Ok(None), // `register` and `gameover`: nothing to do
    }))
}

pub(crate) fn read_switch(word: Option<&str>) -> Result<bool, ProtocolError> {
    match word {
        None | Some("on") => Ok(true),
        Some("off") => Ok(false),
        Some(found) => Err(ProtocolError::Wrong { after: "debug", expected: "on or off", found: found.to_string() }),
    }
}

/// A start and moves. `word`: how positions are announced; `after` and `expected`: how errors say it.
pub(crate) fn read_position(
    mut words: Words,
    word: &str,
    [after, expected]: [&'static str; 2],
) -> Result<BoardCommand, ProtocolError> {
    let is_moves = |w: &str| w.eq_ignore_ascii_case("moves");
    let start = match words.next() {
        Some(found) if found.eq_ignore_ascii_case("startpos") => None,
        Some(found) if found.eq_ignore_ascii_case(word) => {
            let text = words.until(is_moves).join(" ");
            if text.is_empty() {
                return Err(ProtocolError::Missing { after, expected: "a position" });
            }
            Some(text)
        }
        Some(found) => {
            return Err(ProtocolError::Wrong { after: "position", expected, found: found.to_string() });
        }
        None => return Err(ProtocolError::Missing { after: "position", expected }),
    };
    match words.next() {
        Some(word) if !is_moves(word) => {
            let (after, found) = ("position startpos", word.to_string());
            Err(ProtocolError::Wrong { after, expected: "the word moves", found })
        }
        _ => Ok(BoardCommand::Set { start, moves: words.map(str::to_string).collect() }),
    }
}

/// The words that `go` knows; a list of moves ends at the next one.
const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

fn go_word(word: &str) -> Option<&'static str> {
    GO_WORDS.into_iter().find(|w| w.eq_ignore_ascii_case(word))
}

/// The clocks in a `go` command.
#[derive(Default)]
struct Times {
    left: [Option<Duration>; 2],
    increment: [Option<Duration>; 2],
    moves_to_go: Option<u32>,
}

impl Times {
    /// Both clocks. One that only one side has is taken for both: whose move it is, the position knows.
    fn clocks(&self) -> Option<[Clock; 2]> {
        let given = self.left[0].or(self.left[1])?;
        Some([0, 1].map(|i| Clock {
            left: self.left[i].unwrap_or(given),
            increment: self.increment[i].unwrap_or_default(),
            moves_to_go: self.moves_to_go,
            ..Clock::default()
        }))
    }
}

/// Reads what follows `go`: an order to search in any case, save that `perft` asks for a count.
fn read_go(mut words: Words) -> Result<Command, ProtocolError> {
    let (mut go, mut times, mut fault) = (Go::default(), Times::default(), None);
    while let Some(word) = words.next() {
        let Some(word) = go_word(word) else { continue };
        if word == "perft" {
            return Ok(Command::Ask(Ask::Perft(small(count(&mut words, "go perft")?))));
        }
        if let Err(error) = read_limit(word, &mut words, &mut go, &mut times) {
            fault.get_or_insert(error);
        }
    }
    go.limits.clock = times.clocks();
    Ok(Command::Go(match fault {
        Some(fault) => go.at_once(fault),
        None => go,
    }))
}

/// Reads what follows one of the words of `go`.
fn read_limit(word: &str, words: &mut Words, go: &mut Go, times: &mut Times) -> Result<(), ProtocolError> {
    match word {
        "searchmoves" => go.only.extend(words.until(|w| go_word(w).is_some()).into_iter().map(str::to_string)),
        "ponder" => go.limits.ponder = true,
        "infinite" => go.limits.infinite = true,
        "wtime" => times.left[0] = Some(milliseconds(words, "go wtime")?),
        "btime" => times.left[1] = Some(milliseconds(words, "go btime")?),
        "winc" => times.increment[0] = Some(milliseconds(words, "go winc")?),
        "binc" => times.increment[1] = Some(milliseconds(words, "go binc")?),
        "movestogo" => times.moves_to_go = read_moves_to_go(words)?,
        "depth" => go.limits.depth = Some(small(count(words, "go depth")?)),
        "nodes" => go.limits.nodes = Some(count(words, "go nodes")?),
        // Without a number the search lasts until it is stopped, as in USI.
        "mate" if words.peek().is_some_and(|w| w.eq_ignore_ascii_case("infinite")) => {}
        "mate" => {
            let moves = small(count(words, "go mate")?).min(u32::MAX / 2);
            go.limits.mate_plies = Some(2 * moves - 1);
        }
        "movetime" => go.limits.move_time = Some(milliseconds(words, "go movetime")?),
        _ => {}
    }
    Ok(())
}

pub(crate) fn write_best(choice: Option<&Choice<String>>, ponder: Option<&str>, out: &mut String) {
    out.push_str("bestmove ");
    match choice {
        None => out.push_str("(none)"),
        Some(Choice::Play(mv)) => push_line(out, mv),
        Some(Choice::Claim) => out.push_str("win"),
        Some(Choice::Resign) => out.push_str("resign"),
    }
    if let Some(mv) = ponder {
        let _ = write!(out, " ponder ");
        push_line(out, mv);
    }
    out.push('\n');
}

/// The moves to go of the clock that is meant: the mover's where the side is known.
pub(crate) fn moves_to_go(clocks: &[Clock; 2], side: Option<Side>) -> Option<u32> {
    match side {
        Some(side) => clocks[side.index()].moves_to_go,
        None => clocks[0].moves_to_go.or(clocks[1].moves_to_go),
    }
}
