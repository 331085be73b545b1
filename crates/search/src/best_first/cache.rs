//! Values of positions already valued, shared by all threads without locks. An entry is believed only if two keys of the position agree.

use crate::memory;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tesuji_game::Tactical;

/// Bytes of an entry.
pub(super) const ENTRY: usize = size_of::<Entry>();

/// The key mixed with the word beside it: halves of two entries never pass for one (Hyatt and Mann, 2002).
#[derive(Default)]
struct Entry {
    key: AtomicU64,
    word: AtomicU64,
}

/// A directly mapped cache of values.
pub(super) struct Cache {
    entries: Box<[Entry]>,
    probes: AtomicU64,
    hits: AtomicU64,
}

/// The index of a position's entry, and the check bits that verify it.
#[derive(Clone, Copy)]
pub(super) struct CacheKey {
    key: u64,
    /// A second key, of another make: 32 bits of what changes slowly, turned by the whole.
    check: u32,
}

impl CacheKey {
    pub(super) fn of<P: Tactical>(pos: &P) -> CacheKey {
        let slow = pos.structure_key().0;
        // Turned, so that a key of the structure with equal halves does not cancel out to 0.
        CacheKey { key: pos.key().0, check: (slow >> 32) as u32 ^ (slow as u32).rotate_left(7) }
    }
}

impl Cache {
    /// A cache of at most `bytes`, a power of two of entries; of one entry where there is no memory.
    pub(super) fn new(bytes: usize) -> Cache {
        let count = (bytes / ENTRY).max(1);
        // A mask chooses the entry: no division.
        let count = if count.is_power_of_two() { count } else { count.next_power_of_two() / 2 };
        let entries = memory::filled(count, Entry::default).unwrap_or_else(|| vec![Entry::default()]);
        Cache { entries: entries.into_boxed_slice(), probes: AtomicU64::new(0), hits: AtomicU64::new(0) }
    }

    fn entry(&self, place: CacheKey) -> &Entry {
        &self.entries[(place.key as usize) & (self.entries.len() - 1)]
    }

    /// The value of the position, in centipawns for its side to move.
    pub(super) fn find(&self, place: CacheKey) -> Option<i16> {
        let entry = self.entry(place);
        let word = entry.word.load(Relaxed);
        let is_it =
            // The key is stored folded with the word, so that an entry torn by two writers is not found.
            entry.key.load(Relaxed) ^ word == place.key && word >> 32 == u64::from(place.check) && word & 1 != 0;
        is_it.then_some((word >> 1) as u16 as i16)
    }

    /// Remembers a value.
    pub(super) fn keep(&self, place: CacheKey, value: i16) {
        let word = u64::from(place.check) << 32 | u64::from(value as u16) << 1 | 1;
        let entry = self.entry(place);
        entry.key.store(place.key ^ word, Relaxed);
        entry.word.store(word, Relaxed);
    }

    /// Adds what a thread counted.
    pub(super) fn count(&self, probes: u64, hits: u64) {
        self.probes.fetch_add(probes, Relaxed);
        self.hits.fetch_add(hits, Relaxed);
    }

    /// Probes and hits since the cache was made or cleared.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.probes.load(Relaxed), self.hits.load(Relaxed))
    }

    pub(super) fn clear(&self) {
        for entry in &self.entries {
            entry.key.store(0, Relaxed);
            entry.word.store(0, Relaxed);
        }
        self.probes.store(0, Relaxed);
        self.hits.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_position_is_believed() {
        let cache = Cache::new(1 << 10);
        let place = CacheKey { key: 0x1234_5678_9abc_def0, check: 77 };
        assert_eq!(cache.find(place), None);
        for value in [0, 1, -1, i16::MAX, i16::MIN] {
            cache.keep(place, value);
            assert_eq!(cache.find(place), Some(value));
        }
        // The same entry, another key; the same key, another position.
        assert_eq!(cache.find(CacheKey { key: place.key ^ 1 << 60, ..place }), None);
        assert_eq!(cache.find(CacheKey { check: 78, ..place }), None);
        assert_eq!(cache.find(CacheKey { key: 0, check: 0 }), None);
    }

    #[test]
    fn a_cache_keeps_to_its_bytes() {
        for bytes in [0, 1, 16, 100, 1 << 20, (1 << 20) + 5] {
            let cache = Cache::new(bytes);
            assert!(cache.entries.len().is_power_of_two() && cache.entries.len() * ENTRY <= bytes.max(ENTRY));
        }
    }
}
