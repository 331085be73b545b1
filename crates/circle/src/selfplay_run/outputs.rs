//! The list of files that a run of self-play wrote from its games, kept beside them: a resumed run replaces those and no others.

use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, ErrorKind},
    path::{Path, PathBuf, absolute},
};
use tesuji_jobs::{AtomicFile, Identity, is_special};

/// The outputs of a run that are whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Outputs {
    /// The origin of the games: outputs of games with another origin are not ours.
    origin: String,
    /// The files as they were written. Names are relative to the folder of the games where they are in it.
    files: BTreeMap<PathBuf, Identity>,
    /// The files that are being written: none of them was there, or they were ours. What a process that was killed left under
    /// these names is ours, too.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    begun: BTreeSet<PathBuf>,
}

/// The relation of an existing file to the run that would write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    /// Another maker's, or of other games.
    No,
    /// This run wrote it.
    Yes,
    /// This run wrote it, and it was changed since; the words say how.
    Changed(String),
}

impl Outputs {
    /// The outputs written from the games in the file `own`, which are made by `origin`; none where nothing is known of them.
    pub(super) fn read(own: &Path, origin: &str) -> Outputs {
        let beside = beside(own);
        // A pipe of this name would be waited for.
        let text =
            if is_special(&beside) { String::new() } else { std::fs::read_to_string(beside).unwrap_or_default() };
        let read: Option<Outputs> = serde_json::from_str(&text).ok();
        read.filter(|outputs| outputs.origin == origin)
            .unwrap_or_else(|| Outputs { origin: origin.to_string(), ..Outputs::default() })
    }

    /// The relation of the file `path` to this run.
    pub(super) fn knows(&self, own: &Path, path: &Path) -> Known {
        let Ok(key) = key(own, path) else { return Known::No };
        if self.begun.contains(&key) && path.is_file() {
            return Known::Yes;
        }
        let was = self.files.get(&key);
        let (Some(was), Ok(Some(is))) = (was, Identity::of(path)) else { return Known::No };
        is.differs_from(was).map_or(Known::Yes, Known::Changed)
    }

    /// Notes, before it is written, that `path` will be written from the games in the file `own`. Devices and pipes are not noted.
    ///
    /// # Errors
    /// Those of the file system, with the path in the message.
    pub(super) fn begin(&mut self, own: &Path, path: &Path) -> io::Result<()> {
        if is_special(path) {
            return Ok(());
        }
        self.begun.insert(key(own, path)?);
        self.save(own)
    }

    /// Notes that `path` was written from the games in the file `own`. Devices and pipes are not noted.
    ///
    /// # Errors
    /// Those of the file system, with the path in the message.
    pub(super) fn add(&mut self, own: &Path, path: &Path) -> io::Result<()> {
        let Some(identity) = Identity::of(path)? else { return Ok(()) };
        let key = key(own, path)?;
        self.begun.remove(&key);
        self.files.insert(key, identity);
        self.save(own)
    }

    fn save(&self, own: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|e| io::Error::new(ErrorKind::InvalidData, e))?;
        AtomicFile::write(&beside(own), text.as_bytes())
    }
}

/// The file beside `own` that notes the outputs of its games.
pub(super) fn beside(own: &Path) -> PathBuf {
    let mut name = own.as_os_str().to_owned();
    name.push(".outputs");
    name.into()
}

/// The name of `path` seen from the folder of the games, so that both may be moved together.
fn key(own: &Path, path: &Path) -> io::Result<PathBuf> {
    let (own, path) = (absolute(own)?, absolute(path)?);
    let within = own.parent().and_then(|folder| path.strip_prefix(folder).ok());
    Ok(within.map_or_else(|| path.clone(), Path::to_path_buf))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn outputs_are_known_until_they_are_changed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let own = at("g.sgs");
        fs::write(at("g.parquet"), "columns").unwrap();
        fs::write(at("other"), "columns").unwrap();
        Outputs::read(&own, "seed 1").add(&own, &at("g.parquet")).unwrap();
        let outputs = Outputs::read(&own, "seed 1");
        assert_eq!(outputs.knows(&own, &at("g.parquet")), Known::Yes);
        assert_eq!(outputs.knows(&own, &at("other")), Known::No);
        assert_eq!(outputs.knows(&own, &at("none")), Known::No);
        // Those of other games are not ours.
        assert_eq!(Outputs::read(&own, "seed 2").knows(&own, &at("g.parquet")), Known::No);
        fs::write(at("g.parquet"), "columns of somebody").unwrap();
        assert!(matches!(outputs.knows(&own, &at("g.parquet")), Known::Changed(how) if how.contains("7 bytes")));
        // A folder that was moved.
        let moved = tempfile::tempdir().unwrap();
        for name in ["other", "g.sgs.outputs"] {
            fs::rename(at(name), moved.path().join(name)).unwrap();
        }
        assert_eq!(Outputs::read(&moved.path().join("g.sgs"), "seed 1").files.len(), 1);
        // Killed between the renaming of an output and the note of it, a run could not go on: "this file exists".
        let mut outputs = Outputs::read(&own, "seed 1");
        outputs.begin(&own, &at("late.csv")).unwrap();
        fs::write(at("late.csv"), "rows").unwrap();
        assert_eq!(Outputs::read(&own, "seed 1").knows(&own, &at("late.csv")), Known::Yes);
        assert_eq!(Outputs::read(&own, "seed 2").knows(&own, &at("late.csv")), Known::No);
        outputs.add(&own, &at("late.csv")).unwrap();
        fs::write(at("late.csv"), "rows of somebody").unwrap();
        assert!(matches!(Outputs::read(&own, "seed 1").knows(&own, &at("late.csv")), Known::Changed(_)));
        fs::write(beside(&own), "torn {").unwrap();
        assert_eq!(Outputs::read(&own, "seed 1"), Outputs { origin: "seed 1".into(), ..Outputs::default() });
    }
}
