//! What a worker built of the versions that runs asked for: told with its state, so that people see which version works where.

use serde::{Deserialize, Serialize};
use std::{
    io,
    sync::{Mutex, PoisonError},
};
use utoipa::ToSchema;

/// Versions that a worker tells of: the latest.
const TOLD_MAX: usize = 20;
/// Letters of a commit that are shown.
const COMMIT_LENGTH: usize = 10;
/// Letters of a reason that are told.
const REASON_LENGTH: usize = 400;

/// What came of a version at a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FleetBuildOutcome)]
pub enum BuildOutcome {
    /// It is being built.
    Building,
    /// It was built here, and is what its recipe says.
    Built,
    /// The file of the run's own machine serves this one.
    File,
    /// It was built, and its bench is another one: it is not played with.
    Refused,
    /// It does not build.
    Failed,
}

/// A version at a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerBuild {
    /// The beginning of its commit.
    pub commit: String,
    /// What tells it from other versions of this commit: the beginning of a checksum of the order.
    pub order: String,
    /// What came of it.
    pub outcome: BuildOutcome,
    /// The nodes of its bench, where its recipe names them and they were found.
    pub bench: Option<u64>,
    /// Why it is not played with.
    pub reason: Option<String>,
}

/// The versions of a worker.
#[derive(Default)]
pub(crate) struct BuildLog(Mutex<Vec<WorkerBuild>>);

impl BuildLog {
    /// Notes what came of an order; what was noted of it before is replaced.
    pub(crate) fn note(&self, order: &str, outcome: Result<BuildOutcome, &io::Error>) {
        // Who builds knows the form of an order; two of its words are for people.
        let words: serde_json::Value = serde_json::from_str(order).unwrap_or_default();
        let commit = words["commit"].as_str().unwrap_or("?").chars().take(COMMIT_LENGTH).collect();
        let mut sum = tesuji_jobs::sha256_of(order.as_bytes());
        sum.truncate(8);
        let (outcome, reason) = match outcome {
            Ok(outcome) => (outcome, None),
            Err(error) => {
                let is_other = error.kind() == io::ErrorKind::InvalidData;
                let outcome = if is_other { BuildOutcome::Refused } else { BuildOutcome::Failed };
                (outcome, Some(error.to_string().chars().take(REASON_LENGTH).collect()))
            }
        };
        let bench = words["recipe"]["bench"].as_u64().filter(|_| outcome == BuildOutcome::Built);
        let build = WorkerBuild { commit, order: sum, outcome, bench, reason };
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.retain(|other| other.order != build.order);
        if log.len() == TOLD_MAX {
            log.remove(0);
        }
        log.push(build);
    }

    /// What is told of them, the latest last.
    pub(crate) fn told(&self) -> Vec<WorkerBuild> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_of_a_version_is_told() {
        let log = BuildLog::default();
        let order = r#"{"commit":"0123456789abcdef","recipe":{"bench":4711}}"#;
        let told =
            || log.told().into_iter().map(|build| (build.commit, build.outcome, build.bench)).collect::<Vec<_>>();
        log.note(order, Ok(BuildOutcome::Building));
        assert_eq!(told(), [("0123456789".to_string(), BuildOutcome::Building, None)]);
        log.note(order, Ok(BuildOutcome::Built));
        log.note("no order", Err(&io::Error::other("no compiler")));
        assert_eq!(told()[0], ("0123456789".to_string(), BuildOutcome::Built, Some(4711)));
        assert_eq!(told()[1], ("?".to_string(), BuildOutcome::Failed, None));
        log.note(order, Err(&io::Error::new(io::ErrorKind::InvalidData, "its bench is 7")));
        assert_eq!(told()[1], ("0123456789".to_string(), BuildOutcome::Refused, None));
        assert_eq!(log.told()[1].reason.as_deref(), Some("its bench is 7"));
        (0..50).for_each(|number| log.note(&format!("{{\"commit\":\"{number}\"}}"), Ok(BuildOutcome::File)));
        assert_eq!((log.told().len(), log.told()[0].commit.as_str()), (TOLD_MAX, "30"));
    }
}
