//! Work that stands still, or begins nothing new, because anyone who started this process says so.

use std::sync::{
    Condvar, Mutex, PoisonError,
    atomic::{
        AtomicBool,
        Ordering::{Relaxed, SeqCst},
    },
};

/// Read at each look at an interrupt: the lock below is for those who wait.
static IS_HELD: AtomicBool = AtomicBool::new(false);

/// Whether what is begun is to be brought to its end, and nothing new begun.
static IS_FINISHING: AtomicBool = AtomicBool::new(false);
/// Whether the first Ctrl-C asks for that.
static FINISHES_FIRST: AtomicBool = AtomicBool::new(false);

static HELD: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

pub(crate) fn hold(held: bool) {
    *HELD.0.lock().unwrap_or_else(PoisonError::into_inner) = held;
    IS_HELD.store(held, Relaxed);
    HELD.1.notify_all();
}

/// Asks to bring to its end what is begun, and to begin nothing new; returns whether that was asked for before.
pub(crate) fn finish() -> bool {
    IS_FINISHING.swap(true, SeqCst)
}

pub(crate) fn is_finishing() -> bool {
    IS_FINISHING.load(Relaxed)
}

/// The first Ctrl-C asks to finish from now on.
pub(crate) fn let_finish_first() {
    FINISHES_FIRST.store(true, SeqCst);
}

/// Whether a Ctrl-C that comes now is the first one, and asks to finish alone. It does so then.
pub(crate) fn takes_interrupt() -> bool {
    FINISHES_FIRST.load(SeqCst) && !finish()
}

/// Stands still while job control holds.
#[inline]
pub(crate) fn wait() {
    if IS_HELD.load(Relaxed) {
        let held = HELD.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(HELD.1.wait_while(held, |held| *held).unwrap_or_else(PoisonError::into_inner));
    }
}
