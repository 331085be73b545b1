//! A book of balanced openings, made of random moves that our own engine finds level, or of moves that it plays itself.

use crate::opening_files::{PLIES, look};
use crate::opening_play::{KnownMoves, OpeningPlay};
use crate::openings::{check_plies, make_opening_by};
use crate::request_error::{Context as _, refuse};
use crate::{Making, Opening, make_opening};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::{path::Path, sync::Mutex, sync::PoisonError};
use tesuji_game::Value;
use tesuji_jobs::{AtomicFile, Interrupt, Progress, on_threads, threads};
use tesuji_kit::{Kit, RequestError, check_new_output};

/// A request to make openings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningsRequest {
    /// The rules; empty: the usual ones.
    pub rules: String,
    /// Moves of each; 8 if not given.
    pub plies: Option<u32>,
    /// The most that a move is worse than the best one, in centipawns, where our own engine plays the moves (with the nodes that it
    /// judges with, the first ones with more); random moves if not given.
    pub spread_cp: Option<u32>,
    /// The number wanted.
    pub count: usize,
    /// The seed of what is random.
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

/// A book of openings that was made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpeningsMade {
    /// The number of openings.
    pub count: usize,
    /// The mean and the largest advantage of either side, in centipawns.
    pub advantage_cp: (f64, u32),
    /// First moves with the number of openings that begin with them, the most frequent first.
    pub first_moves: Vec<(String, usize)>,
}

impl OpeningsMade {
    fn of(made: &[Made]) -> OpeningsMade {
        let advantages = || made.iter().map(|one| one.value_cp.unsigned_abs());
        let mean = advantages().map(f64::from).sum::<f64>() / made.len().max(1) as f64;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        made.iter().filter_map(|one| one.first_move.as_deref()).for_each(|mv| *counts.entry(mv).or_default() += 1);
        let mut first_moves: Vec<(String, usize)> = counts.into_iter().map(|(mv, n)| (mv.to_string(), n)).collect();
        first_moves.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        OpeningsMade { count: made.len(), advantage_cp: (mean, advantages().max().unwrap_or(0)), first_moves }
    }
}

/// Makes different balanced openings and writes them into `file`, one position a line. The same bytes for any number of threads.
/// Returns what they are like; `None` when it was stopped, and nothing was written.
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
///     spread_cp: None,
///     count: 2,
///     seed: 7,
///     balance_cp: 100,
///     nodes: Some(40),
///     jobs: 1,
/// };
/// let progress = Progress::start("openings", "openings", Some(2), Show::Quiet);
/// let made = write_openings(&FOUR, &request, &file, &Interrupt::new(), &progress)?.expect("nobody stops it");
/// assert!(made.count == 2 && made.advantage_cp.1 <= 100);
/// assert_eq!(read_openings(&FOUR, &file, "", None)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_openings(
    kit: &dyn Kit,
    asked: &OpeningsRequest,
    file: &Path,
    stop: &Interrupt,
    progress: &Progress,
) -> Result<Option<OpeningsMade>, RequestError> {
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
    let known = KnownMoves::default();
    let play = asked.spread_cp.map(|spread_cp| {
        let (rules, plies) = (making.rules.as_str(), making.plies);
        OpeningPlay { kit, rules, plies, spread_cp, nodes, known: &known }
    });
    play.as_ref().map(OpeningPlay::player).transpose()?;
    let mut output = AtomicFile::create(file)?;
    let (mut seen, mut all, mut next, mut barren) = (HashSet::new(), Vec::new(), 0, 0);
    while seen.len() < asked.count && barren < BARREN_MAX {
        let jobs = threads(asked.jobs).min(BATCH as usize);
        let made = batch(kit, (&making, play.as_ref()), nodes, next, jobs, stop);
        if stop.is_raised() {
            return Ok(None);
        }
        let before = seen.len();
        for made in made.into_iter().flatten() {
            if seen.len() < asked.count && seen.insert(made.place.clone()) {
                all.push(made);
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
    for Made { text, place, moves, .. } in &all {
        let line = moves.as_ref().unwrap_or(if is_epd(file) { place } else { text });
        writeln!(output, "{line}").context(file.display())?;
    }
    output.commit()?;
    Ok(Some(OpeningsMade::of(&all)))
}

/// The positions of the openings `from` and on, as text, in their order.
fn batch(
    kit: &dyn Kit,
    (making, play): (&Making, Option<&OpeningPlay<'_>>),
    nodes: u64,
    from: u64,
    jobs: usize,
    stop: &Interrupt,
) -> Vec<Option<Made>> {
    let next = Mutex::new(0);
    let made: Mutex<Vec<Option<Made>>> = Mutex::new((0..BATCH).map(|_| None).collect());
    on_threads(jobs, &|| {
        let Ok(mut player) = kit.player("") else { return };
        let mut playing = play.and_then(|play| Some((play, play.player().ok()?)));
        loop {
            let mut turn = next.lock().unwrap_or_else(PoisonError::into_inner);
            let index = *turn;
            *turn += 1;
            drop(turn);
            if index >= BATCH || stop.is_raised() {
                return;
            }
            let mut value = None;
            let mut judge = |opening: &Opening| -> Option<Value> {
                let mut look = |nodes| look(player.as_mut(), &making.rules, opening, nodes);
                let first = look((nodes / CHEAPER).max(1))?;
                let hopeless = first.raw().abs() > making.balance_cp as i32 + DOUBT_CP;
                value = if hopeless || stop.is_raised() { Some(first) } else { look(nodes) };
                value
            };
            let opening = match &mut playing {
                Some((play, player)) => {
                    let mut walker =
                        |random: &mut _| (!stop.is_raised()).then(|| play.play(player.as_mut(), random))?;
                    make_opening_by(making, from + index, &mut walker, &mut judge)
                }
                None => make_opening(kit, making, from + index, &mut judge),
            };
            // The last that was judged is the one that was taken.
            let text = opening.and_then(|o| Made::of(kit, &making.rules, &o, value));
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
    /// Its first move.
    first_move: Option<String>,
    /// Its value, in centipawns.
    value_cp: i32,
}

impl Made {
    fn of(kit: &dyn Kit, rules: &str, opening: &Opening, value: Option<Value>) -> Option<Made> {
        let mut table = kit.table(rules, opening.start.as_deref()).ok()?;
        opening.moves.iter().try_for_each(|mv| table.play(mv)).ok()?;
        let text = table.position();
        let (first_move, value_cp) = (opening.moves.first().cloned(), value.map_or(0, Value::raw));
        let Some(place) = kit.symmetry_key(&text) else {
            return Some(Made { place: fields(&text, 4), text, moves: None, first_move, value_cp });
        };
        let start = opening.start.as_deref().unwrap_or("startpos");
        let moves = Some(format!("{start} moves {}", opening.moves.join(" ")));
        Some(Made { text, place, moves, first_move, value_cp })
    }
}

/// The first words of a line.
fn fields(text: &str, n: usize) -> String {
    text.split_ascii_whitespace().take(n).collect::<Vec<_>>().join(" ")
}

fn is_epd(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("epd"))
}
