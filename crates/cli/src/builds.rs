//! `tesuji builds`: several versions of an engine from git revisions, side by side, ready for a match.

mod cargo;
mod make;
mod manifest;
mod recipe;
mod revision;
mod shell;
mod tree;

use anyhow::{Context, bail};
use manifest::{Entry, Source, Store};
pub(crate) use recipe::check_text;
use recipe::{Kind, Recipe, RecipeFile};
use revision::{Repository, Version, Wanted};
use shell::{Broken, Shell};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tesuji_jobs::Interrupt;
use tesuji_jobs::threads;
use tree::{Scratch, Tree};

/// Where versions go when nothing else is said.
const FOLDER: &str = "builds";
/// Processors that one build is given at least.
const CORES_EACH: usize = 4;
/// Variables that compilers listen to.
const LISTENED: [&str; 8] = ["RUSTFLAGS", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CPPFLAGS", "ARCH"];

/// Build versions of an engine from git revisions, ready for a match
///
/// Each revision is checked out in a temporary place and built there; the working tree is not touched. Programs lie in a
/// folder under their names, with builds.json that says what each was made from. What is built already is not built again.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  tesuji builds v1.0 v1.1 worktree
  tesuji builds -n 5
  tesuji builds old=HEAD~3 new=worktree --pgo
  tesuji builds --repository ../Stockfish sf_15 sf_16 --folder src --build 'make -j{threads} build' --binary stockfish
  tesuji builds --recipe sofcheck.toml
  tesuji builds --list

A recipe is a TOML file: repository, into, versions = [\"v1\", \"new=worktree\"], folder, kind, build = [lines], pgo_build = [lines],
args, env = { NAME = \"value\" }, binary, files, start, train. Lines may say {threads}, {tree}, {work} and {name}.
Exit codes: 0 done, 1 a version did not build, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// Tags, branches, hashes, FROM..TO, `worktree` (what is not committed); NAME=REVISION gives a name
    #[arg(value_name = "REVISION")]
    revisions: Vec<String>,
    /// The last N commits up to REVISION
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    last: Option<u16>,
    /// Name the versions 1, 2, 3, …, in the order given; with --last from the oldest
    #[arg(long)]
    numbers: bool,
    /// What all names begin with
    #[arg(long, default_value = "", value_name = "TEXT", hide_default_value = true)]
    prefix: String,
    /// The repository [default: the one around this folder]
    #[arg(long, value_name = "FOLDER")]
    repository: Option<PathBuf>,
    /// Where the versions go [default: builds]
    #[arg(long, short, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// How to build, from a TOML file; the command line wins
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// The tool [default: by Cargo.toml, CMakeLists.txt, Makefile]
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Where in the tree it works
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// A shell line that builds, instead of the tool's usual one; may be repeated
    #[arg(long, value_name = "LINE")]
    build: Vec<String>,
    /// A shell line that builds with a profile; may be repeated
    #[arg(long, value_name = "LINE")]
    pgo_build: Vec<String>,
    /// A further argument of the tool, such as --arg=--features=nnue or --arg ARCH=x86-64; may be repeated
    #[arg(long = "arg", value_name = "ARGUMENT", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// An environment variable of the build; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// The program that comes out: its path below --folder, or the name of cargo's binary [default: the only one]
    #[arg(long, value_name = "PATH")]
    binary: Option<String>,
    /// A file that the program needs beside it, below --folder; may be repeated
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// Arguments with which the program plays [default: uci for our own, none for others]
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    start: Option<String>,
    /// Build with a profile of a run (cargo: needs llvm-profdata)
    #[arg(long)]
    pgo: bool,
    /// Arguments of the run that is measured for the profile [default: bench]
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    train: Option<String>,
    /// Versions built at a time [default: one for each 4 processors]
    #[arg(long, short, value_name = "J")]
    jobs: Option<usize>,
    /// Threads of each build [default: its share of the processors]
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Where trees and objects lie meanwhile [default: where temporary files go]
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
    /// Build again what is built already
    #[arg(long)]
    again: bool,
    /// Say what would be built, and build nothing
    #[arg(long)]
    dry_run: bool,
    /// List the versions that are there
    #[arg(long)]
    list: bool,
    /// Only the result
    #[arg(long, short)]
    quiet: bool,
}

/// What became of a version.
#[derive(Debug)]
enum Became {
    Built(f64),
    /// It was there already.
    Here,
    Failed(anyhow::Error),
    Stopped,
}

/// What all workers share.
struct Yard<'a> {
    repository: Repository,
    recipe: Recipe,
    args: &'a Args,
    store: Mutex<Store>,
    threads: usize,
    stop: Interrupt,
    count: usize,
}

/// Builds, or lists.
pub(crate) fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    let recipe = args.join_recipe()?;
    let into = args.into.clone().unwrap_or_else(|| FOLDER.into());
    if args.list {
        return list(&into);
    }
    if args.revisions.is_empty() && args.last.is_none() {
        bail!("which versions? Name tags, branches or hashes, `worktree`, or the last few commits: -n 5");
    }
    let repository = Repository::open(args.repository.as_deref().unwrap_or(Path::new(".")))?;
    let last = args.last.map(usize::from);
    let wanted = Wanted { asked: &args.revisions, last, numbers: args.numbers, prefix: &args.prefix };
    let versions = revision::versions(&repository, &wanted)?;
    if args.dry_run {
        for version in &versions {
            let kind =
                recipe.kind(&repository, &version.commit).map_or_else(|e| format!("{e:#}"), |kind| format!("{kind:?}"));
            println!("{}: {}, {}", version.name, about(version), kind.to_lowercase());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let cores = threads(0);
    let jobs = args.jobs.unwrap_or(cores / CORES_EACH).clamp(1, versions.len());
    let yard = Yard {
        repository,
        recipe,
        args: &args,
        store: Mutex::new(Store::open(&into)?),
        threads: args.threads.unwrap_or(cores / jobs).max(1),
        stop: Interrupt::of_process(),
        count: versions.len(),
    };
    tree::remove_left_behind(&yard.repository);
    let became = yard.build_all(&versions, jobs);
    Ok(yard.report(&versions, &became))
}

impl Args {
    /// The recipe of file and command line together; what the file says about versions and places goes into the arguments.
    fn join_recipe(&mut self) -> anyhow::Result<Recipe> {
        let (file, mut recipe) = match &self.recipe {
            Some(path) => RecipeFile::read(path)?,
            None => Default::default(),
        };
        self.repository = self.repository.take().or(file.repository);
        self.into = self.into.take().or(file.into);
        if self.revisions.is_empty() && self.last.is_none() {
            self.revisions = file.versions;
        }
        for (ours, theirs) in [
            (&mut recipe.build, &self.build),
            (&mut recipe.pgo_build, &self.pgo_build),
            (&mut recipe.args, &self.arguments),
            (&mut recipe.files, &self.files),
        ] {
            if !theirs.is_empty() {
                ours.clone_from(theirs);
            }
        }
        for pair in &self.env {
            let (name, value) = pair.split_once('=').with_context(|| format!("--env {pair}: expected NAME=VALUE"))?;
            recipe.env.insert(name.into(), value.into());
        }
        recipe.kind = self.kind.or(recipe.kind);
        recipe.folder = self.folder.clone().or(recipe.folder);
        recipe.binary = self.binary.clone().or(recipe.binary);
        recipe.start = self.start.clone().or(recipe.start);
        recipe.train = self.train.clone().or(recipe.train);
        recipe.check()?;
        Ok(recipe)
    }
}

impl Yard<'_> {
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, line: &str) {
        if !self.args.quiet {
            eprintln!("{line}");
        }
    }

    /// Builds all versions, some at a time; what became of each, in their order.
    fn build_all(&self, versions: &[Version], jobs: usize) -> Vec<Became> {
        let next = AtomicUsize::new(0);
        let became: Vec<Mutex<Became>> = versions.iter().map(|_| Mutex::new(Became::Stopped)).collect();
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    let mut scratch = None;
                    loop {
                        let index = next.fetch_add(1, Relaxed);
                        let Some(version) = versions.get(index) else { break };
                        let result = self.one(version, index, &mut scratch);
                        *became[index].lock().unwrap_or_else(PoisonError::into_inner) = result;
                    }
                });
            }
        });
        became.into_iter().map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// Builds one version, with words before and after.
    fn one(&self, version: &Version, index: usize, scratch: &mut Option<Scratch>) -> Became {
        if self.stop.is_raised() {
            return Became::Stopped;
        }
        let place = format!("[{}/{}] {}", index + 1, self.count, version.name);
        let began = Instant::now();
        match self.make(version, &place, scratch) {
            Ok(Some(twin)) => {
                let as_what = if twin == version.name { String::new() } else { format!(", as {twin}") };
                self.say(&format!("{place}: built already{as_what}"));
                Became::Here
            }
            Ok(None) => {
                let seconds = began.elapsed().as_secs_f64();
                self.say(&format!("{place}: built in {seconds:.1} s"));
                Became::Built(seconds)
            }
            Err(Broken::Stopped) => {
                self.say(&format!("{place}: stopped; the temporary folder is removed"));
                Became::Stopped
            }
            Err(Broken::Failed(error)) => {
                self.say(&format!("{place}: failed"));
                Became::Failed(error)
            }
        }
    }

    /// Makes one version; the name of the same that was there already.
    fn make(&self, version: &Version, place: &str, scratch: &mut Option<Scratch>) -> Result<Option<String>, Broken> {
        let kind = self.recipe.kind(&self.repository, &version.commit)?;
        let source = Source {
            repository: self.repository.top.clone(),
            commit: version.commit.hash.clone(),
            kind,
            recipe: self.recipe.clone(),
            environment: LISTENED.iter().filter_map(|&n| Some((n.to_string(), std::env::var(n).ok()?))).collect(),
            compiler: compiler(kind, &self.repository.top),
            pgo: self.args.pgo,
        };
        if !self.args.again
            && let Some(twin) = self.reuse(version, &source)?
        {
            return Ok(Some(twin));
        }
        self.say(&format!("{place}: {}, building with {}", about(version), format!("{kind:?}").to_lowercase()));
        let began = Instant::now();
        let scratch = match scratch {
            Some(scratch) => scratch,
            None => scratch.insert(Scratch::new(self.args.scratch.as_deref())?),
        };
        let log = self.store().log(&version.name);
        let _ = fs::remove_file(&log);
        let tree = Tree::check_out(&self.repository, &version.commit, scratch)?;
        let tell = |line: &str| self.say(&format!("{place}: {:.0} s: {line}", began.elapsed().as_secs_f64()));
        let job = make::Job {
            recipe: &self.recipe,
            kind,
            pgo: self.args.pgo,
            name: &version.name,
            tree: &tree.path,
            kept: scratch.kept(),
            work: scratch.work()?,
            threads: self.threads,
            shell: Shell { log: &log, stop: &self.stop, tell: &tell },
        };
        job.fetch_submodules()?;
        let program = if kind == Kind::Cargo { cargo::build(&job)? } else { make::build(&job)? };
        let beside: Vec<PathBuf> = self.recipe.files.iter().map(|file| job.folder().join(file)).collect();
        let beside = beside.iter().map(|file| make::within(&job, file)).collect::<Result<Vec<_>, _>>()?;
        let start = self.recipe.start.clone().unwrap_or_else(|| own_start(&program));
        self.store().take(version, entry(version, source, start, began.elapsed().as_secs_f64()), &program, &beside)?;
        Ok(None)
    }

    /// Takes what was made from the same source, where there is such a version; its name.
    fn reuse(&self, version: &Version, source: &Source) -> anyhow::Result<Option<String>> {
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

    /// Prints what became of the versions and how to play them.
    fn report(&self, versions: &[Version], became: &[Became]) -> ExitCode {
        let store = self.store();
        let mut ready: Vec<(&str, &Entry)> = Vec::new();
        for (version, became) in versions.iter().zip(became) {
            let path = store.program(&version.name);
            match (became, store.manifest.versions.get(&version.name)) {
                (Became::Built(_) | Became::Here, Some(entry)) => {
                    let how = match became {
                        Became::Built(seconds) => format!("built in {seconds:.1} s"),
                        _ => "built before".to_string(),
                    };
                    let mib = entry.bytes as f64 / f64::from(1 << 20);
                    println!("{}: {}, {how}, {mib:.1} MiB", path.display(), about(version));
                    ready.push((version.name.as_str(), entry));
                }
                (Became::Failed(error), _) => {
                    eprintln!("tesuji: {} ({}) did not build: {error:#}", version.name, about(version));
                    let log = store.log(&version.name);
                    if log.exists() {
                        eprintln!("  all of its output: {}", log.display());
                    }
                }
                _ => eprintln!("tesuji: {} ({}) was not built: stopped", version.name, about(version)),
            }
        }
        for (index, (name, entry)) in ready.iter().enumerate() {
            if let Some((twin, _)) = ready[..index].iter().find(|(_, other)| other.sha256 == entry.sha256) {
                println!("{name} and {twin} are the same program, byte for byte");
            }
        }
        if !ready.is_empty() {
            println!("play them:\n  {}", match_command(&store, &ready));
        }
        if self.stop.is_raised() {
            ExitCode::from(4)
        } else if ready.len() < versions.len() {
            ExitCode::from(1)
        } else {
            ExitCode::SUCCESS
        }
    }
}

/// What the manifest says about a version; size and sum come when its program is there.
fn entry(version: &Version, source: Source, start: String, seconds: f64) -> Entry {
    let commit = &version.commit;
    Entry {
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

/// A version in a few words: hash, day, subject.
fn about(version: &Version) -> String {
    let commit = &version.commit;
    // Subjects come from whoever wrote the commit: nothing in them may steer a terminal.
    let subject: String = commit.subject.chars().filter(|c| !c.is_control()).take(60).collect();
    format!("{} {} \"{subject}\"", commit.short(), commit.date)
}

/// Our own engine speaks UCI when told to; others speak at once.
fn own_start(program: &Path) -> String {
    let ours = program.file_stem().is_some_and(|name| name == "tesuji");
    if ours { "uci".into() } else { String::new() }
}

/// The compiler's name and version; empty where it does not tell.
fn compiler(kind: Kind, folder: &Path) -> String {
    let cxx = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let (program, argument) = if kind == Kind::Cargo { ("rustc", "-V") } else { (cxx.as_str(), "--version") };
    let out = Command::new(program).arg(argument).current_dir(folder).output();
    let text = out.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim().to_string()
}

/// The command that plays versions against each other, as a shell takes it.
fn match_command(store: &Store, ready: &[(&str, &Entry)]) -> String {
    let inner = |text: &str| {
        if text.contains(char::is_whitespace) || text.is_empty() { format!("\"{text}\"") } else { text.to_string() }
    };
    let mut words = vec!["tesuji match".to_string()];
    for (name, entry) in ready {
        let program = store.program(name);
        // In a folder of its own it would look for a relative path there.
        let program = if entry.has_files { std::path::absolute(&program).unwrap_or(program) } else { program };
        let program = program.display().to_string();
        let mut spec = format!("name={name} {}", inner(&format!("cmd={program}")));
        if !entry.start.is_empty() {
            spec += &format!(" {}", inner(&format!("args={}", entry.start)));
        }
        if entry.has_files {
            spec += &format!(" {}", inner(&format!("dir={}", store.files(name).display())));
        }
        words.push(format!("--engine {}", tesuji_jobs::words::quoted(&spec)));
    }
    if ready.len() == 1 {
        words.push("--engine self".into());
    }
    words.push("--tc 1+0.01 --games 1000".into());
    words.join(" ")
}

/// Prints the versions of a folder.
fn list(folder: &Path) -> anyhow::Result<ExitCode> {
    let store = Store::look(folder)?;
    if store.manifest.versions.is_empty() {
        bail!("{}: no versions here; build some: tesuji builds v1 v2", folder.display());
    }
    for (name, entry) in &store.manifest.versions {
        let short: String = entry.source.commit.chars().take(10).collect();
        let subject: String = entry.subject.chars().filter(|c| !c.is_control()).take(60).collect();
        let flags: BTreeMap<&str, bool> = [("pgo", entry.source.pgo), ("not committed", entry.uncommitted)].into();
        let flags: String = flags.iter().filter(|(_, set)| **set).map(|(flag, _)| format!(", {flag}")).collect();
        println!("{}: {short} {} \"{subject}\"{flags}", store.program(name).display(), entry.date);
    }
    let ready: Vec<(&str, &Entry)> = store.manifest.versions.iter().map(|(n, e)| (n.as_str(), e)).collect();
    println!("play them:\n  {}", match_command(&store, &ready));
    Ok(ExitCode::SUCCESS)
}
