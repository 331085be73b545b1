//! The interface of a game for training of efficiently updatable networks: shapes by name, positions as cells, and inputs of cells.

use std::ops::ControlFlow::Continue;
use tesuji_game::{Position, Random, Side};
use tesuji_nn::NetError;
use tesuji_nn::nnue::{Architecture, FeatureSet, InputChange};
use tesuji_record::{Fault, Sample};
use tesuji_train::nnue::{CellLayout, CellPosition, InputTable, SideInputs};

/// Random moves of a branch, at most.
pub const BRANCH_PLIES: usize = 3;

/// A game whose efficiently updatable networks can be trained.
pub trait NnueTraining: Sync {
    /// The layout of its packed positions.
    fn layout(&self) -> CellLayout;

    /// The cells of a position, its side to move, its set of output layers, and its static value by the hand-made evaluation. Score, result and
    /// ply are the caller's.
    ///
    /// # Errors
    /// When it is no position of the game.
    fn position(&self, sample: &Sample) -> Result<CellPosition, Fault>;

    /// The same of the position after one to [`BRANCH_PLIES`] legal moves that `random` chooses; `None` where the game ends before.
    ///
    /// # Errors
    /// As [`NnueTraining::position`].
    fn branch(&self, sample: &Sample, random: &mut Random) -> Result<Option<CellPosition>, Fault>;

    /// The inputs of cells in a network.
    ///
    /// # Errors
    /// When the network is not one of the game.
    fn table(&self, architecture: &Architecture) -> Result<InputTable, NetError>;

    /// The cell that each cell becomes when the board is mirrored, in games in which that is worth the same; `None` in others.
    fn mirror(&self) -> Option<Vec<u8>>;
}

/// The position after one to [`BRANCH_PLIES`] legal moves that `random` chooses; `None` where the game ends before, or with them.
pub fn after_random_moves<P: Position>(mut pos: P, random: &mut Random) -> Option<P> {
    let mut moves = Vec::new();
    for _ in 0..1 + random.below(BRANCH_PLIES) {
        moves.clear();
        let _ = pos.for_each_move(|mv| {
            moves.push(mv);
            Continue::<()>(())
        });
        pos.play(*moves.get(random.below(moves.len().max(1)))?);
    }
    pos.has_moves().then_some(pos)
}

/// The table of `features` over cells: `appear` is the change when a value comes into a cell, `frame` the frame of a side whose king
/// stands in a cell, `kings` the values of the sides' kings.
///
/// # Errors
/// When an input or a frame is beyond the number that `features` tells.
pub fn input_table<P: Position, F: FeatureSet<P>>(
    features: &F,
    layout: CellLayout,
    kings: [u8; 2],
    appear: impl Fn(usize, u8) -> Option<P::Change>,
    frame: impl Fn(Side, usize) -> usize,
) -> Result<InputTable, NetError> {
    let input = |side: Side| {
        let appear = &appear;
        move |frame: usize, cell: usize, value: u8| match features.changed(frame, side, appear(cell, value)?) {
            Some(InputChange::Added(input)) => Some(input),
            _ => None,
        }
    };
    let (first, second) = (input(Side::First), input(Side::Second));
    let anchor = |side: Side| {
        let frames =
            || (0..layout.cells).map(|cell| if cell < layout.counts_from { frame(side, cell) as u32 } else { 0 });
        (features.frames() > 1).then(|| (kings[side.index()], frames().collect()))
    };
    let sides = [
        SideInputs { anchor: anchor(Side::First), input: &first },
        SideInputs { anchor: anchor(Side::Second), input: &second },
    ];
    InputTable::new(layout, (features.inputs(), features.frames()), sides)
}
