//! Shapes of 3x3 points that are good to play in the middle of: hane, cuts and moves at the edge.
//!
//! The shapes are those of Gelly, Wang, Munos and Teytaud, "Modification of UCT with Patterns in Monte-Carlo Go" (2006).

use std::sync::LazyLock;
use tesuji_go::{Area, Board, Cell, Colour};

/// Rows from above; the point to play is the middle one. `X` one side's stone, `O` the other's, `.` empty, `#` edge, `x` anything
/// but the first, `o` anything but the second, `?` anything. Every symmetry and both colours mean the same.
const SHAPES: [&str; 12] = [
    "XOX/.../???", // hane, enclosing
    "XO./.../?.?", // hane, not cutting
    "XO?/X../x.?", // turn
    "XO?/O.o/?o?", // cut, unprotected
    "XO?/O.X/???", // cut, peeped at
    "?X?/O.O/ooo", // cut between two
    "OX?/o.O/???", // cut, keima
    "X.?/O.?/###", // edge, chase
    "OX?/X.O/###", // edge, block a cut
    "?X?/x.O/###", // edge, block a connection
    "?XO/x.x/###", // edge, go down
    "?OX/X.O/###", // edge, cut
];

/// A lookup table over the 65,536 surroundings of a point: true for those that match one of the shapes.
static TABLE: LazyLock<Vec<bool>> = LazyLock::new(build);

/// Whether the empty point `cell` lies in the middle of one of the shapes. They are worth the same to both sides: where one
/// cuts, the other connects.
#[inline]
pub fn is_shape<A: Area>(board: &Board<A>, cell: Cell) -> bool {
    TABLE[surroundings(board, cell)]
}

/// The colours of the eight points around, two bits each: row by row, leaving out the middle.
#[inline]
pub(crate) fn surroundings<A: Area>(board: &Board<A>, cell: Cell) -> usize {
    let [below, left, right, above] = A::around(cell);
    let [low_left, low_right, high_left, high_right] = A::diagonals(cell);
    let around = [high_left, above, high_right, left, right, low_left, below, low_right];
    around.into_iter().fold(0, |code, n| code << 2 | board.colour(n) as usize)
}

/// For each surroundings, whether they are a shape in some turn, in these colours or the others.
fn build() -> Vec<bool> {
    let mut all: Vec<[u8; 9]> = Vec::new();
    for shape in SHAPES {
        let mut points = shape.bytes().filter(|&b| b != b'/');
        let mut grid: [u8; 9] = std::array::from_fn(|_| points.next().unwrap_or(b'?'));
        for _ in 0..2 {
            for _ in 0..4 {
                all.push(grid);
                grid = std::array::from_fn(|i| grid[(2 - i % 3) * 3 + i / 3]);
            }
            grid = std::array::from_fn(|i| grid[i / 3 * 3 + 2 - i % 3]);
        }
    }
    all.sort_unstable();
    all.dedup();
    let fits = |code: usize, grid: &[u8; 9], own: usize, enemy: usize| {
        (0..9).filter(|&i| i != 4).enumerate().all(|(k, i)| {
            let here = code >> (14 - 2 * k) & 3;
            match grid[i] {
                b'X' => here == own,
                b'O' => here == enemy,
                b'.' => here == Colour::Empty as usize,
                b'#' => here == Colour::Edge as usize,
                b'x' => here != own,
                b'o' => here != enemy,
                _ => true,
            }
        })
    };
    let either = |code: usize| all.iter().any(|grid| fits(code, grid, 0, 1) || fits(code, grid, 1, 0));
    (0..1 << 16).map(either).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Side;
    use tesuji_go::{Size, Small, Vertex};

    /// Stones as rows from above, `X` and `O`; is the point at column `x` from the left and row `y` from below a shape?
    #[track_caller]
    fn check(rows: &[&str], x: usize, y: usize, expect: bool) {
        let size = Size::square(rows.len()).unwrap();
        let stones = rows.iter().rev().enumerate().flat_map(|(y, row)| {
            let side = |b| if b == b'X' { Side::First } else { Side::Second };
            let stone = move |(x, b): (usize, u8)| (b != b'.').then(|| (Vertex::new(x, y).unwrap(), side(b)));
            row.bytes().enumerate().filter_map(stone)
        });
        let board: Board<Small> = Board::with_stones(size, stones.collect::<Vec<_>>()).unwrap();
        assert_eq!(is_shape(&board, Small::cell(Vertex::new(x, y).unwrap())), expect, "{board:?} {x} {y}");
    }

    #[test]
    fn shapes_are_found_in_every_turn() {
        check(&[".....", ".XOX.", ".....", ".....", "....."], 2, 2, true);
        check(&[".....", ".OXO.", ".....", ".....", "....."], 2, 2, true);
        check(&[".....", ".X...", ".O...", ".X...", "....."], 2, 2, true);
        check(&[".....", ".XX..", ".....", ".....", "....."], 2, 2, false);
        check(&[".....", ".....", ".....", ".....", "....."], 2, 2, false);
        // A cut.
        check(&[".....", ".XO..", ".O...", ".....", "....."], 2, 2, true);
        // At the edge.
        check(&[".....", ".....", ".....", "..OX.", ".X..."], 2, 0, true);
        check(&[".....", ".....", ".....", ".....", ".X..."], 2, 0, false);
    }

    #[test]
    fn shapes_do_not_care_for_colours() {
        let swapped = |code: usize| {
            (0..8).fold(0, |new, k| {
                let here = code >> (2 * k) & 3;
                new | (if here < 2 { 1 - here } else { here }) << (2 * k)
            })
        };
        assert!((0..1 << 16).all(|code| TABLE[code] == TABLE[swapped(code)]));
    }
}
