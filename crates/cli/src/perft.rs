//! `tesuji perft`: counts the leaves of the move tree, on one thread or many, with a count per root move.

use anyhow::{Context, bail};
use serde_json::json;
use std::{
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_chess::{Board, Chess, Move, Rules, UciNotation, fen, perft};
use tesuji_game::{Game, Notation, Position};

/// Arguments of `tesuji perft`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji perft chess --depth 6\n  \
    tesuji perft chess --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -' --depth 4 --divide\n  \
    tesuji perft chess --moves e2e4 e7e5 --depth 5 --threads 2 --json")]
pub(crate) struct Args {
    /// The game: chess
    #[arg(value_parser = ["chess"])]
    game: String,
    /// The position, as FEN, X-FEN or Shredder-FEN [default: the start position]
    #[arg(long, visible_alias = "position", value_name = "FEN")]
    fen: Option<String>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// Plies
    #[arg(long, short, value_parser = clap::value_parser!(u32).range(0..=20), value_name = "N")]
    depth: u32,
    /// Show the count below each root move
    #[arg(long)]
    divide: bool,
    /// Castle as in Chess960
    #[arg(long)]
    chess960: bool,
    /// Threads
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=512), value_name = "T")]
    threads: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Counts, and prints what was counted.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let board = position(&args)?;
    let began = Instant::now();
    let counts = if args.depth == 0 { Vec::new() } else { count_each(&board, args.depth, args.threads as usize) };
    let total = if args.depth == 0 { 1 } else { counts.iter().map(|(_, n)| n).sum() };
    let elapsed = began.elapsed();
    if args.json {
        print_json(&args, &board, &counts, total, elapsed)?
    } else {
        print(&args, &board, &counts, total, elapsed)
    }
    Ok(ExitCode::SUCCESS)
}

fn position(args: &Args) -> anyhow::Result<Board> {
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
    Ok(board)
}

/// Counts below every root move; threads take the next move that nobody has.
fn count_each(board: &Board, depth: u32, threads: usize) -> Vec<(Move, u64)> {
    let moves = board.legal_moves();
    let next = AtomicUsize::new(0);
    let counts = Mutex::new(vec![0; moves.len()]);
    thread::scope(|scope| {
        for _ in 0..threads.min(moves.len()).max(1) {
            scope.spawn(|| {
                while let Some(&mv) = moves.get(next.fetch_add(1, Relaxed)) {
                    let n = perft::below(board, mv, depth);
                    let at = moves.iter().position(|&m| m == mv).unwrap_or(0);
                    counts.lock().unwrap_or_else(|e| e.into_inner())[at] = n;
                }
            });
        }
    });
    moves.into_iter().zip(counts.into_inner().unwrap_or_else(|e| e.into_inner())).collect()
}

fn written(board: &Board, mv: Move) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = UciNotation::write_move(board, mv, &mut text);
    text
}

fn print(args: &Args, board: &Board, counts: &[(Move, u64)], total: u64, elapsed: Duration) {
    if args.divide {
        let mut lines: Vec<_> = counts.iter().map(|&(mv, n)| (written(board, mv), n)).collect();
        lines.sort();
        for (mv, n) in lines {
            println!("{mv}: {n}");
        }
        println!();
    }
    let speed = total as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    println!("position  {}", fen::to_string(board));
    println!("perft({})  {total}", args.depth);
    println!(
        "time      {:.3} s, {speed:.1} million leaves a second, {} thread(s)",
        elapsed.as_secs_f64(),
        args.threads
    );
}

fn print_json(args: &Args, board: &Board, counts: &[(Move, u64)], total: u64, elapsed: Duration) -> anyhow::Result<()> {
    let divide: serde_json::Map<_, _> = counts.iter().map(|&(mv, n)| (written(board, mv), json!(n))).collect();
    let mut report = json!({
        "position": fen::to_string(board),
        "depth": args.depth,
        "count": total,
        "seconds": elapsed.as_secs_f64(),
        "threads": args.threads,
    });
    if args.divide {
        report["divide"] = divide.into();
    }
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}
