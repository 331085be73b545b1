//! Samples for learning: rows of feature counts in columns, filtered, built in parallel, split by game.
//!
//! A game is known here only through [`Features`], an object-safe door that `cli` implements over a game and its
//! evaluation. Whatever the number of jobs, the rows come out the same and in the order of the games. Nothing here
//! learns (`tesuji-tune` does) and nothing here plays.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod build;
mod checked;
pub mod data;
pub mod feature_table;
mod features;
mod filter;
pub mod fuzz;
mod held_out;
mod list_column;
mod parquet_bounds;
mod parquet_columns;
mod positions;
mod rows;
pub mod searched;
pub mod sparse;
pub mod sparse_parquet;
pub mod tasks;

pub use build::{Built, DatasetError, RowsPlan, build};
pub use features::{Features, SampleError};
pub use filter::{Filter, SeenBoard};
pub use held_out::{GamesOfPositions, HELD_OUT_SEED, is_held_out};
pub use positions::build_positions;
pub use rows::{FeatureCount, Head, Row, Rows, Target};
pub use sparse::SparseRows;
