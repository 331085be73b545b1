//! KataGo's analysis protocol: queries and answers as JSON objects, one a line, which KaTrain and other tools speak.
//!
//! [`query::read`] reads a query against the [`query::Boards`] of a game; [`answer`] writes what a search found. [`AnalysisRunner`] asks
//! engines that speak it.

pub mod answer;
pub mod query;
mod reader;
mod runner;

pub use query::{Boards, Query, QueryBoard, QueryFault};
pub use runner::AnalysisRunner;
