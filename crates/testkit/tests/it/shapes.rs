//! Shogi's and go's hard places on the core traits: if a signature stops fitting them, this stops compiling or holding.

use std::ops::ControlFlow::{self, Continue};
use tesuji_game::{By, Game, Hand, Key, Line, Notation, NotationError, Outcome, Position, Side};

/// A hand of two kinds of pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct TwoKinds([u8; 2]);

impl Hand for TwoKinds {
    fn covers(self, other: Self) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| *a >= b)
    }
    fn join(self, other: Self) -> Self {
        TwoKinds([self.0[0].max(other.0[0]), self.0[1].max(other.0[1])])
    }
    fn meet(self, other: Self) -> Self {
        TwoKinds([self.0[0].min(other.0[0]), self.0[1].min(other.0[1])])
    }
    fn full() -> Self {
        TwoKinds([u8::MAX; 2])
    }
}

/// What shogi remembers: the board, First's hand, and for how many plies each side has been checking without a pause.
#[derive(Debug, Clone, Copy)]
struct Mark {
    board: u64,
    hand: TwoKinds,
    run: [u16; 2],
}

/// A board of one counter that runs in a circle of four, with a hand and a check flag set by the moves.
#[derive(Debug, Clone, PartialEq)]
struct Circle {
    board: u64,
    hand: TwoKinds,
    side: Side,
    checked: bool,
}

impl Circle {
    fn run(&self, past: &[Mark]) -> [u16; 2] {
        let mut run = past.last().map_or([0; 2], |m| m.run);
        let giver = (!self.side).index();
        run[giver] = if self.checked { run[giver] + 2 } else { 0 };
        run
    }
}

/// Bit 0 of a move: it gives check; bits 1 and 2: what it adds to First's hand.
impl Position for Circle {
    type Move = u8;
    type Undo = Circle;
    type Change = (Side, u8);
    type Mark = Mark;

    fn side_to_move(&self) -> Side {
        self.side
    }
    fn key(&self) -> Key {
        Key(self.board)
    }
    fn mark(&self, past: &[Mark]) -> Mark {
        Mark { board: self.board, hand: self.hand, run: self.run(past) }
    }
    fn for_each_move<B>(&self, mut f: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        for mv in 0..8 {
            f(mv)?;
        }
        Continue(())
    }
    fn pack(mv: u8) -> u16 {
        u16::from(mv) + 1
    }
    fn unpack(&self, bits: u16) -> Option<u8> {
        (1..=8).contains(&bits).then(|| (bits - 1) as u8)
    }
    fn play_seen(&mut self, mv: u8, mut seen: impl FnMut((Side, u8))) -> Circle {
        let undo = self.clone();
        seen((self.side, mv));
        self.board = (self.board + 1) % 4;
        self.hand.0[0] += mv >> 1 & 1;
        self.hand.0[1] += mv >> 2 & 1;
        self.checked = mv & 1 != 0;
        self.side = !self.side;
        undo
    }
    fn undo(&mut self, _: u8, undo: Circle) {
        *self = undo;
    }
    fn ended(&self, past: &[Mark], root: usize) -> Option<Outcome> {
        let (run, n, mut times) = (self.run(past), past.len(), 0);
        for i in (0..n.saturating_sub(3)).rev().filter(|i| (n - i) % 2 == 0) {
            let mark = &past[i];
            if mark.board != self.board {
                continue;
            }
            if mark.hand == self.hand {
                times += 1;
                if times < 3 && i < root {
                    continue;
                }
                let cycle = (n - i) as u16;
                let loser = [self.side, !self.side].into_iter().find(|s| run[s.index()] >= cycle);
                return Some(Outcome { winner: loser.map(|s| !s), by: By::Repetition });
            }
            if i >= root && self.hand.covers(mark.hand) {
                return Some(Outcome::win(Side::First, By::Superiority));
            }
        }
        None
    }
    fn no_legal_moves(&self) -> Outcome {
        Outcome::win(!self.side, By::Mate)
    }
    fn claim(&self) -> Option<Outcome> {
        (self.hand.0[0] >= 2).then_some(Outcome::win(self.side, By::Declaration))
    }
}

fn circle() -> Line<Circle> {
    Line::new(Circle { board: 0, hand: TwoKinds([0, 0]), side: Side::First, checked: false })
}

fn walk(moves: &[u8]) -> Line<Circle> {
    let mut line = circle();
    moves.iter().for_each(|&mv| line.push(mv));
    line
}

#[test]
fn perpetual_check_loses_and_plain_repetition_draws() {
    let draw = walk(&[0; 12]);
    assert_eq!(draw.ended(draw.past().len()), Some(Outcome::draw(By::Repetition)));
    let checks: Vec<u8> = (0..12).map(|i| u8::from(i % 2 == 0)).collect();
    let perpetual = walk(&checks);
    assert_eq!(perpetual.ended(perpetual.past().len()), Some(Outcome::win(Side::Second, By::Repetition)));
    let once = walk(&[0; 4]);
    assert_eq!(once.ended(once.past().len()), None, "the rule book waits for the fourth time");
    assert_eq!(once.ended(0), Some(Outcome::draw(By::Repetition)), "a search does not");
}

#[test]
fn superiority_is_seen_by_a_search_alone() {
    let richer = walk(&[2, 0, 0, 0]);
    assert_eq!(richer.ended(0), Some(Outcome::win(Side::First, By::Superiority)));
    assert_eq!(richer.ended(richer.past().len()), None);
    assert_eq!(walk(&[2, 0, 2, 0]).here().claim(), Some(Outcome::win(Side::First, By::Declaration)));
    assert!(!TwoKinds([1, 0]).covers(TwoKinds([0, 1])), "one rook does not cover a pawn");
    assert_eq!(TwoKinds([1, 0]).join(TwoKinds([0, 2])), TwoKinds([1, 2]));
}

/// Go in one dimension with passes, captures and positional superko: run-time size, an undo that is not `Copy`.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    cells: Vec<u8>,
    side: Side,
    passes: u8,
}

/// A point, or a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Point(u16);

const PASS: Point = Point(u16::MAX - 1);

impl Row {
    /// Takes the groups of `colour` that have no liberty.
    fn capture(&mut self, colour: u8, taken: &mut Vec<u16>) {
        let n = self.cells.len();
        let mut i = 0;
        while i < n {
            let from = i;
            while i < n && self.cells[i] == self.cells[from] {
                i += 1;
            }
            let alive = (from > 0 && self.cells[from - 1] == 0) || (i < n && self.cells[i] == 0);
            if self.cells[from] == colour && !alive {
                for at in from..i {
                    self.cells[at] = 0;
                    taken.push(at as u16);
                }
            }
        }
    }
}

impl Position for Row {
    type Move = Point;
    type Undo = (Box<[u16]>, u8);
    type Change = (u16, u8);
    type Mark = Key;

    fn side_to_move(&self) -> Side {
        self.side
    }
    fn key(&self) -> Key {
        Key(self.cells.iter().fold(1, |k, &c| k * 3 + u64::from(c)))
    }
    fn mark(&self, _: &[Key]) -> Key {
        self.key()
    }
    fn for_each_move<B>(&self, mut f: impl FnMut(Point) -> ControlFlow<B>) -> ControlFlow<B> {
        for at in 0..self.cells.len() as u16 {
            if self.unpack(Self::pack(Point(at))).is_some() {
                f(Point(at))?;
            }
        }
        f(PASS)
    }
    fn pack(mv: Point) -> u16 {
        mv.0 + 1
    }
    fn unpack(&self, bits: u16) -> Option<Point> {
        let point = Point(bits.checked_sub(1)?);
        if point == PASS {
            return Some(PASS);
        }
        if self.cells.get(usize::from(point.0)) != Some(&0) {
            return None;
        }
        let mut next = self.clone();
        next.play(point);
        (next.cells[usize::from(point.0)] != 0).then_some(point)
    }
    fn play_seen(&mut self, mv: Point, mut seen: impl FnMut((u16, u8))) -> Self::Undo {
        let passes = self.passes;
        let (me, them) = (self.side.index() as u8 + 1, (!self.side).index() as u8 + 1);
        let mut taken = Vec::new();
        if mv == PASS {
            self.passes += 1;
        } else {
            self.passes = 0;
            self.cells[usize::from(mv.0)] = me;
            self.capture(them, &mut taken);
            taken.iter().for_each(|&at| seen((at, 0)));
            seen((mv.0, me));
            self.capture(me, &mut Vec::new());
        }
        self.side = !self.side;
        (taken.into(), passes)
    }
    fn undo(&mut self, mv: Point, (taken, passes): Self::Undo) {
        if mv != PASS {
            self.cells[usize::from(mv.0)] = 0;
            let mover = self.side.index() as u8 + 1;
            taken.iter().for_each(|&at| self.cells[usize::from(at)] = mover);
        }
        self.passes = passes;
        self.side = !self.side;
    }
    fn ended(&self, _: &[Key], _: usize) -> Option<Outcome> {
        let count = |c: u8| self.cells.iter().filter(|&&x| x == c).count() as f32;
        let margin = count(1) - count(2) - 0.5;
        let winner = if margin > 0.0 { Side::First } else { Side::Second };
        (self.passes >= 2).then_some(Outcome::win(winner, By::Points(margin.abs())))
    }
    fn no_legal_moves(&self) -> Outcome {
        Outcome::draw(By::NoMoves)
    }
    fn allows(&self, mv: Point, past: &[Key]) -> bool {
        if mv == PASS {
            return true;
        }
        let mut next = self.clone();
        next.play(mv);
        next.key() != self.key() && !past.contains(&next.key())
    }
}

/// Go in one dimension as a game whose rules are its size.
struct RowGame;

#[derive(Debug, Clone)]
struct Size(usize);

impl Default for Size {
    fn default() -> Self {
        Size(5)
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::str::FromStr for Size {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<Self, NotationError> {
        text.parse().map(Size).map_err(|_| NotationError::Syntax { at: 0, expected: "a length" })
    }
}

struct Letters;

impl Notation<Row, Size> for Letters {
    fn parse_position(rules: &Size, text: &str) -> Result<Row, NotationError> {
        let cells: Option<Vec<u8>> = text.chars().map(|c| ".xo".find(c).map(|i| i as u8)).collect();
        let cells = cells.filter(|c| c.len() == rules.0).ok_or(NotationError::Syntax { at: 0, expected: "a row" })?;
        Ok(Row { cells, side: Side::First, passes: 0 })
    }
    fn write_position(pos: &Row, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
        pos.cells.iter().try_for_each(|&c| out.write_char(['.', 'x', 'o'][usize::from(c)]))
    }
    fn parse_move(pos: &Row, text: &str) -> Result<Point, NotationError> {
        let point = if text == "pass" { Some(PASS) } else { text.parse().ok().and_then(|b| pos.unpack(b)) };
        point.ok_or_else(|| NotationError::IllegalMove { text: text.to_string() })
    }
    fn write_move(_: &Row, mv: Point, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
        if mv == PASS { write!(out, "pass") } else { write!(out, "{}", Self::number(mv)) }
    }
}

impl Letters {
    fn number(mv: Point) -> u16 {
        mv.0 + 1
    }
}

impl Game for RowGame {
    const NAME: &'static str = "row";
    type Position = Row;
    type Notation = Letters;
    type Rules = Size;
    fn start(rules: &Size) -> Row {
        Row { cells: vec![0; rules.0], side: Side::First, passes: 0 }
    }
}

#[test]
fn superko_passes_and_captures_fit() {
    let rules: Size = "7".parse().expect("a size");
    let mut line = Line::new(RowGame::start(&rules));
    let mut moves = Vec::new();
    line.legal_moves(&mut moves);
    assert_eq!(moves.len(), 8, "seven points and a pass");
    tesuji_testkit::conform::random_games(&RowGame::start(&rules), 0..200, |line, _| {
        let mut seen: Vec<Key> = line.past().to_vec();
        line.legal_moves(&mut moves);
        for &mv in moves.iter().filter(|&&mv| mv != PASS) {
            let mut next = line.clone();
            next.push(mv);
            assert!(!seen.contains(&next.here().key()), "superko lets nothing come back");
            assert_eq!(next.pop(), Some(mv));
            assert_eq!(next.here(), line.here(), "captured stones return");
        }
        seen.push(line.here().key());
    });
    line.push(PASS);
    line.push(PASS);
    assert_eq!(line.outcome(), Some(Outcome::win(Side::Second, By::Points(0.5))));
}
