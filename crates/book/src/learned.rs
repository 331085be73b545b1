//! Learned positions: what was worked out well in earlier games, in a SQLite file that never grows beyond a bound.
//!
//! Each row has a checksum of its own, since SQLite notices only what breaks its pages. While the file is open for writing it
//! has a write-ahead log beside it: what was kept outlives a kill without a flush of the disk at each move, and after a power
//! failure at most the last moves are missing. Closing puts everything into the one file again.

use fnv::FnvHasher;
use rusqlite::{Connection, OpenFlags, OptionalExtension, config::DbConfig, limits::Limit, params};
use std::{hash::Hasher, path::Path};
use thiserror::Error;

/// The most positions that a memory keeps where nothing else is said: about 150 MB.
pub const POSITIONS_MAX: u64 = 1_000_000;
/// The form of the tables.
const VERSION: &str = "2";
/// The longest value in a file, in bytes. SQL in a forged file makes long ones of nothing.
const VALUE_BYTES_MAX: i32 = 1 << 24;
/// The most steps of SQLite's machine for a statement while the tables of a file are still unknown. Ours take a hundred; the pages of
/// a forged file can lead to each other so that reading the list of tables never ends.
const OPENING_STEPS_MAX: i32 = 1 << 20;
/// The form before there were checksums: still read, and given them when it is opened to be written.
const VERSION_PLAIN: &str = "1";

/// One learned position.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The position in the game's notation.
    pub position: String,
    /// For the side to move, in centipawns.
    pub value_cp: i32,
    /// The work behind the value: the quality of a best-first tree, undiscounted.
    pub quality: f64,
}

impl Learned {
    /// A position a line: its text, its value and its quality, parted by tabs.
    pub fn lines(learned: &[Learned]) -> String {
        let line = |one: &Learned| format!("{}\t{}\t{:.1}\n", one.position, one.value_cp, one.quality);
        learned.iter().map(line).collect()
    }
}

/// An error of a database of learned positions. The file is as it was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LearnedError {
    /// The file is no database, or broken.
    #[error("{path} is no database of learned positions")]
    Broken {
        /// The file.
        path: String,
        /// SQLite's words.
        source: rusqlite::Error,
    },
    /// The database is of something else.
    #[error("{path} holds {found}, expected {expected}")]
    Other {
        /// The file.
        path: String,
        /// The kind of database that it says it is.
        found: String,
        /// The request as given.
        expected: String,
    },
    /// The database is of the right kind, but what it holds was changed by something else.
    #[error("{path} is damaged ({what}); restore it from a copy, or delete it to learn afresh")]
    Damaged {
        /// The file.
        path: String,
        /// The damage that was found.
        what: String,
    },
    /// A later call failed.
    #[error("learned positions: {0}")]
    Failed(#[from] rusqlite::Error),
}

/// An open database of learned positions of one game.
#[derive(Debug)]
pub struct Memory {
    base: Connection,
    path: String,
    /// Whether rows have checksums.
    has_checksums: bool,
    /// Whether it was opened to be written.
    writes: bool,
    /// At least as many positions as there are, as far as this connection knows.
    count_max: u64,
}

impl Memory {
    /// Opens the database of `game` at `path`, and makes one where there is no file.
    ///
    /// # Errors
    /// When the file is something else; it is left as it is.
    pub fn open(path: &Path, game: &str) -> Result<Memory, LearnedError> {
        let name = path.display().to_string();
        // SQLite takes a file of one byte for an empty one, and would begin a database in it.
        if std::fs::metadata(path).is_ok_and(|file| file.len() == 1) {
            return Err(LearnedError::Damaged { path: name, what: "it is no SQLite file".to_string() });
        }
        let broken = |source| LearnedError::Broken { path: name.clone(), source };
        let base = Connection::open(path).and_then(bounded).map_err(broken)?;
        base.busy_timeout(std::time::Duration::from_secs(5)).map_err(broken)?;
        let tables: i64 = base.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(broken)?;
        if tables == 0 {
            make(&base, game).map_err(broken)?;
        }
        let mut memory = check(base, &name, game)?;
        if !memory.has_checksums {
            memory.add_checksums()?;
        }
        // Where the file system has no write-ahead logs, SQLite stays with the slower journal.
        let _mode: String = memory.base.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        memory.base.execute_batch("PRAGMA synchronous = NORMAL")?;
        (memory.writes, memory.count_max) = (true, memory.count()?);
        Ok(memory)
    }

    /// Opens a database that must be there, only to read it.
    ///
    /// # Errors
    /// When there is none, or the file is something else.
    pub fn open_to_read(path: &Path, game: &str) -> Result<Memory, LearnedError> {
        let name = path.display().to_string();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let base = Connection::open_with_flags(path, flags)
            .and_then(bounded)
            .map_err(|source| LearnedError::Broken { path: name.clone(), source })?;
        check(base, &name, game)
    }

    /// The number of positions.
    ///
    /// # Errors
    /// When the database fails.
    pub fn count(&self) -> Result<u64, LearnedError> {
        let count: i64 = self.base.query_row("SELECT count(*) FROM positions", [], |row| row.get(0))?;
        Ok(count.max(0) as u64)
    }

    /// The learned value of a position; `None` where there is none.
    ///
    /// # Errors
    /// When the database fails.
    pub fn find(&self, position: &str) -> Result<Option<Learned>, LearnedError> {
        let sql = format!("SELECT {} FROM positions WHERE position = ?1", self.columns());
        let found = self.base.prepare_cached(&sql)?.query_row([position], read).optional()?;
        found.map(|row| self.verified(row)).transpose()
    }

    /// The positions of the highest quality first, at most `count`.
    ///
    /// # Errors
    /// When the database fails.
    pub fn best(&self, count: u64) -> Result<Vec<Learned>, LearnedError> {
        let columns = self.columns();
        // An entry of the index whose row is not found is left out without a word: with `+` rows are sorted without it.
        let sql = format!("SELECT {columns} FROM positions ORDER BY +quality DESC, position LIMIT ?1");
        let mut query = self.base.prepare(&sql)?;
        let rows = query.query_map([i64::try_from(count).unwrap_or(i64::MAX)], read)?;
        rows.map(|row| self.verified(row?)).collect()
    }

    /// The columns that a row is read from.
    fn columns(&self) -> &'static str {
        if self.has_checksums { "position, value_cp, quality, sum" } else { "position, value_cp, quality, NULL" }
    }

    /// A row whose checksum holds.
    fn verified(&self, (learned, sum): (Learned, Option<i64>)) -> Result<Learned, LearnedError> {
        if sum.is_some_and(|sum| sum != checksum_of(&learned)) {
            let what = format!("the checksum of position {:?} is wrong", learned.position);
            return Err(LearnedError::Damaged { path: self.path.clone(), what });
        }
        Ok(learned)
    }

    /// Gives the rows of an older file their checksums.
    fn add_checksums(&mut self) -> Result<(), LearnedError> {
        let all = self.best(u64::MAX)?;
        let change = self.base.transaction()?;
        change.execute_batch("ALTER TABLE positions ADD COLUMN sum INTEGER NOT NULL DEFAULT 0")?;
        for one in &all {
            change.execute(
                "UPDATE positions SET sum = ?1 WHERE position = ?2",
                params![checksum_of(one), one.position],
            )?;
        }
        change.execute("UPDATE about SET value = ?1 WHERE name = 'version'", [VERSION])?;
        change.commit()?;
        self.has_checksums = true;
        Ok(())
    }

    /// Keeps positions: new ones, and known ones whose quality is higher than before; then forgets those of the lowest
    /// quality until at most `positions_max` are left. All of it happens or nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub fn keep(&mut self, learned: &[Learned], positions_max: u64) -> Result<(), LearnedError> {
        let change = self.base.transaction()?;
        {
            let mut insert = change.prepare_cached(
                "INSERT INTO positions (position, value_cp, quality, sum) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (position) \
                 DO UPDATE SET value_cp = excluded.value_cp, quality = excluded.quality, sum = excluded.sum \
                 WHERE excluded.quality > positions.quality",
            )?;
            for one in learned {
                insert.execute(params![one.position, one.value_cp, one.quality, checksum_of(one)])?;
            }
        }
        // Counting goes through the whole file: not at each move, but where the bound may be reached.
        let count_max = self.count_max.saturating_add(learned.len() as u64);
        let is_near = count_max > positions_max;
        let left = if is_near { prune(&change, positions_max)? } else { count_max };
        change.commit()?;
        self.count_max = left;
        Ok(())
    }

    /// Forgets positions of a quality below `quality_min`, and those of the lowest quality until at most `positions_max`
    /// are left. Returns how many went.
    ///
    /// # Errors
    /// When the database fails.
    pub fn prune(&mut self, quality_min: f64, positions_max: u64) -> Result<u64, LearnedError> {
        let before = self.count()?;
        let change = self.base.transaction()?;
        change.execute("DELETE FROM positions WHERE quality < ?1", [quality_min])?;
        prune(&change, positions_max)?;
        change.commit()?;
        self.base.execute("VACUUM", [])?;
        self.count_max = self.count()?;
        Ok(before.saturating_sub(self.count()?))
    }
}

/// Puts the log's content into the file, which is all there is then, unless another program has it open.
impl Drop for Memory {
    fn drop(&mut self) {
        if self.writes {
            let _ = self.base.busy_timeout(std::time::Duration::ZERO);
            let _ = self.base.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0));
        }
    }
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Learned, Option<i64>)> {
    Ok((Learned { position: row.get(0)?, value_cp: row.get(1)?, quality: row.get(2)? }, row.get(3)?))
}

/// The checksum of a row, FNV-1a of 64 bits (Fowler, Noll and Vo): a change of any one byte changes it.
fn checksum_of(learned: &Learned) -> i64 {
    // SQLite gives a negative zero back as a zero, which is what this sum is then.
    let quality = learned.quality + 0.0;
    let numbers = [i64::from(learned.value_cp).to_le_bytes(), quality.to_le_bytes()];
    let mut sum = FnvHasher::default();
    sum.write(learned.position.as_bytes());
    numbers.iter().for_each(|number| sum.write(number));
    sum.finish() as i64
}

fn make(base: &Connection, game: &str) -> rusqlite::Result<()> {
    base.execute_batch(
        "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
         CREATE TABLE positions (position TEXT PRIMARY KEY, value_cp INTEGER NOT NULL, quality REAL NOT NULL,
                                 sum INTEGER NOT NULL) WITHOUT ROWID;
         CREATE INDEX by_quality ON positions (quality);",
    )?;
    base.execute("INSERT INTO about VALUES ('version', ?1), ('game', ?2)", [VERSION, game])?;
    Ok(())
}

/// A connection to a file that somebody else may have made: values and the work until [`check`] are bounded, and no SQL of the file's
/// own runs beside ours.
fn bounded(base: Connection) -> rusqlite::Result<Connection> {
    base.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)?;
    base.progress_handler(OPENING_STEPS_MAX, Some(|| true));
    base.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    base.execute_batch("PRAGMA trusted_schema = OFF")?;
    Ok(base)
}

/// Whether the database is what it should be.
fn check(base: Connection, path: &str, game: &str) -> Result<Memory, LearnedError> {
    let broken = |source| LearnedError::Broken { path: path.to_string(), source };
    let about = |name: &str| {
        base.query_row("SELECT value FROM about WHERE name = ?1", [name], |row| row.get::<_, String>(0)).map_err(broken)
    };
    let version = about("version")?;
    let found = format!("learned positions of {}, version {version}", about("game")?);
    let expected = format!("learned positions of {game}, version {VERSION}");
    let has_checksums = version != VERSION_PLAIN;
    if found != expected && (has_checksums || found != format!("learned positions of {game}, version {VERSION_PLAIN}"))
    {
        return Err(LearnedError::Other { path: path.to_string(), found, expected });
    }
    let damaged = |what: String| LearnedError::Damaged { path: path.to_string(), what };
    let strange =
        "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') OR coalesce(rootpage, 0) < 1";
    if base.query_row(strange, [], |row| row.get::<_, i64>(0)).map_err(broken)? > 0 {
        return Err(damaged("it has views, triggers or virtual tables".to_string()));
    }
    // From here on the work is in proportion to the file, whose pages are checked first.
    base.progress_handler(0, None::<fn() -> bool>);
    let pages: String = base.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(broken)?;
    if pages != "ok" {
        return Err(damaged(pages));
    }
    // The check of pages does not compare rows with the index. A mere count(*) would take whichever of both it likes.
    let count = |how: &str| {
        let sql = format!("SELECT count(quality) FROM positions {how}");
        base.query_row(&sql, [], |row| row.get::<_, i64>(0)).map_err(broken)
    };
    let rows = count("NOT INDEXED")?;
    let indexed = count("INDEXED BY by_quality WHERE quality > -1e308")?;
    if rows != indexed {
        return Err(damaged(format!("{rows} positions and {indexed} entries of their index")));
    }
    Ok(Memory { base, path: path.to_string(), has_checksums, writes: false, count_max: u64::MAX })
}

/// Forgets positions of the lowest quality until at most `positions_max` are left; returns how many are.
fn prune(base: &Connection, positions_max: u64) -> rusqlite::Result<u64> {
    let count: i64 = base.query_row("SELECT count(*) FROM positions", [], |row| row.get(0))?;
    let extra = count - i64::try_from(positions_max).unwrap_or(i64::MAX);
    if extra > 0 {
        let sql = "DELETE FROM positions WHERE position IN (SELECT position FROM positions ORDER BY quality LIMIT ?1)";
        base.execute(sql, [extra])?;
    }
    Ok((count - extra.max(0)).max(0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn one(position: &str, value_cp: i32, quality: f64) -> Learned {
        Learned { position: position.into(), value_cp, quality }
    }

    /// SQLite began a database in the place of what somebody had written.
    #[test]
    fn short_files_of_others_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        for text in ["x", "dear diary"] {
            std::fs::write(&path, text).unwrap();
            assert!(Memory::open(&path, "chess").is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn better_work_replaces_worse_and_the_bound_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned.db");
        let mut memory = Memory::open(&path, "four").unwrap();
        memory.keep(&[one("a", 10, 2000.0), one("b", -5, 1500.0)], 10).unwrap();
        memory.keep(&[one("a", 99, 1000.0), one("b", 7, 9000.0)], 10).unwrap();
        drop(memory);
        let mut memory = Memory::open(&path, "four").unwrap();
        assert_eq!(memory.find("a").unwrap(), Some(one("a", 10, 2000.0)));
        assert_eq!(memory.find("b").unwrap(), Some(one("b", 7, 9000.0)));
        assert_eq!(memory.find("c").unwrap(), None);
        let many: Vec<Learned> = (0..100).map(|i| one(&format!("p{i}"), i, 3000.0 + f64::from(i))).collect();
        memory.keep(&many, 10).unwrap();
        assert_eq!(memory.count().unwrap(), 10);
        assert_eq!(memory.best(2).unwrap(), [one("b", 7, 9000.0), one("p99", 99, 3099.0)]);
        assert_eq!(memory.prune(5000.0, 10).unwrap(), 9);
        assert_eq!(memory.best(5).unwrap(), [one("b", 7, 9000.0)]);
    }

    #[test]
    fn what_is_no_memory_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        fs::write(&path, "these are my notes, and they are longer than a header of SQLite would be: keep them")
            .unwrap();
        let before = fs::read(&path).unwrap();
        let error = Memory::open(&path, "four").unwrap_err().to_string();
        assert!(error.contains("is no database of learned positions"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);

        let path = folder.path().join("other.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE cats (name TEXT)").unwrap();
        assert!(Memory::open(&path, "four").unwrap_err().to_string().contains("is no database"));
        let path = folder.path().join("shogi.db");
        drop(Memory::open(&path, "shogi").unwrap());
        let error = Memory::open(&path, "four").unwrap_err().to_string();
        assert!(error.contains("learned positions of shogi") && error.contains("expected learned positions of four"));
        assert!(Memory::open_to_read(&folder.path().join("none.db"), "four").is_err());
        assert!(!folder.path().join("none.db").exists());
    }

    /// A bit of every seventh byte of a small database wrong, one after the other (of every byte with `SLOW=1`): an error, or
    /// the answer that was right.
    #[test]
    fn damaged_databases_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned.db");
        // Small pages, so that most of the bytes mean something.
        Connection::open(&path).unwrap().execute_batch("PRAGMA page_size = 512; VACUUM").unwrap();
        let known = [one("a long position", 1, 2000.0), one("another", -7, 1500.5), one("third", 0, 1200.0)];
        Memory::open(&path, "four").unwrap().keep(&known, 10).unwrap();
        let whole = fs::read(&path).unwrap();
        assert!(whole.len() < 8192, "{} bytes", whole.len());
        let read = || Memory::open_to_read(&path, "four").and_then(|memory| memory.best(10));
        let mut errors = 0;
        let step = if std::env::var_os("SLOW").is_some() { 1 } else { 7 };
        for at in (0..whole.len()).step_by(step) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&path, &bytes).unwrap();
            match read() {
                Ok(found) => assert_eq!(found, known, "byte {at}"),
                Err(_) => errors += 1,
            }
        }
        assert!(errors * step > 200, "{errors} of {}", whole.len() / step);
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        assert!(read().is_err());
        fs::write(&path, &whole).unwrap();
        let damaged = Connection::open(&path).unwrap();
        damaged.execute("UPDATE positions SET value_cp = 2 WHERE position = 'third'", []).unwrap();
        let error = read().unwrap_err().to_string();
        assert!(error.contains("the checksum of position \"third\" is wrong"), "{error}");
    }

    /// A view in the place of the table was counted, whatever its SQL said: this one without end.
    #[test]
    fn a_view_in_the_place_of_positions_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("view.db");
        let forged = "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
             INSERT INTO about VALUES ('version', '2'), ('game', 'four');
             CREATE VIEW positions AS WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more)
                 SELECT n AS position, 1 AS value_cp, 1.0 AS quality, 0 AS sum FROM more";
        Connection::open(&path).unwrap().execute_batch(forged).unwrap();
        let said = [Memory::open(&path, "four").unwrap_err(), Memory::open_to_read(&path, "four").unwrap_err()];
        assert!(said.iter().all(|error| error.to_string().contains("views")), "{said:?}");
    }

    /// A database of few pages, each of which leads to the next many times over, had so many tables that reading their list never ended.
    #[test]
    fn pages_that_lead_to_each_other_without_end_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("forged.db");
        let base = Connection::open(&path).unwrap();
        // As many small pages as the list of tables may be deep, and some to spare.
        base.execute_batch("PRAGMA page_size = 512; VACUUM; CREATE TABLE a (b)").unwrap();
        base.execute("INSERT INTO a VALUES (zeroblob(20000))", []).unwrap();
        drop(base);
        let mut bytes = fs::read(&path).unwrap();
        const DEPTH: usize = 12;
        for page in 0..DEPTH {
            // An inner page of a table: 8 cells of a page number and a key, and the last child.
            let (start, head) = (page * 512, if page == 0 { 100 } else { 0 });
            let next = (page + 2) as u32;
            bytes[start + head..start + 512].fill(0);
            let cells = 40;
            let content = 512 - 5 * cells;
            bytes[start + head] = 5;
            bytes[start + head + 3..start + head + 5].copy_from_slice(&(cells as u16).to_be_bytes());
            bytes[start + head + 5..start + head + 7].copy_from_slice(&(content as u16).to_be_bytes());
            bytes[start + head + 8..start + head + 12].copy_from_slice(&next.to_be_bytes());
            for cell in 0..cells {
                let at = content + 5 * cell;
                let pointer = start + head + 12 + 2 * cell;
                bytes[pointer..pointer + 2].copy_from_slice(&(at as u16).to_be_bytes());
                bytes[start + at..start + at + 4].copy_from_slice(&next.to_be_bytes());
                bytes[start + at + 4] = 1;
            }
        }
        // The leaf below all of them: one row of one null.
        let start = DEPTH * 512;
        bytes[start..start + 512].fill(0);
        bytes[start] = 13;
        bytes[start + 3..start + 5].copy_from_slice(&1_u16.to_be_bytes());
        bytes[start + 5..start + 7].copy_from_slice(&500_u16.to_be_bytes());
        bytes[start + 8..start + 10].copy_from_slice(&500_u16.to_be_bytes());
        bytes[start + 500..start + 504].copy_from_slice(&[2, 1, 2, 0]);
        fs::write(&path, &bytes).unwrap();
        assert!(Memory::open(&path, "four").is_err());
        assert!(Memory::open_to_read(&path, "four").is_err());
    }

    /// An engine had lost what it learned in a game when it was killed before the game's end.
    #[test]
    fn what_was_kept_is_there_while_the_file_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned.db");
        let mut playing = Memory::open(&path, "four").unwrap();
        playing.keep(&[one("a", 10, 2000.0)], 10).unwrap();
        // What a kill leaves: the file and its log, as they lie there now.
        let copy = folder.path().join("copy.db");
        for end in ["", "-wal"] {
            fs::copy(folder.path().join(format!("learned.db{end}")), folder.path().join(format!("copy.db{end}")))
                .unwrap();
        }
        assert_eq!(Memory::open(&copy, "four").unwrap().best(5).unwrap(), [one("a", 10, 2000.0)]);
        drop(playing);
        let names = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
        assert_eq!(names.count(), 2, "no logs stay");
    }

    #[test]
    fn files_of_the_first_version_get_checksums() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        let old = "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
             CREATE TABLE positions (position TEXT PRIMARY KEY, value_cp INTEGER NOT NULL, quality REAL NOT NULL) WITHOUT ROWID;
             CREATE INDEX by_quality ON positions (quality);
             INSERT INTO about VALUES ('version', '1'), ('game', 'four');
             INSERT INTO positions VALUES ('a', 3, 2000.0), ('b', -3, 1000.0)";
        Connection::open(&path).unwrap().execute_batch(old).unwrap();
        let known = [one("a", 3, 2000.0), one("b", -3, 1000.0)];
        assert_eq!(Memory::open_to_read(&path, "four").unwrap().best(9).unwrap(), known);
        assert_eq!(Memory::open(&path, "four").unwrap().best(9).unwrap(), known);
        let memory = Memory::open_to_read(&path, "four").unwrap();
        assert!(memory.has_checksums);
        assert_eq!(memory.best(9).unwrap(), known);
    }
}
