//! Positions that wait for analysis, and those under way.

use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering::Relaxed},
};
use tesuji_protocol::analysis::Query;

/// One position of a query.
#[derive(Clone)]
pub(super) struct Task {
    pub(super) query: Arc<Query>,
    pub(super) turn: usize,
    /// Higher ones come first.
    pub(super) priority: i64,
    /// Whether its search is to end.
    pub(super) stop: Arc<AtomicBool>,
}

/// Queries that wait and those under way.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Task>,
    running: Vec<Task>,
    is_closed: bool,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds tasks.
    pub(super) fn put(&self, tasks: impl Iterator<Item = Task>) {
        self.state().waiting.extend(tasks);
        self.wake.notify_all();
    }

    /// Waits for the next task: of the highest priority the one that came first. `None` when there will be no more.
    pub(super) fn take(&self) -> Option<Task> {
        let mut state = self.state();
        loop {
            let next = state.waiting.iter().enumerate().max_by_key(|(i, task)| (task.priority, std::cmp::Reverse(*i)));
            if let Some((i, _)) = next {
                let task = state.waiting.remove(i);
                state.running.push(task.clone());
                return Some(task);
            }
            if state.is_closed {
                return None;
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that a task is answered.
    pub(super) fn done(&self, task: &Task) {
        self.state().running.retain(|other| !Arc::ptr_eq(&other.stop, &task.stop));
    }

    /// There will be no more tasks.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.wake.notify_all();
    }

    /// Stops the searches that are meant, and returns those that had not begun, which nobody will answer now.
    pub(super) fn stop(&self, is_meant: impl Fn(&Task) -> bool) -> Vec<Task> {
        let mut state = self.state();
        state.running.iter().filter(|task| is_meant(task)).for_each(|task| task.stop.store(true, Relaxed));
        let (stopped, waiting) = std::mem::take(&mut state.waiting).into_iter().partition(|task| is_meant(task));
        state.waiting = waiting;
        stopped
    }

    /// Stops everything, without a word.
    pub(super) fn stop_all(&self) {
        self.stop(|_| true);
    }
}
