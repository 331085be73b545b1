//! Which worker of a fleet did which unit: lines of JSON beside what a run writes, for runs whose own files have no place for it.

use crate::{Existing, open_output};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// A worker whose results a run wants no more: what it made is set aside, and others do it again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExcludedWorker {
    /// Its name, or its identifier where that alone is meant.
    pub worker: String,
    /// The reason, for people.
    pub reason: String,
}

impl ExcludedWorker {
    /// Whether a result of the worker with this name and identifier is meant.
    pub fn covers(&self, name: &str, id: &str) -> bool {
        self.worker == name || self.worker == id
    }
}

/// The ending of the file.
const ENDING: &str = "workers.jsonl";

/// A line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitOrigin {
    /// The kind of the run: a folder may hold several.
    pub kind: String,
    /// The number of the unit.
    pub unit: u64,
    /// The name of the worker.
    pub worker: String,
    /// What tells it from others of that name.
    pub id: String,
}

/// A line that says which workers' results are wanted no more from here on, in place of what was said before.
#[derive(Debug, Serialize, Deserialize)]
struct ExcludedLine {
    kind: String,
    /// The number of the run that wants them no more; others that write to the same place know nothing of it. Lines of earlier versions
    /// have none and hold for every run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    excluded: Vec<ExcludedWorker>,
}

/// The file.
#[derive(Debug, Clone)]
pub struct OriginLog {
    path: PathBuf,
}

impl OriginLog {
    /// The file beside `place`, or in it where it is a folder. Nothing is written yet.
    ///
    /// # Examples
    /// ```
    /// use tesuji_jobs::OriginLog;
    /// let folder = tempfile::tempdir()?;
    /// let log = OriginLog::beside(&folder.path().join("games.pgn"));
    /// log.note("selfplay", 7, ("worker", "1f"))?;
    /// assert_eq!(log.path(), folder.path().join("games.pgn.workers.jsonl"));
    /// assert_eq!(log.units("selfplay")[0].unit, 7);
    /// assert!(log.units("duel").is_empty());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn beside(place: &Path) -> OriginLog {
        let path = if place.is_dir() {
            place.join(ENDING)
        } else {
            let mut name = place.as_os_str().to_os_string();
            name.push(format!(".{ENDING}"));
            name.into()
        };
        OriginLog { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes who did a unit.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn note(&self, kind: &str, unit: u64, (worker, id): (&str, &str)) -> io::Result<()> {
        self.append(&UnitOrigin { kind: kind.into(), unit, worker: worker.into(), id: id.into() })
    }

    /// Whether its last line has no end.
    fn is_torn(&self) -> bool {
        let mut last = [b'\n'];
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)
        });
        read.is_ok() && last != *b"\n"
    }

    fn append(&self, line: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(line)?;
        line.push(b'\n');
        // What a kill tore stays a line of its own.
        if self.is_torn() {
            line.insert(0, b'\n');
        }
        let mut file = open_output(&self.path, Existing::Append)?;
        file.write_all(&line)?;
        file.flush()
    }

    /// Notes that results of these workers are wanted no more, and of no others, in the run of this kind with this number.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn note_excluded(&self, kind: &str, run: &str, excluded: &[ExcludedWorker]) -> io::Result<()> {
        self.append(&ExcludedLine { kind: kind.into(), run: Some(run.into()), excluded: excluded.to_vec() })
    }

    /// The workers whose results are wanted no more in the run of this kind with this number, as it was noted last.
    pub fn excluded(&self, kind: &str, run: &str) -> Vec<ExcludedWorker> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<ExcludedLine>(line).ok());
        let is_meant = |line: &ExcludedLine| line.kind == kind && line.run.as_deref().is_none_or(|of| of == run);
        lines.rev().find(is_meant).map(|line| line.excluded).unwrap_or_default()
    }

    /// The units of runs of this kind, each with its last worker, by number. What a kill tore counts as not noted.
    pub fn units(&self, kind: &str) -> Vec<UnitOrigin> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<UnitOrigin>(line).ok());
        let last: std::collections::BTreeMap<u64, UnitOrigin> =
            lines.filter(|origin| origin.kind == kind).map(|origin| (origin.unit, origin)).collect();
        last.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_not_noted_and_the_last_worker_counts() {
        let folder = tempfile::tempdir().unwrap();
        let log = OriginLog::beside(folder.path());
        log.note("duel", 1, ("a", "1")).unwrap();
        log.note("duel", 0, ("a", "1")).unwrap();
        log.note("duel", 1, ("b", "2")).unwrap();
        let mut torn = fs::read(log.path()).unwrap();
        torn.extend_from_slice(b"{\"kind\":\"du");
        fs::write(log.path(), torn).unwrap();
        let told: Vec<_> = log.units("duel").into_iter().map(|origin| (origin.unit, origin.worker)).collect();
        assert_eq!(told, [(0, "a".to_string()), (1, "b".to_string())]);
        assert!(log.excluded("duel", "1").is_empty());
        // What is noted behind it is no part of it.
        log.note("duel", 2, ("b", "2")).unwrap();
        assert_eq!(log.units("duel").len(), 3);
    }

    #[test]
    fn the_last_list_of_excluded_workers_counts() {
        let folder = tempfile::tempdir().unwrap();
        let log = OriginLog::beside(folder.path());
        let excluded = |name: &str| ExcludedWorker { worker: name.into(), reason: "it lies".into() };
        log.note("duel", 0, ("a", "1")).unwrap();
        log.note_excluded("duel", "1", &[excluded("a"), excluded("b")]).unwrap();
        log.note_excluded("duel", "1", &[excluded("b")]).unwrap();
        log.note_excluded("selfplay", "1", &[]).unwrap();
        assert_eq!(log.excluded("duel", "1"), [excluded("b")]);
        assert!(log.excluded("selfplay", "1").is_empty());
        // Who did which unit is told as before.
        assert_eq!(log.units("duel").len(), 1);
    }

    /// A worker that was excluded from one run got no units of the next one in the same folder.
    #[test]
    fn another_run_at_the_same_place_excludes_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let log = OriginLog::beside(folder.path());
        let excluded = |name: &str| ExcludedWorker { worker: name.into(), reason: "it lies".into() };
        log.note_excluded("duel", "1", &[excluded("a")]).unwrap();
        assert!(log.excluded("duel", "2").is_empty());
        log.note_excluded("duel", "2", &[excluded("b")]).unwrap();
        assert_eq!((log.excluded("duel", "1"), log.excluded("duel", "2")), (vec![excluded("a")], vec![excluded("b")]));
        // A line of an earlier version says no run.
        let mut text = fs::read_to_string(log.path()).unwrap();
        text.push_str("{\"kind\":\"duel\",\"excluded\":[{\"worker\":\"c\",\"reason\":\"it lies\"}]}\n");
        fs::write(log.path(), text).unwrap();
        assert_eq!(log.excluded("duel", "2"), [excluded("c")]);
    }
}
