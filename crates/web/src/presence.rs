//! Whether anybody listens to a session, and what becomes of one to which nobody does. Reads no clock itself.

use crate::clock::Clock;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// A search without a listener pauses after this time: the page was closed, or its machine sleeps.
const PAUSE_AFTER: Duration = Duration::from_secs(10);
/// A session without a listener is forgotten after this time: by then a person has come back, or begun something else.
const FORGET_AFTER: Duration = Duration::from_secs(30 * 60);
/// A session whose page said that it goes is forgotten after this time: a reload or the way back has taken it up again by then.
const FORGET_LEFT_AFTER: Duration = Duration::from_secs(60);

/// The action to take on an idle session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// Nothing.
    Nothing,
    /// Its search stops until somebody listens.
    Pause,
    /// It ends.
    Forget,
}

/// The action to take on a session that has been without a listener for `idle`; `is_left`: its page said that it goes.
fn care(idle: Duration, is_left: bool) -> Care {
    let forget_after = if is_left { FORGET_LEFT_AFTER } else { FORGET_AFTER };
    match idle {
        _ if idle >= forget_after => Care::Forget,
        _ if idle >= PAUSE_AFTER => Care::Pause,
        _ => Care::Nothing,
    }
}

/// The listeners of a session.
#[derive(Debug)]
pub(crate) struct Presence(Mutex<Listeners>);

#[derive(Debug)]
struct Listeners {
    listeners: usize,
    /// When somebody was there last.
    last: Duration,
    /// Whether the page that had it said that it goes, and nobody has listened since.
    is_left: bool,
}

impl Presence {
    /// Somebody was there at `now`.
    pub(crate) fn new(now: Duration) -> Presence {
        Presence(Mutex::new(Listeners { listeners: 0, last: now, is_left: false }))
    }

    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody asks at `now`.
    pub(crate) fn touch(&self, now: Duration) {
        let mut known = self.lock();
        known.last = known.last.max(now);
    }

    /// The time since the last listener left, as of `now`.
    pub(crate) fn idle(&self, now: Duration) -> Duration {
        let known = self.lock();
        if known.listeners > 0 { Duration::ZERO } else { now.saturating_sub(known.last) }
    }

    /// The page that had it goes.
    pub(crate) fn leave(&self) {
        self.lock().is_left = true;
    }

    /// The action to take as of `now`.
    pub(crate) fn care(&self, now: Duration) -> Care {
        let idle = self.idle(now);
        care(idle, self.lock().is_left)
    }
}

/// One who listens, from its making until it is dropped.
pub(crate) struct Listener {
    presence: Arc<Presence>,
    clock: Clock,
}

impl Listener {
    pub(crate) fn new(presence: Arc<Presence>, clock: Clock) -> Listener {
        let mut known = presence.lock();
        known.listeners += 1;
        known.is_left = false;
        drop(known);
        Listener { presence, clock }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut known = self.presence.lock();
        known.listeners -= 1;
        // Another window has it as well, and did not say that it goes.
        known.is_left &= known.listeners == 0;
        drop(known);
        self.presence.touch(self.clock.now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// A session under a clock that the test sets.
    struct Watched {
        seconds: Arc<AtomicU64>,
        clock: Clock,
        presence: Arc<Presence>,
    }

    impl Watched {
        fn new() -> Watched {
            let seconds = Arc::new(AtomicU64::new(0));
            let shown = seconds.clone();
            let clock = Clock::new(move || Duration::from_secs(shown.load(Relaxed)));
            let presence = Arc::new(Presence::new(clock.now()));
            Watched { seconds, clock, presence }
        }

        /// The action to take at this second.
        fn at(&self, second: u64) -> Care {
            self.seconds.store(second, Relaxed);
            self.presence.care(self.clock.now())
        }

        fn listener(&self) -> Listener {
            Listener::new(self.presence.clone(), self.clock.clone())
        }
    }

    #[test]
    fn a_session_pauses_after_its_last_listener_and_is_forgotten_later() {
        let watched = Watched::new();
        let at = |second| watched.at(second);
        assert_eq!((at(9), at(10)), (Care::Nothing, Care::Pause), "nobody ever listened");
        let one = watched.listener();
        let two = watched.listener();
        assert_eq!(at(9_000), Care::Nothing);
        drop(one);
        assert_eq!(at(9_900), Care::Nothing, "one of two still listens");
        drop(two);
        assert_eq!((at(9_909), at(9_910)), (Care::Nothing, Care::Pause));
        watched.presence.touch(watched.clock.now());
        assert_eq!((at(9_919), at(9_920)), (Care::Nothing, Care::Pause), "a question counts as well");
        assert_eq!((at(11_709), at(11_710)), (Care::Pause, Care::Forget));
    }

    #[test]
    fn a_session_whose_page_went_is_forgotten_after_a_minute_unless_somebody_listens_again() {
        let watched = Watched::new();
        let at = |second| watched.at(second);
        let page = watched.listener();
        watched.presence.leave();
        drop(page);
        assert_eq!((at(59), at(60)), (Care::Pause, Care::Forget));
        let again = watched.listener();
        drop(again);
        assert_eq!(at(130), Care::Pause, "the page was loaded again, and its connection broke");
    }

    #[test]
    fn a_window_that_goes_does_not_speak_for_another_one() {
        let watched = Watched::new();
        let at = |second| watched.at(second);
        let [page, other] = [(); 2].map(|()| watched.listener());
        watched.presence.leave();
        drop(page);
        assert_eq!(at(1_000), Care::Nothing, "another window still listens");
        drop(other);
        assert_eq!(
            (at(1_060), at(2_799), at(2_800)),
            (Care::Pause, Care::Pause, Care::Forget),
            "it never said that it goes"
        );
    }
}
