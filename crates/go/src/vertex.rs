//! A point of the board by column and row, and a move, both independent of the board's memory layout, as GTP writes them.

use crate::Size;
use std::fmt;
use tesuji_game::NotationError;

/// A point by column and row. Column 0 is the left one (`A`), row 0 the lowest (`1`), as GTP counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vertex {
    /// Column from the left, in 0..25.
    pub x: u8,
    /// Row from below, in 0..25.
    pub y: u8,
}

/// The letters of columns: there is no I.
const LETTERS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

impl Vertex {
    /// The point at column `x` from the left and row `y` from below; `None` outside a board of 25 lines.
    pub const fn new(x: usize, y: usize) -> Option<Vertex> {
        if x < Size::SIDE_MAX && y < Size::SIDE_MAX { Some(Vertex { x: x as u8, y: y as u8 }) } else { None }
    }

    /// Whether the point is on a board of `size`.
    pub const fn is_on(self, size: Size) -> bool {
        (self.x as usize) < size.width() && (self.y as usize) < size.height()
    }

    /// All points of a board, row by row from `A1` upward.
    pub fn all(size: Size) -> impl Iterator<Item = Vertex> {
        (0..size.height()).flat_map(move |y| (0..size.width()).map(move |x| Vertex { x: x as u8, y: y as u8 }))
    }

    /// The number of the point on a board of `size`, in the order of [`Vertex::all`]: `y * width + x`.
    pub const fn index(self, size: Size) -> usize {
        self.y as usize * size.width() + self.x as usize
    }

    /// Reads a GTP vertex such as `D4` or `t19` on a board of `size`.
    ///
    /// # Errors
    /// The text is no vertex, with the part that was expected, or the point is off the board.
    pub fn parse(text: &str, size: Size) -> Result<Vertex, NotationError> {
        let column = text.bytes().next().ok_or(NotationError::Empty)?.to_ascii_uppercase();
        let x = LETTERS.iter().position(|&l| l == column);
        let x = x.ok_or(NotationError::Syntax { at: 0, expected: "a column from A to Z without I" })?;
        let digits = &text[1..];
        let plain = matches!(digits.len(), 1..=2) && digits.bytes().all(|b| b.is_ascii_digit());
        let row = digits.parse::<usize>().ok().filter(|&row| plain && row > 0);
        let row = row.ok_or(NotationError::Syntax { at: 1, expected: "a row from 1 to 25" })?;
        let on_board = Vertex::new(x, row - 1).filter(|v| v.is_on(size));
        on_board.ok_or(NotationError::Syntax { at: 0, expected: "a point on the board" })
    }
}

impl fmt::Display for Vertex {
    /// As GTP writes it: `D4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match LETTERS.get(self.x as usize) {
            Some(&letter) => {
                // By hand, since records are full of these.
                let row = self.y + 1;
                let text = [letter, b'0' + row / 10, b'0' + row % 10];
                let short = [letter, text[2]];
                let text = if row < 10 { &short[..] } else { &text[..] };
                f.write_str(std::str::from_utf8(text).unwrap_or("?"))
            }
            None => f.write_str("?"),
        }
    }
}

/// A move: a stone on a point, or a pass. The same word on every board size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u16);

impl Move {
    /// Passing.
    pub const PASS: Move = Move(u16::MAX);

    /// A stone at `vertex`.
    pub const fn at(vertex: Vertex) -> Move {
        Move(((vertex.y as u16) << 5 | vertex.x as u16) + 1)
    }

    /// The point of the stone; `None` for a pass.
    pub const fn vertex(self) -> Option<Vertex> {
        if self.0 == u16::MAX {
            return None;
        }
        let word = self.0 - 1;
        Some(Vertex { x: (word & 31) as u8, y: (word >> 5) as u8 })
    }

    /// Whether this is a pass.
    pub const fn is_pass(self) -> bool {
        self.0 == u16::MAX
    }

    /// Sixteen bits for tables and files, never 0; see [`Move::from_bits`].
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move of some board that has these bits; `None` for words that are no move on any board.
    pub const fn from_bits(bits: u16) -> Option<Move> {
        if bits == u16::MAX {
            return Some(Move::PASS);
        }
        if bits == 0 {
            return None;
        }
        let (x, y) = ((bits - 1) & 31, (bits - 1) >> 5);
        if (x as usize) < Size::SIDE_MAX && (y as usize) < Size::SIDE_MAX { Some(Move(bits)) } else { None }
    }

    /// Reads `pass` or a GTP vertex on a board of `size`. Whether the move is legal is not asked.
    ///
    /// # Errors
    /// The text is no move, with the part that was expected, or the point is off the board.
    pub fn parse(text: &str, size: Size) -> Result<Move, NotationError> {
        if text.eq_ignore_ascii_case("pass") { Ok(Move::PASS) } else { Vertex::parse(text, size).map(Move::at) }
    }
}

impl From<Vertex> for Move {
    fn from(vertex: Vertex) -> Move {
        Move::at(vertex)
    }
}

impl fmt::Display for Move {
    /// As GTP writes it: `D4`, `pass`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.vertex() {
            Some(vertex) => vertex.fmt(f),
            None => f.write_str("pass"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_reads_back() {
        let size = Size::square(25).unwrap();
        for (i, vertex) in Vertex::all(size).enumerate() {
            assert_eq!(vertex.index(size), i);
            assert_eq!(Vertex::parse(&vertex.to_string(), size), Ok(vertex));
            assert_eq!(Move::parse(&vertex.to_string().to_lowercase(), size), Ok(Move::at(vertex)));
            assert_eq!(Move::at(vertex).vertex(), Some(vertex));
        }
    }

    #[test]
    fn words_are_moves_or_nothing() {
        let known = (0..=u16::MAX).filter(|&bits| Move::from_bits(bits).is_some_and(|mv| mv.bits() == bits)).count();
        assert_eq!(known, 626);
        assert_eq!(Move::from_bits(0), None);
    }

    #[test]
    fn columns_have_no_i() {
        let size = Size::default();
        assert_eq!(Vertex::parse("J1", size), Ok(Vertex { x: 8, y: 0 }));
        assert_eq!(Vertex::parse("t19", size), Ok(Vertex { x: 18, y: 18 }));
        for bad in ["", "I5", "A0", "A20", "U1", "A", "5", "A+5", "A1 ", "é5", "A007"] {
            assert!(Vertex::parse(bad, size).is_err(), "{bad}");
        }
    }
}
