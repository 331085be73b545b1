//! Stopping a search: clock and signals, checked by the main thread alone.

use crate::clock::Budget;
use std::time::Duration;
use tesuji_game::{Limits, Signal, Watch};

/// Nodes between two looks at the world at first, and at most.
const LOOK_FIRST: u64 = 32;
const LOOK_MAX: u64 = 1024;
/// Time that should pass between two looks.
const LOOK_EVERY: Duration = Duration::from_micros(200);

/// The eyes of the calling thread: signals and time.
pub(crate) struct Control<'w, M> {
    pub(crate) watch: &'w mut dyn Watch<M>,
    pub(crate) limits: &'w Limits,
    /// The time for this move, counted from `counted_from`.
    pub(crate) budget: Option<Budget>,
    /// Time at which the limits began to count; `None` while pondering.
    pub(crate) counted_from: Option<Duration>,
    /// Nodes between two checks of the clock, adapted to the speed of the search.
    pub(crate) look_nodes: u64,
    looked_at: Duration,
}

impl<'w, M> Control<'w, M> {
    /// `first`: how many nodes may pass before the first look; at most [`LOOK_FIRST`].
    pub(crate) fn starting(
        watch: &'w mut dyn Watch<M>,
        limits: &'w Limits,
        budget: Option<Budget>,
        first: u64,
    ) -> Self {
        Control { look_nodes: first.clamp(1, LOOK_FIRST), ..Control::new(watch, limits, budget) }
    }

    pub(crate) fn new(watch: &'w mut dyn Watch<M>, limits: &'w Limits, budget: Option<Budget>) -> Self {
        let looked_at = watch.elapsed();
        let counted_from = (!limits.ponder).then_some(Duration::ZERO);
        Control { watch, limits, budget, counted_from, look_nodes: LOOK_FIRST, looked_at }
    }

    /// Looks at signals and clock: whether to stop at once.
    pub(crate) fn look(&mut self) -> bool {
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
    pub(crate) fn counted(&self, now: Duration) -> Option<Duration> {
        self.counted_from.map(|from| now.saturating_sub(from))
    }

    /// Whether the soft budget, scaled by `factor`, is used up.
    pub(crate) fn soft_is_over(&self, factor: f64) -> bool {
        let Some(spent) = self.counted(self.watch.elapsed()) else { return false };
        let Some(Budget { soft: Some(soft), .. }) = self.budget else { return false };
        spent >= soft.mul_f64(factor)
    }

    /// Whether the caller wants the search to go on even with nothing left to find.
    pub(crate) fn must_wait(&mut self) -> bool {
        match self.watch.signal() {
            Signal::Stop => false,
            Signal::PonderHit => self.limits.infinite,
            Signal::Run => self.limits.infinite || self.limits.ponder,
        }
    }
}
