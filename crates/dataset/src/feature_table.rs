//! Tables of features that any program wrote, read as rows to learn from: CSV, Parquet, sparse text (libsvm). Knows no game.
//!
//! Values are real numbers here. [`FeatureTable::into_rows`] makes the whole counts of [`crate::Rows`] of them, each column with a
//! unit of its own.

mod cells;
mod columns;
mod csv;
mod games;
mod parquet;
mod quantise;
mod read;
mod sparse_text;

pub use columns::{TableColumns, matches_pattern};
pub use quantise::{CountedTable, Slot, SlotPart};
pub use read::{FeatureTable, TableFormat, TableJob, read_tables};
