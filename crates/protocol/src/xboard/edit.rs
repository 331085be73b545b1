//! Positions set up by `edit`, for engines that do not know `setboard`: pieces one by one, first White's, then Black's.

use super::castling::Placement;
use std::fmt::Write as _;

/// Sets up the position after `new` and `force`. Rights to castle follow from where kings and rooks stand, and nothing can be taken en
/// passant; where Black is to move a pawn of White moves before, since `edit` keeps the side to move (as XBoard does it).
pub(super) fn write_edit(placement: &Placement, usermove: bool, out: &mut String) {
    if placement.is_blacks_turn() {
        out.push_str(if usermove { "usermove a2a3\n" } else { "a2a3\n" });
    }
    out.push_str("edit\n#\n");
    for is_white in [true, false] {
        for (piece, square) in placement.pieces(is_white) {
            let _ = writeln!(out, "{piece}{square}");
        }
        out.push_str(if is_white { "c\n" } else { ".\n" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fen: &str, usermove: bool, expect: &str) {
        let mut out = String::new();
        write_edit(&Placement::after(Some(fen), &[]).unwrap(), usermove, &mut out);
        assert_eq!(out.lines().collect::<Vec<_>>().join(" "), expect);
    }

    #[test]
    fn pieces_are_set_one_by_one() {
        check("4k3/7p/8/8/8/8/P7/R3K3 w Q - 0 1", false, "edit # Ra1 Ke1 Pa2 c Ph7 Ke8 .");
        check("4k3/8/8/8/8/8/8/4K2Q b - - 0 1", false, "a2a3 edit # Ke1 Qh1 c Ke8 .");
        check("4k3/8/8/8/8/8/8/4K2Q b - - 0 1", true, "usermove a2a3 edit # Ke1 Qh1 c Ke8 .");
    }
}
