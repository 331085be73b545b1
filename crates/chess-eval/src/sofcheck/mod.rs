//! SoFCheck's view of a position: its 480 columns, its CSV rows and its weights file, so that its data and ours can be compared byte by byte.
//!
//! SoFCheck (A. Kernozhitsky, 2020) takes apart what our terms keep together: a king counts in two tables, each by its
//! share of the phase, and counts are 256ths. Everything else is one of our features, or the sum of some: the columns
//! are another layout of the same rows, in which what no column needs is not counted.

mod columns;
mod csv;
mod weights;

pub use columns::{COLUMNS, Columns, column_names};
pub use csv::{CsvLine, CsvRow, write_header};
pub use weights::{FeatureWeights, FeaturesError};
