//! Faults of contestants: crashes, timeouts, illegal moves. A fault decides a game and is reported; it never ends a match.

use std::fmt;

/// The kinds of fault, each a termination of its own.
///
/// # Examples
///
/// ```
/// use tesuji_arena::FaultKind;
/// assert_eq!(FaultKind::from_name("crash"), Some(FaultKind::Crash));
/// // A process that overstepped its time can play on, one that crashed cannot.
/// assert!(!FaultKind::Time.breaks() && FaultKind::Crash.breaks());
/// // A match that was stopped decides no game.
/// assert_eq!(FaultKind::from_name(FaultKind::Stopped.name()), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// It could not be started, or its handshake failed.
    Start,
    /// It was ended by a signal during a game.
    Crash,
    /// It left, though nobody had asked it to.
    Exit,
    /// It gave no move in time, not even late.
    Hang,
    /// It did not get ready: no answer to a ping.
    Ping,
    /// Its time ran out.
    Time,
    /// It played a move that cannot be played.
    Illegal,
    /// It answered, but not in its protocol (no move, a flood of noise).
    Garbage,
    /// It did not end when it was told to, and was killed. This decides no game.
    Quit,
    /// Its evaluator (a policy server, a network) gave no answer, and it has no move without. This decides no game: the game is void.
    Evaluator,
    /// Nobody's fault: the match was stopped while it thought.
    Stopped,
}

impl FaultKind {
    /// All kinds that decide a game.
    const DECIDING: [FaultKind; 8] = [
        FaultKind::Start,
        FaultKind::Crash,
        FaultKind::Exit,
        FaultKind::Hang,
        FaultKind::Ping,
        FaultKind::Time,
        FaultKind::Illegal,
        FaultKind::Garbage,
    ];

    /// All kinds.
    pub const ALL: [FaultKind; 11] = [
        FaultKind::Start,
        FaultKind::Crash,
        FaultKind::Exit,
        FaultKind::Hang,
        FaultKind::Ping,
        FaultKind::Time,
        FaultKind::Illegal,
        FaultKind::Garbage,
        FaultKind::Quit,
        FaultKind::Evaluator,
        FaultKind::Stopped,
    ];

    /// One word for tables, journals and JSON, which never changes: the page has its words under it, in four languages.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Start => "start",
            FaultKind::Crash => "crash",
            FaultKind::Exit => "exit",
            FaultKind::Hang => "hang",
            FaultKind::Ping => "ping",
            FaultKind::Time => "time",
            FaultKind::Illegal => "illegal",
            FaultKind::Garbage => "garbage",
            FaultKind::Quit => "quit",
            FaultKind::Evaluator => "evaluator",
            FaultKind::Stopped => "stopped",
        }
    }

    /// The kind that decides a game and that [`FaultKind::name`] names so.
    pub fn from_name(name: &str) -> Option<FaultKind> {
        FaultKind::DECIDING.into_iter().find(|k| k.name() == name)
    }

    /// Whether the contestant must be started again before its next game.
    pub const fn breaks(self) -> bool {
        !matches!(self, FaultKind::Time | FaultKind::Illegal)
    }
}

/// A fault of a contestant, with what is known about it.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Fault, FaultKind};
/// assert_eq!(Fault::new(FaultKind::Illegal, "e2e5").to_string(), "illegal: e2e5");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// In words, without the contestant's name.
    pub detail: String,
    /// The last lines that it wrote, oldest first.
    pub last_lines: Vec<String>,
    /// A time loss that would not have been one without the time that the processor was taken away.
    pub stolen: bool,
}

impl Fault {
    /// A fault without lines.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Fault {
        Fault { kind, detail: detail.into(), last_lines: Vec::new(), stolen: false }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.detail)
    }
}

impl std::error::Error for Fault {}
