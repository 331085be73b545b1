//! Work that takes a moment — parsing records, making players, reading files — beside the threads that answer requests, a
//! limited number at once and for a limited time.

use crate::Problem;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::Semaphore;

/// Pieces of work at once; others wait.
const AT_ONCE: usize = 4;
/// The timeout of a piece of work, waiting included.
const PATIENCE: Duration = Duration::from_secs(20);

/// Until when work is to be done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// Whether work that goes on is in vain: nobody waits for it any longer.
    pub(crate) fn is_over(self) -> bool {
        Instant::now() > self.0
    }
}

/// The folder of the work.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    places: Arc<Semaphore>,
    patience: Duration,
}

impl Default for Workers {
    fn default() -> Workers {
        Workers { places: Arc::new(Semaphore::new(AT_ONCE)), patience: PATIENCE }
    }
}

impl Workers {
    /// Runs `work` and returns its result. Work that can be long looks at its deadline now and then; what does not keeps its place until
    /// it ends, so that endless work stops other work and not the server.
    ///
    /// # Errors
    /// Those of `work`, or that it takes too long.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(Deadline) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let deadline = Deadline(Instant::now() + self.patience);
        let done = async {
            let closed = |_| Problem::internal("the server ends");
            let place = self.places.clone().acquire_owned().await.map_err(closed)?;
            let done = tokio::task::spawn_blocking(move || {
                let _place = place;
                work(deadline)
            });
            done.await.map_err(|error| Problem::internal(format!("the work broke: {error}")))?
        };
        match tokio::time::timeout(self.patience, done).await {
            Ok(done) => done,
            Err(_) => Err(Problem::busy("this takes too long").hint("Ask for less, or try again later.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn endless_work_keeps_its_place_and_nothing_else() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let workers = Workers { places: Arc::new(Semaphore::new(1)), patience: Duration::from_millis(50) };
        let (release, released) = mpsc::channel::<()>();
        runtime.block_on(async {
            let endless = workers.run(move |_| released.recv().map_err(|_| Problem::internal("gone")));
            assert_eq!(endless.await.map_err(|problem| problem.status), Err(503));
            let next = workers.run(|_| Ok(()));
            assert_eq!(next.await.map_err(|problem| problem.status), Err(503), "its place is taken");
            release.send(()).expect("it still works");
            let patient = Workers { patience: Duration::from_secs(20), ..workers.clone() };
            assert_eq!(patient.run(|deadline| Ok(deadline.is_over())).await, Ok(false));
        });
    }
}
