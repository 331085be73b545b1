//! Statistics of many playouts from one position: results, margins, owners of points, moves as first.

use crate::{Chooser, count::Terms, count::zeros, play_out};
use tesuji_game::{Answer, AsFirst, Position, Random, Side};
use tesuji_go::{Area, Cell, GoPosition, Move};

/// The number and results of the playouts in which a side was the first to play at a point.
#[derive(Debug, Clone, Copy, Default)]
struct First {
    /// Playouts.
    count: u32,
    /// Their results for Black: 1, 0, -1 each.
    sum: i32,
}

/// Playouts from one position, summed. Reused from position to position.
#[derive(Clone)]
pub struct Totals<A: Area> {
    terms: Option<Terms>,
    points: Vec<Cell>,
    count: u32,
    draws: u32,
    plies: u64,
    /// Results for Black: 1, 0, -1 each.
    sum: i32,
    margin_halves: i64,
    /// For each point by its number, 1 for each playout that Black ended owning, -1 for White.
    owners: Vec<i32>,
    first: A::Map<[First; 2]>,
}

impl<A: Area> Default for Totals<A> {
    fn default() -> Self {
        Totals {
            terms: None,
            points: Vec::new(),
            count: 0,
            draws: 0,
            plies: 0,
            sum: 0,
            margin_halves: 0,
            owners: Vec::new(),
            first: zeros::<A, _>(),
        }
    }
}

impl<A: Area> Totals<A> {
    /// Forgets everything, for playouts from `pos`.
    pub fn begin(&mut self, pos: &GoPosition<A>) {
        self.terms = Some(Terms::of(pos));
        let number = pos.size().points();
        if self.points.len() != number || self.points.last() != pos.board().points().last().as_ref() {
            self.points.clear();
            self.points.extend(pos.board().points());
        }
        (self.count, self.draws, self.plies, self.sum, self.margin_halves) = (0, 0, 0, 0, 0);
        self.owners.clear();
        self.owners.resize(number, 0);
        self.first = zeros::<A, _>();
    }

    /// Plays `playouts` more from `pos`, with which [`Totals::begin`] was called. `last`: the move that led there.
    pub fn play(
        &mut self,
        pos: &GoPosition<A>,
        last: Option<Cell>,
        playouts: usize,
        chooser: &mut impl Chooser<A>,
        random: &mut Random,
    ) {
        let terms = *self.terms.get_or_insert_with(|| Terms::of(pos));
        for _ in 0..playouts {
            let mut board = *pos.board();
            // 0: nobody yet, otherwise one more than the side's index.
            let mut first = zeros::<A, u8>();
            let ended = play_out(&mut board, pos.side_to_move(), last, chooser, random, |side, cell| {
                if first[cell] == 0 {
                    first[cell] = side.index() as u8 + 1;
                }
            });
            let owners = &mut self.owners;
            let halves = terms.margin_halves(&board, ended, &self.points, |i, sign| owners[i] += sign);
            let result = halves.signum();
            for &cell in &self.points {
                if let Some(side) = (first[cell] as usize).checked_sub(1) {
                    let seen = &mut self.first[cell][side];
                    seen.count += 1;
                    seen.sum += result;
                }
            }
            self.count += 1;
            self.draws += u32::from(result == 0);
            self.plies += ended.plies as u64;
            self.sum += result;
            self.margin_halves += i64::from(halves);
        }
    }

    /// The number of playouts.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Their plies together.
    pub fn plies(&self) -> u64 {
        self.plies
    }

    /// The mean result for Black, in -1..=1; 0 without playouts.
    pub fn value(&self) -> f32 {
        self.mean(self.sum)
    }

    /// The mean margin of Black over White, in points.
    pub fn margin(&self) -> f32 {
        self.margin_halves as f32 * 0.5 / self.count.max(1) as f32
    }

    /// `[points]` in the order of [`tesuji_go::Vertex::all`]: 1 where a point always ended as Black's, -1 as White's.
    pub fn ownership(&self) -> impl ExactSizeIterator<Item = f32> + '_ {
        self.owners.iter().map(|&sum| self.mean(sum))
    }

    /// All-moves-as-first statistics: the playouts where `side` played at `cell` before the other side did, for `side`.
    pub fn as_first(&self, side: Side, cell: Cell) -> AsFirst {
        let seen = self.first[cell][side.index()];
        let sign = if side == Side::First { 1.0 } else { -1.0 };
        let value = if seen.count == 0 { 0.0 } else { sign * seen.sum as f32 / seen.count as f32 };
        AsFirst { weight: seen.count as f32 / self.count.max(1) as f32, value }
    }

    fn mean(&self, sum: i32) -> f32 {
        sum as f32 / self.count.max(1) as f32
    }

    /// Fills all of `answer` but its policy, for `side` to move.
    pub fn tell(&self, side: Side, answer: &mut Answer) {
        let sign = if side == Side::First { 1.0 } else { -1.0 };
        answer.value = sign * self.value();
        answer.draw = self.draws as f32 / self.count.max(1) as f32;
        answer.score = (self.count > 0).then(|| sign * self.margin());
        answer.ownership.clear();
        answer.ownership.extend(self.ownership().map(|owned| sign * owned));
        let bound = self.points.last().map_or(0, |&cell| Move::at(A::vertex(cell)).bits() as usize + 1);
        for side in Side::ALL {
            let list = &mut answer.as_first[side.index()];
            list.clear();
            list.resize(bound, AsFirst::default());
            for &cell in &self.points {
                list[Move::at(A::vertex(cell)).bits() as usize] = self.as_first(side, cell);
            }
        }
    }
}
