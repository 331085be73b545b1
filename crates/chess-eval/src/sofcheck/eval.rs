//! SoFCheck's evaluation at play: the same values, from sums kept from move to move and a cache of pawns.

use super::columns::{COLUMN_OF, KING, KING_END, KNIGHT, NONE, Sofcheck, UNIT_OF};
use super::{COLUMNS, SOFCHECK_SET, SofcheckWeights};
use crate::geometry::{Black, Us, White, place};
use crate::pawns::PawnSets;
use crate::rows::Layout;
use crate::terms::{FEATURES, MATERIAL, PSQ_PAWN};
use crate::{blend, cover, cover_of, pieces_on_squares};
use std::sync::Arc;
use tesuji_chess::{Board, Change, Piece};
use tesuji_game::{CacheCounts, Evaluator, FirstSide, Position, Side, Value, invariants};
use tesuji_tally::{Blend, Explanation, Linear, PHASE_MAX, Packed, ProbeCounts, Sum, Tally, Term, ValueCache, Weights};

/// Entries of the pawn cache.
const PAWN_ENTRIES: usize = 1 << 13;

/// Weights by our features.
struct Loaded {
    packed: Box<[Packed; FEATURES]>,
    /// Cost and place of each piece, with the sign of its side.
    pieces: [[[Packed; 64]; 6]; 2],
}

impl Loaded {
    fn new(weights: &SofcheckWeights) -> Loaded {
        let weights = weights.values();
        let of = |feature: usize| match usize::from(COLUMN_OF[feature]) {
            column if column == usize::from(NONE) => Packed::ZERO,
            column @ KING..KNIGHT => Packed::new(weights[column], weights[column - KING + KING_END]),
            column if UNIT_OF[column] == 1 => Packed::new(weights[column], 0),
            column => Packed::new(weights[column], weights[column]),
        };
        let packed: Vec<Packed> = (0..FEATURES).map(of).collect();
        let mut pieces = [[[Packed::ZERO; 64]; 6]; 2];
        for kind in 0..6 {
            let cost = if kind < 5 { packed[MATERIAL + kind] } else { Packed::ZERO };
            let of = |place: usize| cost + packed[PSQ_PAWN + 64 * kind + place];
            pieces[0][kind] = std::array::from_fn(|square| of(place::<White>(square)));
            pieces[1][kind] = std::array::from_fn(|square| -of(place::<Black>(square)));
        }
        let packed = packed.into_boxed_slice().try_into().expect("a weight for each feature");
        Loaded { packed, pieces }
    }

    /// The sum of all pieces, from scratch.
    fn pieces_of(&self, board: &Board) -> Packed {
        let mut sum = Packed::ZERO;
        for side in Side::ALL {
            for (kind, piece) in Piece::ALL.into_iter().enumerate() {
                let of = &self.pieces[side.index()][kind];
                sum += board.of(side, piece).into_iter().map(|square| of[square.index()]).sum();
            }
        }
        sum
    }
}

/// What follows from the pawns of a position.
#[derive(Clone, Copy)]
struct PawnEntry {
    key: u64,
    sum: i32,
    sets: PawnSets,
}

/// SoFCheck's evaluation, ready to play. Clones share the weights; each has its own sums and caches.
///
/// # Examples
/// ```
/// use tesuji_chess::Board;
/// use tesuji_chess_eval::sofcheck::{SofcheckEval, SofcheckWeights};
/// let eval = SofcheckEval::new(&SofcheckWeights::material());
/// assert_eq!(eval.fresh_value(&Board::start()).0, 0);
/// ```
#[derive(Clone)]
pub struct SofcheckEval {
    loaded: Arc<Loaded>,
    pieces: Vec<Packed>,
    pawns: Box<[PawnEntry]>,
    pawn_counts: ProbeCounts,
    values: ValueCache,
}

impl SofcheckEval {
    /// An evaluation by `weights`.
    pub fn new(weights: &SofcheckWeights) -> SofcheckEval {
        let none = PawnEntry { key: 0, sum: 0, sets: PawnSets::default() };
        SofcheckEval {
            loaded: Arc::new(Loaded::new(weights)),
            pieces: Vec::with_capacity(256),
            pawns: vec![none; PAWN_ENTRIES].into(),
            pawn_counts: ProbeCounts::default(),
            values: ValueCache::default(),
        }
    }

    /// The value of `board` in centipawns, without any cache and without what was kept from earlier moves.
    pub fn fresh_value(&self, board: &Board) -> FirstSide<i32> {
        let (sum, sets) = self.count_pawns(board);
        self.value_of(board, self.loaded.pieces_of(board), sum, &sets)
    }

    /// Counts the pawns: their sum, and the sets that the rest needs.
    fn count_pawns(&self, board: &Board) -> (i32, PawnSets) {
        let mut sum = Sum::new(&self.loaded.packed);
        let sets = Sofcheck::pawns(board, &mut sum);
        (sum.total.mg(), sets)
    }

    /// The value of `board` with sums of all pieces and of pawns. The phase mixes pieces and the pawns before each king, each by itself and
    /// rounded down, as SoFCheck does.
    #[inline]
    fn value_of(&self, board: &Board, pieces: Packed, pawns: i32, sets: &PawnSets) -> FirstSide<i32> {
        let phase = blend::phase(board);
        let mix = |sum: Packed| (sum.mg() * phase + sum.eg() * (PHASE_MAX - phase)) >> 8;
        let mut rest = Sum::new(&self.loaded.packed);
        Sofcheck::rest(board, sets, &mut rest);
        let cover = mix(self.cover::<White>(board)) - mix(-self.cover::<Black>(board));
        FirstSide(mix(pieces) + pawns + rest.total.mg() + cover)
    }

    /// The pawns before `U`'s king, with the sign of its side.
    #[inline]
    fn cover<U: Us>(&self, board: &Board) -> Packed {
        let mut sum = Sum::new(&self.loaded.packed);
        let pawns = |side| board.of(side, Piece::Pawn);
        cover::castled::<U>(board.king(U::SIDE), pawns(U::SIDE), pawns(!U::SIDE), &mut sum);
        sum.total
    }

    /// The value of `board`.
    fn evaluate(&mut self, board: &Board) -> FirstSide<i32> {
        let pieces = self.pieces.last().copied().unwrap_or_else(|| self.loaded.pieces_of(board));
        let key = board.pawn_key().0;
        let at = key as usize % PAWN_ENTRIES;
        self.pawn_counts.probes += 1;
        // Without pawns the key is 0, as in an empty entry, whose sum of nothing is right.
        if self.pawns[at].key == key {
            self.pawn_counts.hits += 1;
        } else {
            let (sum, sets) = self.count_pawns(board);
            self.pawns[at] = PawnEntry { key, sum, sets };
        }
        let PawnEntry { sum, sets, .. } = self.pawns[at];
        let value = self.value_of(board, pieces, sum, &sets);
        if invariants::enabled() {
            assert_eq!(value, self.fresh_value(board), "the value with caches equals the one without");
        }
        value
    }
}

impl Evaluator<Board> for SofcheckEval {
    fn reset(&mut self, board: &Board) {
        self.pieces.clear();
        self.pieces.push(self.loaded.pieces_of(board));
    }

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
        self.pawns.fill(PawnEntry { key: 0, sum: 0, sets: PawnSets::default() });
        self.values.clear();
    }
}

/// Hands what SoFCheck counts to `t`, as our features.
fn count(board: &Board, t: &mut impl Tally) {
    pieces_on_squares::<White>(board, t);
    pieces_on_squares::<Black>(board, t);
    let sets = Sofcheck::pawns(board, t);
    cover_of::<White>(board, t);
    cover_of::<Black>(board, t);
    Sofcheck::rest(board, &sets, t);
}

/// Counts of our features as SoFCheck's columns, in 256ths that hold the phase.
struct ToColumns<'a, T> {
    tally: &'a mut T,
    units: [i32; 3],
}

impl<T: Tally> Tally for ToColumns<'_, T> {
    fn add(&mut self, feature: usize, count: i32) {
        self.add_for(1, feature, count);
    }

    #[inline(always)]
    fn add_for(&mut self, sign: i32, feature: usize, count: i32) {
        let column = usize::from(COLUMN_OF[feature]);
        if column >= COLUMNS {
            return;
        }
        let mut add = |column: usize| {
            self.tally.add_for(sign, column, count * self.units[usize::from(UNIT_OF[column])]);
        };
        add(column);
        if (KING..KNIGHT).contains(&column) {
            add(column - KING + KING_END);
        }
    }
}

impl Linear<Board> for SofcheckEval {
    fn terms() -> &'static [Term] {
        SOFCHECK_SET
    }

    fn tally<T: Tally>(board: &Board, t: &mut T) -> Blend {
        let phase = blend::phase(board);
        count(board, &mut ToColumns { tally: t, units: [PHASE_MAX, phase, PHASE_MAX - phase] });
        // 1 of 256 for the first of each pair, nothing for the second: counts are in 256ths and hold the phase.
        Blend { phase: 1, scale: 0 }
    }
}

/// SoFCheck's evaluation with whole counts and pairs of weights, as people read it: both tables of the king are one.
struct Readable;

/// Counts of our features as SoFCheck's columns.
struct Whole<'a, T>(&'a mut T);

impl<T: Tally> Tally for Whole<'_, T> {
    fn add(&mut self, feature: usize, count: i32) {
        self.add_for(1, feature, count);
    }

    fn add_for(&mut self, sign: i32, feature: usize, count: i32) {
        if usize::from(COLUMN_OF[feature]) < COLUMNS {
            self.0.add_for(sign, COLUMN_OF[feature].into(), count);
        }
    }
}

impl Linear<Board> for Readable {
    fn terms() -> &'static [Term] {
        SOFCHECK_SET
    }

    fn tally<T: Tally>(board: &Board, t: &mut T) -> Blend {
        count(board, &mut Whole(t));
        Blend::of_phase(blend::phase(board))
    }
}

/// Explains the value of `board` by SoFCheck's weights; the rest is what SoFCheck rounds down.
pub fn explain_sofcheck(board: &Board, weights: &SofcheckWeights) -> Explanation {
    let values = weights.values();
    let pair = |column: usize| match column {
        KING..KNIGHT => [values[column], values[column - KING + KING_END]],
        _ if UNIT_OF[column] == 1 => [values[column], 0],
        _ => [values[column]; 2],
    };
    let pairs = Weights { values: (0..COLUMNS).map(pair).collect(), ..Weights::default() };
    let second = board.side_to_move() == Side::Second;
    let mut told = Explanation::of::<_, Readable>(board, &pairs, ["White", "Black"], second, None);
    let FirstSide(value) = SofcheckEval::new(weights).fresh_value(board);
    told.rest = Some(("rounding", value - told.value));
    told.value = value;
    told.to_move = FirstSide(value).seen_by(board.side_to_move());
    told
}
