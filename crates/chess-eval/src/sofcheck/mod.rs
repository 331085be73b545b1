//! SoFCheck's view of a position: its 480 columns, its CSV rows, its weights file and its evaluation, so that its data and ours can be compared
//! byte by byte, and its weights play and learn here.
//!
//! SoFCheck (A. Kernozhitsky, 2020) takes apart what our terms keep together: a king counts in two tables, each by its
//! share of the phase, and counts are 256ths. Everything else is one of our features, or the sum of some: the columns
//! are another layout of the same rows, in which what no column needs is not counted.

mod columns;
mod csv;
mod eval;
mod numbers;
mod weights;

pub use columns::{COLUMNS, Columns, column_names};
pub use csv::{CsvLine, CsvRow, write_header};
pub use eval::{SofcheckEval, explain_sofcheck};
pub use numbers::{SOFCHECK_SET, SofcheckWeights};
pub use weights::{FeatureWeights, FeaturesError};
