//! Results as text, JSON, HTML and SVG: matches, ratings, tuning, training, runs of `improve`. Pure functions: no files, no printing, no threads, no game.

pub mod data;
pub mod improve;
pub mod matches;
pub mod page;
pub mod spsa;
pub mod svg;
pub mod sweep;
pub mod training;
pub mod trees;
pub mod tuning;
