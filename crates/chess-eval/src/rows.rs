//! Rows of boards that follow each other, as along a game: what a move leaves as it was is not counted again.

use crate::facts::{KING, PAWN};
use crate::geometry::{Black, Us, White, place, put};
use crate::lanes::{BLOCK, there};
use crate::pawns::{self, PawnSets};
use crate::terms::{FEATURES, MATERIAL, PSQ_PAWN};
use crate::{blend, cover_of, uncached};
use std::marker::PhantomData;
use tesuji_chess::{Bitboard, Board, Piece};
use tesuji_tally::{Blend, Tally};

/// Counts in every column of any layout, in whole blocks.
const CAPACITY: usize = FEATURES.next_multiple_of(BLOCK);
/// Entries that are listed at once; those after the last of a block are overwritten.
const STEP: usize = 4;

/// The columns of a row. Each feature is counted in one, or in none.
pub(crate) trait Layout {
    /// The number of columns: at most as many as there are features.
    const COLUMNS: usize;
    /// The first one that has nothing to do with squares of pieces.
    const MEN: usize;

    /// The column of `feature`, or a number that is none of a column.
    fn column(feature: usize) -> usize;

    /// Counts what follows from the pawns alone.
    fn pawns(board: &Board, t: &mut impl Tally) -> PawnSets;

    /// Counts what follows from neither the squares of pieces, nor pawns, nor kings among pawns.
    fn rest(board: &Board, sets: &PawnSets, t: &mut impl Tally);

    /// Columns in whole blocks.
    const BLOCKS: usize = Self::COLUMNS.div_ceil(BLOCK);
}

/// Every feature is its own column.
#[derive(Clone)]
pub(crate) struct HandFeatures;

impl Layout for HandFeatures {
    const COLUMNS: usize = FEATURES;
    const MEN: usize = PSQ_PAWN + 6 * 64;

    #[inline(always)]
    fn column(feature: usize) -> usize {
        feature
    }

    #[inline(always)]
    fn pawns(board: &Board, t: &mut impl Tally) -> PawnSets {
        pawns::tally(board, t)
    }

    #[inline(always)]
    fn rest(board: &Board, sets: &PawnSets, t: &mut impl Tally) {
        uncached(board, sets, t);
    }
}

/// A count in every column: the sink of a part of the evaluation.
#[derive(Clone)]
struct Counts<L>([i16; CAPACITY], PhantomData<L>);

impl<L: Layout> Tally for Counts<L> {
    #[inline(always)]
    fn add(&mut self, feature: usize, count: i32) {
        let column = L::column(feature);
        if L::COLUMNS == FEATURES || column < L::COLUMNS {
            self.0[column] += count as i16;
        }
    }
}

impl<L: Layout> Counts<L> {
    const NONE: Counts<L> = Counts([0; CAPACITY], PhantomData);

    /// Makes counts of `part` again with `count`, and what was added of it, too. A part has nothing to do with squares of pieces.
    #[inline(always)]
    fn renew<T>(&mut self, part: &mut Counts<L>, count: impl FnOnce(&mut Counts<L>) -> T) -> T {
        let before = part.0;
        let end = BLOCK * L::BLOCKS;
        part.0[L::MEN..end].fill(0);
        let told = count(part);
        let change = part.0[L::MEN..end].iter().zip(&before[L::MEN..end]);
        self.0[L::MEN..end].iter_mut().zip(change).for_each(|(sum, (now, before))| *sum += now - before);
        told
    }
}

/// Lists the features of one board after the other, as [`crate::HandEval::row`] does of each: the same entries for any board after
/// any other. What pieces, pawns and kings add is kept while they stay.
///
/// # Examples
/// ```
/// use tesuji_chess_eval::HandRows;
/// let mut rows = HandRows::default();
/// let blend = rows.row(&tesuji_chess::Board::start());
/// assert_eq!(blend.phase, 256);
/// assert_eq!((rows.indices().len(), rows.counts()), (1, &[1][..])); // Who moves.
/// ```
#[derive(Clone, Default)]
pub struct HandRows(LayoutRows<HandFeatures>);

impl HandRows {
    /// Counts the features of `board` and says how to blend them.
    pub fn row(&mut self, board: &Board) -> Blend {
        self.0.row(board);
        blend::of(board)
    }

    /// The features of the last board that are there, ascending.
    pub fn indices(&self) -> &[u16] {
        self.0.indices()
    }

    /// The count of each of [`HandRows::indices`], the first side's minus the second's; never 0.
    pub fn counts(&self) -> &[i16] {
        self.0.counts()
    }
}

/// Rows of any layout.
#[derive(Clone)]
pub(crate) struct LayoutRows<L> {
    /// The pieces of the last board, by side and kind; none before the first one.
    pieces: [[Bitboard; 6]; 2],
    /// The pawn sets of the last board.
    sets: PawnSets,
    /// Counts of pawns, of kings among pawns, and of both with all pieces on their squares.
    pawns: Box<Counts<L>>,
    cover: Box<Counts<L>>,
    kept: Box<Counts<L>>,
    /// Counts of the rest: zeros between two boards.
    rest: Box<Counts<L>>,
    indices: Box<[u16; CAPACITY + STEP]>,
    counts: Box<[i16; CAPACITY + STEP]>,
    len: usize,
}

impl<L: Layout> Default for LayoutRows<L> {
    fn default() -> Self {
        let none = || Box::new(Counts::NONE);
        LayoutRows {
            pieces: [[Bitboard(0); 6]; 2],
            sets: PawnSets::default(),
            pawns: none(),
            cover: none(),
            kept: none(),
            rest: none(),
            indices: Box::new([0; CAPACITY + STEP]),
            counts: Box::new([0; CAPACITY + STEP]),
            len: 0,
        }
    }
}

impl<L: Layout> LayoutRows<L> {
    /// Counts what is on `board`.
    #[inline(always)]
    pub(crate) fn row(&mut self, board: &Board) {
        let before = self.pieces;
        self.moved::<White>(board);
        self.moved::<Black>(board);
        let changed = |kind: usize| (0..2).any(|side| self.pieces[side][kind] != before[side][kind]);
        let (pawns, kings) = (changed(PAWN), changed(KING));
        if pawns {
            self.sets = self.kept.renew(&mut self.pawns, |t| L::pawns(board, t));
        }
        if pawns || kings {
            self.kept.renew(&mut self.cover, |t| {
                cover_of::<White>(board, t);
                cover_of::<Black>(board, t);
            });
        }
        L::rest(board, &self.sets, &mut *self.rest);
        self.list();
    }

    /// The columns of the last board that are there, ascending.
    pub(crate) fn indices(&self) -> &[u16] {
        &self.indices[..self.len]
    }

    /// The count of each of [`LayoutRows::indices`].
    pub(crate) fn counts(&self) -> &[i16] {
        &self.counts[..self.len]
    }

    /// Counts what `U`'s pieces do on other squares than before.
    #[inline(always)]
    fn moved<U: Us>(&mut self, board: &Board) {
        for kind in PAWN..=KING {
            let now = board.of(U::SIDE, Piece::ALL[kind]);
            let before = std::mem::replace(&mut self.pieces[U::INDEX][kind], now);
            for square in Bitboard(now.0 ^ before.0) {
                let sign = if now.0 >> square.index() & 1 == 1 { 1 } else { -1 };
                if kind != KING {
                    put::<U>(&mut *self.kept, MATERIAL + kind, sign);
                }
                put::<U>(&mut *self.kept, PSQ_PAWN + 64 * kind + place::<U>(square.index()), sign);
            }
        }
    }

    /// Lists what is there, and empties the counts of the rest.
    fn list(&mut self) {
        let (kept, rest) = (self.kept.0.as_chunks::<BLOCK>().0, self.rest.0.as_chunks_mut::<BLOCK>().0);
        let mut len = 0;
        for block in 0..L::BLOCKS {
            let all: [i16; BLOCK] = std::array::from_fn(|i| kept[block][i] + rest[block][i]);
            rest[block] = [0; BLOCK];
            let mut bits = there(&all);
            let end = len + bits.count_ones() as usize;
            let mut at = len;
            // Several at once without a look at how many are left: the number of steps is easier to predict.
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
