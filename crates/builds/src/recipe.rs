//! Build recipes of an engine: from a TOML file, from the command line, or detected by the files in the tree.

use super::revision::{Commit, Repository};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use tesuji_jobs::read_text_limited;

/// The tool that builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BuildTool {
    /// Cargo.toml
    Cargo,
    /// CMakeLists.txt
    Cmake,
    /// Makefile
    Make,
    /// Lines of a shell, given by the recipe
    Lines,
}

impl BuildTool {
    /// Its name, as recipes have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BuildTool::Cargo => "cargo",
            BuildTool::Cmake => "cmake",
            BuildTool::Make => "make",
            BuildTool::Lines => "lines",
        }
    }
}

impl FromStr for BuildTool {
    type Err = String;

    fn from_str(text: &str) -> Result<BuildTool, String> {
        let all = [BuildTool::Cargo, BuildTool::Cmake, BuildTool::Make, BuildTool::Lines];
        let unknown = || format!("expected {}", all.map(BuildTool::name).join(", "));
        all.into_iter().find(|tool| tool.name() == text).ok_or_else(unknown)
    }
}

/// The longest file of recipes, in bytes.
const RECIPE_BYTES_MAX: u64 = 1 << 20;

/// The recipe to build one version. Everything may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<BuildTool>,
    /// The folder of the tree in which the tool works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Shell lines instead of the tool's usual ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub build: Vec<String>,
    /// Shell lines of a build with a profile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pgo_build: Vec<String>,
    /// Further arguments of the tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Environment variables.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The program that comes out, below `folder`; for cargo the name of the binary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,
    /// Files that the program needs beside it, below `folder`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Arguments with which it plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Arguments of the run that is measured for a profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train: Option<String>,
    /// The nodes that the program's `bench` comes to, where it is built on another machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
    /// A file of weights that is put into the tree before it is built; in a file of a recipe relative to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<PathBuf>,
    /// The place of the weights, below the tree's top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights_to: Option<String>,
}

/// A TOML file: a recipe, and what to do with it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RecipeFile {
    /// The path of the repository, relative to the file.
    pub repository: Option<PathBuf>,
    /// The folder for the programs, relative to the file.
    pub into: Option<PathBuf>,
    /// Revisions.
    pub versions: Vec<String>,
    /// The commands that build each.
    #[serde(flatten)]
    recipe: toml::Table,
}

impl RecipeFile {
    /// Reads `path`.
    ///
    /// # Errors
    /// When it cannot be read, or holds what no recipe knows.
    pub fn read(path: &Path) -> anyhow::Result<(RecipeFile, Recipe)> {
        let place = || path.display().to_string();
        let text = read_text_limited(path, RECIPE_BYTES_MAX)?;
        let (mut file, mut recipe) = RecipeFile::parse(&text).with_context(place)?;
        let beside = path.parent().unwrap_or(Path::new(""));
        for folder in [&mut file.repository, &mut file.into, &mut recipe.weights].into_iter().flatten() {
            *folder = beside.join(&*folder);
        }
        Ok((file, recipe))
    }

    pub(crate) fn parse(text: &str) -> anyhow::Result<(RecipeFile, Recipe)> {
        let mut file: RecipeFile = toml::from_str(text)?;
        let recipe = std::mem::take(&mut file.recipe).try_into()?;
        Ok((file, recipe))
    }
}

impl Recipe {
    /// Takes over what `other` says: an option that it has, a list that is not empty, each variable of the environment.
    pub fn override_with(&mut self, other: Recipe) {
        fn take<T>(ours: &mut Option<T>, theirs: Option<T>) {
            if theirs.is_some() {
                *ours = theirs;
            }
        }
        for (ours, theirs) in [
            (&mut self.build, other.build),
            (&mut self.pgo_build, other.pgo_build),
            (&mut self.args, other.args),
            (&mut self.files, other.files),
        ] {
            if !theirs.is_empty() {
                *ours = theirs;
            }
        }
        self.env.extend(other.env);
        take(&mut self.kind, other.kind);
        take(&mut self.folder, other.folder);
        take(&mut self.binary, other.binary);
        take(&mut self.start, other.start);
        take(&mut self.train, other.train);
        take(&mut self.bench, other.bench);
        take(&mut self.weights, other.weights);
        take(&mut self.weights_to, other.weights_to);
    }

    /// The folder in which the tool works, below the tree's top.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.as_deref().unwrap_or(Path::new("."))
    }

    /// Checks that it stays in its tree.
    ///
    /// # Errors
    /// When a path of it leads elsewhere.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.weights.is_some() != self.weights_to.is_some() {
            bail!("recipe: weights and the place in the tree where they go belong together: --weights FILE --to PATH");
        }
        let [binary, to] = [&self.binary, &self.weights_to].map(|path| path.as_deref().map(Path::new));
        let paths = [self.folder.as_deref(), binary, to];
        for path in paths.into_iter().flatten().chain(self.files.iter().map(Path::new)) {
            let stays = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            if !stays || path.as_os_str().is_empty() {
                bail!("recipe: {:?} must be a path below the tree's top", path.display().to_string());
            }
        }
        for name in self.env.keys() {
            if name.is_empty() || name.contains(['=', '\0']) {
                bail!("recipe: {name:?} cannot be the name of an environment variable");
            }
        }
        Ok(())
    }

    /// The tool for a commit: that of the recipe, or by what lies in its tree.
    ///
    /// # Errors
    /// When nothing there is known.
    pub(crate) fn kind(&self, repository: &Repository, commit: &Commit) -> anyhow::Result<BuildTool> {
        if !self.build.is_empty() {
            return Ok(BuildTool::Lines);
        }
        if let Some(kind) = self.kind {
            return Ok(kind);
        }
        let names = repository.list(commit, self.folder())?;
        let has = |name: &str| names.iter().any(|n| n == name);
        if has("Cargo.toml") {
            Ok(BuildTool::Cargo)
        } else if has("CMakeLists.txt") {
            Ok(BuildTool::Cmake)
        } else if ["Makefile", "makefile", "GNUmakefile"].into_iter().any(has) {
            Ok(BuildTool::Make)
        } else {
            bail!(
                "no Cargo.toml, CMakeLists.txt or Makefile in {} of this tree; say where one is (--folder src) or how it is \
                 built (--build 'LINE' --binary PATH)",
                if self.folder() == Path::new(".") {
                    "the top folder".into()
                } else {
                    self.folder().display().to_string()
                }
            )
        }
    }
}

/// Puts values for `{threads}`, `{tree}`, `{work}`, `{name}` and `{pgo}` into a shell line. Other braces are the shell's.
pub(crate) fn fill(line: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(line.to_string(), |line, (key, value)| line.replace(&format!("{{{key}}}"), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_read_and_kept_in_their_tree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recipe.toml");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            RecipeFile::read(&path)
        };
        let (file, recipe) = read(
            "repository = 'sf'\nversions = ['sf_16']\nfolder = 'src'\nbuild = ['make -j{threads} build']\nbinary = 'stockfish'\n\
             [env]\nARCH = 'x86-64'\n",
        )
        .unwrap();
        assert_eq!(file.repository, Some(folder.path().join("sf")));
        assert_eq!((file.versions.len(), recipe.env["ARCH"].as_str()), (1, "x86-64"));
        assert!(recipe.check().is_ok());
        let wrong = read("biuld = ['make']").unwrap_err();
        assert!(format!("{wrong:#}").contains("biuld"), "{wrong:#}");
        let (_, recipe) = read("weights = 'a.nnue'\nweights_to = 'src/net.nnue'\n").unwrap();
        assert_eq!((recipe.weights.clone(), recipe.check().is_ok()), (Some(folder.path().join("a.nnue")), true));
        let (_, alone) = read("weights = 'a.nnue'").unwrap();
        assert!(alone.check().unwrap_err().to_string().contains("--to PATH"));
        let outside = Recipe { weights_to: Some("../a".into()), ..recipe };
        assert!(outside.check().unwrap_err().to_string().contains("below the tree's top"));
        for outside in ["../x", "/bin/sh", "a/../../b", ""] {
            let recipe = Recipe { binary: Some(outside.into()), ..Recipe::default() };
            assert!(recipe.check().is_err(), "{outside}");
        }
    }

    #[test]
    fn braces_of_the_shell_stay() {
        let line = fill("make -j{threads} X=${X} {tree}/y", &[("threads", "4"), ("tree", "/t")]);
        assert_eq!(line, "make -j4 X=${X} /t/y");
    }
}
