//! Checksums of a journal's rows, since SQLite notices only what breaks its pages.

use super::JournalError;
use rusqlite::{
    Connection, OptionalExtension, Row, ToSql,
    types::{ToSqlOutput, ValueRef},
};
use tesuji_game::fnv;

/// A table whose rows have checksums.
pub(super) struct Table {
    name: &'static str,
    /// The column that names a row.
    key: &'static str,
}

pub(super) const SETTINGS: Table = Table { name: "settings", key: "name" };
pub(super) const GAMES: Table = Table { name: "games", key: "game" };
pub(super) const TAILS: Table = Table { name: "tails", key: "output" };
pub(super) const ORIGINS: Table = Table { name: "origins", key: "game" };
pub(super) const SET_ASIDE: Table = Table { name: "set_aside", key: "number" };

/// Makes the table of checksums where there is none: journals of earlier versions have none, and none of their rows.
pub(super) const CREATE: &str = "CREATE TABLE IF NOT EXISTS sums (
    place TEXT NOT NULL, name NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (place, name)) WITHOUT ROWID;";

/// Writes down the checksum of the row `key` of `table`, as it now is.
pub(super) fn seal(db: &Connection, table: &Table, key: &dyn ToSql) -> rusqlite::Result<()> {
    let mut find = db.prepare_cached(&format!("SELECT * FROM {} WHERE {} = ?1", table.name, table.key))?;
    let sum = find.query_row([key], sum_of)?;
    let mut write = db.prepare_cached("INSERT OR REPLACE INTO sums VALUES (?1, ?2, ?3)")?;
    write.execute([&table.name as &dyn ToSql, key, &sum]).map(drop)
}

/// Removes the row `key` of `table` with its checksum.
pub(super) fn remove(db: &Connection, table: &Table, key: &dyn ToSql) -> rusqlite::Result<()> {
    db.execute(&format!("DELETE FROM {} WHERE {} = ?1", table.name, table.key), [key])?;
    db.execute("DELETE FROM sums WHERE place = ?1 AND name = ?2", [&table.name as &dyn ToSql, key]).map(drop)
}

/// Whether the rows are those that were written.
pub(super) fn check(db: &Connection) -> Result<(), JournalError> {
    let mut summed = 0;
    for table in [SETTINGS, GAMES, TAILS, ORIGINS, SET_ASIDE] {
        summed += check_table(db, &table)?;
    }
    let sums: u64 = db.query_row("SELECT count(*) FROM sums", [], |row| row.get(0))?;
    if sums == summed {
        return Ok(());
    }
    Err(JournalError::Damaged(format!("{sums} checksums for {summed} rows")))
}

/// How many rows of a table have a checksum, all of them the right one.
fn check_table(db: &Connection, table: &Table) -> Result<u64, JournalError> {
    let mut rows = db.prepare(&format!("SELECT * FROM {}", table.name))?;
    let mut find = db.prepare("SELECT sum FROM sums WHERE place = ?1 AND name = ?2")?;
    let (mut rows, mut number, mut summed) = (rows.query([])?, 0u64, 0);
    while let Some(row) = rows.next()? {
        // Its text may be broken, which a `Value` does not bear.
        let key = ToSqlOutput::Borrowed(row.get_ref(table.key)?);
        let sum: Option<i64> = find.query_row([&table.name as &dyn ToSql, &key], |row| row.get(0)).optional()?;
        number += 1;
        match sum {
            Some(sum) if sum != sum_of(row)? => {
                return Err(JournalError::Damaged(format!("the checksum of row {number} of {} is wrong", table.name)));
            }
            Some(_) => summed += 1,
            None => {}
        }
    }
    Ok(summed)
}

/// The sum of all columns of a row, each with its type and length.
fn sum_of(row: &Row<'_>) -> rusqlite::Result<i64> {
    let mut sum = fnv::START;
    for column in 0..row.as_ref().column_count() {
        let (kind, bytes): (u8, &[u8]) = match row.get_ref(column)? {
            ValueRef::Null => (0, &[]),
            ValueRef::Integer(number) => (1, &number.to_le_bytes()),
            ValueRef::Real(number) => (2, &number.to_bits().to_le_bytes()),
            ValueRef::Text(bytes) => (3, bytes),
            ValueRef::Blob(bytes) => (4, bytes),
        };
        sum = fnv::step(fnv::step(sum, u64::from(kind)), bytes.len() as u64);
        sum = bytes.iter().fold(sum, |sum, &byte| fnv::step(sum, u64::from(byte)));
    }
    Ok(sum as i64)
}
