//! State shared by parallel workers on one problem: the proof table in parts with a lock each, virtual counts of workers per
//! position, and the node budget. A single worker owns its table and takes no locks.

use super::numbers::{NONE, Numbers};
use super::table::{Bounds, Found, ProofTable};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tesuji_game::{Hand, Key};

/// Entries of a part of the table, about.
const PART: usize = 1 << 12;
/// Parts at most. Together they begin about as small as one table does.
const PARTS_MAX: usize = 1 << 8;
/// The part of a number by which it looks greater for each worker. With the whole number two workers took 1.3 to 1.6 times and four 1.6
/// to 2.6 times the nodes of one for five mates that take it 2 million; with a quarter 1.2 and 1.2.
const VIRTUAL_PART: u32 = 4;
/// Counters of who is where.
const PLACES: usize = 1 << 14;

/// A worker's way to the table.
pub(crate) enum Store<H> {
    /// It works alone.
    Own(ProofTable<H>),
    /// It works with others.
    Shared(Arc<ParallelSolver<H>>),
}

impl<H: Hand> Store<H> {
    /// A table of this many bytes for this many workers.
    pub fn new(bytes: usize, dominance: bool, workers: usize) -> Store<H> {
        if workers > 1 {
            return Store::Shared(Arc::new(ParallelSolver::new(bytes, dominance)));
        }
        let mut table = ProofTable::new(bytes);
        table.dominance = dominance;
        Store::Own(table)
    }

    /// The shared state; `None` for a single worker.
    #[inline]
    pub fn parallel(&self) -> Option<&ParallelSolver<H>> {
        if let Store::Shared(parallel) = self { Some(parallel) } else { None }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        match self {
            Store::Own(table) => table.clear(),
            Store::Shared(parallel) => parallel.parts.iter().for_each(|part| open(part).clear()),
        }
    }

    /// Fill, in permille.
    pub fn fill(&self) -> usize {
        match self {
            Store::Own(table) => table.fill(),
            Store::Shared(parallel) => {
                parallel.parts.iter().map(|part| open(part).fill()).sum::<usize>() / parallel.parts.len()
            }
        }
    }

    /// Starts loading what is known of a board.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        match self {
            Store::Own(table) => table.prefetch(key),
            Store::Shared(parallel) => {
                // Where somebody else is at it, it is on its way.
                if let Ok(table) = parallel.parts[parallel.index(key)].try_lock() {
                    table.prefetch(key);
                }
            }
        }
    }

    /// See [`ProofTable::look`].
    #[inline]
    pub fn look(&self, key: Key, hand: H, plies_left: u16) -> Result<Found<H>, Bounds> {
        match self {
            Store::Own(table) => table.look(key, hand, plies_left),
            Store::Shared(parallel) => parallel.part(key).look(key, hand, plies_left),
        }
    }

    /// See [`ProofTable::work`].
    pub fn work(&self, key: Key, hand: H) -> u32 {
        match self {
            Store::Own(table) => table.work(key, hand),
            Store::Shared(parallel) => parallel.part(key).work(key, hand),
        }
    }

    /// See [`ProofTable::store`].
    #[inline]
    pub fn store(&mut self, key: Key, numbers: &Numbers<H>, depth: u16, work: u32) {
        match self {
            Store::Own(table) => table.store(key, numbers, depth, work),
            Store::Shared(parallel) => parallel.part(key).store(key, numbers, depth, work),
        }
    }
}

/// The state shared by workers on one problem.
///
/// The table holds only proofs and disproofs that depend on no path, so that every worker may use them.
pub(crate) struct ParallelSolver<H> {
    parts: Vec<Mutex<ProofTable<H>>>,
    /// By position: in the low half how many workers are there, in the high half how often one has left. Positions may
    /// share one: that costs a look, or a detour.
    places: Vec<AtomicU64>,
    /// The number of times that a position was solved while other workers were below it.
    news: AtomicU64,
    /// Nodes of all workers.
    nodes: AtomicU64,
    is_over: AtomicBool,
}

/// A part of the table; that another thread died with it tells nothing about its entries.
fn open<H>(part: &Mutex<ProofTable<H>>) -> MutexGuard<'_, ProofTable<H>> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<H: Hand> ParallelSolver<H> {
    fn new(bytes: usize, dominance: bool) -> ParallelSolver<H> {
        let parts = (bytes / ProofTable::<H>::ENTRY_BYTES / PART).clamp(1, PARTS_MAX).next_power_of_two();
        let part = |_| {
            let mut table = ProofTable::one_of(bytes / parts, parts);
            table.dominance = dominance;
            Mutex::new(table)
        };
        ParallelSolver {
            parts: (0..parts).map(part).collect(),
            places: (0..PLACES).map(|_| AtomicU64::new(0)).collect(),
            news: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    fn index(&self, key: Key) -> usize {
        // By the low bits: the high ones choose the place within a part.
        key.0 as usize & (self.parts.len() - 1)
    }

    /// The part of a board: its key's low bits say which, the high ones where in it.
    fn part(&self, key: Key) -> MutexGuard<'_, ProofTable<H>> {
        open(&self.parts[self.index(key)])
    }

    fn place(&self, full: Key) -> &AtomicU64 {
        &self.places[full.0 as usize & (PLACES - 1)]
    }

    /// Work begins, after this many nodes.
    pub fn begin(&self, nodes: u64) {
        self.is_over.store(false, Relaxed);
        self.nodes.store(nodes, Relaxed);
    }

    /// All workers are to stop.
    pub fn finish(&self) {
        self.is_over.store(true, Relaxed);
    }

    /// Whether all workers are to stop.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }

    /// Nodes of all workers.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    /// Takes one of `nodes_max` nodes, if one is left.
    pub fn takes_node(&self, nodes_max: u64) -> bool {
        let took = self.nodes.fetch_add(1, Relaxed) < nodes_max;
        // Given back, so that the count stays that of nodes searched.
        if !took {
            self.nodes.fetch_sub(1, Relaxed);
        }
        took
    }

    /// A worker comes to a position.
    pub fn enter(&self, full: Key) {
        self.place(full).fetch_add(1, Relaxed);
    }

    /// It leaves it; anyone who saw the position before looks again. Others below it are told where it is solved.
    pub fn leave(&self, full: Key, is_solved: bool) {
        // One worker less in the low half and one that left more in the high half, in one step.
        let before = self.place(full).fetch_add((1 << 32) - 1, Relaxed);
        // Only where others are still below it.
        if is_solved && before as u32 > 1 {
            self.news.fetch_add(1, Relaxed);
        }
    }

    /// The number of workers at a position, and of times that one has left it.
    pub fn at(&self, full: Key) -> (u32, u32) {
        let place = self.place(full).load(Relaxed);
        (place as u32, (place >> 32) as u32)
    }

    /// The number of times that a position was solved while other workers were below it.
    pub fn news(&self) -> u64 {
        self.news.load(Relaxed)
    }
}

/// A number as it looks to one more worker where this many are at work already: as if each of them were going to fail
/// (virtual proof numbers, Kaneko 2010), by a part of the number itself, so that a better move still draws more of them than the next
/// one, and they share the work below it: most of what they find elsewhere is not needed for a mate.
#[inline]
pub(crate) fn virtual_number(number: u32, workers: u32) -> u32 {
    let part = number / VIRTUAL_PART + 1;
    number.saturating_add(part.saturating_mul(workers)).min(super::numbers::NEVER - 1)
}

/// Plies that stand for "nowhere" where a worker is told to go back to a depth.
pub(crate) const NOWHERE: u16 = NONE;
