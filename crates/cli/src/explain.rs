//! `tesuji explain`: an evaluation term by term.

use crate::tune::start_weights;
use anyhow::{Context, bail};
use serde_json::json;
use std::process::ExitCode;
use tesuji_chess::{Chess, Rules, UciNotation, fen};
use tesuji_chess_eval::explain;
use tesuji_game::{Game, Notation, Position};

/// Arguments of `tesuji explain`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji explain chess --fen '8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1'\n  \
    tesuji explain chess --moves e2e4 e7e5 g1f3 --weights tuned.json --json\n\n\
    Counts are those of each side, weights and what they add are in centipawns for the middlegame and the endgame; the\n\
    two sums are blended by phase and scaled, and give the evaluation exactly.")]
pub(crate) struct Args {
    /// The game: chess
    #[arg(value_parser = ["chess"])]
    game: String,
    /// The position [default: the start position]
    #[arg(long, visible_alias = "position", value_name = "FEN")]
    fen: Option<String>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// Weights: builtin, material, or a file
    #[arg(long, default_value = "builtin", value_name = "WEIGHTS")]
    weights: String,
    /// Castle as in Chess960
    #[arg(long)]
    chess960: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Explains.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let rules = Rules { chess960: args.chess960 };
    let mut board = match &args.fen {
        None => Chess::start(&rules),
        Some(text) => UciNotation::parse_position(&rules, text).with_context(|| format!("--fen {text:?}"))?,
    };
    for text in &args.moves {
        match UciNotation::parse_move(&board, text) {
            Ok(mv) => board.play(mv),
            Err(error) => bail!("--moves {text}: {error} in {}", fen::to_string(&board)),
        }
    }
    let told = explain(&board, &start_weights(&args.weights)?);
    if args.json {
        let report = json!({ "position": fen::to_string(&board), "weights": args.weights, "evaluation": told });
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        println!("{}\n{told}", fen::to_string(&board));
    }
    Ok(ExitCode::SUCCESS)
}
