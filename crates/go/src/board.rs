//! Stones on a board: chains with their liberties, captures, simple ko and a key, kept up to date move by move.
//!
//! Liberties are exact, as a count and as a set for each chain: random games take 11 million moves a CPU-second on 9x9 with
//! them (`tests/it/speed.rs`; the goal was 7), so sums of pseudo-liberties, which know only atari, were not needed.
//! Rules, passes and whose turn it is are the position's.

use crate::{Area, Cell, CellMap, CellSet, Colour, Size, Symmetry, Vertex};
use std::fmt;
use tesuji_game::Side;

/// Stones of the same colour that hang together.
#[derive(Clone, Copy)]
pub(crate) struct Chain<S> {
    /// The points where it may grow.
    pub(crate) liberties: S,
    /// The number of liberties.
    pub(crate) count: u16,
    /// The number of stones.
    pub(crate) stones: u16,
}

/// Anyone who is told what a move does to chains: enough to take it back.
pub(crate) trait Witness<S> {
    /// A stone leaves the board.
    #[inline(always)]
    fn stone_off(&mut self, _stone: Cell) {}
    /// The chain of `stone`, of the other side, is about to leave the board.
    #[inline(always)]
    fn chain_off(&mut self, _stone: Cell) {}
    /// The chain `small` is about to become part of the chain `big`, which is `chain` so far.
    #[inline(always)]
    fn joined(&mut self, _big: Cell, _small: Cell, _chain: &Chain<S>) {}
}

impl<S, F: FnMut(Cell)> Witness<S> for F {
    #[inline(always)]
    fn stone_off(&mut self, stone: Cell) {
        self(stone);
    }
}

/// Stones on a board of capacity `A`. Copying is the fastest way to try something out on small boards.
#[derive(Clone, Copy)]
pub struct Board<A: Area> {
    size: Size,
    /// The empty points stand in `empties[..empty_count]`.
    empty_count: u16,
    pub(crate) ko: Cell,
    /// Stones of each side that were captured.
    pub(crate) captured: [u16; 2],
    pub(crate) key: u64,
    pub(crate) colours: A::Map<Colour>,
    /// For each cell, the number of neighbours that are black or edge (bits 0..4), white or edge (4..8), empty (8..12).
    pub(crate) near: A::Map<u16>,
    /// The cell that names the chain of a stone.
    pub(crate) head: A::Map<Cell>,
    /// The next stone of the chain, round and round.
    pub(crate) next: A::Map<Cell>,
    /// At the head of each chain, the chain.
    pub(crate) chains: A::Map<Chain<A::Set>>,
    /// The index of an empty point in `empties`.
    slots: A::Map<u16>,
    empties: A::Map<Cell>,
}

/// The amount that one neighbour of a colour adds to `near`.
const NEAR: [u16; 2] = [1, 1 << 4];
const NEAR_EMPTY: u16 = 1 << 8;
const NEAR_EDGE: u16 = NEAR[0] + NEAR[1];

impl<A: Area> Board<A> {
    /// An empty board.
    ///
    /// # Panics
    /// When `size` does not fit the capacity; see [`Area::holds`].
    pub fn new(size: Size) -> Board<A> {
        assert!(A::holds(size), "{size} does not fit a board of {} lines", A::LINES);
        let chain = Chain { liberties: A::Set::default(), count: 0, stones: 0 };
        let mut board: Self = Board {
            size,
            empty_count: 0,
            ko: Cell::NONE,
            captured: [0; 2],
            key: 0,
            colours: A::Map::filled(Colour::Edge),
            near: A::Map::filled(0),
            head: A::Map::filled(Cell::NONE),
            next: A::Map::filled(Cell::NONE),
            chains: A::Map::filled(chain),
            slots: A::Map::filled(0),
            empties: A::Map::filled(Cell::NONE),
        };
        for cell in A::points(size) {
            board.colours[cell] = Colour::Empty;
            board.push_empty(cell);
        }
        for cell in A::points(size) {
            let empty = A::around(cell).into_iter().filter(|&n| board.colours[n] == Colour::Empty).count() as u16;
            board.near[cell] = empty * NEAR_EMPTY + (4 - empty) * NEAR_EDGE;
        }
        board
    }

    /// A board with these stones, and nothing captured; `None` where stones stand on each other, off the board, or without
    /// liberties.
    ///
    /// # Panics
    /// When `size` does not fit the capacity; see [`Area::holds`].
    pub fn with_stones(size: Size, stones: impl IntoIterator<Item = (Vertex, Side)>) -> Option<Board<A>> {
        let mut board: Self = Board::new(size);
        for (vertex, side) in stones {
            if !vertex.is_on(size) || board.colours[A::cell(vertex)] != Colour::Empty {
                return None;
            }
            board.remove_empty(A::cell(vertex));
            board.put(A::cell(vertex), Colour::of(side));
        }
        for cell in board.points() {
            if board.colours[cell] != Colour::Empty && board.head[cell] == Cell::NONE {
                board.find_chain(cell);
                if board.chains[cell].count == 0 {
                    return None;
                }
            }
        }
        Some(board)
    }

    /// The stones, row by row from `A1` upward.
    pub fn stones(&self) -> impl Iterator<Item = (Vertex, Side)> + '_ {
        self.points().filter_map(|cell| self.colours[cell].side().map(|side| (A::vertex(cell), side)))
    }

    /// The board after one of the eight symmetries, captures and ko with it. How its chains and empty points are kept does
    /// not depend on the game that led to it: after the first symmetry it is the same board, as if it had been set up.
    pub fn turned(&self, symmetry: Symmetry) -> Board<A> {
        let to = |cell: Cell| A::cell(symmetry.apply(A::vertex(cell), self.size));
        let mut board: Self = Board::new(symmetry.size(self.size));
        for cell in self.points().filter(|&c| self.colours[c] != Colour::Empty) {
            board.remove_empty(to(cell));
            board.put(to(cell), self.colours[cell]);
        }
        for cell in self.points().map(to) {
            if board.colours[cell] != Colour::Empty && board.head[cell] == Cell::NONE {
                board.find_chain(cell);
            }
        }
        board.captured = self.captured;
        board.ko = self.ko().map_or(Cell::NONE, to);
        board
    }

    /// Its size.
    #[inline(always)]
    pub fn size(&self) -> Size {
        self.size
    }

    /// The content of `cell`: a stone, nothing, or the edge.
    #[inline(always)]
    pub fn colour(&self, cell: Cell) -> Colour {
        self.colours[cell]
    }

    /// The side of the stone at `vertex`; `None` for an empty point and beyond the board.
    pub fn stone(&self, vertex: Vertex) -> Option<Side> {
        if vertex.is_on(self.size) { self.colours[A::cell(vertex)].side() } else { None }
    }

    /// The empty points, in an order that depends on the moves played.
    #[inline(always)]
    pub fn empties(&self) -> &[Cell] {
        &self.empties.as_slice()[..self.empty_count as usize]
    }

    /// The cells of all points, row by row from `A1` upward.
    pub fn points(&self) -> impl Iterator<Item = Cell> + use<A> {
        A::points(self.size)
    }

    /// The point that simple ko forbids to the side that just lost a stone there.
    #[inline(always)]
    pub fn ko(&self) -> Option<Cell> {
        (self.ko != Cell::NONE).then_some(self.ko)
    }

    /// The hash of the stones alone: equal boards have equal keys on every capacity.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The number of stones of `side` captured so far.
    #[inline(always)]
    pub fn captured(&self, side: Side) -> usize {
        self.captured[side.index()] as usize
    }
}

/// Chains and their liberties.
impl<A: Area> Board<A> {
    /// The name of the chain of the stone at `cell`: equal for stones of one chain, until the next move.
    #[inline(always)]
    pub fn chain(&self, cell: Cell) -> Cell {
        debug_assert!(self.colours[cell].side().is_some(), "chains are of stones");
        self.head[cell]
    }

    /// The number of liberties of the chain of the stone at `cell`.
    #[inline(always)]
    pub fn liberties(&self, cell: Cell) -> usize {
        self.chains[self.head[cell]].count as usize
    }

    /// The liberties of the chain of the stone at `cell`.
    #[inline(always)]
    pub fn liberty_set(&self, cell: Cell) -> &A::Set {
        &self.chains[self.head[cell]].liberties
    }

    /// The number of stones in the chain of the stone at `cell`.
    #[inline(always)]
    pub fn stones_in_chain(&self, cell: Cell) -> usize {
        self.chains[self.head[cell]].stones as usize
    }

    /// The stones of the chain of the stone at `cell`, beginning with it.
    #[inline]
    pub fn chain_stones(&self, cell: Cell) -> impl Iterator<Item = Cell> + '_ {
        let mut here = Some(cell);
        std::iter::from_fn(move || {
            let stone = here?;
            let next = self.next[stone];
            here = (next != cell).then_some(next);
            Some(stone)
        })
    }

    /// One stone of each chain, row by row from `A1` upward.
    pub fn all_chains(&self) -> impl Iterator<Item = Cell> + '_ {
        self.points().filter(|&c| self.colours[c].side().is_some() && self.head[c] == c)
    }

    /// The number of empty points among the four neighbours of `cell`.
    #[inline(always)]
    pub fn empty_neighbours(&self, cell: Cell) -> usize {
        (self.near[cell] >> 8) as usize
    }

    /// The number of cells among the four neighbours of `cell` that are stones of `side` or edge.
    #[inline(always)]
    pub fn own_or_edge_neighbours(&self, cell: Cell, side: Side) -> usize {
        (self.near[cell] >> (4 * side.index()) & 7) as usize
    }

    /// Whether `side` may put a stone at the point `cell`: it is empty, not forbidden by simple ko, and no suicide.
    #[inline]
    pub fn is_legal(&self, side: Side, cell: Cell) -> bool {
        if self.colours[cell] != Colour::Empty {
            return false;
        }
        self.empty_neighbours(cell) > 0 || (!self.is_ko(side, cell) && self.breathes(side, cell))
    }

    /// Whether simple ko forbids `cell` to `side`.
    #[inline(always)]
    pub fn is_ko(&self, side: Side, cell: Cell) -> bool {
        // The one who took may fill: all neighbours are his.
        cell == self.ko && cell != Cell::NONE && self.own_or_edge_neighbours(cell, side) < 4
    }

    /// Whether a stone of `side` at the empty point `cell` would leave its chain without a liberty.
    #[inline]
    pub fn is_suicide(&self, side: Side, cell: Cell) -> bool {
        self.empty_neighbours(cell) == 0 && !self.breathes(side, cell)
    }

    /// Whether a stone at a point without empty neighbours has or makes a liberty.
    #[inline(always)]
    fn breathes(&self, side: Side, cell: Cell) -> bool {
        let own = Colour::of(side);
        A::around(cell).into_iter().any(|n| match self.colours[n] {
            Colour::Edge | Colour::Empty => false,
            // An own chain must have another liberty; an enemy's must have none, and is taken.
            colour => (self.chains[self.head[n]].count > 1) == (colour == own),
        })
    }
}

/// Playing.
impl<A: Area> Board<A> {
    /// Puts a stone of `side` at `cell`, takes off what has no liberties left, and remembers a simple ko.
    ///
    /// The point must be empty; everything else is played as it comes: suicide takes the own chain off, ko is not asked.
    #[inline]
    pub fn play(&mut self, side: Side, cell: Cell) {
        self.play_seen(side, cell, |_| ());
    }

    /// Forgets the simple ko, as a pass does.
    #[inline(always)]
    pub fn pass(&mut self) {
        self.ko = Cell::NONE;
    }

    /// [`Board::play`] that tells `seen` each captured stone, own ones at a suicide.
    #[inline]
    pub fn play_seen(&mut self, side: Side, cell: Cell, seen: impl FnMut(Cell)) {
        self.play_watched(side, cell, seen);
    }

    /// [`Board::play`] that tells `witness` what it does.
    #[inline]
    pub(crate) fn play_watched(&mut self, side: Side, cell: Cell, mut witness: impl Witness<A::Set>) {
        debug_assert!(self.colours[cell] == Colour::Empty, "stones go on empty points");
        let (own, enemy) = (Colour::of(side), Colour::of(!side));
        // Before anything is taken: a ko is a point amid the enemy's stones.
        let enclosed = self.own_or_edge_neighbours(cell, !side) == 4;
        self.ko = Cell::NONE;
        self.remove_empty(cell);
        self.put(cell, own);
        let mut head = cell;
        self.chains[cell] = Chain { liberties: A::Set::default(), count: 0, stones: 1 };
        self.head[cell] = cell;
        self.next[cell] = cell;
        let mut taken = (0, Cell::NONE);
        for n in A::around(cell) {
            let colour = self.colours[n];
            if colour == Colour::Empty {
                let chain = &mut self.chains[cell];
                chain.count += chain.liberties.insert(n);
            } else if colour == enemy {
                let other = self.head[n];
                let chain = &mut self.chains[other];
                chain.count -= chain.liberties.remove(cell);
                if chain.count == 0 {
                    taken = (taken.0 + self.chains[other].stones, n);
                    witness.chain_off(n);
                    self.take_off(n, enemy, &mut witness);
                }
            }
        }
        // What was captured has given its points to the chain of `cell` and to those that it joins now.
        for n in A::around(cell) {
            if self.colours[n] == own && self.head[n] != head {
                head = self.merge(head, self.head[n], &mut witness);
            }
        }
        let chain = &mut self.chains[head];
        chain.count -= chain.liberties.remove(cell);
        if chain.count == 0 {
            self.take_off(cell, own, &mut witness);
        } else if enclosed && taken.0 == 1 {
            // One stone for one: taking back at once would repeat the board.
            self.ko = taken.1;
        }
    }

    /// Makes one chain of two neighbouring ones and returns its head: that of the larger.
    #[inline]
    fn merge(&mut self, a: Cell, b: Cell, witness: &mut impl Witness<A::Set>) -> Cell {
        // The smaller chain is renamed, stone by stone.
        let (big, small) = if self.chains[a].stones >= self.chains[b].stones { (a, b) } else { (b, a) };
        let other = self.chains[small];
        let chain = &mut self.chains[big];
        witness.joined(big, small, chain);
        chain.liberties.unite(&other.liberties);
        chain.count = chain.liberties.len() as u16;
        chain.stones += other.stones;
        let mut stone = small;
        loop {
            self.head[stone] = big;
            stone = self.next[stone];
            if stone == small {
                break;
            }
        }
        // Two rings of stones become one when each gets the other's successor.
        let after = self.next[big];
        self.next[big] = self.next[small];
        self.next[small] = after;
        big
    }

    /// Takes the chain of `stone` off the board and gives its points as liberties to the chains of the other side.
    fn take_off(&mut self, stone: Cell, colour: Colour, witness: &mut impl Witness<A::Set>) {
        let victim = colour as usize & 1;
        let taker = if colour == Colour::Black { Colour::White } else { Colour::Black };
        let mut here = stone;
        loop {
            let next = self.next[here];
            witness.stone_off(here);
            self.captured[victim] += 1;
            self.lift(here, colour);
            self.push_empty(here);
            for n in A::around(here) {
                if self.colours[n] == taker {
                    let chain = &mut self.chains[self.head[n]];
                    chain.count += chain.liberties.insert(here);
                }
            }
            here = next;
            if here == stone {
                break;
            }
        }
    }
}

/// Single stones and the list of empty points.
impl<A: Area> Board<A> {
    /// Sets the colour of an empty point, and with it the neighbours' counts and the key.
    #[inline(always)]
    pub(crate) fn put(&mut self, cell: Cell, colour: Colour) {
        self.colours[cell] = colour;
        self.key ^= A::keys()[cell][colour as usize & 1];
        for n in A::around(cell) {
            self.near[n] = self.near[n].wrapping_add(NEAR[colour as usize & 1]).wrapping_sub(NEAR_EMPTY);
        }
    }

    /// The opposite of [`Board::put`].
    #[inline(always)]
    pub(crate) fn lift(&mut self, cell: Cell, colour: Colour) {
        self.colours[cell] = Colour::Empty;
        self.key ^= A::keys()[cell][colour as usize & 1];
        for n in A::around(cell) {
            self.near[n] = self.near[n].wrapping_sub(NEAR[colour as usize & 1]).wrapping_add(NEAR_EMPTY);
        }
    }

    #[inline(always)]
    pub(crate) fn push_empty(&mut self, cell: Cell) {
        self.slots[cell] = self.empty_count;
        self.empties[Cell::new(self.empty_count as usize)] = cell;
        self.empty_count += 1;
    }

    /// Takes `cell` out of the list; the last one moves to its place.
    #[inline(always)]
    fn remove_empty(&mut self, cell: Cell) {
        self.empty_count -= 1;
        // The last empty point takes the slot: the list has no gaps and no order.
        let last = self.empties[Cell::new(self.empty_count as usize)];
        let slot = self.slots[cell];
        self.empties[Cell::new(slot as usize)] = last;
        self.slots[last] = slot;
    }
}

/// Access to the list of empty points that undo needs.
impl<A: Area> Board<A> {
    #[inline(always)]
    pub(crate) fn slot(&self, cell: Cell) -> u16 {
        self.slots[cell]
    }

    /// Takes back that `cell` left the list from `slot` and that then `count` points came to its end.
    pub(crate) fn restore_empties(&mut self, cell: Cell, slot: u16, count: usize) {
        self.empty_count -= count as u16;
        let slot_now = Cell::new(slot as usize);
        if slot < self.empty_count {
            let moved = self.empties[slot_now];
            self.empties[Cell::new(self.empty_count as usize)] = moved;
            self.slots[moved] = self.empty_count;
        }
        self.empties[slot_now] = cell;
        self.slots[cell] = slot;
        self.empty_count += 1;
    }
}

impl<A: Area> PartialEq for Board<A> {
    /// Whether size, stones, ko and captures agree; how they are kept in memory does not matter.
    fn eq(&self, other: &Self) -> bool {
        (self.size, self.ko, self.captured, self.key) == (other.size, other.ko, other.captured, other.key)
            && self.colours.as_slice() == other.colours.as_slice()
    }
}

impl<A: Area> Eq for Board<A> {}

impl<A: Area> fmt::Debug for Board<A> {
    /// The board as text, the highest row first: `X` black, `O` white.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in (0..self.size.height()).rev() {
            writeln!(f)?;
            for x in 0..self.size.width() {
                f.write_str(match self.stone(Vertex { x: x as u8, y: y as u8 }) {
                    Some(Side::First) => "X",
                    Some(Side::Second) => "O",
                    None => ".",
                })?;
            }
        }
        write!(f, " ko {:?} captured {:?}", self.ko().map(|c| A::vertex(c).to_string()), self.captured)
    }
}
