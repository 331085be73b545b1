//! Strengths of moves that playouts draw by, learned from games.

use crate::SkipErrors;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tesuji_jobs::Show;

/// A game that is searched by playouts whose moves have learned strengths.
pub trait Playouts: Sync {
    /// Learns strengths from games and writes them; `tell` gets the lines of the report as they are known.
    ///
    /// # Errors
    /// When games cannot be read, or files cannot be written.
    fn learn(&self, request: &StrengthRequest, tell: &mut dyn FnMut(&str)) -> anyhow::Result<StrengthOutcome>;
}

/// What strengths are learned from, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrengthRequest {
    /// Files, folders and archives of games.
    pub games: Vec<PathBuf>,
    /// Where the strengths go; strengths that are there are kept as FILE.old.
    pub out: PathBuf,
    /// A CSV file with a line for each round.
    pub steps: Option<PathBuf>,
    /// Games in which a player is known to be weaker are left out: 6d, 1p.
    pub rank_min: Option<String>,
    /// Positions that moves are learned from, about so many; `None`: a million.
    pub positions: Option<usize>,
    /// Patterns that were met less often are left out.
    pub pattern_min: usize,
    /// The largest patterns.
    pub pattern_max: u8,
    /// Even contests that every strength is thought to have been in.
    pub pattern_prior: f64,
    /// Rounds of the fit at most.
    pub epochs: u32,
    /// Share of the games that is held out.
    pub held_out: f64,
    /// Decides which positions are looked at and which games are held out.
    pub seed: u64,
    /// Broken games are left out.
    pub skip: SkipErrors,
    /// Threads, 0 for one on each core.
    pub jobs: usize,
    /// The program that learns, with its version, for the origin of the strengths.
    pub made_by: String,
    /// How progress is shown.
    #[serde(skip, default = "quiet")]
    pub show: Show,
}

/// No progress.
fn quiet() -> Show {
    Show::Quiet
}

/// What came of learning.
#[derive(Debug, Clone, PartialEq)]
pub struct StrengthOutcome {
    /// The report for programs.
    pub json: serde_json::Value,
    /// It was stopped before its end; what was learned is written.
    pub stopped: bool,
}
