//! The file that games of self-play are kept in: opened alone, continued behind the games that are certainly whole, compressed where its
//! name says so, and known by its origin and by checksums.

use crate::{CircleError, dropped::DroppedGames};
use std::{
    fs::File,
    io::{self, BufRead, Read, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tesuji_game::{By, Outcome, Side};
use tesuji_jobs::{
    AtomicFile, Existing, PackedWriter, Packing, SummedOutput, changed_part, check_sums, is_special, open_alone,
    open_input, open_log, open_output, sums_file, unpacked,
};
use tesuji_kit::Kit;
use tesuji_record::{GameRecord, RecordFormat, RecordWriter, Records, SharedBuffer};

/// A file without any whole game is a torn first one when it is no longer than this, in bytes.
const TORN_MAX: u64 = 4096;

/// The tags of game `number`, by which a file that was left is continued.
pub(crate) fn tag(record: &mut GameRecord<String>, number: u64, origin: &str) {
    record.tags.clear();
    record.set_tag("Label", format!("g{}", number + 1));
    record.set_tag("Origin", origin);
}

/// Counts of the games of a file that is continued, those that were dropped included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct KeptGames {
    /// Games that stay as they are: the number of the first game that is played.
    pub(crate) done: u64,
    /// Games that were there: those that stay, and a last one that is played again and comes out the same.
    pub(crate) whole: u64,
}

/// Opens the file for appending. What is there is read and written again without its last game, which may be torn: it
/// will be played again, and be the same. Each flush of the writer fails when the file was
/// deleted meanwhile.
pub(crate) fn open(
    (path, format): (&Path, &dyn RecordFormat),
    (games, dropped): (u64, &DroppedGames),
    origin: &str,
    resume: bool,
) -> Result<(KeptGames, Box<dyn RecordWriter>), CircleError> {
    let file_error = |e| CircleError::file(path, e);
    let packing = packing_of(path)?;
    let taken = || CircleError::Mismatch {
        path: path.display().to_string(),
        reason: "another run writes this file; wait for its end, or name another file".into(),
    };
    if path.exists() && resume {
        // Held until the file that takes its place is ours, too.
        let held = match is_special(path) {
            true => None,
            false => Some(open_alone(path).map_err(file_error)?.ok_or_else(taken)?),
        };
        let kept = repair((path, format), (games, dropped), origin)?;
        let file = open_output(path, Existing::Append).map_err(file_error)?;
        // Where nothing was exchanged, it is the file that is held: the writer holds it from now on.
        drop(held);
        return match file.lock().map_err(file_error)? {
            true => {
                let file = SummedOutput::begin(file).map_err(file_error)?;
                Ok((kept, format.writer(Box::new(PackedWriter::new(packing, file)))))
            }
            false => Err(taken()),
        };
    }
    let beside = sums_file(path);
    check_sums(path).map_err(|e| CircleError::file(&beside, e))?;
    let file = open_log(path).map_err(file_error)?;
    if !file.lock().map_err(file_error)? {
        return Err(taken());
    }
    if !format.keeps_tags() {
        let beside = origin_file(path);
        AtomicFile::write(&beside, origin.as_bytes()).map_err(|e| CircleError::file(&beside, e))?;
    }
    let file = SummedOutput::begin(file).map_err(file_error)?;
    Ok((KeptGames::default(), format.writer(Box::new(PackedWriter::new(packing, file)))))
}

/// The compression of the file `path`, by its name.
pub(crate) fn packing_of(path: &Path) -> Result<Packing, CircleError> {
    Packing::of(path).map_err(|reason| CircleError::Mismatch { path: path.display().to_string(), reason })
}

/// Reads what a file that is compressed by `packing` holds.
fn content(file: impl Read + Send + 'static, packing: Packing) -> io::Result<Box<dyn BufRead + Send>> {
    match packing {
        Packing::Plain => Ok(Box::new(io::BufReader::new(file))),
        Packing::Zstd | Packing::Gzip => unpacked(Box::new(file)),
    }
}

/// The origin of the games of the file `path`, from the tag of the first; `None` where it is not known.
///
/// # Examples
///
/// ```
/// use tesuji_circle::{DropRules, Openings, SelfplayPlan, Setup, conditions, origin_of, selfplay};
/// use tesuji_four::FOUR;
/// use tesuji_jobs::Interrupt;
/// let plan = SelfplayPlan {
///     games: 1,
///     player: Setup::default().into(),
///     openings: Openings::random(4, 7),
///     conditions: conditions(50),
///     drop: DropRules::default(),
///     jobs: 1,
///     until: None,
///     fleet: None,
///     origin: "an example".into(),
/// };
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("games.four");
/// selfplay(&FOUR, &plan, &file, false, &Interrupt::new(), &mut |_| ())?;
/// assert_eq!(origin_of(&FOUR, &file).as_deref(), Some("an example"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn origin_of(kit: &dyn Kit, path: &Path) -> Option<String> {
    // What a pipe or a device got is gone: reading it would wait for somebody who writes.
    if is_special(path) {
        return None;
    }
    if let Some(origin) = kept_origin(path) {
        return Some(origin);
    }
    let format = kit.format(&path.display().to_string()).or_else(|| kit.formats().first().copied())?;
    let game = format.reader(open_input(path).ok()?).read().ok()??;
    game.tag("Origin").map(str::to_string)
}

/// The origin that is kept beside games whose format keeps no tags.
fn kept_origin(path: &Path) -> Option<String> {
    let beside = origin_file(path);
    if is_special(&beside) { None } else { std::fs::read_to_string(beside).ok() }
}

/// The file with the origin of games whose format keeps no tags.
fn origin_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".origin");
    name.into()
}

/// A file that a boxed writer fills and its maker commits.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<AtomicFile>>);

impl Shared {
    pub(crate) fn create(path: &Path) -> Result<Shared, CircleError> {
        let file = AtomicFile::create(path).map_err(|e| CircleError::file(path, e))?;
        Ok(Shared(Arc::new(Mutex::new(file))))
    }

    /// Puts the file in its place. The writer that filled it is gone.
    pub(crate) fn commit(self, path: &Path) -> Result<(), CircleError> {
        match Arc::try_unwrap(self.0) {
            Ok(file) => file.into_inner().unwrap_or_else(PoisonError::into_inner).commit(),
            Err(_) => Err(io::Error::other("its writer still holds it")),
        }
        .map_err(|e| CircleError::file(path, e))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether the file begins as its first game does, which has this number and is made by `origin`, so that it can be what was left of one; an empty file is.
fn begins_ours(
    (path, packing): (&Path, Packing),
    format: &dyn RecordFormat,
    number: u64,
    origin: &str,
) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(TORN_MAX).read_to_end(&mut head)?;
    let magic = packing.magic();
    if !magic.starts_with(&head[..head.len().min(magic.len())]) && !magic.is_empty() {
        return Ok(false);
    }
    if packing != Packing::Plain {
        // Of a piece that was torn there may be nothing to read.
        let mut read = Vec::new();
        let is_whole = head.len() > magic.len();
        let _ = is_whole.then(|| content(io::Cursor::new(head), packing).map(|mut text| text.read_to_end(&mut read)));
        head = read;
    }
    let outcomes =
        [Some(Side::First), Some(Side::Second), None].map(|winner| Some(Outcome { winner, by: By::Adjudication }));
    Ok([None].into_iter().chain(outcomes).any(|outcome| {
        let mut game = GameRecord::from_moves("", None, []);
        game.outcome = outcome;
        tag(&mut game, number, origin);
        let Some(text) = written(format, &game) else { return head.is_empty() };
        let until =
            text.windows(origin.len()).position(|part| part == origin.as_bytes()).map_or(0, |at| at + origin.len());
        let ours = &text[..until];
        head.starts_with(ours) && until > 0 || ours.starts_with(&head)
    }))
}

/// A game as the format writes it.
pub(crate) fn written(format: &dyn RecordFormat, game: &GameRecord<String>) -> Option<Vec<u8>> {
    let bytes = SharedBuffer::default();
    let mut writer = format.writer(Box::new(bytes.clone()));
    writer.write(game).and_then(|()| writer.flush()).ok()?;
    drop(writer);
    Some(bytes.take())
}

/// Keeps the games that are certainly whole: all but the last. A file with more games than are wanted, with games behind
/// a broken one, or of another maker is left as it is.
fn repair(
    (path, format): (&Path, &dyn RecordFormat),
    (games, dropped): (u64, &DroppedGames),
    origin: &str,
) -> Result<KeptGames, CircleError> {
    let name = path.display().to_string();
    let record_error = |error| CircleError::Record { path: name.clone(), error };
    let file = File::open(path).map_err(|e| CircleError::file(path, e))?;
    let length = file.metadata().map_err(|e| CircleError::file(path, e))?.len();
    let packing = packing_of(path)?;
    // First where it is compressed: what was damaged there looks like somebody else's.
    if packing != Packing::Plain {
        check_unchanged((path, packing), format)?;
    }
    let mut reader = format.reader(content(file, packing).map_err(|e| CircleError::file(path, e))?);
    let kept = Shared::create(path)?;
    let mut writer = format.writer(Box::new(PackedWriter::new(packing, kept.clone())));
    // The number of the last game that was read.
    let mut done = dropped.next_written(0);
    let mut last: Option<GameRecord<String>> = None;
    let beside = if format.keeps_tags() { None } else { kept_origin(path) };
    let other = |found: Option<&str>| {
        let found = found.unwrap_or("nothing of ours");
        let reason = format!("cannot go on with games of other settings\n  there: {found}\n  here:  {}", origin);
        CircleError::Mismatch { path: name.clone(), reason }
    };
    let refused = |reason: String| CircleError::Mismatch { path: name.clone(), reason };
    loop {
        let game = match reader.read() {
            Ok(Some(game)) => game,
            Ok(None) => break,
            // A torn game is the last one.
            Err(error) => match reader.read() {
                Ok(Some(game)) if game.plies() > 0 => {
                    let number = if last.is_some() { dropped.next_written(done + 1) } else { done } + 1;
                    return Err(refused(format!(
                        "game {number} is broken ({error}) and others follow it; mend or remove it. Nothing was changed"
                    )));
                }
                _ => break,
            },
        };
        if let Some(game) = last.replace(game) {
            let label = game.tag("Label").is_none_or(|label| label == format!("g{}", done + 1));
            let found = beside.as_deref().or(game.tag("Origin"));
            if found != Some(origin) {
                return Err(other(found));
            }
            if !label {
                return Err(refused(out_of_order(done + 1, game.tag("Label").unwrap_or("none"))));
            }
            // Each game by itself, as it was written.
            writer.write(&game).and_then(|()| writer.flush()).map_err(record_error)?;
            done = dropped.next_written(done + 1);
        }
        if done >= games {
            return Err(refused(format!(
                "it holds more than the {games} games that are asked for; ask for more, or name another file. Nothing was changed"
            )));
        }
    }
    // It will be played again, but nobody else's: what is left of it must begin as ours do.
    let found = beside.as_deref().or(last.as_ref().and_then(|game| game.tag("Origin")));
    let is_ours = || begins_ours((path, packing), format, done, origin).map_err(|e| CircleError::file(path, e));
    let torn = match &last {
        Some(game) => game.plies() == 0,
        None => length <= TORN_MAX && is_ours()?,
    };
    if found != Some(origin) && !(torn && origin.starts_with(found.unwrap_or_default())) {
        return Err(other(found));
    }
    if packing == Packing::Plain {
        check_unchanged((path, packing), format)?;
    }
    writer.finish().map_err(record_error)?;
    kept.commit(path)?;
    Ok(KeptGames { done, whole: done + u64::from(last.is_some_and(|game| game.outcome.is_some())) })
}

/// The words for a game that is not the next one.
fn out_of_order(number: u64, label: &str) -> String {
    format!(
        "game {number} should have the label g{number} and has {label}: games before it were removed, or moved. Nothing was changed"
    )
}

/// Checks that the games in the file are those that were written, as far as they have checksums.
fn check_unchanged((path, packing): (&Path, Packing), format: &dyn RecordFormat) -> Result<(), CircleError> {
    let beside = sums_file(path);
    if !beside.exists() && !is_special(path) {
        tracing::warn!(
            target: "circle",
            "{}: its checksums are not there ({}); its games are taken as they stand",
            path.display(),
            beside.display()
        );
    }
    let Some(part) = changed_part(path).map_err(|e| CircleError::file(&beside, e))? else { return Ok(()) };
    let before = File::open(path).map_err(|e| CircleError::file(path, e))?.take(part.start);
    let before = content(before, packing).map_err(|e| CircleError::file(path, e))?;
    let unchanged = Records::new(format.reader(before)).take_while(Result::is_ok).count();
    let reason = format!(
        "game {} in it is not as this run wrote it (bytes {} to {}); put the file back as it was, or name another one; without {} the \
         run goes on with what is there. Nothing was changed",
        unchanged + 1,
        part.start,
        part.end,
        beside.display()
    );
    Err(CircleError::Mismatch { path: path.display().to_string(), reason })
}
