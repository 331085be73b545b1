//! `tesuji solve`: is there a mate, is a chain of go captured? Proved, disproved, or a limit was reached; each claim is checked
//! by the rules.

use crate::{
    games,
    request::{RequestArgs, refused},
};
use anyhow::bail;
use std::{path::PathBuf, process::ExitCode};
use tesuji_jobs::{Interrupt, Show, counted, job_control};
use tesuji_kit::{
    Pasted,
    mates::MatePicture,
    solving::{SolveEnd, SolveRequest, SolveRun, Solved, solve},
};
use tesuji_report::solving;
use tesuji_search::mate::Settings;

/// Arguments of `tesuji solve`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji solve chess --fen '7k/8/5K2/6Q1/8/8/8/8 w - - 0 1'\n  \
    tesuji solve --sfen 'position sfen 4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1' --verify --json\n  \
    tesuji solve shogi --problems problems.txt --nodes 1000000 --jobs 4\n  \
    tesuji solve shogi --sfen '…' --threads 4 --shortest --proof proof.dot\n  \
    tesuji solve go --position '5/5/1XX2/1XO2/2X2 b' --goal 'capture C2' --verify\n  \
    tesuji solve go --problems problems/ --time 10\n\n\
    Mates by checks alone; chains within a region. Exit codes: 0 a mate (go: yes), 1 none or a limit was reached (with --problems: 0, or 4 when stopped), 2 wrong usage or input.")]
pub(crate) struct Args {
    /// The game [default: the only one that can read the position or the problems]
    #[arg(value_parser = games::name_before_file, required_unless_present_any = ["request", "fen", "problems"])]
    game: Option<String>,
    /// A position without its option, which is refused
    #[arg(hide = true, value_name = "POSITION", value_parser = |_: &str| Err::<String, _>("a position follows --position, --fen or --sfen"))]
    _position: Option<String>,
    /// The position: FEN for chess, SFEN for shogi, rows and side for go; also a line of UCI or USI, as in 'position sfen … moves …'
    #[arg(long = "position", visible_aliases = ["fen", "sfen"], value_name = "TEXT", required_unless_present_any = ["problems", "request"], conflicts_with = "problems")]
    fen: Option<Pasted>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE", conflicts_with = "problems")]
    moves: Vec<String>,
    /// The question in go: capture, ladder or live, and a point of the chain, as in 'live C3'
    #[arg(long, value_name = "GOAL", conflicts_with = "problems")]
    goal: Option<String>,
    /// The points on which both sides may play in go, as two corners: 'A1 E5' [default: everywhere]
    #[arg(long, value_name = "CORNERS", conflicts_with = "problems")]
    region: Option<String>,
    /// A file of problems (in go also a folder, of diagrams and SGF): a position a line, or lines of name, position and known answer parted by tabs; also games that start from positions, as KIF diagrams and CSA do
    #[arg(long, alias = "set", value_name = "FILE")]
    problems: Option<PathBuf>,
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
    /// Write the proof as a tree: .json, .dot for Graphviz, .kif or .pgn as a game with variations in a game that has them
    #[arg(long, value_name = "FILE", conflicts_with = "problems")]
    proof: Option<PathBuf>,
    /// Memory for each problem at a time, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Settings::default().hash_mib)]
    hash: usize,
    /// Switch a part of the solver: MateDominance=false, …
    #[arg(long = "option", alias = "set-option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Problems at a time (with --problems)
    #[arg(long, short, value_name = "J", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    jobs: u16,
    /// Threads on each problem. One finds the same with the same nodes every time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Print JSON; with --problems one object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    asked: RequestArgs,
}

/// Flags that are not called as the fields of a request.
const FLAGS: [(&str, &str); 3] = [("seconds", "time"), ("hash_mib", "hash"), ("options", "set-option")];

impl Args {
    /// The request that these are.
    fn request(self) -> SolveRequest {
        SolveRequest {
            version: SolveRequest::VERSION,
            game: self.game.unwrap_or_default(),
            position: self.fen.unwrap_or_default().and(&self.moves),
            problems: self.problems,
            goal: self.goal,
            region: self.region,
            defend: self.defend,
            seconds: self.time,
            nodes: self.nodes,
            plies: self.plies,
            shortest: self.shortest,
            verify: self.verify,
            proof: self.proof,
            hash_mib: self.hash,
            options: self.options,
            jobs: self.jobs,
            threads: self.threads,
        }
    }
}

/// Solves.
///
/// # Errors
/// Wrong usage or input.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (json, asked) = (args.json, args.asked.clone());
    let Some(request) = asked.take(|| Ok(args.request()), SolveRequest::validate, &FLAGS)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let picture = |picture: &MatePicture| {
        let text = serde_json::to_string(picture).unwrap_or_default();
        // Who watches misses a picture; the answer is worth more.
        let _ = job_control::show(&text);
    };
    let mut run = SolveRun {
        games: games::games(),
        interrupt: &Interrupt::of_process(),
        show: Show::Auto,
        picture: job_control::folder().map(|_| &picture as &(dyn Fn(&MatePicture) + Sync)),
        tell: &mut |solved: Solved<'_>| print!("{}", solving::solved(&solved, json)),
    };
    let end = solve(&request, &mut run).map_err(|error| refused(error, &FLAGS))?;
    ended(&request, &end)
}

/// Says how it ended, and how the process does.
fn ended(request: &SolveRequest, end: &SolveEnd) -> anyhow::Result<ExitCode> {
    let file = request.problems.clone().unwrap_or_default();
    let (wrong, stopped) = match end {
        SolveEnd::One { is_yes, unwritten } => {
            if let Some(path) = unwritten {
                eprintln!("tesuji: {} is not written: nothing is proved", path.display());
            }
            return Ok(if *is_yes { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        SolveEnd::MateSet(end) => {
            eprint!("{}", solving::mate_set(end));
            (end.wrong as u64, end.solved < end.problems)
        }
        SolveEnd::RegionSet(end) if end.stopped => (0, true),
        SolveEnd::RegionSet(end) => {
            eprint!("{}", solving::region_set(end));
            (end.all.wrong, false)
        }
    };
    if wrong > 0 {
        bail!("{}: wrong by what the file says: {}", file.display(), counted(wrong, "answer"));
    }
    Ok(if stopped { ExitCode::from(4) } else { ExitCode::SUCCESS })
}
