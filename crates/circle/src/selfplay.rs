//! Games for learning: many at once, written in the order of their numbers, continued where they were left.

use crate::{CircleError, Openings, Seat, Setup, pool::in_order};
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};
use tesuji_arena::{Conditions, NoGame, Opening, play_game};
use tesuji_engine::Kit;
use tesuji_game::Side;
use tesuji_jobs::{AtomicFile, Interrupt};
use tesuji_record::{GameRecord, Note, RecordFormat, RecordWriter};

/// What to play.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Games in all.
    pub games: u64,
    /// Who plays.
    pub setup: Setup,
    /// How games begin. Its seed decides everything.
    pub openings: Openings,
    /// How they end.
    pub conditions: Conditions,
    /// Threads.
    pub jobs: usize,
    /// Begin no game after this.
    pub until: Option<Instant>,
    /// What made the games, in one line: version, settings, weights. A file is only continued by the same.
    pub origin: String,
}

/// What was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Played {
    /// Games in the file.
    pub games: u64,
    /// Those that were there before.
    pub resumed: u64,
    /// Moves of this run's games.
    pub plies: u64,
    /// Results of this run's games: won by the first side, drawn, won by the second.
    pub results: [u64; 3],
}

/// Plays the games of `plan` into the file `path`. Game `n` depends on the seed and `n` alone, so the file is the same
/// for any number of jobs and however often it was interrupted. Every game that is finished, and all before it, is
/// handed to the system at once. With `resume`, a file that is there is continued; without, it must not be there.
///
/// # Errors
/// When the file cannot be written, was made by something else, or a player fails.
pub fn selfplay(
    kit: &dyn Kit,
    plan: &Plan,
    path: &Path,
    resume: bool,
    stop: &Interrupt,
    tell: &mut dyn FnMut(&Played),
) -> Result<Played, CircleError> {
    let name = path.display().to_string();
    let format = kit.format(&name).or_else(|| kit.formats().first().copied()).ok_or_else(|| CircleError::Mismatch {
        path: name.clone(),
        reason: format!("{} has no format of records", kit.name()),
    })?;
    let record_error = |error| CircleError::Record { path: name.clone(), error };
    let (done, mut writer) = open(path, format, plan, resume)?;
    let mut played = Played { games: done, resumed: done, ..Played::default() };
    tell(&played);
    let enough = || stop.is_raised() || plan.until.is_some_and(|until| Instant::now() >= until);
    let worker = || Ok([plan.setup.seat(kit, "first")?, plan.setup.seat(kit, "second")?]);
    let work = |seats: &mut [Seat; 2], number| play_one(kit, plan, seats, number, stop);
    in_order(plan.jobs, done..plan.games.max(done), &enough, &worker, &work, &mut |number, mut record| {
        label(&mut record, number, &plan.origin);
        writer.write(&record).and_then(|()| writer.flush()).map_err(record_error)?;
        played.games += 1;
        played.plies += record.plies() as u64;
        let score = record.outcome.map_or(0.5, |o| o.score(Side::First));
        played.results[2 - (2.0 * score) as usize] += 1;
        tell(&played);
        Ok(())
    })?;
    writer.finish().map_err(record_error)?;
    Ok(played)
}

/// Game `number`; `None` when it was stopped.
fn play_one(
    kit: &dyn Kit,
    plan: &Plan,
    seats: &mut [Seat; 2],
    number: u64,
    stop: &Interrupt,
) -> Result<Option<GameRecord<String>>, CircleError> {
    let [first, second] = seats;
    let Some(moves) = plan.openings.draw(kit, number, first.player.as_mut(), stop.flag())? else { return Ok(None) };
    let opening = Opening { start: None, moves };
    match play_game(kit, &opening, [first, second], &plan.conditions, stop.flag()) {
        Ok(played) => match played.fault {
            None => Ok(Some(played.record)),
            Some((_, fault)) => Err(CircleError::Play { number: number + 1, what: fault.to_string() }),
        },
        Err(NoGame::Stopped) => Ok(None),
        Err(no_game) => Err(CircleError::Play { number: number + 1, what: format!("{no_game:?}") }),
    }
}

/// The tags of game `number`. What depends on the clock goes: same seed, same bytes.
fn label(record: &mut GameRecord<String>, number: u64, origin: &str) {
    for note in &mut record.notes {
        *note = Note { value: note.value, ..Note::default() };
    }
    record.tags.clear();
    record.set_tag("Label", format!("g{}", number + 1));
    record.set_tag("Origin", origin);
}

/// Opens the file for appending. What is there is read and written anew without its last game, which may be torn: it
/// will be played again, and be the same. Returns how many games remain.
fn open(
    path: &Path,
    format: &dyn RecordFormat,
    plan: &Plan,
    resume: bool,
) -> Result<(u64, Box<dyn RecordWriter>), CircleError> {
    let file_error = |e| CircleError::file(path, e);
    let mut done = 0;
    if path.exists() && resume {
        done = repair(path, format, plan)?;
    } else {
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(file_error)?;
        file.sync_all().map_err(file_error)?;
    }
    let file = OpenOptions::new().append(true).open(path).map_err(file_error)?;
    Ok((done, format.writer(Box::new(file))))
}

/// Bytes that a boxed writer fills and its maker takes.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps the games that are certainly whole: all but the last.
fn repair(path: &Path, format: &dyn RecordFormat, plan: &Plan) -> Result<u64, CircleError> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|e| CircleError::file(path, e))?;
    let mut reader = format.reader(Box::new(std::io::BufReader::new(file)));
    let mut games = Vec::new();
    // A torn game ends the reading: it is the last.
    while let Ok(Some(game)) = reader.read() {
        games.push(game);
    }
    games.truncate((games.len().saturating_sub(1)).min(plan.games as usize));
    for (number, game) in games.iter().enumerate() {
        let found = game.tag("Origin").unwrap_or("nothing");
        if found != plan.origin || game.tag("Label") != Some(&format!("g{}", number + 1)) {
            let reason =
                format!("cannot go on with games of other settings\n  there: {found}\n  here:  {}", plan.origin);
            return Err(CircleError::Mismatch { path: name, reason });
        }
    }
    let bytes = Shared::default();
    let mut writer = format.writer(Box::new(bytes.clone()));
    let written = games.iter().try_for_each(|game| writer.write(game)).and_then(|()| writer.finish());
    written.map_err(|error| CircleError::Record { path: name, error })?;
    AtomicFile::write(path, &bytes.take()).map_err(|e| CircleError::file(path, e))?;
    Ok(games.len() as u64)
}
