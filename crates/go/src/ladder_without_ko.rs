//! Ladders that need no ko, as the networks of KataGo see them: a chain that could only be caught through a ko escapes, and one that
//! hangs on two kos at once is caught. [`crate::ladder`] reads what the rules say instead.

use crate::{Area, Board, Cell, CellSet, Colour, undo::Trail};
use tesuji_game::Side;

/// Moves tried for one chain; beyond them it escapes.
const NODES_MAX: u32 = 25_000;

/// Reads the ladders of a board.
pub struct Reader<A: Area> {
    board: Board<A>,
    trail: Trail<A>,
    target: Cell,
    defender: Side,
    nodes: u32,
    /// The present depth, and the depth at which a chain counts as caught.
    depth: usize,
    depth_max: usize,
}

impl<A: Area> Reader<A> {
    /// A reader of the ladders of `board`.
    pub fn new(board: &Board<A>) -> Self {
        Reader {
            board: *board,
            trail: Trail::new(),
            target: Cell::NONE,
            defender: Side::First,
            nodes: 0,
            depth: 0,
            depth_max: board.size().points() * 3 / 2,
        }
    }

    /// Whether the chain of `stone` is caught by ataris, if it has one liberty and moves first or has two and the other side moves
    /// first; and then, with two liberties, the moves that catch it. Chains with more liberties escape.
    ///
    /// # Examples
    ///
    /// ```
    /// use tesuji_game::Side;
    /// use tesuji_go::{Area, Board, Size, Small, Vertex, ladder_without_ko::Reader};
    /// // A stone in the corner with a white one beside it: White may close the other side.
    /// let stones = [(0, 0, Side::First), (1, 1, Side::Second), (0, 1, Side::Second)];
    /// let stones = stones.map(|(x, y, side)| (Vertex { x, y }, side));
    /// let board = Board::<Small>::with_stones(Size::square(9).unwrap(), stones).unwrap();
    /// let corner = Small::cell(Vertex { x: 0, y: 0 });
    /// assert!(Reader::new(&board).is_caught(corner).is_some());
    /// ```
    ///
    /// # Panics
    /// When there is no stone at `stone`.
    pub fn is_caught(&mut self, stone: Cell) -> Option<Vec<Cell>> {
        let defender = self.board.colour(stone).side();
        assert!(defender.is_some(), "a ladder is about a stone");
        (self.target, self.defender) = (stone, defender.unwrap_or(Side::First));
        match self.board.liberties(stone) {
            1 => self.is_caught_from_defence().then(Vec::new),
            2 => {
                let [a, b] = self.two_liberties();
                let catches = |reader: &mut Self, cell: Cell| {
                    if !reader.may_play(!reader.defender, cell) {
                        return false;
                    }
                    reader.board.step(!reader.defender, cell, &mut reader.trail);
                    let caught = reader.is_caught_from_defence();
                    reader.board.step_back(&mut reader.trail);
                    caught
                };
                let moves: Vec<Cell> = [a, b].into_iter().filter(|&cell| catches(self, cell)).collect();
                (!moves.is_empty()).then_some(moves)
            }
            _ => None,
        }
    }

    /// A whole reading from here, with the defender to move, for whom all kos work at first.
    fn is_caught_from_defence(&mut self) -> bool {
        let ko = std::mem::replace(&mut self.board.ko, Cell::NONE);
        (self.nodes, self.depth) = (0, 0);
        let caught = self.defenders();
        self.board.ko = ko;
        caught && self.nodes < NODES_MAX
    }

    fn two_liberties(&self) -> [Cell; 2] {
        let a = self.board.liberty_set(self.target).first().unwrap_or(Cell::NONE);
        [a, self.board.other_liberty(self.target, a).unwrap_or(Cell::NONE)]
    }

    /// Whether a stone may be played, by either side's ko.
    fn may_play(&self, side: Side, cell: Cell) -> bool {
        self.board.ko() != Some(cell) && self.board.is_legal(side, cell)
    }

    /// Plays a legal move, reads on and takes it back; whether the chain is caught then.
    fn after(&mut self, side: Side, cell: Cell) -> bool {
        self.board.step(side, cell, &mut self.trail);
        self.nodes += 1;
        self.depth += 1;
        let caught = if side == self.defender { self.attackers() } else { self.defenders() };
        self.depth -= 1;
        self.board.step_back(&mut self.trail);
        caught
    }

    /// Whether the reading has gone too far: what is said then does not matter.
    fn is_over(&self) -> bool {
        self.nodes >= NODES_MAX
    }

    /// The defender moves, with one liberty left.
    fn defenders(&mut self) -> bool {
        if self.depth >= self.depth_max {
            return true;
        }
        if self.is_over() || self.board.liberties(self.target) >= 2 || self.board.ko().is_some() {
            return false;
        }
        let Some(last) = self.board.liberty_set(self.target).first() else { return true };
        // Three liberties at once, without playing it out.
        if self.board.empty_neighbours(last) >= 3 {
            return false;
        }
        let answers = self.takes();
        let moves = answers.iter().chain([last]).collect::<Vec<_>>();
        for cell in moves {
            if self.may_play(self.defender, cell) && !self.after(self.defender, cell) {
                return false;
            }
        }
        true
    }

    /// The attacker moves.
    fn attackers(&mut self) -> bool {
        if self.depth >= self.depth_max {
            return true;
        }
        match self.board.liberties(self.target) {
            _ if self.is_over() => return false,
            0 | 1 => return true,
            2 => {}
            _ => return false,
        }
        let [a, b] = self.two_liberties();
        if self.hangs_on_two_kos(a, b) {
            return true;
        }
        let free = [a, b].map(|cell| self.board.empty_neighbours(cell));
        let beside = A::around(a).contains(&b);
        // A liberty with three free points behind it must be taken at once, and two of them cannot be.
        let mut moves = match free.map(|count| !beside && count >= 3) {
            [true, true] => return false,
            [true, false] => vec![a],
            [false, true] => vec![b],
            [false, false] => vec![a, b],
        };
        if moves.len() == 2 && free[1] > free[0] {
            moves.reverse();
        }
        let attacker = !self.defender;
        moves.into_iter().any(|cell| self.may_play(attacker, cell) && self.after(attacker, cell))
    }

    /// Whether both liberties are the mouths of kos that the attacker can take, where filling them gains nothing and nothing around
    /// can be taken.
    fn hangs_on_two_kos(&self, a: Cell, b: Cell) -> bool {
        let gains = |cell: Cell| self.board.liberties_after(self.defender, cell).len() > 2;
        [a, b].into_iter().all(|cell| self.board.empty_neighbours(cell) == 0 && self.is_ko_mouth(cell))
            && ![a, b].into_iter().any(gains)
            && self.takes().is_empty()
    }

    /// Whether the attacker would take a single stone at `cell`, amid the defender's stones.
    fn is_ko_mouth(&self, cell: Cell) -> bool {
        if self.board.own_or_edge_neighbours(cell, self.defender) < 4 {
            return false;
        }
        let mut taken = A::around(cell)
            .into_iter()
            .filter(|&n| self.board.colour(n) != Colour::Edge && self.board.liberties(n) == 1);
        matches!((taken.next(), taken.next()), (Some(stone), None) if self.board.stones_in_chain(stone) == 1)
    }

    /// The points at which the defender takes chains beside the target.
    fn takes(&self) -> A::Set {
        let (mut answers, enemy) = (A::Set::default(), Colour::of(!self.defender));
        for stone in self.board.chain_stones(self.target) {
            for n in A::around(stone) {
                if self.board.colour(n) == enemy && self.board.liberties(n) == 1 {
                    answers.unite(self.board.liberty_set(n));
                }
            }
        }
        answers
    }
}
