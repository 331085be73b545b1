//! The size of a go board: 2 to 25 lines each way, rectangles allowed.

use std::{fmt, str::FromStr};
use tesuji_game::NotationError;

/// Width and height in lines, each in 2..=25.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    width: u8,
    height: u8,
}

impl Size {
    /// The fewest lines a side of a board has.
    pub const SIDE_MIN: usize = 2;
    /// The most lines a side of a board has.
    pub const SIDE_MAX: usize = 25;

    /// A board of `width` columns and `height` rows; `None` outside 2..=25.
    pub const fn new(width: usize, height: usize) -> Option<Size> {
        let fits = width >= Self::SIDE_MIN && width <= Self::SIDE_MAX;
        if fits && height >= Self::SIDE_MIN && height <= Self::SIDE_MAX {
            Some(Size { width: width as u8, height: height as u8 })
        } else {
            None
        }
    }

    /// A square board; `None` outside 2..=25.
    pub const fn square(lines: usize) -> Option<Size> {
        Size::new(lines, lines)
    }

    /// Columns.
    #[inline(always)]
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// Rows.
    #[inline(always)]
    pub const fn height(self) -> usize {
        self.height as usize
    }

    /// The number of points.
    pub const fn points(self) -> usize {
        self.width() * self.height()
    }

    /// Whether width and height agree.
    pub const fn is_square(self) -> bool {
        self.width == self.height
    }

    /// The board turned by a quarter.
    pub const fn turned(self) -> Size {
        Size { width: self.height, height: self.width }
    }
}

impl Default for Size {
    /// 19x19.
    fn default() -> Size {
        Size { width: 19, height: 19 }
    }
}

impl fmt::Display for Size {
    /// `9x9`, `13x7`: width first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Size {
    type Err = NotationError;

    /// `9x9` or `9`; rectangles as `WIDTHxHEIGHT`.
    fn from_str(text: &str) -> Result<Size, NotationError> {
        let lower = text.to_ascii_lowercase();
        let (width, height) = lower.split_once('x').unwrap_or((&lower, &lower));
        let lines = |word: &str| {
            let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
            word.parse::<usize>().ok().filter(|_| digits)
        };
        let size = lines(width).zip(lines(height)).and_then(|(w, h)| Size::new(w, h));
        size.ok_or(NotationError::Syntax { at: 0, expected: "a board size from 2x2 to 25x25" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        assert_eq!(text.parse::<Size>().ok().map(|s| s.to_string()).as_deref(), expect, "{text}");
    }

    #[test]
    fn sizes_read_and_write() {
        check("19", Some("19x19"));
        check("7x13", Some("7x13"));
        check("2X25", Some("2x25"));
        for bad in ["", "x", "1", "26", "9x", "x9", "+9", "9x26", "-9", "9x9x9", "९"] {
            check(bad, None);
        }
    }
}
