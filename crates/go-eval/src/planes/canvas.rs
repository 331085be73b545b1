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
    /// Clears `planes`; `place` says where a point lies. It turns the board, so that neighbours are the same steps apart
    /// everywhere, and three points tell of all.
    pub fn new(size: Size, place: impl Fn(Vertex) -> usize, planes: &'a mut [f32]) -> Self {
        planes.fill(0.0);
        let mut places = <A::Map<u16> as CellMap<u16>>::filled(0);
        let at = |x: u8, y: u8| place(Vertex { x, y }) as u16;
        let (first, right, above) = (at(0, 0), at(1, 0), at(0, 1));
        for y in 0..size.height() as u16 {
            let mut here = first.wrapping_add(above.wrapping_sub(first).wrapping_mul(y));
            let row = A::cell(Vertex { x: 0, y: y as u8 }).index();
            for cell in (row..row + size.width()).map(Cell::new) {
                places[cell] = here;
                here = here.wrapping_add(right.wrapping_sub(first));
            }
        }
        debug_assert!(Vertex::all(size).all(|vertex| places[A::cell(vertex)] as usize == place(vertex)));
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

/// More liberties than this are not told apart.
pub const LIBERTIES_MAX: usize = 5;

/// The effect of playing a stone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// The liberties of its chain afterwards, at most [`LIBERTIES_MAX`]; 0 for suicide.
    pub liberties: usize,
    /// The number of stones captured.
    pub taken: usize,
    /// The number of stones of its chain afterwards.
    pub stones: usize,
}

/// The effect of a stone of `side` at the empty point `cell`, ko aside.
pub fn effect<A: Area>(board: &Board<A>, side: Side, cell: Cell) -> Effect {
    let empty = board.empty_neighbours(cell);
    if empty == 4 {
        return Effect { liberties: 4, taken: 0, stones: 1 };
    }
    let own = Colour::of(side);
    // The chains that it joins and those that it takes, and whether one of the first has liberties enough by itself.
    let (mut heads, mut joins, mut many) = ([cell; 4], 0, false);
    let (mut victims, mut takes) = ([cell; 4], 0);
    let (mut taken, mut stones) = (0, 1);
    for n in A::around(cell) {
        let colour = board.colour(n);
        if colour == own {
            let head = board.chain(n);
            if !heads[..joins].contains(&head) {
                (heads[joins], joins) = (head, joins + 1);
                stones += board.stones_in_chain(n);
                many |= board.liberties(n) > LIBERTIES_MAX;
            }
        } else if colour.side().is_some() && board.liberties(n) == 1 && !victims[..takes].contains(&board.chain(n)) {
            (victims[takes], takes) = (board.chain(n), takes + 1);
            taken += board.stones_in_chain(n);
        }
    }
    let liberties = match joins {
        _ if many => LIBERTIES_MAX,
        // Taking gives back points that touch the chain somewhere: rare, and left to the board.
        _ if taken > 0 => board.liberties_after(side, cell).len(),
        0 => empty,
        // Only the free neighbours can be new.
        1 => {
            let known = board.liberty_set(heads[0]);
            let new = |&n: &Cell| board.colour(n) == Colour::Empty && !known.contains(n);
            board.liberties(heads[0]) - 1
                + if empty == 0 { 0 } else { A::around(cell).iter().filter(|n| new(n)).count() }
        }
        _ => board.liberties_after(side, cell).len(),
    };
    Effect { liberties: liberties.min(LIBERTIES_MAX), taken, stones }
}
