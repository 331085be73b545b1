//! One hand-made evaluation for many uses: sinks that sum, list or count, the terms that name its features, and weights files.
//!
//! A game writes its evaluation once, as a function that hands counts of features to a [`Tally`]. [`Sum`] multiplies
//! them by weights and plays; [`Row`] lists them for learning; [`Dense`] keeps them all for explaining. Nothing here
//! knows a game, and nothing here opens a file: texts come in and go out.

mod blend;
mod explain;
mod file;
mod packed;
mod sinks;
mod source;
mod term;
mod value_cache;
mod weights;

pub use blend::{Blend, PHASE_MAX, SCALE_MAX, phase_of};
pub use explain::{Explanation, Line};
pub use file::WeightsError;
pub use packed::Packed;
pub use sinks::{Dense, Row, Sum};
pub use source::rust_source;
pub use term::{Linear, Term, check_terms, feature_name, find_term};
pub use value_cache::{ProbeCounts, ValueCache};
pub use weights::{Origin, Weights};

/// Takes the counts of an evaluation, feature by feature.
///
/// The evaluation calls [`Tally::add`] with positive counts for what the first side has and negative ones for the
/// second's. A feature may be added to any number of times; counts of 0 are allowed and mean nothing.
///
/// # Examples
///
/// One evaluation, played and learned from:
///
/// ```
/// use tesuji_tally::{Packed, Row, Sum, Tally};
///
/// /// Discs of both sides in feature 0, the right to move in feature 1.
/// fn evaluate(discs: [i32; 2], t: &mut impl Tally) {
///     t.add_for(1, 0, discs[0]);
///     t.add_for(-1, 0, discs[1]);
///     t.add(1, 1);
/// }
///
/// let weights = [Packed::new(100, 120), Packed::new(10, 0)];
/// let mut sum = Sum::new(&weights);
/// evaluate([5, 3], &mut sum);
/// assert_eq!(sum.total, Packed::new(210, 240));
/// let mut row = Row::new(2);
/// evaluate([5, 3], &mut row);
/// assert_eq!(row.finish(), [(0, 2), (1, 1)]);
/// ```
pub trait Tally {
    /// Adds `count` to `feature`.
    fn add(&mut self, feature: usize, count: i32);

    /// Adds what one side has of `feature`: `sign` is 1 for the first side and -1 for the second. Anyone who keeps the sides
    /// apart overrides it, since a side may have less than nothing of a feature.
    #[inline(always)]
    fn add_for(&mut self, sign: i32, feature: usize, count: i32) {
        self.add(feature, sign * count);
    }
}
