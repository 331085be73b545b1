//! The owner of each point if the game ended now and nobody said what is dead: unconditional life, regions that one side alone
//! encloses, and stones where they stand. Networks see it as an input.

use crate::{
    Area, Board, Cell, CellMap, CellSet, Colour,
    life::{enclosures, interior},
};
use tesuji_game::Side;

/// The owners of points; neutral points have none.
pub type Owners<A> = <A as Area>::Map<Option<Side>>;

/// The owners under area scoring: unconditionally alive stones and their territory, with what is dead in it; empty regions that touch
/// one side alone; all other stones.
///
/// Where `suicide` is allowed, a region is an eye only if all of its points touch a chain, as in [`crate::life::unconditional`].
///
/// # Examples
///
/// ```
/// use tesuji_game::Side;
/// use tesuji_go::{Area, Board, CellMap, Size, Small, Vertex, owned};
/// let board = Board::<Small>::with_stones(Size::square(5).unwrap(), [(Vertex { x: 2, y: 2 }, Side::First)]).unwrap();
/// let owners = owned::by_area(&board, false);
/// assert!(board.points().all(|cell| owners[cell] == Some(Side::First)));
/// ```
pub fn by_area<A: Area>(board: &Board<A>, suicide: bool) -> Owners<A> {
    let mut owners = Owners::<A>::filled(None);
    for side in Side::ALL {
        claim(board, side, suicide, &mut owners);
    }
    for cell in board.points() {
        owners[cell] = owners[cell].or(board.colour(cell).side());
    }
    owners
}

/// What `side` owns by unconditional life, and empty regions of its own that nobody has yet.
fn claim<A: Area>(board: &Board<A>, side: Side, suicide: bool, owners: &mut Owners<A>) {
    let (alive, enclosures) = enclosures(board, side, suicide);
    if board.all_chains().all(|head| board.colour(head) != Colour::of(side)) {
        return;
    }
    for stone in alive.iter().flat_map(|&head| board.chain_stones(head)) {
        owners[stone] = Some(side);
    }
    let enemy = Colour::of(!side);
    for enclosure in &enclosures {
        let points = &enclosure.region.points;
        let is_empty = points.iter().all(|cell| board.colour(cell) != enemy);
        let has_no_room = interior::<A>(points, &enclosure.region.beside) < 2;
        if enclosure.closed && (has_no_room || is_empty) {
            points.iter().for_each(|cell| owners[cell] = Some(side));
        } else if is_empty {
            // What lies in the other side's unconditional territory stays the other side's.
            points.iter().for_each(|cell| owners[cell] = owners[cell].or(Some(side)));
        }
    }
}

/// The owners under area scoring with a group tax: [`by_area`] without the territory of groups that touch neutral points or have a
/// stone in atari, as groups in seki do; and how many independent groups Black has more than White.
///
/// # Examples
///
/// ```
/// use tesuji_game::Side;
/// use tesuji_go::{Board, CellMap, Size, Small, Vertex, owned};
/// let board = Board::<Small>::with_stones(Size::square(5).unwrap(), [(Vertex { x: 2, y: 2 }, Side::First)]).unwrap();
/// assert_eq!(owned::independent(&board, false).1, 1);
/// ```
pub fn independent<A: Area>(board: &Board<A>, suicide: bool) -> (Owners<A>, i32) {
    let all = by_area(board, suicide);
    let is_neutral = |cell: Cell| board.colour(cell) == Colour::Empty && all[cell].is_none();
    let mut seki = A::Set::default();
    for cell in board.points() {
        let Some(owner) = all[cell] else { continue };
        let in_atari = board.colour(cell) == Colour::of(owner) && board.liberties(cell) == 1;
        if seki.contains(cell) {
            continue;
        }
        if in_atari || A::around(cell).into_iter().any(is_neutral) {
            spread::<A>(cell, &mut seki, |n| all[n] == Some(owner));
        }
    }
    let (mut owners, mut groups, mut seen) = (Owners::<A>::filled(None), 0, A::Set::default());
    for cell in board.points().filter(|&cell| !seki.contains(cell)) {
        let Some(owner) = all[cell] else { continue };
        if !seen.contains(cell) {
            groups += if owner == Side::First { 1 } else { -1 };
            spread::<A>(cell, &mut seen, |n| all[n] == Some(owner));
        }
        owners[cell] = Some(owner);
    }
    // Stones in seki count where they stand.
    for cell in board.points().filter(|&cell| seki.contains(cell)) {
        owners[cell] = all[cell].filter(|owner| board.colour(cell) == Colour::of(*owner));
    }
    (owners, groups)
}

/// Adds to `set` what hangs together with `start` through points for which `inside` holds.
fn spread<A: Area>(start: Cell, set: &mut A::Set, inside: impl Fn(Cell) -> bool) {
    let mut open = vec![start];
    set.insert(start);
    while let Some(here) = open.pop() {
        for n in A::around(here) {
            if inside(n) && set.insert(n) == 1 {
                open.push(n);
            }
        }
    }
}
