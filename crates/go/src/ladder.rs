//! Reading ladders: can a chain with one or two liberties be captured by atari after atari?

use crate::{Area, Board, Cell, CellSet, Colour, undo::Trail};
use tesuji_game::Side;

/// The longest line that is read.
const PLIES_MAX: usize = 1000;

/// The result of a ladder: captured, or escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The chain is captured, whatever its side tries.
    Captured,
    /// It gets out: three liberties, or its last one cannot be taken now.
    Escapes,
    /// The limit ended the reading first.
    Unknown,
}

/// The result of reading a ladder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ladder {
    /// The end.
    pub fate: Fate,
    /// The moves of both sides that show it, from the first; the attacker's are forced wins, the defender's his last try.
    pub line: Vec<Cell>,
    /// The number of moves tried.
    pub nodes: u32,
}

/// Whether the side against `stone`, moving first, captures its chain by ataris. `nodes_max` bounds the moves tried.
///
/// # Panics
/// When there is no stone at `stone`.
pub fn attack<A: Area>(board: &Board<A>, stone: Cell, nodes_max: u32) -> Ladder {
    Reader::new(board).attack(stone, nodes_max)
}

/// Whether the chain of `stone`, in atari, is captured although its own side moves first. `nodes_max` bounds the moves
/// tried. A chain that is not in atari escapes without a word.
///
/// # Panics
/// When there is no stone at `stone`.
pub fn defend<A: Area>(board: &Board<A>, stone: Cell, nodes_max: u32) -> Ladder {
    Reader::new(board).defend(stone, nodes_max)
}

/// Reads many ladders of one board, which is copied once.
///
/// Most tries end after a move or two because a chain would have three liberties, which counting shows without playing;
/// the others are played and taken back on a trail. The moves counted are those of a reader that plays them all
/// (`tests/it/slow_ladder.rs`), so that limits end both at the same place.
pub struct Reader<A: Area> {
    board: Board<A>,
    trail: Trail<A>,
    target: Cell,
    defender: Side,
    nodes: u32,
    nodes_max: u32,
    /// The boards on the way here.
    path: Vec<u64>,
    /// The line found below the present node, last move first, where lines are wanted.
    line: Vec<Cell>,
    /// The attacker's move that won last.
    winner: Cell,
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
            nodes_max: 0,
            path: Vec::new(),
            line: Vec::new(),
            winner: Cell::NONE,
        }
    }

    /// [`attack`].
    ///
    /// # Panics
    /// When there is no stone at `stone`.
    pub fn attack(&mut self, stone: Cell, nodes_max: u32) -> Ladder {
        self.begin(stone, nodes_max);
        let fate = self.attacker::<true>();
        self.told(fate)
    }

    /// [`defend`].
    ///
    /// # Panics
    /// When there is no stone at `stone`.
    pub fn defend(&mut self, stone: Cell, nodes_max: u32) -> Ladder {
        self.begin(stone, nodes_max);
        let fate = self.defenders::<true>();
        self.told(fate)
    }

    /// The fate of [`attack`], with the first move where it captures; quicker, as no line is kept.
    ///
    /// # Panics
    /// When there is no stone at `stone`.
    pub fn attack_fate(&mut self, stone: Cell, nodes_max: u32) -> (Fate, Option<Cell>) {
        self.begin(stone, nodes_max);
        let fate = self.attacker::<false>();
        (fate, (fate == Fate::Captured).then_some(self.winner))
    }

    /// The fate of [`defend`]; quicker, as no line is kept.
    ///
    /// # Panics
    /// When there is no stone at `stone`.
    pub fn defend_fate(&mut self, stone: Cell, nodes_max: u32) -> Fate {
        self.begin(stone, nodes_max);
        self.defenders::<false>()
    }

    fn begin(&mut self, stone: Cell, nodes_max: u32) {
        let defender = self.board.colour(stone).side();
        assert!(defender.is_some(), "a ladder is about a stone");
        (self.target, self.defender) = (stone, defender.unwrap_or(Side::First));
        (self.nodes, self.nodes_max) = (0, nodes_max);
        self.path.clear();
        self.path.push(self.board.key());
        self.line.clear();
    }

    fn told(&mut self, fate: Fate) -> Ladder {
        self.line.reverse();
        Ladder { fate, line: std::mem::take(&mut self.line), nodes: self.nodes }
    }

    /// Counts a move that is tried `ahead` moves below this node; `false` where the limit is reached.
    #[inline]
    fn count(&mut self, ahead: usize) -> bool {
        let more = self.nodes < self.nodes_max && self.path.len() + ahead <= PLIES_MAX;
        self.nodes += u32::from(more);
        more
    }

    /// Counts the moves `line` that need not be played, and keeps them as the line; `fate` if the limit allows them all.
    #[inline]
    fn foreseen<const LINE: bool>(&mut self, line: &[Cell], fate: Fate) -> Fate {
        self.line.clear();
        for (ahead, &cell) in line.iter().enumerate() {
            if !self.count(ahead) {
                return Fate::Unknown;
            }
            if LINE {
                self.line.insert(0, cell);
            }
        }
        fate
    }

    /// Plays the legal move `cell`, asks what follows, takes it back.
    fn after<const LINE: bool>(&mut self, side: Side, cell: Cell) -> Fate {
        self.line.clear();
        if !self.count(0) {
            return Fate::Unknown;
        }
        self.board.step(side, cell, &mut self.trail);
        debug_assert!(self.board.colour(self.target).side().is_some(), "captures are foreseen");
        // Round and round through several kos nothing is captured.
        let again = self.trail.took() && self.path.contains(&self.board.key());
        self.path.push(self.board.key());
        let fate = match side == self.defender {
            _ if again => Fate::Escapes,
            true => self.attacker::<LINE>(),
            false => self.defenders::<LINE>(),
        };
        self.path.pop();
        self.board.step_back(&mut self.trail);
        if LINE {
            self.line.push(cell);
        }
        fate
    }

    /// The attacker moves.
    fn attacker<const LINE: bool>(&mut self) -> Fate {
        self.line.clear();
        let count = self.board.liberties(self.target);
        // Three liberties cannot be brought down to one by a single move.
        let Some(a) = self.board.liberty_set(self.target).first().filter(|_| count < 3) else { return Fate::Escapes };
        let Some(b) = self.board.other_liberty(self.target, a) else { return self.take::<LINE>(a) };
        // First the point where the defender would gain more.
        let gains = [self.gain(a, b), self.gain(b, a)];
        let swap = gains[1] > gains[0];
        let tries = if swap { [(b, a, gains[0]), (a, b, gains[1])] } else { [(a, b, gains[1]), (b, a, gains[0])] };
        let (mut unknown, mut longest) = (false, Vec::new());
        for (cell, other, gain) in tries {
            if !self.board.is_legal(!self.defender, cell) {
                continue;
            }
            // Unless the move takes something, the defender has the other point with all that it gains, this one aside.
            let fate = if gain > 3 && !self.touches_atari(cell, self.defender) {
                self.foreseen::<LINE>(&[cell, other], Fate::Escapes)
            } else {
                self.after::<LINE>(!self.defender, cell)
            };
            match fate {
                Fate::Captured => {
                    self.winner = cell;
                    return fate;
                }
                Fate::Unknown => unknown = true,
                Fate::Escapes if LINE && self.line.len() > longest.len() => longest = self.line.clone(),
                Fate::Escapes => {}
            }
        }
        self.line = longest;
        if unknown { Fate::Unknown } else { Fate::Escapes }
    }

    /// The number of liberties of the target, which now has `cell` and `other`, after a stone of its side at `cell`.
    #[inline]
    fn gain(&self, cell: Cell, other: Cell) -> usize {
        if self.joins_or_takes(cell) {
            return self.board.liberties_after(self.defender, cell).len();
        }
        1 + self.board.empty_neighbours(cell) - usize::from(A::around(cell).contains(&other))
    }

    /// Whether a stone of the defender at `cell`, a liberty of the target, would do more than add its free neighbours.
    #[inline]
    fn joins_or_takes(&self, cell: Cell) -> bool {
        let target = self.board.chain(self.target);
        A::around(cell).into_iter().any(|n| match self.board.colour(n).side() {
            None => false,
            Some(side) if side == self.defender => self.board.chain(n) != target,
            Some(_) => self.board.liberties(n) == 1,
        })
    }

    /// The attacker takes the chain at its last liberty, if he may.
    fn take<const LINE: bool>(&mut self, last: Cell) -> Fate {
        self.winner = last;
        if self.board.is_legal(!self.defender, last) {
            self.foreseen::<LINE>(&[last], Fate::Captured)
        } else {
            Fate::Escapes
        }
    }

    /// Whether a chain of `side` beside `cell` is in atari.
    #[inline]
    fn touches_atari(&self, cell: Cell, side: Side) -> bool {
        A::around(cell).into_iter().any(|n| self.board.colour(n).side() == Some(side) && self.board.liberties(n) == 1)
    }

    /// The defender moves: extends, then takes what attacks the chain.
    fn defenders<const LINE: bool>(&mut self) -> Fate {
        self.line.clear();
        let last = match self.board.liberties(self.target) {
            1 => self.board.liberty_set(self.target).first(),
            _ => return Fate::Escapes,
        };
        let Some(last) = last else { return Fate::Escapes };
        let (mut unknown, mut lost, mut longest) = (false, false, Vec::new());
        if self.board.is_legal(self.defender, last) {
            match self.extend::<LINE>(last) {
                Fate::Escapes => return Fate::Escapes,
                Fate::Unknown => unknown = true,
                Fate::Captured => (lost, longest) = (true, if LINE { self.line.clone() } else { Vec::new() }),
            }
        }
        let (answers, gained) = self.takes(last);
        for cell in answers.iter() {
            if !self.board.is_legal(self.defender, cell) {
                continue;
            }
            // With the last liberty and two points of what is taken it has three.
            let more = gained.iter().filter(|&n| self.board.liberty_set(n).contains(cell)).count();
            let fate = match more {
                2.. => self.foreseen::<LINE>(&[cell], Fate::Escapes),
                _ => self.after::<LINE>(self.defender, cell),
            };
            match fate {
                Fate::Escapes => return fate,
                Fate::Unknown => unknown = true,
                Fate::Captured => {
                    lost = true;
                    if LINE && self.line.len() > longest.len() {
                        longest = self.line.clone();
                    }
                }
            }
        }
        self.line.clear();
        if unknown {
            return Fate::Unknown;
        }
        // Where it can do nothing, its last liberty may still be a ko that cannot be taken now.
        if !lost {
            return self.attacker::<LINE>();
        }
        self.line = longest;
        Fate::Captured
    }

    /// The defender extends at the chain's last liberty.
    fn extend<const LINE: bool>(&mut self, last: Cell) -> Fate {
        if self.joins_or_takes(last) {
            return match self.board.liberties_after(self.defender, last).len() {
                3.. => self.foreseen::<LINE>(&[last], Fate::Escapes),
                _ => self.after::<LINE>(self.defender, last),
            };
        }
        match self.board.empty_neighbours(last) {
            3.. => self.foreseen::<LINE>(&[last], Fate::Escapes),
            1 => {
                // With one liberty behind it the chain is taken at once.
                let reply = A::around(last).into_iter().find(|&n| self.board.colour(n) == Colour::Empty);
                self.foreseen::<LINE>(&[last, reply.unwrap_or(last)], Fate::Captured)
            }
            _ => self.after::<LINE>(self.defender, last),
        }
    }

    /// The points at which the defender takes chains that touch the target, its `last` liberty aside; their stones beside the target.
    fn takes(&self, last: Cell) -> (A::Set, A::Set) {
        let (mut answers, mut gained) = (A::Set::default(), A::Set::default());
        let attacker = !self.defender;
        for stone in self.board.chain_stones(self.target) {
            if self.board.own_or_edge_neighbours(stone, attacker) == 0 {
                continue;
            }
            for n in A::around(stone) {
                if self.board.colour(n).side() == Some(attacker) && self.board.liberties(n) == 1 {
                    answers.unite(self.board.liberty_set(n));
                    gained.insert(n);
                }
            }
        }
        answers.remove(last);
        (answers, gained)
    }
}
