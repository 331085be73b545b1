//! Signals from the reading thread to the searching thread: counters that only grow, so that no order is lost or reaches the wrong search.

use std::sync::{
    Condvar, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
use tesuji_game::Signal;

/// Orders for work that takes long (searches, perft, bench). Each piece of work has a number, from 1; an order holds for
/// all work asked for before it. A stop that comes before its search begins is therefore not lost, and one that comes
/// after its end does not meet the next.
#[derive(Default)]
pub(super) struct Control {
    asked: AtomicU64,
    done: AtomicU64,
    stopped: AtomicU64,
    hit: AtomicU64,
    cut: AtomicU64,
    ended: AtomicBool,
    aborted: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Control {
    /// Counts a piece of work that was asked for and returns its number.
    pub(super) fn ask(&self) -> u64 {
        self.asked.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// The piece of work `id` is done, and its answer written.
    pub(super) fn finish(&self, id: u64) {
        self.done.store(id, Ordering::SeqCst);
    }

    /// Whether there is work that was asked for and is not done.
    pub(super) fn is_working(&self) -> bool {
        self.asked.load(Ordering::SeqCst) > self.done.load(Ordering::SeqCst)
    }

    /// Stops all searches asked for so far.
    pub(super) fn stop(&self) {
        self.order(|| self.stopped.store(self.asked.load(Ordering::SeqCst), Ordering::SeqCst));
    }

    /// Ends the search `id`, and those before it, if they are of the kind that the next line ends.
    pub(super) fn cut(&self, id: u64) {
        self.order(|| self.cut.store(id, Ordering::SeqCst));
    }

    /// Whether the search `id`, which the next line ends, must end.
    pub(super) fn is_cut(&self, id: u64) -> bool {
        self.cut.load(Ordering::Relaxed) >= id
    }

    /// The expected move was played.
    pub(super) fn ponder_hit(&self) {
        self.order(|| self.hit.store(self.asked.load(Ordering::SeqCst), Ordering::SeqCst));
    }

    /// There will be no more orders: searches that wait for one end.
    pub(super) fn end(&self) {
        self.order(|| self.ended.store(true, Ordering::SeqCst));
    }

    /// Whether there will be no more orders.
    pub(super) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Gives up whatever is under way or will be asked for: nobody listens any more.
    pub(super) fn abort(&self) {
        self.order(|| self.aborted.store(true, Ordering::SeqCst));
    }

    fn order(&self, give: impl FnOnce()) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        give();
        self.wake.notify_all();
    }

    /// Whether the work `id` must end.
    pub(super) fn is_stopped(&self, id: u64) -> bool {
        self.stopped.load(Ordering::Relaxed) >= id || self.aborted.load(Ordering::Relaxed)
    }

    /// The present signal for the search `id`.
    pub(super) fn signal(&self, id: u64) -> Signal {
        if self.is_stopped(id) {
            Signal::Stop
        } else if self.hit.load(Ordering::Relaxed) >= id {
            Signal::PonderHit
        } else {
            Signal::Run
        }
    }

    /// Waits until the search `id` may answer: at a stop or, unless `infinite`, when the expected move is played; where the
    /// next line ends it (`cut`), at that.
    pub(super) fn hold(&self, id: u64, infinite: bool, cut: bool) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match self.signal(id) {
                _ if self.is_ended() || cut && self.is_cut(id) => return,
                Signal::Stop => return,
                Signal::PonderHit if !infinite => return,
                _ => guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_meets_the_searches_asked_for_before_it_and_no_other() {
        let control = Control::default();
        control.stop();
        let first = control.ask();
        assert_eq!(control.signal(first), Signal::Run);
        control.stop();
        let second = control.ask();
        assert_eq!((control.signal(first), control.signal(second)), (Signal::Stop, Signal::Run));
        assert!(control.is_working());
        control.finish(first);
        control.finish(second);
        assert!(!control.is_working());
    }

    #[test]
    fn a_ponder_hit_lets_the_answer_go_unless_infinite() {
        let control = Control::default();
        let id = control.ask();
        control.ponder_hit();
        control.hold(id, false, false);
        assert_eq!(control.signal(id), Signal::PonderHit);
        std::thread::scope(|scope| {
            let held = scope.spawn(|| control.hold(id, true, false));
            assert!(!held.is_finished());
            control.cut(id);
            assert!(!held.is_finished());
            control.stop();
        });
    }
}
