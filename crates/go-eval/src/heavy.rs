//! Playouts that look: answers near the last move first, a move at random otherwise, without the worst self-ataris.
//!
//! The order of answers follows MoGo (Gelly, Wang, Munos and Teytaud, 2006) and Pachi (Baudiš and Gailly, 2011): save a chain in
//! atari, capture, answer beside chains with two liberties, play in the middle of a dead eye shape (nakade), play a shape next to
//! the last move. Nothing looks further than the chains of the nine points around the last move.

use crate::{Chooser, playout::choose_evenly, shapes, vital};
use tesuji_game::{Random, Side};
use tesuji_go::{Area, Board, Cell, CellSet, Colour};
use tesuji_options::options;

options! {
    /// The habits of heavy playouts, as the share of moves at which each is thought of.
    pub struct HeavyParameters(expert) {
        /// Save chains beside the last move that are in atari.
        escape: f32 = 0.86 in 0.0..=1.0, "PlayoutEscape";
        /// Capture chains beside the last move.
        capture: f32 = 0.86 in 0.0..=1.0, "PlayoutCapture";
        /// Attack the chain that just moved, or defend beside it, where two liberties are left.
        two_liberties: f32 = 0.66 in 0.0..=1.0, "PlayoutTwoLiberties";
        /// Play the vital point of an eye space beside the last move.
        nakade: f32 = 0.42 in 0.0..=1.0, "PlayoutNakade";
        /// Play a shape next to the last move.
        shape: f32 = 0.99 in 0.0..=1.0, "PlayoutShape";
        /// Refuse self-atari of more than one stone.
        self_atari: f32 = 0.98 in 0.0..=1.0, "PlayoutSelfAtari";
    }
}

/// The number of habits.
const HABITS: usize = 6;

/// The most moves that one habit finds.
const FOUND_MAX: usize = 32;

/// Moves found by one habit. Those beyond the room are left out.
#[derive(Debug, Clone, Copy)]
struct Found {
    cells: [Cell; FOUND_MAX],
    len: usize,
}

impl Found {
    fn push(&mut self, cell: Cell) {
        if let Some(slot) = self.cells.get_mut(self.len) {
            *slot = cell;
            self.len += 1;
        }
    }

    /// One of the moves, evenly.
    fn pick(&self, random: &mut Random) -> Option<Cell> {
        if self.len == 0 { None } else { Some(self.cells[random.below(self.len)]) }
    }
}

/// The chooser of heavy playouts.
#[derive(Debug, Clone)]
pub struct Heavy {
    /// The shares of the options in the order of [`HeavyParameters`], of 256.
    shares: [u32; HABITS],
}

impl Heavy {
    /// A chooser with these habits.
    pub fn new(parameters: HeavyParameters) -> Heavy {
        let HeavyParameters { escape, capture, two_liberties, nakade, shape, self_atari } = parameters;
        let shares = [escape, capture, two_liberties, nakade, shape, self_atari];
        Heavy { shares: shares.map(|share| (share.clamp(0.0, 1.0) * 256.0) as u32) }
    }
}

/// The chains of the nine points around the last move that have few liberties: one stone of each, chains met twice perhaps twice.
struct Nearby {
    /// Own, in atari.
    endangered: Found,
    /// The other side's, in atari.
    prey: Found,
    /// Own, with two liberties, beside the last move itself.
    pressed: Found,
}

impl Nearby {
    fn of<A: Area>(board: &Board<A>, side: Side, last: Cell) -> Nearby {
        let none = Found { cells: [last; FOUND_MAX], len: 0 };
        let mut near = Nearby { endangered: none, prey: none, pressed: none };
        let own = Colour::of(side);
        let beside = A::around(last);
        for (i, n) in std::iter::once(last).chain(beside).chain(A::diagonals(last)).enumerate() {
            let colour = board.colour(n);
            if colour.side().is_none() {
                continue;
            }
            match (board.liberties(n), colour == own) {
                (1, true) => near.endangered.push(n),
                (1, false) => near.prey.push(n),
                (2, true) if i <= beside.len() => near.pressed.push(n),
                _ => {}
            }
        }
        near
    }
}

/// The capture of a chain in atari, if it is legal.
#[inline]
fn capture_of<A: Area>(board: &Board<A>, side: Side, stone: Cell) -> Option<Cell> {
    board.liberty_set(stone).first().filter(|&at| board.is_legal(side, at))
}

/// The captures of chains in atari around the chain of `stone`, which is of `side`.
fn push_counters<A: Area>(board: &Board<A>, side: Side, stone: Cell, found: &mut Found) {
    let enemy = Colour::of(!side);
    for member in board.chain_stones(stone) {
        for n in A::around(member) {
            if board.colour(n) == enemy && board.liberties(n) == 1 {
                capture_of(board, side, n).into_iter().for_each(|cell| found.push(cell));
            }
        }
    }
}

/// Moves that save own chains in atari: captures of the attackers, and running to two liberties or more.
fn escapes<A: Area>(board: &Board<A>, side: Side, near: &Nearby, found: &mut Found) {
    for &stone in &near.endangered.cells[..near.endangered.len] {
        let Some(out) = board.liberty_set(stone).first() else { continue };
        if board.is_legal(side, out) && !board.is_self_atari(side, out) {
            found.push(out);
        }
        push_counters(board, side, stone, found);
    }
}

/// Captures of chains in atari.
fn captures<A: Area>(board: &Board<A>, side: Side, near: &Nearby, found: &mut Found) {
    for &stone in &near.prey.cells[..near.prey.len] {
        capture_of(board, side, stone).into_iter().for_each(|cell| found.push(cell));
    }
}

/// Counts the liberties, up to three, that a chain of `owner` would have after it grew at `at` while the other side had a stone at
/// `blocked`. Stones that it would capture are not considered.
fn freedom<A: Area>(board: &Board<A>, owner: Side, at: Cell, blocked: Cell) -> usize {
    let own = Colour::of(owner);
    let mut known = [at; 3];
    let mut count = 0;
    let mut add = |cell: Cell, count: &mut usize| {
        if cell != blocked && cell != at && *count < 3 && !known[..*count].contains(&cell) {
            known[*count] = cell;
            *count += 1;
        }
    };
    for n in A::around(at) {
        match board.colour(n) {
            Colour::Empty => add(n, &mut count),
            colour if colour == own && board.liberties(n) > 4 => return 3,
            colour if colour == own => board.liberty_set(n).iter().for_each(|cell| add(cell, &mut count)),
            _ => {}
        }
    }
    count
}

/// Where two liberties are left: ataris on the chain of the last move that it cannot run from, and answers where chains beside it
/// could be caught so.
fn two_liberties<A: Area>(board: &Board<A>, side: Side, last: Cell, near: &Nearby, found: &mut Found) {
    if board.colour(last) == Colour::of(!side) && board.liberties(last) == 2 {
        let [a, b] = pair(board, last);
        for (at, out) in [(a, b), (b, a)] {
            if freedom(board, !side, out, at) <= CAUGHT && is_sound(board, side, at) {
                found.push(at);
            }
        }
    }
    for &stone in &near.pressed.cells[..near.pressed.len] {
        let [a, b] = pair(board, stone);
        let is_threatened = |at: Cell, out: Cell| freedom(board, side, out, at) <= CAUGHT && is_sound(board, !side, at);
        if !is_threatened(a, b) && !is_threatened(b, a) {
            continue;
        }
        for at in [a, b] {
            if freedom(board, side, at, at) >= 3 && is_sound(board, side, at) {
                found.push(at);
            }
        }
        push_counters(board, side, stone, found);
    }
}

/// The most liberties with which a chain that ran is taken for caught.
const CAUGHT: usize = 1;

/// Both liberties of a chain that has two.
#[inline]
fn pair<A: Area>(board: &Board<A>, stone: Cell) -> [Cell; 2] {
    let mut cells = board.liberty_set(stone).iter();
    let first = cells.next().unwrap_or(stone);
    [first, cells.next().unwrap_or(first)]
}

/// Whether a stone of `side` may go to `at` and has two liberties or more there.
#[inline]
fn is_sound<A: Area>(board: &Board<A>, side: Side, at: Cell) -> bool {
    board.is_legal(side, at) && !board.is_self_atari(side, at)
}

/// Shapes on the eight points around `last`.
fn shapes<A: Area>(board: &Board<A>, side: Side, last: Cell, found: &mut Found) {
    for n in A::around(last).into_iter().chain(A::diagonals(last)) {
        if board.colour(n) == Colour::Empty
            && shapes::is_shape(board, n)
            && board.is_legal(side, n)
            && !board.is_self_atari(side, n)
        {
            found.push(n);
        }
    }
}

/// Whether a stone at `cell` would be a self-atari that only loses: of more than one stone, and capturing nothing.
#[inline]
fn is_blunder<A: Area>(board: &Board<A>, side: Side, cell: Cell) -> bool {
    if board.empty_neighbours(cell) >= 2 {
        return false;
    }
    let own = |n: &Cell| board.colour(*n) == Colour::of(side);
    let taken = |n: &Cell| board.colour(*n) == Colour::of(!side) && board.liberties(*n) == 1;
    let around = A::around(cell);
    around.iter().any(own) && board.is_self_atari(side, cell) && !around.iter().any(taken)
}

impl Heavy {
    /// An answer to the last move at `last`, if a habit that is thought of finds one.
    fn answer<A: Area>(
        &self,
        board: &Board<A>,
        side: Side,
        last: Cell,
        habits: [bool; HABITS],
        random: &mut Random,
    ) -> Option<Cell> {
        let near = Nearby::of(board, side, last);
        let mut found = Found { cells: [last; FOUND_MAX], len: 0 };
        if habits[0] && near.endangered.len > 0 {
            escapes(board, side, &near, &mut found);
        }
        if found.len == 0 && habits[1] && near.prey.len > 0 {
            captures(board, side, &near, &mut found);
        }
        if found.len == 0 && habits[2] {
            two_liberties(board, side, last, &near, &mut found);
        }
        if found.len == 0 && habits[3] {
            let vital = A::around(last).into_iter().filter_map(|n| vital::point(board, n));
            vital.filter(|&cell| board.is_legal(side, cell)).for_each(|cell| found.push(cell));
        }
        if found.len == 0 && habits[4] {
            shapes(board, side, last, &mut found);
        }
        found.pick(random)
    }
}

impl Heavy {
    /// Draws the habits that are tried at this move: one random number for all, eight bits each.
    fn habits(&self, random: &mut Random) -> [bool; HABITS] {
        let draw = random.next_u64();
        std::array::from_fn(|habit| ((draw >> (8 * habit) & 255) as u32) < self.shares[habit])
    }

    /// An answer to the last move without a look at shapes.
    pub(crate) fn tactical<A: Area>(
        &self,
        board: &Board<A>,
        side: Side,
        last: Cell,
        random: &mut Random,
    ) -> Option<Cell> {
        let mut habits = self.habits(random);
        habits[4] = false;
        self.answer(board, side, last, habits, random)
    }
}

impl<A: Area> Chooser<A> for Heavy {
    fn choose(&mut self, board: &Board<A>, side: Side, last: Option<Cell>, random: &mut Random) -> Option<Cell> {
        let habits = self.habits(random);
        if let Some(cell) = last.and_then(|last| self.answer(board, side, last, habits, random)) {
            return Some(cell);
        }
        let plain = |cell: Cell| board.is_legal(side, cell) && !board.is_true_eye(side, cell);
        let sound = |cell: Cell| plain(cell) && !is_blunder(board, side, cell);
        let chosen = if habits[5] { choose_evenly(board, random, sound) } else { None };
        chosen.or_else(|| choose_evenly(board, random, plain))
    }
}
