//! Replies of an engine to a runner.

use crate::Info;
use tesuji_game::{Choice, Report};
use tesuji_options::{Kind, Spec};

/// One reply, whatever the protocol.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The engine's name and version.
    Name(String),
    /// Its author.
    Author(String),
    /// An option it has.
    Option(Offer),
    /// The end of the answer to [`crate::Command::Hello`] (`uciok`).
    Welcome,
    /// The answer to [`crate::Command::Sync`] (`readyok`).
    Ready,
    /// A command was carried out; only GTP says so.
    Done,
    /// News of a running search.
    Info(Info),
    /// The whole state of a running search, where [`crate::Go::stream`] asked for it.
    Analysis(Report<String>),
    /// The same as an engine told it.
    Analysed(Box<Analysed>),
    /// The end of a search.
    Best {
        /// The choice; `None` where there is no move.
        choice: Option<Choice<String>>,
        /// The answer expected.
        ponder: Option<String>,
    },
    /// It offers a draw, with or without a move (XBoard).
    OfferDraw,
    /// The end of a search for mate (USI).
    Mate(MateAnswer),
    /// Words for people: an answer to a question, or a line that is not part of the protocol.
    Text(String),
    /// A command was refused or failed; the session goes on. One that holds [`NO_MOVE`] says why there is no move.
    Fault(String),
}

/// The state of a running search as an engine told it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Analysed {
    /// The moves, chances, margins.
    pub report: Report<String>,
    /// The visits of the moves along each line, first move first, in the order of `report.lines`; empty where they were not told.
    pub pv_visits: Vec<Vec<u64>>,
}

/// The prefix of the fault of an engine that has no move because its evaluator gave no answer: its game has no result.
pub const NO_MOVE: &str = "no move: ";

/// What stands at the beginning of a [`Reply::Fault`] when a program that should be KataGo's analysis engine answers as none does.
pub const NO_ANALYSIS: &str = "no KataGo analysis engine: ";

/// The result of a search for mate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MateAnswer {
    /// This line mates.
    Line(Vec<String>),
    /// There is none.
    None,
    /// The limit came first.
    Limit,
    /// The engine has no such search.
    Unable,
}

/// An option as an engine offers it.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Its name; may hold spaces.
    pub name: String,
    /// Its type, default and bounds.
    pub kind: OfferKind,
}

/// The type of an offered option, with default and bounds.
#[derive(Debug, Clone, PartialEq)]
pub enum OfferKind {
    /// A whole number.
    Spin {
        /// At first.
        default: i64,
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// Yes or no.
    Check {
        /// At first.
        default: bool,
    },
    /// A text.
    Text {
        /// At first.
        default: String,
    },
    /// The name of a file (USI).
    File {
        /// At first.
        default: String,
    },
    /// One of some words.
    Combo {
        /// At first.
        default: String,
        /// The words.
        among: Vec<String>,
    },
    /// Something to press.
    Button,
}

impl From<&Spec> for Offer {
    fn from(spec: &Spec) -> Offer {
        let kind = match spec.kind {
            Kind::Int { default, min, max } => OfferKind::Spin { default, min, max },
            Kind::Float { default, .. } => OfferKind::Text { default: default.to_string() },
            Kind::Flag { default } => OfferKind::Check { default },
            Kind::Text { default } | Kind::File { default, .. } => OfferKind::Text { default: default.to_string() },
            Kind::Choice { default, among } => OfferKind::Combo {
                default: default.to_string(),
                among: among.iter().map(|w| (*w).to_string()).collect(),
            },
            Kind::Button => OfferKind::Button,
        };
        Offer { name: spec.name.to_string(), kind }
    }
}
