//! Unconditional life (David B. Benson, "Life in the game of Go", 1976): what cannot be captured even by one who always moves.

use crate::{
    Area, Board, Cell, CellSet, Colour,
    regions::{Region, regions},
};
use tesuji_game::Side;

/// The chains and territory of one side that are unconditionally alive: whatever the other side plays, without an answer.
#[derive(Debug, Clone, Copy)]
pub struct Life<A: Area> {
    /// The stones of unconditionally alive chains.
    pub alive: A::Set,
    /// The points, with enemy stones on them if there are any, of the regions that keep these chains alive.
    pub eyes: A::Set,
    /// The points, with enemy stones on them, of all regions bounded by these chains alone where the other side
    /// has no room for two eyes: the eyes, and regions with at most one point that no bounding stone touches.
    pub territory: A::Set,
}

/// A region that stones of one side enclose.
pub(crate) struct Enclosure<A: Area> {
    pub(crate) region: Region<A>,
    /// The heads of the chains around it.
    around: Vec<Cell>,
    /// The heads of those for which every point that counts is a liberty.
    vital_to: Vec<Cell>,
    /// Whether all chains around it are unconditionally alive.
    pub(crate) closed: bool,
}

/// Finds the chains of `side` that are unconditionally alive, and their territory.
///
/// Where `suicide` is allowed, the other side can empty points by taking its own stones off: then all points of a region
/// must touch a chain to be its eye, not only the empty ones.
pub fn unconditional<A: Area>(board: &Board<A>, side: Side, suicide: bool) -> Life<A> {
    let (alive, enclosures) = enclosures(board, side, suicide);
    let mut life: Life<A> = Life { alive: A::Set::default(), eyes: A::Set::default(), territory: A::Set::default() };
    for &head in &alive {
        life.alive.unite(&A::Set::of(board.chain_stones(head)));
    }
    for enclosure in enclosures.iter().filter(|enclosure| enclosure.closed && !enclosure.around.is_empty()) {
        let points = &enclosure.region.points;
        if !enclosure.vital_to.is_empty() {
            life.eyes.unite(points);
            life.territory.unite(points);
        } else if interior::<A>(points, &enclosure.region.beside) < 2 {
            life.territory.unite(points);
        }
    }
    life
}

/// The heads of the unconditionally alive chains of `side`, and all regions between its stones.
pub(crate) fn enclosures<A: Area>(board: &Board<A>, side: Side, suicide: bool) -> (Vec<Cell>, Vec<Enclosure<A>>) {
    let own = Colour::of(side);
    let chains: Vec<Cell> = board.all_chains().filter(|&c| board.colour(c) == own).collect();
    let mut enclosures: Vec<Enclosure<A>> =
        regions(board, |c| board.colour(c) != own).into_iter().map(|r| enclosure(board, r, suicide)).collect();
    let mut alive = chains;
    loop {
        let eyes = |head: Cell| enclosures.iter().filter(|e| e.closed && e.vital_to.contains(&head)).count();
        // Chains need eyes that living chains alone surround, so that what falls may let others fall.
        let before = alive.len();
        let kept: Vec<Cell> = alive.iter().copied().filter(|&head| eyes(head) >= 2).collect();
        alive = kept;
        for enclosure in &mut enclosures {
            enclosure.closed = enclosure.closed && enclosure.around.iter().all(|head| alive.contains(head));
        }
        if alive.len() == before {
            return (alive, enclosures);
        }
    }
}

/// Counts the points of a region that touch none of the stones `beside` it.
pub(crate) fn interior<A: Area>(points: &A::Set, beside: &A::Set) -> usize {
    points.iter().filter(|&p| !A::around(p).into_iter().any(|n| beside.contains(n))).count()
}

fn enclosure<A: Area>(board: &Board<A>, region: Region<A>, suicide: bool) -> Enclosure<A> {
    let mut around: Vec<Cell> = region.beside.iter().map(|stone| board.chain(stone)).collect();
    around.sort();
    around.dedup();
    let counts = |&p: &Cell| suicide || board.colour(p) == Colour::Empty;
    let touches =
        |p: Cell, head: Cell| A::around(p).iter().any(|&n| region.beside.contains(n) && board.chain(n) == head);
    let vital = |head: Cell| region.points.iter().filter(counts).all(|p| touches(p, head));
    let vital_to = around.iter().copied().filter(|&head| vital(head)).collect();
    Enclosure { region, around, vital_to, closed: true }
}

/// The stones that stand in the other side's unconditional territory: dead without a doubt. Much that is dead is not here.
pub fn dead<A: Area>(board: &Board<A>, suicide: bool) -> A::Set {
    let mut dead = A::Set::default();
    for side in Side::ALL {
        let enemy = Colour::of(!side);
        let territory = unconditional(board, side, suicide).territory;
        dead.unite(&A::Set::of(territory.iter().filter(|&c| board.colour(c) == enemy)));
    }
    dead
}
