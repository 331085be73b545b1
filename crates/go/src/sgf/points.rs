//! Points of the board as two letters, lists of them with rectangles, and passes.

use crate::{Move, Size, Vertex};
use std::fmt::Write;

/// The column or row that a letter names; capitals continue the small ones as FF\[4\] says, and stand for small ones where
/// the board is smaller.
fn line(letter: u8, lines: usize) -> Option<usize> {
    let index = match letter {
        b'a'..=b'z' => (letter - b'a') as usize,
        b'A'..=b'Z' => (letter - b'A') as usize,
        _ => return None,
    };
    (index < lines).then_some(index)
}

/// Reads a point: column from the left, row from the top.
pub(crate) fn read_point(text: &str, size: Size) -> Option<Vertex> {
    let &[column, row] = text.trim().as_bytes() else { return None };
    let (x, row) = (line(column, size.width())?, line(row, size.height())?);
    Vertex::new(x, size.height() - 1 - row)
}

/// Reads a move: a point, nothing for a pass, or `tt`, the pass of the standards before FF\[4\], where no such point is.
pub(crate) fn read_move(text: &str, size: Size) -> Option<Move> {
    match text.trim() {
        "" => Some(Move::PASS),
        "tt" if size.width() < 20 && size.height() < 20 => Some(Move::PASS),
        point => read_point(point, size).map(Move::at),
    }
}

/// Gives the points of a value of a list to `each`: one point, or a rectangle by two opposite corners. `false` when it
/// is neither.
pub(super) fn read_points(text: &str, size: Size, mut each: impl FnMut(Vertex)) -> bool {
    let Some((a, b)) = text.split_once(':') else {
        return read_point(text, size).map(each).is_some();
    };
    let (Some(a), Some(b)) = (read_point(a, size), read_point(b, size)) else { return false };
    for y in (a.y.min(b.y)..=a.y.max(b.y)).rev() {
        for x in a.x.min(b.x)..=a.x.max(b.x) {
            each(Vertex { x, y });
        }
    }
    true
}

/// Appends a point.
pub(crate) fn write_point(vertex: Vertex, size: Size, out: &mut String) {
    let row = size.height().saturating_sub(1 + vertex.y as usize) as u8;
    let _ = write!(out, "{}{}", (b'a' + vertex.x) as char, (b'a' + row) as char);
}

/// Appends a move; a pass is nothing.
pub(crate) fn write_move(mv: Move, size: Size, out: &mut String) {
    if let Some(vertex) = mv.vertex() {
        write_point(vertex, size, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: usize, height: usize) -> Size {
        Size::new(width, height).unwrap()
    }

    #[track_caller]
    fn check(text: &str, size: Size, expect: Option<&str>) {
        assert_eq!(read_move(text, size).map(|mv| mv.to_string()).as_deref(), expect, "{text}");
    }

    #[test]
    fn points_count_from_the_upper_left() {
        check("aa", size(19, 19), Some("A19"));
        check("pd", size(19, 19), Some("Q16"));
        check("ia", size(9, 9), Some("J9"));
        check("ii", size(9, 9), Some("J1"));
        check("ad", size(9, 4), Some("A1"));
        check("ae", size(9, 4), None);
        check("yy", size(25, 25), Some("Z1"));
        check("PD", size(19, 19), Some("Q16"));
        check(" pd\n", size(19, 19), Some("Q16"));
    }

    #[test]
    fn passes_are_nothing_or_tt_on_small_boards() {
        check("", size(19, 19), Some("pass"));
        check("tt", size(19, 19), Some("pass"));
        check("tt", size(9, 9), Some("pass"));
        check("tt", size(20, 20), Some("U1"));
        check("ts", size(19, 19), None);
        for bad in ["a", "aaa", "a1", "é", "zz", "aa:bb"] {
            check(bad, size(19, 19), None);
        }
    }

    #[test]
    fn rectangles_are_lists() {
        let points = |text: &str| {
            let mut list = Vec::new();
            read_points(text, size(9, 9), |v| list.push(v.to_string())).then(|| list.join(" "))
        };
        assert_eq!(points("aa:cb").as_deref(), Some("A9 B9 C9 A8 B8 C8"));
        assert_eq!(points("cb:aa"), points("aa:cb"));
        assert_eq!(points("ee").as_deref(), Some("E5"));
        assert_eq!(points("ee:ee").as_deref(), Some("E5"));
        for bad in ["", "aa:", ":aa", "aa:jj", "aa:bb:cc"] {
            assert_eq!(points(bad), None, "{bad}");
        }
    }

    #[test]
    fn every_point_reads_back() {
        for size in [size(19, 19), size(25, 25), size(2, 7)] {
            for vertex in Vertex::all(size) {
                let mut text = String::new();
                write_move(Move::at(vertex), size, &mut text);
                assert_eq!(read_move(&text, size), Some(Move::at(vertex)));
            }
        }
    }
}
