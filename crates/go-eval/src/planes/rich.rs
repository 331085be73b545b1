//! `go-1`: our own planes. A change of what one of them means is another version.

use super::canvas::{Canvas, effect};
use tesuji_game::{Line, Position, Side};
use tesuji_go::{
    Area, Cell, CellSet, GoPosition, Move, Scoring, Vertex,
    ladder::{Fate, Reader},
};

/// The number of them.
pub const PLANES: usize = 48;

/// Ones on the board: with padding, nets of any size see the edge by it.
const BOARD: usize = 0;
/// Own stones, the other's.
const STONES: usize = 1;
/// Liberties of own chains: 1, 2, 3, more; then of the other's.
const LIBERTIES: usize = 3;
/// Legal moves by the liberties they leave the chain: 0 or 1, 2, 3, 4, more.
const AFTER: usize = 11;
/// Stones captured by a move: 1, 2, 3, more.
const TAKES: usize = 16;
/// Own stones in atari after a move: 1, 2 or 3, more.
const SELF_ATARI: usize = 20;
/// Legal moves.
const LEGAL: usize = 23;
/// Empty points that ko or superko forbid.
const KO: usize = 24;
/// Own eyes, the other's, by shape.
const EYES: usize = 25;
/// The point of the last move, of the one before … of the eighth.
const LAST: usize = 27;
/// Everywhere, after a pass.
const PASSED: usize = 35;
/// Chains of the other that a ladder takes.
const TAKEN: usize = 36;
/// The moves that begin those ladders.
const BEGINS: usize = 37;
/// Own chains that a ladder takes if the other moves first; those that it takes even so.
const THREATENED: usize = 38;
/// Lines 1 to 4 of the board.
const LINES: usize = 40;
/// Everywhere: komi and bonus as the side to move gets them, in units of [`KOMI_UNIT`], within ±2.
const KOMI: usize = 44;
/// Everywhere, when Black is to move.
const BLACK: usize = 45;
/// Everywhere, when territory is counted.
const TERRITORY: usize = 46;
/// Points where a stone of the other would be in atari or could not be played.
const UNSAFE: usize = 47;

/// Points.
const KOMI_UNIT: f32 = 15.0;
/// Moves that are remembered.
const REMEMBERED: usize = 8;
/// Moves tried for a ladder; one right across the board takes some 60.
const LADDER_NODES: u32 = 120;

/// Paints all planes.
pub fn paint<A: Area>(line: &Line<GoPosition<A>>, canvas: &mut Canvas<A>) {
    let pos = line.here();
    let (board, me) = (pos.board(), pos.side_to_move());
    canvas.fill(BOARD, 1.0);
    let size = pos.size();
    for (vertex, cell) in Vertex::all(size).map(|vertex| (vertex, A::cell(vertex))) {
        match board.colour(cell).side() {
            None => {
                empty(line, vertex, canvas);
            }
            Some(side) => {
                let other = usize::from(side != me);
                canvas.one(STONES + other, cell);
                canvas.one(LIBERTIES + 4 * other + board.liberties(cell).clamp(1, 4) - 1, cell);
            }
        }
        let near = |at: u8, lines: usize| (at as usize).min(lines - 1 - at as usize);
        let from_edge = near(vertex.x, size.width()).min(near(vertex.y, size.height()));
        if from_edge < 4 {
            canvas.one(LINES + from_edge, cell);
        }
    }
    ladders(pos, canvas);
    for (age, mv) in line.moves().rev().take(REMEMBERED).enumerate() {
        match mv.vertex() {
            Some(vertex) => canvas.one(LAST + age, A::cell(vertex)),
            None if age == 0 => canvas.fill(PASSED, 1.0),
            None => {}
        }
    }
    let rules = pos.rules();
    let white = rules.white_bonus_halves(pos.handicap()) as f32 / 2.0 / KOMI_UNIT;
    canvas.fill(KOMI, if me == Side::First { -white } else { white }.clamp(-2.0, 2.0));
    canvas.fill(BLACK, f32::from(u8::from(me == Side::First)));
    canvas.fill(TERRITORY, f32::from(u8::from(rules.scoring == Scoring::Territory)));
}

/// Fills the planes of an empty point.
fn empty<A: Area>(line: &Line<GoPosition<A>>, vertex: Vertex, canvas: &mut Canvas<A>) {
    let cell = A::cell(vertex);
    let pos = line.here();
    let (board, me) = (pos.board(), pos.side_to_move());
    // With two free neighbours a stone is safe for now, and there is no eye.
    if board.empty_neighbours(cell) < 2 && effect(board, !me, cell).liberties < 2 {
        canvas.one(UNSAFE, cell);
    }
    if board.empty_neighbours(cell) == 0 {
        for side in Side::ALL {
            if board.is_true_eye(side, cell) {
                canvas.one(EYES + usize::from(side != me), cell);
            }
        }
    }
    let legal = pos.is_legal(cell);
    if !legal || !pos.allows(Move::at(vertex), line.past()) {
        if legal || board.is_ko(me, cell) {
            canvas.one(KO, cell);
        }
        return;
    }
    canvas.one(LEGAL, cell);
    let effect = effect(board, me, cell);
    canvas.one(AFTER + effect.liberties.clamp(1, 5) - 1, cell);
    if effect.taken > 0 {
        canvas.one(TAKES + effect.taken.min(4) - 1, cell);
    }
    if effect.liberties == 1 {
        let class = match effect.stones {
            1 => 0,
            2 | 3 => 1,
            _ => 2,
        };
        canvas.one(SELF_ATARI + class, cell);
    }
}

/// Reads the ladders of chains with one or two liberties.
fn ladders<A: Area>(pos: &GoPosition<A>, canvas: &mut Canvas<A>) {
    let (board, me) = (pos.board(), pos.side_to_move());
    let mut reader = None;
    for stone in board.all_chains() {
        let liberties = board.liberties(stone);
        let own = board.colour(stone).side() == Some(me);
        // An own stone in atari is taken if the other moves; the other's is no ladder any more.
        if liberties > 2 || (liberties == 2 && !is_catchable(pos, stone)) {
            continue;
        }
        let reader = reader.get_or_insert_with(|| Reader::new(board));
        let mut show = |plane: usize| board.chain_stones(stone).for_each(|cell| canvas.one(plane, cell));
        if !own {
            if let (Fate::Captured, begins) = reader.attack_fate(stone, LADDER_NODES) {
                show(TAKEN);
                begins.into_iter().for_each(|cell| canvas.one(BEGINS, cell));
            }
        } else if liberties == 1 {
            show(THREATENED);
            if reader.defend_fate(stone, LADDER_NODES) == Fate::Captured {
                show(THREATENED + 1);
            }
        } else if reader.attack_fate(stone, LADDER_NODES).0 == Fate::Captured {
            show(THREATENED);
        }
    }
}

/// Whether a chain with two liberties has none that gives it three after the other is taken from it: a quick look that
/// spares most chains the reading.
fn is_catchable<A: Area>(pos: &GoPosition<A>, stone: Cell) -> bool {
    let board = pos.board();
    let Some(side) = board.colour(stone).side() else { return false };
    let Some(a) = board.liberty_set(stone).first() else { return true };
    let Some(b) = board.other_liberty(stone, a) else { return true };
    let beside = A::around(a).contains(&b);
    let grows = |to: Cell, taken: Cell| {
        if board.empty_neighbours(to) - usize::from(beside) > 2 {
            return true;
        }
        let after = board.liberties_after(side, to);
        after.len() - usize::from(after.contains(taken)) > 2
    };
    !(grows(a, b) && grows(b, a))
}
