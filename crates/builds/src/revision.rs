//! Revisions of a git repository to build, found without touching its working tree.

use anyhow::{Context, bail};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tesuji_system::sandbox;

/// The word for the tree as it lies there, with everything that is not committed.
pub(crate) const WORKTREE: &str = "worktree";
/// The mode of a submodule in a tree.
const SUBMODULE: &str = "160000 ";
/// Characters of a short hash.
const SHORT: usize = 10;
/// Longest name of a version.
const NAME_MAX: usize = 80;

/// A repository on this machine.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    /// Its working tree, or its folder where it has none.
    pub top: PathBuf,
}

/// One state of all files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    /// Its hash, whole.
    pub hash: String,
    /// The day, as `2026-11-21`.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
    /// Whether it holds what nobody committed.
    pub uncommitted: bool,
}

impl Commit {
    /// The beginning of its hash.
    pub(crate) fn short(&self) -> &str {
        &self.hash[..SHORT.min(self.hash.len())]
    }
}

/// A commit with the name that its program gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// The name of its file.
    pub name: String,
    /// The request as given.
    pub revision: String,
    /// The commit of that revision.
    pub commit: Commit,
}

/// A git command that obeys nothing but its arguments: no variables of a surrounding git, no hooks.
pub(crate) fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0"]);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    if sandbox().is_some() {
        // Versions of others could name filters and the like of the user's own settings.
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    }
    command
}

/// The output of a git command, without the line's end.
fn ask(command: &mut Command) -> anyhow::Result<String> {
    let out = command.output().context("cannot start git")?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        bail!("git: {}", said.trim().trim_start_matches("fatal: "));
    }
    Ok(String::from_utf8_lossy(&out.stdout).trim_end().to_string())
}

impl Repository {
    /// The repository that `folder` lies in.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Repository> {
        let of = || format!("{}: no git repository to build from", folder.display());
        if !folder.is_dir() {
            bail!("{}: no such folder", folder.display());
        }
        let bare = ask(git(folder).args(["rev-parse", "--is-bare-repository"])).with_context(of)? == "true";
        let question = if bare { "--absolute-git-dir" } else { "--show-toplevel" };
        let top = PathBuf::from(ask(git(folder).args(["rev-parse", question])).with_context(of)?);
        Ok(Repository { top })
    }

    /// Asks git about it.
    pub(crate) fn ask<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> anyhow::Result<String> {
        ask(git(&self.top).args(arguments))
    }

    /// The commit that `text` means, or the uncommitted tree.
    ///
    /// # Errors
    /// When there is no such revision.
    pub(crate) fn resolve(&self, text: &str) -> anyhow::Result<Commit> {
        if text == WORKTREE {
            return self.snapshot();
        }
        let wanted = format!("{text}^{{commit}}");
        let hash = self
            .ask(["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])
            .ok()
            .filter(|hash| !hash.is_empty())
            .with_context(|| {
                format!(
                    "{}: no revision is called {text:?} (a tag, a branch, a hash, HEAD~2, worktree)",
                    self.top.display()
                )
            })?;
        self.commit(hash)
    }

    /// The last `count` commits up to `from`, the oldest first, along first parents.
    ///
    /// # Errors
    /// When there is no such revision.
    pub(crate) fn last(&self, count: usize, from: &str) -> anyhow::Result<Vec<Commit>> {
        let from = self.resolve(from)?.hash;
        let count = format!("--max-count={count}");
        let hashes = self.ask(["rev-list", "--first-parent", "--reverse", &count, &from])?;
        hashes.lines().map(|hash| self.commit(hash.to_string())).collect()
    }

    /// The commits after `from` up to `to`, the oldest first, along first parents.
    ///
    /// # Errors
    /// When there is no such revision, or nothing between them.
    pub(crate) fn between(&self, from: &str, to: &str) -> anyhow::Result<Vec<Commit>> {
        let range =
            format!("{}..{}", self.resolve(from)?.hash, self.resolve(if to.is_empty() { "HEAD" } else { to })?.hash);
        let hashes = self.ask(["rev-list", "--first-parent", "--reverse", &range])?;
        if hashes.is_empty() {
            bail!("{}: there is no commit in {from}..{to}", self.top.display());
        }
        hashes.lines().map(|hash| self.commit(hash.to_string())).collect()
    }

    fn commit(&self, hash: String) -> anyhow::Result<Commit> {
        let text = self.ask(["show", "--no-patch", "--no-notes", "--format=%cs%n%s", &hash])?;
        let (date, subject) = text.split_once('\n').unwrap_or((&text, ""));
        Ok(Commit { hash, date: date.into(), subject: subject.into(), uncommitted: false })
    }

    /// The files of the working tree as they are now: those that git tracks and those it would. They become a commit
    /// that no branch holds; neither the tree nor the index is touched. The same files give the same commit.
    fn snapshot(&self) -> anyhow::Result<Commit> {
        let head = self.resolve("HEAD").context("the uncommitted tree needs a first commit")?;
        let folder = tempfile::tempdir()?;
        let index = folder.path().join("index");
        let own = PathBuf::from(self.ask(["rev-parse", "--git-path", "index"])?);
        // What git remembers about unchanged files saves it from reading them again.
        if fs::copy(self.top.join(own), &index).is_err() {
            ask(git(&self.top).args(["read-tree", &head.hash]).env("GIT_INDEX_FILE", &index))?;
        }
        ask(git(&self.top).args(["add", "--all"]).env("GIT_INDEX_FILE", &index))?;
        let tree = ask(git(&self.top).arg("write-tree").env("GIT_INDEX_FILE", &index))?;
        if tree == self.ask(["rev-parse", &format!("{}^{{tree}}", head.hash)])? {
            return Ok(head);
        }
        let when = self.ask(["show", "--no-patch", "--format=%cI", &head.hash])?;
        let message = format!("{} and what is not committed", head.short());
        let mut command = git(&self.top);
        command.args(["commit-tree", "--no-gpg-sign", "-p", &head.hash, "-m", &message, &tree]);
        for (who, date) in [("GIT_AUTHOR", when.as_str()), ("GIT_COMMITTER", when.as_str())] {
            command.env(format!("{who}_NAME",), "tesuji builds").env(format!("{who}_EMAIL"), "tesuji@localhost");
            command.env(format!("{who}_DATE"), date);
        }
        Ok(Commit { hash: ask(&mut command)?, subject: message, uncommitted: true, ..head })
    }

    /// All files of a commit, as paths below its top.
    ///
    /// # Errors
    /// When there is no such commit.
    pub(crate) fn files(&self, commit: &Commit) -> anyhow::Result<HashSet<String>> {
        let names = self.ask(["ls-tree", "-r", "--full-tree", "--name-only", "-z", &commit.hash])?;
        Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_string).collect())
    }

    /// Whether a commit has submodules, whose files are elsewhere.
    ///
    /// # Errors
    /// When there is no such commit.
    pub(crate) fn has_submodules(&self, commit: &str) -> anyhow::Result<bool> {
        let entries = self.ask(["ls-tree", "-r", "--full-tree", "-z", commit])?;
        Ok(entries.split('\0').any(|entry| entry.starts_with(SUBMODULE)))
    }

    /// Names of files and folders in a folder of a commit; an empty folder is its root.
    ///
    /// # Errors
    /// When there is no such folder.
    pub(crate) fn list(&self, commit: &Commit, folder: &Path) -> anyhow::Result<Vec<String>> {
        let place = format!(
            "{}:{}",
            commit.hash,
            if folder == Path::new(".") { "".into() } else { folder.display().to_string() }
        );
        let names = self.ask(["ls-tree", "--name-only", "-z", &place])?;
        Ok(names.split('\0').filter(|n| !n.is_empty()).map(str::to_string).collect())
    }
}

/// Checks that `name` is fit to be a file's: it comes from a command line, a recipe or a tag of somebody else's.
///
/// # Errors
/// When it is not.
pub(crate) fn check_name(name: &str) -> anyhow::Result<()> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-');
    if name.is_empty() || name.len() > NAME_MAX || name.starts_with(['.', '-']) || !name.chars().all(fits) {
        bail!(
            "{name:?} cannot be the name of a version: up to {NAME_MAX} letters, digits, '.', '_', '+', '-', not beginning with \
             '.' or '-'; give it another, as in new={name}"
        );
    }
    Ok(())
}

/// The request for versions to build.
#[derive(Debug, Default)]
pub(crate) struct Wanted<'a> {
    /// Revisions, `NAME=REVISION`, `FROM..TO`, `worktree`.
    pub asked: &'a [String],
    /// The last this many commits up to the revision asked for, or HEAD.
    pub last: Option<usize>,
    /// Name them 1, 2, 3 …
    pub numbers: bool,
    /// The prefix of every name.
    pub prefix: &'a str,
}

/// The versions that are wanted, each with a name of its own.
///
/// # Errors
/// When a revision is not there, a name is not fit for a file, or two versions have the same.
pub(crate) fn versions(repository: &Repository, wanted: &Wanted<'_>) -> anyhow::Result<Vec<Version>> {
    let mut found: Vec<Version> = Vec::new();
    let by_hash = |commit: Commit, revision: &str| Version {
        name: commit.short().to_string(),
        revision: revision.to_string(),
        commit,
    };
    if let Some(count) = wanted.last {
        let from = match wanted.asked {
            [] => "HEAD",
            [one] => one,
            _ => bail!("--last counts back from one revision, and here are {}", wanted.asked.len()),
        };
        found.extend(repository.last(count, from)?.into_iter().map(|commit| by_hash(commit, from)));
    } else {
        for asked in wanted.asked {
            match asked.split_once('=') {
                Some((name, revision)) => {
                    let (name, revision) = (name.to_string(), revision.to_string());
                    found.push(Version { commit: repository.resolve(&revision)?, name, revision });
                }
                None => match asked.split_once("..") {
                    Some((from, to)) => {
                        found.extend(repository.between(from, to)?.into_iter().map(|commit| by_hash(commit, asked)));
                    }
                    None => found.push(named_by_itself(repository, asked)?),
                },
            }
        }
    }
    for (index, version) in found.iter_mut().enumerate() {
        if wanted.numbers {
            version.name = (index + 1).to_string();
        }
        version.name.insert_str(0, wanted.prefix);
        check_name(&version.name)?;
    }
    for (index, version) in found.iter().enumerate() {
        if let Some(other) = found[..index].iter().find(|v| v.name.eq_ignore_ascii_case(&version.name)) {
            bail!("{} and {} would both be called {}", other.revision, version.revision, version.name);
        }
    }
    Ok(found)
}

/// A tag, a branch or a hash is a name; whatever moves on with the next commit is called by its hash.
fn named_by_itself(repository: &Repository, asked: &str) -> anyhow::Result<Version> {
    let commit = repository.resolve(asked)?;
    let is_reference = ["tags", "heads"].into_iter().any(|kind| {
        let reference = format!("refs/{kind}/{asked}");
        repository.ask(["show-ref", "--verify", "--quiet", &reference]).is_ok()
    });
    let is_hash = asked.len() < commit.hash.len() && commit.hash.starts_with(asked);
    let name = if asked == WORKTREE || is_reference || is_hash { asked } else { commit.short() };
    Ok(Version { name: name.to_string(), revision: asked.to_string(), commit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_elsewhere_stay_in_their_folder() {
        for good in ["v1", "sf_16.1", "1", "a+b-c"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "../x", "-n", "a b", "a\\b", "a\nb", "é", ".hidden", &"x".repeat(81)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
