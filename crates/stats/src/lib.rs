//! Elo, likelihood of superiority, SPRT (trinomial and pentanomial), verdicts, ratings of many players, time left, whether counts come from one source. Pure functions of counts.
//!
//! Degenerate counts (no games, all draws, all wins) have answers that are true: an interval that holds the value, or
//! `None` where nothing can be said. Nothing here returns NaN.

mod counts;
mod elo;
mod homogeneity;
mod left;
mod plan;
mod ratings;
mod sprt;
#[cfg(test)]
mod testing;
mod verdict;
mod walk;

pub use counts::{Counts, Games, Pairs};
pub use elo::{ELO_PER_NT, Interval, Sigma, elo_of_score, score_of_elo};
pub use homogeneity::{Homogeneity, chi_square_tail, homogeneity, more_often};
pub use left::{Ahead, Durations, InPlay, TimeLeft, time_left};
pub use plan::{StopWidth, error_of_games, games_for_error, games_to_show};
pub use ratings::{Given, Met, Rating, Ratings, Relation, rate};
pub use sprt::{Decision, Model, Sprt};
pub use verdict::{
    BATTLEFIELD_LEVELS, Verdict, battlefield_interval, battlefield_moments, battlefield_verdict,
    battlefield_verdict_exact, pairs_verdict,
};
pub use walk::{Length, Walk};
