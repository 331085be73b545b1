//! Positions and moves as text, and a game as a name for its parts.

use crate::{Outcome, Position};
use std::fmt;

/// How positions and moves of a game are written.
///
/// # Examples
///
/// ```
/// use tesuji_game::{Game, Notation, NotationError, Position};
/// use tesuji_testkit::four::{Four, FourPosition, NoRules};
///
/// type Text = <Four as Game>::Notation;
/// let start = Text::parse_position(&NoRules, &tesuji_game::position_text::<Four>(&FourPosition::default()))?;
/// assert_eq!(start, FourPosition::default());
/// let mv = Text::parse_move(&start, "4")?;
/// assert_eq!(tesuji_game::move_text::<Four>(&start, mv), "4");
/// assert!(matches!(Text::parse_move(&start, "8"), Err(NotationError::IllegalMove { .. } | NotationError::Syntax { .. })));
/// # Ok::<(), NotationError>(())
/// ```
pub trait Notation<P: Position, R> {
    /// Reads a position (FEN, SFEN, …).
    ///
    /// # Errors
    /// What is wrong, and where.
    fn parse_position(rules: &R, text: &str) -> Result<P, NotationError>;

    /// Writes a position so that [`Notation::parse_position`] reads it back.
    ///
    /// # Errors
    /// Only those of `out`.
    fn write_position(pos: &P, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Reads a move in the protocol's notation.
    ///
    /// # Errors
    /// [`NotationError::IllegalMove`] for a move that cannot be played here, others for words that are no moves.
    fn parse_move(pos: &P, text: &str) -> Result<P::Move, NotationError>;

    /// Writes a move in the protocol's notation.
    ///
    /// # Errors
    /// Only those of `out`.
    fn write_move(pos: &P, mv: P::Move, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Writes a move as people of the game write it (`Nf3`, `☗７六歩`); the protocol's notation where that is the same.
    ///
    /// # Errors
    /// Only those of `out`.
    fn write_readable(pos: &P, mv: P::Move, out: &mut dyn fmt::Write) -> fmt::Result {
        Self::write_move(pos, mv, out)
    }

    /// Reads a move as people write it, or as the protocol does.
    ///
    /// # Errors
    /// As those of [`Notation::parse_move`].
    fn parse_readable(pos: &P, text: &str) -> Result<P::Move, NotationError> {
        Self::parse_move(pos, text)
    }
}

/// What is wrong with a text that should be a position, a move or rules.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotationError {
    /// Nothing there.
    Empty,
    /// Something else than expected.
    Syntax {
        /// Byte offset in the text.
        at: usize,
        /// The text expected there.
        expected: &'static str,
    },
    /// The move is well formed but cannot be played here.
    IllegalMove {
        /// The move as given.
        text: String,
    },
    /// The position is well formed but cannot be.
    IllegalPosition {
        /// Byte offset of the field at fault.
        at: usize,
        /// Why.
        reason: &'static str,
    },
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotationError::Empty => write!(f, "nothing given"),
            NotationError::Syntax { at, expected } => write!(f, "at byte {at}: expected {expected}"),
            NotationError::IllegalMove { text } => write!(f, "illegal move {text}"),
            NotationError::IllegalPosition { at, reason } => write!(f, "at byte {at}: {reason}"),
        }
    }
}

impl std::error::Error for NotationError {}

/// A game as a name for its parts: `fn run<G: Game>(..)`.
///
/// # Examples
///
/// The same code for every game:
///
/// ```
/// use tesuji_game::{Game, Position, move_text};
/// use tesuji_testkit::four::{Four, NoRules};
///
/// fn first_moves<G: Game>(rules: &G::Rules) -> Vec<String> {
///     let start = G::start(rules);
///     let mut moves = Vec::new();
///     let _ = start.for_each_move(|mv| {
///         moves.push(move_text::<G>(&start, mv));
///         std::ops::ControlFlow::<()>::Continue(())
///     });
///     moves
/// }
///
/// assert_eq!(Four::NAME, "four");
/// assert_eq!(first_moves::<Four>(&NoRules), ["4", "3", "5", "2", "6", "1", "7"]);
/// ```
pub trait Game: Send + Sync + 'static {
    /// The name on the command line.
    const NAME: &'static str;
    /// Its positions.
    type Position: Position;
    /// Its notation.
    type Notation: Notation<Self::Position, Self::Rules>;
    /// Its variants: board size, komi, Chess960. Text out and in are inverse; the empty text is the default.
    type Rules: Clone + Default + fmt::Debug + fmt::Display + std::str::FromStr<Err = NotationError> + Send + Sync;

    /// The usual start position under `rules`.
    fn start(rules: &Self::Rules) -> Self::Position;

    /// The result of `pos`, where a game that is counted has ended, once the players agree that the pieces on these places
    /// are dead; `None` where games are not counted or a place has nobody on it.
    fn count_without(_pos: &Self::Position, _dead: &[&str]) -> Option<Outcome> {
        None
    }
}

/// The moves of a game.
pub type MoveOf<G> = <<G as Game>::Position as Position>::Move;

/// A move in its game's notation.
pub fn move_text<G: Game>(pos: &G::Position, mv: MoveOf<G>) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = G::Notation::write_move(pos, mv, &mut text);
    text
}

/// A position in its game's notation.
pub fn position_text<G: Game>(pos: &G::Position) -> String {
    let mut text = String::new();
    let _ = G::Notation::write_position(pos, &mut text);
    text
}
