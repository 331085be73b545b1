//! `tesuji explain`: an evaluation term by term, of a position or all along a game.

mod game;
mod go;

use crate::{
    games,
    lessons::{self, Taught},
    tune::reader,
};
use anyhow::{Context, bail};
use serde_json::json;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tesuji_chess::Chess;
use tesuji_jobs::terminal::Stdout;
use tesuji_kit::Pasted;
use tesuji_shogi::Shogi;

/// The game's name.
const SHOGI: &str = <Shogi as tesuji_game::Game>::NAME;

/// Arguments of `tesuji explain`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji explain chess --fen '8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1'\n  \
    tesuji explain chess --moves e2e4 e7e5 g1f3 --weights tuned.json --json\n  \
    tesuji explain chess game.pgn --changes\n  \
    tesuji explain chess games.sgs --number 3 --csv > terms.csv\n  \
    tesuji explain shogi --moves 7g7f 3c3d 8h2b+\n  \
    tesuji explain shogi game.kif --changes\n  \
    tesuji explain go --rules 9x9 --moves E5 C3 --nodes 2000\n\n\
    Counts are those of each side, weights and what they add are in centipawns for the middlegame and the endgame; the\n\
    two sums are blended by phase and scaled, and give the evaluation exactly.\n\
    Along a game, each term stands with what it adds to the value for the first side; + is new, * changed, - gone since the move.")]
pub(crate) struct Args {
    /// The game
    #[arg(value_parser = ["chess", "shogi", "go"])]
    game: String,
    /// Explain a whole game of this file (.pgn, .sgs, .kif, .csa and others, also .zst or .gz), position by position
    #[arg(value_name = "FILE", conflicts_with_all = ["fen", "moves", "chess960"])]
    file: Option<PathBuf>,
    /// Which game of the file
    #[arg(long, default_value_t = 1, value_name = "N", requires = "file")]
    number: usize,
    /// Of the terms along a game, print only those that the move changed
    #[arg(long, requires = "file")]
    changes: bool,
    /// Print a game as CSV: a line for every feature of every position
    #[arg(long, requires = "file", conflicts_with_all = ["json", "changes"])]
    csv: bool,
    /// The position [default: the start position]
    #[arg(long, visible_aliases = ["position", "sfen"], value_name = "FEN")]
    fen: Option<Pasted>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// Weights: builtin, material, or a file
    #[arg(long, default_value = "builtin", value_name = "WEIGHTS")]
    weights: String,
    /// Rules of go: size, name, flags
    #[arg(long, default_value = "", value_name = "RULES")]
    rules: String,
    /// Playouts behind an explanation in go
    #[arg(long, default_value_t = 1000, value_name = "N")]
    nodes: u64,
    /// A network to explain a position of go by, instead of playouts: a file, or grpc://host:port or tcp://host:port of a
    /// policy server
    #[arg(long, value_name = "FILE", visible_alias = "oracle")]
    net: Option<PathBuf>,
    /// Castle as in Chess960
    #[arg(long)]
    chess960: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Explains.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let rules = if args.chess960 { "chess960" } else { "" };
    match args.game.as_str() {
        "go" => go::run(&args),
        SHOGI if args.chess960 => bail!("--chess960 is a variant of chess"),
        SHOGI => explain::<Shogi>(&args, rules),
        _ => explain::<Chess>(&args, rules),
    }
}

fn explain<G: Taught>(args: &Args, rules: &str) -> anyhow::Result<ExitCode> {
    if let Some(file) = &args.file {
        return run_game::<G>(args, file);
    }
    let rules: G::Rules = rules.parse()?;
    let board = args.fen.clone().unwrap_or_default().and(&args.moves).read::<G>(&rules)?;
    let told = G::explain(&board, &lessons::subject(&args.game)?.weights(&args.weights)?);
    let position = G::text(&board);
    if args.json {
        let report = json!({ "position": position, "weights": args.weights, "evaluation": told });
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        println!("{position}\n{told}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Explains a game.
fn run_game<G: Taught>(args: &Args, file: &Path) -> anyhow::Result<ExitCode> {
    let mut reader = reader(games::kit(&args.game)?, file)?;
    let game = game::read(reader.as_mut(), args.number, file)?;
    let walked = game::walk::<G>(&game, &lessons::subject(&args.game)?.weights(&args.weights)?);
    let places = walked.with_context(|| format!("{}: game {}", file.display(), args.number))?;
    let mut out = BufWriter::new(Stdout);
    let printed = if args.csv {
        game::print_csv(&places, &mut out)
    } else if args.json {
        let report = json!({ "file": file, "number": args.number, "weights": args.weights, "positions": places });
        serde_json::to_writer_pretty(&mut out, &report).map_err(io::Error::from).and_then(|()| writeln!(out))
    } else {
        game::print(&places, args.changes, &mut out)
    };
    printed.and_then(|()| out.flush())?;
    Ok(ExitCode::SUCCESS)
}
