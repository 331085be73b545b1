//! Rows of boards that follow each other, as along a game: what a move leaves as it was is not counted again.

use crate::facts::{KING, PAWN};
use crate::geometry::{Black, Us, White, put};
use crate::lanes::{BLOCK, there};
use crate::pawns::{self, PawnSets};
use crate::terms::{FEATURES, MATERIAL, PSQ_PAWN};
use crate::{blend, cover_of, uncached};
use tesuji_chess::{Bitboard, Board, Piece};
use tesuji_tally::{Blend, Tally};

/// Room for a count of every feature in whole blocks.
const ROOM: usize = FEATURES.next_multiple_of(BLOCK);
/// Features of men and their squares; those of pawns and of kings among pawns come later.
const MEN: usize = PSQ_PAWN + 6 * 64;
/// Entries that are listed at once; those after the last of a block are overwritten.
const STEP: usize = 4;

/// A count of every feature: the sink of a part of the evaluation.
#[derive(Clone)]
struct Counts([i16; ROOM]);

impl Tally for Counts {
    #[inline(always)]
    fn add(&mut self, feature: usize, count: i32) {
        self.0[feature] += count as i16;
    }
}

impl Counts {
    const NONE: Counts = Counts([0; ROOM]);

    /// Makes counts of `part` anew with `count`, and what was added of it, too. A part has nothing to do with squares of men.
    #[inline(always)]
    fn renew<T>(&mut self, part: &mut Counts, count: impl FnOnce(&mut Counts) -> T) -> T {
        let before = part.clone();
        part.0[MEN..].fill(0);
        let told = count(part);
        let change = part.0[MEN..].iter().zip(&before.0[MEN..]);
        self.0[MEN..].iter_mut().zip(change).for_each(|(sum, (now, before))| *sum += now - before);
        told
    }
}

/// Lists the features of one board after the other, as [`crate::HandEval::row`] does of each: the same entries for any board after
/// any other. What men, pawns and kings add is kept while they stay.
///
/// # Examples
/// ```
/// use tesuji_chess_eval::HandRows;
/// let mut rows = HandRows::default();
/// let blend = rows.row(&tesuji_chess::Board::start());
/// assert_eq!(blend.phase, 256);
/// assert_eq!((rows.indices().len(), rows.counts()), (1, &[1][..])); // Who moves.
/// ```
#[derive(Clone)]
pub struct HandRows {
    /// The men of the last board, by side and kind; none before the first one.
    men: [[Bitboard; 6]; 2],
    /// What pawns told about the last board.
    sets: PawnSets,
    /// Counts of pawns, of kings among pawns, and of both with all men on their squares.
    pawns: Box<Counts>,
    cover: Box<Counts>,
    kept: Box<Counts>,
    /// Counts of the rest: zeros between two boards.
    rest: Box<Counts>,
    indices: Box<[u16; ROOM + STEP]>,
    counts: Box<[i16; ROOM + STEP]>,
    len: usize,
}

impl Default for HandRows {
    fn default() -> Self {
        let none = || Box::new(Counts::NONE);
        HandRows {
            men: [[Bitboard(0); 6]; 2],
            sets: PawnSets::default(),
            pawns: none(),
            cover: none(),
            kept: none(),
            rest: none(),
            indices: Box::new([0; ROOM + STEP]),
            counts: Box::new([0; ROOM + STEP]),
            len: 0,
        }
    }
}

impl HandRows {
    /// Counts the features of `board` and says how to blend them.
    pub fn row(&mut self, board: &Board) -> Blend {
        let before = self.men;
        self.moved::<White>(board);
        self.moved::<Black>(board);
        let changed = |kind: usize| (0..2).any(|side| self.men[side][kind] != before[side][kind]);
        let (pawns, kings) = (changed(PAWN), changed(KING));
        if pawns {
            self.sets = self.kept.renew(&mut self.pawns, |t| pawns::tally(board, t));
        }
        if pawns || kings {
            self.kept.renew(&mut self.cover, |t| {
                cover_of::<White>(board, t);
                cover_of::<Black>(board, t);
            });
        }
        uncached(board, &self.sets, &mut *self.rest);
        self.list();
        blend::of(board)
    }

    /// The features of the last board that are there, ascending.
    pub fn indices(&self) -> &[u16] {
        &self.indices[..self.len]
    }

    /// How often each of [`HandRows::indices`] is there, the first side's minus the second's; never 0.
    pub fn counts(&self) -> &[i16] {
        &self.counts[..self.len]
    }

    /// Counts what `U`'s men do on other squares than before.
    #[inline(always)]
    fn moved<U: Us>(&mut self, board: &Board) {
        for kind in PAWN..=KING {
            let now = board.of(U::SIDE, Piece::ALL[kind]);
            let before = std::mem::replace(&mut self.men[U::INDEX][kind], now);
            for square in Bitboard(now.0 ^ before.0) {
                let sign = if now.0 >> square.index() & 1 == 1 { 1 } else { -1 };
                if kind != KING {
                    put::<U>(&mut *self.kept, MATERIAL + kind, sign);
                }
                put::<U>(&mut *self.kept, PSQ_PAWN + 64 * kind + crate::geometry::place::<U>(square.index()), sign);
            }
        }
    }

    /// Lists what is there, and empties the counts of the rest.
    fn list(&mut self) {
        let (kept, rest) = (self.kept.0.as_chunks::<BLOCK>().0, self.rest.0.as_chunks_mut::<BLOCK>().0);
        let mut len = 0;
        for (block, (kept, rest)) in kept.iter().zip(rest).enumerate() {
            let all: [i16; BLOCK] = std::array::from_fn(|i| kept[i] + rest[i]);
            *rest = [0; BLOCK];
            let mut bits = there(&all);
            let end = len + bits.count_ones() as usize;
            let mut at = len;
            // Several at once without a look at how many are left: the number of steps is easier to foretell.
            while bits != 0 {
                let indices = self.indices[at..].first_chunk_mut::<STEP>();
                let counts = self.counts[at..].first_chunk_mut::<STEP>();
                let (Some(indices), Some(counts)) = (indices, counts) else { break };
                for (index, count) in indices.iter_mut().zip(counts) {
                    let place = bits.trailing_zeros() as usize % BLOCK;
                    (*index, *count) = ((BLOCK * block + place) as u16, all[place]);
                    bits &= bits.wrapping_sub(1);
                }
                at += STEP;
            }
            len = end;
        }
        self.len = len;
    }
}
