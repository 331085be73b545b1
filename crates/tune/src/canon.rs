//! The last step of learning: of all weights that evaluate alike, choose the ones a person can read.

use std::ops::Range;

/// A piece's value and its piece-square table, which say the same thing twice: a constant may move between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceTable {
    /// The feature that counts the piece.
    pub value: usize,
    /// The features that count where it stands: each piece counts once in exactly one of them.
    pub table: Range<usize>,
}

/// Brings weights into a canonical, readable form.
///
/// Two steps. First, the median of each piece-square table (over the squares that occur) moves into the piece's value:
/// this changes no evaluation at all, since a piece stands on exactly one square. Then all weights are multiplied by
/// one number, so that the mean of a pawn's midgame and endgame value is that of [`Canon::unit`]: this changes the unit of
/// the evaluation and of K, and no comparison of two boards. Search margins are written in that unit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Canon {
    /// The tables.
    pub tables: Vec<PieceTable>,
    /// The feature whose weight is the unit, with its centipawns.
    pub unit: Option<(usize, u32)>,
}

impl Canon {
    /// Moves the medians of the tables into the values. `seen[i]` tells whether feature `i` occurs at all; those that
    /// do not stay 0 in the table.
    pub(crate) fn centre(&self, weights: &mut [[f32; 2]], seen: &[bool]) {
        for piece in &self.tables {
            let squares: Vec<usize> = piece.table.clone().filter(|&i| seen[i]).collect();
            for phase in [0, 1] {
                // The median, which a few odd squares do not move.
                let median = median(squares.iter().map(|&i| weights[i][phase]).collect());
                // Table and piece value are counted together, so that what goes from one to the other changes no evaluation.
                squares.iter().for_each(|&i| weights[i][phase] -= median);
                weights[piece.value][phase] += median;
            }
        }
    }

    /// The factor that brings the unit to its centipawns; 1 where there is none or its weight makes no sense.
    pub(crate) fn factor(&self, weights: &[[f32; 2]]) -> f64 {
        let Some((unit, cp)) = self.unit else { return 1.0 };
        let mean = f64::from(weights[unit][0] + weights[unit][1]) / 2.0;
        let factor = f64::from(cp) / mean;
        // A unit that is off by more was not learned at all: scaling everything by it would spoil what was.
        if (0.25..=4.0).contains(&factor) { factor } else { 1.0 }
    }
}

/// The middle of `values`, the lower one of two; 0 without values.
fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centring_changes_no_sum() {
        let canon = Canon { tables: vec![PieceTable { value: 0, table: 1..6 }], unit: Some((0, 100)) };
        let start = [[80.0, 90.0], [5.0, 6.0], [20.0, 30.0], [-7.0, 1.0], [11.0, 2.0], [99.0, 99.0]];
        let mut weights = start;
        canon.centre(&mut weights, &[true, true, true, true, true, false]);
        for square in 1..5 {
            for phase in 0..2 {
                let (before, after) =
                    (start[0][phase] + start[square][phase], weights[0][phase] + weights[square][phase]);
                assert_eq!(before, after);
            }
        }
        assert_eq!(weights[0], [85.0, 92.0]);
        assert_eq!(weights[5], [99.0, 99.0], "a square that never occurs is left alone");
    }

    #[test]
    fn the_factor_makes_a_pawn_its_unit() {
        let canon = Canon { tables: Vec::new(), unit: Some((0, 100)) };
        assert_eq!(canon.factor(&[[40.0, 60.0]]), 2.0);
        assert_eq!(canon.factor(&[[-40.0, 0.0]]), 1.0, "nonsense is not scaled");
    }
}
