//! Results as text, JSON, HTML and SVG: matches, ratings, tuning, training. Pure functions: no files, no printing, no threads, no game.

pub mod matches;
pub mod page;
pub mod svg;
pub mod training;
pub mod tuning;
