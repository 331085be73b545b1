//! Playouts that look: answers near the last move first, a move at random otherwise, without the worst self-ataris.
//!
//! The order of answers follows MoGo (Gelly, Wang, Munos and Teytaud, 2006): save a chain in atari, capture, play in the middle
//! of a dead eye shape (nakade), play a shape next to the last move.

use crate::{Chooser, is_shape, playout::choose_evenly};
use tesuji_game::{Random, Side};
use tesuji_go::{
    Area, Board, Cell, CellSet, Colour,
    nakade::{EyeSpace, enclosed, eye_space},
};
use tesuji_options::options;

options! {
    /// The habits of heavy playouts, as the share of moves at which each is thought of.
    pub struct HeavyKnobs(expert) {
        /// Save chains that the last move put in atari.
        escape: f32 = 0.9 in 0.0..=1.0, "PlayoutEscape";
        /// Capture chains beside the last move.
        capture: f32 = 0.9 in 0.0..=1.0, "PlayoutCapture";
        /// Play the vital point of an eye space beside the last move.
        nakade: f32 = 0.3 in 0.0..=1.0, "PlayoutNakade";
        /// Play a shape next to the last move.
        shape: f32 = 0.9 in 0.0..=1.0, "PlayoutShape";
        /// Refuse self-atari of more than one stone.
        self_atari: f32 = 0.95 in 0.0..=1.0, "PlayoutSelfAtari";
    }
}

/// The chooser of heavy playouts.
#[derive(Debug, Clone)]
pub struct Heavy {
    /// The shares of the knobs in the order of [`HeavyKnobs`], of 256.
    shares: [u32; 5],
    found: Vec<Cell>,
}

impl Heavy {
    /// A chooser with these habits.
    pub fn new(knobs: HeavyKnobs) -> Heavy {
        let shares = [knobs.escape, knobs.capture, knobs.nakade, knobs.shape, knobs.self_atari];
        Heavy { shares: shares.map(|share| (share.clamp(0.0, 1.0) * 256.0) as u32), found: Vec::new() }
    }

    /// One of the moves found, evenly.
    fn pick(&self, random: &mut Random) -> Option<Cell> {
        if self.found.is_empty() { None } else { Some(self.found[random.below(self.found.len())]) }
    }

    /// Moves that save own chains beside `last` from atari: captures of the attackers, and running to two liberties or more.
    fn find_escapes<A: Area>(&mut self, board: &Board<A>, side: Side, last: Cell) {
        for n in A::around(last) {
            if board.colour(n) != Colour::of(side) || board.liberties(n) != 1 {
                continue;
            }
            let Some(out) = board.liberty_set(n).first() else { continue };
            if board.is_legal(side, out) && board.liberties_after(side, out).len() >= 2 {
                self.found.push(out);
            }
            for stone in board.chain_stones(n) {
                for m in A::around(stone) {
                    self.take(board, side, m);
                }
            }
        }
    }

    /// The capture of the chain of the stone at `cell`, if it is the other side's and in atari.
    fn take<A: Area>(&mut self, board: &Board<A>, side: Side, cell: Cell) {
        if board.colour(cell) == Colour::of(!side) && board.liberties(cell) == 1 {
            let at = board.liberty_set(cell).first();
            self.found.extend(at.filter(|&at| board.is_legal(side, at)));
        }
    }

    /// Captures of the chain that just moved, and of those around it.
    fn find_captures<A: Area>(&mut self, board: &Board<A>, side: Side, last: Cell) {
        self.take(board, side, last);
        for n in A::around(last) {
            let neighbours = if board.colour(n) == Colour::Edge { [n; 4] } else { A::around(n) };
            for m in neighbours {
                self.take(board, side, m);
            }
        }
    }

    /// Vital points of small spaces of the other side beside `last`, and of own ones.
    fn find_nakade<A: Area>(&mut self, board: &Board<A>, side: Side, last: Cell) {
        for n in A::around(last) {
            // Large spaces are outside; most are recognised by a point with all neighbours empty.
            if board.colour(n) != Colour::Empty || board.empty_neighbours(n) > 3 {
                continue;
            }
            for owner in Side::ALL {
                let Some(space) = enclosed(board, owner, n, 6).filter(|space| space.len() >= 3) else { continue };
                let EyeSpace::Vital(cell) = eye_space::<A>(&space) else { continue };
                if board.is_legal(side, cell) {
                    self.found.push(cell);
                }
            }
        }
    }

    /// Shapes on the eight points around `last`.
    fn find_shapes<A: Area>(&mut self, board: &Board<A>, side: Side, last: Cell) {
        for n in A::around(last).into_iter().chain(A::diagonals(last)) {
            if board.colour(n) == Colour::Empty
                && is_shape(board, n)
                && board.is_legal(side, n)
                && !board.is_self_atari(side, n)
            {
                self.found.push(n);
            }
        }
    }
}

/// Whether a stone at `cell` would be a self-atari that only loses: of more than one stone, and capturing nothing.
fn is_blunder<A: Area>(board: &Board<A>, side: Side, cell: Cell) -> bool {
    if board.empty_neighbours(cell) >= 2 {
        return false;
    }
    let own = |n: &Cell| board.colour(*n) == Colour::of(side);
    let taken = |n: &Cell| board.colour(*n) == Colour::of(!side) && board.liberties(*n) == 1;
    A::around(cell).iter().any(own) && !A::around(cell).iter().any(taken) && board.is_self_atari(side, cell)
}

impl<A: Area> Chooser<A> for Heavy {
    fn choose(&mut self, board: &Board<A>, side: Side, last: Option<Cell>, random: &mut Random) -> Option<Cell> {
        // One draw for all habits: eight bits each.
        let draw = random.next_u64();
        let think = |habit: usize| ((draw >> (8 * habit) & 255) as u32) < self.shares[habit];
        let habits: [bool; 5] = std::array::from_fn(think);
        if let Some(last) = last {
            self.found.clear();
            if habits[0] {
                self.find_escapes(board, side, last);
            }
            if habits[1] && self.found.is_empty() {
                self.find_captures(board, side, last);
            }
            if habits[2] && self.found.is_empty() {
                self.find_nakade(board, side, last);
            }
            if habits[3] && self.found.is_empty() {
                self.find_shapes(board, side, last);
            }
            if let Some(cell) = self.pick(random) {
                return Some(cell);
            }
        }
        let plain = |cell: Cell| board.is_legal(side, cell) && !board.is_true_eye(side, cell);
        let sound = |cell: Cell| plain(cell) && !is_blunder(board, side, cell);
        let chosen = if habits[4] { choose_evenly(board, random, sound) } else { None };
        chosen.or_else(|| choose_evenly(board, random, plain))
    }
}
