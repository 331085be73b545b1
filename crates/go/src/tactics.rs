//! Small tactical questions about a board: the key and the liberties after a move, self-atari, eyes true and false.

use crate::{Area, Board, Cell, CellSet, Colour};
use tesuji_game::Side;

impl<A: Area> Board<A> {
    /// The Zobrist key that [`Board::key`] would have after a stone of `side` at the empty point `cell`, captures included.
    pub fn key_after(&self, side: Side, cell: Cell) -> u64 {
        let keys = A::keys();
        let mut key = self.key() ^ keys[cell][side.index()];
        let mut heads = [Cell::NONE; 4];
        let (mut captures, mut breathes) = (0, self.empty_neighbours(cell) > 0);
        for n in A::around(cell) {
            let Some(colour) = self.colour(n).side() else { continue };
            let head = self.chain(n);
            if colour == side {
                breathes |= self.liberties(n) > 1;
            } else if self.liberties(n) == 1 && !heads[..captures].contains(&head) {
                heads[captures] = head;
                captures += 1;
                key = self.chain_stones(n).fold(key, |key, s| key ^ keys[s][colour.index()]);
            }
        }
        if captures > 0 || breathes {
            return key;
        }
        // Suicide: the own chains go, and the stone that was just added.
        key ^= keys[cell][side.index()];
        let mut seen = 0;
        for n in A::around(cell).into_iter().filter(|&n| self.colour(n) == Colour::of(side)) {
            let head = self.chain(n);
            if !heads[..seen].contains(&head) {
                heads[seen] = head;
                seen += 1;
                key = self.chain_stones(n).fold(key, |key, s| key ^ keys[s][side.index()]);
            }
        }
        key
    }

    /// The liberties that the chain of a stone of `side` at the empty point `cell` would have, captures included. Empty
    /// where it would be suicide.
    pub fn liberties_after(&self, side: Side, cell: Cell) -> A::Set {
        let mut free = A::Set::default();
        let mut own = A::Set::of([cell]);
        for n in A::around(cell) {
            match self.colour(n) {
                Colour::Empty => {
                    free.insert(n);
                }
                colour if colour == Colour::of(side) => {
                    free.unite(self.liberty_set(n));
                    own.insert(self.chain(n));
                }
                _ => {}
            }
        }
        free.remove(cell);
        let mine = |c: Cell| c == cell || (self.colour(c) == Colour::of(side) && own.contains(self.chain(c)));
        for n in A::around(cell) {
            if self.colour(n) == Colour::of(!side) && self.liberties(n) == 1 {
                let beside = self.chain_stones(n).filter(|&s| A::around(s).into_iter().any(mine));
                free.unite(&A::Set::of(beside));
            }
        }
        free
    }

    /// Whether a stone of `side` at the empty point `cell` would leave its chain one liberty (or none).
    ///
    /// Exact. Where nothing is captured it looks at no more than the neighbours' chains; playouts ask it for most moves.
    #[inline]
    pub fn is_self_atari(&self, side: Side, cell: Cell) -> bool {
        if self.empty_neighbours(cell) >= 2 {
            return false;
        }
        let own = Colour::of(side);
        let mut known = None;
        for n in A::around(cell) {
            let free = match self.colour(n) {
                Colour::Empty => Some(n),
                Colour::Edge => continue,
                colour if colour == own => match self.liberties(n) {
                    1 => continue,
                    2 => self.other_liberty(n, cell),
                    _ => return false,
                },
                _ if self.liberties(n) == 1 => return self.liberties_after(side, cell).len() < 2,
                _ => continue,
            };
            if known.is_some() && known != free {
                return false;
            }
            known = free;
        }
        true
    }

    /// The lowest liberty of the chain of the stone at `stone` other than `cell`, if it has one.
    #[inline(always)]
    pub fn other_liberty(&self, stone: Cell, cell: Cell) -> Option<Cell> {
        let mut rest = *self.liberty_set(stone);
        rest.remove(cell);
        rest.first()
    }

    /// Whether all four neighbours of the empty point `cell` are stones of `side` or edge.
    #[inline(always)]
    pub fn is_eye_shape(&self, side: Side, cell: Cell) -> bool {
        self.own_or_edge_neighbours(cell, side) == 4
    }

    /// Whether `cell` is an eye by its shape and its diagonals: at most one enemy stone on them, none at the edge.
    ///
    /// The usual guess of playouts: some eyes that it calls true are false, a few the other way.
    #[inline(always)]
    pub fn is_true_eye(&self, side: Side, cell: Cell) -> bool {
        self.is_eye_shape(side, cell) && !self.has_false_diagonals(side, cell)
    }

    /// Whether `cell` has the shape of an eye, but enemy stones on the diagonals will force it to be filled.
    pub fn is_false_eye(&self, side: Side, cell: Cell) -> bool {
        self.is_eye_shape(side, cell) && self.has_false_diagonals(side, cell)
    }

    #[inline(always)]
    fn has_false_diagonals(&self, side: Side, cell: Cell) -> bool {
        let enemy = Colour::of(!side);
        let (mut enemies, mut edges) = (0, 0);
        for d in A::diagonals(cell) {
            enemies += (self.colour(d) == enemy) as u32;
            edges += (self.colour(d) == Colour::Edge) as u32;
        }
        enemies + (edges > 0) as u32 > 1
    }
}
