//! Eye spaces by their shape: which make two eyes, which one, which depend on who plays the vital point; bent four in the corner.

use crate::{Area, Board, Cell, CellSet, Colour, Size, regions::region};
use tesuji_game::Side;

/// The number of eyes that an enclosed eye space gives its owner, by shape alone; corners and outside liberties are not considered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EyeSpace {
    /// One eye, no matter who plays: one or two points, or four in a square.
    One,
    /// Two eyes for the owner's move at this point, one for the enemy's: nakade.
    Vital(Cell),
    /// Two eyes, no matter who plays.
    Two,
}

/// The worth of a connected space of `points`, all of which the owner would like to have empty.
///
/// The dead shapes are: straight and bent three, pyramid four, bulky and crossed five, rabbity six.
pub fn eye_space<A: Area>(points: &A::Set) -> EyeSpace {
    let count = points.len();
    if count < 3 {
        return EyeSpace::One;
    }
    if count > 6 {
        return EyeSpace::Two;
    }
    let mut neighbours = [0; 6];
    let (mut most, mut centre) = (0, None);
    for (i, point) in points.iter().enumerate() {
        let here = A::around(point).into_iter().filter(|&n| points.contains(n)).count();
        neighbours[i] = here;
        if here > most {
            (most, centre) = (here, Some(point));
        }
    }
    let shape = &mut neighbours[..count];
    shape.sort_unstable();
    // How many neighbours each point has tells the shapes apart.
    let dead = matches!(*shape, [1, 1, 2] | [1, 1, 1, 3] | [1, 2, 2, 2, 3] | [1, 1, 1, 1, 4] | [1, 1, 2, 2, 2, 4]);
    match centre {
        Some(centre) if dead => EyeSpace::Vital(centre),
        _ if *shape == [2, 2, 2, 2] => EyeSpace::One,
        _ => EyeSpace::Two,
    }
}

/// The space of the point `cell` that stones of `side` enclose (enemy stones inside belong to it), if it has at most `most`
/// points; `None` if it has more.
pub fn enclosed<A: Area>(board: &Board<A>, side: Side, cell: Cell, most: usize) -> Option<A::Set> {
    let own = Colour::of(side);
    if board.colour(cell) == own || board.colour(cell) == Colour::Edge {
        return None;
    }
    let space = region(board, cell, |c| board.colour(c) != own).points;
    (space.len() <= most).then_some(space)
}

/// The bent fours of a board: in each corner the corner point, two points along one side, one along the other.
pub fn bent_fours<A: Area>(size: Size) -> impl Iterator<Item = A::Set> {
    let (stride, w, h) = (A::STRIDE as isize, size.width() as isize, size.height() as isize);
    let first = stride + 1;
    let corners = [
        (first, 1, stride),
        (first + w - 1, -1, stride),
        (first + (h - 1) * stride, 1, -stride),
        (first + (h - 1) * stride + w - 1, -1, -stride),
    ];
    corners.into_iter().flat_map(move |(corner, across, along)| {
        let shape = move |long: isize, short: isize, fits: bool| {
            let cells = [corner, corner + long, corner + 2 * long, corner + short];
            fits.then(|| A::Set::of(cells.into_iter().map(|c| Cell::new(c as usize))))
        };
        [shape(across, along, w > 2), shape(along, across, h > 2)].into_iter().flatten()
    })
}

/// The most points that a space may have to count as a possible eye of the stones around it; larger ones are outside.
const EYE_POINTS_MAX: usize = 12;

/// The stones of `side` that are dead by bent four in the corner under Japanese rules: all around a space of five points
/// where the other side has three stones of a bent four and can fill the fourth, while `side` can start nothing and has
/// no other eye. Liberties outside do not help: the other side fills them when it likes.
pub fn dead_by_bent_four<A: Area>(board: &Board<A>, side: Side) -> A::Set {
    let own = Colour::of(side);
    let mut dead = A::Set::default();
    for bent in bent_fours::<A>(board.size()) {
        let Some(stone) = bent.iter().find(|&c| board.colour(c) == Colour::of(!side)) else { continue };
        let space = region(board, stone, |c| board.colour(c) != own);
        let inside: Vec<Cell> = space.points.iter().filter(|&c| board.colour(c) == Colour::of(!side)).collect();
        let empty = A::Set::of(space.points.iter().filter(|&c| board.colour(c) == Colour::Empty));
        let shaped =
            bent.is_within(&space.points) && space.points.len() == 5 && inside.iter().all(|&c| bent.contains(c));
        let one_chain = inside.len() == 3 && inside.iter().all(|&c| board.chain(c) == board.chain(inside[0]));
        // Both sides live on the same two points: a seki, which only the other side can turn into a ko.
        let shared = empty.is_within(board.liberty_set(stone));
        if shaped && one_chain && shared && !has_other_eye(board, side, &space.points, &space.beside) {
            for c in space.beside.iter() {
                dead.unite(&A::Set::of(board.chain_stones(c)));
            }
        }
    }
    dead
}

/// Whether the chains of the stones of `side` around `space` touch another space that may be an eye.
fn has_other_eye<A: Area>(board: &Board<A>, side: Side, space: &A::Set, beside: &A::Set) -> bool {
    let own = Colour::of(side);
    let stones = beside.iter().flat_map(|c| board.chain_stones(c));
    let other = |c: &Cell| !matches!(board.colour(*c), Colour::Edge) && board.colour(*c) != own && !space.contains(*c);
    let others = A::Set::of(stones.flat_map(A::around).filter(other));
    others.iter().any(|c| enclosed(board, side, c, EYE_POINTS_MAX).is_some())
}
