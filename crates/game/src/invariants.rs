//! The switch of the expensive invariants: what search and evaluation assert at every node when a test asks for it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static ENABLED: AtomicBool = AtomicBool::new(false);

/// Whether expensive invariants are asserted: that what is incremental equals what is computed from scratch, that every
/// move survives packing, that stacks are empty at the root. Always `false` in builds without debug assertions, so that
/// nothing of the assertions is in a release.
#[inline(always)]
pub fn enabled() -> bool {
    cfg!(debug_assertions) && ENABLED.load(Relaxed)
}

/// Turns the expensive invariants on for this process, before the first search; `false` where this build has none.
///
/// # Examples
///
/// ```
/// use tesuji_game::invariants;
/// assert!(!invariants::enabled());
/// // Only builds with debug assertions have them.
/// assert_eq!(invariants::enable(), cfg!(debug_assertions));
/// assert_eq!(invariants::enabled(), cfg!(debug_assertions));
/// ```
pub fn enable() -> bool {
    ENABLED.store(true, Relaxed);
    enabled()
}
