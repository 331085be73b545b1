//! A book of balanced openings, made of random moves that our own engine finds level.

use crate::opening_files::{PLIES, look};
use crate::openings::check_plies;
use crate::request_error::{Context as _, refuse};
use crate::{Making, Opening, make_opening};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::{collections::HashSet, path::Path, sync::Mutex, sync::PoisonError};
use tesuji_game::Value;
use tesuji_jobs::{AtomicFile, Interrupt, Progress, on_threads, threads};
use tesuji_kit::{Kit, RequestError, check_new_output};

/// A request to make openings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningsRequest {
    /// The rules; empty: the usual ones.
    pub rules: String,
    /// Random moves of each; 8 if not given.
    pub plies: Option<u32>,
    /// The number wanted.
    pub count: usize,
    /// The seed of the random moves.
    pub seed: u64,
    /// The largest advantage of either side, in centipawns.
    pub balance_cp: u32,
    /// Nodes of the search that judges each; 20,000 if not given.
    pub nodes: Option<u64>,
    /// Openings made at a time; 0: one for each processor.
    pub jobs: usize,
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

/// Makes different balanced openings and writes them into `file`, one position a line. The same bytes for any number of threads.
/// Returns how many they are; `None` when it was stopped, and nothing was written.
///
/// # Errors
/// When there are too few such openings, or the file cannot be written.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{OpeningsRequest, read_openings, write_openings};
/// use tesuji_four::FOUR;
/// use tesuji_jobs::{Interrupt, Progress, Show};
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("openings.txt");
/// let request = OpeningsRequest {
///     rules: String::new(),
///     plies: Some(3),
///     count: 2,
///     seed: 7,
///     balance_cp: 100,
///     nodes: Some(40),
///     jobs: 1,
/// };
/// let progress = Progress::start("openings", "openings", Some(2), Show::Quiet);
/// assert_eq!(write_openings(&FOUR, &request, &file, &Interrupt::new(), &progress)?, Some(2));
/// assert_eq!(read_openings(&FOUR, &file, "", None)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_openings(
    kit: &dyn Kit,
    asked: &OpeningsRequest,
    file: &Path,
    stop: &Interrupt,
    progress: &Progress,
) -> Result<Option<usize>, RequestError> {
    let making = Making {
        rules: asked.rules.clone(),
        plies: asked.plies.unwrap_or(PLIES),
        takes: kit.opening_moves(&asked.rules),
        count: asked.count,
        seed: asked.seed,
        balance_cp: asked.balance_cp,
    };
    let nodes = asked.nodes.unwrap_or(NODES);
    // Before the work: a file that cannot be written is told at once.
    check_new_output(file, [""; 0])?;
    check_plies(kit, &making, &|| stop.is_raised())?;
    let mut output = AtomicFile::create(file)?;
    let (mut seen, mut lines, mut next, mut barren) = (HashSet::new(), String::new(), 0, 0);
    while seen.len() < asked.count && barren < BARREN_MAX {
        let made = batch(kit, &making, nodes, next, threads(asked.jobs).min(BATCH as usize), stop);
        if stop.is_raised() {
            return Ok(None);
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
        refuse!("only {} such openings were found; --plies or --balance could be larger", seen.len());
    }
    output.write_all(lines.as_bytes()).context(file.display())?;
    output.commit()?;
    Ok(Some(seen.len()))
}

/// The positions of the openings `from` and on, as text, in their order.
fn batch(kit: &dyn Kit, making: &Making, nodes: u64, from: u64, jobs: usize, stop: &Interrupt) -> Vec<Option<Made>> {
    let next = Mutex::new(0);
    let made: Mutex<Vec<Option<Made>>> = Mutex::new((0..BATCH).map(|_| None).collect());
    on_threads(jobs, &|| {
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
                let mut look = |nodes| look(player.as_mut(), &making.rules, opening, nodes);
                let first = look((nodes / CHEAPER).max(1))?;
                let hopeless = first.raw().abs() > making.balance_cp as i32 + DOUBT_CP;
                if hopeless { Some(first) } else { look(nodes) }
            };
            let opening = make_opening(kit, making, from + index, &mut judge);
            let text = opening.and_then(|o| Made::of(kit, &making.rules, &o));
            made.lock().unwrap_or_else(PoisonError::into_inner)[index as usize] = text;
        }
    });
    made.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// An opening that was made.
struct Made {
    /// The position after it.
    text: String,
    /// The key by which two positions are the same for a player.
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
