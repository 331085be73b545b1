//! Results of benches: searches, their profiles, suites of positions.

pub mod profile;
pub mod suite;
pub mod table;
