//! Taking a move back on a [`Board`]: stones return, and the chains around them are found again.

use crate::{
    Area, Board, Cell, CellSet, Colour,
    board::{Chain, Witness},
};
use tesuji_game::Side;

/// The state that a move on a board destroyed, to take the move back; see [`Board::play_undoable`].
#[derive(Debug, Clone)]
pub struct BoardUndo {
    side: Side,
    cell: Cell,
    slot: u16,
    ko: Cell,
    /// The stones taken off, in the order in which they went. Most moves take none, which costs no memory.
    taken: Vec<Cell>,
}

impl BoardUndo {
    /// The stones that the move took off the board.
    pub fn taken(&self) -> &[Cell] {
        &self.taken
    }
}

impl<A: Area> Board<A> {
    /// [`Board::play`] that can be taken back by [`Board::undo`].
    pub fn play_undoable(&mut self, side: Side, cell: Cell) -> BoardUndo {
        let (slot, ko) = (self.slot(cell), self.ko);
        let mut taken = Vec::new();
        self.play_seen(side, cell, |stone| taken.push(stone));
        BoardUndo { side, cell, slot, ko, taken }
    }

    /// Takes the last move back. The list of empty points is restored in its order; chains may change their names.
    pub fn undo(&mut self, undo: BoardUndo) {
        let BoardUndo { side, cell, slot, ko, taken } = undo;
        let own = Colour::of(side);
        self.ko = ko;
        if self.colours[cell] == Colour::Empty {
            self.undo_suicide(own, cell, slot, &taken);
            return;
        }
        // The stones that stay of the chain that the move made or joined, to be parted again.
        let mut parts: Vec<Cell> = self.chain_stones(cell).skip(1).collect();
        self.lift(cell, own);
        for &stone in &taken {
            self.put(stone, Colour::of(!side));
        }
        self.captured[(!side).index()] -= taken.len() as u16;
        self.restore_empties(cell, slot, taken.len());
        for &stone in &parts {
            self.head[stone] = Cell::NONE;
        }
        for &stone in &taken {
            self.head[stone] = Cell::NONE;
        }
        for n in A::around(cell) {
            if self.colours[n] == Colour::of(!side) && self.head[n] != Cell::NONE {
                let chain = &mut self.chains[self.head[n]];
                chain.count += chain.liberties.insert(cell);
            }
        }
        self.block(&taken, own);
        parts.retain(|&stone| self.head[stone] == Cell::NONE);
        for &stone in parts.iter().chain(&taken) {
            if self.head[stone] == Cell::NONE {
                self.find_chain(stone);
            }
        }
    }

    fn undo_suicide(&mut self, own: Colour, cell: Cell, slot: u16, taken: &[Cell]) {
        for &stone in taken.iter().filter(|&&s| s != cell) {
            self.put(stone, own);
            self.head[stone] = Cell::NONE;
        }
        self.captured[own as usize & 1] -= taken.len() as u16;
        self.restore_empties(cell, slot, taken.len());
        let stones: Vec<Cell> = taken.iter().copied().filter(|&s| s != cell).collect();
        self.block(&stones, if own == Colour::Black { Colour::White } else { Colour::Black });
        for &stone in &stones {
            if self.head[stone] == Cell::NONE {
                self.find_chain(stone);
            }
        }
    }

    /// Takes the liberties at `stones` from the known chains of `colour` around them.
    fn block(&mut self, stones: &[Cell], colour: Colour) {
        for &stone in stones {
            for n in A::around(stone) {
                if self.colours[n] == colour && self.head[n] != Cell::NONE {
                    let chain = &mut self.chains[self.head[n]];
                    chain.count -= chain.liberties.remove(stone);
                }
            }
        }
    }

    /// Makes a chain of `start` and the stones of its colour that hang together with it and have no head.
    pub(crate) fn find_chain(&mut self, start: Cell) {
        let colour = self.colours[start];
        let mut chain = Chain { liberties: A::Set::default(), count: 0, stones: 1 };
        self.head[start] = start;
        self.next[start] = start;
        // The ring is the queue: a stone that is found goes to its end, just before `start`.
        let (mut here, mut last) = (start, start);
        loop {
            for n in A::around(here) {
                if self.colours[n] == Colour::Empty {
                    chain.count += chain.liberties.insert(n);
                } else if self.colours[n] == colour && self.head[n] == Cell::NONE {
                    self.head[n] = start;
                    self.next[n] = start;
                    self.next[last] = n;
                    last = n;
                    chain.stones += 1;
                }
            }
            here = self.next[here];
            if here == start {
                break;
            }
        }
        self.chains[start] = chain;
    }
}

/// A stack of moves to be taken back in turn, quicker than by [`Board::undo`]: nothing is found again, and once it has its
/// size no memory is asked for. Moves that are suicide have no place on it.
pub(crate) struct Trail<A: Area> {
    moves: Vec<Made<A::Set>>,
    /// A stone of each chain that was taken.
    taken: Vec<Cell>,
    /// Chains that grew by another: their names, and the first as it was.
    joined: Vec<(Cell, Cell, Chain<A::Set>)>,
}

/// A move on a [`Trail`].
struct Made<S> {
    side: Side,
    cell: Cell,
    slot: u16,
    ko: Cell,
    /// The list links and the chain that a stone taken from `cell` left there, to be restored when it comes back.
    left: (Cell, Cell, Chain<S>),
    /// The lengths of the trail's other lists before it.
    taken: usize,
    joined: usize,
}

impl<A: Area> Trail<A> {
    /// One without moves.
    pub(crate) fn new() -> Self {
        Trail { moves: Vec::new(), taken: Vec::new(), joined: Vec::new() }
    }

    /// Whether the last move took something.
    pub(crate) fn took(&self) -> bool {
        self.moves.last().is_some_and(|made| made.taken < self.taken.len())
    }
}

impl<A: Area> Witness<A::Set> for &mut Trail<A> {
    #[inline(always)]
    fn chain_off(&mut self, stone: Cell) {
        self.taken.push(stone);
    }

    #[inline(always)]
    fn joined(&mut self, big: Cell, small: Cell, chain: &Chain<A::Set>) {
        self.joined.push((big, small, *chain));
    }
}

impl<A: Area> Board<A> {
    /// [`Board::play`] of a move that is no suicide, to be taken back by [`Board::step_back`].
    pub(crate) fn step(&mut self, side: Side, cell: Cell, trail: &mut Trail<A>) {
        let (taken, joined) = (trail.taken.len(), trail.joined.len());
        let left = (self.head[cell], self.next[cell], self.chains[cell]);
        trail.moves.push(Made { side, cell, slot: self.slot(cell), ko: self.ko, left, taken, joined });
        self.play_watched(side, cell, trail);
        debug_assert!(self.colours[cell] == Colour::of(side), "suicide has no place on a trail");
    }

    /// Takes back the last move of `trail`: everything is as it was, the names of chains and the order of points too.
    ///
    /// # Panics
    /// When there is none.
    pub(crate) fn step_back(&mut self, trail: &mut Trail<A>) {
        let made = trail.moves.pop();
        assert!(made.is_some(), "a trail without moves");
        let Some(Made { side, cell, slot, ko, left, taken, joined }) = made else { return };
        let (own, enemy) = (Colour::of(side), Colour::of(!side));
        for (big, small, chain) in trail.joined.drain(joined..).rev() {
            let (a, b) = (self.next[big], self.next[small]);
            (self.next[big], self.next[small]) = (b, a);
            let mut stone = small;
            loop {
                self.head[stone] = small;
                stone = self.next[stone];
                if stone == small {
                    break;
                }
            }
            self.chains[big] = chain;
        }
        let mut count = 0;
        for first in trail.taken.drain(taken..).rev() {
            count += self.put_back(first, enemy, own);
        }
        self.lift(cell, own);
        (self.head[cell], self.next[cell], self.chains[cell]) = left;
        for n in A::around(cell) {
            if self.colours[n] == enemy {
                let chain = &mut self.chains[self.head[n]];
                chain.count += chain.liberties.insert(cell);
            }
        }
        self.captured[enemy as usize & 1] -= count;
        self.restore_empties(cell, slot, count as usize);
        self.ko = ko;
    }

    /// Puts a chain back of which `first` was a stone, and takes its points from the liberties around; how many stones.
    fn put_back(&mut self, first: Cell, colour: Colour, taker: Colour) -> u16 {
        let (mut stone, mut count) = (first, 0);
        loop {
            for n in A::around(stone) {
                if self.colours[n] == taker {
                    let chain = &mut self.chains[self.head[n]];
                    chain.count -= chain.liberties.remove(stone);
                }
            }
            self.put(stone, colour);
            count += 1;
            stone = self.next[stone];
            if stone == first {
                return count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Size, Small};
    use tesuji_game::Random;

    /// Every number of a board, what lies where nothing stands set aside.
    fn everything(board: &Board<Small>) -> String {
        let chain = |cell: Cell| {
            let chain = &board.chains[board.head[cell]];
            format!(
                "{cell:?} of {:?} then {:?} {:?} {}",
                board.head[cell], board.next[cell], chain.liberties, chain.stones
            )
        };
        let stones = board.points().filter(|&c| board.colours[c].side().is_some());
        let near: Vec<u16> = board.points().map(|c| board.near[c]).collect();
        let chains: Vec<String> = stones.map(|cell| format!("{} {}", chain(cell), board.liberties(cell))).collect();
        format!("{board:?} {} {near:?} {:?} {chains:?}", board.key(), board.empties())
    }

    #[test]
    fn a_trail_leads_back_to_everything() {
        let mut random = Random::new(5);
        let (mut taken, mut deep) = (0, 0);
        for round in 0..60 {
            let mut board = Board::<Small>::new(Size::square(5 + round % 3).unwrap());
            let (mut trail, mut before) = (Trail::new(), Vec::new());
            for turn in 0..400 {
                let side = if random.below(8) > 0 && turn % 2 == 0 { Side::First } else { Side::Second };
                let legal: Vec<Cell> = board.empties().iter().copied().filter(|&c| board.is_legal(side, c)).collect();
                let forward = !legal.is_empty() && (before.is_empty() || random.below(5) < 3);
                if forward {
                    before.push(everything(&board));
                    board.step(side, legal[random.below(legal.len())], &mut trail);
                    taken += usize::from(trail.took());
                    deep = deep.max(before.len());
                } else if let Some(before) = before.pop() {
                    board.step_back(&mut trail);
                    assert_eq!(everything(&board), before);
                }
            }
            while let Some(before) = before.pop() {
                board.step_back(&mut trail);
                assert_eq!(everything(&board), before);
            }
        }
        assert!(taken > 500 && deep > 80, "{taken} {deep}");
    }
}
