//! `tesuji perft`: counts the leaves of the move tree, on one thread or many, with a count per root move.

mod go;

use anyhow::bail;
use serde_json::json;
use std::{
    ops::ControlFlow,
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_chess::Chess;
use tesuji_game::{Game, Notation, Position};
use tesuji_kit::Pasted;
use tesuji_shogi::Shogi;

/// Arguments of `tesuji perft`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji perft chess --depth 6\n  \
    tesuji perft chess --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -' --depth 4 --divide\n  \
    tesuji perft chess --moves e2e4 e7e5 --depth 5 --threads 2 --json\n  \
    tesuji perft shogi --depth 5\n  \
    tesuji perft go --rules '3x3 tromp-taylor' --depth 5\n  \
    tesuji perft go --rules 4x4 --legal")]
pub(crate) struct Args {
    /// The game
    #[arg(value_parser = ["chess", "shogi", "go"])]
    game: String,
    /// The position, as FEN, X-FEN or Shredder-FEN, as SFEN, or as docs/go.md says [default: the start position]
    #[arg(long, visible_aliases = ["position", "sfen"], value_name = "FEN")]
    fen: Option<Pasted>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// Plies
    #[arg(long, short, default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=20), value_name = "N")]
    depth: u32,
    /// Rules of go: size, name, flags
    #[arg(long, default_value = "9x9", value_name = "RULES")]
    rules: String,
    /// Count the boards of go of this size on which every chain has a liberty (up to 16 points)
    #[arg(long)]
    legal: bool,
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

/// The move of a game.
type MoveOf<G> = <<G as Game>::Position as Position>::Move;

/// Counts, and prints what was counted.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.game.as_str() {
        "shogi" | "go" if args.chess960 => bail!("--chess960 is for chess"),
        "go" => go::run(&args),
        _ if args.legal => bail!("--legal is for go"),
        "shogi" => run_game::<Shogi>(&args, tesuji_shogi::Rules::default(), tesuji_shogi::perft::below),
        _ => {
            let rules = tesuji_chess::Rules { chess960: args.chess960 };
            run_game::<Chess>(&args, rules, tesuji_chess::perft::below)
        }
    }
}

/// Counts in the game `G`; `below` counts under one move.
fn run_game<G: Game>(
    args: &Args,
    rules: G::Rules,
    below: fn(&G::Position, MoveOf<G>, u32) -> u64,
) -> anyhow::Result<ExitCode> {
    let board = args.fen.clone().unwrap_or_default().and(&args.moves).read::<G>(&rules)?;
    let began = Instant::now();
    let counts =
        if args.depth == 0 { Vec::new() } else { count_each::<G>(&board, args.depth, args.threads as usize, below) };
    let total = if args.depth == 0 { 1 } else { counts.iter().map(|(_, n)| n).sum() };
    let elapsed = began.elapsed();
    let counts: Vec<(String, u64)> = counts.into_iter().map(|(mv, n)| (written::<G>(&board, mv), n)).collect();
    let place = place::<G>(&board);
    if args.json {
        print_json(args, place, &counts, total, elapsed)?
    } else {
        print(args, &place, &counts, total, elapsed)
    }
    Ok(ExitCode::SUCCESS)
}

/// Counts below every root move; threads take the next move that nobody has.
fn count_each<G: Game>(
    board: &G::Position,
    depth: u32,
    threads: usize,
    below: fn(&G::Position, MoveOf<G>, u32) -> u64,
) -> Vec<(MoveOf<G>, u64)> {
    let mut moves = Vec::new();
    let _ = board.for_each_move(|mv| {
        moves.push(mv);
        ControlFlow::<()>::Continue(())
    });
    let next = AtomicUsize::new(0);
    let counts = Mutex::new(vec![0; moves.len()]);
    thread::scope(|scope| {
        for _ in 0..threads.min(moves.len()).max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Relaxed);
                    let Some(&mv) = moves.get(at) else { return };
                    let n = below(board, mv, depth);
                    counts.lock().unwrap_or_else(|e| e.into_inner())[at] = n;
                }
            });
        }
    });
    moves.into_iter().zip(counts.into_inner().unwrap_or_else(|e| e.into_inner())).collect()
}

/// A position in its game's notation; writing to a string cannot fail.
fn place<G: Game>(board: &G::Position) -> String {
    let mut text = String::new();
    let _ = G::Notation::write_position(board, &mut text);
    text
}

fn written<G: Game>(board: &G::Position, mv: MoveOf<G>) -> String {
    let mut text = String::new();
    let _ = G::Notation::write_move(board, mv, &mut text);
    text
}

fn print(args: &Args, place: &str, counts: &[(String, u64)], total: u64, elapsed: Duration) {
    if args.divide {
        let mut lines = counts.to_vec();
        lines.sort();
        for (mv, n) in lines {
            println!("{mv}: {n}");
        }
        println!();
    }
    let speed = total as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    println!("position  {place}");
    println!("perft({})  {total}", args.depth);
    println!(
        "time      {:.3} s, {speed:.1} million leaves a second, {} thread(s)",
        elapsed.as_secs_f64(),
        args.threads
    );
}

fn print_json(
    args: &Args,
    place: String,
    counts: &[(String, u64)],
    total: u64,
    elapsed: Duration,
) -> anyhow::Result<()> {
    let divide: serde_json::Map<_, _> = counts.iter().map(|(mv, n)| (mv.clone(), json!(n))).collect();
    let mut report = json!({
        "position": place,
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
