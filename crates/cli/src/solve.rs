//! `tesuji solve`: is there a mate, is a chain of go captured? Proved, disproved, or a limit was reached; each claim is checked
//! by the rules.

mod proof;
mod regions;
mod set;

use crate::games;
use anyhow::{Context, bail};
use proof::Form;
use serde_json::{Value, json};
use std::{path::PathBuf, process::ExitCode, time::Duration};
use tesuji_jobs::{Existing, Interrupt, check_output, leash};
use tesuji_kit::{
    Kit, Pasted,
    mates::{MatePicture, MateQuestion, MateSettings, MateSolver, Mates, SolvedMate},
};
use tesuji_search::mate::{Answer, Settings};

/// Arguments of `tesuji solve`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji solve chess --fen '7k/8/5K2/6Q1/8/8/8/8 w - - 0 1'\n  \
    tesuji solve shogi --sfen '4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1' --verify --json\n  \
    tesuji solve shogi --set problems.txt --nodes 1000000 --jobs 4\n  \
    tesuji solve shogi --sfen '…' --threads 4 --shortest --proof proof.dot\n  \
    tesuji solve go --position '5/5/1XX2/1XO2/2X2 b' --goal 'capture C2' --verify\n  \
    tesuji solve go --set problems/ --time 10\n\n\
    Mates by checks alone; chains within a region. Exit codes: 0 a mate (go: yes), 1 none or a limit was reached (with --set: 0), 2 wrong usage or input.")]
pub(crate) struct Args {
    /// The game: chess, shogi or go
    #[arg(value_parser = ["chess", "shogi", "go"])]
    game: String,
    /// The position: FEN for chess, SFEN for shogi, rows and side for go; also a line of UCI or USI, as in 'position sfen … moves …'
    #[arg(long, visible_aliases = ["sfen", "position"], value_name = "TEXT", required_unless_present = "set", conflicts_with = "set")]
    fen: Option<Pasted>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE", conflicts_with = "set")]
    moves: Vec<String>,
    /// What is asked in go: capture, ladder or live, and a point of the chain, as in 'live C3'
    #[arg(long, value_name = "GOAL", conflicts_with = "set")]
    goal: Option<String>,
    /// Where both sides may play in go, as two corners: 'A1 E5' [default: everywhere]
    #[arg(long, value_name = "CORNERS", conflicts_with = "set")]
    region: Option<String>,
    /// A file of problems (in go also a folder, of diagrams and SGF): a position a line, or lines of name, position and known answer parted by tabs
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// Ask whether the side to move is mated, not whether it mates
    #[arg(long)]
    defend: bool,
    /// Seconds for each problem
    #[arg(long, visible_alias = "seconds", value_name = "SECONDS")]
    time: Option<f64>,
    /// Nodes for each problem: positions whose moves are looked at
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Plies of the mate at most
    #[arg(long, value_name = "N")]
    plies: Option<u16>,
    /// Look for the shortest mate, after one was found
    #[arg(long)]
    shortest: bool,
    /// Replay the whole proof or disproof by the rules alone
    #[arg(long)]
    verify: bool,
    /// Write the proof as a tree: .json, .dot for Graphviz, .kif (shogi) or .pgn (chess) as a game with variations
    #[arg(long, value_name = "FILE", conflicts_with = "set")]
    proof: Option<PathBuf>,
    /// Memory for each problem at a time, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Settings::default().hash_mib)]
    hash: usize,
    /// Switch a part of the solver: MateDominance=false, …
    #[arg(long = "set-option", visible_alias = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Problems at a time (with --set)
    #[arg(long, short, value_name = "J", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    jobs: u16,
    /// Threads on each problem. One finds the same with the same nodes every time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Print JSON; with --set one object a line
    #[arg(long)]
    json: bool,
}

/// Solves.
///
/// # Errors
/// Wrong usage or input.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    if let Some(regions) = kit.regions() {
        return regions::run(&args, regions);
    }
    if args.goal.is_some() || args.region.is_some() {
        bail!("--goal and --region are for go");
    }
    let mates = kit.mates().with_context(|| format!("{} has neither mates nor problems of regions", kit.name()))?;
    match &args.set {
        Some(file) => set::run(&args, mates, file),
        None => solve(&args, kit, mates),
    }
}

impl Args {
    /// Time for each problem.
    fn time(&self) -> Option<Duration> {
        self.time.map(|seconds| Duration::from_secs_f64(seconds.clamp(0.0, 1e9)))
    }

    /// What each solver is made of.
    fn settings(&self) -> MateSettings {
        MateSettings { hash_mib: self.hash, threads: self.threads.into(), options: self.options.clone() }
    }

    /// What is asked about each position.
    fn question(&self) -> MateQuestion {
        MateQuestion {
            defend: self.defend,
            plies: self.plies,
            nodes: self.nodes,
            time: self.time(),
            shortest: self.shortest,
            verify: self.verify,
            proof: self.proof.is_some(),
        }
    }
}

/// Solves one problem.
fn solve(args: &Args, kit: &dyn Kit, mates: &dyn Mates) -> anyhow::Result<ExitCode> {
    let form = args.proof.as_deref().map(|path| Form::of(kit, path)).transpose()?;
    if let Some(path) = &args.proof {
        check_output(path, Existing::Refuse)?;
    }
    let mut solver = mates.solver(&args.settings())?;
    let position = args.fen.clone().unwrap_or_default().and(&args.moves);
    let solved = solve_one(solver.as_mut(), &position, &args.question(), &Interrupt::of_process())?;
    match args.json {
        true => println!("{}", json_of(&solved)),
        false => print(&solved),
    }
    match (form, &args.proof, &solved.proof) {
        (Some(form), Some(path), Some(proof)) => form.write(path, proof)?,
        (_, Some(path), None) => eprintln!("tesuji: {} is not written: nothing is proved", path.display()),
        _ => {}
    }
    Ok(if solved.plies().is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Solves one problem; whoever controls this job is shown the tree while it grows.
fn solve_one(
    solver: &mut dyn MateSolver,
    position: &Pasted,
    question: &MateQuestion,
    interrupt: &Interrupt,
) -> anyhow::Result<SolvedMate> {
    let mut show = |picture: &MatePicture| {
        let text = serde_json::to_string(picture).unwrap_or_default();
        // Who watches misses a picture; the answer is worth more.
        let _ = leash::show(&text);
    };
    let pictures: Option<tesuji_kit::mates::Pictures<'_>> = match leash::folder() {
        Some(_) => Some(&mut show),
        None => None,
    };
    solver.solve(position, question, &|| interrupt.is_raised(), pictures)
}

fn json_of(solved: &SolvedMate) -> Value {
    json!({
        "answer": solved.word(), "plies": solved.plies(),
        "shortest": solved.is_shortest, "line": solved.line, "nodes": solved.nodes,
        "seconds": solved.time.as_secs_f64(), "verified": solved.verified.is_some(),
        "positions_verified": solved.verified,
    })
}

fn print(solved: &SolvedMate) {
    match solved.answer {
        Answer::Mate(plies) if solved.is_shortest => println!("mate in {plies} plies, and in no fewer"),
        Answer::Mate(plies) => println!("mate in {plies} plies at most"),
        Answer::NoMate => println!("no mate by checks, of any length"),
        Answer::NoMateWithin(plies) => println!("limit: no mate within {plies} plies"),
        _ => println!("limit: not solved"),
    }
    if !solved.line.is_empty() {
        println!("line: {}", solved.line.join(" "));
    }
    println!("{} nodes, {:.3} s", solved.nodes, solved.time.as_secs_f64());
    if let Some(positions) = solved.verified {
        println!("verified by the rules alone: {positions} positions");
    }
}
