//! Playouts that draw moves by learned strengths: the eight points around, the line from the edge, nearness to the last move,
//! captures and escapes beside it (the fast features of R. Coulom, 2007).
//!
//! Where answers come first (`mixed`), only moves that none of them finds are drawn.
//!
//! A point's share is kept from move to move; only what lies around the last stone is looked at again, and everything after a
//! capture.

use crate::{Chooser, Family, Gammas, Heavy, patterns, playout::choose_evenly, shapes::surroundings};
use std::sync::Arc;
use tesuji_game::{Random, Side};
use tesuji_go::{Area, Board, Cell, CellMap, CellSet, Colour, Size};

/// A share of 1, so that sums are exact.
const ONE: f32 = 64.0;
/// The bounds of a point's share, in these units.
const SHARES: (f32, f32) = (1.0, 65536.0);
/// Lines from the edge that are told apart.
const LINES: usize = 5;
/// The most points whose share depends on the last move.
const LOCAL_MAX: usize = 40;
/// Draws before a move is chosen evenly.
const TRIES: usize = 24;
/// The level of nearness that counts as far.
const FAR: usize = 8;

/// Strengths of [`Gammas`] as playouts use them, in tables.
#[derive(Debug)]
pub struct PlayoutStrengths {
    /// By the colours of the eight points around, for the first side.
    around: [Vec<f32>; 2],
    line: [f32; LINES + 1],
    /// Beside the last move, diagonally, two lines away.
    near: [f32; 3],
    /// By stones: 1, 2 or 3, more.
    capture: [f32; 3],
    rescue: [f32; 3],
    escape: [f32; 3],
    /// The chance to go on with a self-atari of one stone, of more.
    self_atari: [f32; 2],
}

impl PlayoutStrengths {
    /// The strengths of `gammas`. Only its smallest patterns count: they should be learned without larger ones.
    pub fn new(gammas: &Gammas) -> PlayoutStrengths {
        let of = |side: Side| {
            let strength = |code: usize| gammas.of_pattern(patterns::smallest(colours(code), side));
            (0..1 << 16).map(strength).collect::<Vec<f32>>()
        };
        let level = |family: Family, level: usize| gammas.of(family, level);
        let far = level(Family::Near, FAR).max(1e-3);
        PlayoutStrengths {
            around: [of(Side::First), of(Side::Second)],
            line: std::array::from_fn(|line| if line == 0 { 0.0 } else { level(Family::Line, line) }),
            near: [1, 2, 3].map(|near| level(Family::Near, near) / far),
            capture: [4, 5, 6].map(|size| level(Family::Capture, size)),
            rescue: [1, 2, 3].map(|size| level(Family::Rescue, size)),
            escape: [2, 3, 4].map(|size| level(Family::Escape, size)),
            self_atari: [1, 2].map(|more| level(Family::SelfAtari, more).min(1.0)),
        }
    }
}

/// The eight colours that a number of [`surroundings`] tells, in its order.
fn colours(code: usize) -> [Colour; 8] {
    const ALL: [Colour; 4] = [Colour::Black, Colour::White, Colour::Empty, Colour::Edge];
    std::array::from_fn(|k| {
        let number = code >> (14 - 2 * k) & 3;
        ALL.into_iter().find(|&colour| colour as usize == number).unwrap_or(Colour::Edge)
    })
}

/// The chooser of learned playouts.
#[derive(Clone)]
pub struct Learned<A: Area> {
    strengths: Arc<PlayoutStrengths>,
    size: Option<Size>,
    /// The board of `shares`.
    key: u64,
    /// The move chosen on that board.
    chosen: Option<(Side, Cell)>,
    /// Each empty point's share for either side; 0 for others.
    shares: A::Map<[u32; 2]>,
    /// Sums over rows of cells, and over all.
    rows: [[u32; 2]; ROWS],
    sums: [u32; 2],
    /// The strength of each point's line.
    lines: A::Map<f32>,
    /// Answers that come first.
    answers: Option<Heavy>,
}

/// Rows of cells of the largest board.
const ROWS: usize = Size::SIDE_MAX + 2;

/// Points whose share depends on the last move, and how many times as large it is.
struct Local {
    factors: [(Cell, f32); LOCAL_MAX],
    len: usize,
}

impl Local {
    fn raise(&mut self, cell: Cell, factor: f32) {
        if let Some(known) = self.factors[..self.len].iter_mut().find(|known| known.0 == cell) {
            known.1 *= factor;
        } else if let Some(slot) = self.factors.get_mut(self.len) {
            *slot = (cell, factor);
            self.len += 1;
        }
    }
}

impl<A: Area> Learned<A> {
    /// A chooser with these strengths.
    pub fn new(strengths: Arc<PlayoutStrengths>) -> Self {
        Learned {
            strengths,
            size: None,
            key: 0,
            chosen: None,
            shares: <A::Map<[u32; 2]> as CellMap<[u32; 2]>>::filled([0; 2]),
            rows: [[0; 2]; ROWS],
            sums: [0; 2],
            lines: <A::Map<f32> as CellMap<f32>>::filled(0.0),
            answers: None,
        }
    }

    /// Answers the last move as heavy playouts do, shapes apart, and draws a move by strengths where there is no answer.
    pub fn with_answers(mut self, heavy: Heavy) -> Self {
        self.answers = Some(heavy);
        self
    }

    /// Brings the shares to `board`.
    fn follow(&mut self, board: &Board<A>) {
        let key = board.key();
        if self.size != Some(board.size()) {
            self.measure(board);
            self.look_at_all(board);
        } else if key != self.key {
            match self.chosen {
                Some((side, cell)) if self.key ^ A::keys()[cell][side.index()] == key => {
                    self.look_at(board, cell);
                    A::around(cell).into_iter().chain(A::diagonals(cell)).for_each(|n| self.look_at(board, n));
                }
                _ => self.look_at_all(board),
            }
        }
        self.key = key;
        self.chosen = None;
    }

    /// The strengths of lines on a board of another size.
    fn measure(&mut self, board: &Board<A>) {
        let size = board.size();
        self.size = Some(size);
        for cell in board.points() {
            let at = A::vertex(cell);
            let from_edge = |at: u8, lines: usize| usize::from(at).min(lines - 1 - usize::from(at));
            let line = from_edge(at.x, size.width()).min(from_edge(at.y, size.height()));
            self.lines[cell] = self.strengths.line[(line + 1).min(LINES)];
        }
    }

    fn look_at_all(&mut self, board: &Board<A>) {
        self.shares = <A::Map<[u32; 2]> as CellMap<[u32; 2]>>::filled([0; 2]);
        self.rows = [[0; 2]; ROWS];
        self.sums = [0; 2];
        for i in 0..board.empties().len() {
            self.look_at(board, board.empties()[i]);
        }
    }

    /// The share of one point again.
    #[inline]
    fn look_at(&mut self, board: &Board<A>, cell: Cell) {
        let mut now = [0; 2];
        match board.colour(cell) {
            Colour::Edge => return,
            Colour::Empty => {
                let (code, line) = (surroundings(board, cell), self.lines[cell]);
                now = [0, 1].map(|side: usize| {
                    (self.strengths.around[side][code] * line * ONE).clamp(SHARES.0, SHARES.1) as u32
                });
            }
            _ => {}
        }
        let before = std::mem::replace(&mut self.shares[cell], now);
        let row = &mut self.rows[cell.index() / A::STRIDE];
        for side in 0..2 {
            row[side] = row[side] + now[side] - before[side];
            self.sums[side] = self.sums[side] + now[side] - before[side];
        }
    }

    /// The factors of points near the last move: nearness, captures, escapes.
    fn local(&self, board: &Board<A>, side: Side, last: Cell) -> Local {
        let mut local = Local { factors: [(last, 1.0); LOCAL_MAX], len: 0 };
        let strengths = &*self.strengths;
        let (beside, diagonal) = (A::around(last), A::diagonals(last));
        for (cells, factor) in [(beside, strengths.near[0]), (diagonal, strengths.near[1])] {
            for cell in cells.into_iter().filter(|&cell| board.colour(cell) == Colour::Empty) {
                local.raise(cell, factor);
            }
        }
        for (way, n) in beside.into_iter().enumerate().filter(|&(_, n)| board.colour(n) != Colour::Edge) {
            let beyond = A::around(n)[way];
            if board.colour(beyond) == Colour::Empty {
                local.raise(beyond, strengths.near[2]);
            }
        }
        for n in std::iter::once(last).chain(beside).chain(diagonal) {
            if board.colour(n).side().is_none() || board.liberties(n) != 1 {
                continue;
            }
            let Some(liberty) = board.liberty_set(n).first() else { continue };
            let class = match board.stones_in_chain(n) {
                0 | 1 => 0,
                2 | 3 => 1,
                _ => 2,
            };
            if board.colour(n) == Colour::of(side) {
                local.raise(liberty, strengths.escape[class]);
                self.rescues(board, side, n, class, &mut local);
            } else {
                local.raise(liberty, strengths.capture[class]);
            }
        }
        local
    }
}

impl<A: Area> Learned<A> {
    /// Raises the captures of chains in atari around the chain of `stone`, which is in atari itself.
    fn rescues(&self, board: &Board<A>, side: Side, stone: Cell, class: usize, local: &mut Local) {
        let mut found = 0;
        for n in board.chain_stones(stone).flat_map(A::around) {
            if board.colour(n) == Colour::of(!side)
                && board.liberties(n) == 1
                && found < 4
                && let Some(cell) = board.liberty_set(n).first()
            {
                local.raise(cell, self.strengths.rescue[class]);
                found += 1;
            }
        }
    }

    /// A point drawn by its share.
    #[inline]
    fn draw(&self, side: usize, mut left: u32) -> Option<Cell> {
        for (row, sums) in self.rows.iter().enumerate().take(A::STRIDE) {
            if left >= sums[side] {
                left -= sums[side];
                continue;
            }
            for at in row * A::STRIDE..(row + 1) * A::STRIDE {
                let cell = Cell::new(at);
                let share = self.shares[cell][side];
                if left < share {
                    return Some(cell);
                }
                left -= share;
            }
        }
        None
    }

    /// Whether a stone that was drawn is played: it is legal, fills no eye, and is no self-atari but now and then.
    #[inline]
    fn accepts(&self, board: &Board<A>, side: Side, cell: Cell, random: &mut Random) -> bool {
        if !board.is_legal(side, cell) || board.is_true_eye(side, cell) {
            return false;
        }
        if board.empty_neighbours(cell) >= 2 || !board.is_self_atari(side, cell) {
            return true;
        }
        let (mut takes, mut joins) = (false, false);
        for n in A::around(cell) {
            let Some(owner) = board.colour(n).side() else { continue };
            takes |= owner != side && board.liberties(n) == 1;
            joins |= owner == side;
        }
        takes || (random.unit() as f32) < self.strengths.self_atari[usize::from(joins)]
    }

    /// A move, if one is drawn that is accepted.
    fn sample(&self, board: &Board<A>, side: Side, last: Option<Cell>, random: &mut Random) -> Option<Cell> {
        let number = side.index();
        let mut extra = [(Cell::new(0), 0u32); LOCAL_MAX];
        let (mut len, mut more) = (0, 0u32);
        if let Some(last) = last {
            let local = self.local(board, side, last);
            for &(cell, factor) in &local.factors[..local.len] {
                let above = (self.shares[cell][number] as f32 * (factor - 1.0)).clamp(0.0, 1e7) as u32;
                if above > 0 {
                    (extra[len], len, more) = ((cell, above), len + 1, more + above);
                }
            }
        }
        let all = u64::from(self.sums[number]) + u64::from(more);
        if all == 0 {
            return None;
        }
        for _ in 0..TRIES {
            let mut left = (((random.next_u64() >> 32) * all) >> 32) as u32;
            let cell = if left < more {
                let mut drawn = None;
                for &(cell, above) in &extra[..len] {
                    if left < above {
                        drawn = Some(cell);
                        break;
                    }
                    left -= above;
                }
                drawn
            } else {
                self.draw(number, left - more)
            };
            if let Some(cell) = cell.filter(|&cell| self.accepts(board, side, cell, random)) {
                return Some(cell);
            }
        }
        None
    }
}

impl<A: Area> Chooser<A> for Learned<A> {
    fn choose(&mut self, board: &Board<A>, side: Side, last: Option<Cell>, random: &mut Random) -> Option<Cell> {
        self.follow(board);
        let plain = |cell: Cell| board.is_legal(side, cell) && !board.is_true_eye(side, cell);
        let answer = match (&self.answers, last) {
            (Some(heavy), Some(last)) => heavy.tactical(board, side, last, random),
            _ => None,
        };
        let chosen =
            answer.or_else(|| self.sample(board, side, last, random)).or_else(|| choose_evenly(board, random, plain));
        self.chosen = chosen.map(|cell| (side, cell));
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pattern;
    use tesuji_go::{Small, Vertex};

    fn uniform() -> Gammas {
        Gammas::new("a test".into(), "nothing".into(), Vec::new(), Vec::new())
    }

    #[test]
    fn shares_kept_from_move_to_move_are_those_of_a_fresh_look() {
        let strengths = Arc::new(PlayoutStrengths::new(&Gammas::playouts()));
        let mut random = Random::new(5);
        for lines in [5, 9] {
            let mut board: Board<Small> = Board::new(Size::square(lines).unwrap());
            let mut chooser = Learned::<Small>::new(strengths.clone());
            let (mut side, mut last) = (Side::First, None);
            for _ in 0..150 {
                last = chooser.choose(&board, side, last, &mut random);
                let mut fresh = Learned::<Small>::new(strengths.clone());
                fresh.follow(&board);
                assert_eq!((chooser.sums, chooser.rows), (fresh.sums, fresh.rows), "{board:?}");
                match last {
                    Some(cell) => board.play(side, cell),
                    None => board.pass(),
                }
                side = !side;
            }
        }
    }

    #[test]
    fn moves_come_as_often_as_their_strengths_say() {
        // One pattern of a stone beside the point is worth nine of everything else.
        let size = Size::square(5).unwrap();
        let centre = Vertex::new(2, 2).unwrap();
        let board: Board<Small> = Board::with_stones(size, [(centre, Side::First)]).unwrap();
        let mut above = Small::around(Small::cell(centre))[3];
        let key = patterns::smallest(colours(surroundings(&board, above)), Side::Second);
        let mut families = Family::ALL.map(|family| vec![1.0; family.levels()]).to_vec();
        families[Family::Line as usize] = vec![1.0; Family::Line.levels()];
        let gammas = Gammas::new(String::new(), String::new(), families, vec![Pattern { size: 3, key, strength: 9.0 }]);
        let mut chooser = Learned::<Small>::new(Arc::new(PlayoutStrengths::new(&gammas)));
        let mut random = Random::new(1);
        let mut count = 0;
        for _ in 0..20_000 {
            above = chooser.choose(&board, Side::Second, None, &mut random).unwrap();
            count += usize::from(Small::around(Small::cell(centre)).contains(&above));
        }
        // Four points of nine, twenty of one.
        let share = count as f64 / 20_000.0;
        assert!((share - 36.0 / 56.0).abs() < 0.02, "{share}");
    }

    #[test]
    fn strengths_that_say_nothing_draw_all_points_alike() {
        let board: Board<Small> = Board::new(Size::square(3).unwrap());
        let mut chooser = Learned::<Small>::new(Arc::new(PlayoutStrengths::new(&uniform())));
        let mut random = Random::new(2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..9000 {
            *counts.entry(chooser.choose(&board, Side::First, None, &mut random).unwrap().index()).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 9);
        assert!(counts.values().all(|n| (850..1150).contains(n)), "{counts:?}");
    }
}
