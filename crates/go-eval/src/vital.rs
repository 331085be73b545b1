//! The vital point of a small empty eye space, found by looking at no more than its points: playouts ask it at most moves.

use tesuji_game::Side;
use tesuji_go::{Area, Board, Cell, Colour};

/// The most points of a space that has a vital point.
const POINTS_MAX: usize = 6;

/// The point of the empty space around `start` that makes two eyes for its owner and one for the other side; `None` where
/// `start` is not empty, its space is not small, touches both sides, or is of a shape without such a point.
///
/// The shapes are those of [`tesuji_go::nakade::eye_space`], of empty points alone.
pub(crate) fn point<A: Area>(board: &Board<A>, start: Cell) -> Option<Cell> {
    if board.colour(start) != Colour::Empty {
        return None;
    }
    Side::ALL.into_iter().filter(|&side| is_inner(board, start, side)).find_map(|owner| point_of(board, start, owner))
}

/// The vital point of the space around `start` if that belongs to `owner`.
fn point_of<A: Area>(board: &Board<A>, start: Cell, owner: Side) -> Option<Cell> {
    let mut cells = [start; POINTS_MAX];
    // How many neighbours of each point are in the space: all its empty ones.
    let mut degrees = [0u8; POINTS_MAX];
    let mut len = 1;
    let mut done = 0;
    while done < len {
        let here = cells[done];
        if !is_inner(board, here, owner) {
            return None;
        }
        degrees[done] = board.empty_neighbours(here) as u8;
        done += 1;
        for n in A::around(here) {
            if board.colour(n) == Colour::Empty && !cells[..len].contains(&n) {
                if len == POINTS_MAX {
                    return None;
                }
                cells[len] = n;
                len += 1;
            }
        }
    }
    let most = degrees[..len].iter().copied().max()?;
    let centre = cells[degrees[..len].iter().position(|&degree| degree == most)?];
    degrees[..len].sort_unstable();
    // How many neighbours each point has tells the shapes apart.
    let is_vital =
        matches!(degrees[..len], [1, 1, 2] | [1, 1, 1, 3] | [1, 2, 2, 2, 3] | [1, 1, 1, 1, 4] | [1, 1, 2, 2, 2, 4]);
    is_vital.then_some(centre)
}

/// Whether all neighbours of a point are empty, stones of `side` or edge.
#[inline]
fn is_inner<A: Area>(board: &Board<A>, cell: Cell, side: Side) -> bool {
    board.empty_neighbours(cell) + board.own_or_edge_neighbours(cell, side) == 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Random;
    use tesuji_go::{CellSet, Size, Small, nakade};

    /// On random boards the vital points are those that the slow search of enclosed spaces finds, where it sees no stones inside.
    #[test]
    fn agrees_with_the_slow_search() {
        let mut seen = 0;
        for seed in 0..800 {
            let mut random = Random::new(seed);
            let mut board: Board<Small> = Board::new(Size::new(5, 4).unwrap());
            for turn in 0..30 {
                let side = if turn % 4 == 0 { Side::Second } else { Side::First };
                let cell = board.empties()[random.below(board.empties().len())];
                if board.is_legal(side, cell) {
                    board.play(side, cell);
                }
                for &start in board.empties() {
                    let slow = Side::ALL.into_iter().find_map(|owner| {
                        let space = nakade::enclosed(&board, owner, start, POINTS_MAX)?;
                        let is_empty = space.iter().all(|c| board.colour(c) == Colour::Empty);
                        match nakade::eye_space::<Small>(&space) {
                            nakade::EyeSpace::Vital(cell) if is_empty => Some(cell),
                            _ => None,
                        }
                    });
                    seen += usize::from(slow.is_some());
                    assert_eq!(point(&board, start), slow, "{start:?} {board:?}");
                }
            }
        }
        assert!(seen > 300, "{seen}");
    }
}
