//! Threads that live as long as their owner and take jobs over a channel: a thread spawned for each move costs games at short time controls.

use std::{
    io,
    sync::mpsc::{Receiver, Sender, channel},
    thread::JoinHandle,
};
use tesuji_options::OptionError;

/// The stack of a thread, in bytes: deep lines recurse.
const STACK: usize = 8 << 20;

/// Persistent threads. Each takes jobs `J` in order and answers each with an `R`.
pub struct Pool<J, R> {
    handles: Vec<WorkerHandle<J, R>>,
}

struct WorkerHandle<J, R> {
    /// `None` only while dropping.
    jobs: Option<Sender<J>>,
    done: Receiver<R>,
    thread: Option<JoinHandle<()>>,
}

impl<J: Send + 'static, R: Send + 'static> Pool<J, R> {
    /// Starts one thread for each of `workers`, which it owns and calls for each job. Where the system gives no more threads, the
    /// pool has those that it gave: see [`Pool::check`].
    pub fn new<W: FnMut(J) -> R + Send + 'static>(workers: impl IntoIterator<Item = W>) -> Self {
        Pool { handles: workers.into_iter().enumerate().map_while(|(i, worker)| start(i, worker).ok()).collect() }
    }

    /// Whether the pool has all threads of a search that was asked for `threads`, of which one is the caller's own.
    ///
    /// # Errors
    /// When the system gave fewer. The search goes on with those that it gave, and the message says so.
    pub fn check(&self, threads: usize) -> Result<(), OptionError> {
        let there = self.len() + 1;
        match there >= threads {
            true => Ok(()),
            false => Err(OptionError::Failed {
                name: "Threads",
                reason: format!("the system gives {there} of {threads} threads; the search goes on with {there}"),
            }),
        }
    }

    /// The number of threads.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Whether there are no threads.
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// Gives each thread a job, made by `job` from the thread's number.
    pub fn start(&self, mut job: impl FnMut(usize) -> J) {
        for (i, handle) in self.handles.iter().enumerate() {
            if let Some(jobs) = &handle.jobs {
                // A thread that is gone shows when its answer is awaited.
                let _ = jobs.send(job(i));
            }
        }
    }

    /// Waits for the answer of every thread to the job last started, in order.
    ///
    /// # Panics
    /// When a thread has panicked: its own words stand on stderr.
    pub fn wait(&self) -> Vec<R> {
        self.handles.iter().map(|handle| handle.done.recv().expect("a search thread died")).collect()
    }
}

impl<J, R> Drop for Pool<J, R> {
    fn drop(&mut self) {
        for handle in &mut self.handles {
            // All channels first, so that the threads end side by side; joined one by one they would be waited for in turn.
            handle.jobs = None;
        }
        for handle in &mut self.handles {
            if let Some(thread) = handle.thread.take() {
                let _ = thread.join();
            }
        }
    }
}

fn start<J: Send + 'static, R: Send + 'static>(
    i: usize,
    mut worker: impl FnMut(J) -> R + Send + 'static,
) -> io::Result<WorkerHandle<J, R>> {
    let (jobs, inbox) = channel::<J>();
    let (out, done) = channel::<R>();
    let thread = std::thread::Builder::new().name(format!("search-{}", i + 1)).stack_size(STACK).spawn(move || {
        for job in inbox {
            if out.send(worker(job)).is_err() {
                break;
            }
        }
    })?;
    Ok(WorkerHandle { jobs: Some(jobs), done, thread: Some(thread) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_keeps_its_own_memory() {
        let pool = Pool::new((0..3u64).map(|start| {
            let mut sum = start;
            move |add: u64| {
                sum += add;
                sum
            }
        }));
        pool.start(|i| 10 * i as u64);
        assert_eq!(pool.wait(), [0, 11, 22]);
        pool.start(|_| 1);
        assert_eq!(pool.wait(), [1, 12, 23]);
    }

    /// `Threads=512` where a user may have 800 threads was a panic, and then `bestmove (none)`.
    #[test]
    fn fewer_threads_than_were_asked_for_are_told() {
        let pool = Pool::new((0..2).map(|_| |j: u32| j));
        assert_eq!((pool.check(1), pool.check(3)), (Ok(()), Ok(())));
        let words = pool.check(512).unwrap_err().to_string();
        assert_eq!(words, "option Threads: the system gives 3 of 512 threads; the search goes on with 3");
    }

    #[test]
    fn dropping_joins() {
        for _ in 0..100 {
            let pool = Pool::new((0..2).map(|_| |j: u32| j));
            pool.start(|_| 7);
        }
    }
}
