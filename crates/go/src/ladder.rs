//! Reading ladders: can a chain with one or two liberties be captured by atari after atari?

use crate::{Area, Board, Cell, CellSet};
use tesuji_game::Side;

/// The longest line that is read.
const PLIES_MAX: usize = 1000;

/// How a ladder ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The chain is captured, whatever its side tries.
    Captured,
    /// It gets out: three liberties, or its last one cannot be taken now.
    Escapes,
    /// The limit ended the reading first.
    Unknown,
}

/// What reading found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ladder {
    /// The end.
    pub fate: Fate,
    /// The moves of both sides that show it, from the first; the attacker's are forced wins, the defender's his last try.
    pub line: Vec<Cell>,
    /// How many moves were tried.
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
pub struct Reader<A: Area> {
    board: Board<A>,
    target: Cell,
    defender: Side,
    nodes: u32,
    nodes_max: u32,
    /// The boards on the way here.
    path: Vec<u64>,
    /// The line found below the present node, last move first.
    line: Vec<Cell>,
}

impl<A: Area> Reader<A> {
    /// A reader of the ladders of `board`.
    pub fn new(board: &Board<A>) -> Self {
        let (target, path, line) = (Cell::NONE, Vec::new(), Vec::new());
        Reader { board: *board, target, defender: Side::First, nodes: 0, nodes_max: 0, path, line }
    }

    /// [`attack`].
    ///
    /// # Panics
    /// When there is no stone at `stone`.
    pub fn attack(&mut self, stone: Cell, nodes_max: u32) -> Ladder {
        self.read(stone, nodes_max, Self::attacker)
    }

    /// [`defend`].
    ///
    /// # Panics
    /// When there is no stone at `stone`.
    pub fn defend(&mut self, stone: Cell, nodes_max: u32) -> Ladder {
        self.read(stone, nodes_max, Self::defenders)
    }

    fn read(&mut self, stone: Cell, nodes_max: u32, ask: fn(&mut Self) -> Fate) -> Ladder {
        let defender = self.board.colour(stone).side();
        assert!(defender.is_some(), "a ladder is about a stone");
        (self.target, self.defender) = (stone, defender.unwrap_or(Side::First));
        (self.nodes, self.nodes_max) = (0, nodes_max);
        self.path.clear();
        self.path.push(self.board.key());
        self.line.clear();
        let fate = ask(self);
        self.line.reverse();
        Ladder { fate, line: std::mem::take(&mut self.line), nodes: self.nodes }
    }

    /// Plays `cell`, asks what follows, takes it back; `None` where it cannot be played.
    fn after(&mut self, side: Side, cell: Cell, ask: fn(&mut Self) -> Fate) -> Option<Fate> {
        if !self.board.is_legal(side, cell) {
            return None;
        }
        self.line.clear();
        if self.nodes >= self.nodes_max || self.path.len() > PLIES_MAX {
            return Some(Fate::Unknown);
        }
        self.nodes += 1;
        let undo = self.board.play_undoable(side, cell);
        // Round and round through several kos nothing is captured.
        let again = !undo.taken().is_empty() && self.path.contains(&self.board.key());
        self.path.push(self.board.key());
        let fate = if self.board.colour(self.target).side().is_none() {
            Fate::Captured
        } else if again {
            self.line.clear();
            Fate::Escapes
        } else {
            ask(self)
        };
        self.path.pop();
        self.board.undo(undo);
        self.line.push(cell);
        Some(fate)
    }

    /// The attacker moves.
    fn attacker(&mut self) -> Fate {
        let attacker = !self.defender;
        let liberties = *self.board.liberty_set(self.target);
        let mut found: Vec<Cell> = liberties.iter().take(3).collect();
        self.line.clear();
        if found.len() > 2 {
            return Fate::Escapes;
        }
        // First the point where the defender would gain more.
        found.sort_by_key(|&cell| std::cmp::Reverse(self.board.liberties_after(self.defender, cell).len()));
        let (mut unknown, mut longest) = (false, Vec::new());
        for cell in found {
            match self.after(attacker, cell, Self::defenders) {
                Some(Fate::Captured) => return Fate::Captured,
                Some(Fate::Unknown) => unknown = true,
                Some(Fate::Escapes) if self.line.len() > longest.len() => longest = self.line.clone(),
                _ => {}
            }
        }
        self.line = longest;
        if unknown { Fate::Unknown } else { Fate::Escapes }
    }

    /// The defender moves.
    fn defenders(&mut self) -> Fate {
        self.line.clear();
        if self.board.liberties(self.target) > 1 {
            return Fate::Escapes;
        }
        let (mut unknown, mut longest) = (false, Vec::new());
        for cell in self.answers() {
            match self.after(self.defender, cell, Self::attacker) {
                Some(Fate::Escapes) => return Fate::Escapes,
                Some(Fate::Unknown) => unknown = true,
                Some(Fate::Captured) if self.line.len() > longest.len() => longest = self.line.clone(),
                _ => {}
            }
        }
        self.line.clear();
        if unknown {
            return Fate::Unknown;
        }
        // Where it can do nothing, its last liberty may still be a ko that cannot be taken now.
        if longest.is_empty() {
            return self.attacker();
        }
        self.line = longest;
        Fate::Captured
    }

    /// Taking what attacks the chain, then extending.
    fn answers(&self) -> Vec<Cell> {
        let mut answers = A::Set::default();
        for stone in self.board.chain_stones(self.target) {
            for n in A::around(stone) {
                if self.board.colour(n).side() == Some(!self.defender) && self.board.liberties(n) == 1 {
                    answers.unite(self.board.liberty_set(n));
                }
            }
        }
        let extensions = *self.board.liberty_set(self.target);
        let takes = answers.iter().filter(|&cell| !extensions.contains(cell));
        extensions.iter().chain(takes).collect()
    }
}
