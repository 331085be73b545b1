//! The work itself: finds revisions, builds some of them at a time, keeps what was built.

use crate::manifest::{BuildSource, ManifestEntry, VersionStore};
use crate::outcome::{about, about_entry, match_command};
use crate::recipe::BuildTool;
use crate::revision::{self, Repository, Version, Wanted};
use crate::shell::{Broken, Shell};
use crate::tree::{self, Scratch, Worktree};
use crate::{BuildOutcome, BuildRequest, Built, BuiltVersion, Listed, Listing, Planned, cargo, make, profile};
use anyhow::{Context, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tesuji_jobs::{Interrupt, on_threads, sha256, threads};
use tesuji_system::{contained, sandbox};

/// Processors that one build is given at least.
const CORES_EACH: usize = 4;
/// Variables that compilers listen to.
const LISTENED: [&str; 8] = ["RUSTFLAGS", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CPPFLAGS", "ARCH"];

/// The state shared by all workers.
struct Workers<'a> {
    repository: Repository,
    request: &'a BuildRequest,
    store: Mutex<VersionStore>,
    threads: usize,
    stop: &'a Interrupt,
    tell: &'a (dyn Fn(&str) + Sync),
    count: usize,
    /// Of the weights that are put into each tree.
    weights_sha256: Option<String>,
}

/// The versions that a request asks for, found but not built.
///
/// # Errors
/// When the request cannot be meant, or a revision is not there.
pub fn plan(request: &BuildRequest) -> anyhow::Result<Vec<Planned>> {
    let (repository, versions) = find(request)?;
    let planned = |version: Version| Planned {
        about: about(&version),
        tool: request.recipe.kind(&repository, &version.commit).map(BuildTool::name),
        name: version.name,
    };
    Ok(versions.into_iter().map(planned).collect())
}

/// Builds the versions that a request asks for. `tell` hears a line about each as it begins and ends.
///
/// # Errors
/// When nothing could be begun; what became of each version is in the result.
pub fn build(request: &BuildRequest, stop: &Interrupt, tell: &(dyn Fn(&str) + Sync)) -> anyhow::Result<Built> {
    let (repository, versions) = find(request)?;
    let cores = threads(0);
    let jobs = request.jobs.unwrap_or(cores / CORES_EACH).clamp(1, versions.len());
    let weights = request.recipe.weights.as_deref();
    let sum = weights.map(|file| sha256(file).with_context(|| format!("weights {}", file.display()))).transpose()?;
    let workers = Workers {
        weights_sha256: sum,
        repository,
        request,
        store: Mutex::new(VersionStore::open(request.folder())?),
        threads: request.threads.unwrap_or(cores / jobs).max(1),
        stop,
        tell,
        count: versions.len(),
    };
    tree::remove_left_behind(&workers.repository);
    let outcomes = workers.build_all(&versions, jobs);
    Ok(workers.built(&versions, outcomes))
}

/// The versions that are in a folder.
///
/// # Errors
/// When there are none, or its manifest cannot be read.
pub fn list(folder: &Path) -> anyhow::Result<Listing> {
    let store = VersionStore::look(folder)?;
    let versions = &store.manifest.versions;
    if versions.is_empty() {
        bail!("{}: no versions here; build some: tesuji builds v1 v2", folder.display());
    }
    let ready: Vec<(&str, &ManifestEntry)> = versions.iter().map(|(name, entry)| (name.as_str(), entry)).collect();
    let listed =
        |(name, entry): &(&str, &ManifestEntry)| Listed { program: store.program(name), about: about_entry(entry) };
    Ok(Listing { versions: ready.iter().map(listed).collect(), match_command: match_command(&store, &ready) })
}

/// The repository of a request and the versions that it asks for.
fn find(request: &BuildRequest) -> anyhow::Result<(Repository, Vec<Version>)> {
    request.validate()?;
    let repository = Repository::open(request.repository.as_deref().unwrap_or(Path::new(".")))?;
    let last = request.last.map(usize::from);
    let wanted = Wanted { asked: &request.revisions, last, numbers: request.numbers, prefix: &request.prefix };
    let versions = revision::versions(&repository, &wanted)?;
    Ok((repository, versions))
}

impl Workers<'_> {
    fn store(&self) -> MutexGuard<'_, VersionStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, line: &str) {
        (self.tell)(line);
    }

    /// Builds all versions, some at a time; what became of each, in their order.
    fn build_all(&self, versions: &[Version], jobs: usize) -> Vec<BuildOutcome> {
        let next = AtomicUsize::new(0);
        let outcomes: Vec<Mutex<BuildOutcome>> = versions.iter().map(|_| Mutex::new(BuildOutcome::Stopped)).collect();
        on_threads(jobs, &|| {
            let mut scratch = None;
            loop {
                let index = next.fetch_add(1, Relaxed);
                let Some(version) = versions.get(index) else { break };
                let result = self.one(version, index, &mut scratch);
                *outcomes[index].lock().unwrap_or_else(PoisonError::into_inner) = result;
            }
        });
        outcomes.into_iter().map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// Builds one version, with words before and after.
    fn one(&self, version: &Version, index: usize, scratch: &mut Option<Scratch>) -> BuildOutcome {
        if self.stop.is_raised() {
            return BuildOutcome::Stopped;
        }
        let place = format!("[{}/{}] {}", index + 1, self.count, version.name);
        let began = Instant::now();
        match self.make(version, &place, scratch) {
            Ok(Some(twin)) => {
                let as_what = if twin == version.name { String::new() } else { format!(", as {twin}") };
                self.say(&format!("{place}: built already{as_what}"));
                BuildOutcome::Present
            }
            Ok(None) => {
                let seconds = began.elapsed().as_secs_f64();
                self.say(&format!("{place}: built in {seconds:.1} s"));
                BuildOutcome::Built(seconds)
            }
            Err(Broken::Stopped) => {
                self.say(&format!("{place}: stopped; the temporary folder is removed"));
                BuildOutcome::Stopped
            }
            Err(Broken::Failed(error)) => {
                self.say(&format!("{place}: failed"));
                BuildOutcome::Failed(error)
            }
        }
    }

    /// Makes one version; the name of the same that was there already.
    fn make(&self, version: &Version, place: &str, scratch: &mut Option<Scratch>) -> Result<Option<String>, Broken> {
        let kind = self.request.recipe.kind(&self.repository, &version.commit)?;
        let source = BuildSource {
            repository: self.repository.top.clone(),
            commit: version.commit.hash.clone(),
            kind,
            recipe: self.request.recipe.clone(),
            environment: LISTENED.iter().filter_map(|&n| Some((n.to_string(), std::env::var(n).ok()?))).collect(),
            compiler: compiler(kind, &self.repository.top),
            pgo: self.request.pgo,
            weights_sha256: self.weights_sha256.clone(),
        };
        if !self.request.again
            && let Some(twin) = self.reuse(version, &source)?
        {
            return Ok(Some(twin));
        }
        self.say(&format!("{place}: {}, building with {}", about(version), kind.name()));
        let began = Instant::now();
        let scratch = match scratch {
            Some(scratch) => scratch,
            None => scratch.insert(Scratch::new(self.request.scratch.as_deref())?),
        };
        let log = self.store().log(&version.name);
        let _ = fs::remove_file(&log);
        let tree = Worktree::check_out(&self.repository, &version.commit, scratch)?;
        let tell = |line: &str| self.say(&format!("{place}: {:.0} s: {line}", began.elapsed().as_secs_f64()));
        let job = make::Job {
            recipe: &self.request.recipe,
            kind,
            pgo: self.request.pgo,
            name: &version.name,
            tree: &tree.path,
            tracked: self.repository.files(&version.commit)?,
            kept: scratch.kept(),
            work: scratch.work()?,
            threads: self.threads,
            shell: Shell { log: &log, stop: self.stop, tell: &tell, places: [scratch.place(), &self.repository.top] },
        };
        job.fetch_submodules()?;
        job.place_weights()?;
        let program = match kind {
            BuildTool::Cargo => cargo::build(&job)?,
            _ if job.pgo && job.recipe.pgo_build.is_empty() => profile::build(&job)?,
            _ => make::build(&job)?,
        };
        let beside: Vec<PathBuf> = self.request.recipe.files.iter().map(|file| job.folder().join(file)).collect();
        let beside = beside.iter().map(|file| make::file_within(&job, file)).collect::<Result<Vec<_>, _>>()?;
        let start = self.request.recipe.start.clone().unwrap_or_else(|| own_start(&program));
        self.store().take(version, entry(version, source, start, began.elapsed().as_secs_f64()), &program, &beside)?;
        Ok(None)
    }

    /// Takes what was made from the same source, where there is such a version; its name.
    fn reuse(&self, version: &Version, source: &BuildSource) -> anyhow::Result<Option<String>> {
        let mut store = self.store();
        let Some(twin) = store.same(&version.name, source).map(str::to_string) else { return Ok(None) };
        if twin != version.name {
            let found = &store.manifest.versions[&twin];
            let entry = entry(version, source.clone(), found.start.clone(), found.seconds);
            let (program, files) = (store.program(&twin), store.files_of(&twin)?);
            store.take(version, entry, &program, &files)?;
        }
        Ok(Some(twin))
    }

    /// The results of all versions, and the command that plays them.
    fn built(&self, versions: &[Version], outcomes: Vec<BuildOutcome>) -> Built {
        let store = self.store();
        let mut ready: Vec<(&str, &ManifestEntry)> = Vec::new();
        let mut built = Vec::new();
        for (version, outcome) in versions.iter().zip(outcomes) {
            let is_there = matches!(outcome, BuildOutcome::Built(_) | BuildOutcome::Present);
            let entry = store.manifest.versions.get(&version.name).filter(|_| is_there);
            let twin = entry.and_then(|entry| ready.iter().find(|(_, other)| other.sha256 == entry.sha256));
            let log = store.log(&version.name);
            built.push(BuiltVersion {
                name: version.name.clone(),
                about: about(version),
                outcome,
                program: store.program(&version.name),
                bytes: entry.map(|entry| entry.bytes),
                twin: twin.map(|(name, _)| name.to_string()),
                log: log.exists().then_some(log),
            });
            ready.extend(entry.map(|entry| (version.name.as_str(), entry)));
        }
        let match_command = (!ready.is_empty()).then(|| match_command(&store, &ready));
        Built { versions: built, match_command }
    }
}

/// The manifest's entry of a version; size and checksum are added when its program is there.
fn entry(version: &Version, source: BuildSource, start: String, seconds: f64) -> ManifestEntry {
    let commit = &version.commit;
    ManifestEntry {
        revision: version.revision.clone(),
        date: commit.date.clone(),
        subject: commit.subject.clone(),
        uncommitted: commit.uncommitted,
        source,
        start,
        seconds,
        bytes: 0,
        sha256: String::new(),
        has_files: false,
    }
}

/// Our own engine speaks UCI when told to; others speak at once.
fn own_start(program: &Path) -> String {
    let ours = program.file_stem().is_some_and(|name| name == "tesuji");
    if ours { "uci".into() } else { String::new() }
}

/// The compiler's name and version; empty where it does not tell.
fn compiler(kind: BuildTool, folder: &Path) -> String {
    let cxx = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let (program, argument) = if kind == BuildTool::Cargo { ("rustc", "-V") } else { (cxx.as_str(), "--version") };
    // A tool chain that the version names is one of its own: it is asked where it may write nothing, not even to its tree.
    let mut ask = Command::new("sh");
    ask.args(["-c", "cd -- \"$0\" && exec \"$@\""]).arg(folder).args([program, argument]);
    let mut ask = match sandbox() {
        Some(_) => contained(ask, &[], &[folder]),
        None => {
            let mut plain = Command::new(program);
            plain.arg(argument).current_dir(folder);
            plain
        }
    };
    let out = ask.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let text = out.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim().to_string()
}
