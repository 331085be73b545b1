//! Openings of a match: from files of positions or games, or made by random moves that our own engine finds balanced.

use super::Args;
use anyhow::{Context, bail};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tesuji_arena::{Book, Making, Opening, Order, make_openings};
use tesuji_engine::Player;
use tesuji_game::{Limits, Report, Signal, Value, Watch};
use tesuji_jobs::open_input;
use tesuji_kit::{Kit, Pasted, SkipErrors};
use tesuji_record::Records;

/// The order of openings on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum OrderArg {
    /// Shuffled by the seed
    Random,
    /// As they stand
    Sequential,
}

/// What stands for a file where openings are to be made of random moves.
const RANDOM: &str = "random";
/// Files of lines are read here: they may hold moves, too.
const LINES: &str = "epd";
/// How files of openings that were made begin: with the command, or with a line of moves.
const MADE: &[u8] = b"# tesuji match ";
const START: &[u8] = b"startpos";
/// Random moves of a made opening.
pub(super) const PLIES: u32 = 8;
/// Openings that are made at most; longer matches repeat them.
const MADE_MAX: u64 = 1000;
/// Nodes for a look at each.
const LOOK_NODES: u64 = 1000;
/// What counts as balanced, in centipawns.
const BALANCE_CP: u32 = 80;

/// The openings of a match of so many rounds, in the order in which they are played.
///
/// # Errors
/// When a file cannot be read, or holds an opening that cannot be played, or none.
pub(super) fn openings(kit: &dyn Kit, args: &Args, seed: u64, rounds: u64) -> anyhow::Result<Book> {
    let order = match args.order {
        OrderArg::Random => Order::Random,
        OrderArg::Sequential => Order::Sequential(0),
    };
    let first = (args.start - 1) as usize;
    let (openings, order): (Book, Order) = match &args.openings {
        Some(path) if path != Path::new(RANDOM) => {
            (args.skip.hinted(read_book(kit, path, &args.rules, args.plies, *args.skip))?, order)
        }
        None if args.plies.is_none() && kit.openings(&args.rules).is_some() => {
            (built_in(kit, &args.rules).iter().collect(), order)
        }
        _ => {
            let count = rounds.saturating_add(first as u64).min(MADE_MAX) as usize;
            let plies = args.plies.unwrap_or(PLIES);
            let takes = kit.opening_moves(&args.rules);
            let making = Making { rules: args.rules.clone(), plies, takes, count, seed, balance_cp: BALANCE_CP };
            // They are random as they are made, and so a longer match begins like a shorter one.
            (make(kit, &making).iter().collect(), Order::Sequential(0))
        }
    };
    if openings.is_empty() {
        bail!("there is no opening to play");
    }
    Ok(openings.arranged(order, seed, first, rounds.max(1) as usize))
}

/// Makes openings, judged by our own engine where there is one.
fn make(kit: &dyn Kit, making: &Making) -> Vec<Opening> {
    let mut player = kit.player("").ok();
    make_openings(kit, making, &mut |opening| look(player.as_mut()?.as_mut(), &making.rules, opening, LOOK_NODES))
}

/// The value of an opening's last position for its side to move.
pub(super) fn look(player: &mut dyn Player, rules: &str, opening: &Opening, nodes: u64) -> Option<Value> {
    player.new_game();
    player.set_position(rules, opening.start.as_deref(), &opening.moves).ok()?;
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let report = player.go(&limits, &[], &mut Alone(Instant::now()));
    report.lines.first().map(|line| line.value)
}

/// A search that nobody watches.
struct Alone(Instant);

impl Watch<String> for Alone {
    fn signal(&mut self) -> Signal {
        Signal::Run
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}
}

/// The openings that are built in; none where the game has none under these rules.
pub(crate) fn built_in(kit: &dyn Kit, rules: &str) -> Vec<Opening> {
    let text = kit.openings(rules).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| read_line(kit, rules, line, usize::MAX)).collect()
}

/// Reads a book: games where the name is that of a format of games, lines of positions otherwise; of a folder all files of
/// games, by their names.
pub(crate) fn read(kit: &dyn Kit, path: &Path, rules: &str, plies: Option<u32>) -> anyhow::Result<Vec<Opening>> {
    Ok(read_book(kit, path, rules, plies, SkipErrors::default())?.iter().collect())
}

fn read_book(kit: &dyn Kit, path: &Path, rules: &str, plies: Option<u32>, skip: SkipErrors) -> anyhow::Result<Book> {
    let mut book = Book::new();
    if !path.is_dir() {
        read_file(kit, path, (rules, plies), skip, &mut book)?;
        return Ok(book);
    }
    let entries = std::fs::read_dir(path).with_context(|| path.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    let is_of_games = |file: &PathBuf| {
        let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        name.contains('.') && kit.format(&name).is_some_and(|format| format.name() != LINES)
    };
    files.retain(|file| file.is_file() && is_of_games(file));
    files.sort();
    if files.is_empty() {
        bail!("{}: no games of {} in this folder", path.display(), kit.name());
    }
    for file in &files {
        read_file(kit, file, (rules, plies), skip, &mut book)?;
    }
    Ok(book)
}

/// Whether two texts are the same as far as both are there: of a file only the first bytes may be known yet.
fn agree(a: &[u8], b: &[u8]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

fn read_file(
    kit: &dyn Kit,
    path: &Path,
    (rules, plies): (&str, Option<u32>),
    skip: SkipErrors,
    book: &mut Book,
) -> anyhow::Result<()> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut input = open_input(path)?;
    // What --make-openings writes, whatever its name: lists of games of go are `.txt`, too.
    let is_ours =
        input.fill_buf().is_ok_and(|begin| begin.len() >= 4 && [MADE, START].iter().any(|made| agree(made, begin)));
    let plies = plies.map_or(usize::MAX, |n| n as usize);
    let mut add = |opening: Opening, place: String| -> anyhow::Result<()> {
        let mut table = kit.table(rules, opening.start.as_deref()).with_context(|| place.clone())?;
        for mv in &opening.moves {
            table.play(mv).with_context(|| place.clone())?;
        }
        // A game that is over is no opening.
        if table.outcome().is_none() {
            book.push(&opening);
        }
        Ok(())
    };
    match kit.format(&name).filter(|format| !is_ours && name.contains('.') && format.name() != LINES) {
        Some(format) => {
            for (index, record) in Records::new(format.reader(input)).enumerate() {
                let place = format!("{}: game {}", path.display(), index + 1);
                let Some(record) = skip.leave_out(record.with_context(|| place.clone()))? else { continue };
                let moves = record.main_line().into_iter().take(plies).collect();
                skip.leave_out(add(Opening { start: record.start.clone(), moves }, place))?;
            }
        }
        None => {
            for (index, line) in input.lines().enumerate() {
                let place = format!("{}: line {}", path.display(), index + 1);
                let line = line.with_context(|| place.clone())?;
                let line = line.trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let opening = read_line(kit, rules, line, plies)
                    .with_context(|| format!("{place}: no position that {} knows: {line}{}", kit.name(), skip.hint()));
                if let Some(opening) = skip.leave_out(opening)? {
                    skip.leave_out(add(opening, place))?;
                }
            }
        }
    }
    Ok(())
}

/// A line of a book: a position as people paste it, what an EPD has behind it, `moves …`.
fn read_line(kit: &dyn Kit, rules: &str, line: &str, plies: usize) -> Option<Opening> {
    let Ok(Pasted { start, mut moves }) = line.parse();
    moves.truncate(plies);
    let Some(position) = start else { return Some(Opening { start: None, moves }) };
    let first = |n| position.split_ascii_whitespace().take(n).collect::<Vec<_>>().join(" ");
    // An EPD has four fields and then operations; a FEN has six.
    let readings = [position.to_string(), first(6), format!("{} 0 1", first(4)), first(4)];
    // As the game writes it: records want whole positions.
    let table = readings.into_iter().find_map(|text| kit.table(rules, Some(&text)).ok())?;
    Some(Opening { start: Some(table.position()), moves })
}

/// Openings for a journal.
pub(super) fn to_text(openings: &Book) -> anyhow::Result<String> {
    let plain: Vec<(Option<String>, String)> = openings.iter().map(|o| (o.start, o.moves.join(" "))).collect();
    Ok(serde_json::to_string(&plain)?)
}

/// Openings from a journal.
pub(super) fn from_text(text: &str) -> anyhow::Result<Book> {
    let plain: Vec<(Option<String>, String)> = serde_json::from_str(text)?;
    let moves = |text: String| text.split_ascii_whitespace().map(str::to_string).collect();
    let mut book = Book::new();
    for (start, text) in plain {
        book.push(&Opening { start, moves: moves(text) });
    }
    Ok(book)
}
