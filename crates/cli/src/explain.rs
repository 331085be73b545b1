//! `tesuji explain`: an evaluation term by term, of a position or all along a game.

use crate::{
    games,
    request::refused,
    skip::SkipArgs,
    variant::{self, VariantArgs},
};
use anyhow::{Context, bail};
use serde_json::json;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tesuji_jobs::terminal::Stdout;
use tesuji_kit::{
    Kit, Pasted,
    explain::{Explain, ExplainRequest, game_number, write_csv, write_text},
    open_records,
};

/// Arguments of `tesuji explain`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji explain chess --fen '8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1'\n  \
    tesuji explain chess --moves e2e4 e7e5 g1f3 --weights tuned.json --json\n  \
    tesuji explain chess game.pgn --changes\n  \
    tesuji explain chess games.sgs --number 3 --csv > terms.csv\n  \
    tesuji explain shogi --moves 7g7f 3c3d 8h2b+\n  \
    tesuji explain shogi game.kif --changes\n  \
    tesuji explain chess --moves e2e4 --net net.nnue\n  \
    tesuji explain go --rules 9x9 --moves E5 C3 --nodes 2000\n\n\
    Counts are those of each side, weights and what they add are in centipawns for the middlegame and the endgame; the\n\
    two sums are blended by phase and scaled, and give the evaluation exactly.\n\
    Along a game, each term stands with what it adds to the value for the first side; + is new, * changed, - gone since the move.")]
pub(crate) struct Args {
    /// The game
    #[arg(value_parser = games::parser())]
    game: String,
    /// Explain a whole game of this file (.pgn, .sgs, .kif, .csa and others, also .zst or .gz), position by position
    #[arg(value_name = "FILE", conflicts_with_all = ["fen", "moves", variant::ID])]
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
    #[arg(long = "position", visible_aliases = ["fen", "sfen"], value_name = "TEXT")]
    fen: Option<Pasted>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// Weights: builtin, material, or a file
    #[arg(long, default_value = "builtin", value_name = "WEIGHTS")]
    weights: String,
    /// Rules of go: size, name, flags
    #[arg(long, default_value = "", value_name = "RULES", hide_default_value = true)]
    rules: String,
    /// Playouts behind an explanation in go
    #[arg(long, default_value_t = 1000, value_name = "N")]
    nodes: u64,
    /// A network to explain a position by: in chess and shogi an efficiently updatable one (NNUE); in go, instead of playouts, a
    /// file, or grpc://host:port or tcp://host:port of a policy server
    #[arg(long, value_name = "FILE", visible_alias = "oracle")]
    net: Option<PathBuf>,
    #[command(flatten)]
    variant: VariantArgs,
    #[command(flatten)]
    skip: SkipArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Explains.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let explain = kit.explain().with_context(|| format!("nothing explains positions of {}", kit.name()))?;
    if kit.playouts().is_some() && (args.file.is_some() || args.variant.is_given()) {
        bail!("explain {} takes --rules, --position, --moves, --nodes, --weights, --net and --json", kit.name());
    }
    if args.skip.wanted && args.file.is_none() {
        bail!("--skip-errors is for games of a file");
    }
    match &args.file {
        Some(file) => run_game(&args, kit, explain, file),
        None => run_position(&args, kit, explain),
    }
}

/// Explains a position.
fn run_position(args: &Args, kit: &dyn Kit, explain: &dyn Explain) -> anyhow::Result<ExitCode> {
    let request = ExplainRequest {
        version: ExplainRequest::VERSION,
        position: args.fen.clone().unwrap_or_default().and(&args.moves),
        rules: args.variant.rules(kit)?.unwrap_or(&args.rules).to_string(),
        weights: args.weights.clone(),
        net: args.net.clone(),
        nodes: args.nodes,
    };
    request.validate().map_err(|error| refused(error, &[]))?;
    let explained = explain.position(&request)?;
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&explained.json)?),
        false => print!("{}", explained.text),
    }
    Ok(ExitCode::SUCCESS)
}

/// Explains a game.
fn run_game(args: &Args, kit: &dyn Kit, explain: &dyn Explain, file: &Path) -> anyhow::Result<ExitCode> {
    let mut reader = args.skip.reader(file, open_records(kit, file)?);
    let game = args.skip.hinted(game_number(reader.as_mut(), args.number, file))?;
    let places = explain.game(&game, &args.weights);
    let places = places.with_context(|| format!("games of {} are not explained as a whole", kit.name()))?;
    let places = places.with_context(|| format!("{}: game {}", file.display(), args.number))?;
    let mut out = BufWriter::new(Stdout);
    let printed = if args.csv {
        write_csv(&places, &mut out)
    } else if args.json {
        let report = json!({ "file": file, "number": args.number, "weights": args.weights, "positions": places });
        serde_json::to_writer_pretty(&mut out, &report).map_err(io::Error::from).and_then(|()| writeln!(out))
    } else {
        write_text(&places, args.changes, &mut out)
    };
    printed.and_then(|()| out.flush())?;
    Ok(ExitCode::SUCCESS)
}
