//! Planes being painted, and what a stone on a point would do: the words that encodings of go are written in.

use tesuji_game::Side;
use tesuji_go::{Area, Board, Cell, CellMap, CellSet, Colour, Size, Vertex};

/// Planes of a board, cleared, in which cells are found under a symmetry.
pub struct Canvas<'a, A: Area> {
    places: A::Map<u16>,
    points: usize,
    planes: &'a mut [f32],
}

impl<'a, A: Area> Canvas<'a, A> {
    /// Clears `planes`; `place` says where a point lies.
    pub fn new(size: Size, place: impl Fn(Vertex) -> usize, planes: &'a mut [f32]) -> Self {
        planes.fill(0.0);
        let mut places = <A::Map<u16> as CellMap<u16>>::filled(0);
        for vertex in Vertex::all(size) {
            places[A::cell(vertex)] = place(vertex) as u16;
        }
        Canvas { places, points: size.points(), planes }
    }

    /// Writes a one.
    #[inline(always)]
    pub fn one(&mut self, plane: usize, cell: Cell) {
        self.set(plane, cell, 1.0);
    }

    /// Writes `value`.
    #[inline(always)]
    pub fn set(&mut self, plane: usize, cell: Cell, value: f32) {
        self.planes[plane * self.points + self.places[cell] as usize] = value;
    }

    /// Writes `value` everywhere on a plane.
    pub fn fill(&mut self, plane: usize, value: f32) {
        self.planes[plane * self.points..][..self.points].fill(value);
    }
}

/// What a stone would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// The liberties of its chain afterwards; 0 for suicide.
    pub liberties: usize,
    /// How many stones it takes.
    pub taken: usize,
    /// How many stones its chain has afterwards.
    pub stones: usize,
}

/// What a stone of `side` at the empty point `cell` would do, ko aside.
pub fn effect<A: Area>(board: &Board<A>, side: Side, cell: Cell) -> Effect {
    let own = Colour::of(side);
    let mut free = A::Set::default();
    let mut seen = [None; 4];
    let (mut taken, mut stones, mut joins) = (0, 1, false);
    for (n, slot) in A::around(cell).into_iter().zip(0..) {
        let colour = board.colour(n);
        if colour == Colour::Edge {
            continue;
        }
        if colour == Colour::Empty {
            free.insert(n);
            continue;
        }
        let head = board.chain(n);
        if seen.contains(&Some(head)) {
            continue;
        }
        seen[slot] = Some(head);
        if colour == own {
            (joins, stones) = (true, stones + board.stones_in_chain(n));
            free.unite(board.liberty_set(n));
        } else if board.liberties(n) == 1 {
            taken += board.stones_in_chain(n);
        }
    }
    let liberties = match (taken, joins) {
        // Taking gives back points that touch the chain somewhere: rare, and left to the board.
        (1.., _) => board.liberties_after(side, cell).len(),
        (_, false) => board.empty_neighbours(cell),
        _ => free.len() - usize::from(free.contains(cell)),
    };
    Effect { liberties, taken, stones }
}
