//! The cells of a row by the roles of their columns: numbers and texts into results, games, phases, features.

use super::columns::{Role, TableColumns};
use tesuji_record::Hash;

/// What is known of a row other than its features. What is not known is NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RowHead {
    /// From 0 (lost) to 1 (won).
    pub result: f32,
    pub score: f32,
    pub ply: f32,
    pub left: f32,
    /// The share of the middlegame, from 0 to 1.
    pub phase: f32,
    /// The factor of the endgame's part.
    pub scale: f32,
    pub weight: f32,
    /// A hash of the game's name.
    pub game: Option<u64>,
}

impl RowHead {
    const UNKNOWN: RowHead = RowHead {
        result: f32::NAN,
        score: f32::NAN,
        ply: f32::NAN,
        left: f32::NAN,
        phase: f32::NAN,
        scale: 1.0,
        weight: 1.0,
        game: None,
    };
}

/// Rows as they were read, in compressed columns.
#[derive(Debug, Default)]
pub(super) struct RawRows {
    pub heads: Vec<RowHead>,
    /// Where the features of each row end.
    pub ends: Vec<usize>,
    pub features: Vec<u16>,
    pub values: Vec<f32>,
}

impl RawRows {
    /// The features of row `row` that are not 0, with their values.
    pub(super) fn entries(&self, row: usize) -> impl Iterator<Item = (u16, f32)> + '_ {
        let from = if row == 0 { 0 } else { self.ends[row - 1] };
        let range = from..self.ends[row];
        self.features[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }
}

/// The meaning of numbers in cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellUnits {
    results: [f64; 2],
    phases: [f64; 2],
    scale_full: f64,
}

impl CellUnits {
    /// As `columns` has them.
    pub(super) fn of(columns: &TableColumns) -> CellUnits {
        CellUnits {
            results: columns.results.unwrap_or([0.0, 1.0]),
            phases: columns.phases.unwrap_or([0.0, 1.0]),
            scale_full: columns.scale_full.unwrap_or(1.0),
        }
    }
}

/// Fills rows cell by cell.
pub(super) struct RowFiller {
    units: CellUnits,
    head: RowHead,
    pub rows: RawRows,
}

impl RowFiller {
    pub(super) fn new(units: CellUnits) -> RowFiller {
        RowFiller { units, head: RowHead::UNKNOWN, rows: RawRows::default() }
    }

    /// Takes a cell of text.
    ///
    /// # Errors
    /// In words, what is expected there.
    #[inline]
    pub(super) fn text(&mut self, role: Role, cell: &[u8]) -> Result<(), String> {
        // Most cells of a wide table.
        if cell == b"0" && matches!(role, Role::Feature(_)) {
            return Ok(());
        }
        match role {
            Role::Ignored => Ok(()),
            Role::Score if cell.is_empty() => Ok(()),
            Role::Game if cell.is_empty() => Err("expected the number or the name of a game, found nothing".into()),
            Role::Game => {
                self.head.game = Some(game_hash(cell));
                Ok(())
            }
            _ => match number(cell).or_else(|| (role == Role::Result).then(|| self.result_word(cell)).flatten()) {
                Some(number) => self.number(role, number),
                None if role == Role::Result => {
                    Err(format!("expected a result: a number, 1-0, 0-1 or 1/2-1/2, found {:?}", shown(cell)))
                }
                None => Err(format!("expected a number, found {:?}", shown(cell))),
            },
        }
    }

    /// Takes a number.
    ///
    /// # Errors
    /// In words, what is expected there.
    pub(super) fn number(&mut self, role: Role, number: f64) -> Result<(), String> {
        let single = number as f32;
        if !single.is_finite() {
            return Err(format!("expected a number that is finite in single precision, found {number}"));
        }
        match role {
            Role::Ignored => {}
            Role::Feature(feature) => {
                if single != 0.0 {
                    self.rows.features.push(feature);
                    self.rows.values.push(single);
                }
            }
            Role::Game => self.head.game = Some(game_hash(number.to_string().as_bytes())),
            Role::Score => self.head.score = single,
            Role::Result => self.head.result = share(number, self.units.results, "result", "results")?,
            Role::Phase => self.head.phase = share(number, self.units.phases, "phase", "phases")?,
            Role::Ply => self.head.ply = not_negative(number, role)?,
            Role::Left => self.head.left = not_negative(number, role)?,
            Role::Weight => self.head.weight = not_negative(number, role)?,
            Role::Scale => self.head.scale = not_negative(number / self.units.scale_full, role)?,
        }
        Ok(())
    }

    /// Ends the row.
    pub(super) fn end_row(&mut self) {
        self.rows.heads.push(self.head);
        self.rows.ends.push(self.rows.features.len());
        self.head = RowHead::UNKNOWN;
    }

    /// A result in words, as a number of the table's range.
    fn result_word(&self, cell: &[u8]) -> Option<f64> {
        let [lost, won] = self.units.results;
        match cell {
            b"1-0" => Some(won),
            b"0-1" => Some(lost),
            b"1/2-1/2" | b"1/2" => Some((lost + won) / 2.0),
            _ => None,
        }
    }
}

/// The share of `number` on the way from `from` to `to`, in 0..=1.
fn share(number: f64, [from, to]: [f64; 2], what: &str, field: &str) -> Result<f32, String> {
    let share = (number - from) / (to - from);
    if !(-1e-6..=1.000_001).contains(&share) {
        return Err(format!("{what} {number}: expected a number from {from} to {to} ({field} says so)"));
    }
    Ok(share.clamp(0.0, 1.0) as f32)
}

fn not_negative(number: f64, role: Role) -> Result<f32, String> {
    if number < 0.0 {
        return Err(format!("{} {number}: expected at least 0", role.name()));
    }
    Ok(number as f32)
}

/// A hash of the name of a game; a whole number is the same game however it is written.
fn game_hash(cell: &[u8]) -> u64 {
    let mut hash = Hash::default();
    match number(cell).filter(|number| number.fract() == 0.0 && number.abs() < 9e15) {
        Some(number) => hash.add((number as i64).to_string().as_bytes()),
        None => hash.add(cell),
    }
    hash.finish()
}

/// A number as text.
fn number(cell: &[u8]) -> Option<f64> {
    let (negative, digits) = match cell {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        let whole = digits.iter().fold(0u32, |number, digit| number * 10 + u32::from(digit - b'0'));
        return Some(if negative { -f64::from(whole) } else { f64::from(whole) });
    }
    std::str::from_utf8(cell).ok()?.parse().ok()
}

/// A cell for an error.
pub(super) fn shown(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell);
    if text.chars().count() > 40 {
        format!("{}…", text.chars().take(40).collect::<String>())
    } else {
        text.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_library_reads_them() {
        for text in ["0", "-0", "7", "-12", "123456789", "1234567890", "0.5", "-3e2", "1e-3", "+4", ".5"] {
            assert_eq!(number(text.as_bytes()), text.parse().ok(), "{text}");
        }
        assert_eq!([number(b""), number(b"-"), number(b"x"), number(b"1,5")], [None; 4]);
    }

    #[test]
    fn results_are_shares_of_their_range_and_games_do_not_depend_on_how_they_are_written() {
        let columns = TableColumns { results: Some([-1.0, 1.0]), ..TableColumns::default() };
        let result = |cell: &str| {
            let mut filler = RowFiller::new(CellUnits::of(&columns));
            filler.text(Role::Result, cell.as_bytes()).map(|()| filler.head.result)
        };
        let known = ["1", "0", "-1", "1-0", "0-1", "1/2-1/2", "0.5"].map(|cell| result(cell).unwrap());
        assert_eq!(known, [1.0, 0.5, 0.0, 1.0, 0.0, 0.5, 0.75]);
        assert!(result("2").unwrap_err().contains("expected a number from -1 to 1"));
        assert!(result("won").unwrap_err().contains("1/2-1/2, found \"won\""));
        assert!(result("NaN").unwrap_err().contains("finite"));
        assert_eq!(game_hash(b"17"), game_hash(b"17.0"));
        assert_ne!(game_hash(b"17"), game_hash(b"17a"));
    }
}
