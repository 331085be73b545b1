//! Timings of single questions to the rules: each asserts what it finds, so that a wrong fast path cannot win.

use serde::Serialize;
use std::{hint::black_box, ops::ControlFlow::Continue, time::Duration};
use tesuji_game::{Position, Tactical};
use tesuji_jobs::thread_processor_time;

/// Each timing is repeated until so much processor time has passed; the median of the rounds counts.
const ROUND: Duration = Duration::from_millis(20);
const ROUNDS: usize = 5;

/// The time of one operation for a class of positions.
#[derive(Debug, Clone, Serialize)]
pub struct Timing {
    /// The class of positions.
    pub class: &'static str,
    /// The operation.
    pub what: &'static str,
    /// The number of operations in one pass.
    pub count: u64,
    /// Nanoseconds of processor time for one, the median of five rounds.
    pub nanoseconds: f64,
}

/// Nanoseconds of processor time an item of work that finds `count` items.
///
/// # Panics
/// When it finds another number.
pub fn per_item(count: u64, work: impl Fn() -> u64) -> f64 {
    per_item_with(count, count, work)
}

/// Nanoseconds of processor time an item of work on `count` items that must answer `answer` every time: the median of some
/// rounds.
///
/// # Panics
/// When the work answers something else.
pub fn per_item_with(count: u64, answer: u64, work: impl Fn() -> u64) -> f64 {
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let began = thread_processor_time();
            let (mut passes, mut spent) = (0, Duration::ZERO);
            while spent < ROUND {
                assert_eq!(black_box(work()), answer, "a bench finds the same every time");
                passes += 1;
                spent = thread_processor_time().saturating_sub(began);
            }
            spent.as_nanos() as f64 / (passes * count.max(1)) as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}

/// The moves of a position.
pub fn moves_of<P: Position>(board: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    let _ = board.for_each_move(|mv| {
        moves.push(mv);
        Continue::<(), ()>(())
    });
    moves
}

/// Generates as a search does: noisy moves, then quiet ones; how many these are.
pub fn generate<P: Tactical>(board: &P) -> u64 {
    let mut n = 0;
    let mut each = |mv| {
        black_box(mv);
        n += 1;
        Continue::<(), ()>(())
    };
    let _ = board.for_each_noisy(&mut each);
    let _ = board.for_each_quiet(&mut each);
    n
}

/// Makes each of `moves` and takes it back; how many these are.
pub fn make_all<P: Position>(mut board: P, moves: &[P::Move]) -> u64 {
    for &mv in moves {
        let undo = board.play_seen(mv, |change| {
            black_box(change);
        });
        black_box(board.key());
        board.undo(mv, undo);
    }
    moves.len() as u64
}
