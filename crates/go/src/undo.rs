//! Taking a move back on a [`Board`]: stones return, and the chains around them are found anew.

use crate::{Area, Board, Cell, CellSet, Colour, board::Chain};
use tesuji_game::Side;

/// What a move on a board destroyed; see [`Board::play_undoable`].
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
