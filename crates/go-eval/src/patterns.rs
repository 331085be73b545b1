//! The surroundings of a move as numbers: nested patterns of growing size, the same for every turn, reflection and colour.
//!
//! Sizes are those of D. Stern, R. Herbrich and T. Graepel (2006) as R. Coulom (2007) uses them: the points whose rows and columns
//! from the move, summed, and the more of both once again, are at most this many.

use std::sync::LazyLock;
use tesuji_game::{Random, Side};
use tesuji_go::{Area, Board, Cell, Colour};

/// The smallest pattern: the eight points around.
pub const SIZE_MIN: usize = 3;
/// The largest pattern.
pub const SIZE_MAX: usize = 12;
/// Of the keys of points; never changed, since files hold their sums.
const SEED: u64 = 0x7e5a_7e5a_0307_1301;

/// A point of a pattern, as seen from the move.
struct Point {
    dx: i8,
    dy: i8,
    /// For an own stone, another one and the edge, the key in each of the eight turns.
    keys: [[u64; 8]; 3],
}

/// The points of each size that are not in a smaller one.
static RINGS: LazyLock<Vec<Vec<Point>>> = LazyLock::new(|| {
    let mut rings: Vec<Vec<Point>> = (SIZE_MIN..=SIZE_MAX).map(ring).collect();
    // The four neighbours belong to the smallest.
    rings[0].extend(ring(SIZE_MIN - 1));
    rings
});

/// The points of which rows and columns, summed, and the more of both are `size`.
fn ring(size: usize) -> Vec<Point> {
    let reach = SIZE_MAX as i8 / 2;
    let distance =
        |x: i8, y: i8| usize::from(x.unsigned_abs() + y.unsigned_abs() + x.unsigned_abs().max(y.unsigned_abs()));
    let turns = |x: i8, y: i8| [(x, y), (-x, y), (x, -y), (-x, -y), (y, x), (-y, x), (y, -x), (-y, -x)];
    let key = |(x, y): (i8, i8), kind: u64| {
        let number = (u64::from(x as u8) << 8 | u64::from(y as u8)) << 2 | kind;
        Random::for_item(SEED, number).next_u64()
    };
    let all = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
    let points = all.filter(|&(dx, dy)| distance(dx, dy) == size);
    points.map(|(dx, dy)| Point { dx, dy, keys: [0, 1, 2].map(|kind| turns(dx, dy).map(|to| key(to, kind))) }).collect()
}

/// Gives `seen` the keys of the patterns around the empty point `cell`, from [`SIZE_MIN`] up, until it answers `false` or there are
/// no more. A key tells the stones as `side`, who would play there, sees them.
pub fn grow<A: Area>(board: &Board<A>, side: Side, cell: Cell, mut seen: impl FnMut(usize, u64) -> bool) {
    let (at, size) = (A::vertex(cell), board.size());
    let (width, height) = (size.width() as i16, size.height() as i16);
    let mut keys = [0u64; 8];
    for (i, ring) in RINGS.iter().enumerate() {
        for point in ring {
            let (x, y) = (i16::from(at.x) + i16::from(point.dx), i16::from(at.y) + i16::from(point.dy));
            let kind = if x < 0 || y < 0 || x >= width || y >= height {
                2
            } else {
                let there = cell.index() as isize + isize::from(point.dy) * A::STRIDE as isize + isize::from(point.dx);
                match board.colour(Cell::new(there as usize)) {
                    Colour::Empty => continue,
                    colour => usize::from(colour != Colour::of(side)),
                }
            };
            keys.iter_mut().zip(&point.keys[kind]).for_each(|(all, key)| *all ^= key);
        }
        let size = SIZE_MIN + i;
        // The least of all turns, and the size: an empty ring makes no other key.
        let least = keys.iter().copied().fold(u64::MAX, u64::min);
        if !seen(size, least ^ Random::for_item(SEED, size as u64 | 1 << 40).next_u64()) {
            return;
        }
    }
}

/// The key of the smallest pattern, by the colours of the eight points around: row by row from above, leaving out the middle.
pub(crate) fn smallest(around: [Colour; 8], side: Side) -> u64 {
    const PLACES: [(i8, i8); 8] = [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (0, -1), (1, -1)];
    let mut keys = [0u64; 8];
    for point in &RINGS[0] {
        let Some(place) = PLACES.iter().position(|&at| at == (point.dx, point.dy)) else { continue };
        let kind = match around[place] {
            Colour::Empty => continue,
            Colour::Edge => 2,
            colour => usize::from(colour != Colour::of(side)),
        };
        keys.iter_mut().zip(&point.keys[kind]).for_each(|(all, key)| *all ^= key);
    }
    keys.iter().copied().fold(u64::MAX, u64::min) ^ Random::for_item(SEED, SIZE_MIN as u64 | 1 << 40).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_go::{GoPosition, Size, Small, Symmetry, Vertex};

    fn keys<A: Area>(board: &Board<A>, side: Side, at: Vertex) -> Vec<u64> {
        let mut keys = Vec::new();
        grow(board, side, A::cell(at), |size, key| {
            assert_eq!(size, SIZE_MIN + keys.len());
            keys.push(key);
            true
        });
        keys
    }

    /// A board with some stones.
    fn board(seed: u64) -> Board<Small> {
        let size = Size::square(9).unwrap();
        let mut random = Random::new(seed);
        let mut board: Board<Small> = Board::new(size);
        let mut side = Side::First;
        for _ in 0..30 {
            let empties: Vec<Cell> = board.empties().iter().copied().filter(|&c| board.is_legal(side, c)).collect();
            board.play(side, empties[random.below(empties.len())]);
            side = !side;
        }
        board
    }

    #[test]
    fn the_smallest_pattern_is_known_by_its_eight_points() {
        for seed in 0..20 {
            let board = board(seed);
            for &cell in board.empties() {
                let [below, left, right, above] = Small::around(cell);
                let [low_left, low_right, high_left, high_right] = Small::diagonals(cell);
                let around = [high_left, above, high_right, left, right, low_left, below, low_right];
                let expect = keys(&board, Side::Second, Small::vertex(cell))[0];
                assert_eq!(smallest(around.map(|n| board.colour(n)), Side::Second), expect);
            }
        }
    }

    #[test]
    fn sizes_hold_the_points_they_should() {
        let counts: Vec<usize> = RINGS.iter().map(Vec::len).collect();
        assert_eq!(counts[..6], [8, 4, 8, 8, 8, 12]);
        assert_eq!(counts.len(), SIZE_MAX + 1 - SIZE_MIN);
    }

    #[test]
    fn turns_and_colours_change_nothing() {
        for seed in 0..20 {
            let board = board(seed);
            let at = Small::vertex(board.empties()[seed as usize % board.empties().len()]);
            let expect = keys(&board, Side::First, at);
            for &symmetry in Symmetry::of(board.size()) {
                let turned = board.turned(symmetry);
                assert_eq!(keys(&turned, Side::First, symmetry.apply(at, board.size())), expect);
            }
            let swapped: Board<Small> = Board::with_stones(board.size(), board.stones().map(|(v, s)| (v, !s))).unwrap();
            assert_eq!(keys(&swapped, Side::Second, at), expect);
        }
    }

    #[test]
    fn a_stone_more_is_another_pattern_from_its_size_on() {
        let rules = "9x9 chinese komi 7".parse().unwrap();
        let empty = *GoPosition::<Small>::start(&rules).unwrap().board();
        let at = Vertex::new(4, 4).unwrap();
        let mut one = empty;
        one.play(Side::First, Small::cell(Vertex::new(6, 5).unwrap()));
        let (before, after) = (keys(&empty, Side::First, at), keys(&one, Side::First, at));
        // Two columns, one row, and two again.
        assert_eq!(before[..5 - SIZE_MIN], after[..5 - SIZE_MIN]);
        assert!(before[5 - SIZE_MIN..].iter().zip(&after[5 - SIZE_MIN..]).all(|(a, b)| a != b));
        assert_ne!(keys(&one, Side::Second, at)[2], after[2]);
        let mut all = before;
        all.dedup();
        assert_eq!(all.len(), SIZE_MAX + 1 - SIZE_MIN);
    }
}
