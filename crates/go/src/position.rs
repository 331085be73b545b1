//! A go board with its rules and the side to move, as searches, matches and learning see it.

use crate::{
    Area, Board, BoardUndo, Cell, CellSet, Colour, Ko, Move, Rules, Scoring, Size, Vertex, life,
    regions::{Region, regions},
    score, zobrist,
};
use std::{fmt, ops::ControlFlow};
use tesuji_game::{By, Key, Outcome, Position, Side};

/// A position of go on a board of capacity `A`. Playouts use its [`Board`] instead, which is many times faster.
#[derive(Clone)]
pub struct GoPosition<A: Area> {
    board: Board<A>,
    rules: Rules,
    side: Side,
    /// Passes in a row that count towards the end.
    passes: u8,
    /// The side that took the button.
    button: Option<Side>,
    /// The number of handicap stones that Black has, for White's bonus.
    handicap: u16,
    /// The points that stones of each side ever had: a board cannot come back by a stone on a point that never had one.
    ever: [A::Set; 2],
    /// Whether the board may have been there before, as far as `ever` tells.
    may_repeat: bool,
    /// Whether two passes leave the end to those who value positions; see [`GoPosition::leave_end_open`].
    is_open_ended: bool,
}

/// Passes in a row at which even an open end is one, so that no search goes on for ever.
const OPEN_PASSES_MAX: u8 = 64;

/// The state of a [`GoPosition`] that a move destroyed, to take the move back.
#[derive(Debug, Clone)]
pub struct Undo {
    /// `None` for a pass.
    board: Option<BoardUndo>,
    ko: Cell,
    passes: u8,
    button: Option<Side>,
    may_repeat: bool,
    /// Whether the point had never had a stone of the mover.
    fresh: bool,
}

/// A stone that vanishes or appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A stone of that side left the point.
    Gone(Side, Vertex),
    /// A stone of that side came to the point.
    New(Side, Vertex),
}

/// The part of an earlier position that superko compares: its stones and the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// [`Board::key`].
    pub board: u64,
    /// The side that was to move.
    pub side: Side,
}

/// Reasons why stones cannot be set up as a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupError {
    /// The board does not fit the capacity.
    Size,
    /// A stone stands off the board, on another, or in a chain without liberties.
    Stones,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SetupError::Size => "the board is too large",
            SetupError::Stones => "stones stand off the board, twice on a point or without liberties",
        })
    }
}

impl std::error::Error for SetupError {}

impl<A: Area> GoPosition<A> {
    /// The start under `rules`: fixed handicap stones, if there are any, and then White to move.
    ///
    /// # Errors
    /// When the board does not fit the capacity, or has no room for the handicap.
    pub fn start(rules: &Rules) -> Result<GoPosition<A>, SetupError> {
        let stones = match rules.handicap as usize {
            0 => Vec::new(),
            n => crate::handicap::fixed(rules.size, n).ok_or(SetupError::Stones)?,
        };
        let side = if stones.is_empty() { Side::First } else { Side::Second };
        let stones = stones.into_iter().map(|vertex| (vertex, Side::First));
        let mut start = Self::with_stones(rules, stones, side)?;
        start.handicap = rules.handicap as u16;
        Ok(start)
    }

    /// A position with these stones and `side` to move. Stones set up are no handicap; see [`GoPosition::with_handicap`].
    ///
    /// # Errors
    /// When the board does not fit the capacity or the stones cannot stand so.
    pub fn with_stones(
        rules: &Rules,
        stones: impl IntoIterator<Item = (Vertex, Side)>,
        side: Side,
    ) -> Result<GoPosition<A>, SetupError> {
        if !A::holds(rules.size) {
            return Err(SetupError::Size);
        }
        let board = Board::with_stones(rules.size, stones).ok_or(SetupError::Stones)?;
        let at = |side: Side| A::Set::of(board.points().filter(|&c| board.colour(c) == Colour::of(side)));
        let ever = Side::ALL.map(at);
        Ok(GoPosition {
            board,
            rules: *rules,
            side,
            passes: 0,
            button: None,
            handicap: 0,
            ever,
            may_repeat: true,
            is_open_ended: false,
        })
    }

    /// A start with black stones wherever they are wanted (free handicap), White to move.
    ///
    /// # Errors
    /// When the board does not fit the capacity or the stones cannot stand so.
    pub fn with_handicap(rules: &Rules, stones: &[Vertex]) -> Result<GoPosition<A>, SetupError> {
        let mut start = Self::with_stones(rules, stones.iter().map(|&v| (v, Side::First)), Side::Second)?;
        start.handicap = stones.len() as u16;
        Ok(start)
    }

    /// The stones.
    #[inline(always)]
    pub fn board(&self) -> &Board<A> {
        &self.board
    }

    /// The rules, with the size and the komi.
    #[inline(always)]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The size of the board.
    #[inline(always)]
    pub fn size(&self) -> Size {
        self.rules.size
    }

    /// The number of passes in a row that count towards the end of the game.
    pub fn passes(&self) -> usize {
        self.passes as usize
    }

    /// The number of black stones that count as handicap.
    pub fn handicap(&self) -> usize {
        self.handicap as usize
    }

    /// The side that took the button, where the rules have one.
    pub fn button(&self) -> Option<Side> {
        self.button
    }
}

/// Changes of rules and state from outside, as protocols and records make them.
impl<A: Area> GoPosition<A> {
    /// Replaces the rules and the komi. The board size stays.
    pub fn set_rules(&mut self, rules: &Rules) {
        self.rules = Rules { size: self.rules.size, ..*rules };
    }

    /// Gives the move to `side`, as a record or `play b` twice in a row may; ko and passes are forgotten.
    pub fn set_side_to_move(&mut self, side: Side) {
        if side != self.side {
            self.side = side;
            self.passes = 0;
            self.may_repeat = true;
            self.board.pass();
        }
    }

    /// For searches: under territory rules two passes do not end the game from now on. Which stones are dead then is a matter of
    /// agreement; the rule book alone would count hopeless ones as alive, so that a search would fill its own territory to capture
    /// them. Those who value positions say what the end is worth, and play may go on to prove it. Other rules stay as they are.
    pub fn leave_end_open(&mut self) {
        self.is_open_ended = self.rules.scoring == Scoring::Territory;
    }

    /// Says how many black stones count as handicap.
    pub fn set_handicap(&mut self, stones: usize) {
        self.handicap = stones as u16;
    }

    /// The position from outside its moves: for texts.
    pub(crate) fn set_state(&mut self, ko: Option<Cell>, passes: u8, captured: [u16; 2], button: Option<Side>) {
        self.board.ko = ko.unwrap_or(Cell::NONE);
        self.board.captured = captured;
        self.passes = passes;
        self.button = button;
    }

    /// The position after one of the eight symmetries.
    pub fn turned(&self, symmetry: crate::Symmetry) -> GoPosition<A> {
        let size = symmetry.size(self.rules.size);
        let to = |cell: Cell| A::cell(symmetry.apply(A::vertex(cell), self.rules.size));
        let ever = self.ever.map(|set| A::Set::of(set.iter().map(to)));
        GoPosition { board: self.board.turned(symmetry), rules: Rules { size, ..self.rules }, ever, ..*self }
    }
}

/// Legality and counting.
impl<A: Area> GoPosition<A> {
    /// Whether the side to move may put a stone at the empty or occupied point `cell`, superko aside.
    #[inline]
    pub fn is_legal(&self, cell: Cell) -> bool {
        self.board.is_legal(self.side, cell) || (self.rules.suicide && self.is_legal_suicide(cell))
    }

    /// Whether a stone at `cell` takes two or more own stones off, itself among them.
    #[cold]
    fn is_legal_suicide(&self, cell: Cell) -> bool {
        self.board.colour(cell) == Colour::Empty
            && !self.board.is_ko(self.side, cell)
            && self.board.is_suicide(self.side, cell)
            && A::around(cell).into_iter().any(|n| self.board.colour(n) == Colour::of(self.side))
    }

    /// The count after taking `dead` stones off.
    pub fn count(&self, dead: &A::Set) -> score::Count<A> {
        score::count(&self.board, &self.rules, dead)
    }

    /// Black's score minus White's in half points once `dead` stones are removed: komi, bonus and button included.
    pub fn margin_halves(&self, dead: &A::Set) -> i32 {
        let button = match self.button {
            None => 0,
            Some(Side::First) => 1,
            Some(Side::Second) => -1,
        };
        self.count(dead).margin_halves(&self.rules, self.handicap()) + button
    }

    /// The result with `dead` stones taken off.
    pub fn result(&self, dead: &A::Set) -> Outcome {
        let halves = self.margin_halves(dead);
        let by = By::Points(halves.unsigned_abs() as f32 / 2.0);
        match halves {
            0 => Outcome::draw(By::Points(0.0)),
            1.. => Outcome::win(Side::First, by),
            _ => Outcome::win(Side::Second, by),
        }
    }

    /// Whether the side to move has nothing left to dispute, as far as empty points tell: each empty region touches stones of one
    /// side and is no larger than a third of the board, or every move of the side to move in it is illegal or puts itself into
    /// atari (seki, a half of it, or an approach that costs). One-sided, cheap, and no judgement of life.
    pub fn is_settled(&self) -> bool {
        let (board, points) = (&self.board, self.size().points());
        let open = |region: &Region<A>| {
            let side_is_beside = |side| region.beside.iter().any(|cell| board.colour(cell) == Colour::of(side));
            let is_one_sided = side_is_beside(Side::First) != side_is_beside(Side::Second);
            let may_play = |cell| self.is_legal(cell) && !board.is_self_atari(self.side, cell);
            (!is_one_sided || 3 * region.points.len() > points) && region.points.iter().any(may_play)
        };
        !regions(board, |cell| board.colour(cell) == Colour::Empty).iter().any(open)
    }

    /// The stones that the rule book alone takes off after two passes: none under area rules, where players capture what
    /// is dead before they pass; under territory rules, where capturing costs, stones in unconditional enemy territory.
    pub fn dead_by_rule(&self) -> A::Set {
        match self.rules.scoring {
            Scoring::Area => A::Set::default(),
            Scoring::Territory => life::dead(&self.board, self.rules.suicide),
        }
    }
}

impl<A: Area> Position for GoPosition<A> {
    type Move = Move;
    type Undo = Undo;
    type Change = Change;
    type Mark = Mark;

    #[inline(always)]
    fn side_to_move(&self) -> Side {
        self.side
    }

    fn key(&self) -> Key {
        let mut key = self.board.key();
        if self.side == Side::Second {
            key ^= zobrist::WHITE_TO_MOVE;
        }
        key ^= zobrist::PASSES[self.passes.min(2) as usize];
        // More than two come where a search goes on: they are no way back to the position after two.
        key ^= u64::from(self.passes.saturating_sub(2)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        key ^= zobrist::BUTTON[self.button.map_or(0, |side| side.index() + 1)];
        if let Some(ko) = self.board.ko() {
            key ^= zobrist::ko(A::keys()[ko]);
        }
        if self.rules.scoring == Scoring::Territory {
            let prisoners = self.board.captured(Side::Second) as u64;
            let difference = prisoners.wrapping_sub(self.board.captured(Side::First) as u64);
            key ^= difference.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
        }
        Key(key)
    }

    fn mark(&self, _past: &[Mark]) -> Mark {
        Mark { board: self.board.key(), side: self.side }
    }

    fn for_each_move<B>(&self, mut f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        for vertex in Vertex::all(self.rules.size) {
            if self.is_legal(A::cell(vertex)) {
                f(Move::at(vertex))?;
            }
        }
        f(Move::PASS)
    }

    fn has_moves(&self) -> bool {
        true
    }

    fn pack(mv: Move) -> u16 {
        mv.bits()
    }

    fn unpack(&self, bits: u16) -> Option<Move> {
        let mv = Move::from_bits(bits)?;
        let legal = |v: Vertex| v.is_on(self.rules.size) && self.is_legal(A::cell(v));
        mv.vertex().is_none_or(legal).then_some(mv)
    }

    fn play_seen(&mut self, mv: Move, mut seen: impl FnMut(Change)) -> Undo {
        let side = self.side;
        let mut undo = Undo {
            board: None,
            ko: self.board.ko,
            passes: self.passes,
            button: self.button,
            may_repeat: self.may_repeat,
            fresh: false,
        };
        match mv.vertex() {
            None => self.pass(),
            Some(vertex) => {
                let done = self.board.play_undoable(side, A::cell(vertex));
                let suicide = self.board.colour(A::cell(vertex)) == Colour::Empty;
                let loser = if suicide { side } else { !side };
                for &stone in done.taken().iter().filter(|&&s| s != A::cell(vertex)) {
                    seen(Change::Gone(loser, A::vertex(stone)));
                }
                if !suicide {
                    seen(Change::New(side, vertex));
                }
                undo.board = Some(done);
                undo.fresh = self.moved(A::cell(vertex), suicide);
            }
        }
        undo
    }

    fn play(&mut self, mv: Move) {
        match mv.vertex() {
            None => self.pass(),
            Some(vertex) => {
                let cell = A::cell(vertex);
                self.board.play(self.side, cell);
                self.moved(cell, self.board.colour(cell) == Colour::Empty);
            }
        }
    }

    fn undo(&mut self, mv: Move, undo: Undo) {
        self.side = !self.side;
        self.may_repeat = undo.may_repeat;
        if let (true, Some(vertex)) = (undo.fresh, mv.vertex()) {
            self.ever[self.side.index()].remove(A::cell(vertex));
        }
        (self.passes, self.button) = (undo.passes, undo.button);
        match undo.board {
            Some(done) => self.board.undo(done),
            None => self.board.ko = undo.ko,
        }
    }

    /// Two passes that count end the game. Under simple ko a situation that came back ends it without a winner: at once on
    /// a search's path, at its third time by the rule book.
    fn ended(&self, past: &[Mark], root: usize) -> Option<Outcome> {
        if self.passes >= 2 {
            let goes_on = self.is_open_ended && self.passes < OPEN_PASSES_MAX;
            return (!goes_on).then(|| self.result(&self.dead_by_rule()));
        }
        if self.rules.ko != Ko::Simple || !self.may_repeat {
            return None;
        }
        let here = self.mark(past);
        let (older, path) = past.split_at(root.min(past.len()));
        let again = |mark: &&Mark| **mark == here;
        let repeated = path.contains(&here) || older.iter().filter(again).count() >= 2;
        repeated.then_some(Outcome::draw(By::Repetition))
    }

    /// Area as Tromp and Taylor count it, whatever the rules: every stone stands where it stands.
    fn broken_off(&self) -> Option<Outcome> {
        Some(self.result(&A::Set::default()))
    }

    /// A pass on a board that [`GoPosition::is_settled`] denies.
    fn is_premature(&self, mv: Move) -> bool {
        mv.is_pass() && !self.is_settled()
    }

    /// Never asked: a pass is always there.
    fn no_legal_moves(&self) -> Outcome {
        Outcome::draw(By::NoMoves)
    }

    fn allows(&self, mv: Move, past: &[Mark]) -> bool {
        let Some(vertex) = mv.vertex() else { return true };
        if self.rules.ko == Ko::Simple || past.is_empty() {
            return true;
        }
        let cell = A::cell(vertex);
        let new = !self.ever[self.side.index()].contains(cell);
        if new && !(self.rules.suicide && self.board.is_suicide(self.side, cell)) {
            return true;
        }
        let after = self.board.key_after(self.side, cell);
        !self.has_been(after, past)
    }

    /// The points where a stone would bring an earlier board back, whatever the rules say to that.
    fn path_key(&self, past: &[Mark]) -> u64 {
        let ever = &self.ever[self.side.index()];
        let comes_back = |cell: &Cell| {
            let old = ever.contains(*cell) || (self.rules.suicide && self.board.is_suicide(self.side, *cell));
            old && self.is_legal(*cell) && self.has_been(self.board.key_after(self.side, *cell), past)
        };
        let keys = A::keys();
        let mix = |way: u64, cell: &Cell| way ^ keys[*cell][self.side.index()].rotate_left(17);
        self.board.empties().iter().filter(|cell| comes_back(cell)).fold(0, mix)
    }
}

impl<A: Area> PartialEq for GoPosition<A> {
    /// Whether they agree as far as rules and moves go; where stones once stood does not matter.
    fn eq(&self, other: &Self) -> bool {
        (self.rules, self.side, self.passes, self.button, self.handicap)
            == (other.rules, other.side, other.passes, other.button, other.handicap)
            && self.board == other.board
    }
}

impl<A: Area> Eq for GoPosition<A> {}

impl<A: Area> GoPosition<A> {
    /// Whether a board was there before, with the other side to move unless only the stones matter.
    fn has_been(&self, board: u64, past: &[Mark]) -> bool {
        let any_side = self.rules.ko == Ko::Positional;
        past.iter().any(|mark| mark.board == board && (any_side || mark.side != self.side))
    }

    /// Updates passes, side to move and possible repetition after a stone at `cell`; returns whether
    /// the mover had never had a stone on that point.
    fn moved(&mut self, cell: Cell, suicide: bool) -> bool {
        let fresh = self.ever[self.side.index()].insert(cell) == 1;
        self.may_repeat = suicide || !fresh;
        self.passes = 0;
        self.side = !self.side;
        fresh
    }

    fn pass(&mut self) {
        self.board.pass();
        self.may_repeat = true;
        if self.rules.button && self.button.is_none() {
            self.button = Some(self.side);
            self.passes = 0;
        } else {
            self.passes = self.passes.saturating_add(1);
        }
        self.side = !self.side;
    }
}

impl<A: Area> fmt::Debug for GoPosition<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GoPosition { board, rules, side, passes, button, handicap, .. } = self;
        write!(f, "{board:?} {rules} {side:?} to move, {passes} passes, button {button:?}, handicap {handicap}")
    }
}
