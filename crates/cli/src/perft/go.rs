//! Move sequences of go, superko and passes included, and legal boards.

use super::{Args, print, print_json};
use anyhow::{Context, bail};
use std::{
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::Instant,
};
use tesuji_game::{Line, Notation};
use tesuji_go::{Area, GoPosition, GtpNotation, Large, Medium, Move, Rules, Small, notation, perft};
use tesuji_kit::Pasted;

/// The most points of a board whose legal boards are counted by trying them all.
const LEGAL_POINTS_MAX: usize = 16;

/// Counts in go, on the smallest boards that hold the rules'.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules: Rules = args.rules.parse().with_context(|| format!("--rules {:?}", args.rules))?;
    let Pasted { start, moves } = args.fen.clone().unwrap_or_default().and(&args.moves);
    let text = start.as_deref().unwrap_or_default();
    let size = notation::size_of(&rules, text).with_context(|| format!("--fen {text:?}"))?;
    if Small::holds(size) {
        count::<Small>(args, &rules, text, &moves)
    } else if Medium::holds(size) {
        count::<Medium>(args, &rules, text, &moves)
    } else {
        count::<Large>(args, &rules, text, &moves)
    }
}

fn count<A: Area>(args: &Args, rules: &Rules, text: &str, moves: &[String]) -> anyhow::Result<ExitCode> {
    let start: GoPosition<A> = GtpNotation::parse_position(rules, text).with_context(|| format!("--fen {text:?}"))?;
    let began = Instant::now();
    let place = format!("{} under {}", written(&start), start.rules());
    if args.legal {
        if start.size().points() > LEGAL_POINTS_MAX {
            bail!("--legal tries every board: it counts boards of up to {LEGAL_POINTS_MAX} points");
        }
        println!("size      {}\nlegal     {}", start.size(), perft::legal_boards(&start));
        println!("time      {:.3} s", began.elapsed().as_secs_f64());
        return Ok(ExitCode::SUCCESS);
    }
    let mut line = Line::new(start);
    for text in moves {
        let mv = GtpNotation::parse_move(line.here(), text).with_context(|| format!("--moves {text}"))?;
        let mut legal = Vec::new();
        line.legal_moves(&mut legal);
        if !legal.contains(&mv) {
            bail!("--moves {text}: that repeats an earlier board");
        }
        line.push(mv);
    }
    let counts = if args.depth == 0 || line.outcome().is_some() { Vec::new() } else { count_each(&line, args) };
    let total = if args.depth == 0 { 1 } else { counts.iter().map(|(_, n)| n).sum() };
    let elapsed = began.elapsed();
    if args.json {
        print_json(args, place, &counts, total, elapsed)?;
    } else {
        print(args, &place, &counts, total, elapsed);
    }
    Ok(ExitCode::SUCCESS)
}

/// Counts below every move of the line's end; threads take the next move that nobody has.
fn count_each<A: Area>(line: &Line<GoPosition<A>>, args: &Args) -> Vec<(String, u64)> {
    let mut moves: Vec<Move> = Vec::new();
    line.legal_moves(&mut moves);
    let (next, counts) = (AtomicUsize::new(0), Mutex::new(vec![0; moves.len()]));
    thread::scope(|scope| {
        for _ in 0..(args.threads as usize).min(moves.len()).max(1) {
            scope.spawn(|| {
                let mut line = line.clone();
                while let Some((at, &mv)) = Some(next.fetch_add(1, Relaxed)).and_then(|at| Some((at, moves.get(at)?))) {
                    let n = perft::below(&mut line, mv, args.depth);
                    counts.lock().unwrap_or_else(PoisonError::into_inner)[at] = n;
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    moves.iter().map(Move::to_string).zip(counts).collect()
}

fn written<A: Area>(pos: &GoPosition<A>) -> String {
    let mut text = String::new();
    let _ = GtpNotation::write_position(pos, &mut text);
    text
}
