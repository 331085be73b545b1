//! State shared by the threads of one search: the flag that ends it, the budget of nodes, the counts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Nodes that a thread takes from the common budget at a time when there are several.
const SHARE_NODES: u64 = 32;

/// One cache line per thread, so that counting does not make them wait for each other.
#[repr(align(64))]
struct Counter(AtomicU64);

/// State shared by the threads of one search.
pub(super) struct Shared {
    stop: AtomicBool,
    /// Nodes not yet taken by any thread; `None` without a limit.
    budget: Option<AtomicU64>,
    /// The part of the budget that is kept for the caller's thread, lest fast helpers use up what its first iteration needs.
    kept: AtomicU64,
    nodes: Vec<Counter>,
}

impl Shared {
    pub(super) fn new(threads: usize, nodes_max: Option<u64>) -> Self {
        // The root is a node and needs no move.
        let moves = nodes_max.map_or(0, |n| n.saturating_sub(1));
        let kept = moves / threads as u64;
        Shared {
            stop: AtomicBool::new(false),
            budget: nodes_max.map(|_| AtomicU64::new(moves - kept)),
            kept: AtomicU64::new(kept),
            nodes: (0..threads).map(|_| Counter(AtomicU64::new(0))).collect(),
        }
    }

    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether a node limit was given and every node of it was taken.
    pub(super) fn is_spent(&self) -> bool {
        self.budget.as_ref().is_some_and(|b| b.load(Relaxed) == 0) && self.kept.load(Relaxed) == 0
    }

    /// Takes nodes from the budget for a thread: some, all that it may ever use, or none if it is spent.
    pub(super) fn take(&self, thread: usize) -> u64 {
        let Some(budget) = &self.budget else { return u64::MAX };
        let kept = if thread == 0 { self.kept.swap(0, Relaxed) } else { 0 };
        // Its own part first, in one piece: nobody else touches it.
        if kept > 0 {
            return kept;
        }
        let taken = |left: u64| Some(left.saturating_sub(SHARE_NODES));
        budget.fetch_update(Relaxed, Relaxed, taken).map_or(0, |left| left.min(SHARE_NODES))
    }

    /// Says how many moves a thread has made.
    pub(super) fn publish(&self, thread: usize, nodes: u64) {
        self.nodes[thread].0.store(nodes, Relaxed);
    }

    /// Nodes of all threads: the root and all moves made that threads have told about.
    pub(super) fn nodes(&self) -> u64 {
        1 + self.nodes.iter().map(|n| n.0.load(Relaxed)).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_exact_over_threads() {
        let shared = Shared::new(3, Some(1000));
        let mut taken = 0;
        for thread in [1, 2, 0] {
            loop {
                match shared.take(thread) {
                    0 => break,
                    n => taken += n,
                }
            }
        }
        assert_eq!(taken, 999);
        assert!(shared.is_spent());
    }

    #[test]
    fn one_thread_takes_all() {
        assert_eq!(Shared::new(1, Some(1000)).take(0), 999);
        assert_eq!(Shared::new(1, None).take(0), u64::MAX);
        assert!(!Shared::new(1, None).is_spent());
    }
}
