//! The plain ladder reader, which plays every move that it speaks of: a second opinion on the quick one.

use tesuji_game::{Random, Side};
use tesuji_go::{
    Area, Board, Cell, CellSet, Medium, Size, Small,
    ladder::{self, Fate, Ladder},
};

/// The longest line that is read.
const PLIES_MAX: usize = 1000;

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
        let (target, path, line) = (Cell::new(0), Vec::new(), Vec::new());
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

/// Compares both readers on the chains of random games; how many ladders captured, how many were cut off by the limit.
fn compare<A: Area>(size: Size, games: u64, every: usize) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in 0..games {
        let mut random = Random::new(seed);
        let mut board = Board::<A>::new(size);
        let mut side = Side::First;
        for ply in 0..3 * size.points() {
            let eye = |cell| board.is_true_eye(side, cell);
            let legal: Vec<Cell> =
                board.empties().iter().copied().filter(|&c| board.is_legal(side, c) && !eye(c)).collect();
            match legal.is_empty() {
                true => board.pass(),
                false => board.play(side, legal[random.below(legal.len())]),
            }
            side = !side;
            if ply % every != 0 {
                continue;
            }
            let (mut plain, mut quick) = (Reader::new(&board), ladder::Reader::new(&board));
            let nodes_max = [120, 7, 1000][random.below(3)];
            for stone in board.all_chains().filter(|&c| board.liberties(c) < 3) {
                for attack in [true, false] {
                    let (expect, found, (fate, first)) = if attack {
                        let found = quick.attack(stone, nodes_max);
                        (plain.attack(stone, nodes_max), found, quick.attack_fate(stone, nodes_max))
                    } else {
                        let found = quick.defend(stone, nodes_max);
                        (plain.defend(stone, nodes_max), found, (quick.defend_fate(stone, nodes_max), None))
                    };
                    assert_eq!(expect, found, "{board:?} {stone:?} {attack} {nodes_max}");
                    assert_eq!(expect.fate, fate, "{board:?} {stone:?} {attack} {nodes_max}");
                    let begins = expect.line.first().copied().filter(|_| attack && fate == Fate::Captured);
                    assert_eq!(first, begins, "{board:?} {stone:?}");
                    counts[fate as usize] += 1;
                }
            }
        }
    }
    counts
}

#[test]
fn quick_ladders_are_plain_ladders() {
    let slow = tesuji_testkit::needs::is_slow();
    let times = if slow { 20 } else { 1 };
    let small = compare::<Small>(Size::square(9).unwrap(), 20 * times, 3);
    let tiny = compare::<Small>(Size::new(4, 5).unwrap(), 60 * times, 1);
    let large = compare::<Medium>(Size::square(19).unwrap(), 2 * times, 11);
    let all: Vec<usize> = (0..3).map(|n| small[n] + tiny[n] + large[n]).collect();
    println!("{all:?} captured, escaped, unknown");
    assert!(all[0] > 1000 && all[1] > 1000 && all[2] > 100, "{all:?}");
}
