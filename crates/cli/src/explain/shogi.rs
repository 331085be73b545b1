//! A position of shogi, explained.

use super::Args;
use anyhow::{Context, bail};
use serde_json::json;
use std::{fs, process::ExitCode};
use tesuji_game::{Game, Notation, Position};
use tesuji_shogi::{Rules, Shogi, UsiNotation};
use tesuji_shogi_eval::{builtin_weights, explain, load_weights, material_weights};

/// Explains a position.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.file.is_some() || args.chess960 {
        bail!("games and --chess960 are explained for chess only; give a position with --sfen");
    }
    let rules = Rules::default();
    let mut board = match &args.fen {
        None => Shogi::start(&rules),
        Some(text) => UsiNotation::parse_position(&rules, text).with_context(|| format!("--sfen {text:?}"))?,
    };
    for text in &args.moves {
        match UsiNotation::parse_move(&board, text) {
            Ok(mv) => board.play(mv),
            Err(error) => bail!("--moves {text}: {error} in {board}"),
        }
    }
    let weights = match args.weights.as_str() {
        "builtin" => builtin_weights(),
        "material" => material_weights(),
        path => load_weights(&fs::read_to_string(path).with_context(|| path.to_string())?, path)?,
    };
    let told = explain(&board, &weights);
    if args.json {
        let report = json!({ "position": board.to_string(), "weights": args.weights, "evaluation": told });
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        println!("{board}\n{told}");
    }
    Ok(ExitCode::SUCCESS)
}
