//! Tactical features of moves: captures, escapes and ladders that work, self-atari, the line from the edge, nearness to the last moves.
//!
//! The families follow R. Coulom, "Computing Elo Ratings of Move Patterns in the Game of Go" (2007), who learned a strength for each.
//! A move has at most one level of a family, 0 being none; what lies around a move is told by [`crate::patterns`].

use tesuji_game::{Position, Side};
use tesuji_go::{
    Area, Board, Cell, CellMap, CellSet, Colour, GoPosition, Move,
    ladder::{self, Fate},
    race::Race,
};

/// A family of features that shut each other out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Family {
    /// A pass; after a pass of the other side.
    Pass,
    /// Fills an own eye.
    Eye,
    /// Puts one stone into atari without capturing, or more of them.
    SelfAtari,
    /// Takes a chain that is lost anyway, of 1, 2 or 3, more stones; one that would get away, the same.
    Capture,
    /// Takes a chain beside an own one in atari, of 1, 2 or 3, more stones.
    Rescue,
    /// Runs with a chain in atari that is lost; saves one of 1, 2 or 3, more stones.
    Escape,
    /// Puts a chain into atari that gets away; begins a ladder that works against 1, 2 or 3, more stones.
    Atari,
    /// Is a liberty of an own chain, of 1, 2 or 3, more stones, that a ladder threatens.
    Threatened,
    /// Takes a liberty in a race that hangs on who moves first.
    Race,
    /// Puts a chain into atari while a ko may not be retaken.
    KoThreat,
    /// Lies on the first, second, third, fourth line, or above.
    Line,
    /// Distance to the last move: rows and columns summed, and the larger of both added once more, from 2 to 17.
    Near,
    /// Distance to the move before the last one, measured as for `Near`.
    NearOwn,
}

impl Family {
    /// All of them, as they are numbered.
    pub const ALL: [Family; 13] = [
        Family::Pass,
        Family::Eye,
        Family::SelfAtari,
        Family::Capture,
        Family::Rescue,
        Family::Escape,
        Family::Atari,
        Family::Threatened,
        Family::Race,
        Family::KoThreat,
        Family::Line,
        Family::Near,
        Family::NearOwn,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 13] = [
            "pass",
            "eye",
            "self-atari",
            "capture",
            "rescue",
            "escape",
            "atari",
            "threatened",
            "race",
            "ko-threat",
            "line",
            "near",
            "near-own",
        ];
        NAMES[self as usize]
    }

    /// The number of levels, besides none.
    pub const fn levels(self) -> usize {
        [2, 1, 2, 6, 3, 4, 4, 3, 1, 1, 5, 16, 16][self as usize]
    }

    /// Its first bit in [`MoveFeatures`], and the number of its bits.
    const fn bits(self) -> (u32, u32) {
        [(0, 2), (2, 1), (3, 2), (5, 3), (8, 2), (10, 3), (13, 3), (16, 2), (18, 1), (19, 1), (20, 3), (23, 5), (28, 5)]
            [self as usize]
    }
}

/// The features of one move, a level for each family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MoveFeatures(u64);

impl MoveFeatures {
    /// The level of a family; 0: it has none.
    #[inline]
    pub fn level(self, family: Family) -> usize {
        let (shift, bits) = family.bits();
        (self.0 >> shift) as usize & ((1 << bits) - 1)
    }

    /// A copy with `level` of `family`.
    #[must_use]
    pub fn with(self, family: Family, level: usize) -> MoveFeatures {
        debug_assert!(level <= family.levels());
        let (shift, bits) = family.bits();
        MoveFeatures(self.0 & !(((1 << bits) - 1) << shift) | (level as u64) << shift)
    }

    /// Takes `level` of `family` where it is above what is there: of several chains the one that matters most counts.
    fn raise(&mut self, family: Family, level: usize) {
        if self.level(family) < level {
            *self = self.with(family, level);
        }
    }

    /// A copy without the features of location: nearness to the last moves.
    #[must_use]
    pub fn without_nearness(self) -> MoveFeatures {
        self.with(Family::Near, 0).with(Family::NearOwn, 0)
    }
}

/// The liberties of chains whose races are counted: fewer are for ladders, more leave time for other things.
const RACE_LIBERTIES: std::ops::RangeInclusive<usize> = 2..=6;

/// The most moves tried for one ladder.
const LADDER_NODES: u32 = 60;

/// Fills `out` with the features of `moves` of `pos`, in their order. `last`: where the last move went, and the one before it.
pub fn fill_features<A: Area>(
    pos: &GoPosition<A>,
    last: [Option<Cell>; 2],
    moves: &[Move],
    out: &mut Vec<MoveFeatures>,
) {
    let (board, side) = (pos.board(), pos.side_to_move());
    let chains = of_chains(board, side);
    let of = |mv: &Move| match mv.vertex() {
        None => MoveFeatures::default().with(Family::Pass, 1 + usize::from(pos.passes() > 0)),
        Some(v) => {
            let cell = A::cell(v);
            of_point(board, side, cell, chains[cell])
                .with(Family::Near, nearness::<A>(cell, last[0]))
                .with(Family::NearOwn, nearness::<A>(cell, last[1]))
        }
    };
    out.clear();
    out.extend(moves.iter().map(of));
}

/// The level of nearness to a past move.
fn nearness<A: Area>(cell: Cell, past: Option<Cell>) -> usize {
    past.map_or(0, |past| {
        let (a, b) = (A::vertex(cell), A::vertex(past));
        let (dx, dy) = (a.x.abs_diff(b.x), a.y.abs_diff(b.y));
        let distance = usize::from(dx + dy + dx.max(dy));
        if (2..2 + Family::Near.levels()).contains(&distance) { distance - 1 } else { 0 }
    })
}

/// The size class of a chain: 1 stone, 2 or 3, more.
fn size_class(stones: usize) -> usize {
    match stones {
        0 | 1 => 1,
        2 | 3 => 2,
        _ => 3,
    }
}

/// For each empty point what a stone of `side` there does to chains with few liberties.
fn of_chains<A: Area>(board: &Board<A>, side: Side) -> A::Map<MoveFeatures> {
    let mut map = <A::Map<MoveFeatures> as CellMap<MoveFeatures>>::filled(MoveFeatures::default());
    for stone in board.all_chains() {
        let class = size_class(board.stones_in_chain(stone));
        match (board.colour(stone) == Colour::of(side), board.liberties(stone)) {
            (true, 1) => {
                let found = ladder::defend(board, stone, LADDER_NODES);
                let out = board.liberty_set(stone).first();
                match (found.fate, found.line.first()) {
                    (Fate::Captured, _) => out.into_iter().for_each(|cell| map[cell].raise(Family::Escape, 1)),
                    (_, Some(&cell)) => map[cell].raise(Family::Escape, 1 + class),
                    (_, None) => out.into_iter().for_each(|cell| map[cell].raise(Family::Escape, 1 + class)),
                }
                rescue(board, side, stone, class, &mut map);
            }
            (true, 2) if ladder::attack(board, stone, LADDER_NODES).fate == Fate::Captured => {
                board.liberty_set(stone).iter().for_each(|cell| map[cell].raise(Family::Threatened, class));
            }
            (false, 1) => {
                let lost = ladder::defend(board, stone, LADDER_NODES).fate == Fate::Captured;
                let level = if lost { class } else { 3 + class };
                board.liberty_set(stone).first().into_iter().for_each(|cell| map[cell].raise(Family::Capture, level));
            }
            (false, 2) => {
                let found = ladder::attack(board, stone, LADDER_NODES);
                for cell in board.liberty_set(stone).iter() {
                    map[cell].raise(Family::Atari, 1);
                    if board.ko().is_some() {
                        map[cell].raise(Family::KoThreat, 1);
                    }
                }
                if let (Fate::Captured, Some(&cell)) = (found.fate, found.line.first()) {
                    map[cell].raise(Family::Atari, 1 + class);
                }
            }
            _ => {}
        }
        if board.colour(stone) == Colour::of(!side) && RACE_LIBERTIES.contains(&board.liberties(stone)) {
            race(board, side, stone, &mut map);
        }
    }
    map
}

/// Marks the liberties of the chain of `stone` in the urgent races with own chains that touch it.
fn race<A: Area>(board: &Board<A>, side: Side, stone: Cell, map: &mut A::Map<MoveFeatures>) {
    let mut rivals = [stone; 4];
    let mut len = 0;
    for n in board.chain_stones(stone).flat_map(A::around) {
        let is_new = board.colour(n) == Colour::of(side) && !rivals[..len].contains(&board.chain(n));
        if is_new && len < rivals.len() && RACE_LIBERTIES.contains(&board.liberties(n)) {
            rivals[len] = board.chain(n);
            len += 1;
        }
    }
    let races = rivals[..len].iter().filter_map(|&own| Race::between(board, own, stone));
    if let Some(found) = races.filter(Race::is_urgent).max_by_key(|race| race.other.len()) {
        let fill = if found.other.is_empty() { found.shared } else { found.other };
        fill.iter().for_each(|cell| map[cell].raise(Family::Race, 1));
    }
}

/// Marks the captures that save the chain of `stone`, which has `class` stones.
fn rescue<A: Area>(board: &Board<A>, side: Side, stone: Cell, class: usize, map: &mut A::Map<MoveFeatures>) {
    for n in board.chain_stones(stone).flat_map(A::around) {
        if board.colour(n) == Colour::of(!side) && board.liberties(n) == 1 {
            board.liberty_set(n).first().into_iter().for_each(|cell| map[cell].raise(Family::Rescue, class));
        }
    }
}

/// The features of a stone of `side` at the empty point `cell`: `done`, its effects on chains, with line, eye and self-atari added.
fn of_point<A: Area>(board: &Board<A>, side: Side, cell: Cell, done: MoveFeatures) -> MoveFeatures {
    let (at, size) = (A::vertex(cell), board.size());
    let from_edge = |at: u8, lines: usize| usize::from(at).min((lines - 1).saturating_sub(usize::from(at)));
    let line = from_edge(at.x, size.width()).min(from_edge(at.y, size.height()));
    let features = done.with(Family::Line, (line + 1).min(Family::Line.levels()));
    if board.is_true_eye(side, cell) {
        return features.with(Family::Eye, 1);
    }
    let (mut takes, mut joins) = (false, false);
    for n in A::around(cell) {
        let Some(owner) = board.colour(n).side() else { continue };
        takes |= owner != side && board.liberties(n) == 1;
        joins |= owner == side;
    }
    if !takes && board.is_self_atari(side, cell) {
        return features.with(Family::SelfAtari, 1 + usize::from(joins));
    }
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_have_room_for_their_levels_and_none_overlaps() {
        let mut end = 0;
        for family in Family::ALL {
            let (shift, bits) = family.bits();
            assert_eq!(shift, end, "{family:?}");
            assert!(family.levels() < 1 << bits, "{family:?}");
            end = shift + bits;
            let most = MoveFeatures(u64::MAX).with(family, 0).with(family, family.levels());
            assert_eq!(most.level(family), family.levels());
            assert_eq!(most.with(family, 0), MoveFeatures(u64::MAX).with(family, 0));
        }
        assert!(end <= 64);
    }
}
