//! The request to solve problems, validated in one place.

use crate::{
    Pasted, RequestError,
    mates::{MateQuestion, MateSettings},
    regions::RegionSearch,
};
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};
use tesuji_search::mate::Settings;
use utoipa::ToSchema;

/// Problems that are to be solved.
///
/// # Examples
/// ```
/// use tesuji_kit::solving::SolveRequest;
/// let request: SolveRequest = serde_json::from_str(r#"{ "game": "four", "problems": "problems.txt", "nodes": 1000 }"#)?;
/// assert!(request.validate().is_ok());
/// let wrong = SolveRequest { jobs: 0, ..request };
/// assert_eq!(wrong.validate().unwrap_err().to_string(), "jobs 0: expected 1 to 512");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SolveRequest {
    /// The version of this form: [`SolveRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// The position that is asked about, with its moves.
    pub position: Pasted,
    /// A file of problems, or a folder, instead of a position.
    #[serde(alias = "set")]
    #[schema(value_type = Option<String>)]
    pub problems: Option<PathBuf>,
    /// The goal in a region: capture, ladder or live, and a point of the chain.
    pub goal: Option<String>,
    /// The region in which both sides may play, as two corners; the whole board if not given.
    pub region: Option<String>,
    /// Whether the side to move is to be mated, and not to mate.
    pub defend: bool,
    /// Seconds for each problem.
    pub seconds: Option<f64>,
    /// Nodes for each problem: positions whose moves are looked at.
    pub nodes: Option<u64>,
    /// Plies of the mate at most.
    pub plies: Option<u16>,
    /// Whether the shortest mate is looked for, after one was found.
    pub shortest: bool,
    /// Whether the whole proof or disproof is replayed by the rules alone.
    pub verify: bool,
    /// The file for the proof, in the format of its name.
    #[schema(value_type = Option<String>)]
    pub proof: Option<PathBuf>,
    /// Memory for each problem at a time, in MiB.
    pub hash_mib: usize,
    /// Options of the solver, as `NAME=VALUE`.
    pub options: Vec<String>,
    /// Problems at a time, of a file of mates.
    pub jobs: u16,
    /// Threads on each problem.
    pub threads: u16,
}

impl Default for SolveRequest {
    fn default() -> SolveRequest {
        SolveRequest {
            version: Self::VERSION,
            game: String::new(),
            position: Pasted::default(),
            problems: None,
            goal: None,
            region: None,
            defend: false,
            seconds: None,
            nodes: None,
            plies: None,
            shortest: false,
            verify: false,
            proof: None,
            hash_mib: Settings::default().hash_mib,
            options: Vec::new(),
            jobs: 1,
            threads: 1,
        }
    }
}

impl SolveRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; positions and files are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        if self.problems.is_none() && self.position == Pasted::default() {
            RequestError::check_game(&self.game)?;
        }
        for (field, count) in [("jobs", self.jobs), ("threads", self.threads)] {
            if !(1..=512).contains(&count) {
                return Err(RequestError::value(field, count, "expected 1 to 512"));
            }
        }
        if let Some(seconds) = self.seconds.filter(|seconds| !(0.0..=1e9).contains(seconds)) {
            return Err(RequestError::value("seconds", seconds, "expected 0 to 1000000000"));
        }
        let of_one = [
            ("position", self.position != Pasted::default()),
            ("goal", self.goal.is_some()),
            ("region", self.region.is_some()),
            ("proof", self.proof.is_some()),
        ];
        match of_one.into_iter().find(|(_, is_given)| *is_given && self.problems.is_some()) {
            Some((field, _)) => Err(RequestError::field(field, "does not go with problems")),
            None => Ok(()),
        }
    }

    /// Time for each problem.
    pub fn time(&self) -> Option<Duration> {
        self.seconds.map(Duration::from_secs_f64)
    }

    /// The settings of each mate solver.
    pub(super) fn settings(&self) -> MateSettings {
        MateSettings { hash_mib: self.hash_mib, threads: self.threads.into(), options: self.options.clone() }
    }

    /// The question about each position.
    pub(super) fn question(&self) -> MateQuestion {
        MateQuestion {
            defend: self.defend,
            plies: self.plies,
            nodes: self.nodes,
            time: self.time(),
            shortest: self.shortest,
            verify: self.verify,
            proof: self.proof.is_some(),
        }
    }

    /// The limits and options of region searches.
    pub(super) fn region_search(&self) -> RegionSearch {
        let (nodes, verify, options) = (self.nodes, self.verify, self.options.clone());
        RegionSearch { hash_mib: self.hash_mib, nodes, time: self.time(), verify, options }
    }
}
