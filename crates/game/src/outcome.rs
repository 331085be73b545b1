//! The outcome of a game: winner and reason.

use crate::Side;

/// The outcome of a game: the winner, if any, and the reason.
///
/// # Examples
///
/// ```
/// use tesuji_game::{By, Outcome, Side};
/// let won = Outcome::win(Side::Second, By::Resignation);
/// assert_eq!((won.score(Side::First), won.score(Side::Second)), (0.0, 1.0));
/// assert_eq!(Outcome::draw(By::Repetition).score(Side::First), 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The winner, or `None` for a draw (and for games without a result, see [`By::Void`]).
    pub winner: Option<Side>,
    /// The reason.
    pub by: By,
}

impl Outcome {
    /// A win of `side`.
    pub const fn win(side: Side, by: By) -> Outcome {
        Outcome { winner: Some(side), by }
    }

    /// A draw.
    pub const fn draw(by: By) -> Outcome {
        Outcome { winner: None, by }
    }

    /// The score of `side`: 1 for a win, one half for a draw, 0 for a loss.
    pub fn score(&self, side: Side) -> f64 {
        match self.winner {
            None => 0.5,
            Some(winner) if winner == side => 1.0,
            Some(_) => 0.0,
        }
    }
}

/// The reason for the end of a game.
///
/// [`By::Superiority`] is no rule of the game: a search may take a repeated board with a better hand as won.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum By {
    /// Checkmate, or the goal of the game reached.
    Mate,
    /// The side to move has no move (stalemate in chess).
    NoMoves,
    /// The position was repeated as often as the rules allow.
    Repetition,
    /// A board repeated with a better hand, seen by a search.
    Superiority,
    /// Too many moves without progress (the 50 and 75 move rules).
    MoveRule,
    /// Too little material to win.
    Material,
    /// Counted territory or points; the margin for the winner.
    Points(f32),
    /// An entering-king declaration.
    Declaration,
    /// The loser resigned.
    Resignation,
    /// The loser overstepped the time.
    Time,
    /// The loser played an illegal move.
    Illegal,
    /// Both agreed.
    Agreement,
    /// An arbiter or runner stopped the game by a rule of its own.
    Adjudication,
    /// The loser's engine died, hung or left.
    Disconnect,
    /// The game does not count.
    Void,
}

impl By {
    /// Every reason; points have no margin here.
    pub const ALL: [By; 15] = [
        By::Mate,
        By::NoMoves,
        By::Repetition,
        By::Superiority,
        By::MoveRule,
        By::Material,
        By::Points(0.0),
        By::Declaration,
        By::Resignation,
        By::Time,
        By::Illegal,
        By::Agreement,
        By::Adjudication,
        By::Disconnect,
        By::Void,
    ];

    /// The name in journals, JSON and on the wire, which never changes: the page has its words under it, in four languages. Points lose
    /// their margin.
    ///
    /// # Examples
    /// ```
    /// use tesuji_game::By;
    /// assert_eq!(By::MoveRule.name(), "move rule");
    /// assert_eq!(By::from_name("points"), Some(By::Points(0.0)));
    /// assert_eq!(By::from_name("boredom"), None);
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            By::Mate => "mate",
            By::NoMoves => "no moves",
            By::Repetition => "repetition",
            By::Superiority => "superiority",
            By::MoveRule => "move rule",
            By::Material => "material",
            By::Points(_) => "points",
            By::Declaration => "declaration",
            By::Resignation => "resignation",
            By::Time => "time",
            By::Illegal => "illegal move",
            By::Agreement => "agreement",
            By::Adjudication => "adjudication",
            By::Disconnect => "disconnect",
            By::Void => "void",
        }
    }

    /// The reason that [`By::name`] names.
    pub fn from_name(name: &str) -> Option<By> {
        By::ALL.into_iter().find(|by| by.name() == name)
    }
}
