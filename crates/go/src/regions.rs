//! Connected regions of points: the flood fill behind life, scoring and seki.

use crate::{Area, Board, Cell, CellSet, Colour};

/// The points that hang together with `start` through points for which `inside` holds, and all other points beside them.
pub(crate) struct Region<A: Area> {
    /// Its points.
    pub(crate) points: A::Set,
    /// The points beside it, no edge.
    pub(crate) beside: A::Set,
}

/// The region of `start`, for which `inside` must hold.
pub(crate) fn region<A: Area>(board: &Board<A>, start: Cell, inside: impl Fn(Cell) -> bool) -> Region<A> {
    let mut found: Region<A> = Region { points: A::Set::default(), beside: A::Set::default() };
    found.points.insert(start);
    let mut open = vec![start];
    while let Some(here) = open.pop() {
        for n in A::around(here) {
            if board.colour(n) == Colour::Edge {
                continue;
            }
            if !inside(n) {
                found.beside.insert(n);
            } else if found.points.insert(n) == 1 {
                open.push(n);
            }
        }
    }
    found
}

/// All regions of points for which `inside` holds, in order of their lowest point.
pub(crate) fn regions<A: Area>(board: &Board<A>, inside: impl Fn(Cell) -> bool) -> Vec<Region<A>> {
    let mut seen = A::Set::default();
    let mut all = Vec::new();
    for cell in board.points() {
        if inside(cell) && !seen.contains(cell) {
            let found = region(board, cell, &inside);
            seen.unite(&found.points);
            all.push(found);
        }
    }
    all
}
