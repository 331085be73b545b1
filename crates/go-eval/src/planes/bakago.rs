//! BakaGo's planes, from its author's description and from what its program did, which were not always the same.

use super::canvas::{Canvas, effect};
use tesuji_game::{Line, Position};
use tesuji_go::{Area, Colour, GoPosition};

/// The number of them.
pub const PLANES: usize = 39;

/// Own stones, the other's, empty points.
const STONES: usize = 0;
/// The point of the last move, of the one before … of the seventh; then stones that are older.
const SINCE: usize = 3;
/// Liberties of own chains: 1, 2, 3, more; then of the other's.
const LIBERTIES: usize = 11;
/// Stones captured by a move: 1 to 7, more.
const TAKES: usize = 19;
/// Own stones in atari after a move: 1 to 7, more.
const SELF_ATARI: usize = 27;
/// Moves that are legal and fill no own eye.
const SENSIBLE: usize = 35;
/// The point that ko forbids.
const KO: usize = 36;
/// Points of the first line.
const BORDER: usize = 37;
/// `exp(-0.5 d²)` with the distance to the centre in lines.
const CENTRE: usize = 38;
/// The moves that are remembered.
const REMEMBERED: usize = 7;

/// Paints all planes; with `quirks` as the program did.
pub fn paint<A: Area>(line: &Line<GoPosition<A>>, quirks: bool, canvas: &mut Canvas<A>) {
    let pos = line.here();
    let board = pos.board();
    let me = pos.side_to_move();
    let mut recent = A::Set::default();
    since(line, quirks, &mut recent, canvas);
    for cell in board.points() {
        match board.colour(cell).side() {
            None => {
                canvas.one(STONES + 2, cell);
                moves(pos, quirks, cell, canvas);
            }
            Some(side) => {
                let other = usize::from(side != me);
                canvas.one(STONES + other, cell);
                if !tesuji_go::CellSet::contains(&recent, cell) {
                    canvas.one(SINCE + REMEMBERED, cell);
                }
                let liberties = board.liberties(cell);
                canvas.one(LIBERTIES + 4 * other + liberties.clamp(1, 4) - 1, cell);
                if quirks && liberties == 1 {
                    let planes = if side == me { SELF_ATARI } else { TAKES };
                    canvas.one(planes + board.stones_in_chain(cell).min(8) - 1, cell);
                }
            }
        }
        if board.is_ko(me, cell) {
            canvas.one(KO, cell);
        }
        if A::around(cell).into_iter().any(|n| board.colour(n) == Colour::Edge) {
            canvas.one(BORDER, cell);
        }
        let (vertex, size) = (A::vertex(cell), pos.size());
        let off = |at: u8, lines: usize| f32::from(at) - (lines as f32 - 1.0) / 2.0;
        let (dx, dy) = (off(vertex.x, size.width()), off(vertex.y, size.height()));
        canvas.set(CENTRE, cell, (-0.5 * (dx * dx + dy * dy)).exp());
    }
}

/// The last moves. The program showed each, whatever stands there now; its description speaks of stones.
fn since<A: Area>(line: &Line<GoPosition<A>>, quirks: bool, recent: &mut A::Set, canvas: &mut Canvas<A>) {
    use tesuji_go::CellSet;
    let board = line.here().board();
    for (age, mv) in line.moves().rev().take(REMEMBERED).enumerate() {
        let Some(cell) = mv.vertex().map(A::cell) else { continue };
        let first = recent.insert(cell) == 1;
        if quirks || (first && board.colour(cell).side().is_some()) {
            canvas.one(SINCE + age, cell);
        }
    }
}

/// Fills the planes of an empty point.
fn moves<A: Area>(pos: &GoPosition<A>, quirks: bool, cell: tesuji_go::Cell, canvas: &mut Canvas<A>) {
    let (board, me) = (pos.board(), pos.side_to_move());
    let eye = board.is_true_eye(me, cell);
    if quirks {
        if eye {
            canvas.one(SENSIBLE, cell);
        }
        return;
    }
    if !pos.is_legal(cell) {
        return;
    }
    if !eye {
        canvas.one(SENSIBLE, cell);
    }
    let effect = effect(board, me, cell);
    if effect.taken > 0 {
        canvas.one(TAKES + effect.taken.min(8) - 1, cell);
    }
    if effect.liberties == 1 {
        canvas.one(SELF_ATARI + effect.stones.min(8) - 1, cell);
    }
}
