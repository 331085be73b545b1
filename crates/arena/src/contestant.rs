//! Contestants: engine processes, and players in this process.

use crate::{Dialogue, Fault};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tesuji_game::{Choice, Limits, Side, Value};
use tesuji_protocol::Ending;

/// A participant of a match: an engine process or a player in this process. One thread keeps it for many games; after a fault that
/// [`breaks`](crate::FaultKind::breaks) it is dropped and a new one is made.
///
/// # Examples
///
/// Two contestants that drop into one column each; the first to have four discs there wins:
///
/// ```
/// use std::{sync::atomic::AtomicBool, time::Duration};
/// use tesuji_arena::{Allowance, Conditions, Contestant, Fault, Opening, Thought, Turn, play_game};
/// use tesuji_game::{Choice, Side};
/// use tesuji_record::{Of, of};
/// use tesuji_testkit::four::Four;
///
/// struct Stacker(&'static str);
///
/// impl Contestant for Stacker {
///     fn name(&self) -> &str {
///         "stacker"
///     }
///     fn new_game(&mut self, _rules: &str) -> Result<(), Fault> {
///         Ok(())
///     }
///     fn think(&mut self, _turn: &Turn<'_>) -> Result<Thought, Fault> {
///         Ok(Thought::new(Choice::Play(self.0.to_string()), Duration::ZERO))
///     }
/// }
///
/// static FOUR: Of<Four> = of(&[]);
/// let (mut first, mut second) = (Stacker("1"), Stacker("2"));
/// let conditions = Conditions::even(Allowance::of_nodes(1));
/// let stop = AtomicBool::new(false);
/// let played = play_game(&FOUR, &Opening::default(), [&mut first, &mut second], &conditions, &stop).unwrap();
/// assert_eq!((played.outcome.winner, played.plies), (Some(Side::First), 7));
/// ```
pub trait Contestant: Send {
    /// The name in tables and records.
    fn name(&self) -> &str;

    /// A new game begins, under these rules (empty: the usual ones).
    ///
    /// # Errors
    /// When it does not get ready.
    fn new_game(&mut self, rules: &str) -> Result<(), Fault>;

    /// Thinks about one move. The referee judges move and time.
    ///
    /// # Errors
    /// When no choice was made; [`FaultKind::Stopped`](crate::FaultKind::Stopped) when `turn.stop` was raised.
    fn think(&mut self, turn: &Turn<'_>) -> Result<Thought, Fault>;

    /// May think on the opponent's time about the position of `turn`, which is expected. Returns at once, and whether
    /// it thinks; then [`Contestant::attend`] is called until its own turn comes.
    fn ponder(&mut self, _turn: &Turn<'_>) -> bool {
        false
    }

    /// Takes in what was said while the opponent thinks.
    fn attend(&mut self) {}

    /// The stones that it takes for dead in a game that is over and is to be counted, as places in the protocol's notation;
    /// `None` when it does not tell. Asked before [`Contestant::end_game`], without a clock.
    fn dead_stones(&mut self, _game: &Over<'_>) -> Option<Vec<String>> {
        None
    }

    /// The game is over.
    fn end_game(&mut self, _ending: Ending) {}

    /// Whether it can play no further game, so that another one must be made.
    fn is_spent(&self) -> bool {
        false
    }

    /// Writes down what is said from now on, or no more.
    fn log_to(&mut self, _dialogue: Option<Dialogue>) {}

    /// The last lines that it wrote, oldest first, for the report of a fault that the referee saw.
    fn last_lines(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Ends it. Called once, at the end; must not take longer than a few seconds. A fault when it does not want to.
    fn quit(&mut self) -> Option<Fault> {
        None
    }
}

/// A request for a move.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// The start position; `None` for the usual one.
    pub start: Option<&'a str>,
    /// The moves from there to the position in question.
    pub moves: &'a [String],
    /// The side to move.
    pub side: Side,
    /// The limits of the search.
    pub limits: &'a Limits,
    /// After this time the game is lost; `None` without a clock.
    pub deadline: Option<Duration>,
    /// After this time it is given up as hung. Guards games without a clock too.
    pub patience: Duration,
    /// Raised when the match is stopped: give up thinking at once.
    pub stop: &'a AtomicBool,
    /// To be called a few times a second, where given: the opponent thinks, too.
    pub attend: Option<&'a dyn Fn()>,
    /// The opponent offers a draw.
    pub is_draw_offered: bool,
}

/// A contestant's decision, with its search output.
#[derive(Debug, Clone, PartialEq)]
pub struct Thought {
    /// The decision.
    pub choice: Choice<String>,
    /// The value of the position for the side that moved, if told.
    pub value: Option<Value>,
    /// Plies searched.
    pub depth: u32,
    /// Plies of the longest line.
    pub depth_max: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Time used, as the runner measured it: from the write of the question to the arrival of the answer.
    pub spent: Duration,
    /// Time used as the contestant tells it.
    pub told: Option<Duration>,
    /// Time within `spent` in which it wanted a processor and had none, where the system tells. Measured only when
    /// `spent` exceeds the deadline.
    pub starved: Option<Duration>,
    /// The line expected, own move first.
    pub pv: Vec<String>,
    /// The opponent's move about which it would like to think ahead.
    pub expected: Option<String>,
    /// It offers a draw.
    pub offers_draw: bool,
    /// It told nothing about its search, though its protocol has words for that.
    pub is_silent: bool,
}

impl Thought {
    /// A decision without a word about it.
    pub fn new(choice: Choice<String>, spent: Duration) -> Thought {
        Thought {
            choice,
            value: None,
            depth: 0,
            depth_max: 0,
            nodes: 0,
            spent,
            told: None,
            starved: None,
            pv: Vec::new(),
            expected: None,
            offers_draw: false,
            is_silent: false,
        }
    }
}

/// A game that is over.
#[derive(Debug, Clone, Copy)]
pub struct Over<'a> {
    /// The rules; empty: the usual ones.
    pub rules: &'a str,
    /// The start position; `None`: the usual start.
    pub start: Option<&'a str>,
    /// All moves from there.
    pub moves: &'a [String],
    /// The side to move.
    pub side: Side,
}
