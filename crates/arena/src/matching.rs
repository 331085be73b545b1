//! Maximum matchings of general graphs (Edmonds, "Paths, trees, and flowers", 1965): how many pairs can be formed when not everybody
//! may meet everybody.

use std::collections::VecDeque;

/// The largest number of disjoint pairs among `count` vertices, where `may_meet` says which pairs are allowed. Time grows with the
/// cube of `count` at most.
pub(crate) fn pairs_max(count: usize, may_meet: &dyn Fn(usize, usize) -> bool) -> usize {
    let mut search = Search {
        may_meet,
        mates: vec![None; count],
        parents: vec![None; count],
        bases: (0..count).collect(),
        is_reached: vec![false; count],
    };
    // Most pairs are found at once; paths mend what is left.
    for a in 0..count {
        let is_free = |b: &usize| search.mates[*b].is_none() && *b != a && may_meet(a, *b);
        if let (None, Some(b)) = (search.mates[a], (0..count).find(is_free)) {
            (search.mates[a], search.mates[b]) = (Some(b), Some(a));
        }
    }
    for root in 0..count {
        if search.mates[root].is_none() {
            search.augment(root);
        }
    }
    search.mates.iter().flatten().count() / 2
}

/// A search for paths that begin and end at vertices without a mate.
struct Search<'a> {
    may_meet: &'a dyn Fn(usize, usize) -> bool,
    mates: Vec<Option<usize>>,
    /// The vertex from which an odd vertex of the tree was reached.
    parents: Vec<Option<usize>>,
    /// The base of the blossom that a vertex belongs to; itself where it belongs to none.
    bases: Vec<usize>,
    /// Whether a vertex is even in the tree: at an even distance from the root.
    is_reached: Vec<bool>,
}

impl Search<'_> {
    /// Gives `root` a mate, where a path allows it.
    fn augment(&mut self, root: usize) {
        let mut end = self.path(root);
        while let Some(vertex) = end {
            let Some(parent) = self.parents[vertex] else { return };
            let next = self.mates[parent];
            (self.mates[vertex], self.mates[parent]) = (Some(parent), Some(vertex));
            end = next;
        }
    }

    /// The other end of an augmenting path from `root`.
    fn path(&mut self, root: usize) -> Option<usize> {
        let count = self.mates.len();
        self.parents.fill(None);
        self.is_reached.fill(false);
        self.bases = (0..count).collect();
        self.is_reached[root] = true;
        let mut queue = VecDeque::from([root]);
        while let Some(from) = queue.pop_front() {
            for to in 0..count {
                if self.bases[from] == self.bases[to] || self.mates[from] == Some(to) || !(self.may_meet)(from, to) {
                    continue;
                }
                let is_even = to == root || self.mates[to].is_some_and(|mate| self.parents[mate].is_some());
                if is_even {
                    self.shrink(from, to, &mut queue);
                } else if self.parents[to].is_none() {
                    self.parents[to] = Some(from);
                    let Some(mate) = self.mates[to] else { return Some(to) };
                    self.is_reached[mate] = true;
                    queue.push_back(mate);
                }
            }
        }
        None
    }

    /// Makes one vertex of the odd cycle that the edge between two even vertices closes.
    fn shrink(&mut self, a: usize, b: usize, queue: &mut VecDeque<usize>) {
        let base = self.common_base(a, b);
        let mut in_blossom = vec![false; self.mates.len()];
        self.mark(a, base, b, &mut in_blossom);
        self.mark(b, base, a, &mut in_blossom);
        for vertex in 0..self.mates.len() {
            if in_blossom[self.bases[vertex]] {
                self.bases[vertex] = base;
                if !std::mem::replace(&mut self.is_reached[vertex], true) {
                    queue.push_back(vertex);
                }
            }
        }
    }

    /// The first base that the ways of two even vertices to the root share.
    fn common_base(&self, a: usize, b: usize) -> usize {
        let mut is_on_way = vec![false; self.mates.len()];
        let up = |vertex: usize| self.mates[vertex].and_then(|mate| self.parents[mate]);
        let mut at = self.bases[a];
        loop {
            is_on_way[at] = true;
            match up(at) {
                Some(next) => at = self.bases[next],
                None => break,
            }
        }
        let mut at = self.bases[b];
        while !is_on_way[at] {
            match up(at) {
                Some(next) => at = self.bases[next],
                None => break,
            }
        }
        at
    }

    /// Marks the blossom's vertices from `vertex` up to `base`; a path may enter each of them from `child` on.
    fn mark(&mut self, mut vertex: usize, base: usize, mut child: usize, in_blossom: &mut [bool]) {
        while self.bases[vertex] != base {
            let Some(mate) = self.mates[vertex] else { return };
            in_blossom[self.bases[vertex]] = true;
            in_blossom[self.bases[mate]] = true;
            self.parents[vertex] = Some(child);
            child = mate;
            let Some(next) = self.parents[mate] else { return };
            vertex = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Random;

    /// The second opinion: all ways to pair the first vertex, or to leave it alone.
    fn by_trial(left: &[usize], edges: &[Vec<bool>]) -> usize {
        let Some((&first, rest)) = left.split_first() else { return 0 };
        let without = |other: usize| -> Vec<usize> { rest.iter().copied().filter(|&v| v != other).collect() };
        let met = rest.iter().filter(|&&b| edges[first][b]).map(|&b| 1 + by_trial(&without(b), edges)).max();
        met.unwrap_or(0).max(by_trial(rest, edges))
    }

    #[test]
    fn matchings_are_the_largest() {
        let mut random = Random::new(5);
        let mut sizes = 0;
        for case in 0..3000 {
            let count = 1 + random.below(9);
            let density = 1 + random.below(9);
            let mut edges = vec![vec![false; count]; count];
            let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
            for (a, b) in pairs {
                let is_edge = random.below(10) < density;
                (edges[a][b], edges[b][a]) = (is_edge, is_edge);
            }
            let all: Vec<usize> = (0..count).collect();
            let expect = by_trial(&all, &edges);
            assert_eq!(pairs_max(count, &|a, b| edges[a][b]), expect, "case {case}: {edges:?}");
            sizes += expect;
        }
        assert!(sizes > 5000, "{sizes}");
    }

    #[test]
    fn odd_cycles_are_seen() {
        // Two triangles joined by one edge: a perfect matching uses the edge between them.
        let edges = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)];
        assert_eq!(pairs_max(6, &|a, b| edges.contains(&(a.min(b), a.max(b)))), 3);
        assert_eq!(pairs_max(0, &|_, _| true), 0);
        assert_eq!(pairs_max(101, &|_, _| true), 50);
        assert_eq!(pairs_max(101, &|_, _| false), 0);
    }
}
