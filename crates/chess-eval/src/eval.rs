//! The evaluation that plays: sums kept from move to move, pawns and values cached.

use crate::geometry::{Black, Us, White, place};
use crate::pawns::PawnSets;
use crate::terms::{FEATURES, MATERIAL, PSQ_PAWN, TERMS};
use crate::{blend, builtin_weights, cover_of, mop_up, pawns};
use std::sync::Arc;
use tesuji_chess::{Board, Change, Piece};
use tesuji_game::{CacheCounts, Evaluator, FirstSide, Position, Side, Value, invariants};
use tesuji_tally::{Blend, Linear, Packed, ProbeCounts, Row, Sum, Tally, Term, ValueCache, Weights};

/// Entries of the pawn cache; 64 bytes each.
const PAWN_ENTRIES: usize = 1 << 13;
/// No king stands there: the cover of no king is stored.
const NOWHERE: u8 = 64;

/// Weights as play wants them.
struct Loaded {
    packed: Box<[Packed; FEATURES]>,
    /// Material and place of each piece, with the sign of its side.
    pieces: [[[Packed; 64]; 6]; 2],
}

impl Loaded {
    fn new(weights: &Weights) -> Loaded {
        let packed = weights.packed::<FEATURES>().expect("weights have the features of this evaluation");
        let mut pieces = [[[Packed::ZERO; 64]; 6]; 2];
        for kind in 0..6 {
            let material = if kind < 5 { packed[MATERIAL + kind] } else { Packed::ZERO };
            let of = |place: usize| material + packed[PSQ_PAWN + 64 * kind + place];
            pieces[0][kind] = std::array::from_fn(|square| of(place::<White>(square)));
            pieces[1][kind] = std::array::from_fn(|square| -of(place::<Black>(square)));
        }
        Loaded { packed, pieces }
    }

    /// The sum of all pieces, from scratch.
    fn pieces_of(&self, board: &Board) -> Packed {
        let mut sum = Packed::ZERO;
        for side in Side::ALL {
            for piece in Piece::ALL {
                for square in board.of(side, piece) {
                    sum += self.pieces[side.index()][piece.index()][square.index()];
                }
            }
        }
        sum
    }
}

/// A pawn hash entry: the value that the pawns of a position add, and the pawn cover of each king.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct PawnEntry {
    key: u64,
    sum: Packed,
    cover: [Packed; 2],
    kings: [u8; 2],
    sets: PawnSets,
}

const NO_PAWNS: PawnEntry = PawnEntry {
    key: 0,
    sum: Packed::ZERO,
    cover: [Packed::ZERO; 2],
    kings: [NOWHERE; 2],
    sets: PawnSets { passed: 0, spans: [0; 2] },
};

/// The hand-made evaluation, ready to play. Clones share the weights; each has its own sums and caches.
#[derive(Clone)]
pub struct HandEval {
    loaded: Arc<Loaded>,
    pieces: Vec<Packed>,
    pawns: Box<[PawnEntry]>,
    pawn_counts: ProbeCounts,
    values: ValueCache,
}

impl Default for HandEval {
    fn default() -> Self {
        HandEval::new(Arc::new(builtin_weights()))
    }
}

impl HandEval {
    /// An evaluation by `weights`.
    ///
    /// # Panics
    /// When `weights` does not have [`FEATURES`] features; loaded files always have.
    pub fn new(weights: Arc<Weights>) -> HandEval {
        HandEval {
            loaded: Arc::new(Loaded::new(&weights)),
            pieces: Vec::with_capacity(256),
            pawns: vec![NO_PAWNS; PAWN_ENTRIES].into(),
            pawn_counts: ProbeCounts::default(),
            values: ValueCache::default(),
        }
    }

    /// Lists the features of `board` in `row` (which is finished afterwards) and says how to blend them.
    pub fn row(board: &Board, row: &mut Row) -> Blend {
        let blend = crate::tally(board, row);
        row.finish();
        blend
    }

    /// The value of `board` in centipawns, without any cache and without what was kept from earlier moves.
    pub fn fresh_value(&self, board: &Board) -> FirstSide<i32> {
        let mut sum = Sum::new(&self.loaded.packed);
        let blend = crate::tally(board, &mut sum);
        FirstSide(blend.value(sum.total) + mop_up(board))
    }

    /// The value of `board` in centipawns.
    fn evaluate(&mut self, board: &Board) -> FirstSide<i32> {
        let pieces = match self.pieces.last() {
            Some(&pieces) => pieces,
            None => self.loaded.pieces_of(board),
        };
        if invariants::enabled() {
            assert_eq!(pieces, self.loaded.pieces_of(board), "the kept sum of pieces equals a fresh one");
        }
        let (pawns, sets) = self.pawns_of(board);
        let mut sum = Sum::new(&self.loaded.packed);
        crate::uncached(board, &sets, &mut sum);
        let value = FirstSide(blend::of(board).value(pieces + pawns + sum.total) + mop_up(board));
        if invariants::enabled() {
            assert_eq!(value, self.fresh_value(board), "the value with caches equals the one without");
        }
        value
    }

    /// The value that pawns and kings among them add, and the pawn sets that other terms need.
    #[inline]
    fn pawns_of(&mut self, board: &Board) -> (Packed, PawnSets) {
        let key = board.pawn_key().0;
        let entry = &mut self.pawns[key as usize % PAWN_ENTRIES];
        self.pawn_counts.probes += 1;
        // Without pawns the key is 0, as in an empty entry, whose sum of nothing is right.
        if entry.key == key {
            self.pawn_counts.hits += 1;
        } else {
            let mut sum = Sum::new(&self.loaded.packed);
            let sets = pawns::tally(board, &mut sum);
            *entry = PawnEntry { key, sum: sum.total, sets, ..NO_PAWNS };
        }
        cover::<White>(board, entry, &self.loaded.packed);
        cover::<Black>(board, entry, &self.loaded.packed);
        (entry.sum + entry.cover[0] + entry.cover[1], entry.sets)
    }
}

/// Brings the cover of `U`'s king in `entry` up to date.
#[inline]
fn cover<U: Us>(board: &Board, entry: &mut PawnEntry, weights: &[Packed; FEATURES]) {
    let king = board.king(U::SIDE).index() as u8;
    // A king that moved leaves the sum of the pawns as it is: its cover alone is summed again.
    if entry.kings[U::INDEX] != king {
        let mut sum = Sum::new(weights);
        cover_of::<U>(board, &mut sum);
        entry.kings[U::INDEX] = king;
        entry.cover[U::INDEX] = sum.total;
    }
}

impl Linear<Board> for HandEval {
    fn terms() -> &'static [Term] {
        TERMS
    }

    fn tally<T: Tally>(board: &Board, t: &mut T) -> Blend {
        crate::tally(board, t)
    }
}

impl Evaluator<Board> for HandEval {
    fn reset(&mut self, board: &Board) {
        self.pieces.clear();
        self.pieces.push(self.loaded.pieces_of(board));
    }

    /// A move changes four pieces at most, so that adding them at once costs no more than keeping them for later would.
    fn push(&mut self, _: &Board, changes: &[Change]) {
        let mut sum = self.pieces.last().copied().unwrap_or_default();
        for change in changes {
            match *change {
                Change::Vanish { side, piece, square } => {
                    sum -= self.loaded.pieces[side.index()][piece.index()][square.index()];
                }
                Change::Appear { side, piece, square } => {
                    sum += self.loaded.pieces[side.index()][piece.index()][square.index()];
                }
            }
        }
        self.pieces.push(sum);
    }

    fn pop(&mut self) {
        self.pieces.pop();
    }

    fn value(&mut self, board: &Board) -> Value {
        let key = board.key().0;
        let value = match self.values.probe(key) {
            Some(value) => i32::from(value),
            None => {
                let value = Value::cp(self.evaluate(board).0).raw();
                self.values.store(key, value as i16);
                value
            }
        };
        Value::cp(FirstSide(value).seen_by(board.side_to_move()))
    }

    fn prefetch(&self, _: &Board) {}

    fn cache_counts(&self) -> Vec<CacheCounts> {
        let (pawns, values) = (self.pawn_counts, self.values.counts());
        vec![
            CacheCounts::new("pawn", pawns.probes, pawns.hits),
            CacheCounts::new("evaluation", values.probes, values.hits),
        ]
    }

    fn reset_counts(&mut self) {
        self.pawn_counts = ProbeCounts::default();
        self.values.reset_counts();
    }

    fn clear(&mut self) {
        self.pawns.fill(NO_PAWNS);
        self.values.clear();
    }
}
