//! Build requests: typed, so that a command line, a file or a page can make them.

use crate::{Recipe, RecipeFile};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of the form of a request.
pub const VERSION: u32 = 1;
/// The folder for versions when nothing else is said.
pub const FOLDER: &str = "builds";

/// Versions of an engine that are wanted, and how they are built. Everything but `version` may be missing.
///
/// # Examples
/// ```
/// let request: tesuji_builds::BuildRequest = serde_json::from_str(r#"{ "version": 1, "revisions": ["v1.0", "worktree"] }"#)?;
/// assert!(request.validate().is_ok());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BuildRequest {
    /// The version of this form: [`VERSION`].
    pub version: u32,
    /// Tags, branches, hashes, `FROM..TO`, `worktree`, each also as `NAME=REVISION`.
    pub revisions: Vec<String>,
    /// The last this many commits up to the revision.
    pub last: Option<u16>,
    /// Whether versions are named 1, 2, 3, …
    pub numbers: bool,
    /// The prefix of all names.
    pub prefix: String,
    /// The repository; the one around the current folder if not given.
    pub repository: Option<PathBuf>,
    /// The folder for the versions; [`FOLDER`] if not given.
    pub into: Option<PathBuf>,
    /// The commands that build.
    pub recipe: Recipe,
    /// Whether with a profile of a run.
    pub pgo: bool,
    /// Versions built at a time; one for each 4 processors if not given.
    pub jobs: Option<usize>,
    /// Threads of each build; its share of the processors if not given.
    pub threads: Option<usize>,
    /// The folder for trees and objects while building; that of temporary files if not given.
    pub scratch: Option<PathBuf>,
    /// Whether to build again what is built already.
    pub again: bool,
}

impl Default for BuildRequest {
    fn default() -> BuildRequest {
        BuildRequest {
            version: VERSION,
            revisions: Vec::new(),
            last: None,
            numbers: false,
            prefix: String::new(),
            repository: None,
            into: None,
            recipe: Recipe::default(),
            pgo: false,
            jobs: None,
            threads: None,
            scratch: None,
            again: false,
        }
    }
}

impl BuildRequest {
    /// Takes from a file what is not said here; the file is the weaker. Its recipe becomes that of this request, which must have none.
    ///
    /// # Errors
    /// When the file cannot be read, or holds what no recipe knows.
    pub fn join_file(&mut self, path: &Path) -> anyhow::Result<()> {
        let (file, recipe) = RecipeFile::read(path)?;
        self.repository = self.repository.take().or(file.repository);
        self.into = self.into.take().or(file.into);
        if self.revisions.is_empty() && self.last.is_none() {
            self.revisions = file.versions;
        }
        self.recipe = recipe;
        Ok(())
    }

    /// The folder for the versions.
    pub fn folder(&self) -> &Path {
        self.into.as_deref().unwrap_or(Path::new(FOLDER))
    }

    /// Checks the request by itself; revisions are looked up later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> anyhow::Result<()> {
        if self.version != VERSION {
            bail!("version: {} is not known here; {VERSION} is", self.version);
        }
        if self.last == Some(0) {
            bail!("last: 0 commits are none");
        }
        self.recipe.check()?;
        if self.revisions.is_empty() && self.last.is_none() {
            bail!("which versions? Name tags, branches or hashes, `worktree`, or the last few commits: -n 5");
        }
        Ok(())
    }

    /// Reads a request from JSON.
    ///
    /// # Errors
    /// When it is no request; the words name the field.
    pub fn from_json(text: &str) -> anyhow::Result<BuildRequest> {
        serde_json::from_str(text).context("not a request for builds")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_json_and_name_what_is_wrong() {
        let request = BuildRequest { revisions: vec!["v1".into()], pgo: true, ..BuildRequest::default() };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(BuildRequest::from_json(&text).unwrap(), request);
        for (text, says) in [
            (r#"{ "version": 9, "revisions": ["v1"] }"#, "version: 9"),
            (r#"{ "last": 0 }"#, "last: 0"),
            (r#"{ "revisions": ["v1"], "recipe": { "binary": "../x" } }"#, "binary"),
            (r#"{ "revisons": [] }"#, "revisons"),
            ("{}", "which versions"),
        ] {
            let error = BuildRequest::from_json(text).and_then(|request| request.validate()).unwrap_err();
            let error = format!("{error:#}");
            assert!(error.contains(says) || says == "binary" && error.contains("recipe"), "{text}: {error}");
        }
    }
}
