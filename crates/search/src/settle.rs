//! The value of a position once captures have come to rest: a walk of position and evaluator together, for searches that value leaves.

use std::ops::ControlFlow::Continue;
use tesuji_game::{Evaluator, Tactical, Value};

/// Beyond every static value.
pub(crate) const LOST: i32 = Value::CP_MAX as i32;

/// An evaluator and the buffers to walk with it.
#[derive(Clone)]
pub(crate) struct Walker<P: Tactical, E> {
    pub(crate) eval: E,
    changes: Vec<P::Change>,
    /// Moves of all plies of quiescence, on one stack.
    moves: Vec<(i32, P::Move)>,
}

impl<P: Tactical, E: Evaluator<P>> Walker<P, E> {
    pub(crate) fn new(eval: E) -> Self {
        Walker { eval, changes: Vec::new(), moves: Vec::new() }
    }

    /// Plays a move for position and evaluator.
    pub(crate) fn play(&mut self, pos: &mut P, mv: P::Move) -> P::Undo {
        let changes = &mut self.changes;
        changes.clear();
        let undo = pos.play_seen(mv, |change| changes.push(change));
        self.eval.push(pos, changes);
        undo
    }

    /// Takes it back.
    pub(crate) fn undo(&mut self, pos: &mut P, mv: P::Move, undo: P::Undo) {
        pos.undo(mv, undo);
        self.eval.pop();
    }

    /// The value once captures have come to rest, within a window, for the side to move.
    pub(crate) fn settle(&mut self, pos: &mut P, mut alpha: i32, beta: i32, plies: u32, evasions: u32) -> i32 {
        let in_check = evasions > 0 && pos.in_check();
        let mut best = -LOST;
        if !in_check {
            best = self.eval.value(pos).raw();
            // In check nobody stands pat at any depth: `evasions` bounds these plies.
            if plies == 0 || best >= beta {
                return best;
            }
            alpha = alpha.max(best);
        }
        let start = self.moves.len();
        let moves = &mut self.moves;
        let mut take = |mv| {
            if in_check || pos.see_ge(mv, 0) {
                moves.push((pos.gain_cp(mv), mv));
            }
            Continue::<(), ()>(())
        };
        let _ = if in_check { pos.for_each_move(&mut take) } else { pos.for_each_noisy(&mut take) };
        // Stable: of equals the game's order counts.
        self.moves[start..].sort_by_key(|m| -m.0);
        for i in start..self.moves.len() {
            let (_, mv) = self.moves[i];
            let undo = self.play(pos, mv);
            let value = -self.settle(pos, -beta, -alpha, plies.saturating_sub(1), evasions - u32::from(in_check));
            self.undo(pos, mv, undo);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        self.moves.truncate(start);
        best
    }
}
