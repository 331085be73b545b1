//! Counting a finished game: area and territory, prisoners, dead stones that the caller names, seki, taxes, bonuses.

use crate::{Area, Board, Cell, CellMap, CellSet, Colour, Rules, Scoring, Tax, regions::regions};
use tesuji_game::Side;

/// A counted board. Arrays are of Black and White.
#[derive(Clone, Copy)]
pub struct Count<A: Area> {
    /// The owner of each point at the end: the side of the living stone on it, or of the territory.
    /// Neutral points and edge have no owner.
    pub owner: A::Map<Option<Side>>,
    /// Living stones.
    pub stones: [usize; 2],
    /// Surrounded points, dead stones' places among them, before taxes.
    pub territory: [usize; 2],
    /// Stones that each side lost: captured ones and dead ones.
    pub lost: [usize; 2],
    /// Points that taxes take off each side's territory.
    pub tax: [usize; 2],
    /// The living stones in seki, where a tax had to know them.
    pub seki: A::Set,
}

impl<A: Area> Count<A> {
    /// The points of `side` as `rules` count them, without komi and bonuses.
    pub fn points(&self, rules: &Rules, side: Side) -> usize {
        let i = side.index();
        let surrounded = self.territory[i] - self.tax[i];
        match rules.scoring {
            Scoring::Area => self.stones[i] + surrounded,
            Scoring::Territory => surrounded + self.lost[(!side).index()],
        }
    }

    /// Black's score minus White's in half points, komi and the bonus for `handicap` stones included.
    pub fn margin_halves(&self, rules: &Rules, handicap: usize) -> i32 {
        let points = |side| self.points(rules, side) as i32;
        2 * (points(Side::First) - points(Side::Second)) - rules.white_bonus_halves(handicap)
    }
}

/// Counts `board` after taking the `dead` stones off: whole chains, by agreement or by a judge.
///
/// Seki is looked for where a tax needs it: after dame that can be filled safely are filled in thought, stones (with the
/// territory that they hang together with) that still touch neutral points are in seki.
pub fn count<A: Area>(board: &Board<A>, rules: &Rules, dead: &A::Set) -> Count<A> {
    let living = if dead.is_empty() { *board } else { without(board, dead) };
    let mut count: Count<A> = Count {
        owner: A::Map::filled(None),
        stones: [0; 2],
        territory: [0; 2],
        lost: Side::ALL.map(|side| board.captured(side)),
        tax: [0; 2],
        seki: A::Set::default(),
    };
    for cell in board.points() {
        let side = living.colour(cell).side();
        count.owner[cell] = side;
        match (side, board.colour(cell).side()) {
            (Some(side), _) => count.stones[side.index()] += 1,
            (None, Some(lost)) => count.lost[lost.index()] += 1,
            (None, None) => {}
        }
    }
    for region in regions(&living, |c| living.colour(c) == Colour::Empty) {
        let Some(side) = only_side(&living, &region.beside) else { continue };
        count.territory[side.index()] += region.points.len();
        for cell in region.points.iter() {
            count.owner[cell] = Some(side);
        }
    }
    if rules.tax != Tax::None {
        tax(&living, rules.tax, &mut count);
    }
    count
}

/// The one side whose stones are among `cells`; `None` if both or neither.
fn only_side<A: Area>(board: &Board<A>, cells: &A::Set) -> Option<Side> {
    let has = |side: Side| cells.iter().any(|c| board.colour(c) == Colour::of(side));
    match (has(Side::First), has(Side::Second)) {
        (true, false) => Some(Side::First),
        (false, true) => Some(Side::Second),
        _ => None,
    }
}

/// `board` with `dead` stones gone.
fn without<A: Area>(board: &Board<A>, dead: &A::Set) -> Board<A> {
    let living = board.stones().filter(|(vertex, _)| !dead.contains(A::cell(*vertex)));
    Board::with_stones(board.size(), living).unwrap_or(*board)
}

/// Finds the groups (stones and the territory between them) and what each loses.
fn tax<A: Area>(living: &Board<A>, tax: Tax, count: &mut Count<A>) {
    let filled = fill_dame(living, &count.owner);
    // A point that stays neutral after filling: stones beside it are in seki.
    let neutral: A::Set =
        CellSet::of(filled.points().filter(|&c| filled.colour(c) == Colour::Empty && count.owner[c].is_none()));
    for side in Side::ALL {
        let holds = |c: Cell| filled.colour(c) == Colour::of(side) || count.owner[c] == Some(side);
        for group in regions(living, holds) {
            let territory =
                group.points.iter().filter(|&c| living.colour(c) == Colour::Empty && count.owner[c].is_some());
            let territory = territory.count();
            if group.beside.meets(&neutral) {
                count.tax[side.index()] += territory;
                let stones = group.points.iter().filter(|&c| living.colour(c) == Colour::of(side));
                count.seki.unite(&A::Set::of(stones));
            } else if tax == Tax::All {
                count.tax[side.index()] += territory.min(2);
            }
        }
    }
}

/// Fills neutral points as long as some side can do so without risk: the new stone's chain keeps two liberties, nothing is
/// captured and no chain of either side is put into atari. In a seki nobody can.
fn fill_dame<A: Area>(living: &Board<A>, owner: &A::Map<Option<Side>>) -> Board<A> {
    let mut board = *living;
    loop {
        let mut filled = false;
        for cell in living.points() {
            if owner[cell].is_some() || board.colour(cell) != Colour::Empty {
                continue;
            }
            let fills = Side::ALL.into_iter().filter_map(|side| {
                let after = filled_safely(&board, side, cell)?;
                Some((after.liberties(cell), after))
            });
            // The side that keeps more liberties: it is connected to something large.
            if let Some((_, after)) = fills.max_by_key(|(liberties, _)| *liberties) {
                board = after;
                filled = true;
            }
        }
        if !filled {
            return board;
        }
    }
}

/// The board with a stone of `side` at `cell`, if that risks nothing.
fn filled_safely<A: Area>(board: &Board<A>, side: Side, cell: Cell) -> Option<Board<A>> {
    let mut joins = A::around(cell).into_iter().filter(|&n| board.colour(n) == Colour::of(side));
    if joins.next().is_none() || !board.is_legal(side, cell) {
        return None;
    }
    let mut after = *board;
    after.play(side, cell);
    let same_captures = Side::ALL.iter().all(|&s| after.captured(s) == board.captured(s));
    let calm = |n: Cell| after.colour(n).side().is_none() || after.liberties(n) >= 2;
    (same_captures && calm(cell) && A::around(cell).into_iter().all(calm)).then_some(after)
}

/// Stones that an estimate of ownership calls dead: chains whose stones are on average the other side's by `threshold`.
///
/// `ownership` is `[points]` in the order of [`crate::Vertex::all`], 1 where a point surely ends as Black's and -1 where
/// it ends as White's; `threshold` is in 0..=1.
///
/// # Panics
/// When `ownership` has not one number for each point.
pub fn dead_by_ownership<A: Area>(board: &Board<A>, ownership: &[f32], threshold: f32) -> A::Set {
    assert_eq!(ownership.len(), board.size().points(), "one number for each point");
    let mut dead = A::Set::default();
    for head in board.all_chains() {
        let for_owner = if board.colour(head) == Colour::Black { 1.0 } else { -1.0 };
        let owned = |stone| ownership[A::vertex(stone).index(board.size())] * for_owner;
        let sum: f32 = board.chain_stones(head).map(owned).sum();
        if sum / board.stones_in_chain(head) as f32 <= -threshold {
            dead.unite(&A::Set::of(board.chain_stones(head)));
        }
    }
    dead
}
