//! Places as one side sees them: squares for tables, cells around a king, classes of pieces that count alike.

use tesuji_game::Side;
use tesuji_shogi::{Piece, Square};
use tesuji_tally::Tally;

/// Classes of pieces: pawn, lance, knight, silver, gold and its like, bishop, rook, horse, dragon.
pub(crate) const CLASSES: usize = 9;
/// The class of each kind; the king has none and is never asked for.
const CLASS: [u8; 14] = [0, 1, 2, 3, 5, 6, 4, 0, 4, 4, 4, 4, 7, 8];
/// The table of squares of each kind, in the order of the terms.
const TABLE: [u8; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 9, 10];
/// Cells around a king.
pub(crate) const CELLS: usize = 45;
/// The reach of the cells around a king; a piece farther away counts as being at that distance.
const REACH: i8 = 4;

/// The class of `piece`, which is no king.
#[inline(always)]
pub(crate) const fn class(piece: Piece) -> usize {
    CLASS[piece.index()] as usize
}

/// The table of squares for `piece`.
#[inline(always)]
pub(crate) const fn table(piece: Piece) -> usize {
    TABLE[piece.index()] as usize
}

/// The place of `piece` among the kinds of material; `None` for the king.
#[inline(always)]
pub(crate) const fn kind(piece: Piece) -> Option<usize> {
    match piece {
        Piece::King => None,
        _ if piece.is_promoted() => Some(piece.index() - 1),
        _ => Some(piece.index()),
    }
}

/// The place of `square` in tables of squares, as `side` sees it: rank by rank from the far one, file 9 first.
#[inline(always)]
pub(crate) const fn place(side: Side, square: Square) -> usize {
    let seen = square.relative(side);
    seen.rank() as usize * 9 + 8 - seen.file() as usize
}

/// The cell of `square` around the king of `side` on `king`.
#[inline(always)]
pub(crate) fn cell(side: Side, king: Square, square: Square) -> usize {
    let (king, square) = (king.relative(side), square.relative(side));
    let files = king.file().abs_diff(square.file()).min(REACH as u8) as usize;
    let ranks = (square.rank() as i8 - king.rank() as i8).clamp(-REACH, REACH) + REACH;
    5 * ranks as usize + files
}

/// 1 for the first side, -1 for the second.
#[inline(always)]
pub(crate) const fn sign(side: Side) -> i32 {
    1 - 2 * side.index() as i32
}

/// Adds a count of what `side` has.
#[inline(always)]
pub(crate) fn put(t: &mut impl Tally, side: Side, feature: usize, count: i32) {
    t.add_for(sign(side), feature, count);
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{First, Second};

    #[test]
    fn both_sides_see_the_same() {
        let sq = |text| Square::parse(text).expect("a square");
        assert_eq!((place(First, sq("9a")), place(First, sq("1i"))), (0, 80));
        assert_eq!((place(Second, sq("1i")), place(Second, sq("9a"))), (0, 80));
        assert_eq!(place(First, sq("2h")), place(Second, sq("8b")));
        // Right before the king, beside it, far behind it.
        assert_eq!(cell(First, sq("5e"), sq("5d")), 15);
        assert_eq!(cell(Second, sq("5e"), sq("5f")), 15);
        assert_eq!(cell(First, sq("5e"), sq("4e")), 21);
        assert_eq!(cell(First, sq("5a"), sq("9i")), 44);
        for king in Square::ALL {
            for square in Square::ALL {
                let here = cell(First, king, square);
                assert!(here < CELLS);
                assert_eq!(here, cell(First, king.mirrored(), square.mirrored()));
                assert_eq!(here, cell(Second, king.relative(Second), square.relative(Second)));
            }
        }
    }

    #[test]
    fn kinds_have_their_places() {
        let kinds: Vec<usize> = Piece::ALL.into_iter().filter_map(kind).collect();
        assert_eq!(kinds, (0..13).collect::<Vec<_>>());
        assert!(Piece::ALL.into_iter().all(|p| p == Piece::King || class(p) < CLASSES && table(p) < 11));
    }
}
