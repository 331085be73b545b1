//! Many positions, answered later: the shape of network evaluation.

use crate::{Line, Position};

/// One question with room for its answer. The caller owns a batch of them and reuses it.
#[derive(Clone)]
pub struct Query<P: Position> {
    /// The position asked about, with its past.
    pub line: Line<P>,
    /// The legal moves, in the order of [`Answer::policy`].
    pub moves: Vec<P::Move>,
    /// Filled by [`Oracle::ask`].
    pub answer: Answer,
}

/// What an oracle says about a position, for the side to move.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Expected result, in -1..=1.
    pub value: f32,
    /// Probability of a draw, in 0..=1.
    pub draw: f32,
    /// Expected margin in points, where the game has points.
    pub score: Option<f32>,
    /// `[moves.len()]`, sums to 1, in the order of the query's moves.
    pub policy: Vec<f32>,
    /// `[points]`, each in -1..=1, or empty.
    pub ownership: Vec<f32>,
}

/// Why an oracle did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OracleError {
    /// The device or library failed; its words.
    Backend(String),
    /// The other end is gone.
    Closed,
}

/// Many positions, later. A handle that a thread owns; several may share one device or server.
pub trait Oracle<P: Position>: Send {
    /// The most queries one call takes.
    fn batch_max(&self) -> usize;

    /// Fills the answers of `batch`.
    ///
    /// # Errors
    /// When the backend fails or is gone; answers are then undefined.
    fn ask(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError>;
}

/// One way to show positions to a network: a value, since a game has several and boards have run-time sizes.
pub trait Encoding<P: Position>: Send + Sync {
    /// The tensor sizes for `pos`.
    fn shape(&self, pos: &P) -> Shape;
    /// Writes the planes of the line's last position under `symmetry`; `out` is `[planes * height * width]`.
    fn encode(&self, line: &Line<P>, symmetry: u8, out: &mut [f32]);
    /// The policy index of `mv` under `symmetry`, below [`Shape::actions`].
    fn action(&self, pos: &P, mv: P::Move, symmetry: u8) -> usize;
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
