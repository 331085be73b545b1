//! `tesuji analyse`: whole games reviewed by the engine, with values, better moves and mistakes, in the format that they came in.

use crate::{
    games,
    oracle::OracleArgs,
    request::{RequestArgs, refused},
    skip::SkipArgs,
};
use std::{path::PathBuf, process::ExitCode};
use tesuji_jobs::{Interrupt, terminal::Stdout};
use tesuji_kit::review::{AnalyseEnd, AnalyseRequest, ReviewSummary, run_analysis};
use tesuji_report::reviews;

/// Arguments of `tesuji analyse`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji analyse chess game.pgn --nodes 100000 > annotated.pgn\n  \
    tesuji analyse shogi game.kif --time 1 --out annotated.kif --candidates 3\n\n\
    Each move gets the value after it for the first side (in PGN as [%eval], as lichess writes it); one that loses much\n\
    gets its mark and the better line, as a variation where the format has them. What a move loses comes from one search that holds the move and the\n\
    best one and nothing else; a mark is confirmed with twice the nodes. What was said before stays: comments, marks,\n\
    variations, clocks and values; where a move has a value already, ours is told in its comment. A summary goes to stderr.\n\
    Exit codes: 0 done, 1 a file could not be written, 2 wrong usage or input, 4 stopped; games reviewed before are\n\
    written, and with --out the same command with --resume goes on behind them.")]
pub(crate) struct Args {
    /// The game
    #[arg(value_name = "GAME", required_unless_present = "request", value_parser = games::name_before_file)]
    game: Option<String>,
    /// Games to look over, in a format of the game
    #[arg(value_name = "FILE", required_unless_present = "request")]
    file: Option<PathBuf>,
    /// Write the games there, each when it is done, in the format of the name [default: to stdout, in the format of FILE]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Go on behind the games that a run which was stopped wrote to --out
    #[arg(long, requires = "out")]
    resume: bool,
    /// Search with this family instead of the best one
    #[arg(long, value_name = "FAMILY", default_value = "", hide_default_value = true)]
    search: String,
    #[command(flatten)]
    oracle: OracleArgs,
    /// Set an option of the search
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Nodes (playouts) for each position [default: 20000 where nothing else limits the search]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Plies for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Seconds for each position
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Candidates to name at each move
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=16))]
    candidates: u32,
    /// The loss that makes a move dubious (?!), in centipawns [default: 50], in go in hundredths of the chance to win [default: 5]
    #[arg(long, value_name = "N")]
    dubious: Option<i32>,
    /// The loss that makes a move a mistake (?) [default: 120, in go 10]
    #[arg(long, value_name = "N")]
    mistake: Option<i32>,
    /// The loss that makes a move a blunder (??) [default: 300, in go 15]
    #[arg(long, value_name = "N")]
    blunder: Option<i32>,
    #[command(flatten)]
    skip: SkipArgs,
    #[command(flatten)]
    asked: RequestArgs,
}

/// Flags that are not called as the fields of a request.
const FLAGS: [(&str, &str); 2] = [("options", "option"), ("seconds", "time")];

impl Args {
    /// The request that these are.
    fn request(self) -> AnalyseRequest {
        AnalyseRequest {
            version: AnalyseRequest::VERSION,
            game: self.game.unwrap_or_default(),
            file: self.file.unwrap_or_default(),
            skip_errors: self.skip.wanted,
            out: self.out,
            resume: self.resume,
            player: self.oracle.player(self.search, self.options),
            nodes: self.nodes,
            depth: self.depth,
            seconds: self.time,
            candidates: self.candidates,
            dubious: self.dubious,
            mistake: self.mistake,
            blunder: self.blunder,
        }
    }
}

/// Reviews games.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let asked = args.asked.clone();
    let Some(request) = asked.take(|| Ok(args.request()), AnalyseRequest::validate, &FLAGS)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let kit = games::kit(&request.game)?;
    let mut tell = |number, summary: &ReviewSummary| eprint!("{}", reviews::text(kit, number, summary));
    let reviewed = run_analysis(games::games(), &request, &Interrupt::of_process(), &mut Stdout, &mut tell);
    let AnalyseEnd::StoppedIn(number) = reviewed.map_err(|error| refused(error, &FLAGS))? else {
        return Ok(ExitCode::SUCCESS);
    };
    let how = if request.out.is_some() { "; the same command with --resume goes on" } else { "" };
    eprintln!("stopped in game {number}; games written before: {}{how}", number - 1);
    Ok(ExitCode::from(4))
}
