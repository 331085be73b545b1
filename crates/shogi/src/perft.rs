//! Counting the leaves of the move tree: the first test of every move generator.

use crate::{
    Board, Move,
    movegen::{ALL, Each},
};
use std::ops::ControlFlow::Continue;
use tesuji_game::Position;

/// The number of move sequences of `depth` plies. Leaves are counted in bulk; keys are not kept on the way.
pub fn count(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => board.count_moves() as u64,
        _ => {
            let mut total = 0;
            let _ = board.generate::<(), ALL>(&mut Each(|mv| {
                let mut next = *board;
                next.make::<false>(mv, |_| ());
                total += if depth == 2 { next.count() as u64 } else { count(&next, depth - 1) };
                Continue(())
            }));
            total
        }
    }
}

/// The count below one legal move: what a thread does.
pub fn below(board: &Board, mv: Move, depth: u32) -> u64 {
    let mut next = *board;
    next.make::<false>(mv, |_| ());
    count(&next, depth.saturating_sub(1))
}
