//! Problems of regions: is a chain captured, caught in a ladder, alive? Each has its question, its solver and what its file says.

use crate::Pasted;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{path::Path, time::Duration};

/// The problems of a game that is decided region by region.
pub trait Regions: Sync {
    /// The problem of a position: `goal` is its kind and a point of the chain, as in `live C3`; `region` two corners, `None` for
    /// the whole board.
    ///
    /// # Errors
    /// When the position or the goal cannot be read.
    fn problem(&self, position: &Pasted, goal: &str, region: Option<&str>) -> anyhow::Result<Box<dyn RegionProblem>>;

    /// Endings of files with problems, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// The problems of a file: diagrams, or the positions that games on record begin with.
    ///
    /// # Errors
    /// When it cannot be read; the words name the place.
    fn problems(&self, file: &Path) -> anyhow::Result<Vec<Box<dyn RegionProblem>>>;
}

/// A problem.
pub trait RegionProblem: Send {
    /// Its name in the file.
    fn name(&self) -> &str;

    /// The question, in words.
    fn question(&self) -> String;

    /// The goal, in a word.
    fn goal(&self) -> &'static str;

    /// A point of the chain.
    fn target(&self) -> String;

    /// The answer that the file gives.
    fn known(&self) -> Option<&str>;

    /// Solves it.
    ///
    /// # Errors
    /// When an option is unknown, or the checker refuses the proof.
    fn solve(&self, search: &RegionSearch, is_stopped: &dyn Fn() -> bool) -> anyhow::Result<SolvedRegion>;
}

/// Limits and options of the search for a solution.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RegionSearch {
    /// Memory in MiB.
    pub hash_mib: usize,
    /// Nodes at most.
    pub nodes: Option<u64>,
    /// Time at most.
    pub time: Option<Duration>,
    /// Replay the whole proof by the rules alone.
    pub verify: bool,
    /// Parts of the solver that are switched, as NAME=VALUE.
    pub options: Vec<String>,
}

/// The result of a search for a solution.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedRegion {
    /// `yes`, `no`, `ko`, `limit`.
    pub answer: &'static str,
    /// A line that shows it.
    pub line: Vec<String>,
    /// Positions whose moves were generated.
    pub nodes: u64,
    /// Time of the search.
    pub time: Duration,
    /// Positions that the checker replayed; `None`: not asked, or nothing to check.
    pub verified: Option<usize>,
}

impl SolvedRegion {
    /// The problem and what came of it as JSON.
    pub fn json(&self, problem: &dyn RegionProblem) -> serde_json::Value {
        json!({
            "name": problem.name(), "goal": problem.goal(), "target": problem.target(),
            "answer": self.answer, "known": problem.known(), "line": self.line,
            "nodes": self.nodes, "seconds": self.time.as_secs_f64(),
            "verified": self.verified.is_some(), "positions_verified": self.verified,
        })
    }
}
