//! Counting the leaves of the move tree through the invariants of a position alone: a check on each game's own, faster count.

use std::ops::ControlFlow::Continue;
use tesuji_game::Position;

/// The number of move sequences of `depth` plies, with keys and undo: what a search pays.
pub fn count_by_trait<P: Position>(pos: &mut P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::with_capacity(64);
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
