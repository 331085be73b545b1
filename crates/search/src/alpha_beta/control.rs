//! What ends a search: the flag and node budget that threads share, and the clock and signals that only the caller's thread looks at.

use crate::clock::Budget;
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::Duration,
};
use tesuji_game::{Limits, Signal, Watch};

/// Nodes that a thread takes from the common budget at a time when there are several.
const SHARE_NODES: u64 = 32;
/// Nodes between two looks at the world at first, and at most.
const LOOK_FIRST: u64 = 32;
const LOOK_MAX: u64 = 1024;
/// Time that should pass between two looks.
const LOOK_EVERY: Duration = Duration::from_micros(200);

/// One cache line per thread, so that counting does not make them wait for each other.
#[repr(align(64))]
struct Counter(AtomicU64);

/// What the threads of one search share.
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

/// The eyes of the calling thread: signals and time.
pub(super) struct Control<'w, M> {
    pub(super) watch: &'w mut dyn Watch<M>,
    pub(super) limits: &'w Limits,
    /// The time for this move, counted from `counted_from`.
    pub(super) budget: Option<Budget>,
    /// When the limits began to count; `None` while pondering.
    pub(super) counted_from: Option<Duration>,
    /// Nodes between two looks, fitted to the speed of the search.
    pub(super) look_nodes: u64,
    looked_at: Duration,
}

impl<'w, M> Control<'w, M> {
    pub(super) fn new(watch: &'w mut dyn Watch<M>, limits: &'w Limits, budget: Option<Budget>) -> Self {
        let looked_at = watch.elapsed();
        let counted_from = (!limits.ponder).then_some(Duration::ZERO);
        Control { watch, limits, budget, counted_from, look_nodes: LOOK_FIRST, looked_at }
    }

    /// Looks at signals and clock: whether to stop at once.
    pub(super) fn look(&mut self) -> bool {
        let now = self.watch.elapsed();
        let passed = now.saturating_sub(self.looked_at);
        self.looked_at = now;
        self.look_nodes =
            if passed > LOOK_EVERY { (self.look_nodes / 2).max(1) } else { (self.look_nodes * 2).min(LOOK_MAX) };
        match self.watch.signal() {
            Signal::Stop => return true,
            Signal::PonderHit if self.counted_from.is_none() => self.counted_from = Some(now),
            _ => {}
        }
        self.counted(now).zip(self.budget).is_some_and(|(spent, b)| spent >= b.hard)
    }

    /// Time since the limits began to count; `None` while pondering.
    pub(super) fn counted(&self, now: Duration) -> Option<Duration> {
        self.counted_from.map(|from| now.saturating_sub(from))
    }

    /// Whether the soft budget, scaled by `factor`, is used up.
    pub(super) fn soft_is_over(&self, factor: f64) -> bool {
        let Some(spent) = self.counted(self.watch.elapsed()) else { return false };
        let Some(Budget { soft: Some(soft), .. }) = self.budget else { return false };
        spent >= soft.mul_f64(factor)
    }

    /// Whether the caller wants the search to go on even with nothing left to find.
    pub(super) fn must_wait(&mut self) -> bool {
        match self.watch.signal() {
            Signal::Stop => false,
            Signal::PonderHit => self.limits.infinite,
            Signal::Run => self.limits.infinite || self.limits.ponder,
        }
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
