//! Batched evaluation of positions by a network or by playouts, and encodings of positions as network inputs.

use crate::{CacheCounts, Line, Position};
use std::fmt;

/// A position to be evaluated, with buffers for the answer. The caller owns a batch of them and reuses it.
///
/// # Examples
///
/// ```
/// use tesuji_game::{Line, Query};
/// use tesuji_testkit::four::FourPosition;
/// let mut query = Query::new(Line::new(FourPosition::default()));
/// assert!(query.moves.is_empty() && query.wants_policy && query.wants_value);
/// // Whoever asks fills in the legal moves, in whose order the policy comes back.
/// query.line.legal_moves(&mut query.moves);
/// assert_eq!(query.moves.len(), 7);
/// ```
#[derive(Clone)]
pub struct Query<P: Position> {
    /// The position asked about, with its past.
    pub line: Line<P>,
    /// The legal moves, in the order of [`Answer::policy`].
    pub moves: Vec<P::Move>,
    /// Whether [`Answer::policy`] will be used. Where it is not, an oracle may leave it empty and save the work.
    pub wants_policy: bool,
    /// Whether [`Answer::value`] and the other fields will be used. Where they are not, an oracle may save the work.
    pub wants_value: bool,
    /// Filled by [`Oracle::ask`].
    pub answer: Answer,
}

impl<P: Position> Query<P> {
    /// A question about the end of `line`, without moves yet.
    pub fn new(line: Line<P>) -> Self {
        Query { line, moves: Vec::new(), wants_policy: true, wants_value: true, answer: Answer::default() }
    }
}

/// The evaluation of a position by an oracle: value, policy and more, for the side to move.
///
/// # Examples
///
/// ```
/// use tesuji_game::Answer;
/// let mut answer = Answer { value: 0.5, policy: vec![0.25; 4], ..Answer::default() };
/// let buffer = answer.policy.capacity();
/// answer.clear();
/// assert_eq!(answer, Answer::default());
/// assert_eq!(answer.policy.capacity(), buffer, "the next answer allocates nothing");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Expected result, in -1..=1.
    pub value: f32,
    /// Probability of a draw, in 0..=1.
    pub draw: f32,
    /// Plies to a win of the side to move that the oracle has proved; `value` is then 1.
    pub win_plies: Option<u16>,
    /// Expected margin in points, where the game has points.
    pub score: Option<f32>,
    /// `[moves.len()]`, sums to 1, in the order of the query's moves.
    pub policy: Vec<f32>,
    /// `[points]`, each in -1..=1, or empty.
    pub ownership: Vec<f32>,
    /// All-moves-as-first statistics of the playouts behind `value`, if there were any: for [`crate::Side::First`] and
    /// [`crate::Side::Second`], `[a bound of the packed moves]`, indexed by [`Position::pack`]; or both empty.
    pub as_first: [Vec<AsFirst>; 2],
}

/// All-moves-as-first statistics of one move of one side (Brügmann, 1993; Gelly and Silver, 2007).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AsFirst {
    /// The share of the playouts in which the side played the move before its opponent did, in 0..=1.
    pub weight: f32,
    /// The mean result of those playouts for that side, in -1..=1.
    pub value: f32,
}

impl Answer {
    /// Resets all fields for another answer and keeps the buffers.
    pub fn clear(&mut self) {
        (self.value, self.draw, self.win_plies, self.score) = (0.0, 0.0, None, None);
        self.policy.clear();
        self.ownership.clear();
        self.as_first.iter_mut().for_each(Vec::clear);
    }
}

/// The failure of an oracle.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OracleError {
    /// The device or library failed, with its error message.
    Backend(String),
    /// The server or thread that evaluates is gone.
    Closed,
}

impl fmt::Display for OracleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OracleError::Backend(reason) => write!(f, "the evaluation failed: {reason}"),
            OracleError::Closed => write!(f, "the evaluation has gone away"),
        }
    }
}

impl std::error::Error for OracleError {}

/// An evaluator of positions in batches: a network or playouts. Each thread owns a handle; several may share one device or server.
///
/// # Examples
///
/// An oracle without knowledge, which a tree search can grow by all the same:
///
/// ```
/// use tesuji_game::{Line, Oracle, OracleError, Position, Query};
/// use tesuji_testkit::four::FourPosition;
///
/// struct Flat;
///
/// impl<P: Position> Oracle<P> for Flat {
///     fn batch_max(&self) -> usize {
///         8
///     }
///
///     fn ask(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError> {
///         for query in batch {
///             query.answer.clear();
///             query.answer.policy.resize(query.moves.len(), 1.0 / query.moves.len() as f32);
///         }
///         Ok(())
///     }
/// }
///
/// let line = Line::new(FourPosition::default());
/// let mut query = Query::new(line.clone());
/// line.legal_moves(&mut query.moves);
/// let mut batch = [query];
/// Flat.ask(&mut batch)?;
/// assert_eq!((batch[0].answer.value, batch[0].answer.policy.len()), (0.0, 7));
/// # Ok::<(), OracleError>(())
/// ```
pub trait Oracle<P: Position>: Send {
    /// The most queries one call takes.
    fn batch_max(&self) -> usize;

    /// Fills the answers of `batch`.
    ///
    /// # Errors
    /// When the backend fails or is gone; answers are then undefined.
    fn ask(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError>;

    /// Forgets everything that was learned from earlier positions (caches).
    fn clear(&mut self) {}

    /// Names and counts of what the caches did since the last [`Oracle::clear`].
    fn counts(&self) -> Vec<CacheCounts> {
        Vec::new()
    }
}

/// The encoding of positions as input planes and of moves as policy indices. A value and not a type alone, since a game may have
/// several and boards have run-time sizes.
///
/// Training, serving and play call the same functions of the same encoding, so that the three cannot drift apart;
/// [`Encoding::name`] is stored in the network's file.
///
/// # Examples
///
/// The discs of the side to move and those of its opponent as two planes of 6 rows and 7 columns, with the mirror image as second
/// symmetry:
///
/// ```
/// use tesuji_game::{Encoding, Line, Shape};
/// use tesuji_testkit::four::{Drop, FourPosition};
///
/// struct Discs;
///
/// impl Encoding<FourPosition> for Discs {
///     fn name(&self) -> &'static str {
///         "discs-1"
///     }
///     fn planes(&self) -> usize {
///         2
///     }
///     fn shape(&self, _: &FourPosition) -> Shape {
///         Shape { planes: 2, height: 6, width: 7, actions: 7 }
///     }
///     fn symmetries(&self, _: &FourPosition) -> u8 {
///         2
///     }
///     fn encode(&self, line: &Line<FourPosition>, symmetry: u8, out: &mut [f32]) {
///         let (mine, all) = line.here().discs();
///         for point in 0..42 {
///             // A column of the position has seven bits, of which six are used.
///             let bit = 1 << (7 * (point % 7) + point / 7);
///             let at = self.point(line.here(), point, symmetry);
///             out[at] = f32::from(u8::from(mine & bit != 0));
///             out[42 + at] = f32::from(u8::from((all ^ mine) & bit != 0));
///         }
///     }
///     fn action(&self, _: &FourPosition, mv: Drop, symmetry: u8) -> usize {
///         usize::from(if symmetry == 1 { 6 - mv.0 } else { mv.0 })
///     }
///     fn point(&self, _: &FourPosition, index: usize, symmetry: u8) -> usize {
///         if symmetry == 1 { index / 7 * 7 + 6 - index % 7 } else { index }
///     }
/// }
///
/// let mut line = Line::new(FourPosition::default());
/// line.push(Drop(0));
/// let mut planes = [0.0; 2 * 42];
/// Discs.encode(&line, 1, &mut planes);
/// // The disc in the left column is the opponent's now, and the mirror shows it on the right.
/// assert_eq!(planes.iter().position(|&p| p == 1.0), Some(42 + 6));
/// assert_eq!(Discs.action(line.here(), Drop(0), 1), 6);
/// ```
pub trait Encoding<P: Position>: Send + Sync {
    /// The name with the version: `go-1`. Another layout or meaning of the planes needs another name.
    fn name(&self) -> &'static str;
    /// Number of planes, whatever the board.
    fn planes(&self) -> usize;
    /// The tensor sizes for `pos`, the same under each symmetry.
    fn shape(&self, pos: &P) -> Shape;
    /// The number of symmetries of `pos`, at least 1; symmetry 0 is the identity.
    fn symmetries(&self, pos: &P) -> u8;
    /// Writes the planes of the line's last position under `symmetry`, row by row, plane after plane; `out` is
    /// `[planes * height * width]` and need not be cleared.
    ///
    /// # Panics
    /// When `out` has another length or there is no such symmetry.
    fn encode(&self, line: &Line<P>, symmetry: u8, out: &mut [f32]);
    /// The policy index of `mv` under `symmetry`, below [`Shape::actions`].
    fn action(&self, pos: &P, mv: P::Move, symmetry: u8) -> usize;
    /// The index in a plane under `symmetry` of the point with `index` under the identity: `row * width + column`.
    fn point(&self, pos: &P, index: usize, symmetry: u8) -> usize;
}

/// Sizes of one encoded position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Feature planes.
    pub planes: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Columns of a plane.
    pub width: usize,
    /// Length of the policy vector.
    pub actions: usize,
}
