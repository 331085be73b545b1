//! Tables of features: what an evaluation counts on every board of games, for learning elsewhere, for comparing, for hashing.

use crate::SkipErrors;
use std::path::PathBuf;
use tesuji_dataset::Filter;
use tesuji_jobs::{Interrupt, Progress};

/// A game whose features are written as tables.
pub trait FeatureTables: Sync {
    /// The layouts of columns by their names, the game's own first.
    fn layouts(&self) -> &'static [&'static str];

    /// Writes the table, whole or not at all. Rows and their order are the same for any number of jobs.
    ///
    /// # Errors
    /// When a game is broken, the layout is unknown or cannot be written so, or a file cannot be read or written.
    fn write(&self, request: &FeatureRequest, stop: &Interrupt, progress: &Progress) -> anyhow::Result<FeatureOutcome>;
}

/// Where a table goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeatureOutput {
    /// Lines of CSV; `-` is stdout.
    Csv(PathBuf),
    /// Columns of indices and counts.
    Parquet(PathBuf),
    /// Nowhere: one hash of all rows.
    Hash,
}

/// What a table is made of.
#[derive(Debug, Clone)]
pub struct FeatureRequest {
    /// Games; `-` is stdin.
    pub games: Vec<PathBuf>,
    /// Where it goes.
    pub out: FeatureOutput,
    /// Which columns, by name.
    pub layout: String,
    /// Which boards.
    pub filter: Filter,
    /// Keep only boards that captures and promotions make better for the mover by this many centipawns at most.
    pub quiet_cp: Option<u32>,
    /// Only this many rows, drawn at random; `None`: all.
    pub count: Option<usize>,
    /// Decides what is drawn.
    pub seed: u64,
    /// Broken games are left out.
    pub skip: SkipErrors,
    /// Threads, 0 for one on each core.
    pub jobs: usize,
}

/// What came of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureOutcome {
    /// Games with a result.
    pub games: u64,
    /// Games without one, which were left out.
    pub unfinished: u64,
    /// Boards of the games.
    pub boards: u64,
    /// Boards that passed the filters.
    pub kept: u64,
    /// Rows written.
    pub rows: u64,
    /// Of all rows, with [`FeatureOutput::Hash`].
    pub hash: Option<u64>,
    /// It was stopped; nothing was written under the name of the file.
    pub stopped: bool,
}
