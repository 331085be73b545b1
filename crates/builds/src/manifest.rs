//! The manifest of built programs, with revision and recipe of each: `builds.json` beside the programs.

use super::recipe::{BuildTool, Recipe};
use super::revision::{Version, check_name};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tesuji_jobs::{AtomicFile, open_lock_file, sha256};
use tesuji_system::try_lock;

/// Its name in a folder of versions.
const NAME: &str = "builds.json";

/// All versions of a folder, by name.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The versions.
    pub versions: BTreeMap<String, ManifestEntry>,
}

/// The inputs of a build: two builds with equal inputs are the same program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BuildSource {
    /// The repository's folder.
    pub repository: PathBuf,
    /// The commit's whole hash.
    pub commit: String,
    /// The tool.
    pub kind: BuildTool,
    /// The recipe of the build.
    pub recipe: Recipe,
    /// Variables of the environment that compilers listen to.
    pub environment: BTreeMap<String, String>,
    /// The compiler.
    pub compiler: String,
    /// Whether with a profile.
    pub pgo: bool,
    /// The SHA-256 of the weights that were put into the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_sha256: Option<String>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ManifestEntry {
    /// The request as given.
    pub revision: String,
    /// The day of its commit.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
    /// Whether it holds what nobody committed.
    pub uncommitted: bool,
    /// The inputs it was built from.
    #[serde(flatten)]
    pub source: BuildSource,
    /// Arguments with which it plays.
    pub start: String,
    /// Seconds that the build took.
    pub seconds: f64,
    /// Size of the program, in bytes.
    pub bytes: u64,
    /// The program's SHA-256.
    pub sha256: String,
    /// Whether files lie beside it, in `NAME.files`.
    pub has_files: bool,
}

/// A folder of versions, held by this process alone.
#[derive(Debug)]
pub(crate) struct VersionStore {
    /// The folder.
    pub folder: PathBuf,
    _alone: Option<File>,
    /// Its content.
    pub manifest: Manifest,
}

impl VersionStore {
    /// Opens a folder for building into it, and makes it where it is missing.
    ///
    /// # Errors
    /// When another process builds there, or the manifest cannot be read.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<VersionStore> {
        let place = || folder.display().to_string();
        fs::create_dir_all(folder).with_context(place)?;
        let ignore = folder.join(".gitignore");
        if !ignore.exists() {
            AtomicFile::write(&ignore, b"*\n")?;
        }
        let lock = open_lock_file(&folder.join(".lock")).with_context(place)?;
        match try_lock(&lock) {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                bail!("{}: another tesuji builds into this folder now", folder.display())
            }
            Err(fs::TryLockError::Error(error)) => return Err(error).with_context(place),
        }
        Ok(VersionStore { manifest: read(folder)?, folder: folder.to_path_buf(), _alone: Some(lock) })
    }

    /// Looks at a folder, no matter who builds there.
    ///
    /// # Errors
    /// When the manifest cannot be read.
    pub(crate) fn look(folder: &Path) -> anyhow::Result<VersionStore> {
        Ok(VersionStore { manifest: read(folder)?, folder: folder.to_path_buf(), _alone: None })
    }

    /// The path of the program of a version.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// The folder of the files beside the program.
    pub(crate) fn files(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.files"))
    }

    /// The path of the build's output.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.log"))
    }

    /// The name of a version that was made from `source` and still is what it was; `name` itself where it is one.
    pub(crate) fn same(&self, name: &str, source: &BuildSource) -> Option<&str> {
        let own = self.manifest.versions.get_key_value(name);
        let others = self.manifest.versions.iter();
        own.into_iter()
            .chain(others)
            .find(|(name, entry)| entry.source == *source && self.is_whole(name, entry))
            .map(|(name, _)| name.as_str())
    }

    fn is_whole(&self, name: &str, entry: &ManifestEntry) -> bool {
        let files = !entry.has_files || self.files(name).is_dir();
        files && sha256(&self.program(name)).is_ok_and(|sum| sum == entry.sha256)
    }

    /// Takes a program that was built, or one that is here already, as `version`.
    ///
    /// # Errors
    /// Those of the file system; what was there under the name is then still there.
    pub(crate) fn take(
        &mut self,
        version: &Version,
        entry: ManifestEntry,
        program: &Path,
        files: &[PathBuf],
    ) -> anyhow::Result<()> {
        let path = self.program(&version.name);
        let beside = self.files(&version.name);
        if beside.exists() {
            fs::remove_dir_all(&beside)?;
        }
        if !files.is_empty() {
            fs::create_dir(&beside)?;
        }
        for file in files {
            let name = file.file_name().with_context(|| format!("{}: not a file", file.display()))?;
            fs::copy(file, beside.join(name)).with_context(|| file.display().to_string())?;
        }
        // A program that is running cannot be written over, but its name can be given to another.
        let aside = self.folder.join(format!(".{}.{}.tmp", version.name, std::process::id()));
        let copied = fs::copy(program, &aside).map(drop).and_then(|()| fs::rename(&aside, &path));
        if copied.is_err() {
            let _ = fs::remove_file(&aside);
        }
        copied.with_context(|| path.display().to_string())?;
        let (bytes, sum) = (fs::metadata(&path)?.len(), sha256(&path)?);
        let entry = ManifestEntry { bytes, sha256: sum, has_files: !files.is_empty(), ..entry };
        self.manifest.versions.insert(version.name.clone(), entry);
        let text = serde_json::to_string_pretty(&self.manifest)? + "\n";
        AtomicFile::write(&self.folder.join(NAME), text.as_bytes())?;
        Ok(())
    }

    /// The files that lie beside a version.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn files_of(&self, name: &str) -> io::Result<Vec<PathBuf>> {
        if !self.manifest.versions.get(name).is_some_and(|entry| entry.has_files) {
            return Ok(Vec::new());
        }
        fs::read_dir(self.files(name))?.map(|entry| Ok(entry?.path())).collect()
    }
}

/// Reads the manifest of a folder; none is an empty one.
fn read(folder: &Path) -> anyhow::Result<Manifest> {
    let path = folder.join(NAME);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Manifest::default()),
        Err(error) => return Err(error).with_context(|| path.display().to_string()),
    };
    let manifest: Manifest = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    for name in manifest.versions.keys() {
        check_name(name).with_context(|| path.display().to_string())?;
    }
    Ok(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_for_one_at_a_time_and_a_broken_manifest_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let store = VersionStore::open(folder.path()).unwrap();
        let second = VersionStore::open(folder.path()).unwrap_err().to_string();
        assert!(second.contains("another tesuji"), "{second}");
        assert!(VersionStore::look(folder.path()).is_ok());
        drop(store);
        fs::write(folder.path().join(NAME), "{").unwrap();
        let error = VersionStore::open(folder.path()).unwrap_err();
        assert!(format!("{error:#}").contains("builds.json"), "{error:#}");
    }
}
