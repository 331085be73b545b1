//! Positions packed for training: which cells hold what, the score, the result. Games say what cells and values mean.
//!
//! A record is, little-endian: a bit for each cell that is not empty; the values of these cells in order, in
//! [`CellLayout::value_bits`] bits each; and at its end the score and the value of the hand-made evaluation for the first side (i16),
//! flags (u16) and the ply (u16; 0 when unknown).

use serde::{Deserialize, Serialize};
use std::num::NonZeroU16;
use tesuji_game::FirstSide;

/// The most cells of a position.
pub const CELLS_MAX: usize = 128;
/// Bytes at the end of a record: score, base, flags, ply.
const TAIL: usize = 8;

/// In place of half points: there is no result to learn.
pub const NO_RESULT: u8 = 3;

const RESULT: u16 = 0b11;
const SECOND: u16 = 1 << 2;
const RUN: u16 = 1 << 3;
const BUCKET_SHIFT: u16 = 4;
/// Sets of output layers that a record tells apart.
pub const BUCKETS: usize = 8;

/// The layout of a game's packed positions.
///
/// # Examples
///
/// ```
/// use tesuji_game::FirstSide;
/// use tesuji_train::nnue::{CellLayout, CellPosition};
/// // Four squares, on which pieces of both sides stand.
/// let layout = CellLayout { cells: 4, counts_from: 4, value_bits: 2, used_max: 4 };
/// let mut position = CellPosition { score: FirstSide(-35), half_points: 2, ..CellPosition::default() };
/// (position.cells[0], position.cells[3]) = (1, 2);
/// let mut record = Vec::new();
/// layout.pack(&position, &mut record)?;
/// assert_eq!((record.len(), layout.unpack(&record)), (layout.record_bytes(), position));
/// position.cells[1] = 4;
/// assert!(layout.pack(&position, &mut record).is_err(), "two bits hold up to 3");
/// # Ok::<(), tesuji_train::nnue::PackError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellLayout {
    /// Cells of a position, at most [`CELLS_MAX`]: squares, and kinds of pieces in hand.
    pub cells: usize,
    /// Cells from this one on hold counts: `n` there means the steps 1 to `n`. Below it a cell holds one piece.
    pub counts_from: usize,
    /// Bits of a value, 1 to 8; 0 is an empty cell.
    pub value_bits: usize,
    /// Cells that can be in use at once.
    pub used_max: usize,
}

/// A position to learn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellPosition {
    /// The content of each cell; 0: empty.
    pub cells: [u8; CELLS_MAX],
    /// The score in centipawns, as files hold it: beyond ±30,999 a proven win.
    pub score: FirstSide<i16>,
    /// The static value in centipawns by the hand-made evaluation, which some networks correct.
    pub base: FirstSide<i16>,
    /// The result in half points of the first side: 0, 1, 2; or [`NO_RESULT`].
    pub half_points: u8,
    /// Whether the second side is to move.
    pub second_to_move: bool,
    /// The index of its output layers, below [`BUCKETS`].
    pub bucket: u8,
    /// Plies since the start of the game; `None` when unknown, and at the start itself.
    pub ply: Option<NonZeroU16>,
    /// Whether it begins a run: the record before is of another game or not near to it.
    pub starts_run: bool,
}

impl Default for CellPosition {
    fn default() -> Self {
        CellPosition {
            cells: [0; CELLS_MAX],
            score: FirstSide(0),
            base: FirstSide(0),
            half_points: 1,
            second_to_move: false,
            bucket: 0,
            ply: None,
            starts_run: true,
        }
    }
}

/// The reason why a position cannot be packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// More cells in use than a record holds.
    #[error("{found} cells in use, at most {max} fit")]
    Used {
        /// Cells in use.
        found: usize,
        /// Those that fit.
        max: usize,
    },
    /// A value that needs more bits.
    #[error("cell {cell} holds {value}, at most {max} fits")]
    Value {
        /// The cell.
        cell: usize,
        /// Its content.
        value: u8,
        /// The largest value that fits.
        max: u8,
    },
}

impl CellLayout {
    /// Whether its numbers make sense: those of a file may not.
    pub fn is_sound(&self) -> bool {
        (1..=CELLS_MAX).contains(&self.cells)
            && self.counts_from <= self.cells
            && (1..=8).contains(&self.value_bits)
            && (1..=self.cells).contains(&self.used_max)
    }

    fn occupied_bytes(&self) -> usize {
        self.cells.div_ceil(8)
    }

    /// Bytes of a record: a multiple of four, 32 for 64 squares and 32 pieces of four bits.
    pub fn record_bytes(&self) -> usize {
        (self.occupied_bytes() + (self.used_max * self.value_bits).div_ceil(8) + TAIL).next_multiple_of(4)
    }

    /// Values a cell can have, the empty one included.
    pub fn values(&self) -> usize {
        1 << self.value_bits
    }

    /// Appends the record of `position` to `out`.
    ///
    /// # Errors
    /// When it does not fit; `out` is unchanged then.
    pub fn pack(&self, position: &CellPosition, out: &mut Vec<u8>) -> Result<(), PackError> {
        let cells = &position.cells[..self.cells];
        let found = cells.iter().filter(|&&value| value != 0).count();
        if found > self.used_max {
            return Err(PackError::Used { found, max: self.used_max });
        }
        let max = (self.values() - 1) as u8;
        if let Some((cell, &value)) = cells.iter().enumerate().find(|&(_, &value)| value > max) {
            return Err(PackError::Value { cell, value, max });
        }
        let start = out.len();
        out.resize(start + self.record_bytes(), 0);
        let record = &mut out[start..];
        let (occupied, rest) = record.split_at_mut(self.occupied_bytes());
        let mut bit = 0;
        for (cell, &value) in cells.iter().enumerate().filter(|&(_, &value)| value != 0) {
            occupied[cell / 8] |= 1 << (cell % 8);
            let word = u16::from(value) << (bit % 8);
            rest[bit / 8] |= word as u8;
            rest[bit / 8 + 1] |= (word >> 8) as u8;
            bit += self.value_bits;
        }
        let flag = |is: bool, flag: u16| if is { flag } else { 0 };
        let flags = u16::from(position.half_points.min(NO_RESULT))
            | flag(position.second_to_move, SECOND)
            | flag(position.starts_run, RUN)
            | u16::from(position.bucket % BUCKETS as u8) << BUCKET_SHIFT;
        let tail = record.len() - TAIL;
        record[tail..tail + 2].copy_from_slice(&position.score.0.to_le_bytes());
        record[tail + 2..tail + 4].copy_from_slice(&position.base.0.to_le_bytes());
        record[tail + 4..tail + 6].copy_from_slice(&flags.to_le_bytes());
        record[tail + 6..].copy_from_slice(&position.ply.map_or(0, NonZeroU16::get).to_le_bytes());
        Ok(())
    }

    /// Reads the fields of `record` beside its cells.
    ///
    /// # Panics
    /// When it has another length than [`CellLayout::record_bytes`].
    #[inline]
    pub fn facts(&self, record: &[u8]) -> RecordFacts {
        let tail: &[u8; TAIL] = record.last_chunk().expect("a record has a tail");
        let flags = u16::from_le_bytes([tail[4], tail[5]]);
        RecordFacts {
            score: FirstSide(i16::from_le_bytes([tail[0], tail[1]])),
            base: FirstSide(i16::from_le_bytes([tail[2], tail[3]])),
            half_points: (flags & RESULT) as u8,
            second_to_move: flags & SECOND != 0,
            bucket: (flags >> BUCKET_SHIFT) as u8 % BUCKETS as u8,
            ply: NonZeroU16::new(u16::from_le_bytes([tail[6], tail[7]])),
            starts_run: flags & RUN != 0,
        }
    }

    /// Sets whether `record` begins a run.
    ///
    /// # Panics
    /// As [`CellLayout::facts`].
    pub fn set_starts_run(&self, record: &mut [u8], starts: bool) {
        let at = record.len() - TAIL + 4;
        record[at] = record[at] & !(RUN as u8) | if starts { RUN as u8 } else { 0 };
    }

    /// Calls `f` with the cells of `record` that are in use, in order, and their values.
    ///
    /// # Panics
    /// When it has another length than [`CellLayout::record_bytes`].
    #[inline(always)]
    pub fn for_each_cell(&self, record: &[u8], mut f: impl FnMut(usize, u8)) {
        let (occupied, values) = record.split_at(self.occupied_bytes());
        let mask = (self.values() - 1) as u16;
        let mut bit = 0;
        for (word, bytes) in occupied.chunks(8).enumerate() {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            let mut left = u64::from_le_bytes(eight);
            while left != 0 {
                let cell = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                let (Some(&low), Some(&high)) = (values.get(bit / 8), values.get(bit / 8 + 1)) else { return };
                f(cell, ((u16::from_le_bytes([low, high]) >> (bit % 8)) & mask) as u8);
                bit += self.value_bits;
            }
        }
    }

    /// The position of `record`.
    ///
    /// # Panics
    /// When it has another length than [`CellLayout::record_bytes`].
    pub fn unpack(&self, record: &[u8]) -> CellPosition {
        let RecordFacts { score, base, half_points, second_to_move, bucket, ply, starts_run } = self.facts(record);
        let mut cells = [0; CELLS_MAX];
        self.for_each_cell(record, |cell, value| cells[cell % CELLS_MAX] = value);
        CellPosition { cells, score, base, half_points, second_to_move, bucket, ply, starts_run }
    }
}

/// Half points as the second side sees them.
pub(super) fn turned(half_points: u8) -> u8 {
    if half_points == NO_RESULT { NO_RESULT } else { 2 - half_points }
}

/// The fields of a record beside its cells; see [`CellPosition`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordFacts {
    /// In centipawns.
    pub score: FirstSide<i16>,
    /// By the hand-made evaluation, in centipawns.
    pub base: FirstSide<i16>,
    /// Of the first side; or [`NO_RESULT`].
    pub half_points: u8,
    /// Whether the second side is to move.
    pub second_to_move: bool,
    /// The set of output layers, of [`BUCKETS`].
    pub bucket: u8,
    /// Plies before it; `None` when unknown, and at the start.
    pub ply: Option<NonZeroU16>,
    /// Whether a run begins with it.
    pub starts_run: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Random;

    #[test]
    fn positions_survive_packing() {
        let mut random = Random::new(3);
        for layout in [
            CellLayout { cells: 64, counts_from: 64, value_bits: 4, used_max: 32 },
            CellLayout { cells: 95, counts_from: 81, value_bits: 5, used_max: 40 },
            CellLayout { cells: 7, counts_from: 0, value_bits: 8, used_max: 7 },
        ] {
            assert!(layout.is_sound());
            for _ in 0..200 {
                let mut position = CellPosition {
                    score: FirstSide(random.next_u64() as i16),
                    base: FirstSide(random.next_u64() as i16),
                    half_points: random.below(4) as u8,
                    second_to_move: random.below(2) == 1,
                    bucket: random.below(8) as u8,
                    ply: NonZeroU16::new(random.below(600) as u16),
                    starts_run: random.below(2) == 1,
                    ..CellPosition::default()
                };
                for _ in 0..layout.used_max {
                    position.cells[random.below(layout.cells)] = 1 + random.below(layout.values() - 1) as u8;
                }
                let mut record = Vec::new();
                layout.pack(&position, &mut record).unwrap();
                assert_eq!((record.len(), layout.unpack(&record)), (layout.record_bytes(), position));
                layout.set_starts_run(&mut record, !position.starts_run);
                assert_eq!(layout.unpack(&record).starts_run, !position.starts_run);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let layout = CellLayout { cells: 8, counts_from: 8, value_bits: 3, used_max: 2 };
        let mut position = CellPosition::default();
        let mut out = vec![9];
        position.cells[..3].fill(1);
        let error = layout.pack(&position, &mut out).unwrap_err();
        assert_eq!(error.to_string(), "3 cells in use, at most 2 fit");
        position.cells[..3].copy_from_slice(&[0, 8, 0]);
        let error = layout.pack(&position, &mut out).unwrap_err();
        assert_eq!((error.to_string().as_str(), out.len()), ("cell 1 holds 8, at most 7 fits", 1));
        assert_eq!(CellLayout { cells: 64, counts_from: 64, value_bits: 4, used_max: 32 }.record_bytes(), 32);
    }
}
