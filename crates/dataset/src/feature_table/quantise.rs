//! Real values as whole counts: each weight gets a unit, a power of two, in which its values fit into 16 bits, exactly where
//! they can.

use super::{cells::RawRows, read::FeatureTable};
use crate::{Head, Rows, Target};
use std::num::NonZeroU64;

/// The largest count.
const COUNT_MAX: f64 = 32_767.0;
/// The finest and the coarsest unit, as powers of two.
const EXPONENTS: std::ops::RangeInclusive<i32> = -100..=100;

/// The part of a feature that a weight belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotPart {
    /// All of it.
    Whole,
    /// Its share of the middlegame.
    Middlegame,
    /// Its share of the endgame.
    Endgame,
}

/// A weight to learn: what the features of [`CountedTable::rows`] stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The number of the feature in the table.
    pub feature: usize,
    /// The part of it.
    pub part: SlotPart,
}

/// A table as rows of counts.
#[derive(Debug)]
pub struct CountedTable {
    /// The rows: full phase, so that the first of each pair of weights is all there is.
    pub rows: Rows,
    /// The weights, by the features of the rows.
    pub slots: Vec<Slot>,
    /// For each weight, the count of a value of 1.
    pub counts: Vec<f64>,
}

/// The values of a weight that were seen.
#[derive(Debug, Clone, Copy)]
struct Seen {
    largest: f64,
    /// The power of two that makes all values whole.
    exact: i32,
}

impl Seen {
    const NOTHING: Seen = Seen { largest: 0.0, exact: i32::MIN };

    fn add(&mut self, value: f32) {
        if value == 0.0 {
            return;
        }
        self.largest = self.largest.max(f64::from(value).abs());
        // A float is a whole number of 24 bits times a power of two: its trailing zeros say how coarse it is.
        let bits = value.to_bits();
        let (exponent, fraction) = ((bits >> 23 & 0xFF) as i32, bits & 0x7F_FFFF);
        let (whole, exponent) = if exponent == 0 { (fraction, -149) } else { (fraction | 0x80_0000, exponent - 150) };
        self.exact = self.exact.max(-(exponent + whole.trailing_zeros() as i32));
    }

    /// The count of a value of 1: exact where 16 bits suffice, else as fine as they allow.
    fn count_of_one(self) -> f64 {
        if self.largest == 0.0 {
            return 1.0;
        }
        let finest = (COUNT_MAX / self.largest).log2().floor() as i32;
        f64::from(self.exact.min(finest).clamp(*EXPONENTS.start(), *EXPONENTS.end())).exp2()
    }
}

impl FeatureTable {
    /// The weights that features have: two where they are tapered by the phase, one otherwise.
    pub fn slots(&self, is_tapered: impl Fn(usize) -> bool) -> Vec<Slot> {
        let slot = |feature, part| Slot { feature, part };
        (0..self.names.len())
            .flat_map(|feature| match is_tapered(feature) {
                true => vec![slot(feature, SlotPart::Middlegame), slot(feature, SlotPart::Endgame)],
                false => vec![slot(feature, SlotPart::Whole)],
            })
            .collect()
    }

    /// The rows as counts of `slots`, which [`FeatureTable::slots`] made; at most 65,536. Memory is freed on the way.
    ///
    /// # Panics
    /// When there are more slots.
    pub fn into_rows(self, slots: Vec<Slot>) -> CountedTable {
        assert!(slots.len() <= 1 << 16, "features of rows are numbered by 16 bits");
        let mut first = vec![usize::MAX; self.names.len()];
        for (number, slot) in slots.iter().enumerate().rev() {
            first[slot.feature] = number;
        }
        let places = Places { first, slots: &slots };
        let mut seen = vec![Seen::NOTHING; slots.len()];
        for part in &self.parts {
            for row in 0..part.heads.len() {
                places.each(part, row, |slot, value| seen[slot].add(value));
            }
        }
        let counts: Vec<f64> = seen.iter().map(|seen| seen.count_of_one()).collect();
        let left = self.plies_left();
        let mut rows = Rows::default();
        let mut entries: Vec<(u16, i16)> = Vec::new();
        let mut number = 0;
        for part in self.parts {
            for row in 0..part.heads.len() {
                entries.clear();
                places.each(&part, row, |slot, value| {
                    let count = (f64::from(value) * counts[slot]).round() as i16;
                    if count != 0 {
                        entries.push((slot as u16, count));
                    }
                });
                // Cells of a table may stand in any order; sums of rows do not depend on it then.
                entries.sort_unstable_by_key(|entry| entry.0);
                let (game, key) = self.games_of_rows[number];
                let head = part.heads[row];
                let boards_left = left[number].clamp(0.0, 65_535.0).round() as u16;
                let key = NonZeroU64::new(key);
                let score = Some(head.score).filter(|score| !score.is_nan());
                let target = Target { result: head.result, score, weight: head.weight };
                rows.push_target(
                    Head { game, key, boards_left, phase: 256, scale: 64, ..Head::default() },
                    target,
                    &entries,
                );
                number += 1;
            }
        }
        CountedTable { rows, slots, counts }
    }

    /// For each row, the plies that its game goes on; 0 where nothing tells.
    fn plies_left(&self) -> Vec<f32> {
        let heads = || self.parts.iter().flat_map(|part| &part.heads);
        let mut last = vec![0f32; self.games as usize];
        for (head, (game, _)) in heads().zip(&self.games_of_rows) {
            let last = &mut last[*game as usize];
            *last = last.max(head.ply);
        }
        let left = |(head, (game, _)): (&super::cells::RowHead, &super::games::GameOfRow)| match head.left.is_nan() {
            // A missing ply is NaN, of which the largest of both makes 0.
            true => (last[*game as usize] - head.ply).max(0.0),
            false => head.left,
        };
        heads().zip(&self.games_of_rows).map(left).collect()
    }
}

/// Where the values of a feature go.
struct Places<'a> {
    /// The first weight of each feature.
    first: Vec<usize>,
    slots: &'a [Slot],
}

impl Places<'_> {
    /// The values of row `row` by weight.
    fn each(&self, part: &RawRows, row: usize, mut see: impl FnMut(usize, f32)) {
        let head = part.heads[row];
        // A row that tells no phase has it from a file that tells none: nothing is tapered there.
        let (mg, eg) = (head.phase, (1.0 - head.phase) * head.scale);
        for (feature, value) in part.entries(row) {
            let Some(&slot) = self.first.get(usize::from(feature)) else { continue };
            match self.slots.get(slot).map(|slot| slot.part) {
                Some(SlotPart::Whole) => see(slot, value),
                Some(_) => {
                    see(slot, value * mg);
                    see(slot + 1, value * eg);
                }
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(values: &[f32]) -> f64 {
        let mut seen = Seen::NOTHING;
        values.iter().for_each(|&value| seen.add(value));
        seen.count_of_one()
    }

    #[test]
    fn values_are_counted_exactly_where_they_fit() {
        assert_eq!(unit(&[]), 1.0);
        assert_eq!(unit(&[1.0, -3.0, 7.0]), 1.0);
        assert_eq!(unit(&[256.0, 512.0]), 1.0 / 256.0, "whole numbers of 256");
        assert_eq!(unit(&[0.5, 0.25, 3.0]), 4.0);
        assert_eq!(unit(&[100_000.0, 1.0]), 0.25, "as fine as 16 bits allow");
        let fine = unit(&[0.1]);
        assert!(fine * 0.1 <= COUNT_MAX && fine * 0.1 > COUNT_MAX / 2.0, "{fine}");
        assert!(unit(&[1e-38, 3e38]).is_finite());
    }
}
