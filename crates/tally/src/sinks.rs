//! The three sinks: a sum that plays, a sparse row that teaches, a dense vector that explains.

use crate::{Packed, Tally};

/// Sums counts times weights: the sink that plays.
///
/// # Examples
///
/// ```
/// use tesuji_tally::{Packed, Sum, Tally};
/// let weights = [Packed::new(100, 140), Packed::new(-8, 5)];
/// let mut sum = Sum::new(&weights);
/// sum.add(0, 2);
/// sum.add(1, -1);
/// assert_eq!(sum.total, Packed::new(208, 275));
/// ```
pub struct Sum<'a, const N: usize> {
    weights: &'a [Packed; N],
    /// The sum so far.
    pub total: Packed,
}

impl<'a, const N: usize> Sum<'a, N> {
    /// A sum of nothing.
    #[inline]
    pub const fn new(weights: &'a [Packed; N]) -> Self {
        Sum { weights, total: Packed::ZERO }
    }
}

impl<const N: usize> Tally for Sum<'_, N> {
    #[inline(always)]
    fn add(&mut self, feature: usize, count: i32) {
        self.total += self.weights[feature] * count;
    }
}

/// Collects the features that are there, each once, with their counts: the sink that teaches. Reused from position to
/// position: [`Row::finish`] leaves the list and clears the rest.
///
/// # Examples
///
/// ```
/// use tesuji_tally::{Row, Tally};
/// let mut row = Row::new(100);
/// row.add(70, 2);
/// row.add(3, 1);
/// row.add(70, -2);
/// assert_eq!(row.finish(), [(3, 1)], "what sums to 0 is left out");
/// ```
#[derive(Debug, Clone)]
pub struct Row {
    counts: Box<[i16]>,
    /// A bit for each feature that was added to.
    touched: Box<[u64]>,
    /// Room for all features and one more, so that the next entry may be written before it is known to stay.
    list: Box<[(u16, i16)]>,
    len: usize,
}

impl Row {
    /// A row for `features` features.
    ///
    /// # Panics
    /// When there are more than 65,536 of them.
    pub fn new(features: usize) -> Row {
        assert!(features <= 1 << 16, "a feature is a number of 16 bits");
        let words = features.div_ceil(64);
        Row {
            counts: vec![0; features].into(),
            touched: vec![0; words].into(),
            list: vec![(0, 0); features + 1].into(),
            len: 0,
        }
    }

    /// The number of features that there are.
    pub fn features(&self) -> usize {
        self.counts.len()
    }

    /// Ends the row: what was added since the last call, without zeros, in ascending order of features.
    pub fn finish(&mut self) -> &[(u16, i16)] {
        let (counts, list, mut len) = (&mut *self.counts, &mut *self.list, 0);
        for (word, touched) in self.touched.iter_mut().enumerate() {
            let mut bits = std::mem::take(touched);
            while bits != 0 {
                let feature = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let count = std::mem::take(&mut counts[feature]);
                // Sides often cancel out, and nobody can predict where: no branch.
                list[len] = (feature as u16, count);
                len += usize::from(count != 0);
            }
        }
        self.len = len;
        self.entries()
    }

    /// The entries that the last [`Row::finish`] gave.
    pub fn entries(&self) -> &[(u16, i16)] {
        &self.list[..self.len]
    }
}

impl Tally for Row {
    #[inline]
    fn add(&mut self, feature: usize, count: i32) {
        self.counts[feature] += count as i16;
        self.touched[feature / 64] |= 1 << (feature % 64);
    }
}

/// Keeps a count for every feature: the sink that explains.
///
/// # Examples
///
/// ```
/// use tesuji_tally::{Dense, Tally};
/// let mut dense = Dense::new(3);
/// dense.add_for(1, 2, 4);
/// dense.add_for(-1, 2, 1);
/// assert_eq!(*dense.counts, [0, 0, 3]);
/// dense.clear();
/// assert_eq!(*dense.counts, [0; 3]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dense {
    /// One count a feature.
    pub counts: Box<[i32]>,
}

impl Dense {
    /// All counts 0.
    pub fn new(features: usize) -> Dense {
        Dense { counts: vec![0; features].into() }
    }

    /// Sets all counts to 0.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }
}

impl Tally for Dense {
    #[inline]
    fn add(&mut self, feature: usize, count: i32) {
        self.counts[feature] += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(t: &mut impl Tally) {
        t.add(2, 3);
        t.add(0, 1);
        t.add(1, 4);
        t.add(2, -1);
        t.add(1, -4);
        t.add(1, 0);
    }

    #[test]
    fn all_sinks_agree() {
        let weights = [Packed::new(10, 20), Packed::new(500, -500), Packed::new(-7, 3)];
        let mut sum = Sum::new(&weights);
        evaluate(&mut sum);
        assert_eq!((sum.total.mg(), sum.total.eg()), (10 - 14, 20 + 6));
        let mut dense = Dense::new(3);
        evaluate(&mut dense);
        assert_eq!(*dense.counts, [1, 0, 2]);
        let mut row = Row::new(3);
        for _ in 0..2 {
            evaluate(&mut row);
            assert_eq!(row.finish(), [(0, 1), (2, 2)]);
        }
        assert_eq!(row.finish(), []);
    }
}
