//! The server: a thread for each client reads its requests into one queue of bounded length; threads with the net take from
//! it what fits into a batch, whoever asked, and hand the answers back.

use crate::wire::{Reply, Request, read_request, write_greeting, write_reply};
use std::{
    collections::{BTreeMap, VecDeque},
    io::{self, BufReader, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tesuji_nn::{Service, Session};

/// Between two looks at whether the server should stop.
const LOOK: Duration = Duration::from_millis(50);

/// How a server works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerKnobs {
    /// Threads that run the net.
    pub threads: usize,
    /// Positions of one call of the net at most; a larger request is a call of its own.
    pub batch_max: usize,
    /// How long a batch that is not full waits for more.
    pub wait: Duration,
    /// Positions that wait at most. Whoever brings more is not read from until there is room: that is the whole back-pressure,
    /// and the clients' sockets carry it on.
    pub queue_max: usize,
}

impl Default for ServerKnobs {
    fn default() -> Self {
        ServerKnobs { threads: 1, batch_max: 64, wait: Duration::ZERO, queue_max: 1024 }
    }
}

/// What a server has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Served {
    /// Clients that came.
    pub clients: u64,
    /// Positions answered.
    pub positions: u64,
    /// Calls of the net.
    pub batches: u64,
    /// Times that a client had to wait for room in the queue.
    pub full: u64,
}

/// [`Served`], while it grows.
#[derive(Debug, Default)]
pub struct Counts {
    clients: AtomicU64,
    positions: AtomicU64,
    batches: AtomicU64,
    full: AtomicU64,
}

impl Counts {
    /// So far.
    pub fn so_far(&self) -> Served {
        Served {
            clients: self.clients.load(Relaxed),
            positions: self.positions.load(Relaxed),
            batches: self.batches.load(Relaxed),
            full: self.full.load(Relaxed),
        }
    }
}

/// A request in the queue.
struct Job {
    request: Request,
    answer: mpsc::Sender<Result<Reply, String>>,
}

/// What all threads share.
struct Shared {
    net: Arc<dyn Service>,
    knobs: ServerKnobs,
    counts: Arc<Counts>,
    /// Requests, and how many positions they have together.
    queue: Mutex<(VecDeque<Job>, usize)>,
    /// Something came or went.
    changed: Condvar,
    stop: AtomicBool,
    /// The sockets by the numbers of their clients, to be shut at the end.
    open: Mutex<BTreeMap<u64, TcpStream>>,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, (VecDeque<Job>, usize)> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, TcpStream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room, then queues `job`; `false` when the server stops.
    fn push(&self, job: Job) -> bool {
        let (mut queue, mut waited) = (self.queue(), false);
        // A request that is larger than the queue goes in when nothing else waits.
        while queue.1 > 0 && queue.1 + job.request.batch > self.knobs.queue_max {
            if self.stop.load(Relaxed) {
                return false;
            }
            if !waited {
                waited = true;
                self.counts.full.fetch_add(1, Relaxed);
            }
            queue = self.changed.wait_timeout(queue, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        if self.stop.load(Relaxed) {
            return false;
        }
        queue.1 += job.request.batch;
        queue.0.push_back(job);
        drop(queue);
        self.changed.notify_all();
        true
    }

    /// The next requests for boards of one size that fit into a batch; none when the server stops.
    fn pull(&self) -> Vec<Job> {
        let (mut queue, mut jobs, mut count) = (self.queue(), Vec::<Job>::new(), 0);
        let mut until = None;
        loop {
            while let Some(job) = queue.0.front() {
                let fits = jobs.first().is_none_or(|first| {
                    let alike = (job.request.height, job.request.width) == (first.request.height, first.request.width);
                    alike && count + job.request.batch <= self.knobs.batch_max
                });
                if !fits {
                    until = Some(Instant::now());
                    break;
                }
                let Some(job) = queue.0.pop_front() else { break };
                count += job.request.batch;
                queue.1 -= job.request.batch;
                jobs.push(job);
            }
            let now = Instant::now();
            let end = *until.get_or_insert(if jobs.is_empty() { now + LOOK } else { now + self.knobs.wait });
            if self.stop.load(Relaxed) || (!jobs.is_empty() && (now >= end || count >= self.knobs.batch_max)) {
                drop(queue);
                self.changed.notify_all();
                return jobs;
            }
            if jobs.is_empty() {
                until = None;
            }
            let left = if jobs.is_empty() { LOOK } else { end - now };
            queue = self.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A server at work; it stops when it is dropped.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Serves `net` to whoever connects to `listener`.
    ///
    /// # Errors
    /// When the listener has no address.
    pub fn start(net: Arc<dyn Service>, listener: TcpListener, knobs: ServerKnobs) -> io::Result<Server> {
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let shared = Arc::new(Shared {
            net,
            knobs,
            counts: Arc::default(),
            queue: Mutex::default(),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            open: Mutex::default(),
        });
        let mut threads = Vec::new();
        for _ in 0..knobs.threads.max(1) {
            let shared = shared.clone();
            threads.push(thread::spawn(move || work(&shared)));
        }
        let listening = shared.clone();
        threads.push(thread::spawn(move || listen(&listening, &listener)));
        Ok(Server { shared, address, threads })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has done so far.
    pub fn counts(&self) -> Arc<Counts> {
        self.shared.counts.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        {
            // Under the lock, so that nobody queues behind it.
            let _queue = self.shared.queue();
            self.shared.stop.store(true, Relaxed);
        }
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
        // Whoever still waits for an answer is told that there will be none.
        self.shared.queue().0.clear();
        for stream in self.shared.open().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Lets clients in.
fn listen(shared: &Arc<Shared>, listener: &TcpListener) {
    while !shared.stop.load(Relaxed) {
        match listener.accept() {
            Ok((stream, _)) => {
                let number = shared.counts.clients.fetch_add(1, Relaxed);
                // Without a second handle it could not be shut at the end.
                let Ok(copy) = stream.try_clone() else { continue };
                shared.open().insert(number, copy);
                let shared = shared.clone();
                thread::spawn(move || {
                    // A client that goes in the middle of a sentence hurts nobody else.
                    let _ = attend(&shared, &stream);
                    let _ = stream.shutdown(Shutdown::Both);
                    shared.open().remove(&number);
                });
            }
            Err(_) => thread::sleep(LOOK / 10),
        }
    }
}

/// Reads a client's requests and writes its answers.
fn attend(shared: &Shared, stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    let mut output = stream.try_clone()?;
    let architecture = shared.net.architecture();
    write_greeting(architecture, &mut output)?;
    let mut input = BufReader::with_capacity(1 << 16, stream);
    let mut bytes = Vec::new();
    loop {
        let request = match read_request(architecture.planes, &mut input) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                write_reply(&Err(error.to_string()), &mut bytes);
                return output.write_all(&bytes);
            }
            Err(error) => return Err(error),
        };
        let (answer, answers) = mpsc::channel();
        let reply = match architecture.expect_board(request.height, request.width) {
            Err(error) => Err(error.to_string()),
            Ok(()) if !shared.push(Job { request, answer }) => return Ok(()),
            Ok(()) => answers.recv().unwrap_or_else(|_| Err("it is stopping".into())),
        };
        write_reply(&reply, &mut bytes);
        output.write_all(&bytes)?;
    }
}

/// A way to the net, for boards of so many rows and columns, and as many positions at most.
type Seated = ((usize, usize, usize), Box<dyn Session>);

/// Runs the net on batch after batch.
fn work(shared: &Shared) {
    // Sessions for boards of other sizes are rare; one of each is kept.
    let mut sessions: Vec<Seated> = Vec::new();
    while !shared.stop.load(Relaxed) {
        let jobs = shared.pull();
        let Some(first) = jobs.first() else { continue };
        let (height, width) = (first.request.height, first.request.width);
        let batch: usize = jobs.iter().map(|job| job.request.batch).sum();
        let room = batch.max(shared.knobs.batch_max);
        let found = sessions.iter().position(|((h, w, most), _)| (*h, *w) == (height, width) && *most >= batch);
        let session = match found {
            Some(at) => Ok(at),
            None => shared.net.session(height, width, room).map(|session| {
                sessions.retain(|((h, w, _), _)| (*h, *w) != (height, width));
                sessions.push(((height, width, room), session));
                sessions.len() - 1
            }),
        };
        let answer = session.and_then(|at| run(&mut *sessions[at].1, &jobs, batch));
        shared.counts.batches.fetch_add(1, Relaxed);
        match answer {
            Ok(replies) => {
                shared.counts.positions.fetch_add(batch as u64, Relaxed);
                for (job, reply) in jobs.into_iter().zip(replies) {
                    // A client that is gone wants no answer.
                    let _ = job.answer.send(Ok(reply));
                }
            }
            Err(error) => jobs.iter().for_each(|job| drop(job.answer.send(Err(error.to_string())))),
        }
    }
}

/// Asks about all positions of `jobs` in one call and parts the answers.
fn run(session: &mut dyn Session, jobs: &[Job], batch: usize) -> Result<Vec<Reply>, tesuji_game::OracleError> {
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
