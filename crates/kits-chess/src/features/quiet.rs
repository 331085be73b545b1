//! Whether a board is quiet: captures and promotions leave its static value as it is (nearly).

use crate::quiescence::Quiescence;
use tesuji_chess::Board;
use tesuji_game::Tactical;

/// Asks quiescence, with the weights that the program is built with.
pub(super) struct Quiet {
    quiescence: Quiescence,
    margin_cp: i32,
}

impl Quiet {
    /// Boards whose value quiescence raises by `margin_cp` centipawns at most are quiet.
    pub(super) fn within(margin_cp: u32) -> Quiet {
        Quiet { quiescence: Quiescence::built_in(), margin_cp: margin_cp.min(10_000) as i32 }
    }

    /// Whether `board` is quiet. Boards in check are not, since their value is not static.
    pub(super) fn keeps(&mut self, board: &Board) -> bool {
        if board.in_check() {
            return false;
        }
        let limit = self.quiescence.value(board) + self.margin_cp;
        self.quiescence.search(board, limit, limit + 1, 0).0 <= limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_chess::{Rules, fen};

    #[track_caller]
    fn check(text: &str, quiet: bool) {
        let board = fen::parse(text, &Rules::default(), fen::Care::Strict).unwrap();
        assert_eq!(Quiet::within(0).keeps(&board), quiet, "{text}");
    }

    #[test]
    fn what_hangs_is_not_quiet() {
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", true);
        check("4k3/8/8/3r4/4P3/8/8/4K3 w - - 0 1", false);
        // A bishop that is guarded is no prey for a rook.
        check("4k3/8/4p3/3b4/8/8/8/3RK3 w - - 0 1", true);
        check("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", false);
        check("8/P6k/8/8/8/8/8/K7 w - - 0 1", false);
    }
}
