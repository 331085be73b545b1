//! Builds with make, cmake or the lines of a recipe, and finds the program that came out.

use super::recipe::{BuildTool, Recipe, fill};
use super::shell::{Broken, Shell};
use anyhow::{Context, anyhow, bail};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use tesuji_jobs::AtomicFile;
use tesuji_system::{may_run, sandbox};

/// Compilers of C and C++, each a command, with flags that a build adds.
pub(crate) struct CompilerFlags {
    pub c: (String, String),
    pub cxx: (String, String),
}

/// One build: what, where, how.
pub(crate) struct Job<'a> {
    /// The commands that build it.
    pub recipe: &'a Recipe,
    /// With which tool.
    pub kind: BuildTool,
    /// Whether with a profile.
    pub pgo: bool,
    /// The name of the version.
    pub name: &'a str,
    /// The top of its tree.
    pub tree: &'a Path,
    /// The files of its commit. git isn't asked in the tree: once a build ran there, its settings are the version's.
    pub tracked: HashSet<String>,
    /// A folder that the next build finds again.
    pub kept: PathBuf,
    /// An empty folder.
    pub work: PathBuf,
    /// Threads for the compilers.
    pub threads: usize,
    /// Runs its commands and takes their output.
    pub shell: Shell<'a>,
}

impl Job<'_> {
    /// The folder in which the tool works.
    pub(crate) fn folder(&self) -> PathBuf {
        self.tree.join(self.recipe.folder())
    }

    /// A command in that folder, with the recipe's environment and without what a surrounding cargo or git set.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = self.command_nowhere(program);
        command.current_dir(self.folder());
        command
    }

    /// Such a command that is not in that folder: in a sandbox, in an empty one.
    pub(crate) fn command_nowhere(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let ours = |name: &str| ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|p| name.starts_with(p));
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(ours) {
                command.env_remove(name);
            }
        }
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "CARGO_TARGET_DIR", "MAKEFLAGS", "MAKELEVEL"] {
            command.env_remove(name);
        }
        command.envs(&self.recipe.env);
        command
    }

    /// The folder in which cmake builds.
    pub(crate) fn cmake_folder(&self) -> PathBuf {
        self.work.join("cmake")
    }

    /// Puts the recipe's weights into their place in the tree.
    pub(crate) fn place_weights(&self) -> anyhow::Result<()> {
        let (Some(weights), Some(to)) = (&self.recipe.weights, &self.recipe.weights_to) else { return Ok(()) };
        let place = self.tree.join(to);
        let folder = place.parent().unwrap_or(self.tree);
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        // A link of the tree may lead elsewhere.
        within(self, folder)?;
        let copied = fs::read(weights).and_then(|bytes| AtomicFile::write(&place, &bytes));
        copied.with_context(|| format!("weights {} to {to}", weights.display()))
    }

    /// Fetches the submodules where the tree has some. Versions of others, which are built in a sandbox, have none.
    pub(crate) fn fetch_submodules(&self) -> Result<(), Broken> {
        if sandbox().is_some() || !self.tree.join(".gitmodules").exists() {
            return Ok(());
        }
        let mut command = super::revision::git(self.tree);
        self.shell.run(command.args(["submodule", "update", "--init", "--recursive", "--quiet"]), None)
    }

    /// What a command says that the version may have named, or that obeys what lies in its tree.
    pub(crate) fn ask(&self, command: &mut Command) -> Result<String, Broken> {
        self.shell.ask(command, &self.work)
    }

    /// Whether its commit has the file `name` in the folder in which the tool works.
    pub(crate) fn is_tracked(&self, name: &str) -> bool {
        let path = self.recipe.folder().join(name);
        let plain: PathBuf = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        // git has slashes everywhere.
        self.tracked.contains(&plain.to_string_lossy().replace('\\', "/"))
    }
}

/// Builds; the program that came out. With a profile by the lines that the recipe has for it.
pub(crate) fn build(job: &Job<'_>) -> Result<PathBuf, Broken> {
    if job.pgo { by_lines(job, &job.recipe.pgo_build, "") } else { compile(job, None) }
}

/// Builds once, with further flags of the compilers.
pub(crate) fn compile(job: &Job<'_>, flags: Option<&CompilerFlags>) -> Result<PathBuf, Broken> {
    let threads = job.threads.to_string();
    if !job.recipe.build.is_empty() {
        return by_lines(job, &job.recipe.build, flags.map_or("", |flags| &flags.cxx.1));
    }
    match job.kind {
        BuildTool::Make => {
            let mut make = job.command("make");
            make.arg(format!("-j{threads}")).args(&job.recipe.args);
            if let Some(CompilerFlags { c, cxx }) = flags {
                // The makefile's own flags stay: only its compilers are others.
                make.arg(format!("CC={} {}", c.0, c.1)).arg(format!("CXX={} {}", cxx.0, cxx.1));
            }
            job.shell.run(&mut make, None)?;
            Ok(find(job, &job.folder())?)
        }
        BuildTool::Cmake => {
            let made = job.cmake_folder();
            let mut configure = job.command("cmake");
            configure.args(["-S", ".", "-B"]).arg(&made).arg("-DCMAKE_BUILD_TYPE=Release").args(&job.recipe.args);
            for (name, flags) in flags.iter().flat_map(|flags| [("CFLAGS", &flags.c.1), ("CXXFLAGS", &flags.cxx.1)]) {
                let set = job.recipe.env.get(name).cloned().or_else(|| std::env::var(name).ok()).unwrap_or_default();
                configure.env(name, format!("{set} {flags}").trim_start());
            }
            job.shell.run(&mut configure, None)?;
            let mut compile = job.command("cmake");
            compile.arg("--build").arg(&made).args(["--config", "Release", "-j", &threads]);
            job.shell.run(&mut compile, None)?;
            Ok(find(job, &made)?)
        }
        BuildTool::Cargo | BuildTool::Lines => {
            Err(anyhow!("the recipe says no lines to build with: --build 'LINE'").into())
        }
    }
}

/// Builds by shell lines. `flags`: what `{pgo}` stands for.
fn by_lines(job: &Job<'_>, lines: &[String], flags: &str) -> Result<PathBuf, Broken> {
    let [tree, work] = [job.tree, &job.work].map(|path| path.display().to_string());
    let threads = job.threads.to_string();
    let values = [("threads", threads.as_str()), ("tree", &tree), ("work", &work), ("name", job.name), ("pgo", flags)];
    for line in lines {
        job.shell.run(job.command("sh").arg("-c").arg(fill(line, &values)), None)?;
    }
    Ok(find(job, &job.folder())?)
}

/// The program that was built in `folder`.
fn find(job: &Job<'_>, folder: &Path) -> anyhow::Result<PathBuf> {
    let mut found = Vec::new();
    search(folder, &mut found)?;
    found.retain(|path| {
        let inside = path.strip_prefix(job.tree).map(|path| path.to_string_lossy().replace('\\', "/"));
        inside.is_err() || inside.is_ok_and(|inside| !job.tracked.contains(&inside))
    });
    if let Some(binary) = &job.recipe.binary {
        let places = [folder, job.tree].map(|place| place.join(binary));
        if let Some(direct) = places.iter().find(|path| path.is_file()) {
            return file_within(job, direct);
        }
        found.retain(|path| path.file_name().is_some_and(|n| n.to_str() == Some(binary)));
        return match &found[..] {
            [one] => file_within(job, one),
            _ => bail!("the build made no program {binary}"),
        };
    }
    let shown = |path: &PathBuf| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    match &found[..] {
        [one] => file_within(job, one),
        [] => bail!("the build made no program that could be found; say which with --binary PATH"),
        many => bail!(
            "the build made {} programs; say which is the engine: --binary {}",
            many.len(),
            many.iter().map(shown).collect::<Vec<_>>().join(" or ")
        ),
    }
}

/// Checks that a file, all links followed, lies where the build worked. A pipe would be read for ever.
pub(crate) fn file_within(job: &Job<'_>, path: &Path) -> anyhow::Result<PathBuf> {
    let whole = within(job, path)?;
    if !whole.is_file() {
        bail!("{} is no file", path.display());
    }
    Ok(whole)
}

/// Checks that a path, all links followed, lies where the build worked.
fn within(job: &Job<'_>, path: &Path) -> anyhow::Result<PathBuf> {
    let whole = path.canonicalize().with_context(|| path.display().to_string())?;
    for place in [job.tree, &job.work, &job.kept] {
        if place.canonicalize().is_ok_and(|place| whole.starts_with(place)) {
            return Ok(whole);
        }
    }
    bail!("{} leads out of its tree", path.display())
}

/// Programs below `folder`.
fn search(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (kind, name) = (entry.file_type()?, entry.file_name().to_string_lossy().into_owned());
        if kind.is_dir() {
            if name != ".git" && name != "CMakeFiles" {
                search(&entry.path(), found)?;
            }
        } else if kind.is_file() && is_program(&entry.path(), &name) {
            found.push(entry.path());
        }
    }
    Ok(())
}

/// Whether a file can be started: by its permission and its first bytes; libraries and objects are none.
fn is_program(path: &Path, name: &str) -> bool {
    if name.contains(".so") || [".a", ".o", ".dylib"].iter().any(|end| name.ends_with(end)) || !may_run(path) {
        return false;
    }
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read(&mut magic)).unwrap_or(0);
    let magic = &magic[..read];
    magic == b"\x7fELF" || magic.starts_with(b"#!") || magic.starts_with(b"MZ") || magic == [0xCF, 0xFA, 0xED, 0xFE]
}
