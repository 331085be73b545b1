//! Leaves of the move tree, counted by several threads.

use super::{Perft, PerftRequest};
use crate::RequestError;
use std::{
    ops::ControlFlow,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Instant,
};
use tesuji_game::{Game, MoveOf, Position, move_text, position_text};
use tesuji_jobs::{Progress, Show, on_threads};

/// Counts in the game `G`; `below` counts under one move.
pub(super) fn count<G: Game>(
    request: &PerftRequest,
    below: fn(&G::Position, MoveOf<G>, u32) -> u64,
) -> Result<Perft, RequestError> {
    request.validate()?;
    let rules: G::Rules =
        request.rules.parse().map_err(|error| RequestError::value("rules", format!("{:?}", request.rules), error))?;
    let pos = request.position.read::<G>(&rules).map_err(RequestError::from)?;
    let mut moves = Vec::new();
    let _ = pos.for_each_move(|mv| {
        moves.push(mv);
        ControlFlow::<()>::Continue(())
    });
    if request.depth == 0 {
        moves.clear();
    }
    let began = Instant::now();
    let counts = count_below(moves.len(), request.threads, || |at: usize| below(&pos, moves[at], request.depth));
    let elapsed = began.elapsed();
    let leaves = if request.depth == 0 { 1 } else { counts.iter().sum() };
    let moves = moves.into_iter().map(|mv| move_text::<G>(&pos, mv)).zip(counts).collect();
    Ok(Perft { position: position_text::<G>(&pos), moves, leaves, elapsed })
}

/// The leaves below each of `moves` moves, counted by `threads` threads, which take the next move that nobody has: each calls
/// what `counter` makes for it with the number of a move.
pub fn count_below<C: FnMut(usize) -> u64>(moves: usize, threads: u32, counter: impl Fn() -> C + Sync) -> Vec<u64> {
    let (next, counts) = (AtomicUsize::new(0), Mutex::new(vec![0; moves]));
    let progress = Progress::start("perft", "moves", Some(moves as u64), Show::Auto);
    on_threads((threads as usize).min(moves).max(1), &|| {
        let mut below = counter();
        loop {
            let at = next.fetch_add(1, Relaxed);
            if at >= moves {
                return;
            }
            let leaves = below(at);
            counts.lock().unwrap_or_else(PoisonError::into_inner)[at] = leaves;
            progress.advance(1);
        }
    });
    counts.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_is_counted_once_whatever_the_threads() {
        for threads in [1, 2, 9] {
            assert_eq!(count_below(5, threads, || |at| at as u64 + 1), [1, 2, 3, 4, 5]);
        }
        assert!(count_below(0, 3, || |_| 1).is_empty());
    }
}
