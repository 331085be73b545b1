//! The persistent state of a job: a file in its folder, whole or absent, from which it is found again after a restart.

use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};
use tesuji_jobs::AtomicFile;
use utoipa::ToSchema;

const FILE: &str = "job.json";

/// The kind of work of a job: the subcommand that does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JobKind {
    /// Games between engines.
    Match,
    /// The training loop.
    Improve,
    /// Weights fitted to games.
    Tune,
    /// A mate problem.
    Solve,
    /// A file of games or positions, filtered or counted.
    Data,
}

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    /// Waits for others to end.
    Queued,
    /// Works.
    Running,
    /// Was told to pause and has not done so yet.
    Pausing,
    /// Stands still and can go on.
    Paused,
    /// Brings to its end what is begun, and pauses then.
    Finishing,
    /// Came to its end.
    Done,
    /// Broke.
    Failed,
    /// Was ended by a person.
    Cancelled,
    /// Its server or machine ended under it.
    Interrupted,
}

impl Phase {
    /// Whether a process is at work for it.
    pub(crate) fn is_alive(self) -> bool {
        matches!(self, Phase::Running | Phase::Pausing | Phase::Finishing)
    }
}

/// All that is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memo {
    pub(crate) id: u64,
    /// The kind of work.
    pub(crate) kind: JobKind,
    /// The title that a person gave it.
    pub(crate) title: String,
    /// The game, if it is of one.
    pub(crate) game: Option<String>,
    /// The command line after the program's name, from the workspace.
    pub(crate) words: Vec<String>,
    /// The command line that goes on with it; none: it starts over.
    pub(crate) again: Option<Vec<String>>,
    pub(crate) phase: Phase,
    /// Seconds since 1970.
    pub(crate) created: u64,
    /// When its process was started last.
    pub(crate) began: Option<u64>,
    pub(crate) ended: Option<u64>,
    /// Seconds that earlier processes worked for it.
    pub(crate) before: u64,
    /// Its process's exit code.
    pub(crate) exit: Option<i32>,
    /// The error that broke it.
    pub(crate) error: Option<String>,
    /// The version that started it.
    pub(crate) version: String,
    /// The file it makes, as called from the workspace, where that is one.
    pub(crate) makes: Option<String>,
}

impl Memo {
    /// Reads it from a job's folder.
    ///
    /// # Errors
    /// When it is not there or torn.
    pub(crate) fn read(folder: &Path) -> io::Result<Memo> {
        Ok(serde_json::from_slice(&fs::read(folder.join(FILE))?)?)
    }

    /// Writes it into a job's folder.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let mut file = AtomicFile::create(&folder.join(FILE))?;
        serde_json::to_writer_pretty(&mut file, self)?;
        file.commit()
    }
}

/// Standard output of a job's processes, one after the other.
pub(crate) const OUT_FILE: &str = "out.txt";

/// Standard error of a job's processes.
pub(crate) const LOG_FILE: &str = "log.txt";

/// The file of a job's request.
pub(super) const REQUEST_FILE: &str = "request.json";
/// The file with the request to go on with it.
pub(super) const AGAIN_FILE: &str = "again.json";

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
