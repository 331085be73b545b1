//! Positions and moves as text, and a game as a name for its parts.

use crate::{Outcome, Position};
use std::fmt;

/// The text notation of a game: parses and formats positions and moves.
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
    /// Parses a position (FEN, SFEN, …).
    ///
    /// # Errors
    /// The fault and its byte offset.
    fn parse_position(rules: &R, text: &str) -> Result<P, NotationError>;

    /// Formats a position; [`Notation::parse_position`] parses the result back to the same position.
    ///
    /// # Errors
    /// Only those of `out`.
    fn write_position(pos: &P, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Parses a move in the protocol's notation.
    ///
    /// # Errors
    /// [`NotationError::IllegalMove`] for a move that is not legal here, others for text that is no move.
    fn parse_move(pos: &P, text: &str) -> Result<P::Move, NotationError>;

    /// Formats a move in the protocol's notation.
    ///
    /// # Errors
    /// Only those of `out`.
    fn write_move(pos: &P, mv: P::Move, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Formats a move in the notation that players use (`Nf3`, `☗７六歩`); by default the protocol's notation.
    ///
    /// # Errors
    /// Only those of `out`.
    fn write_readable(pos: &P, mv: P::Move, out: &mut dyn fmt::Write) -> fmt::Result {
        Self::write_move(pos, mv, out)
    }

    /// Parses a move in the notation that players use, or in the protocol's.
    ///
    /// # Errors
    /// As those of [`Notation::parse_move`].
    fn parse_readable(pos: &P, text: &str) -> Result<P::Move, NotationError> {
        Self::parse_move(pos, text)
    }
}

/// An error in the text of a position, a move or rules.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotationError {
    /// The text is empty.
    Empty,
    /// A syntax error.
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
    /// The position is well formed but impossible in a game.
    IllegalPosition {
        /// Byte offset of the field at fault.
        at: usize,
        /// The rule that it breaks.
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

/// A game: names its position type, notation and rules, for code that is generic over games (`fn run<G: Game>(..)`).
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
    /// The position type.
    type Position: Position;
    /// The notation of positions and moves.
    type Notation: Notation<Self::Position, Self::Rules>;
    /// The rules of a variant: board size, komi, Chess960. `Display` and `FromStr` are inverse; the empty text is the default.
    type Rules: Clone + Default + fmt::Debug + fmt::Display + std::str::FromStr<Err = NotationError> + Send + Sync;

    /// The usual start position under `rules`.
    fn start(rules: &Self::Rules) -> Self::Position;

    /// The rules that a game from `start` has, where that position, read under `rules`, can only belong to others.
    fn implied_rules(_rules: &Self::Rules, _start: &Self::Position) -> Option<Self::Rules> {
        None
    }

    /// The result of `pos`, where a game that is counted has ended, once the players agree that the pieces on these places
    /// are dead; `None` where games are not counted or a place has nobody on it.
    fn count_without(_pos: &Self::Position, _dead: &[&str]) -> Option<Outcome> {
        None
    }
}

/// The moves of a game.
///
/// # Examples
///
/// ```
/// use tesuji_game::{Game, MoveOf, Notation};
/// use tesuji_testkit::four::{Drop, Four, NoRules};
/// /// The last of several moves in the protocol's notation.
/// fn last_move<G: Game>(rules: &G::Rules, texts: &[&str]) -> Option<MoveOf<G>> {
///     let start = G::start(rules);
///     texts.last().and_then(|text| G::Notation::parse_move(&start, text).ok())
/// }
/// assert_eq!(last_move::<Four>(&NoRules, &["1", "4"]), Some(Drop(3)));
/// ```
pub type MoveOf<G> = <<G as Game>::Position as Position>::Move;

/// A move in its game's notation.
///
/// # Examples
/// ```
/// use tesuji_chess::{Board, Chess};
/// use tesuji_game::{move_text, position_text};
/// let board = Board::start();
/// let moves: Vec<String> = board.legal_moves().into_iter().map(|mv| move_text::<Chess>(&board, mv)).collect();
/// assert!(moves.contains(&"e2e4".to_string()));
/// ```
pub fn move_text<G: Game>(pos: &G::Position, mv: MoveOf<G>) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = G::Notation::write_move(pos, mv, &mut text);
    text
}

/// A position in its game's notation.
///
/// # Examples
/// ```
/// use tesuji_chess::{Board, Chess};
/// let text = tesuji_game::position_text::<Chess>(&Board::start());
/// assert!(text.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w"));
/// ```
pub fn position_text<G: Game>(pos: &G::Position) -> String {
    let mut text = String::new();
    let _ = G::Notation::write_position(pos, &mut text);
    text
}
