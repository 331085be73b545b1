//! The memory of a match: an SQLite file with its settings and every finished game, written before anybody is told.

mod origins;
mod sums;

pub use origins::{GameOrigin, SetAside};

use crate::{Fault, FaultKind, Finished, Tail, Used};
use rusqlite::{Connection, OptionalExtension, config::DbConfig, limits::Limit, params};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tesuji_game::{By, Outcome, Side};
use tesuji_jobs::{FileId, check_present, file_id, note_unwritten};

/// The journal of one match.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::{Finished, Journal, Used};
/// use tesuji_game::{By, Outcome, Side};
/// let mut journal = Journal::in_memory()?;
/// journal.set(&[("seed", "7")])?;
/// let game = Finished {
///     game: 0,
///     outcome: Outcome::win(Side::First, By::Mate),
///     fault: None,
///     plies: 7,
///     duration: Duration::from_secs(2),
///     used: [Used::default(); 2],
///     moves: ["1", "2", "1", "2", "1", "2", "1"].map(str::to_string).into(),
///     values: Vec::new(),
/// };
/// journal.add(&game, &[])?;
/// assert_eq!((journal.setting("seed")?.as_deref(), journal.games()?), (Some("7"), vec![game.clone()]));
/// // A game is written once.
/// assert!(journal.add(&game, &[]).is_err());
/// # Ok::<(), tesuji_arena::JournalError>(())
/// ```
pub struct Journal {
    db: Connection,
    /// Its file; `None`: it is in memory.
    file: Option<(PathBuf, FileId)>,
}

/// The place of a written game.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Its number, from 0.
    pub game: u64,
    /// The outcome.
    pub outcome: Outcome,
    /// Its end in each output file, in bytes.
    pub ends: Vec<u64>,
}

/// An error of a match journal.
#[derive(Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// SQLite's own words.
    Database(rusqlite::Error),
    /// The file is a database, but not a journal of this version.
    Foreign(String),
    /// It is a journal, but its bytes were changed; the words say how.
    Damaged(String),
    /// Another match writes into it now.
    Busy,
    /// Its file was deleted, moved or replaced while it was open.
    Lost(std::io::Error),
}

impl From<rusqlite::Error> for JournalError {
    fn from(error: rusqlite::Error) -> JournalError {
        use rusqlite::ErrorCode::{DiskFull, SystemIoFailure};
        if matches!(error.sqlite_error_code(), Some(DiskFull | SystemIoFailure)) {
            note_unwritten();
        }
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => JournalError::Busy,
            Some(rusqlite::ErrorCode::NotADatabase) => JournalError::Foreign("it is no SQLite file".to_string()),
            _ => JournalError::Database(error),
        }
    }
}

impl std::fmt::Display for JournalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            JournalError::Database(error) => write!(f, "journal: {error}"),
            JournalError::Foreign(why) => write!(f, "this is no journal of a match: {why}"),
            JournalError::Damaged(what) => write!(f, "this journal is damaged ({what}); restore it from a copy"),
            JournalError::Busy => write!(f, "a match is running with this journal; wait for its end, or stop it"),
            JournalError::Lost(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for JournalError {}

/// The version of the tables.
pub(crate) const VERSION: i64 = 1;
const SETTING: &str = "SELECT value FROM settings WHERE name = ?1";
const GAMES: &str =
    "SELECT game, winner, by, plies, seconds, faulty, fault, stolen, detail, used, moves FROM games ORDER BY game";
const ENDS: &str = "SELECT game, winner, by, lengths FROM games";
const TAILS: &str = "SELECT start, bytes FROM tails ORDER BY output";
/// The longest value in a journal, in bytes. SQL in a forged file makes long ones of nothing.
const VALUE_BYTES_MAX: i32 = 1 << 28;
/// The most steps of SQLite's machine for a statement while the tables of a file are still unknown. Ours take a hundred; the pages of
/// a forged file can lead to each other so that reading the list of tables never ends.
const OPENING_STEPS_MAX: i32 = 1 << 20;

impl Journal {
    /// Opens a journal, or begins one. The file stays locked as long as the journal is open: two matches cannot mix.
    ///
    /// # Errors
    /// When the file cannot be opened, is something else, or is in use.
    pub fn open(path: &Path) -> Result<Journal, JournalError> {
        // SQLite takes a file of one byte for an empty one, and would begin a database in it.
        if std::fs::metadata(path).is_ok_and(|file| file.len() == 1) {
            return Err(JournalError::Foreign("it is no SQLite file".to_string()));
        }
        let journal = Journal::prepare(Connection::open(path)?)?;
        let file = file_id(path).map_err(JournalError::Lost)?;
        Ok(Journal { file: Some((path.to_path_buf(), file)), ..journal })
    }

    /// A journal that is gone at the end.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn in_memory() -> Result<Journal, JournalError> {
        Journal::prepare(Connection::open_in_memory()?)
    }

    fn prepare(db: Connection) -> Result<Journal, JournalError> {
        db.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)?;
        db.progress_handler(OPENING_STEPS_MAX, Some(|| true));
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        db.execute_batch("PRAGMA trusted_schema = OFF")?;
        // A killed process loses nothing in this mode, and a game costs no wait for the disk.
        db.execute_batch("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
        let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        match (version, tables) {
            (VERSION, _) => check(&db)?,
            (0, 0) => db.execute_batch(&format!(
                "BEGIN;
                 CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
                 CREATE TABLE games (
                     game INTEGER PRIMARY KEY, winner INTEGER, by TEXT NOT NULL, plies INTEGER NOT NULL,
                     seconds REAL NOT NULL, faulty INTEGER, fault TEXT, stolen INTEGER NOT NULL, detail TEXT,
                     used TEXT NOT NULL, moves TEXT NOT NULL, lengths TEXT NOT NULL);
                 PRAGMA user_version = {VERSION};
                 COMMIT;"
            ))?,
            _ => return Err(JournalError::Foreign(format!("version {version} with {tables} tables"))),
        }
        // Journals of earlier versions have none.
        db.execute_batch(
            "CREATE TABLE IF NOT EXISTS tails (output INTEGER PRIMARY KEY, start INTEGER NOT NULL, bytes BLOB NOT NULL);",
        )?;
        db.execute_batch(origins::CREATE)?;
        db.execute_batch(sums::CREATE)?;
        sums::check(&db)?;
        // Now, and not in the middle of a match: a column may have lost its name.
        [SETTING, GAMES, ENDS, TAILS, origins::ORIGINS, origins::SET_ASIDE]
            .iter()
            .try_for_each(|query| db.prepare(query).map(drop))?;
        db.progress_handler(0, None::<fn() -> bool>);
        // Takes the lock now instead of at the first game.
        db.execute_batch("BEGIN IMMEDIATE; COMMIT;")?;
        Ok(Journal { db, file: None })
    }

    /// Empties it, all of it or nothing: the file stays this match's own meanwhile.
    ///
    /// # Errors
    /// Those of the database.
    pub(crate) fn clear(&mut self) -> Result<(), JournalError> {
        let all = self.db.transaction()?;
        let names: Vec<String> = all
            .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        for name in names {
            all.execute(&format!("DELETE FROM \"{name}\""), [])?;
        }
        Ok(all.commit()?)
    }

    /// A setting, if it was made.
    ///
    /// # Errors
    /// Those of the database.
    pub fn setting(&self, name: &str) -> Result<Option<String>, JournalError> {
        Ok(self.db.query_row(SETTING, [name], |row| row.get(0)).optional()?)
    }

    /// Makes settings, all of them or none.
    ///
    /// # Errors
    /// Those of the database.
    pub fn set(&mut self, settings: &[(&str, &str)]) -> Result<(), JournalError> {
        let all = self.db.transaction()?;
        for &(name, value) in settings {
            all.execute("INSERT OR REPLACE INTO settings VALUES (?1, ?2)", [name, value])?;
            sums::seal(&all, &sums::SETTINGS, &name)?;
        }
        Ok(all.commit()?)
    }

    /// Writes a game down. `tails`: its bytes in each output file, which are written after this.
    ///
    /// # Errors
    /// Those of the database; a game that stands there already is refused, and so is a journal whose file is gone.
    pub fn add(&mut self, finished: &Finished, tails: &[Tail]) -> Result<(), JournalError> {
        self.add_of(finished, tails, None)
    }

    /// [`Journal::add`] with the worker of a fleet that played the game.
    ///
    /// # Errors
    /// As for [`Journal::add`].
    pub fn add_of(
        &mut self,
        finished: &Finished,
        tails: &[Tail],
        origin: Option<&GameOrigin>,
    ) -> Result<(), JournalError> {
        if let Some((path, id)) = &self.file {
            check_present(path, *id).map_err(JournalError::Lost)?;
        }
        let all = self.db.transaction()?;
        let mut insert =
            all.prepare_cached("INSERT INTO games VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")?;
        let fault = finished.fault.as_ref();
        let used: Vec<String> = finished.used.iter().map(used_text).collect();
        let lengths: Vec<String> = tails.iter().map(|t| (t.start + t.bytes.len() as u64).to_string()).collect();
        insert.execute(params![
            finished.game as i64,
            finished.outcome.winner.map(|side| side.index() as i64),
            finished.outcome.by.name(),
            finished.plies,
            finished.duration.as_secs_f64(),
            fault.map(|(side, _)| side.index() as i64),
            fault.map(|(_, fault)| fault.kind.name()),
            fault.is_some_and(|(_, fault)| fault.stolen),
            fault.map(|(_, fault)| fault_text(fault)),
            used.join(";"),
            finished.moves.join(" "),
            lengths.join(" "),
        ])?;
        drop(insert);
        sums::seal(&all, &sums::GAMES, &(finished.game as i64))?;
        origin.map_or(Ok(()), |origin| origins::add(&all, finished.game as i64, origin))?;
        let mut replace = all.prepare_cached("INSERT OR REPLACE INTO tails VALUES (?1, ?2, ?3)")?;
        for (output, tail) in tails.iter().enumerate() {
            replace.execute(params![output as i64, tail.start as i64, tail.bytes])?;
            sums::seal(&all, &sums::TAILS, &(output as i64))?;
        }
        drop(replace);
        Ok(all.commit()?)
    }

    /// Whether a game is in it.
    ///
    /// # Errors
    /// Those of the database.
    pub fn has_games(&self) -> Result<bool, JournalError> {
        Ok(self.db.query_row("SELECT EXISTS (SELECT 1 FROM games)", [], |row| row.get(0))?)
    }

    /// All games in it, in the order of their numbers.
    ///
    /// # Errors
    /// Those of the database.
    pub fn games(&self) -> Result<Vec<Finished>, JournalError> {
        let mut games = Vec::new();
        self.for_each_game(|finished| games.push(finished))?;
        Ok(games)
    }

    /// Calls `f` with each game in it, in the order of their numbers: with one at a time in memory.
    ///
    /// # Errors
    /// Those of the database.
    pub fn for_each_game(&self, mut f: impl FnMut(Finished)) -> Result<(), JournalError> {
        let mut query = self.db.prepare(GAMES)?;
        let rows = query.query_map([], |row| {
            let side = |index: i64| Side::ALL[usize::from(index != 0)];
            let winner: Option<i64> = row.get(1)?;
            let by: String = row.get(2)?;
            let faulty: Option<i64> = row.get(5)?;
            let kind: Option<String> = row.get(6)?;
            let fault = faulty.map(side).zip(kind.as_deref().and_then(FaultKind::from_name));
            let (stolen, detail): (bool, Option<String>) = (row.get(7)?, row.get(8)?);
            let used: String = row.get(9)?;
            let moves: String = row.get(10)?;
            let mut parts = used.split(';').map(read_used);
            Ok(Finished {
                game: row.get::<_, i64>(0)? as u64,
                outcome: Outcome { winner: winner.map(side), by: By::from_name(&by).unwrap_or(By::Void) },
                plies: row.get(3)?,
                duration: Duration::from_secs_f64(row.get::<_, f64>(4)?.clamp(0.0, 1e9)),
                fault: fault.map(|(side, kind)| (side, read_fault(kind, stolen, &detail.unwrap_or_default()))),
                used: [parts.next().unwrap_or_default(), parts.next().unwrap_or_default()],
                moves: moves.split_ascii_whitespace().map(str::to_string).collect(),
                values: Vec::new(),
            })
        })?;
        for finished in rows {
            f(finished?);
        }
        Ok(())
    }

    /// The last game in each output file. Nothing for a match without games.
    ///
    /// # Errors
    /// Those of the database.
    pub fn tails(&self) -> Result<Vec<Tail>, JournalError> {
        let mut all = self.db.prepare(TAILS)?;
        let rows = all.query_map([], |row| Ok(Tail { start: row.get::<_, i64>(0)? as u64, bytes: row.get(1)? }))?;
        let tails = rows.collect::<Result<Vec<_>, _>>()?;
        // Journals of earlier versions know only how long the files were.
        let lengths = if tails.is_empty() { self.lengths()?.unwrap_or_default() } else { Vec::new() };
        Ok(if lengths.is_empty() {
            tails
        } else {
            lengths.into_iter().map(|start| Tail { start, bytes: Vec::new() }).collect()
        })
    }

    /// Each game with its outcome and the bytes at which it ends in each output file, in the order in which they stand there.
    ///
    /// # Errors
    /// Those of the database.
    pub fn ends(&self) -> Result<Vec<Written>, JournalError> {
        let mut all = self.db.prepare(ENDS)?;
        let rows = all.query_map([], |row| {
            let (winner, by): (Option<i64>, String) = (row.get(1)?, row.get(2)?);
            let winner = winner.map(|side| Side::ALL[usize::from(side != 0)]);
            let lengths: String = row.get(3)?;
            Ok(Written {
                game: row.get::<_, i64>(0)? as u64,
                outcome: Outcome { winner, by: By::from_name(&by).unwrap_or(By::Void) },
                ends: lengths.split_ascii_whitespace().filter_map(|n| n.parse().ok()).collect(),
            })
        })?;
        let mut games = rows.collect::<Result<Vec<_>, _>>()?;
        games.sort_by(|a, b| a.ends.cmp(&b.ends));
        Ok(games)
    }

    /// The lengths of the output files after the last game in the journal.
    fn lengths(&self) -> Result<Option<Vec<u64>>, JournalError> {
        let mut all = self.db.prepare("SELECT lengths FROM games")?;
        let rows = all.query_map([], |row| row.get::<_, String>(0))?;
        let mut longest: Option<Vec<u64>> = None;
        for row in rows {
            let lengths: Vec<u64> = row?.split_ascii_whitespace().filter_map(|n| n.parse().ok()).collect();
            longest = longest.max(Some(lengths));
        }
        Ok(longest)
    }
}

/// Whether the pages of a journal hold together and its tables are such: what is read afterwards is in proportion to the file.
fn check(db: &Connection) -> Result<(), JournalError> {
    let strange =
        "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') OR coalesce(rootpage, 0) < 1";
    if db.query_row(strange, [], |row| row.get::<_, i64>(0))? > 0 {
        return Err(JournalError::Foreign("it has views, triggers or virtual tables".to_string()));
    }
    // From here on the work is in proportion to the file.
    db.progress_handler(0, None::<fn() -> bool>);
    let pages: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if pages == "ok" { Ok(()) } else { Err(JournalError::Damaged(pages)) }
}

/// The description of a fault, followed by the last lines of the contestant's output.
pub(crate) fn fault_text(fault: &Fault) -> String {
    let lines = fault.last_lines.iter().map(|line| line.replace('\n', " "));
    std::iter::once(fault.detail.replace('\n', " ")).chain(lines).collect::<Vec<_>>().join("\n")
}

pub(crate) fn read_fault(kind: FaultKind, stolen: bool, text: &str) -> Fault {
    // Not by `lines`, which leaves an empty last one out.
    let mut lines = text.split('\n').map(str::to_string);
    let detail = lines.next().unwrap_or_default();
    Fault { kind, detail, stolen, last_lines: lines.collect() }
}

pub(crate) fn used_text(used: &Used) -> String {
    let us = |t: Duration| t.as_micros();
    let Used { moves, time, longest, nodes, depths, overrun, given, silent, excess_moves, nodes_most, .. } = *used;
    let (idle_moves, starved) = (used.idle_moves, us(used.starved));
    let [time, longest, overrun, given] = [time, longest, overrun, given].map(us);
    format!(
        "{moves} {time} {longest} {nodes} {depths} {overrun} {given} {silent} {excess_moves} {nodes_most} {idle_moves} {starved}"
    )
}

pub(crate) fn read_used(text: &str) -> Used {
    let mut numbers = text.split_ascii_whitespace().map(|n| n.parse::<u64>().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    let (moves, time, longest, nodes, depths, overrun) = (next(), next(), next(), next(), next(), next());
    // Journals of earlier versions end here: what is not known gives no warning.
    let (given, silent, excess_moves, nodes_most) = (next(), next() as u32, next() as u32, next());
    let (idle_moves, starved) = (next() as u32, Duration::from_micros(next()));
    let [time, longest, overrun, given] = [time, longest, overrun, given].map(Duration::from_micros);
    let moves = moves as u32;
    Used { moves, time, longest, nodes, depths, overrun, given, silent, excess_moves, nodes_most, idle_moves, starved }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty last line of an engine was lost.
    #[test]
    fn the_last_lines_of_a_fault_are_read_as_they_were_written() {
        for last_lines in [vec![], vec![""], vec!["a", ""], vec!["", "b\r"]] {
            let last_lines = last_lines.into_iter().map(String::from).collect();
            let fault = Fault { last_lines, ..Fault::new(FaultKind::Crash, "it left") };
            assert_eq!(read_fault(fault.kind, fault.stolen, &fault_text(&fault)), fault);
        }
    }

    /// SQLite began a journal in the place of what somebody had written.
    #[test]
    fn short_files_of_others_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["x", "xy", "dear diary"] {
            let path = folder.path().join("notes.journal");
            std::fs::write(&path, text).unwrap();
            let error = Journal::open(&path).err().unwrap().to_string();
            assert!(error.contains("it is no SQLite file"), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    /// Views in the place of tables were read, whatever their SQL said; broken pages were found in the middle of a match.
    #[test]
    fn forged_and_damaged_journals_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("view.db");
        let forged =
            "PRAGMA user_version = 1; CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
             CREATE VIEW games AS WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more)
                 SELECT n AS game, '' AS lengths FROM more";
        Connection::open(&path).unwrap().execute_batch(forged).unwrap();
        let error = Journal::open(&path).err().unwrap().to_string();
        assert!(error.contains("views, triggers or virtual tables"), "{error}");
        let path = folder.path().join("damaged.db");
        drop(Journal::open(&path).unwrap());
        assert!(Journal::open(&path).is_ok());
        let mut bytes = std::fs::read(&path).unwrap();
        // The kind of the second page.
        bytes[4096] = 0;
        std::fs::write(&path, &bytes).unwrap();
        let error = Journal::open(&path).err().unwrap().to_string();
        assert!(error.contains("damaged"), "{error}");
    }

    /// Their sum overflowed when a match went on.
    #[test]
    fn counts_of_a_forged_journal_do_not_overflow() {
        let numbers = format!("4294967295 {0} {0} {0} {0} {0} {0} 4294967295 4294967295 {0}", u64::MAX);
        let most = read_used(&numbers);
        let mut sum = most;
        sum.add(&most);
        assert_eq!((sum.moves, sum.depths, sum.silent, sum.time), (u32::MAX, u64::MAX, u32::MAX, 2 * most.time));
    }

    /// Of 40 flipped bits 32 went unnoticed: results, moves and settings were read as they were not written.
    #[test]
    fn a_flipped_bit_of_a_journal_is_an_error_or_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("whole.db");
        Connection::open(&path).unwrap().execute_batch("PRAGMA page_size = 512; VACUUM").unwrap();
        let mut journal = Journal::open(&path).unwrap();
        journal.set(&[("arguments", "a b"), ("over", "no"), ("over", "yes")]).unwrap();
        for game in 0..3 {
            let outcome = Outcome { winner: Some(Side::First), by: By::Mate };
            let fault = (game == 1).then(|| (Side::Second, Fault::new(FaultKind::Crash, "signal 11")));
            let (duration, moves) = (Duration::from_millis(1500), vec!["e2e4".into(), "e7e5".into()]);
            let (used, values) = ([Used::default(), Used::default()], Vec::new());
            let finished = Finished { game, outcome, fault, plies: 2, duration, used, moves, values };
            journal.add(&finished, &[Tail { start: 100 * game, bytes: b"1. e4 e5 1-0\n".to_vec() }]).unwrap();
        }
        let content = |journal: &Journal| {
            let settings = ["arguments", "over"].map(|name| journal.setting(name).ok());
            format!("{settings:?} {:?} {:?} {:?}", journal.games().ok(), journal.tails().ok(), journal.ends().ok())
        };
        let written = content(&journal);
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        let (mut refused, bent) = (0, folder.path().join("bent.db"));
        for place in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[place] ^= 1 << (place % 8);
            std::fs::write(&bent, bytes).unwrap();
            match Journal::open(&bent) {
                Ok(journal) => assert_eq!(content(&journal), written, "byte {place}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 1000, "{refused} of {} flipped bits were seen", bytes.len());
    }

    #[test]
    fn what_was_used_is_read_as_it_was_written() {
        let ms = Duration::from_millis;
        let (time, longest, overrun, given) = (ms(5_000), ms(90), ms(3), ms(9_000));
        let used = Used { moves: 100, time, longest, nodes: 7, depths: 8, overrun, ..Used::default() };
        let used = Used { given, silent: 4, excess_moves: 5, nodes_most: 6, idle_moves: 7, starved: ms(8), ..used };
        assert_eq!(read_used(&used_text(&used)), used);
        // A journal of an earlier version knows less, and gives no warning for that.
        let used = Used { given: Duration::ZERO, silent: 0, excess_moves: 0, nodes_most: 0, idle_moves: 0, ..used };
        let earlier = Used { starved: Duration::ZERO, ..used };
        assert_eq!(read_used("100 5000000 90000 7 8 3000"), earlier);
    }
}
