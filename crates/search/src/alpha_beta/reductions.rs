//! The table of late move reductions.

use super::options::Parameters;

/// Plies to reduce by depth and number of the move, in 1024ths.
///
/// Logarithms of both (Fruit and Stockfish made them common; Heinz measured fixed ones in 1999).
pub(super) struct Reductions(Box<[[i32; 64]; 64]>);

impl Reductions {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let mut table = Box::new([[0; 64]; 64]);
        // Depth and count 0 stay 0: their logarithm is not finite.
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (count, r) in row.iter_mut().enumerate().skip(1) {
                // The table is filled once for a search, so that no node computes a logarithm.
                let logs = (depth as f64).ln() * (count as f64).ln();
                *r = parameters.reduction_base + (f64::from(parameters.reduction_factor) * logs) as i32;
            }
        }
        Reductions(table)
    }

    /// The reduction of the `count`th move at `depth`, in 1024ths of a ply.
    #[inline]
    pub(super) fn of(&self, depth: i32, count: usize) -> i32 {
        self.0[depth.clamp(0, 63) as usize][count.min(63)]
    }
}
