//! Results as text, JSON, HTML and SVG: matches, ratings, tuning, training, runs of `improve`, benches, solvers, networks, options. Pure functions: no files, no printing, no threads, no game.

pub mod bench;
pub mod data;
pub mod doctor;
pub mod improve;
pub mod matches;
pub mod nets;
pub mod options;
pub mod owl;
pub mod page;
pub mod perfts;
pub mod regressions;
pub mod reviews;
pub mod rows;
pub mod selfplay;
pub mod solving;
pub mod spsa;
pub mod svg;
pub mod sweep;
pub mod training;
pub mod trees;
pub mod tuning;
pub mod unwritten;
