//! Connect Four as text: a position is the columns played (`4435`), a move a digit from 1 to 7.

use super::{Drop, FULL, FourPosition};
use std::{fmt, str::FromStr};
use tesuji_game::{Game, Notation, NotationError, Position, Side};

/// Connect Four.
pub struct Four;

/// Connect Four has no variants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoRules;

impl fmt::Display for NoRules {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl FromStr for NoRules {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        if text.is_empty() { Ok(NoRules) } else { Err(NotationError::Syntax { at: 0, expected: "nothing" }) }
    }
}

/// The notation: rows from the top, `x` and `o` and `.`, separated by `/`, then the side to move.
pub struct Columns;

impl Notation<FourPosition, NoRules> for Columns {
    fn parse_position(_: &NoRules, text: &str) -> Result<FourPosition, NotationError> {
        let bad = |at, expected| NotationError::Syntax { at, expected };
        if text.is_empty() {
            return Err(NotationError::Empty);
        }
        let bytes = text.as_bytes();
        if bytes.len() != 6 * 8 + 1 {
            return Err(bad(0, "six rows of seven cells, each followed by /, and x or o"));
        }
        let (mut first, mut all) = (0u64, 0u64);
        for (i, &b) in bytes[..48].iter().enumerate() {
            let (row, column) = (5 - i / 8, i % 8);
            match (column, b) {
                (7, b'/') => {}
                (0..7, b'x' | b'o' | b'.') => {
                    let cell = 1u64 << (7 * column + row);
                    all |= if b == b'.' { 0 } else { cell };
                    first |= if b == b'x' { cell } else { 0 };
                }
                (7, _) => return Err(bad(i, "/")),
                _ => return Err(bad(i, "x, o or .")),
            }
        }
        for column in 0..7 {
            let cells = all >> (7 * column) & 0x3f;
            if cells & (cells + 1) != 0 {
                return Err(NotationError::IllegalPosition { at: column, reason: "a disc hangs in the air" });
            }
        }
        let second = all ^ first;
        let counts = (first.count_ones(), second.count_ones());
        let side = match bytes[48] {
            b'x' if counts.0 == counts.1 => Side::First,
            b'o' if counts.0 == counts.1 + 1 => Side::Second,
            b'x' | b'o' => return Err(NotationError::IllegalPosition { at: 48, reason: "the other side is to move" }),
            _ => return Err(bad(48, "x or o")),
        };
        debug_assert_eq!(all & !FULL, 0);
        let mine = if side == Side::First { first } else { second };
        Ok(FourPosition::from_parts(mine, all, (counts.0 + counts.1) as u8))
    }

    fn write_position(pos: &FourPosition, out: &mut dyn fmt::Write) -> fmt::Result {
        let (mine, all) = pos.discs();
        let first = if pos.side_to_move() == Side::First { mine } else { all ^ mine };
        for row in (0..6).rev() {
            for column in 0..7 {
                let cell = 1u64 << (7 * column + row);
                out.write_char(if all & cell == 0 {
                    '.'
                } else if first & cell != 0 {
                    'x'
                } else {
                    'o'
                })?;
            }
            out.write_char('/')?;
        }
        out.write_char(if pos.side_to_move() == Side::First { 'x' } else { 'o' })
    }

    fn parse_move(pos: &FourPosition, text: &str) -> Result<Drop, NotationError> {
        if text.is_empty() {
            return Err(NotationError::Empty);
        }
        let column: u16 =
            text.parse().map_err(|_| NotationError::Syntax { at: 0, expected: "a column from 1 to 7" })?;
        pos.unpack(column).ok_or_else(|| NotationError::IllegalMove { text: text.to_string() })
    }

    fn write_move(_: &FourPosition, mv: Drop, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{}", mv.0 + 1)
    }
}

impl Game for Four {
    const NAME: &'static str = "four";
    type Position = FourPosition;
    type Notation = Columns;
    type Rules = NoRules;

    fn start(_: &NoRules) -> FourPosition {
        FourPosition::default()
    }
}
