//! `tesuji match --make-openings`: a book of balanced openings, made of random moves that our own engine finds level.

use super::{Args, book};
use crate::games;
use anyhow::{Context, bail};
use std::io::Write;
use std::{collections::HashSet, path::Path, path::PathBuf, process::ExitCode, sync::Mutex, sync::PoisonError};
use tesuji_arena::{Making, Opening, make_opening};
use tesuji_game::Value;
use tesuji_jobs::{AtomicFile, Existing, Interrupt, Progress, Show, check_output, threads};
use tesuji_kit::Kit;

/// Options of making openings. `--plies`, `--seed`, `--nodes`, `--rules` and `--concurrency` hold, too.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Making openings")]
pub(super) struct MakingArgs {
    /// Write different balanced openings, one position a line, and play nothing; without --plies 8 moves each, without --seed
    /// seed 1, without --nodes 20,000 for a look
    #[arg(long, value_name = "FILE")]
    make_openings: Option<PathBuf>,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// The largest advantage of either side, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 40, value_parser = clap::value_parser!(u32).range(..=30_000))]
    balance: u32,
}

/// Nodes for the last word on an opening.
const NODES: u64 = 20_000;
/// The first look is so much cheaper, and may err by so much.
const CHEAPER: u64 = 20;
const DOUBT_CP: i32 = 60;
/// Openings made between two looks at what is there already.
const BATCH: u64 = 64;
/// Batches without a new opening until the game is taken to have no more.
const BARREN_MAX: u32 = 20;

impl MakingArgs {
    /// The file to be made, if one is.
    pub(super) fn file(&self) -> Option<&Path> {
        self.make_openings.as_deref()
    }
}

/// Makes the book. The same bytes for any number of threads.
pub(super) fn run(args: &Args, file: &Path) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let asked = &args.making;
    let making = Making {
        rules: args.rules.clone(),
        plies: args.plies.unwrap_or(book::PLIES),
        takes: kit.opening_moves(&args.rules),
        count: asked.count,
        seed: args.seed.unwrap_or(1),
        balance_cp: asked.balance,
    };
    let nodes = args.nodes.unwrap_or(NODES);
    // Before the work: a file that cannot be written is told at once.
    check_output(file, Existing::Refuse)?;
    let mut output = AtomicFile::create(file)?;
    let stop = Interrupt::of_process();
    let show = if args.quiet { Show::Quiet } else { Show::Auto };
    let progress = Progress::start("openings", "openings", Some(asked.count as u64), show);
    let (mut seen, mut lines, mut next, mut barren) = (HashSet::new(), String::new(), 0, 0);
    while seen.len() < asked.count && barren < BARREN_MAX {
        let made = batch(kit, &making, nodes, next, threads(args.concurrency.unwrap_or(0)), &stop);
        if stop.is_raised() {
            eprintln!("stopped; {} is as it was", file.display());
            return Ok(ExitCode::from(4));
        }
        let before = seen.len();
        for Made { text, place, moves } in made.into_iter().flatten() {
            if seen.len() < asked.count && seen.insert(place.clone()) {
                lines += match &moves {
                    Some(moves) => moves,
                    None if is_epd(file) => &place,
                    None => &text,
                };
                lines.push('\n');
            }
        }
        barren = if seen.len() == before { barren + 1 } else { 0 };
        progress.set(seen.len() as u64);
        next += BATCH;
    }
    progress.finish();
    if seen.len() < asked.count {
        bail!("only {} such openings were found; --plies or --balance could be larger", seen.len());
    }
    output.write_all(lines.as_bytes()).with_context(|| file.display().to_string())?;
    output.commit()?;
    println!("{} openings in {}", seen.len(), file.display());
    Ok(ExitCode::SUCCESS)
}

/// The positions of the openings `from` and on, as text, in their order.
fn batch(kit: &dyn Kit, making: &Making, nodes: u64, from: u64, jobs: usize, stop: &Interrupt) -> Vec<Option<Made>> {
    let next = Mutex::new(0);
    let made: Mutex<Vec<Option<Made>>> = Mutex::new((0..BATCH).map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let Ok(mut player) = kit.player("") else { return };
                loop {
                    let mut turn = next.lock().unwrap_or_else(PoisonError::into_inner);
                    let index = *turn;
                    *turn += 1;
                    drop(turn);
                    if index >= BATCH || stop.is_raised() {
                        return;
                    }
                    let mut judge = |opening: &Opening| -> Option<Value> {
                        let mut look = |nodes| book::look(player.as_mut(), &making.rules, opening, nodes);
                        let first = look((nodes / CHEAPER).max(1))?;
                        let hopeless = first.raw().abs() > making.balance_cp as i32 + DOUBT_CP;
                        if hopeless { Some(first) } else { look(nodes) }
                    };
                    let opening = make_opening(kit, making, from + index, &mut judge);
                    let text = opening.and_then(|o| Made::of(kit, &making.rules, &o));
                    made.lock().unwrap_or_else(PoisonError::into_inner)[index as usize] = text;
                }
            });
        }
    });
    made.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// An opening that was made.
struct Made {
    /// The position after it.
    text: String,
    /// What decides whether two positions are the same for a player.
    place: String,
    /// The line of the book, where positions say less than moves: engines of GTP are told moves.
    moves: Option<String>,
}

impl Made {
    fn of(kit: &dyn Kit, rules: &str, opening: &Opening) -> Option<Made> {
        let mut table = kit.table(rules, opening.start.as_deref()).ok()?;
        opening.moves.iter().try_for_each(|mv| table.play(mv)).ok()?;
        let text = table.position();
        let Some(place) = kit.symmetry_key(&text) else {
            return Some(Made { place: fields(&text, 4), text, moves: None });
        };
        let start = opening.start.as_deref().unwrap_or("startpos");
        Some(Made { text, place, moves: Some(format!("{start} moves {}", opening.moves.join(" "))) })
    }
}

/// The first words of a line.
fn fields(text: &str, n: usize) -> String {
    text.split_ascii_whitespace().take(n).collect::<Vec<_>>().join(" ")
}

fn is_epd(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("epd"))
}
