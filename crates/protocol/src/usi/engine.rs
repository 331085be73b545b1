//! The engine's end of USI.

use super::{NO_MATE, NOT_IMPLEMENTED, TIMEOUT};
use crate::{
    Ask, Command, Ending, EngineEnd, Go, MateAnswer, Offer, ProtocolError, Reply,
    uci::{
        engine::{read_ask, read_position, read_switch, write_reply},
        info::MateUnit,
        options::{read_option, write_offer},
    },
    words::{Words, count, milliseconds, moves_to_go, one_line, push_line, small},
};
use std::time::Duration;
use tesuji_game::Clock;

/// The engine's end of USI. It remembers nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct UsiEngine;

/// The words that may begin a command anywhere in a line.
const COMMANDS: [&str; 12] = [
    "usi",
    "debug",
    "isready",
    "setoption",
    "register",
    "usinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "gameover",
    "quit",
];

impl EngineEnd for UsiEngine {
    fn name(&self) -> &'static str {
        "usi"
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

    fn option_name<'n>(&self, name: &'n str) -> &'n str {
        common_name(name)
    }

    fn write(&mut self, reply: &Reply, out: &mut String) {
        match reply {
            Reply::Mate(answer) => write_mate(answer, out),
            // USI has no word for having no move: who cannot move has lost.
            Reply::Best { choice: None, .. } => out.push_str("bestmove resign\n"),
            Reply::Option(offer) => write_offer(&Offer { name: usi_name(&offer.name), ..offer.clone() }, out),
            _ => write_reply(reply, "usiok\n", MateUnit::InPlies, out),
        }
    }

    fn help(&self) -> &'static str {
        HELP
    }
}

/// The answer to `help`.
const HELP: &str = "\
This engine speaks USI; usually a GUI or a match runner does the typing.
  usi                                  who it is, and its options
  setoption name NAME value VALUE      set an option
  position startpos|sfen SFEN [moves …]  set the board
  go depth N|nodes N|movetime MS|btime MS wtime MS [byoyomi MS|binc MS winc MS]|mate MS|infinite
  stop                                 end the search and tell the move
  d, eval                              show the board, explain its evaluation
  quit";

fn read_command(command: &str, mut words: Words) -> Result<Option<Command>, ProtocolError> {
    Ok(Some(match command {
        "usi" => Command::Hello,
        "debug" => Command::Debug(read_switch(words.next())?),
        "isready" => Command::Sync,
        "setoption" => read_named(words)?,
        "usinewgame" => Command::NewGame,
        "position" => Command::Board(read_position(words, "sfen", ["position sfen", "startpos or sfen"])?),
        "go" => read_go(words)?,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "gameover" => Command::GameOver(read_ending(words.next())?),
        "quit" => Command::Quit,
        _ => return Ok(None), // `register`: nothing to do
    }))
}

/// Options that USI's standard calls differently from UCI.
const NAMES: [(&str, &str); 2] = [("USI_Hash", "Hash"), ("USI_Ponder", "Ponder")];

/// The name of an option in USI, where names have no spaces.
fn usi_name(name: &str) -> String {
    match NAMES.into_iter().find(|(_, common)| *common == name) {
        Some((usi, _)) => usi.to_string(),
        None => name.replace(' ', "_"),
    }
}

/// The name that an option of USI has elsewhere, in any case of letters; other names as they are.
///
/// # Examples
/// ```
/// assert_eq!(tesuji_protocol::usi::common_name("USI_Hash"), "Hash");
/// assert_eq!(tesuji_protocol::usi::common_name("Threads"), "Threads");
/// ```
pub fn common_name(name: &str) -> &str {
    NAMES.into_iter().find(|(usi, _)| usi.eq_ignore_ascii_case(name)).map_or(name, |(_, common)| common)
}

/// Names are taken as USI has them and as they are.
fn read_named(words: Words) -> Result<Command, ProtocolError> {
    let mut command = read_option(words)?;
    if let Command::Set { name, .. } = &mut command {
        *name = common_name(name).to_string();
    }
    Ok(command)
}

fn read_ending(word: Option<&str>) -> Result<Ending, ProtocolError> {
    const EXPECTED: &str = "win, lose or draw";
    match word.map(str::to_ascii_lowercase).as_deref() {
        Some("win") => Ok(Ending::Win),
        Some("lose") => Ok(Ending::Lose),
        Some("draw") => Ok(Ending::Draw),
        Some(found) => Err(ProtocolError::Wrong { after: "gameover", expected: EXPECTED, found: found.to_string() }),
        None => Err(ProtocolError::Missing { after: "gameover", expected: EXPECTED }),
    }
}

/// The words that `go` knows; a list of moves ends at the next one.
const GO_WORDS: [&str; 14] = [
    "searchmoves",
    "ponder",
    "btime",
    "wtime",
    "byoyomi",
    "binc",
    "winc",
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
    byoyomi: Option<Duration>,
}

impl Times {
    /// Both clocks. One that only one side has is taken for both: whose move it is, the position knows.
    fn clocks(&self) -> Option<[Clock; 2]> {
        let given = self.left[0].or(self.left[1]).or(self.byoyomi.map(|_| Duration::ZERO))?;
        let byoyomi = self.byoyomi.unwrap_or_default();
        Some([0, 1].map(|i| Clock {
            left: self.left[i].unwrap_or(given),
            increment: self.increment[i].unwrap_or_default(),
            moves_to_go: self.moves_to_go,
            byoyomi,
            periods: u32::from(!byoyomi.is_zero()),
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
        "btime" => times.left[0] = Some(milliseconds(words, "go btime")?),
        "wtime" => times.left[1] = Some(milliseconds(words, "go wtime")?),
        "byoyomi" => times.byoyomi = Some(milliseconds(words, "go byoyomi")?),
        "binc" => times.increment[0] = Some(milliseconds(words, "go binc")?),
        "winc" => times.increment[1] = Some(milliseconds(words, "go winc")?),
        "movestogo" => times.moves_to_go = moves_to_go(words)?,
        "depth" => go.limits.depth = Some(small(count(words, "go depth")?)),
        "nodes" => go.limits.nodes = Some(count(words, "go nodes")?),
        "movetime" => go.limits.move_time = Some(milliseconds(words, "go movetime")?),
        "mate" => read_mate(words, go)?,
        _ => {}
    }
    Ok(())
}

/// A search for mates, whose limit of time may follow; without one it lasts until it is stopped.
fn read_mate(words: &mut Words, go: &mut Go) -> Result<(), ProtocolError> {
    go.solve = true;
    match words.peek() {
        None => go.limits.infinite = true,
        Some(word) if word.eq_ignore_ascii_case("infinite") => {} // read next, as a word of its own
        Some(_) => go.limits.move_time = Some(milliseconds(words, "go mate")?),
    }
    Ok(())
}

fn write_mate(answer: &MateAnswer, out: &mut String) {
    out.push_str("checkmate");
    match answer {
        MateAnswer::Line(moves) if !moves.is_empty() => {
            for mv in moves {
                out.push(' ');
                push_line(out, mv);
            }
        }
        MateAnswer::Line(_) | MateAnswer::None => out.extend([" ", NO_MATE]),
        MateAnswer::Limit => out.extend([" ", TIMEOUT]),
        MateAnswer::Unable => out.extend([" ", NOT_IMPLEMENTED]),
    }
    out.push('\n');
}
