//! Learned positions: what was worked out well in earlier games, in a SQLite file that never grows beyond a bound.

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::path::Path;
use thiserror::Error;

/// The most positions that a memory keeps where nothing else is said: about 150 MB.
pub const POSITIONS_MAX: u64 = 1_000_000;
/// The form of the tables.
const VERSION: &str = "1";

/// One learned position.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The position in the game's notation.
    pub position: String,
    /// For the side to move, in centipawns.
    pub value_cp: i32,
    /// How much work stands behind the value: the quality of a best-first tree, undiscounted.
    pub quality: f64,
}

/// Why a memory cannot be used. The file is as it was.
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
        /// What it says of itself.
        found: String,
        /// What was asked for.
        expected: String,
    },
    /// A later call failed.
    #[error("learned positions: {0}")]
    Failed(#[from] rusqlite::Error),
}

/// An open database of learned positions of one game.
#[derive(Debug)]
pub struct Memory {
    base: Connection,
}

impl Memory {
    /// Opens the database of `game` at `path`, and makes one where there is no file.
    ///
    /// # Errors
    /// When the file is something else; it is left as it is.
    pub fn open(path: &Path, game: &str) -> Result<Memory, LearnedError> {
        let name = path.display().to_string();
        let broken = |source| LearnedError::Broken { path: name.clone(), source };
        let base = Connection::open(path).map_err(broken)?;
        base.busy_timeout(std::time::Duration::from_secs(5)).map_err(broken)?;
        let tables: i64 = base.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(broken)?;
        if tables == 0 {
            make(&base, game).map_err(broken)?;
        }
        check(base, &name, game)
    }

    /// Opens a database that must be there, only to read it.
    ///
    /// # Errors
    /// When there is none, or the file is something else.
    pub fn open_to_read(path: &Path, game: &str) -> Result<Memory, LearnedError> {
        let name = path.display().to_string();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let base = Connection::open_with_flags(path, flags)
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

    /// What is known about a position.
    ///
    /// # Errors
    /// When the database fails.
    pub fn find(&self, position: &str) -> Result<Option<Learned>, LearnedError> {
        let mut query =
            self.base.prepare_cached("SELECT position, value_cp, quality FROM positions WHERE position = ?1")?;
        Ok(query.query_row([position], read).optional()?)
    }

    /// The positions of the highest quality first, at most `count`.
    ///
    /// # Errors
    /// When the database fails.
    pub fn best(&self, count: u64) -> Result<Vec<Learned>, LearnedError> {
        let sql = "SELECT position, value_cp, quality FROM positions ORDER BY quality DESC, position LIMIT ?1";
        let mut query = self.base.prepare(sql)?;
        let rows = query.query_map([i64::try_from(count).unwrap_or(i64::MAX)], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
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
                "INSERT INTO positions (position, value_cp, quality) VALUES (?1, ?2, ?3) ON CONFLICT (position) \
                 DO UPDATE SET value_cp = excluded.value_cp, quality = excluded.quality \
                 WHERE excluded.quality > positions.quality",
            )?;
            for one in learned {
                insert.execute(params![one.position, one.value_cp, one.quality])?;
            }
        }
        prune(&change, positions_max)?;
        Ok(change.commit()?)
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
        Ok(before - self.count()?)
    }
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Learned> {
    Ok(Learned { position: row.get(0)?, value_cp: row.get(1)?, quality: row.get(2)? })
}

fn make(base: &Connection, game: &str) -> rusqlite::Result<()> {
    base.execute_batch(
        "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
         CREATE TABLE positions (position TEXT PRIMARY KEY, value_cp INTEGER NOT NULL, quality REAL NOT NULL) WITHOUT ROWID;
         CREATE INDEX by_quality ON positions (quality);",
    )?;
    base.execute("INSERT INTO about VALUES ('version', ?1), ('game', ?2)", [VERSION, game])?;
    Ok(())
}

/// Whether the database is what it should be.
fn check(base: Connection, path: &str, game: &str) -> Result<Memory, LearnedError> {
    let broken = |source| LearnedError::Broken { path: path.to_string(), source };
    let about = |name: &str| {
        base.query_row("SELECT value FROM about WHERE name = ?1", [name], |row| row.get::<_, String>(0)).map_err(broken)
    };
    let found = format!("learned positions of {}, version {}", about("game")?, about("version")?);
    let expected = format!("learned positions of {game}, version {VERSION}");
    if found != expected {
        return Err(LearnedError::Other { path: path.to_string(), found, expected });
    }
    base.query_row("SELECT count(*) FROM (SELECT position, value_cp, quality FROM positions LIMIT 1)", [], |_| Ok(()))
        .map_err(broken)?;
    Ok(Memory { base })
}

fn prune(base: &Connection, positions_max: u64) -> rusqlite::Result<()> {
    let count: i64 = base.query_row("SELECT count(*) FROM positions", [], |row| row.get(0))?;
    let extra = count - i64::try_from(positions_max).unwrap_or(i64::MAX);
    if extra > 0 {
        let sql = "DELETE FROM positions WHERE position IN (SELECT position FROM positions ORDER BY quality LIMIT ?1)";
        base.execute(sql, [extra])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn one(position: &str, value_cp: i32, quality: f64) -> Learned {
        Learned { position: position.into(), value_cp, quality }
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

    /// Every single byte of a small database wrong: an error or a good answer, never a panic.
    #[test]
    fn damaged_databases_do_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned.db");
        Memory::open(&path, "four").unwrap().keep(&[one("a", 1, 2000.0)], 10).unwrap();
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(97) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x5a;
            fs::write(&path, &bytes).unwrap();
            if let Ok(memory) = Memory::open_to_read(&path, "four") {
                let _ = memory.best(10);
            }
        }
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        if let Ok(memory) = Memory::open_to_read(&path, "four") {
            let _ = memory.best(10);
        }
    }
}
