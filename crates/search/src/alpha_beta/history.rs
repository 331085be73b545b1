//! Move-ordering histories (butterfly, continuation, capture, counter moves) and correction histories of the static evaluation.

use super::{options::Parameters, score::EVAL_MAX};
use tesuji_game::{Key, Tactical};

/// Histories stay within ± this: a power of two, so that [`gravity`] divides by a shift, and half of what 16 bits hold.
pub(super) const HISTORY_MAX: i32 = 16_384;
/// The distances in plies of the continuation histories: a move is judged by the moves at these distances before it.
pub(super) const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];
/// Entries of the correction table for each side.
const CORRECTIONS: usize = 1 << 14;
/// Corrections stay within ± this.
const CORRECTION_MAX: i32 = 1024;
/// Units of correction in a centipawn: finer than a centipawn, or small errors would round to nothing.
const CORRECTION_UNIT: i32 = 12;
/// The weight of a correction that counts once.
const CORRECTION_WEIGHT: i32 = 64;

/// Tables of one thread.
pub(super) struct Histories<P: Tactical> {
    /// Quiet moves by from and to (butterfly history: Schaeffer, "The history heuristic", 1983).
    from_to: Vec<i16>,
    /// Quiet moves by the move made one, two, four and six plies before (continuation history: Stockfish, 2016).
    continuation: Vec<i16>,
    /// Noisy moves by piece, target and victim (capture history: Stockfish, 2017).
    capture: Vec<i16>,
    /// The quiet move that refuted a move (counter move: Uiterwijk, "The countermove heuristic", 1992).
    counter: Vec<Option<P::Move>>,
    /// Corrections of the static value by the slow part of the position (Caissa and others, 2023).
    correction: [Vec<i16>; 2],
    /// Corrections by the pieces of each side (Stockfish, 2024).
    piece_correction: [[Vec<i16>; 2]; 2],
    /// Corrections by the last move.
    move_correction: Vec<i16>,
    /// Corrections by the last two moves (Stockfish, 2024).
    pair_correction: Vec<i16>,
}

/// Where a position stands in the correction tables.
struct CorrectionSlots {
    side: usize,
    structure: usize,
    pieces: [usize; 2],
    last: ContinuationIndex,
    pair: Option<usize>,
}

impl CorrectionSlots {
    /// `moves`: the two moves that led to `pos`, the last one first.
    #[inline]
    fn of<P: Tactical>(pos: &P, moves: [ContinuationIndex; 2]) -> Self {
        CorrectionSlots {
            side: pos.side_to_move().index(),
            structure: slot(pos.structure_key()),
            pieces: pos.piece_keys().map(slot),
            last: moves[0],
            pair: moves[0].zip(moves[1]).map(|(last, before)| slot(Key(u64::from(last) << 32 | u64::from(before)))),
        }
    }
}

/// The place of a move in the continuation tables; `None` after a null move and before the root.
pub(super) type ContinuationIndex = Option<u32>;

impl<P: Tactical> Histories<P> {
    pub(super) fn new() -> Self {
        Histories {
            from_to: vec![0; P::FROM_TO_MAX],
            // One table for the moves one, two, four and six plies before; a table for each would take four times the memory.
            continuation: vec![0; P::PIECE_TO_MAX * P::PIECE_TO_MAX],
            capture: vec![0; P::PIECE_TO_MAX * P::VICTIM_MAX],
            counter: vec![None; P::PIECE_TO_MAX],
            correction: [vec![0; CORRECTIONS], vec![0; CORRECTIONS]],
            piece_correction: [(); 2].map(|()| [vec![0; CORRECTIONS], vec![0; CORRECTIONS]]),
            move_correction: vec![0; P::PIECE_TO_MAX],
            pair_correction: vec![0; CORRECTIONS],
        }
    }

    pub(super) fn clear(&mut self) {
        self.from_to.fill(0);
        self.continuation.fill(0);
        self.capture.fill(0);
        self.counter.fill(None);
        self.correction.iter_mut().for_each(|c| c.fill(0));
        self.piece_correction.iter_mut().flatten().for_each(|c| c.fill(0));
        self.move_correction.fill(0);
        self.pair_correction.fill(0);
    }

    /// The history of a quiet move by itself.
    #[inline]
    pub(super) fn of_quiet(&self, pos: &P, mv: P::Move) -> i32 {
        i32::from(self.from_to[pos.from_to(mv)])
    }

    /// The history of a move that goes to `piece_to` after the move `before`.
    #[inline]
    pub(super) fn of_continuation(&self, before: ContinuationIndex, piece_to: usize) -> i32 {
        before.map_or(0, |b| i32::from(self.continuation[b as usize * P::PIECE_TO_MAX + piece_to]))
    }

    /// The history of a noisy move.
    #[inline]
    pub(super) fn of_noisy(&self, pos: &P, mv: P::Move) -> i32 {
        i32::from(self.capture[pos.piece_to(mv) * P::VICTIM_MAX + pos.victim(mv)])
    }

    /// Updates the butterfly history of the quiet `mv`; a malus is below 0.
    pub(super) fn update_quiet(&mut self, pos: &P, mv: P::Move, bonus: i32) {
        gravity(&mut self.from_to[pos.from_to(mv)], bonus);
    }

    /// Updates the continuation history of going to `piece_to` after `before`.
    #[inline]
    pub(super) fn update_continuation(&mut self, before: ContinuationIndex, piece_to: usize, bonus: i32) {
        if let Some(b) = before {
            gravity(&mut self.continuation[b as usize * P::PIECE_TO_MAX + piece_to], bonus);
        }
    }

    /// Updates the capture history of the noisy `mv`.
    pub(super) fn update_noisy(&mut self, pos: &P, mv: P::Move, bonus: i32) {
        gravity(&mut self.capture[pos.piece_to(mv) * P::VICTIM_MAX + pos.victim(mv)], bonus);
    }

    /// The quiet move that last refuted the move `before`.
    #[inline]
    pub(super) fn counter(&self, before: ContinuationIndex) -> Option<P::Move> {
        before.and_then(|b| self.counter[b as usize])
    }

    pub(super) fn set_counter(&mut self, before: ContinuationIndex, mv: P::Move) {
        if let Some(b) = before {
            self.counter[b as usize] = Some(mv);
        }
    }

    /// The static value corrected by what was learned; `moves` are the two moves that led here, the last one first.
    #[inline]
    pub(super) fn corrected(&self, pos: &P, moves: [ContinuationIndex; 2], k: &Parameters, eval: i32) -> i32 {
        let at = CorrectionSlots::of(pos, moves);
        let read = |table: &[i16], index: usize| i32::from(table[index]);
        let pieces = &self.piece_correction[at.side];
        let sum = k.correction_structure * read(&self.correction[at.side], at.structure)
            + k.correction_pieces * (read(&pieces[0], at.pieces[0]) + read(&pieces[1], at.pieces[1]))
            + k.correction_move * at.last.map_or(0, |b| read(&self.move_correction, b as usize))
            + k.correction_pair * at.pair.map_or(0, |pair| read(&self.pair_correction, pair));
        (eval + sum / (CORRECTION_WEIGHT * CORRECTION_UNIT)).clamp(-EVAL_MAX, EVAL_MAX)
    }

    /// Updates the correction histories: the value at `pos` was `error` above the static one, by a search of `depth`.
    pub(super) fn update_correction(&mut self, pos: &P, moves: [ContinuationIndex; 2], depth: i32, error: i32) {
        // Deep searches count more, and a single one moves a correction by a quarter of its range at most.
        let bonus = (error * depth / 8).clamp(-CORRECTION_MAX / 4, CORRECTION_MAX / 4);
        let at = CorrectionSlots::of(pos, moves);
        pull(&mut self.correction[at.side][at.structure], bonus);
        for (table, index) in self.piece_correction[at.side].iter_mut().zip(at.pieces) {
            pull(&mut table[index], bonus);
        }
        if let Some(b) = at.last {
            pull(&mut self.move_correction[b as usize], bonus);
        }
        if let Some(pair) = at.pair {
            pull(&mut self.pair_correction[pair], bonus);
        }
    }

    /// Updates the butterfly history at an index of [`Tactical::from_to`].
    pub(super) fn update_from_to(&mut self, index: usize, bonus: i32) {
        gravity(&mut self.from_to[index], bonus);
    }
}

/// A place for a key whose bits may be badly mixed.
#[inline]
fn slot(key: Key) -> usize {
    // Fibonacci hashing (Knuth): the upper 14 bits of the product depend on all bits of the key.
    (key.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 50) as usize % CORRECTIONS
}

/// Moves towards ±[`HISTORY_MAX`], the slower the nearer it is.
#[inline]
fn gravity(h: &mut i16, bonus: i32) {
    // Within these bounds the sum below stays within them as well, so that 16 bits hold it.
    let bonus = bonus.clamp(-HISTORY_MAX, HISTORY_MAX);
    let now = i32::from(*h);
    *h = (now + bonus - now * bonus.abs() / HISTORY_MAX) as i16;
}

/// Moves a correction by `bonus`, the slower the nearer it is to ±[`CORRECTION_MAX`].
#[inline]
fn pull(c: &mut i16, bonus: i32) {
    let now = i32::from(*c);
    // No clamp as in `gravity`: the caller gives a quarter of the range at most.
    *c = (now + bonus - now * bonus.abs() / CORRECTION_MAX) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_stay_in_bounds() {
        let mut h = 0i16;
        for _ in 0..1000 {
            gravity(&mut h, 5000);
        }
        assert!((16_000..=16_384).contains(&i32::from(h)), "{h}");
        for _ in 0..1000 {
            gravity(&mut h, -50_000);
        }
        assert_eq!(i32::from(h), -HISTORY_MAX);
    }

    #[test]
    fn corrections_stay_in_bounds() {
        let mut c = 0i16;
        for _ in 0..1000 {
            pull(&mut c, 256);
        }
        assert!((1000..=1024).contains(&c), "{c}");
    }
}
