//! Commands from a runner to an engine.

use crate::{ProtocolError, Reply};
use std::time::Duration;
use tesuji_game::{Clock, Limits, Side};

/// One command, whatever the protocol.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Say who you are and which options you have (`uci`, `usi`).
    Hello,
    /// Tell more, or stop telling more.
    Debug(bool),
    /// Set an option.
    Set {
        /// Its name, as given.
        name: String,
        /// Its value; empty for buttons.
        value: String,
    },
    /// Answer when all before is done (`isready`).
    Sync,
    /// A new game begins.
    NewGame,
    /// About the board.
    Board(BoardCommand),
    /// Think and answer with a move.
    Go(Go),
    /// Answer now.
    Stop,
    /// The expected move was played: the limits count from now on.
    PonderHit,
    /// A side's clock, where the protocol tells it apart from [`Command::Go`] (GTP); `None` means both sides.
    Clock {
        /// The side.
        side: Option<Side>,
        /// Its time; `None`: there is no limit.
        clock: Option<Clock>,
    },
    /// The game has ended, with a result for the engine (USI).
    GameOver(Ending),
    /// A question.
    Ask(Ask),
    /// The opponent offers a draw (XBoard).
    OfferDraw,
    /// Whether to think on the opponent's time, where that is no option (XBoard's `hard` and `easy`).
    Ponder(bool),
    /// The engine's end knows the answer itself: to be given when all before is answered (GTP).
    Say(Reply),
    /// End the session.
    Quit,
}

/// A command about the board. UCI and USI send [`BoardCommand::Set`], GTP the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardCommand {
    /// A whole line: a start and the moves from there.
    Set {
        /// The position's text; `None` is the usual start.
        start: Option<String>,
        /// In the protocol's notation.
        moves: Vec<String>,
    },
    /// The rules, as the game's `Rules` reads them; clears the board. UCI and USI take a variant's name, GTP words such
    /// as `size=9 komi=7.5 rules=chinese`.
    Rules(String),
    /// The points that [`Side::Second`] gets for moving second; the board stays as it is (GTP).
    Komi(String),
    /// The usual start of a new game under the same rules (GTP).
    Clear,
    /// One move.
    Play {
        /// Its players.
        side: Side,
        /// The move.
        text: String,
    },
    /// Stones put on the board before the game (handicap).
    Place {
        /// The side.
        side: Side,
        /// Where.
        points: Vec<String>,
    },
    /// The last move is taken back.
    Undo,
    /// The main line of a record (GTP).
    Load {
        /// The file.
        file: String,
        /// The number of the move before which it ends, from 1; `None`: it is played to its end.
        before: Option<usize>,
    },
}

/// An order to think.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::{Command, EngineEnd, uci::UciEngine};
/// let Ok(Some(Command::Go(go))) = UciEngine.read("go depth 8 searchmoves e2e4") else { panic!("an order") };
/// assert_eq!((go.limits.depth, go.only, go.fault), (Some(8), vec!["e2e4".to_string()], None));
/// // A limit that cannot be read: one ply, so that the runner gets a move.
/// let Ok(Some(Command::Go(go))) = UciEngine.read("go depth eight") else { panic!("an order") };
/// assert!(go.limits.depth == Some(1) && go.fault.is_some());
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Go {
    /// The limits of the search.
    pub limits: Limits,
    /// Only these moves are considered; empty: all.
    pub only: Vec<String>,
    /// The side that moves, where the protocol says so (GTP); otherwise the side to move.
    pub side: Option<Side>,
    /// Whether the engine plays its move on its own board (`genmove` against `reg_genmove`).
    pub commit: bool,
    /// These moves are not considered, unless none remains.
    pub avoid: Vec<String>,
    /// Tell the whole state of the search again and again (GTP's analyses). Without [`Go::commit`] the search ends with the
    /// next line that the runner sends.
    pub stream: Option<Stream>,
    /// Pass only when nothing dead is left to be taken (KGS).
    pub cleanup: bool,
    /// Look for a mate and answer with [`crate::Reply::Mate`] (USI `go mate`).
    pub solve: bool,
    /// The fault of the line: it is reported before the answer, and the limits are those of [`Go::at_once`].
    pub fault: Option<ProtocolError>,
}

impl Go {
    /// The order where a limit of its line could not be read: the runner waits for a move, and a search without that limit
    /// could last for ever, so the search is one ply deep. Whether the answer is held back until a `stop` stays.
    pub fn at_once(self, fault: ProtocolError) -> Go {
        let Limits { infinite, ponder, .. } = self.limits;
        let limits = Limits { depth: Some(1), infinite, ponder, ..Limits::default() };
        Go { limits, fault: Some(fault), ..self }
    }
}

/// The reporting of a running search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    /// Time between two reports.
    pub every: Duration,
    /// The most moves in a report.
    pub lines: usize,
}

/// A question that is no order to play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// Show the board.
    Show,
    /// Explain the evaluation.
    Explain,
    /// Search the fixed set of positions and count nodes.
    Bench,
    /// Count the positions this many plies ahead.
    Perft(u32),
    /// The commands that the engine knows, for people.
    Help,
    /// The engine's name (GTP).
    Name,
    /// The engine's version (GTP).
    Version,
    /// All commands (GTP).
    Commands,
    /// Whether a command is known (GTP).
    Known(String),
    /// The score of the finished game (GTP).
    FinalScore,
    /// The stones of a status: dead, alive, seki (GTP).
    FinalStatus(String),
    /// Asks for the points of this many handicap stones (GTP).
    Handicap {
        /// The number wanted.
        stones: u32,
        /// At the traditional places, or freely chosen.
        fixed: bool,
    },
    /// The owner of each point (GTP).
    Owners,
    /// The rules in force (GTP).
    Rules,
    /// The points that [`Side::Second`] gets for moving second (GTP).
    Komi,
    /// The names of all options (GTP).
    Parameters,
    /// The value of an option (GTP).
    Parameter(String),
    /// Processor time used so far (GTP).
    ProcessorTime,
    /// The raw output of the network for the position under one symmetry, or the mean over all: `None` (GTP).
    RawNet(Option<u8>),
}

/// The result of a game for the engine that is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It won.
    Win,
    /// It lost.
    Lose,
    /// Neither.
    Draw,
}

impl Command {}
