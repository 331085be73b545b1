//! The queue shared by all listeners of a server: it is of bounded length, and threads with the net take from it what fits into a
//! batch, no matter who asked, and hand the answers back.

use crate::{
    counts::{ServerCounts, ServerOptions},
    wire::{Reply, Request},
};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use tesuji_nn::{NetSession, Service};
use tokio::sync::{Notify, oneshot};

/// Between two looks at whether the server should stop.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// The net's reply, or its error; the channel is closed without an answer when the server stops.
pub(crate) type Answer = oneshot::Receiver<Result<Reply, String>>;

/// A request in the queue.
struct Job {
    request: Request,
    answer: oneshot::Sender<Result<Reply, String>>,
}

/// Requests, and the positions of those and of others that have room but are not yet here.
#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    positions: usize,
}

/// The queue and the net.
pub(crate) struct Queue {
    pub(crate) net: Arc<dyn Service>,
    pub(crate) counts: Arc<ServerCounts>,
    parameters: ServerOptions,
    waiting: Mutex<Waiting>,
    /// Something came or went: for threads, and for tasks that want room.
    changed: Condvar,
    room: Notify,
    stop: AtomicBool,
}

/// Room for this many positions, which is given back where nothing is put there.
pub(crate) struct Reservation<'a> {
    queue: &'a Queue,
    positions: usize,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if self.positions > 0 {
            self.queue.waiting().positions -= self.positions;
            self.queue.tell();
        }
    }
}

impl Reservation<'_> {
    /// Puts a request there.
    pub(crate) fn fill(mut self, request: Request) -> Answer {
        let (answer, answers) = oneshot::channel();
        assert_eq!(self.positions, request.batch, "room was asked for what comes");
        self.positions = 0;
        let mut waiting = self.queue.waiting();
        // Behind a server that stopped nobody would look: the answer is dropped here.
        if !self.queue.is_stopping() {
            waiting.jobs.push_back(Job { request, answer });
        }
        drop(waiting);
        self.queue.changed.notify_all();
        answers
    }
}

impl Queue {
    /// An empty one.
    pub(crate) fn new(net: Arc<dyn Service>, parameters: ServerOptions) -> Queue {
        Queue {
            net,
            counts: Arc::default(),
            parameters,
            waiting: Mutex::default(),
            changed: Condvar::new(),
            room: Notify::new(),
            stop: AtomicBool::new(false),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        self.changed.notify_all();
        self.room.notify_waiters();
    }

    /// Whether it is over.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Lets all threads end.
    pub(crate) fn stop(&self) {
        // Under the lock, so that nobody queues behind it.
        let waiting = self.waiting();
        self.stop.store(true, Relaxed);
        drop(waiting);
        self.tell();
    }

    /// Anyone who still waits for an answer is told that there will be none.
    pub(crate) fn clear(&self) {
        self.waiting().jobs.clear();
    }

    /// Room for this many positions if there is some. What is larger than the queue has room when nothing else waits.
    fn room_in(&self, waiting: &mut Waiting, positions: usize) -> Option<Reservation<'_>> {
        let fits = waiting.positions == 0 || waiting.positions + positions <= self.parameters.queue_max;
        fits.then(|| {
            waiting.positions += positions;
            Reservation { queue: self, positions }
        })
    }

    /// Waits for room as a thread; none when the server stops.
    pub(crate) fn wait_for_room(&self, positions: usize) -> Option<Reservation<'_>> {
        let (mut waiting, mut waited) = (self.waiting(), false);
        while !self.is_stopping() {
            if let Some(room) = self.room_in(&mut waiting, positions) {
                return Some(room);
            }
            self.count_full(&mut waited);
            waiting = self.changed.wait_timeout(waiting, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    /// Waits for room as a task; none when the server stops.
    #[cfg(feature = "grpc")]
    pub(crate) async fn room(&self, positions: usize) -> Option<Reservation<'_>> {
        let mut waited = false;
        while !self.is_stopping() {
            // Made before looking, so that what changes after the look is not missed.
            let changed = self.room.notified();
            if let Some(room) = self.room_in(&mut self.waiting(), positions) {
                return Some(room);
            }
            self.count_full(&mut waited);
            changed.await;
        }
        None
    }

    fn count_full(&self, waited: &mut bool) {
        if !*waited {
            *waited = true;
            self.counts.full.fetch_add(1, Relaxed);
        }
    }

    /// The next requests for boards of one size that fit into a batch; none when the server stops.
    fn pull(&self) -> Vec<Job> {
        let (mut waiting, mut jobs, mut count) = (self.waiting(), Vec::<Job>::new(), 0);
        let mut until = None;
        loop {
            while let Some(job) = waiting.jobs.front() {
                let fits = jobs.first().is_none_or(|first| {
                    let alike = (job.request.height, job.request.width) == (first.request.height, first.request.width);
                    alike && count + job.request.batch <= self.parameters.batch_max
                });
                if !fits {
                    until = Some(Instant::now());
                    break;
                }
                let Some(job) = waiting.jobs.pop_front() else { break };
                count += job.request.batch;
                waiting.positions -= job.request.batch;
                jobs.push(job);
            }
            let now = Instant::now();
            let end = *until.get_or_insert(if jobs.is_empty() { now + LOOK } else { now + self.parameters.wait });
            if self.is_stopping() || (!jobs.is_empty() && (now >= end || count >= self.parameters.batch_max)) {
                drop(waiting);
                self.tell();
                return jobs;
            }
            if jobs.is_empty() {
                until = None;
            }
            let left = if jobs.is_empty() { LOOK } else { end - now };
            waiting = self.changed.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A way to the net for boards of one size.
struct SizedSession {
    /// Rows and columns of the boards.
    board: [usize; 2],
    /// The most positions of one call.
    batch_max: usize,
    session: Box<dyn NetSession>,
}

/// Runs the net on batch after batch.
pub(crate) fn work(queue: &Queue) {
    // Sessions for boards of other sizes are rare; one of each is kept.
    let mut sessions: Vec<SizedSession> = Vec::new();
    while !queue.is_stopping() {
        let jobs = queue.pull();
        let Some(first) = jobs.first() else { continue };
        let board = [first.request.height, first.request.width];
        let batch: usize = jobs.iter().map(|job| job.request.batch).sum();
        let batch_max = batch.max(queue.parameters.batch_max);
        let found = sessions.iter().position(|known| known.board == board && known.batch_max >= batch);
        let session = match found {
            Some(at) => Ok(at),
            None => queue.net.session(board[0], board[1], batch_max).map(|session| {
                sessions.retain(|known| known.board != board);
                sessions.push(SizedSession { board, batch_max, session });
                sessions.len() - 1
            }),
        };
        let answer = session.and_then(|at| run(&mut *sessions[at].session, &jobs, batch));
        queue.counts.batches.fetch_add(1, Relaxed);
        match answer {
            Ok(replies) => {
                queue.counts.positions.fetch_add(batch as u64, Relaxed);
                for (job, reply) in jobs.into_iter().zip(replies) {
                    // A client that is gone wants no answer.
                    let _ = job.answer.send(Ok(reply));
                }
            }
            Err(error) => jobs.into_iter().for_each(|job| drop(job.answer.send(Err(error.to_string())))),
        }
    }
}

/// Asks about all positions of `jobs` in one call and parts the answers.
fn run(session: &mut dyn NetSession, jobs: &[Job], batch: usize) -> Result<Vec<Reply>, tesuji_game::OracleError> {
    let joined: Vec<f32>;
    let planes = match jobs {
        [one] => &one.request.planes,
        _ => {
            joined = jobs.iter().flat_map(|job| job.request.planes.iter().copied()).collect();
            &joined
        }
    };
    let outputs = session.run(planes, batch)?;
    let mut at = 0;
    let parts = [outputs.policy, outputs.value, outputs.ownership, outputs.score];
    let replies = jobs.iter().map(|job| {
        let range = at..at + job.request.batch;
        at = range.end;
        let part = |all: &[f32]| {
            let each = all.len() / batch;
            all[range.start * each..range.end * each].to_vec()
        };
        Reply { parts: parts.map(part) }
    });
    Ok(replies.collect())
}
