//! A worker's outbox: a result is on its disk before it is sent, and stays there until its unit is marked as committed.

use crate::{FleetError, IndexSet};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tesuji_jobs::{AtomicFile, units::UnitResult};

/// The ending of files in an outbox.
const ENDING: &str = "result";

/// The first line of a file in the outbox; what the unit made follows.
#[derive(Serialize, Deserialize)]
struct Head {
    run: String,
    index: u64,
    worker: String,
    #[serde(default)]
    worker_id: String,
    /// Whether what follows says why the unit could not be done.
    is_fault: bool,
}

/// A result that is not committed.
struct Held {
    /// The result, where no disk holds it.
    in_memory: Option<UnitResult>,
    /// When it was sent last.
    sent: Option<Instant>,
}

/// Results by run and unit.
pub(crate) struct Outbox {
    folder: Option<PathBuf>,
    held: Mutex<BTreeMap<(String, u64), Held>>,
}

impl Outbox {
    /// Opens the outbox in `folder`, with what an earlier process left; without a folder results are held in memory alone.
    pub(crate) fn open(folder: Option<&Path>) -> Result<Outbox, FleetError> {
        let Some(folder) = folder else { return Ok(Outbox { folder: None, held: Mutex::default() }) };
        fs::create_dir_all(folder).map_err(|error| FleetError::file(folder, error))?;
        let mut held = BTreeMap::new();
        for entry in fs::read_dir(folder).map_err(|error| FleetError::file(folder, error))? {
            let path = entry.map_err(|error| FleetError::file(folder, error))?.path();
            if path.extension().is_none_or(|ending| ending != ENDING) {
                continue;
            }
            match read(&path) {
                Ok((run, result)) => drop(held.insert((run, result.index), Held { in_memory: None, sent: None })),
                Err(error) => {
                    tracing::warn!(target: "fleet", "{}: not a result ({error}); its unit will be done again", path.display());
                }
            }
        }
        Ok(Outbox { folder: Some(folder.to_path_buf()), held: Mutex::new(held) })
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<(String, u64), Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, run: &str, index: u64) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{run}.{index}.{ENDING}")))
    }

    /// Holds a result. After this it survives a crash of the machine; where the disk refuses it, it is held in memory, and the error says so.
    pub(crate) fn put(&self, run: &str, result: &UnitResult) -> Result<(), FleetError> {
        let written = self.path(run, result.index).map(|path| {
            let written = to_bytes(run, result).and_then(|bytes| AtomicFile::write(&path, &bytes));
            // It names the file.
            written.map_err(|error| FleetError::Queue(error.to_string()))
        });
        let in_memory = (!matches!(written, Some(Ok(())))).then(|| result.clone());
        self.held().insert((run.to_string(), result.index), Held { in_memory, sent: None });
        written.unwrap_or(Ok(()))
    }

    /// The result of a unit, for sending; `None` when it was dropped meanwhile.
    pub(crate) fn get(&self, run: &str, index: u64) -> Option<UnitResult> {
        let kept = self.held().get(&(run.to_string(), index))?.in_memory.clone();
        kept.or_else(|| read(&self.path(run, index)?).ok().map(|(_, result)| result))
    }

    /// Notes that a result was sent now.
    pub(crate) fn note_sent(&self, run: &str, index: u64) {
        if let Some(held) = self.held().get_mut(&(run.to_string(), index)) {
            held.sent = Some(Instant::now());
        }
    }

    /// Drops a result.
    pub(crate) fn drop_one(&self, run: &str, index: u64) {
        if self.held().remove(&(run.to_string(), index)).is_some()
            && let Some(path) = self.path(run, index)
        {
            // One that stays is sent again and dropped later.
            let _ = fs::remove_file(path);
        }
    }

    /// What has not been sent for `again`, or never since this process began.
    pub(crate) fn due(&self, again: Duration) -> Vec<(String, u64)> {
        let is_due = |held: &Held| held.sent.is_none_or(|sent| sent.elapsed() >= again);
        self.held().iter().filter(|(_, held)| is_due(held)).map(|(key, _)| key.clone()).collect()
    }

    /// The runs of which results are held.
    pub(crate) fn runs(&self) -> Vec<String> {
        let mut runs: Vec<String> = self.held().keys().map(|(run, _)| run.clone()).collect();
        runs.dedup();
        runs
    }

    /// Drops results of a run: those whose units are `committed`, or all.
    pub(crate) fn drop_run(&self, run: &str, committed: Option<&IndexSet>) {
        let is_done = |index: u64| committed.is_none_or(|set| set.contains(index));
        let mut held = self.held();
        let gone: Vec<u64> = held.keys().filter(|(of, index)| of == run && is_done(*index)).map(|(_, i)| *i).collect();
        for index in gone {
            held.remove(&(run.to_string(), index));
            if let Some(path) = self.path(run, index) {
                // One that stays is sent again and dropped later.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Results that are held.
    pub(crate) fn count(&self) -> usize {
        self.held().len()
    }
}

/// The bytes of a result with its head.
pub(crate) fn to_bytes(run: &str, result: &UnitResult) -> io::Result<Vec<u8>> {
    let (is_fault, body) = match &result.outcome {
        Ok(bytes) => (false, bytes.as_slice()),
        Err(words) => (true, words.as_bytes()),
    };
    let UnitResult { index, worker, worker_id, .. } = result.clone();
    let head = Head { run: run.to_string(), index, worker, worker_id, is_fault };
    let mut bytes = serde_json::to_vec(&head)?;
    bytes.push(b'\n');
    bytes.extend_from_slice(body);
    Ok(bytes)
}

/// Reads what [`to_bytes`] wrote: the run and the result.
pub(crate) fn from_bytes(bytes: &[u8]) -> io::Result<(String, UnitResult)> {
    let wrong = |words: &str| io::Error::new(io::ErrorKind::InvalidData, words);
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(|| wrong("it has no first line"))?;
    let head: Head = serde_json::from_slice(&bytes[..end])?;
    let body = &bytes[end + 1..];
    let words = || String::from_utf8(body.to_vec()).map_err(|_| wrong("its words are not UTF-8"));
    let outcome = if head.is_fault { Err(words()?) } else { Ok(body.to_vec()) };
    let Head { run, index, worker, worker_id, .. } = head;
    Ok((run, UnitResult { index, worker, worker_id, outcome }))
}

fn read(path: &Path) -> io::Result<(String, UnitResult)> {
    from_bytes(&fs::read(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(index: u64, outcome: Result<&[u8], &str>) -> UnitResult {
        let outcome = outcome.map(<[u8]>::to_vec).map_err(str::to_string);
        UnitResult { index, worker: "w".into(), worker_id: "1f".into(), outcome }
    }

    #[test]
    fn a_result_outlives_its_process_until_it_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = Outbox::open(Some(folder.path())).unwrap();
        let (good, bad) = (result(7, Ok(b"\n1-0\n\xff")), result(8, Err("does not build")));
        outbox.put("r", &good).unwrap();
        outbox.put("r", &bad).unwrap();
        outbox.put("s", &good).unwrap();
        drop(outbox);
        fs::write(folder.path().join("torn.1.result"), "{").unwrap();
        let outbox = Outbox::open(Some(folder.path())).unwrap();
        assert_eq!((outbox.count(), outbox.runs()), (3, vec!["r".to_string(), "s".to_string()]));
        assert_eq!((outbox.get("r", 7), outbox.get("r", 8)), (Some(good), Some(bad)));
        assert_eq!(outbox.due(Duration::from_secs(60)).len(), 3);
        outbox.note_sent("r", 7);
        assert_eq!(outbox.due(Duration::from_secs(60)).len(), 2);
        assert_eq!(outbox.due(Duration::ZERO).len(), 3);
        outbox.drop_run("r", Some(&"0-7".parse().unwrap()));
        assert_eq!((outbox.get("r", 7), outbox.count()), (None, 2));
        outbox.drop_run("s", None);
        drop(outbox);
        assert_eq!(Outbox::open(Some(folder.path())).unwrap().due(Duration::ZERO), [("r".to_string(), 8)]);
    }

    #[test]
    fn a_full_disk_leaves_the_result_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = Outbox::open(Some(folder.path())).unwrap();
        // A folder of that name: the file cannot take its place.
        fs::create_dir_all(folder.path().join("r.1.result/full")).unwrap();
        let good = result(1, Ok(b"1-0"));
        let error = outbox.put("r", &good).unwrap_err().to_string();
        assert!(error.contains("r.1.result"), "{error}");
        assert_eq!(outbox.get("r", 1), Some(good));
    }
}
