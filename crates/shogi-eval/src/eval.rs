//! The evaluation that plays: sums kept from move to move, values cached.

use crate::geometry::{place, sign};
use crate::terms::{FEATURES, MATERIAL, PSQ_PAWN, TERMS};
use crate::{blend, builtin_weights, geometry, in_hand, near_king};
use std::sync::Arc;
use tesuji_game::{CacheCounts, Evaluator, FirstSide, Position, Side, Value, invariants};
use tesuji_shogi::{Board, Change, Piece, Square};
use tesuji_tally::{Blend, Linear, Packed, ProbeCounts, Row, Sum, Tally, Term, ValueCache, Weights};

/// The value that each piece on each square adds around one king, by side, kind and square.
type Around = [[[Packed; 81]; 14]; 2];

/// Weights as play wants them.
struct Loaded {
    packed: Box<[Packed; FEATURES]>,
    /// Material and square of each piece, with the sign of its side.
    pieces: Box<Around>,
    /// The values that pieces add around the king of each side on each square: 81 for the first side, then 81 for the second.
    kings: Box<[Around]>,
}

impl Loaded {
    fn new(weights: &Weights) -> Loaded {
        let packed = weights.packed::<FEATURES>().expect("weights have the features of this evaluation");
        let each = |f: &dyn Fn(Side, Piece, Square) -> Packed| -> Around {
            Side::ALL.map(|side| Piece::ALL.map(|piece| Square::ALL.map(|square| f(side, piece, square) * sign(side))))
        };
        let pieces = each(&|side, piece, square| {
            let material = geometry::kind(piece).map_or(Packed::ZERO, |kind| packed[MATERIAL + kind]);
            material + packed[PSQ_PAWN + 81 * geometry::table(piece) + place(side, square)]
        });
        let around = |side: Side, king: Square| {
            each(&|owner, piece, square| match piece {
                Piece::King => Packed::ZERO,
                _ => packed[near_king(side, king, owner, piece, square)],
            })
        };
        let mut kings = Vec::with_capacity(2 * Square::COUNT);
        for side in Side::ALL {
            kings.extend(Square::all().map(|king| around(side, king)));
        }
        Loaded { pieces: Box::new(pieces), kings: kings.into(), packed }
    }

    /// The values that pieces add around a king.
    #[inline(always)]
    fn around(&self, side: Side, king: Square) -> &Around {
        &self.kings[81 * side.index() + king.index()]
    }

    /// The sum of `table` over all pieces.
    fn over_pieces(board: &Board, table: &Around) -> Packed {
        let man = |square: Square| board.at(square).map(|(side, piece)| (side, piece, square));
        let pieces = board.occupied().filter_map(man);
        pieces.map(|(side, piece, square)| table[side.index()][piece.index()][square.index()]).sum()
    }

    /// The sum around the king of `side`; nothing where it has none.
    fn of_king(&self, board: &Board, side: Side) -> Packed {
        board.king(side).map_or(Packed::ZERO, |king| Loaded::over_pieces(board, self.around(side, king)))
    }

    /// The value of a piece in hand that is the `n`-th of its kind.
    #[inline(always)]
    fn held(&self, side: Side, piece: Piece, n: u8) -> Packed {
        self.packed[in_hand(piece, n)] * sign(side)
    }

    /// All sums from scratch.
    fn sums(&self, board: &Board) -> Kept {
        let mut pieces = Loaded::over_pieces(board, &self.pieces);
        for side in Side::ALL {
            for (piece, count) in board.hand(side).iter() {
                pieces += (1..=count).map(|n| self.held(side, piece, n)).sum();
            }
        }
        Kept { pieces, kings: Side::ALL.map(|side| self.of_king(board, side)) }
    }
}

/// The sums that are updated from move to move: pieces with their hands, and the pieces around each king.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Kept {
    pieces: Packed,
    kings: [Packed; 2],
}

impl Kept {
    #[inline(always)]
    fn total(self) -> Packed {
        self.pieces + self.kings[0] + self.kings[1]
    }
}

/// The hand-made evaluation, ready to play. Clones share the weights; each has its own sums and cache.
#[derive(Clone)]
pub struct HandEval {
    loaded: Arc<Loaded>,
    kept: Vec<Kept>,
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
            kept: Vec::with_capacity(256),
            values: ValueCache::default(),
        }
    }

    /// Lists the features of `board` in `row` (which is finished afterwards) and says how to blend them.
    pub fn row(board: &Board, row: &mut Row) -> Blend {
        let blend = crate::tally(board, row);
        row.finish();
        blend
    }

    /// The value of `board` in centipawns, without cache and without what was kept from earlier moves.
    pub fn fresh_value(&self, board: &Board) -> FirstSide<i32> {
        let mut sum = Sum::new(&self.loaded.packed);
        let blend = crate::tally(board, &mut sum);
        FirstSide(blend.value(sum.total))
    }

    /// The value of `board` in centipawns.
    fn evaluate(&mut self, board: &Board) -> FirstSide<i32> {
        let kept = match self.kept.last() {
            Some(&kept) => kept,
            None => self.loaded.sums(board),
        };
        if invariants::enabled() {
            assert_eq!(kept, self.loaded.sums(board), "what is kept equals what is summed afresh");
        }
        let mut sum = Sum::new(&self.loaded.packed);
        crate::unkept(board, &mut sum);
        let value = FirstSide(blend::of(board).value(kept.total() + sum.total));
        if invariants::enabled() {
            assert_eq!(value, self.fresh_value(board), "the value with sums kept equals the one without");
        }
        value
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
        self.kept.clear();
        self.kept.push(self.loaded.sums(board));
    }

    /// A king's step changes all places around it: its sum is made again, the other one goes on.
    fn push(&mut self, board: &Board, changes: &[Change]) {
        let loaded = &*self.loaded;
        let mut kept = self.kept.last().copied().unwrap_or_default();
        let kings = Side::ALL.map(|side| board.king(side).map(|king| loaded.around(side, king)));
        let mut moved = [false; 2];
        for change in changes {
            let (side, piece, square, sign) = match *change {
                Change::Drop { side, piece, count } => {
                    kept.pieces -= loaded.held(side, piece, count);
                    continue;
                }
                Change::Gain { side, piece, count } => {
                    kept.pieces += loaded.held(side, piece, count);
                    continue;
                }
                Change::Vanish { side, piece, square } => (side, piece, square, -1),
                Change::Appear { side, piece, square } => (side, piece, square, 1),
            };
            moved[side.index()] |= piece == Piece::King;
            let man = |table: &Around| table[side.index()][piece.index()][square.index()] * sign;
            kept.pieces += man(&loaded.pieces);
            for (sum, table) in kept.kings.iter_mut().zip(&kings) {
                *sum += table.map_or(Packed::ZERO, man);
            }
        }
        for side in Side::ALL {
            if moved[side.index()] {
                kept.kings[side.index()] = loaded.of_king(board, side);
            }
        }
        self.kept.push(kept);
    }

    fn pop(&mut self) {
        self.kept.pop();
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
        let ProbeCounts { probes, hits } = self.values.counts();
        vec![CacheCounts::new("evaluation", probes, hits)]
    }

    fn reset_counts(&mut self) {
        self.values.reset_counts();
    }

    fn clear(&mut self) {
        self.values.clear();
    }
}
