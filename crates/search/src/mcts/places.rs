//! Transpositions of a tree: the node of each position, whatever the order of moves that led to it, and visit counts of edges.

use super::{
    arena::{Allowance, Arena},
    tree::{EDGES, NODES},
};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{
        Mutex, PoisonError,
        atomic::{
            AtomicU32, AtomicU64,
            Ordering::{AcqRel, Acquire, Relaxed, Release},
        },
    },
};

/// Parts of the table, so that threads seldom wait for each other.
const PARTS: usize = 64;
/// Bytes of a table entry, its share of empty slots included.
const ENTRY_BYTES: usize = 32;

/// Bytes that a node and an edge take here.
pub(super) const NODE_BYTES: usize = ENTRY_BYTES + size_of::<AtomicU64>();
pub(super) const EDGE_BYTES: usize = size_of::<AtomicU32>();

/// The target of an edge.
pub(super) enum Passage {
    /// To this node.
    To(u32),
    /// Nowhere: the position is another one by the way that was taken. The value is for the side that moved.
    Closed(f32),
    /// There is no room for a node.
    Full,
}

/// The nodes of positions and the visits of edges. Values are kept by nodes, visits by edges, so that a result found on one way
/// serves all (Childs, Brodeur and Kocsis 2008, "Transpositions and move groups in Monte Carlo tree search", their UCT2).
pub(super) struct Places {
    parts: Box<[Mutex<HashMap<u64, u32>>]>,
    /// Beside the nodes: what is equal for all ways to a node, 0 for a node that only one way leads to.
    keys: Arena<AtomicU64, NODES>,
    /// Beside the edges.
    visits: Arena<AtomicU32, EDGES>,
}

impl Places {
    /// None at all unless `used`; at most `bytes` otherwise, within an allowance.
    pub(super) fn new(used: bool, bytes: usize) -> Places {
        let bytes = if used { bytes } else { 0 };
        let parts = (0..if used { PARTS } else { 0 }).map(|_| Mutex::default()).collect();
        Places { parts, keys: Arena::new(bytes), visits: Arena::new(bytes) }
    }

    /// The node of a place, which `make` makes if there is none yet; `None` where there is no room. Place 0 is always new.
    pub(super) fn find_or(&self, place: u64, allowance: &Allowance, make: impl Fn() -> Option<u32>) -> Option<u32> {
        let made = || {
            let node = make()?;
            self.reach_nodes(node, allowance)?;
            self.keys.at(node).store(place, Release);
            Some(node)
        };
        if place == 0 {
            return made();
        }
        let part = &self.parts[(place >> 32) as usize % PARTS];
        match part.lock().unwrap_or_else(PoisonError::into_inner).entry(place) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(entry) => {
                if !allowance.take(ENTRY_BYTES) {
                    return None;
                }
                Some(*entry.insert(made()?))
            }
        }
    }

    /// The place of a node that was made by [`Places::find_or`].
    pub(super) fn of(&self, node: u32) -> u64 {
        self.keys.at(node).load(Acquire)
    }

    fn reach_nodes(&self, node: u32, allowance: &Allowance) -> Option<()> {
        self.keys.reach(node, allowance)
    }

    /// Makes room for the visits of edges that were taken together.
    pub(super) fn reach_edges(&self, first: u32, allowance: &Allowance) -> Option<()> {
        self.visits.reach(first, allowance)
    }

    pub(super) fn visits_of(&self, edge: u32) -> u32 {
        self.visits.at(edge).load(Relaxed)
    }

    pub(super) fn count(&self, edge: u32) {
        self.visits.at(edge).fetch_add(1, AcqRel);
    }

    pub(super) fn set_visits(&self, edge: u32, visits: u32) {
        self.visits.at(edge).store(visits, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        node::Edges,
        options::Parameters,
        tree::{Selected, Tree},
    };
    use std::{collections::HashMap, ops::ControlFlow::Continue};
    use tesuji_game::{Line, Position, Query};
    use tesuji_testkit::four::{Drop, FourPosition};

    fn parameters(transpositions: bool) -> Parameters {
        Parameters { transpositions, ..Parameters::default() }
    }

    /// Grows a tree by playouts whose results are drawn by the position.
    fn grow(tree: &Tree<FourPosition>, line: &Line<FourPosition>, playouts: usize) {
        let mut query = Query::new(line.clone());
        for _ in 0..playouts {
            if let Selected::Leaf(ticket) = tree.select(line, &mut query) {
                query.answer.value = (query.line.here().key().0 % 2001) as f32 / 1000.0 - 1.0;
                ticket.backup(&mut query);
            }
        }
    }

    fn node_at(tree: &Tree<FourPosition>, columns: [u8; 3]) -> u32 {
        columns.iter().fold(0, |id, &column| {
            let Edges::Open(block) = tree.node(id).edges() else { panic!("{columns:?} was not reached") };
            let mut words = tree.edges_of(block).iter().map(|edge| edge.load());
            words.find(|word| word.mv() == FourPosition::pack(Drop(column))).expect("an edge").child()
        })
    }

    /// The number of nodes. Visits of a node are the sum over all edges to it, and no less than the sum over all edges from it.
    #[track_caller]
    fn check_counts(tree: &Tree<FourPosition>) -> usize {
        let (mut into, mut todo, mut seen) = (HashMap::<u32, u32>::new(), vec![0], vec![0]);
        while let Some(id) = todo.pop() {
            let Edges::Open(block) = tree.node(id).edges() else { continue };
            let mut from = 0;
            for (number, edge) in (block.first..).zip(tree.edges_of(block)) {
                let (child, visits) = (edge.load().child(), tree.places.visits_of(number));
                assert!(child != 0 || visits == 0);
                from += visits;
                *into.entry(child).or_default() += visits;
                if child != 0 && !seen.contains(&child) {
                    seen.push(child);
                    todo.push(child);
                }
            }
            assert!(from < tree.node(id).visits(), "{from} of {}", tree.node(id).visits());
        }
        for (&id, &visits) in into.iter().filter(|(id, _)| **id != 0) {
            assert_eq!(tree.node(id).visits(), visits, "node {id}");
        }
        assert_eq!(tree.in_flight(), 0);
        seen.len()
    }

    #[test]
    fn two_orders_lead_to_one_node_and_counts_agree() {
        let line = Line::new(FourPosition::default());
        let (shared, plain) =
            (Tree::new(&line, &parameters(true), 1 << 22), Tree::new(&line, &parameters(false), 1 << 22));
        grow(&shared, &line, 3000);
        grow(&plain, &line, 3000);
        let (one, other) = ([2, 3, 4], [4, 3, 2]);
        assert_eq!(node_at(&shared, one), node_at(&shared, other));
        assert_ne!(node_at(&plain, one), node_at(&plain, other));
        assert_eq!((shared.visits(), plain.visits()), (3000, 3000));
        let nodes = check_counts(&shared);
        let (known, met) = (positions(&shared, &line, true), positions(&plain, &line, false));
        assert_eq!(known, nodes, "each position has one node");
        assert!(met < 2500 && known == 3000, "{met} positions in 3000 nodes");
    }

    /// The number of positions in a tree and of paths to an end; with `once`, each position must have one node.
    fn positions(tree: &Tree<FourPosition>, line: &Line<FourPosition>, once: bool) -> usize {
        let (mut places, mut ends) = (HashMap::new(), 0);
        let mut walk = vec![(0, line.clone())];
        while let Some((id, line)) = walk.pop() {
            if line.ended(0).is_some() {
                ends += 1;
                continue;
            }
            if let Some(known) = places.insert(line.here().key(), id)
                && once
            {
                assert_eq!(known, id);
                continue;
            }
            let Edges::Open(block) = tree.node(id).edges() else { continue };
            let _ = line.here().for_each_move(|mv| {
                let mut words = tree.edges_of(block).iter().map(|edge| edge.load());
                let word = words.find(|word| word.mv() == FourPosition::pack(mv)).expect("all moves are edges");
                if word.child() != 0 {
                    let mut next = line.clone();
                    next.push(mv);
                    walk.push((word.child(), next));
                }
                Continue::<(), ()>(())
            });
        }
        places.len() + ends
    }

    #[test]
    fn copies_share_what_was_shared() {
        let mut line = Line::new(FourPosition::default());
        let tree = Tree::new(&line, &parameters(true), 1 << 22);
        grow(&tree, &line, 3000);
        let pruned = tree.pruned(&line);
        assert_eq!(pruned.visits(), 3000);
        assert_eq!(
            (check_counts(&pruned), node_at(&pruned, [2, 3, 4])),
            (check_counts(&tree), node_at(&pruned, [4, 3, 2]))
        );
        line.push(tree.root_moves()[0].mv);
        let below = tree.below(&line).expect("it was visited");
        assert!(below.visits() >= tree.root_moves()[0].visits);
        let before = below.visits();
        grow(&below, &line, 500);
        assert_eq!(below.visits(), before + 500);
    }

    #[test]
    fn threads_agree_about_nodes() {
        let line = Line::new(FourPosition::default());
        let tree = Tree::new(&line, &parameters(true), 1 << 23);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| grow(&tree, &line, 2000));
            }
        });
        check_counts(&tree);
        assert_eq!(node_at(&tree, [2, 3, 4]), node_at(&tree, [4, 3, 2]));
    }
}
