//! A simple prior for moves: captures, escapes from atari, shapes and nearness to the last move; bad shape last.

use crate::is_shape;
use tesuji_game::{Position, Side};
use tesuji_go::{Area, Board, Cell, Colour, GoPosition, Move};

/// Weights of moves relative to an ordinary one.
mod weight {
    /// Fills an own eye.
    pub(super) const EYE: f32 = 0.01;
    /// Puts more than a stone into atari without capturing.
    pub(super) const SELF_ATARI: f32 = 0.1;
    /// A lone stone on the first line.
    pub(super) const FIRST_LINE: f32 = 0.2;
    /// Takes a stone; a third of it more for each further one.
    pub(super) const CAPTURE: f32 = 6.0;
    /// Saves a chain that is in atari.
    pub(super) const ESCAPE: f32 = 4.0;
    /// Puts a chain into atari.
    pub(super) const ATARI: f32 = 2.0;
    /// Is a shape.
    pub(super) const SHAPE: f32 = 2.5;
    /// By the distance of rows and columns to the last move, added up.
    pub(super) const NEAR: [f32; 5] = [1.0, 3.0, 2.5, 1.7, 1.3];
    /// A pass, of all the rest together; after a pass of the other side, which a second one would end.
    pub(super) const PASS: [f32; 2] = [0.001, 0.05];
}

/// Fills `policy` for `moves` of `pos` in their order: `[moves.len()]`, sums to 1. `last`: where the last move went.
pub fn fill_prior<A: Area>(pos: &GoPosition<A>, last: Option<Cell>, moves: &[Move], policy: &mut Vec<f32>) {
    policy.clear();
    let (board, side) = (pos.board(), pos.side_to_move());
    let near = |cell: Cell| {
        let Some(last) = last else { return 1.0 };
        let (a, b) = (A::vertex(cell), A::vertex(last));
        let distance = a.x.abs_diff(b.x) + a.y.abs_diff(b.y);
        weight::NEAR.get(distance as usize).copied().unwrap_or(1.0)
    };
    let worth = |mv: &Move| mv.vertex().map_or(0.0, |v| of_point(board, side, A::cell(v)) * near(A::cell(v)));
    policy.extend(moves.iter().map(worth));
    let sum: f32 = policy.iter().sum();
    let pass = if sum > 0.0 { sum * weight::PASS[usize::from(pos.passes() > 0)] } else { 1.0 };
    for (share, mv) in policy.iter_mut().zip(moves) {
        *share = if mv.is_pass() { pass } else { *share } / (sum + pass);
    }
}

/// The weight of a stone of `side` at the empty point `cell`, wherever the last move went.
fn of_point<A: Area>(board: &Board<A>, side: Side, cell: Cell) -> f32 {
    if board.is_true_eye(side, cell) {
        return weight::EYE;
    }
    let (mut taken, mut escapes, mut ataris, mut edges, mut stones) = (0, false, false, 0, 0);
    for n in A::around(cell) {
        let colour = board.colour(n);
        edges += i32::from(colour == Colour::Edge);
        let Some(owner) = colour.side() else { continue };
        stones += 1;
        match (owner == side, board.liberties(n)) {
            (true, 1) => escapes = true,
            (false, 1) => taken += board.stones_in_chain(n),
            (false, 2) => ataris = true,
            _ => {}
        }
    }
    if taken == 0 && board.is_self_atari(side, cell) {
        return weight::SELF_ATARI;
    }
    let mut worth = 1.0;
    if taken > 0 {
        worth *= weight::CAPTURE * (1.0 + (taken - 1) as f32 / 3.0);
    }
    if escapes {
        worth *= weight::ESCAPE;
    }
    if ataris {
        worth *= weight::ATARI;
    }
    if is_shape(board, cell) {
        worth *= weight::SHAPE;
    } else if edges > 0 && stones == 0 {
        worth *= weight::FIRST_LINE;
    }
    worth
}
