//! Whether a board is quiet: captures and promotions leave its static value as it is (nearly).

use std::ops::ControlFlow;
use tesuji_chess::{Board, Move};
use tesuji_chess_eval::HandEval;
use tesuji_game::{Evaluator, Position, Tactical};

/// Plies after which a line of captures and evasions counts as quiet.
const PLIES_MAX: u32 = 24;
/// What a mated side is worth, in centipawns.
const MATED_CP: i32 = -30_000;

/// Asks quiescence, with the weights that the program is built with.
pub(super) struct Quiet {
    eval: HandEval,
    margin_cp: i32,
}

impl Quiet {
    /// Boards whose value quiescence raises by `margin_cp` centipawns at most are quiet.
    pub(super) fn within(margin_cp: u32) -> Quiet {
        Quiet { eval: HandEval::default(), margin_cp: margin_cp.min(10_000) as i32 }
    }

    /// Whether `board` is quiet. Boards in check are not, since their value is not static.
    pub(super) fn keeps(&mut self, board: &Board) -> bool {
        if board.in_check() {
            return false;
        }
        let limit = self.value(board) + self.margin_cp;
        self.raise(board, limit, limit + 1, 0) <= limit
    }

    /// The static value for the side to move.
    fn value(&mut self, board: &Board) -> i32 {
        self.eval.reset(board);
        self.eval.value(board).raw()
    }

    /// The value for the side to move, between `alpha` and `beta`, that noisy moves lead to; evasions in check.
    fn raise(&mut self, board: &Board, mut alpha: i32, beta: i32, ply: u32) -> i32 {
        let in_check = board.in_check();
        if !in_check || ply >= PLIES_MAX {
            let stands = self.value(board);
            if stands >= beta || ply >= PLIES_MAX {
                return stands;
            }
            alpha = alpha.max(stands);
        }
        let mut moves: Vec<Move> = Vec::with_capacity(16);
        let all = |moves: &mut Vec<Move>, mv| -> ControlFlow<()> {
            moves.push(mv);
            ControlFlow::Continue(())
        };
        let _ = if in_check {
            board.for_each_move(|mv| all(&mut moves, mv))
        } else {
            board.for_each_noisy(|mv| all(&mut moves, mv))
        };
        if in_check && moves.is_empty() {
            return MATED_CP + ply as i32;
        }
        moves.sort_by_key(|&mv| std::cmp::Reverse(board.gain_cp(mv)));
        let mut best = if in_check { MATED_CP } else { alpha };
        for mv in moves {
            // An exchange that loses raises nothing.
            if !in_check && !board.see_ge(mv, 0) {
                continue;
            }
            let mut after = *board;
            after.play(mv);
            best = best.max(-self.raise(&after, -beta, -alpha.max(best), ply + 1));
            if best >= beta {
                break;
            }
        }
        best
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
