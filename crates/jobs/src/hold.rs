//! Work that stands still because anyone who started this process says so.

use std::sync::{
    Condvar, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering::Relaxed},
};

/// Read at each look at an interrupt: the lock below is for those who wait.
static IS_HELD: AtomicBool = AtomicBool::new(false);

static HELD: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

pub(crate) fn hold(held: bool) {
    *HELD.0.lock().unwrap_or_else(PoisonError::into_inner) = held;
    IS_HELD.store(held, Relaxed);
    HELD.1.notify_all();
}

/// Stands still while job control holds.
#[inline]
pub(crate) fn wait() {
    if IS_HELD.load(Relaxed) {
        let held = HELD.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(HELD.1.wait_while(held, |held| *held).unwrap_or_else(PoisonError::into_inner));
    }
}
