//! The 2187 labels of dlshogi's policy: how a piece comes to a square, 27 ways, times the square.

use tesuji_game::Side;
use tesuji_shogi::{Move, Square};

/// The number of labels.
pub const LABELS: usize = WAYS * 81;
/// Ten directions, the same with promotion, seven drops.
const WAYS: usize = 27;
/// Directions, by which promotions and drops come after.
const DIRECTIONS: usize = 10;

/// The label of `mv` for `side`, on a board mirrored left to right if `mirrored`: `way * 81 + to`.
pub fn of(mv: Move, side: Side, mirrored: bool) -> usize {
    let seen = |square: Square| {
        let square = square.relative(side);
        if mirrored { square.mirrored() } else { square }
    };
    let to = seen(mv.to());
    let way = match (mv.from(), mv.dropped()) {
        (Some(from), _) => direction(seen(from), to) + if mv.is_promotion() { DIRECTIONS } else { 0 },
        (None, Some(piece)) => 2 * DIRECTIONS + piece.index(),
        (None, None) => unreachable!("a move comes from a square or a hand"),
    };
    way * 81 + to.index()
}

/// Up, up left, up right, left, right, down, down left, down right, and a knight's jump to the left and right.
fn direction(from: Square, to: Square) -> usize {
    let up = i32::from(from.rank()) - i32::from(to.rank());
    let left = i32::from(to.file()) - i32::from(from.file());
    if up == 2 && left.abs() == 1 {
        return if left > 0 { 8 } else { 9 };
    }
    let ways = [[6, 5, 7], [3, 0, 4], [1, 0, 2]];
    ways[(up.signum() + 1) as usize][(1 - left.signum()) as usize]
}
