//! The clock by which sessions are looked after: the machine's, or one that a test turns.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

/// Time since some moment.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock {
    /// A clock that shows what `now` says, which must not go back.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// Time since the clock's first moment.
    pub(crate) fn now(&self) -> Duration {
        (self.0)()
    }
}

impl Default for Clock {
    /// The machine's clock, from now on.
    fn default() -> Clock {
        let begun = Instant::now();
        Clock::new(move || begun.elapsed())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({:?})", self.now())
    }
}
