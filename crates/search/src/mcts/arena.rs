//! Growing storage that threads share without locks (but where a chunk is made): chunks of one size, handed out front to back, within a common limit of bytes.

use crate::memory;
use std::sync::{
    OnceLock,
    atomic::{
        AtomicU64, AtomicUsize,
        Ordering::{AcqRel, Relaxed},
    },
};

/// Bytes that several arenas may use together, and do use.
#[derive(Debug)]
pub(super) struct Allowance {
    limit: usize,
    used: AtomicUsize,
}

impl Allowance {
    pub(super) fn new(limit: usize) -> Self {
        Allowance { limit, used: AtomicUsize::new(0) }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes taken so far, never more than the limit.
    pub(super) fn used(&self) -> usize {
        self.used.load(Relaxed).min(self.limit)
    }

    pub(super) fn take(&self, bytes: usize) -> bool {
        let enough = |used: usize| (used + bytes <= self.limit).then_some(used + bytes);
        self.used.fetch_update(Relaxed, Relaxed, enough).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }
}

/// Items with numbers from 0 on. They are never taken back one by one: a tree that shrinks is copied.
pub(super) struct Arena<T, const CHUNK: usize> {
    chunks: Box<[OnceLock<Box<[T]>>]>,
    next: AtomicU64,
}

impl<T: Default, const CHUNK: usize> Arena<T, CHUNK> {
    const BYTES: usize = CHUNK * size_of::<T>();

    /// An empty arena that can grow to `bytes`, or to as many items as 32 bits can number.
    pub(super) fn new(bytes: usize) -> Self {
        let count = (bytes / Self::BYTES).min(u32::MAX as usize / CHUNK);
        Arena { chunks: (0..count).map(|_| OnceLock::new()).collect(), next: AtomicU64::new(0) }
    }

    /// The item numbered `id`.
    ///
    /// # Panics
    /// When there is none.
    #[inline(always)]
    pub(super) fn at(&self, id: u32) -> &T {
        let chunk = self.chunks[id as usize / CHUNK].get().expect("ids come from the arena");
        &chunk[id as usize % CHUNK]
    }

    /// Whether there is an item numbered `id`.
    pub(super) fn has(&self, id: u32) -> bool {
        u64::from(id) < self.next.load(Relaxed)
            && self.chunks.get(id as usize / CHUNK).is_some_and(|c| c.get().is_some())
    }

    /// `len` items from `first` on, which were taken together.
    #[inline(always)]
    pub(super) fn slice(&self, first: u32, len: usize) -> &[T] {
        if len == 0 {
            return &[];
        }
        let chunk = self.chunks[first as usize / CHUNK].get().expect("ids come from the arena");
        let start = first as usize % CHUNK;
        &chunk[start..start + len]
    }

    /// Takes `len` items in a row; `None` when the allowance or the arena is used up.
    pub(super) fn take(&self, len: usize, allowance: &Allowance) -> Option<u32> {
        assert!(len <= CHUNK, "{len} items are more than a chunk");
        let chunk = CHUNK as u64;
        // Items that are taken together lie in one chunk: the rest of the one before stays unused.
        let place = |next: u64| if next % chunk + len as u64 > chunk { (next / chunk + 1) * chunk } else { next };
        let mut next = self.next.load(Relaxed);
        loop {
            let first = place(next);
            // The chunk first: a number that was handed out can be read at once.
            self.grow((first / chunk) as usize, allowance)?;
            match self.next.compare_exchange_weak(next, first + len as u64, AcqRel, Relaxed) {
                Ok(_) => return Some(first as u32),
                Err(now) => next = now,
            }
        }
    }

    /// Makes sure that the item numbered `id` is there, for arenas that are numbered by another.
    pub(super) fn reach(&self, id: u32, allowance: &Allowance) -> Option<()> {
        self.grow(id as usize / CHUNK, allowance)
    }

    /// Makes sure that a chunk is there.
    fn grow(&self, index: usize, allowance: &Allowance) -> Option<()> {
        let slot = self.chunks.get(index)?;
        if slot.get().is_some() {
            return Some(());
        }
        if !allowance.take(Self::BYTES) {
            return None;
        }
        // Where the system has less than was allowed, the arena is full.
        let Some(chunk) = memory::filled(CHUNK, T::default) else {
            allowance.give_back(Self::BYTES);
            return None;
        };
        // Another thread may have been faster.
        if slot.set(chunk.into_boxed_slice()).is_err() {
            allowance.give_back(Self::BYTES);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn blocks_do_not_overlap_and_stay_in_their_chunk() {
        let allowance = Allowance::new(1 << 20);
        let arena: Arena<AtomicU32, 64> = Arena::new(1 << 20);
        let mut taken = [false; 64 * 40];
        for len in (1..=64).cycle().take(60) {
            let first = arena.take(len, &allowance).expect("room") as usize;
            assert_eq!(first / 64, (first + len - 1) / 64);
            assert_eq!(arena.slice(first as u32, len).len(), len);
            for t in &mut taken[first..first + len] {
                assert!(!std::mem::replace(t, true));
            }
        }
    }

    #[test]
    fn the_allowance_is_kept_by_many_threads() {
        let allowance = Allowance::new(10 * 64 * 4 + 3);
        let arena: Arena<AtomicU32, 64> = Arena::new(1 << 20);
        let count = |_: usize| {
            let mut n = 0;
            while let Some(id) = arena.take(1, &allowance) {
                arena.at(id).fetch_add(1, Relaxed);
                n += 1;
            }
            n
        };
        let total: usize = std::thread::scope(|s| {
            let threads: Vec<_> = (0..4).map(|i| s.spawn(move || count(i))).collect();
            threads.into_iter().map(|t| t.join().expect("no panic")).sum()
        });
        assert_eq!(total, 640);
        assert!((0..640).all(|id| arena.at(id).load(Relaxed) == 1));
        assert_eq!(allowance.used(), 10 * 64 * 4);
    }
}
