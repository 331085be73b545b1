//! Options and counters of a server.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// The options of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerOptions {
    /// Threads that run the net.
    pub threads: usize,
    /// Positions of one call of the net at most; a larger request is a call of its own.
    pub batch_max: usize,
    /// Time that a batch that is not full waits for more.
    pub wait: Duration,
    /// Positions that wait at most. Anyone who brings more is not read from until there is room: that is the whole back-pressure,
    /// and the clients' sockets carry it on.
    pub queue_max: usize,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions { threads: 1, batch_max: 64, wait: Duration::ZERO, queue_max: 1024 }
    }
}

/// The counters of a server's work.
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
pub struct ServerCounts {
    pub(crate) clients: AtomicU64,
    pub(crate) positions: AtomicU64,
    pub(crate) batches: AtomicU64,
    pub(crate) full: AtomicU64,
}

impl ServerCounts {
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
