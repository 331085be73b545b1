//! The largest effect of each feature on the rows of a set.

use crate::pair::Pair;

/// The largest effect of a feature over the training rows: the largest count times the share of its weights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Reach {
    /// Of both weights together: what one centipawn more in both makes at most.
    pub both: f32,
    /// Of each weight alone.
    pub phases: Pair,
}
