//! Rows of any layout in columns: counts of 32 bits, a hash that no number of jobs and no order of counts changes.

use crate::Head;
use tesuji_game::{Random, fnv};

/// Rows of (index, count), with wider counts than [`crate::Rows`] holds and without its memory: what is written out.
///
/// # Examples
/// ```
/// use tesuji_dataset::{Head, SparseRows};
/// let mut rows = SparseRows::default();
/// rows.push(Head { half_points: 2, ..Head::default() }, [(3, -256), (7, 512)]);
/// assert_eq!(rows.entries(0).collect::<Vec<_>>(), [(3, -256), (7, 512)]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseRows {
    pub(crate) heads: Vec<Head>,
    pub(crate) ends: Vec<i32>,
    pub(crate) indices: Vec<u16>,
    pub(crate) counts: Vec<i32>,
}

impl SparseRows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The data of row `row` other than its counts.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn head(&self, row: usize) -> &Head {
        &self.heads[row]
    }

    /// The counts of row `row`, as they were given.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn entries(&self, row: usize) -> impl ExactSizeIterator<Item = (u16, i32)> + Clone + '_ {
        let range = self.start(row)..self.ends[row] as usize;
        self.indices[range.clone()].iter().copied().zip(self.counts[range].iter().copied())
    }

    /// Offset of the counts of row `row`.
    fn start(&self, row: usize) -> usize {
        if row == 0 { 0 } else { self.ends[row - 1] as usize }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When there are more than 2,147,483,647 counts.
    pub fn push<I>(&mut self, head: Head, entries: I)
    where
        I: IntoIterator<Item = (u16, i32), IntoIter: Clone>,
    {
        let entries = entries.into_iter();
        self.indices.extend(entries.clone().map(|(index, _)| index));
        self.counts.extend(entries.map(|(_, count)| count));
        self.end(head);
    }

    /// Adds a row whose indices and counts stand apart.
    ///
    /// # Panics
    /// When there is not one count for every index, or as [`SparseRows::push`].
    pub fn push_counted(&mut self, head: Head, indices: &[u16], counts: &[i16]) {
        assert_eq!(indices.len(), counts.len(), "every index has a count");
        self.indices.extend_from_slice(indices);
        self.counts.extend(counts.iter().map(|&count| i32::from(count)));
        self.end(head);
    }

    /// Ends the row that was appended to the counts.
    fn end(&mut self, head: Head) {
        assert!(self.counts.len() <= i32::MAX as usize, "the counts of a table of rows are numbered by 31 bits");
        self.ends.push(self.counts.len() as i32);
        self.heads.push(head);
    }

    /// Appends row `row` of `other`.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn push_of(&mut self, other: &SparseRows, row: usize) {
        self.push(other.heads[row], other.entries(row));
    }

    /// Removes all rows, and keeps the memory.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.ends.clear();
        self.indices.clear();
        self.counts.clear();
    }

    /// A hash of all rows: the wrapping sum of their own, so that parts may be summed in any order. `names` has a hash
    /// for every index, [`name_hash`] of what is counted there.
    ///
    /// # Panics
    /// When a row has an index without a name.
    pub fn hash(&self, names: &[u64]) -> u64 {
        (0..self.len()).fold(0, |sum: u64, row| sum.wrapping_add(row_hash(&self.heads[row], self.entries(row), names)))
    }
}

/// The hash of one row. It depends on the game's number and the place in the game, on the result, the phase and the
/// scale, and on names and counts; not on the order of the counts, nor on their indices.
///
/// # Panics
/// When an index has no name.
pub fn row_hash(head: &Head, entries: impl Iterator<Item = (u16, i32)>, names: &[u64]) -> u64 {
    let place = mix(u64::from(head.game) << 32 | u64::from(head.boards) << 16 | u64::from(head.boards_left));
    let blend = u64::from(head.phase) << 16 | u64::from(head.scale) << 8 | u64::from(head.half_points);
    let score = head.score.map_or(1 << 16, |score| u64::from(score.0 as u16));
    let sum = entries
        .fold(0u64, |sum, (index, count)| sum.wrapping_add(mix(names[usize::from(index)] ^ u64::from(count as u32))));
    mix(place ^ mix(blend << 32 | score) ^ sum.rotate_left(17))
}

/// The hash of a name; see [`SparseRows::hash`].
pub fn name_hash(name: &str) -> u64 {
    name.bytes().fold(fnv::START, |h, b| mix(h ^ u64::from(b)))
}

/// A number that looks random, always the same for the same word, in `0..2^64`: what orders rows for sampling. Rows of
/// the same place in the same game have the same.
pub fn lot(seed: u64, head: &Head) -> u64 {
    Random::for_item(seed, u64::from(head.game) << 16 | u64::from(head.boards_left)).next_u64()
}

/// Mixes the bits of a word (the finisher of SplitMix64, S. Vigna 2015).
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> SparseRows {
        let mut rows = SparseRows::default();
        for game in 0..5 {
            for left in 0..3 {
                let head = Head { game, boards: 3, boards_left: left, half_points: 1, ..Head::default() };
                rows.push(head, (0..u16::from(left == 1) + 2).map(|i| (i, i32::from(i) - 7)));
            }
        }
        rows
    }

    #[test]
    fn the_hash_is_of_names_and_counts_in_any_order_and_any_parts() {
        let names = ["a", "b", "c"].map(name_hash);
        let rows = sample();
        let (mut odd, mut even, mut turned) = (SparseRows::default(), SparseRows::default(), SparseRows::default());
        for row in 0..rows.len() {
            if row % 2 == 1 { &mut odd } else { &mut even }.push_of(&rows, row);
            // The same rows under other indices, last first.
            let mut entries: Vec<(u16, i32)> = rows.entries(row).map(|(i, n)| (2 - i, n)).collect();
            entries.reverse();
            turned.push(*rows.head(row), entries);
        }
        assert_eq!(odd.hash(&names).wrapping_add(even.hash(&names)), rows.hash(&names));
        assert_eq!(turned.hash(&["c", "b", "a"].map(name_hash)), rows.hash(&names));
        assert_ne!(turned.hash(&names), rows.hash(&names));
        let mut other = sample();
        other.counts[4] += 1;
        assert_ne!(other.hash(&names), rows.hash(&names));
        let mut other = sample();
        other.heads[4].half_points = 0;
        assert_ne!(other.hash(&names), rows.hash(&names));
    }
}
