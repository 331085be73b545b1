//! Feature sets of efficiently updatable networks: active inputs, changes by moves, and refreshes of accumulators.

use std::ops::Range;
use tesuji_game::{Position, Side};

/// The feature set of a network: its inputs for positions of a game.
///
/// Each side sees the position from its own perspective; a *frame* is the state on which that view depends besides the piece itself
/// (king bucket or king square, mirroring). Moves that keep a side's frame change its active inputs by [`FeatureSet::changed`]
/// alone; where the frame changes, the side's accumulator is refreshed.
///
/// # Examples
///
/// One input for each piece on each square, seen from each side's own end of the board:
///
/// ```
/// use std::ops::Range;
/// use tesuji_chess::{Board, Change, Piece, Square};
/// use tesuji_game::Side;
/// use tesuji_nn::nnue::{FeatureSet, InputChange};
///
/// #[derive(Clone)]
/// struct PieceSquare;
///
/// fn input(perspective: Side, side: Side, piece: Piece, square: Square) -> u32 {
///     let flip = if perspective == Side::First { 0 } else { 56 };
///     let own = if side == perspective { 0 } else { 384 };
///     own + 64 * piece as u32 + (square.index() as u32 ^ flip)
/// }
///
/// impl FeatureSet<Board> for PieceSquare {
///     fn inputs(&self) -> usize {
///         768
///     }
///     fn active_max(&self) -> usize {
///         32
///     }
///     fn frames(&self) -> usize {
///         1
///     }
///     fn frame(&self, _: &Board, _: Side) -> usize {
///         0
///     }
///     fn rows(&self, _: usize) -> Range<u32> {
///         0..768
///     }
///     fn for_each_active(&self, pos: &Board, perspective: Side, mut f: impl FnMut(u32)) {
///         for square in pos.occupied() {
///             if let (Some(piece), Some(side)) = (pos.piece_at(square), pos.side_at(square)) {
///                 f(input(perspective, side, piece, square));
///             }
///         }
///     }
///     fn changed(&self, _: usize, perspective: Side, change: Change) -> Option<InputChange> {
///         Some(match change {
///             Change::Appear { side, piece, square } => InputChange::Added(input(perspective, side, piece, square)),
///             Change::Vanish { side, piece, square } => InputChange::Removed(input(perspective, side, piece, square)),
///         })
///     }
///     fn output_bucket(&self, _: &Board, _: usize) -> usize {
///         0
///     }
/// }
///
/// let start = Board::start();
/// assert_eq!(PieceSquare.active(&start, Side::First).len(), 32);
/// // Both sides see the same start position.
/// assert_eq!(PieceSquare.active(&start, Side::First), PieceSquare.active(&start, Side::Second));
/// ```
pub trait FeatureSet<P: Position>: Clone + Send + Sync + 'static {
    /// Rows of the first layer; inputs are below it.
    fn inputs(&self) -> usize;

    /// Inputs that can be active at once, for one side.
    fn active_max(&self) -> usize;

    /// The number of frames; 1 where inputs do not depend on kings.
    fn frames(&self) -> usize;

    /// The frame of `perspective` at `pos`, below [`FeatureSet::frames`].
    fn frame(&self, pos: &P, perspective: Side) -> usize;

    /// The inputs that can be active in `frame`.
    fn rows(&self, frame: usize) -> Range<u32>;

    /// Calls `f` with each active input of `perspective` at `pos`, once each.
    fn for_each_active(&self, pos: &P, perspective: Side, f: impl FnMut(u32));

    /// The input of `perspective` in `frame` that `change` adds or removes; `None` where the changed piece is no input.
    fn changed(&self, frame: usize, perspective: Side, change: P::Change) -> Option<InputChange>;

    /// The output bucket of `pos`: the set of layers that values it, below `buckets`.
    fn output_bucket(&self, pos: &P, buckets: usize) -> usize;

    /// The active inputs of `perspective`, in ascending order.
    fn active(&self, pos: &P, perspective: Side) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.active_max());
        self.for_each_active(pos, perspective, |input| all.push(input));
        all.sort_unstable();
        all
    }
}

/// An input that becomes active or inactive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputChange {
    /// The input is active now.
    Added(u32),
    /// The input is no longer active.
    Removed(u32),
}
