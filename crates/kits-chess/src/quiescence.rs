//! Captures, promotions and evasions until nothing hangs, with the board where they end: what filters of quiet boards and
//! learning from the leaf ask.

use std::{ops::ControlFlow, sync::Arc};
use tesuji_chess::{Board, Move};
use tesuji_chess_eval::HandEval;
use tesuji_game::{Evaluator, Position, Tactical};
use tesuji_tally::Weights;

/// Plies after which a line of captures and evasions counts as quiet.
const PLIES_MAX: u32 = 24;
/// The value of a mated side, in centipawns.
const MATED_CP: i32 = -30_000;

/// A small search of its own: it keeps nothing between boards, so that what it says of one depends on that one alone.
pub struct Quiescence {
    eval: HandEval,
}

impl Quiescence {
    /// With the weights that the program is built with.
    pub fn built_in() -> Quiescence {
        Quiescence { eval: HandEval::default() }
    }

    /// With other weights.
    pub fn with_weights(weights: Arc<Weights>) -> Quiescence {
        Quiescence { eval: HandEval::new(weights) }
    }

    /// The static value for the side to move.
    pub fn value(&mut self, board: &Board) -> i32 {
        self.eval.reset(board);
        self.eval.value(board).raw()
    }

    /// The board at the end of the best line of noisy moves from `board`; `board` itself where standing still is best, and
    /// `None` where a mate ends the line.
    pub fn leaf(&mut self, board: &Board) -> Option<Board> {
        let (value, leaf) = self.search(board, MATED_CP, -MATED_CP, 0);
        (value.abs() < -MATED_CP - PLIES_MAX as i32 - 1).then_some(leaf)
    }

    /// The value for the side to move, between `alpha` and `beta`, that noisy moves (evasions in check) lead to from the
    /// board `ply` plies deep, and where they end.
    pub fn search(&mut self, board: &Board, mut alpha: i32, beta: i32, ply: u32) -> (i32, Board) {
        let in_check = board.in_check();
        if !in_check || ply >= PLIES_MAX {
            let stands = self.value(board);
            if stands >= beta || ply >= PLIES_MAX {
                return (stands, *board);
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
            return (MATED_CP + ply as i32, *board);
        }
        moves.sort_by_key(|&mv| std::cmp::Reverse(board.gain_cp(mv)));
        let (mut best, mut leaf) = (if in_check { MATED_CP } else { alpha }, *board);
        for mv in moves {
            // An exchange that loses raises nothing.
            if !in_check && !board.see_ge(mv, 0) {
                continue;
            }
            let mut after = *board;
            after.play(mv);
            let (value, end) = self.search(&after, -beta, -alpha.max(best), ply + 1);
            if -value > best {
                (best, leaf) = (-value, end);
            }
            if best >= beta {
                break;
            }
        }
        (best, leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_chess::{Rules, fen};

    #[track_caller]
    fn check(from: &str, leaf: Option<&str>) {
        let board = fen::parse(from, &Rules::default(), fen::Care::Strict).unwrap();
        let found = Quiescence::built_in().leaf(&board).map(|b| fen::to_string(&b));
        let places = |text: &str| text.split(' ').take(2).collect::<Vec<_>>().join(" ");
        assert_eq!(found.as_deref().map(places), leaf.map(places), "{from}");
    }

    #[test]
    fn the_leaf_is_where_exchanges_end() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        check(start, Some(start));
        check("4k3/8/8/3r4/4P3/8/8/4K3 w - - 0 1", Some("4k3/8/8/3P4/8/8/8/4K3 b"));
        // Taken and taken back, since the first rook was worth it.
        check("3rk3/5ppp/8/3q4/8/8/5PPP/3RK3 w - - 0 1", Some("4k3/5ppp/8/3r4/8/8/5PPP/4K3 w"));
        check("4k3/8/4p3/3b4/8/8/8/3RK3 w - - 0 1", Some("4k3/8/4p3/3b4/8/8/8/3RK3 w"));
        // Mated.
        check("4R1k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", None);
    }
}
