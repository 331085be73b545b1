//! Openings of a match: from files of positions or games, or made by random moves that our own engine finds balanced.

use crate::request_error::{Context as _, refuse};
use crate::{Book, Making, Opening, make_openings};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use tesuji_engine::Player;
use tesuji_game::{Limits, Value};
use tesuji_jobs::open_limited;
use tesuji_kit::{Kit, Pasted, RequestError, think::Unwatched};
use tesuji_record::{RecordError, Records};
use utoipa::ToSchema;

/// The longest file of openings, in bytes, unpacked. It is read record by record, and the openings alone are held in memory.
const OPENINGS_BYTES_MAX: u64 = 1 << 30;
/// The most bytes that the openings of a match take in memory: some four million positions.
const BOOK_BYTES_MAX: usize = 256 << 20;
/// The longest line of a file of positions or moves, in bytes.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// The order of openings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpeningOrder {
    /// Shuffled by the seed.
    #[default]
    Random,
    /// As they stand.
    Sequential,
}

/// The hint at the end of errors about broken records.
const HINT: &str = "--skip-errors leaves broken records out";
/// The name in place of a file for openings of random moves.
pub const RANDOM: &str = "random";
/// Files of lines are read here: they may hold moves, too.
const LINES: &str = "epd";
/// First lines of opening files that this program made: the command, or a line of moves.
const MADE: &[u8] = b"# tesuji match ";
const START: &[u8] = b"startpos";
/// Random moves of a made opening.
pub(crate) const PLIES: u32 = 8;
/// Openings that are made at most; longer matches repeat them.
pub(crate) const MADE_MAX: u64 = 1000;
/// Nodes for a look at each.
const LOOK_NODES: u64 = 1000;
/// The largest value of a balanced position, in centipawns.
pub(crate) const BALANCE_CP: u32 = 80;

/// Makes openings, judged by our own engine where there is one.
pub(crate) fn make(kit: &dyn Kit, making: &Making) -> Vec<Opening> {
    let mut player = kit.player("").ok();
    make_openings(kit, making, &mut |opening| look(player.as_mut()?.as_mut(), &making.rules, opening, LOOK_NODES))
}

/// The value of an opening's last position for its side to move.
pub(crate) fn look(player: &mut dyn Player, rules: &str, opening: &Opening, nodes: u64) -> Option<Value> {
    player.new_game();
    player.set_position(rules, opening.start.as_deref(), &opening.moves).ok()?;
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let report = player.go(&limits, &[], &mut Unwatched::new());
    report.lines.first().map(|line| line.value)
}

/// The openings that are built in; none where the game has none under these rules.
///
/// # Examples
///
/// ```
/// use tesuji_arena::built_in_openings;
/// use tesuji_four::FOUR;
/// let openings = built_in_openings(&FOUR, "");
/// assert!(openings.len() > 10);
/// // Positions, not moves.
/// assert!(openings.iter().all(|opening| opening.start.is_some()));
/// ```
pub fn built_in_openings(kit: &dyn Kit, rules: &str) -> Vec<Opening> {
    let text = kit.openings(rules).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| read_line(kit, rules, line, usize::MAX)).collect()
}

/// The treatment of broken records.
pub(crate) struct Skip<'a> {
    /// Whether they are left out.
    pub(crate) wanted: bool,
    /// Hears about each that is left out.
    pub(crate) tell: &'a mut dyn FnMut(&str),
}

impl Skip<'_> {
    /// `result`; without the error of a broken record, which is told, where such are left out; `None` then.
    fn leave_out<T>(&mut self, result: Result<T, Broken>) -> Result<Option<T>, RequestError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Broken { words, is_fatal: false }) if self.wanted => {
                (self.tell)(&words);
                Ok(None)
            }
            Err(Broken { words, is_fatal: false }) => refuse!("{words}; {HINT}"),
            Err(Broken { words, is_fatal: true }) => Err(RequestError::failed(words)),
        }
    }
}

/// A record that cannot be read, or the end of reading.
struct Broken {
    words: String,
    /// Whether nothing can be read behind it.
    is_fatal: bool,
}

impl Broken {
    fn record(place: &str, error: impl Display) -> Broken {
        Broken { words: format!("{place}: {error}"), is_fatal: false }
    }
}

/// Reads openings: games where the name is that of a format of games, lines of positions otherwise; of a folder all files of
/// games, by their names.
///
/// # Errors
/// When a file cannot be read, or holds an opening that cannot be played.
///
/// # Examples
///
/// ```
/// use tesuji_arena::read_openings;
/// use tesuji_four::FOUR;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("openings.txt");
/// std::fs::write(&file, "# two openings\nstartpos moves 4 4 3\nstartpos moves 1\n")?;
/// let openings = read_openings(&FOUR, &file, "", Some(2))?;
/// assert_eq!([openings[0].moves.join(" "), openings[1].moves.join(" ")], ["4 4", "1"]);
/// std::fs::write(&file, "startpos moves 8\n")?;
/// assert!(read_openings(&FOUR, &file, "", None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_openings(
    kit: &dyn Kit,
    path: &Path,
    rules: &str,
    plies: Option<u32>,
) -> Result<Vec<Opening>, RequestError> {
    let mut skip = Skip { wanted: false, tell: &mut |_| () };
    Ok(read_book(kit, path, (rules, plies), &mut skip)?.iter().collect())
}

/// [`read_openings`], as a book.
pub(crate) fn read_book(
    kit: &dyn Kit,
    path: &Path,
    (rules, plies): (&str, Option<u32>),
    skip: &mut Skip<'_>,
) -> Result<Book, RequestError> {
    let mut book = Book::new();
    if !path.is_dir() {
        read_file(kit, path, (rules, plies), skip, &mut book)?;
        return Ok(book);
    }
    let entries = std::fs::read_dir(path).context(path.display())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let is_of_games = |file: &PathBuf| {
        let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        name.contains('.') && kit.format(&name).is_some_and(|format| format.name() != LINES)
    };
    files.retain(|file| file.is_file() && is_of_games(file));
    files.sort();
    if files.is_empty() {
        refuse!("{}: no games of {} in this folder", path.display(), kit.name());
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
    skip: &mut Skip<'_>,
    book: &mut Book,
) -> Result<(), RequestError> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut input = open_limited(path, OPENINGS_BYTES_MAX)?;
    // What --make-openings writes, whatever its name: lists of games of go are `.txt`, too.
    let is_ours =
        input.fill_buf().is_ok_and(|begin| begin.len() >= 4 && [MADE, START].iter().any(|made| agree(made, begin)));
    let plies = plies.map_or(usize::MAX, |n| n as usize);
    let mut add = |opening: Opening, place: &str| -> Result<(), Broken> {
        let broken = |error| Broken::record(place, error);
        let mut table = kit.table(rules, opening.start.as_deref()).map_err(broken)?;
        opening.moves.iter().try_for_each(|mv| table.play(mv)).map_err(broken)?;
        // A game that is over is no opening.
        if table.outcome().is_none() {
            book.push(&opening);
        }
        check_bytes(path, book, BOOK_BYTES_MAX)
    };
    match kit.format(&name).filter(|format| !is_ours && name.contains('.') && format.name() != LINES) {
        Some(format) => {
            for (index, record) in Records::new(format.reader(input)).enumerate() {
                let place = format!("{}: game {}", path.display(), index + 1);
                let broken =
                    |error: RecordError| Broken { is_fatal: error.is_fatal(), ..Broken::record(&place, error) };
                let Some(record) = skip.leave_out(record.map_err(broken))? else { continue };
                let moves = record.main_line().into_iter().take(plies).collect();
                skip.leave_out(add(Opening { start: record.start.clone(), moves }, &place))?;
            }
        }
        None => {
            for index in 0.. {
                let place = format!("{}: line {}", path.display(), index + 1);
                let Some(line) = next_line(&mut input).context(&place)? else { break };
                let line = line.trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let unknown = || Broken::record(&place, format_args!("no position that {} knows: {line}", kit.name()));
                let opening = read_line(kit, rules, line, plies).ok_or_else(unknown);
                if let Some(opening) = skip.leave_out(opening)? {
                    skip.leave_out(add(opening, &place))?;
                }
            }
        }
    }
    Ok(())
}

/// The next line of `input`; `None` at the end.
fn next_line(mut input: &mut dyn BufRead) -> io::Result<Option<String>> {
    let wrong = |words: &str| io::Error::new(io::ErrorKind::InvalidData, words);
    let mut bytes = Vec::new();
    let read = Read::take(&mut input, LINE_BYTES_MAX).read_until(b'\n', &mut bytes)?;
    if read as u64 == LINE_BYTES_MAX && bytes.last() != Some(&b'\n') {
        return Err(wrong(&format!("expected a line of at most {} MiB", LINE_BYTES_MAX >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong("expected text in UTF-8"))?;
    Ok((read > 0).then_some(text))
}

/// Checks that the openings, to which those of the file `path` were added last, take at most `bytes_max` bytes.
fn check_bytes(path: &Path, book: &Book, bytes_max: usize) -> Result<(), Broken> {
    let words = || {
        let mib = bytes_max >> 20;
        format!(
            "{}: the openings take more than {mib} MiB: name fewer, or --plies N for fewer moves of each",
            path.display()
        )
    };
    (book.bytes() <= bytes_max).then_some(()).ok_or_else(|| Broken { words: words(), is_fatal: true })
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
pub(crate) fn to_text(openings: &Book) -> Result<String, RequestError> {
    let plain: Vec<(Option<String>, String)> = openings.iter().map(|o| (o.start, o.moves.join(" "))).collect();
    Ok(serde_json::to_string(&plain)?)
}

/// Openings from a journal.
pub(crate) fn from_text(text: &str) -> Result<Book, RequestError> {
    let plain: Vec<(Option<String>, String)> = serde_json::from_str(text)?;
    let moves = |text: String| text.split_ascii_whitespace().map(str::to_string).collect();
    let mut book = Book::new();
    for (start, text) in plain {
        book.push(&Opening { start, moves: moves(text) });
    }
    Ok(book)
}
