//! The workers of a fleet that played the games of a journal, and games that were set aside because of who played them.

use super::{Journal, JournalError, sums};
use rusqlite::Transaction;
use tesuji_jobs::units::ExcludedWorker;

/// The setting that holds the workers whose games are wanted no more, as JSON.
const EXCLUDED: &str = "excluded";

/// Who played a game.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GameOrigin {
    /// The name of the worker.
    pub worker: String,
    /// What tells it from others of that name.
    pub id: String,
}

/// A game that was played and does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its number, from 0.
    pub game: u64,
    /// Who played it.
    pub origin: GameOrigin,
    /// The reason.
    pub reason: String,
    /// Its moves.
    pub moves: Vec<String>,
}

/// Journals of earlier versions have no such tables.
pub(super) const CREATE: &str = "
    CREATE TABLE IF NOT EXISTS origins (game INTEGER PRIMARY KEY, worker TEXT NOT NULL, id TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS set_aside (
        number INTEGER PRIMARY KEY, game INTEGER NOT NULL, worker TEXT NOT NULL, id TEXT NOT NULL, reason TEXT NOT NULL,
        winner INTEGER, by TEXT NOT NULL, used TEXT NOT NULL, moves TEXT NOT NULL);";
pub(super) const ORIGINS: &str = "SELECT game, worker, id FROM origins ORDER BY game";
pub(super) const SET_ASIDE: &str = "SELECT game, worker, id, reason, moves FROM set_aside ORDER BY number";

/// Notes who played a game, in the transaction that writes it.
pub(super) fn add(all: &Transaction<'_>, game: i64, origin: &GameOrigin) -> Result<(), JournalError> {
    let mut insert = all.prepare_cached("INSERT INTO origins VALUES (?1, ?2, ?3)")?;
    insert.execute((game, &origin.worker, &origin.id))?;
    Ok(sums::seal(all, &sums::ORIGINS, &game)?)
}

impl Journal {
    /// The games that workers of a fleet played, each with its worker.
    ///
    /// # Errors
    /// Those of the database.
    pub fn origins(&self) -> Result<Vec<(u64, GameOrigin)>, JournalError> {
        let mut all = self.db.prepare(ORIGINS)?;
        let rows = all.query_map([], |row| {
            Ok((row.get::<_, i64>(0)? as u64, GameOrigin { worker: row.get(1)?, id: row.get(2)? }))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Sets games of workers aside, all of them or none: they count no more and are played again, and stay in the journal with the
    /// `reason`. Games of which no worker is known stay as they are.
    ///
    /// # Errors
    /// Those of the database.
    pub fn set_aside(&mut self, games: &[u64], reason: &str) -> Result<(), JournalError> {
        let all = self.db.transaction()?;
        for game in games.iter().map(|game| *game as i64) {
            let moved = all.execute(
                "INSERT INTO set_aside (game, worker, id, reason, winner, by, used, moves)
                 SELECT games.game, worker, id, ?2, winner, by, used, moves
                 FROM games JOIN origins ON origins.game = games.game WHERE games.game = ?1",
                (game, reason),
            )?;
            if moved == 0 {
                continue;
            }
            sums::seal(&all, &sums::SET_ASIDE, &all.last_insert_rowid())?;
            for table in [sums::GAMES, sums::ORIGINS] {
                sums::remove(&all, &table, &game)?;
            }
        }
        Ok(all.commit()?)
    }

    /// The workers whose games are wanted no more. What another version wrote counts as none.
    ///
    /// # Errors
    /// Those of the database.
    pub fn excluded(&self) -> Result<Vec<ExcludedWorker>, JournalError> {
        let told = self.setting(EXCLUDED)?;
        Ok(told.and_then(|told| serde_json::from_str(&told).ok()).unwrap_or_default())
    }

    /// Keeps the workers whose games are wanted no more: the fleet's server may lose them.
    ///
    /// # Errors
    /// Those of the database.
    pub fn set_excluded(&mut self, excluded: &[ExcludedWorker]) -> Result<(), JournalError> {
        let told = serde_json::to_string(excluded).unwrap_or_default();
        self.set(&[(EXCLUDED, &told)])
    }

    /// The games that were set aside, in the order in which they were.
    ///
    /// # Errors
    /// Those of the database.
    pub fn games_set_aside(&self) -> Result<Vec<SetAside>, JournalError> {
        let mut all = self.db.prepare(SET_ASIDE)?;
        let rows = all.query_map([], |row| {
            let moves: String = row.get(4)?;
            Ok(SetAside {
                game: row.get::<_, i64>(0)? as u64,
                origin: GameOrigin { worker: row.get(1)?, id: row.get(2)? },
                reason: row.get(3)?,
                moves: moves.split_ascii_whitespace().map(str::to_string).collect(),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finished, Tail, Used};
    use std::time::Duration;
    use tesuji_game::{By, Outcome, Side};

    #[test]
    fn games_that_are_set_aside_count_no_more_and_stay_in_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.journal");
        let mut journal = Journal::open(&path).unwrap();
        let game = |game: u64, moves: &[&str]| Finished {
            game,
            outcome: Outcome::win(Side::First, By::Mate),
            fault: None,
            plies: 2,
            duration: Duration::from_secs(1),
            used: [Used::default(); 2],
            moves: moves.iter().map(|mv| mv.to_string()).collect(),
            values: Vec::new(),
        };
        let origin = |worker: &str, id: &str| GameOrigin { worker: worker.into(), id: id.into() };
        let tail = |at: u64| [Tail { start: at, bytes: b"1-0\n".to_vec() }];
        journal.add_of(&game(0, &["a"]), &tail(0), Some(&origin("w", "1"))).unwrap();
        journal.add_of(&game(1, &["b", "c"]), &tail(4), Some(&origin("w", "2"))).unwrap();
        journal.add(&game(2, &["d"]), &tail(8)).unwrap();
        assert_eq!(journal.origins().unwrap(), [(0, origin("w", "1")), (1, origin("w", "2"))]);
        // Of game 2 no worker is known.
        journal.set_aside(&[1, 2], "it lies").unwrap();
        // Played again by another one, and that one's is set aside as well.
        journal.add_of(&game(1, &["e"]), &tail(12), Some(&origin("v", "3"))).unwrap();
        journal.set_aside(&[1], "it is slow").unwrap();
        drop(journal);
        let journal = Journal::open(&path).unwrap();
        let games: Vec<u64> = journal.games().unwrap().iter().map(|game| game.game).collect();
        assert_eq!((games, journal.origins().unwrap()), (vec![0, 2], vec![(0, origin("w", "1"))]));
        let told: Vec<_> = journal.games_set_aside().unwrap();
        let first = SetAside {
            game: 1,
            origin: origin("w", "2"),
            reason: "it lies".into(),
            moves: vec!["b".into(), "c".into()],
        };
        assert_eq!((told.len(), &told[0], told[1].reason.as_str()), (2, &first, "it is slow"));
        // The files go on behind what was written last.
        assert_eq!(journal.tails().unwrap(), tail(12));
    }
}
