//! `tesuji builds`: several versions of an engine from git revisions, side by side, ready for a match.

use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tesuji_builds::{BuildRequest, BuildTool, Built, Recipe, build, list, plan};
use tesuji_jobs::Interrupt;

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
  tesuji builds main --weights new.nnue --to src/net.nnue
  tesuji builds --repository ../Stockfish sf_15 sf_16 --folder src --build 'make -j{threads} build' --binary stockfish
  tesuji builds --recipe sofcheck.toml
  tesuji builds --list

A recipe is a TOML file: repository, into, versions = [\"v1\", \"new=worktree\"], folder, kind, build = [lines], pgo_build = [lines],
args, env = { NAME = \"value\" }, binary, files, start, train, weights, weights_to. Lines may say {threads}, {tree}, {work}, {name}
and {pgo}, the compiler's flags for a profile.
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
    /// The beginning of all names
    #[arg(long, default_value = "", value_name = "TEXT", hide_default_value = true)]
    prefix: String,
    /// The repository [default: the one around this folder]
    #[arg(long, value_name = "FOLDER")]
    repository: Option<PathBuf>,
    /// The folder for the versions [default: builds]
    #[arg(long, short, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// The recipe of the build, a TOML file; the command line wins
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// The tool: cargo, cmake, make, or lines of a shell that the recipe gives [default: by Cargo.toml, CMakeLists.txt, Makefile]
    #[arg(long)]
    kind: Option<BuildTool>,
    /// The folder of the tree in which it works
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
    /// A file of weights, or a network, that is put into the tree at --to before it is built
    #[arg(long, value_name = "FILE", requires = "to")]
    weights: Option<PathBuf>,
    /// The place of --weights, below the tree's top
    #[arg(long, value_name = "PATH", requires = "weights")]
    to: Option<String>,
    /// Build with a profile of a run (cargo and Clang: needs llvm-profdata)
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
    /// The folder for trees and objects while building [default: that of temporary files]
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

/// Builds, or lists.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let request = args.request()?;
    request.recipe.check()?;
    if args.list {
        return print_list(request.folder());
    }
    if args.dry_run {
        for version in plan(&request)? {
            let tool = version.tool.map_or_else(|e| format!("{e:#}").to_lowercase(), str::to_string);
            println!("{}: {}, {tool}", version.name, version.about);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let tell = |line: &str| {
        if !args.quiet {
            eprintln!("{line}");
        }
    };
    let stop = Interrupt::of_process();
    let built = build(&request, &stop, &tell)?;
    Ok(print_built(&built, stop.is_raised()))
}

impl Args {
    /// The build request of the recipe's file and the command line together.
    fn request(&self) -> anyhow::Result<BuildRequest> {
        let mut request = BuildRequest {
            revisions: self.revisions.clone(),
            last: self.last,
            numbers: self.numbers,
            prefix: self.prefix.clone(),
            repository: self.repository.clone(),
            into: self.into.clone(),
            pgo: self.pgo,
            jobs: self.jobs,
            threads: self.threads,
            scratch: self.scratch.clone(),
            again: self.again,
            ..BuildRequest::default()
        };
        if let Some(path) = &self.recipe {
            request.join_file(path)?;
        }
        let pair = |pair: &String| {
            let (name, value) = pair.split_once('=').with_context(|| format!("--env {pair}: expected NAME=VALUE"))?;
            Ok((name.into(), value.into()))
        };
        request.recipe.override_with(Recipe {
            kind: self.kind,
            folder: self.folder.clone(),
            build: self.build.clone(),
            pgo_build: self.pgo_build.clone(),
            args: self.arguments.clone(),
            env: self.env.iter().map(pair).collect::<anyhow::Result<_>>()?,
            binary: self.binary.clone(),
            files: self.files.clone(),
            start: self.start.clone(),
            train: self.train.clone(),
            weights: self.weights.clone(),
            weights_to: self.to.clone(),
            bench: None,
        });
        Ok(request)
    }
}

/// Prints what became of the versions and how to play them.
fn print_built(built: &Built, is_stopped: bool) -> ExitCode {
    let (told, faults) = built.told();
    print!("{told}");
    eprint!("{faults}");
    match (is_stopped, faults.is_empty()) {
        (true, _) => ExitCode::from(4),
        (false, false) => ExitCode::from(1),
        (false, true) => ExitCode::SUCCESS,
    }
}

/// Prints the versions of a folder.
fn print_list(folder: &Path) -> anyhow::Result<ExitCode> {
    let listing = list(folder)?;
    for version in &listing.versions {
        println!("{}: {}", version.program.display(), version.about);
    }
    println!("next: {}", listing.match_command);
    Ok(ExitCode::SUCCESS)
}
