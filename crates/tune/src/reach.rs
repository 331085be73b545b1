//! How far the features of a set reach into the rows.

use crate::pair::Pair;

/// What a feature can make over the training rows: the largest count times the share of its weights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Reach {
    /// Of both weights together: what one centipawn more in both makes at most.
    pub both: f32,
    /// Of each weight alone.
    pub phases: Pair,
}
