//! The games that rows belong to: by their column, by plies that begin again, or by blocks of neighbours.

use super::cells::RawRows;
use std::collections::HashMap;
use tesuji_record::Hash;

/// Rows without game and ply that count as one game, as for positions.
const BLOCK: u32 = 256;

/// The game of a row: its number, and what [`crate::is_held_out`] knows it by.
pub(super) type GameOfRow = (u32, u64);

/// How rows are assigned to games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GameRule {
    /// A column names them.
    Column,
    /// A game ends where plies do not rise, or the plies left do not fall.
    Plies,
    /// Neighbours count as one.
    Blocks,
}

/// Numbers the games of rows that are read one after the other.
#[derive(Debug, Default)]
pub(super) struct GameNumbers {
    /// By file and hash of the name: two files may number their games alike.
    known: HashMap<(usize, u64), u32>,
    count: u32,
    last: Option<(usize, f32)>,
    block: u32,
    key: u64,
}

impl GameNumbers {
    /// The number of games so far.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The game of row `row` of `rows`, of file number `file`.
    pub(super) fn next(&mut self, file: usize, rows: &RawRows, row: usize, rule: GameRule) -> GameOfRow {
        let head = &rows.heads[row];
        if let (GameRule::Column, Some(name)) = (rule, head.game) {
            let next = self.count;
            let number = *self.known.entry((file, name)).or_insert(next);
            self.count = self.count.max(number + 1);
            return (number, name.max(1));
        }
        // Plies that rise and plies left that fall tell the same.
        let ply = if head.ply.is_nan() { -head.left } else { head.ply };
        let goes_on = match self.last.replace((file, ply)) {
            Some((before, last)) if rule == GameRule::Plies => before == file && ply > last,
            Some(_) => self.block + 1 < BLOCK,
            None => false,
        };
        self.block += 1;
        if !goes_on {
            self.count += 1;
            self.block = 0;
            self.key = row_hash(rows, row);
        }
        (self.count - 1, self.key)
    }
}

/// A hash of a row, which is the same in every format.
fn row_hash(rows: &RawRows, row: usize) -> u64 {
    let mut hash = Hash::default();
    hash.add(&rows.heads[row].result.to_le_bytes());
    for (feature, value) in rows.entries(row) {
        hash.add(&feature.to_le_bytes());
        hash.add(&value.to_le_bytes());
    }
    hash.finish().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature_table::{
        cells::{CellUnits, RowFiller},
        columns::{Role, TableColumns},
    };

    fn rows(plies: &[f64], role: Role) -> RawRows {
        let mut filler = RowFiller::new(CellUnits::of(&TableColumns::default()));
        for (number, &ply) in plies.iter().enumerate() {
            filler.number(Role::Feature(0), number as f64).unwrap();
            filler.number(role, ply).unwrap();
            filler.end_row();
        }
        filler.rows
    }

    fn numbers(rows: &RawRows, rule: GameRule) -> Vec<u32> {
        let mut games = GameNumbers::default();
        (0..rows.heads.len()).map(|row| games.next(0, rows, row, rule).0).collect()
    }

    #[test]
    fn rows_without_a_game_end_one_where_plies_begin_again() {
        assert_eq!(numbers(&rows(&[5.0, 9.0, 10.0, 2.0, 3.0, 3.0], Role::Ply), GameRule::Plies), [0, 0, 0, 1, 1, 2]);
        assert_eq!(numbers(&rows(&[9.0, 5.0, 0.0, 7.0, 1.0], Role::Left), GameRule::Plies), [0, 0, 0, 1, 1]);
        let blocks = numbers(&rows(&[0.0; 600], Role::Score), GameRule::Blocks);
        assert_eq!((blocks[255], blocks[256], blocks[599]), (0, 1, 2));
    }

    #[test]
    fn games_of_a_column_may_be_mixed_and_files_number_theirs_apart() {
        let table = rows(&[7.0, 8.0, 7.0], Role::Game);
        let mut games = GameNumbers::default();
        let mut of = |file, row| games.next(file, &table, row, GameRule::Column);
        let [a, b, c, d] = [of(0, 0), of(0, 1), of(0, 2), of(1, 0)];
        assert_eq!([a.0, b.0, c.0, d.0], [0, 1, 0, 2]);
        assert_eq!(a.1, d.1, "held out alike in every file");
    }
}
