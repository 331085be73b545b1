//! Protocols between engines and those who run them: both ends of each, as typed commands and replies. No I/O: lines in, text out.
//!
//! An engine reads [`Command`]s and writes [`Reply`]s through an [`EngineEnd`]; a runner (a match, a page) writes
//! commands and reads replies through a [`RunnerEnd`]. What a protocol needs to remember (ids, open answers, the line
//! already sent) stays inside its ends, so that sessions and matches are the same for all protocols. There are [`uci`], [`usi`],
//! [`gtp`] and [`xboard`] with both ends;
//! [`analysis`] is KataGo's JSON for analysed positions.
//!
//! ```
//! use tesuji_protocol::{Command, EngineEnd, Reply, uci::UciEngine};
//! let mut end = UciEngine;
//! assert_eq!(end.read("isready").unwrap(), Some(Command::Sync));
//! let mut out = String::new();
//! end.write(&Reply::Ready, &mut out);
//! assert_eq!(out, "readyok\n");
//! ```
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod analysis;
mod command;
mod error;
pub mod fuzz;
pub mod gtp;
mod info;
mod reply;
pub mod uci;
pub mod usi;
mod words;
pub mod xboard;

pub use command::{Ask, BoardCommand, Command, Ending, Go, Stream};
pub use error::ProtocolError;
pub use info::{Info, Score};
pub use reply::{Analysed, MateAnswer, NO_ANALYSIS, NO_MOVE, Offer, OfferKind, Reply};

/// The engine's end of a protocol: reads commands, writes replies.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::{Command, EngineEnd, Reply, usi::UsiEngine};
///
/// let mut end = UsiEngine;
/// assert_eq!(end.read("isready\n").unwrap(), Some(Command::Sync));
/// let mut out = String::new();
/// end.write(&Reply::Ready, &mut out);
/// assert_eq!(out, "readyok\n");
/// assert_eq!(end.read("usinewgame").unwrap(), Some(Command::NewGame));
/// ```
pub trait EngineEnd: Send {
    /// The name of the protocol: `uci`, `usi`, `gtp`, `xboard`.
    fn name(&self) -> &'static str;

    /// Reads one line, with or without its line break. `None` is a blank line, a comment or something politely ignored.
    ///
    /// # Errors
    /// When the line is no command, or one with a fault; the session goes on and may tell the words of the error.
    fn read(&mut self, line: &str) -> Result<Option<Command>, ProtocolError>;

    /// The next command that the last line meant behind the first one (XBoard: a move is an order to answer it, too).
    fn next_command(&mut self) -> Option<Command> {
        None
    }

    /// Appends the lines of a reply, each with its line break; nothing where the protocol is silent.
    fn write(&mut self, reply: &Reply, out: &mut String);

    /// Help for a person who types commands.
    fn help(&self) -> &'static str;

    /// Our name of the option that the protocol calls `name` (USI has names of its own).
    fn option_name<'n>(&self, name: &'n str) -> &'n str {
        name
    }

    /// Whether every command is done and answered before the next, even `quit` (GTP). Elsewhere `quit` ends everything at once.
    fn is_orderly(&self) -> bool {
        false
    }
}

/// The runner's end of a protocol: writes commands, reads replies.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::{Command, Reply, RunnerEnd, uci::UciRunner};
///
/// let mut end = UciRunner::default();
/// let mut line = String::new();
/// end.write(&Command::Sync, &mut line);
/// assert_eq!(line, "isready\n");
/// assert_eq!(end.read("readyok"), Ok(Some(Reply::Ready)));
/// ```
pub trait RunnerEnd: Send {
    /// Appends the lines of a command, each with its line break; nothing where the protocol has no word for it.
    fn write(&mut self, command: &Command, out: &mut String);

    /// Reads one line, with or without its line break. `None` asks for more lines.
    ///
    /// # Errors
    /// When the line begins as the protocol's but breaks its grammar.
    fn read(&mut self, line: &str) -> Result<Option<Reply>, ProtocolError>;

    /// The next reply that is known already: one line may hold several, and some protocols are silent where another
    /// would answer. To be asked after each [`RunnerEnd::read`] and before waiting for a line.
    fn next_reply(&mut self) -> Option<Reply> {
        None
    }

    /// Appends what the protocol wants to be answered to the lines read, if anything (XBoard's `accepted`).
    fn respond(&mut self, _out: &mut String) {}

    /// Classifies a line by its first bytes, without parsing: engines write thousands of lines in a search, of which only the last
    /// matters. Where nothing is told while it searches, each is a reply.
    fn glance(&self, _line: &[u8]) -> Glance {
        Glance::Reply
    }

    /// Whether the engine may have an answer to a question about a finished game.
    fn may_answer(&self, _ask: &Ask) -> bool {
        false
    }

    /// Whether the engine says which options it has; otherwise they are tried.
    fn tells_options(&self) -> bool {
        true
    }

    /// Whether the protocol has words for what an engine thinks while it thinks (depth, nodes, value).
    fn tells_search(&self) -> bool {
        true
    }

    /// Whether the engine tells the whole state of its search again and again where [`Go::stream`] asks for it, until it is stopped:
    /// known once it has greeted.
    fn streams(&self) -> bool {
        false
    }

    /// Whether the engine can play another game in the same process.
    fn can_play_again(&self) -> bool {
        true
    }

    /// Whether a [`Reply::Fault`] is the answer to a command, which is then undone. In UCI and USI it is a remark.
    fn refuses(&self) -> bool {
        false
    }
}

/// The class of a line, see [`RunnerEnd::glance`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glance {
    /// News of the search with a score of its best line; the last one tells what the engine thinks.
    Score,
    /// Other news, which may be skipped.
    News,
    /// Anything else: to be read.
    Reply,
}
