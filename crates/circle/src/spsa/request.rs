//! A tuning of numbers by games, as it is asked for.

use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};
use tesuji_arena::{Allowance, EngineRequest, TimeControl, in_json};
use tesuji_kit::RequestError;
use tesuji_tune::SPSA_RATE;

/// A tuning that is wanted. All fields but `game`, `tuned` and `journal` may be missing.
///
/// # Examples
/// ```
/// use tesuji_circle::spsa::SpsaRequest;
///
/// let request: SpsaRequest =
///     serde_json::from_str(r#"{ "game": "four", "tuned": ["Aspiration=20:5..90/5"], "journal": "s.journal", "pairs": 0 }"#)?;
/// assert_eq!(request.validate().unwrap_err().to_string(), "pairs 0: expected at least 1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpsaRequest {
    /// The version of this form: [`SpsaRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// The engine whose options are tuned, a process of its own; if not given, players of this process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineRequest>,
    /// The search family; empty: the game's best.
    pub search: String,
    /// The rules that are played; the usual ones of tunings if not given.
    pub rules: Option<String>,
    /// Options of both sides, as name and value.
    pub options: Vec<(String, String)>,
    /// The options to tune: `NAME`, `NAME=START:LEAST..GREATEST/STEP`, where the step is what makes a few Elo, or a line of OpenBench.
    pub tuned: Vec<String>,
    /// Short matches.
    pub iterations: u32,
    /// Pairs of games in each match.
    pub pairs: u64,
    /// Nodes a move; the usual number of tunings if no limit is given.
    pub nodes: Option<u64>,
    /// The time for a game.
    #[serde(with = "in_json::text", skip_serializing_if = "Option::is_none")]
    pub control: Option<TimeControl>,
    /// The time for a move, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_seconds: Option<f64>,
    /// A file of openings, each of which is played once before any comes again; random moves if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<PathBuf>,
    /// The learning rate at the end, in squared steps.
    pub rate: f64,
    /// Weights that both sides play with; those built in if not given.
    pub weights: Option<PathBuf>,
    /// The file of results, a line each; the same request goes on from there.
    pub journal: PathBuf,
    /// Pairs of games between the numbers found and those at the start, after the last match.
    #[serde(skip_serializing_if = "is_none")]
    pub proof_pairs: u64,
    /// Decides openings and directions.
    pub seed: u64,
    /// Threads; 0: one for each core. The result does not depend on them, unless time is limited.
    pub jobs: usize,
}

/// The longest time of a move, in seconds: a day.
const MOVE_SECONDS_MAX: f64 = 86_400.0;

/// Whether there are none of something.
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Default for SpsaRequest {
    fn default() -> SpsaRequest {
        SpsaRequest {
            version: Self::VERSION,
            game: String::new(),
            engine: None,
            search: String::new(),
            rules: None,
            options: Vec::new(),
            tuned: Vec::new(),
            iterations: 1000,
            pairs: 4,
            nodes: None,
            control: None,
            move_seconds: None,
            openings: None,
            rate: SPSA_RATE,
            weights: None,
            journal: PathBuf::new(),
            proof_pairs: 0,
            seed: 0,
            jobs: 0,
        }
    }
}

impl SpsaRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; rules and options are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        RequestError::check_jobs("jobs", self.jobs)?;
        let missing = [("tuned", self.tuned.is_empty()), ("journal", self.journal.as_os_str().is_empty())];
        if let Some((field, _)) = missing.into_iter().find(|(_, is_missing)| *is_missing) {
            return Err(RequestError::field(field, "is missing"));
        }
        if self.pairs == 0 {
            return Err(RequestError::value("pairs", 0, "expected at least 1"));
        }
        if !(self.rate >= 0.0 && self.rate.is_finite()) {
            return Err(RequestError::value("rate", self.rate, "expected at least 0"));
        }
        if let Some(time) = self.move_seconds
            && !(time > 0.0 && time <= MOVE_SECONDS_MAX)
        {
            let words = format_args!("expected a number of seconds above 0, at most {MOVE_SECONDS_MAX}");
            return Err(RequestError::value("move_seconds", time, words));
        }
        let own = [("search", !self.search.is_empty()), ("weights", self.weights.is_some())];
        match own.into_iter().find(|(_, is_given)| *is_given) {
            Some((field, _)) if self.engine.is_some() => {
                Err(RequestError::field(field, "is for players of this program, not for an engine of its own"))
            }
            _ => Ok(()),
        }
    }

    /// The files that it reads and keeps: none of them may be written by others.
    pub fn files(&self) -> Vec<PathBuf> {
        let program = self.engine.as_ref().and_then(|engine| engine.command.clone()).map(PathBuf::from);
        let read = [self.openings.clone(), self.weights.clone(), program].into_iter().flatten();
        read.chain([self.journal.clone(), self.proof_journal()]).collect()
    }

    /// The file that keeps the games of the proof.
    pub fn proof_journal(&self) -> PathBuf {
        let mut name = self.journal.clone().into_os_string();
        name.push(".proof");
        name.into()
    }

    /// The limits of both sides, with this number of nodes a move where none are given.
    pub(super) fn allowance(&self, usual_nodes: u64) -> Allowance {
        let is_timed = self.control.is_some() || self.move_seconds.is_some();
        Allowance {
            control: self.control.clone(),
            move_time: self.move_seconds.map(Duration::from_secs_f64),
            nodes: self.nodes.or((!is_timed).then_some(usual_nodes)),
            ..Allowance::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let request = SpsaRequest {
            game: "four".into(),
            tuned: vec!["Hash".into()],
            journal: "j".into(),
            options: vec![("Preset".into(), "x".into())],
            engine: Some("cmd=./engine option.Hash=16".parse().unwrap()),
            control: Some("1+0.01".parse().unwrap()),
            ..SpsaRequest::default()
        };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<SpsaRequest>(&text).unwrap(), request);
        assert!(request.validate().is_ok());
        let check = |change: fn(&mut SpsaRequest), says: &str| {
            let mut request = request.clone();
            change(&mut request);
            assert_eq!(request.validate().unwrap_err().to_string(), says);
        };
        check(|request| request.tuned.clear(), "tuned is missing");
        check(|request| request.journal = PathBuf::new(), "journal is missing");
        check(|request| request.rate = f64::NAN, "rate NaN: expected at least 0");
        // 1e300 seconds were a panic.
        for (seconds, told) in [(0.0, "0"), (1e6, "1000000"), (f64::NAN, "NaN")] {
            let wrong = SpsaRequest { move_seconds: Some(seconds), ..request.clone() };
            let expect = format!("move_seconds {told}: expected a number of seconds above 0, at most 86400");
            assert_eq!(wrong.validate().unwrap_err().to_string(), expect);
        }
        check(
            |request| request.search = "mcts".into(),
            "search is for players of this program, not for an engine of its own",
        );
    }

    #[test]
    fn nodes_are_limited_where_nothing_else_is() {
        let nodes = |request: &SpsaRequest| request.allowance(2000).nodes;
        let by_time = SpsaRequest { move_seconds: Some(0.5), ..SpsaRequest::default() };
        assert_eq!((nodes(&SpsaRequest::default()), nodes(&by_time)), (Some(2000), None));
        assert_eq!(nodes(&SpsaRequest { nodes: Some(7), ..by_time }), Some(7));
    }
}
