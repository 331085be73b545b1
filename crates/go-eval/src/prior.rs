//! A prior for moves by what they do: captures, escapes and ladders that work, shapes, nearness to the last moves; bad shape last.
//!
//! The worth of a move is the product of the weights of its features, as in a Bradley-Terry model (Coulom 2007): learned weights
//! take the place of those below.

use crate::is_shape;
use tesuji_game::{Position, Side};
use tesuji_go::{
    Area, Board, Cell, CellMap, CellSet, Colour, GoPosition, Move,
    ladder::{self, Fate},
    race::Race,
};

/// Weights of moves relative to an ordinary one, most of them near those that Coulom found in games of strong players.
mod weight {
    /// Fills an own eye: after all else, a pass that may be disputed included.
    pub(super) const EYE: f32 = 1e-7;
    /// Puts a stone, or more than one, into atari without capturing.
    pub(super) const SELF_ATARI: [f32; 2] = [0.2, 0.06];
    /// By the line from the edge where no stone is beside.
    pub(super) const LINE: [f32; 5] = [0.1, 0.45, 1.2, 1.2, 1.0];
    /// Takes a chain that is lost anyway, or one that would get away; a third of it more for each further stone.
    pub(super) const CAPTURE: [f32; 2] = [1.0, 4.0];
    /// Takes a chain that has an own one in atari.
    pub(super) const RESCUE: f32 = 8.0;
    /// Saves a chain that is in atari; a third of it more for each further stone.
    pub(super) const ESCAPE: f32 = 8.0;
    /// Runs with a chain that is lost.
    pub(super) const LOST: f32 = 0.3;
    /// Puts a chain into atari that gets away.
    pub(super) const ATARI: f32 = 1.7;
    /// Begins a ladder that works; a third of it more for each further stone.
    pub(super) const LADDER: f32 = 4.0;
    /// Is a liberty of a chain that a ladder threatens.
    pub(super) const THREATENED: f32 = 2.5;
    /// Takes a liberty in a race that hangs on who moves first.
    pub(super) const RACE: f32 = 1.8;
    /// Is a shape.
    pub(super) const SHAPE: f32 = 2.5;
    /// By the distance to the last move: rows and columns added up, and the more of both once again.
    pub(super) const NEAR: [f32; 8] = [1.0, 1.0, 4.3, 2.8, 2.2, 1.6, 1.3, 1.1];
    /// The same for the move before.
    pub(super) const NEAR_OWN: [f32; 8] = [1.0, 1.0, 3.1, 2.4, 2.2, 1.7, 1.4, 1.2];
    /// A pass, of all the rest together; after a pass of the other side, which a second one would end.
    pub(super) const PASS: [f32; 2] = [0.001, 0.05];
    /// A pass where nothing else makes sense.
    pub(super) const PASS_AT_LAST: f32 = 0.002;
}

/// The liberties of chains whose races are counted: fewer are for ladders, more leave time for other things.
const RACE_LIBERTIES: std::ops::RangeInclusive<usize> = 2..=6;

/// The most moves tried for one ladder.
const LADDER_NODES: u32 = 60;

/// Fills `policy` for `moves` of `pos` in their order: `[moves.len()]`, sums to 1. `last`: where the last move went, and the one
/// before it.
pub fn fill_prior<A: Area>(pos: &GoPosition<A>, last: [Option<Cell>; 2], moves: &[Move], policy: &mut Vec<f32>) {
    policy.clear();
    let (board, side) = (pos.board(), pos.side_to_move());
    let near = |cell: Cell, past: Option<Cell>, by: &[f32]| {
        let Some(past) = past else { return 1.0 };
        let (a, b) = (A::vertex(cell), A::vertex(past));
        let (dx, dy) = (a.x.abs_diff(b.x), a.y.abs_diff(b.y));
        let distance = dx + dy + dx.max(dy);
        by.get(distance as usize).copied().unwrap_or(1.0)
    };
    let chains = of_chains(board, side);
    let worth = |mv: &Move| {
        mv.vertex().map_or(0.0, |v| {
            let cell = A::cell(v);
            let nearness = near(cell, last[0], &weight::NEAR) * near(cell, last[1], &weight::NEAR_OWN);
            of_point(board, side, cell) * chains[cell] * nearness
        })
    };
    policy.extend(moves.iter().map(worth));
    let sum: f32 = policy.iter().sum();
    let pass = sum * weight::PASS[usize::from(pos.passes() > 0)] + weight::PASS_AT_LAST;
    for (share, mv) in policy.iter_mut().zip(moves) {
        *share = if mv.is_pass() { pass } else { *share } / (sum + pass);
    }
}

/// For each empty point what a stone of `side` there does to chains with one or two liberties, as a weight.
fn of_chains<A: Area>(board: &Board<A>, side: Side) -> A::Map<f32> {
    let mut weights = <A::Map<f32> as CellMap<f32>>::filled(1.0);
    for stone in board.all_chains() {
        let more = (board.stones_in_chain(stone) - 1).min(20) as f32 / 3.0 + 1.0;
        match (board.colour(stone) == Colour::of(side), board.liberties(stone)) {
            (true, 1) => {
                let found = ladder::defend(board, stone, LADDER_NODES);
                let out = board.liberty_set(stone).first();
                match (found.fate, found.line.first()) {
                    (Fate::Captured, _) => out.into_iter().for_each(|cell| weights[cell] *= weight::LOST),
                    (_, Some(&cell)) => weights[cell] *= weight::ESCAPE * more,
                    (_, None) => out.into_iter().for_each(|cell| weights[cell] *= weight::ESCAPE * more),
                }
                rescue(board, side, stone, &mut weights);
            }
            (true, 2) if ladder::attack(board, stone, LADDER_NODES).fate == Fate::Captured => {
                board.liberty_set(stone).iter().for_each(|cell| weights[cell] *= weight::THREATENED);
            }
            (false, 1) => {
                let lost = ladder::defend(board, stone, LADDER_NODES).fate == Fate::Captured;
                let at = board.liberty_set(stone).first();
                at.into_iter().for_each(|cell| weights[cell] *= weight::CAPTURE[usize::from(!lost)] * more);
            }
            (false, 2) => {
                let found = ladder::attack(board, stone, LADDER_NODES);
                match (found.fate, found.line.first()) {
                    (Fate::Captured, Some(&cell)) => weights[cell] *= weight::LADDER * more,
                    _ => board.liberty_set(stone).iter().for_each(|cell| weights[cell] *= weight::ATARI),
                }
            }
            _ => {}
        }
        if board.colour(stone) == Colour::of(!side) && RACE_LIBERTIES.contains(&board.liberties(stone)) {
            race(board, side, stone, &mut weights);
        }
    }
    weights
}

/// Weighs the liberties of the chain of `stone` in the urgent races with own chains that touch it.
fn race<A: Area>(board: &Board<A>, side: Side, stone: Cell, weights: &mut A::Map<f32>) {
    let mut rivals = [stone; 4];
    let mut len = 0;
    for n in board.chain_stones(stone).flat_map(A::around) {
        let is_new = board.colour(n) == Colour::of(side) && !rivals[..len].contains(&board.chain(n));
        if is_new && len < rivals.len() && RACE_LIBERTIES.contains(&board.liberties(n)) {
            rivals[len] = board.chain(n);
            len += 1;
        }
    }
    let races = rivals[..len].iter().filter_map(|&own| Race::between(board, own, stone));
    if let Some(found) = races.filter(Race::is_urgent).max_by_key(|race| race.other.len()) {
        let fill = if found.other.is_empty() { found.shared } else { found.other };
        fill.iter().for_each(|cell| weights[cell] *= weight::RACE);
    }
}

/// Weighs the captures that save the chain of `stone`.
fn rescue<A: Area>(board: &Board<A>, side: Side, stone: Cell, weights: &mut A::Map<f32>) {
    let mut at = A::Set::default();
    for member in board.chain_stones(stone) {
        for n in A::around(member).into_iter().filter(|&n| board.colour(n) == Colour::of(!side)) {
            if board.liberties(n) == 1 {
                board.liberty_set(n).first().into_iter().for_each(|cell| _ = at.insert(cell));
            }
        }
    }
    at.iter().for_each(|cell| weights[cell] *= weight::RESCUE);
}

/// The weight of a stone of `side` at the empty point `cell` by what is beside it.
fn of_point<A: Area>(board: &Board<A>, side: Side, cell: Cell) -> f32 {
    if board.is_true_eye(side, cell) {
        return weight::EYE;
    }
    let (mut takes, mut joins) = (false, false);
    for n in A::around(cell) {
        let Some(owner) = board.colour(n).side() else { continue };
        takes |= owner != side && board.liberties(n) == 1;
        joins |= owner == side;
    }
    if !takes && board.is_self_atari(side, cell) {
        return weight::SELF_ATARI[usize::from(joins)];
    }
    if is_shape(board, cell) {
        return weight::SHAPE;
    }
    let is_alone = A::around(cell).into_iter().chain(A::diagonals(cell)).all(|n| board.colour(n).side().is_none());
    if !is_alone {
        return 1.0;
    }
    let (at, size) = (A::vertex(cell), board.size());
    let line =
        at.x.min(at.y)
            .min((size.width() as u8 - 1).saturating_sub(at.x))
            .min((size.height() as u8 - 1).saturating_sub(at.y));
    weight::LINE.get(line as usize).copied().unwrap_or(1.0)
}
