//! Trees of revisions in a temporary place: checked out beside the repository, always removed again.

use super::revision::{Commit, Repository, git};
use anyhow::{Context, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;
use tesuji_system::is_process_alive;

/// The prefix of names of temporary places; the number of their process follows.
const PREFIX: &str = "tesuji-builds-";

/// The name of a version's tree in its temporary place.
pub(crate) const TREE: &str = "tree";

/// git takes one tree at a time.
static GIT: Mutex<()> = Mutex::new(());

/// A temporary place for one worker: its tree, and what compilers make of it.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Makes one, in `place` or where the system has such places.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn new(place: Option<&Path>) -> anyhow::Result<Scratch> {
        let place = place.map_or_else(std::env::temp_dir, Path::to_path_buf);
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let folder = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(&place)
            .with_context(|| format!("{}: cannot make a temporary folder", place.display()))?;
        Ok(Scratch { folder })
    }

    /// The place.
    pub(crate) fn place(&self) -> &Path {
        self.folder.path()
    }

    /// The build folder that lasts from one version to the next: cargo finds dependencies here that it built before.
    pub(crate) fn kept(&self) -> PathBuf {
        self.folder.path().join("target")
    }

    /// A working folder, emptied for each version.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn work(&self) -> anyhow::Result<PathBuf> {
        let path = self.folder.path().join("work");
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir(&path)?;
        Ok(path)
    }
}

/// A commit's files, until it is dropped.
#[derive(Debug)]
pub(crate) struct Worktree<'a> {
    repository: &'a Repository,
    /// The path of the work tree.
    pub path: PathBuf,
}

impl<'a> Worktree<'a> {
    /// Checks `commit` out in `scratch`.
    ///
    /// # Errors
    /// When git refuses.
    pub(crate) fn check_out(
        repository: &'a Repository,
        commit: &Commit,
        scratch: &Scratch,
    ) -> anyhow::Result<Worktree<'a>> {
        let path = scratch.folder.path().join(TREE);
        // Made before git begins: what it leaves half-done is removed, too.
        let tree = Worktree { repository, path: path.clone() };
        let alone = GIT.lock().unwrap_or_else(PoisonError::into_inner);
        let out = git(&repository.top)
            .args(["worktree", "add", "--quiet", "--force", "--detach"])
            .arg(&path)
            .arg(&commit.hash)
            .output()
            .context("cannot start git")?;
        if !out.status.success() {
            let said = String::from_utf8_lossy(&out.stderr).trim().to_string();
            drop(alone);
            bail!("git cannot check it out: {said}");
        }
        Ok(tree)
    }
}

impl Drop for Worktree<'_> {
    fn drop(&mut self) {
        let _alone = GIT.lock().unwrap_or_else(PoisonError::into_inner);
        remove(self.repository, &self.path);
    }
}

/// Removes a tree and what git remembers of it.
fn remove(repository: &Repository, path: &Path) {
    // First the tree, in which git would obey what a build left there.
    let _ = fs::remove_dir_all(path);
    // Twice: submodules and locks want that. Other trees that git remembers are none of ours: no `prune`.
    let _ = git(&repository.top).args(["worktree", "remove", "--force", "--force"]).arg(path).output();
}

/// Removes trees whose process was killed before it could.
pub(crate) fn remove_left_behind(repository: &Repository) {
    let Ok(list) = repository.ask(["worktree", "list", "--porcelain"]) else { return };
    for path in list.lines().filter_map(|line| line.strip_prefix("worktree ")).map(Path::new) {
        let Some(place) = path.parent() else { continue };
        let name = place.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let Some((process, _)) = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-')) else { continue };
        if process.parse().is_ok_and(|process| !is_process_alive(process)) {
            remove(repository, path);
            let _ = fs::remove_dir_all(place);
        }
    }
}
