//! Capturing races between two chains that touch, by counting: who captures whom, or whether both live in seki.
//!
//! The count is that of Müller, "Race to capture: analyzing semeai in Go" (1999), for races without eyes: each side fills the
//! liberties that only the other has, and nobody likes to fill one that both share before the last.

use crate::{Area, Board, Cell, CellSet, Colour};

/// The liberties of a race, from the view of the side that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Race<A: Area> {
    /// Liberties that only the own chain has.
    pub own: A::Set,
    /// Liberties that only the other chain has: where the own side plays first.
    pub other: A::Set,
    /// Liberties of both.
    pub shared: A::Set,
}

/// The result of a capturing race (semeai) that both sides play out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceResult {
    /// The side that moves first captures.
    First,
    /// The other side captures all the same.
    Second,
    /// Neither can capture.
    Seki,
}

impl<A: Area> Race<A> {
    /// The race between the chains of the stones at `own` and `other`; `None` where they are of one side or do not touch, or where
    /// one of them has a point that is already an eye by its shape: such races are counted otherwise.
    ///
    /// Whether a chain could also run, live or join others is not asked.
    pub fn between(board: &Board<A>, own: Cell, other: Cell) -> Option<Race<A>> {
        let sides = (board.colour(own).side()?, board.colour(other).side()?);
        let (a, b) = (*board.liberty_set(own), *board.liberty_set(other));
        let has_eye = |set: &A::Set, side| set.iter().any(|cell| board.is_eye_shape(side, cell));
        if sides.0 == sides.1 || has_eye(&a, sides.0) || has_eye(&b, sides.1) || !touch(board, own, other) {
            return None;
        }
        let (mut mine, mut theirs, mut shared) = (a, b, a);
        mine.subtract(&b);
        theirs.subtract(&a);
        shared.subtract(&mine);
        Some(Race { own: mine, other: theirs, shared })
    }

    /// The end when the own side moves first, and when the other does.
    pub fn verdicts(&self) -> (RaceResult, RaceResult) {
        let (own, other, shared) = (self.own.len(), self.other.len(), self.shared.len());
        (verdict(own, other, shared), verdict(other, own, shared))
    }

    /// Whether the race hangs on who moves first.
    pub fn is_urgent(&self) -> bool {
        let (own_first, other_first) = self.verdicts();
        let swapped = match other_first {
            RaceResult::First => RaceResult::Second,
            RaceResult::Second => RaceResult::First,
            RaceResult::Seki => RaceResult::Seki,
        };
        own_first != swapped
    }
}

/// The end of a race from the liberties that only the side to move has, only the other side has, and both have.
pub fn verdict(own: usize, other: usize, shared: usize) -> RaceResult {
    // One shared liberty can be filled with the last move: it delays nobody.
    let delay = shared.saturating_sub(1);
    if own >= other + delay {
        RaceResult::First
    } else if other > own + delay {
        RaceResult::Second
    } else {
        RaceResult::Seki
    }
}

/// Whether a stone of the chain of `other` stands beside one of the chain of `own`.
fn touch<A: Area>(board: &Board<A>, own: Cell, other: Cell) -> bool {
    let head = board.chain(other);
    let is_other = |n: Cell| board.colour(n) == board.colour(other) && board.chain(n) == head;
    board.colour(own) != Colour::Edge && board.chain_stones(own).any(|stone| A::around(stone).into_iter().any(is_other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Size, Small, Vertex};
    use tesuji_game::Side;

    /// The value of a race for the side to move, 1, 0 or -1, by trying everything.
    fn solve(own: usize, other: usize, shared: usize, passed: bool) -> i8 {
        if other + shared == 1 {
            return 1;
        }
        let mut best = if passed { 0 } else { -solve(other, own, shared, true) };
        if other > 0 {
            best = best.max(-solve(other - 1, own, shared, false));
        }
        if shared > 0 && own + shared > 1 {
            best = best.max(-solve(other, own, shared - 1, false));
        }
        best
    }

    #[test]
    fn counting_agrees_with_trying_everything() {
        for (own, other, shared) in (0..6).flat_map(|a| (0..6).flat_map(move |b| (0..5).map(move |s| (a, b, s)))) {
            if own + shared == 0 || other + shared == 0 {
                continue;
            }
            let expect = match solve(own, other, shared, false) {
                1 => RaceResult::First,
                0 => RaceResult::Seki,
                _ => RaceResult::Second,
            };
            assert_eq!(verdict(own, other, shared), expect, "{own} {other} {shared}");
        }
    }

    /// Rows from above, `X` Black, `O` White: the race of Black's stone at the first point against White's at the second.
    fn race(rows: &[&str], own: &str, other: &str) -> Option<Race<Small>> {
        let size = Size::square(rows.len()).unwrap();
        let stones = rows.iter().rev().enumerate().flat_map(|(y, row)| {
            let side = |b| if b == b'X' { Side::First } else { Side::Second };
            let stone = move |(x, b): (usize, u8)| (b != b'.').then(|| (Vertex::new(x, y).unwrap(), side(b)));
            row.bytes().enumerate().filter_map(stone)
        });
        let board: Board<Small> = Board::with_stones(size, stones.collect::<Vec<_>>()).unwrap();
        let cell = |text: &str| Small::cell(Vertex::parse(text, size).unwrap());
        Race::between(&board, cell(own), cell(other))
    }

    #[test]
    fn liberties_are_told_apart() {
        let rows = ["......", ".OO...", "XXXO..", "OOOX..", ".XXX..", "......"];
        let found = race(&rows, "A4", "A3").unwrap();
        assert_eq!((found.own.len(), found.other.len(), found.shared.len()), (1, 1, 0));
        assert_eq!(found.verdicts(), (RaceResult::First, RaceResult::First));
        assert!(found.is_urgent());
        let rows = ["......", ".OO...", "XX.O..", "OOOX..", "..XX..", ".X...."];
        let found = race(&rows, "A4", "A3").unwrap();
        assert_eq!((found.own.len(), found.other.len(), found.shared.len()), (1, 2, 1));
        assert_eq!(found.verdicts(), (RaceResult::Second, RaceResult::First));
        assert!(!found.is_urgent());
        // They do not touch, or are of one side.
        assert_eq!(race(&rows, "A4", "D4"), None);
        assert_eq!(race(&rows, "A4", "C2"), None);
    }
}
