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

/// The same count through the [`Position`] trait alone, with keys and undo: what a search pays, and a check on [`count`].
pub fn count_by_trait<P: Position>(pos: &mut P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::with_capacity(96);
    let _ = pos.for_each_move(|mv| {
        moves.push(mv);
        Continue::<(), ()>(())
    });
    if depth == 1 {
        return moves.len() as u64;
    }
    let counts = moves.into_iter().map(|mv| {
        let undo = pos.play_seen(mv, |_| ());
        let n = count_by_trait(pos, depth - 1);
        pos.undo(mv, undo);
        n
    });
    counts.sum()
}
