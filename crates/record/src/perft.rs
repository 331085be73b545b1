//! Perft, the number of leaves of the move tree: the first test of every move generator. Written once for the games whose positions are
//! copied from ply to ply.

use std::ops::ControlFlow::Continue;
use tesuji_game::Position;

/// The number of move sequences of `depth` plies. `make` plays a move without the upkeep that nobody asks for here, such as keys.
/// Leaves are counted in bulk, by [`Position::count_moves`].
///
/// # Examples
/// ```
/// use tesuji_game::Position;
/// use tesuji_testkit::four::FourPosition;
/// let make = |pos: &mut FourPosition, mv| pos.play(mv);
/// assert_eq!(tesuji_record::perft::count(&FourPosition::default(), 3, make), 7 * 7 * 7);
/// ```
pub fn count<P: Position + Copy>(pos: &P, depth: u32, make: impl Fn(&mut P, P::Move) + Copy) -> u64 {
    match depth {
        0 => 1,
        1 => pos.count_moves() as u64,
        _ => {
            let mut total = 0;
            let _ = pos.for_each_move(|mv| {
                let mut next = *pos;
                make(&mut next, mv);
                total += if depth == 2 { next.count_moves() as u64 } else { count(&next, depth - 1, make) };
                Continue::<(), ()>(())
            });
            total
        }
    }
}

/// The count below one legal move: the share of a thread.
pub fn below<P: Position + Copy>(pos: &P, mv: P::Move, depth: u32, make: impl Fn(&mut P, P::Move) + Copy) -> u64 {
    let mut next = *pos;
    make(&mut next, mv);
    count(&next, depth.saturating_sub(1), make)
}
