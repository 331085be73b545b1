//! The eight symmetries of the board.

use crate::{Move, Size, Vertex};

/// One of the eight ways to turn and mirror a board. Those that swap columns and rows turn a rectangle's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The one that changes nothing.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight; the first four keep columns columns.
    pub const ALL: [Symmetry; 8] =
        [Symmetry(0), Symmetry(1), Symmetry(2), Symmetry(3), Symmetry(4), Symmetry(5), Symmetry(6), Symmetry(7)];

    /// The symmetry of `index`; `None` from 8 on. Bit 0 mirrors columns, bit 1 rows, bit 2 then swaps columns and rows.
    pub const fn new(index: u8) -> Option<Symmetry> {
        if index < 8 { Some(Symmetry(index)) } else { None }
    }

    /// Its number, below 8.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Those that map a board of `size` onto itself: all eight for squares, four for other rectangles.
    pub fn of(size: Size) -> &'static [Symmetry] {
        if size.is_square() { &Self::ALL } else { &Self::ALL[..4] }
    }

    /// The size of the board after the symmetry.
    pub const fn size(self, size: Size) -> Size {
        if self.0 & 4 != 0 { size.turned() } else { size }
    }

    /// The image of `vertex` on a board of `size`.
    pub const fn apply(self, vertex: Vertex, size: Size) -> Vertex {
        let Vertex { mut x, mut y } = vertex;
        if self.0 & 1 != 0 {
            x = size.width() as u8 - 1 - x;
        }
        if self.0 & 2 != 0 {
            y = size.height() as u8 - 1 - y;
        }
        if self.0 & 4 != 0 { Vertex { x: y, y: x } } else { Vertex { x, y } }
    }

    /// The image of a move on a board of `size`; a pass stays a pass.
    pub const fn apply_move(self, mv: Move, size: Size) -> Move {
        match mv.vertex() {
            Some(vertex) => Move::at(self.apply(vertex, size)),
            None => mv,
        }
    }

    /// The symmetry that takes it back.
    pub const fn inverse(self) -> Symmetry {
        // Mirrors undo themselves; after a swap the two mirrors have changed their names.
        if self.0 & 4 == 0 { self } else { Symmetry(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1) }
    }

    /// The symmetry that does this one first and `next` after it.
    pub const fn then(self, next: Symmetry) -> Symmetry {
        let mirrors = if self.0 & 4 == 0 { next.0 & 3 } else { (next.0 & 1) << 1 | (next.0 & 2) >> 1 };
        Symmetry((self.0 & 3 ^ mirrors) | (self.0 ^ next.0) & 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_a_group() {
        for size in [Size::new(3, 5).unwrap(), Size::square(4).unwrap()] {
            for a in Symmetry::ALL {
                for vertex in Vertex::all(size) {
                    let there = a.apply(vertex, size);
                    assert!(there.is_on(a.size(size)));
                    assert_eq!(a.inverse().apply(there, a.size(size)), vertex, "{a:?}");
                    for b in Symmetry::ALL {
                        assert_eq!(a.then(b).apply(vertex, size), b.apply(there, a.size(size)), "{a:?} {b:?}");
                        assert_eq!(a.then(b).size(size), b.size(a.size(size)));
                    }
                }
            }
        }
    }

    #[test]
    fn a_corner_point_has_eight_images() {
        let size = Size::default();
        let mut images: Vec<String> =
            Symmetry::ALL.iter().map(|s| s.apply(Vertex { x: 2, y: 3 }, size).to_string()).collect();
        images.sort();
        assert_eq!(images, ["C16", "C4", "D17", "D3", "Q17", "Q3", "R16", "R4"]);
    }
}
