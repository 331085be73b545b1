//! The two numbers of a tapered weight.

/// One pair of weights: midgame and endgame.
pub(crate) type Pair = [f32; 2];
