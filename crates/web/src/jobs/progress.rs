//! How far the work of a job is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How far the work of a job is, as its process tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct JobProgress {
    /// What is done.
    what: String,
    /// The unit of the figures.
    unit: String,
    /// Units done.
    done: u64,
    /// Units in all, where that is known.
    total: Option<u64>,
    /// Units a second.
    rate: f64,
    /// Seconds that are left, from and to.
    left: Option<(f64, f64)>,
    /// Where that comes from.
    basis: ProgressBasis,
    /// What else is told.
    note: String,
}

/// Where an estimate of the time that is left comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ProgressBasis {
    /// The work knows it.
    Model,
    /// Units a second so far.
    Rate,
}
