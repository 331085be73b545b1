//! The transposition table: what searches found, shared by all threads without locks.
//!
//! A bucket is one cache line of 64 bytes with five entries: eight bytes of data and four of check each. The check is
//! the low half of the key folded with the data, so that an entry torn by two writers is not found (Hyatt and Mann,
//! "A lock-less transposition table implementation", 2002). The high half of the key chooses the bucket.
//!
//! Replacement, exactly. Writing to a bucket takes the entry of the same key if there is one. It is left as it is when
//! it is of this generation, reaches at least [`KEEP_PLIES`] deeper and the new one is not exact. Its move is kept
//! when the new one has none. Otherwise the entry of least worth goes, where worth is its depth minus
//! [`AGE_PLIES`] for each generation that it is old, plus [`EXACT_PLIES`] if it was of the principal variation;
//! an empty entry is worth nothing at all; of equals the first goes.

use crate::memory;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use tesuji_game::{Bound, Key, Value};

/// Entries in a bucket: of twelve bytes, five fit a cache line, so that a probe costs one miss.
const WAYS: usize = 5;
/// Plies by which an old entry of the same position must be deeper to be kept.
const KEEP_PLIES: i32 = 4;
/// Depth penalty of an entry for each generation of age, in plies: of the search before, it stays only where it is this much deeper.
const AGE_PLIES: i32 = 6;
/// Depth bonus of an exact entry, in plies.
const EXACT_PLIES: i32 = 2;
/// Generations before numbers come again.
const GENERATIONS: u8 = 32;
/// Depths are stored in a byte, from this on.
const DEPTH_MIN: i32 = -8;
/// Tables of at least this size are cleared by several threads.
const PARALLEL_BYTES: usize = 64 << 20;

/// An entry of the transposition table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The best or refuting move, packed.
    pub mv: Option<u16>,
    /// The value in the table's own reckoning: see [`Value::to_table`].
    pub value: i16,
    /// The static value, if it was computed.
    pub eval: Option<i16>,
    /// The depth searched, in `-8..=246`.
    pub depth: i32,
    /// Whether the value is exact, a lower or an upper bound.
    pub bound: Bound,
    /// Whether the position was ever on a principal variation.
    pub pv: bool,
}

impl Entry {
    /// The value at `ply` plies from the root.
    #[inline]
    pub fn value_at(&self, ply: i32) -> Value {
        Value::from_table(self.value, ply)
    }
}

/// Five entries in one cache line.
#[repr(align(64))]
struct Bucket {
    data: [AtomicU64; WAYS],
    check: [AtomicU32; WAYS],
}

const _: () = assert!(size_of::<Bucket>() == 64);

impl Bucket {
    fn new() -> Bucket {
        Bucket { data: [const { AtomicU64::new(0) }; WAYS], check: [const { AtomicU32::new(0) }; WAYS] }
    }

    fn clear(&self) {
        for way in 0..WAYS {
            self.data[way].store(0, Relaxed);
            self.check[way].store(0, Relaxed);
        }
    }
}

/// A table shared by the threads of a search.
pub struct TranspositionTable {
    buckets: Vec<Bucket>,
    generation: u8,
}

impl TranspositionTable {
    /// An empty table of `mib` MiB.
    ///
    /// # Panics
    /// When the system has no such memory; [`TranspositionTable::try_new`] tells it.
    pub fn new(mib: usize) -> TranspositionTable {
        TranspositionTable::try_new(mib).unwrap_or_else(|| panic!("no memory for a table of {mib} MiB"))
    }

    /// An empty table of `mib` MiB; `None` where the system has no such memory.
    pub fn try_new(mib: usize) -> Option<TranspositionTable> {
        let len = (mib.checked_mul(1 << 20)? / size_of::<Bucket>()).max(1);
        Some(TranspositionTable { buckets: memory::filled(len, Bucket::new)?, generation: 0 })
    }

    /// Forgets everything. Large tables take all processors.
    pub fn clear(&mut self) {
        self.generation = 0;
        let bytes = self.buckets.len() * size_of::<Bucket>();
        let threads =
            if bytes < PARALLEL_BYTES { 1 } else { std::thread::available_parallelism().map_or(1, usize::from) };
        if threads == 1 {
            self.buckets.iter().for_each(Bucket::clear);
            return;
        }
        // Rounded up, or there would be one part more than threads.
        let share = self.buckets.len().div_ceil(threads);
        std::thread::scope(|scope| {
            for part in self.buckets.chunks(share) {
                let work = || part.iter().for_each(Bucket::clear);
                if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    // The system gives no more threads.
                    work();
                }
            }
        });
    }

    /// Begins a new generation: what is in the table now is older than what comes.
    pub fn grow_older(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// Probes the table for the position with `key`.
    #[inline]
    pub fn probe(&self, key: Key) -> Option<Entry> {
        let bucket = self.bucket(key);
        for way in 0..WAYS {
            let data = bucket.data[way].load(Relaxed);
            // An empty entry fits every key whose low half is 0.
            if bucket.check[way].load(Relaxed) == check(key, data) && data != 0 {
                return Some(unpack(data));
            }
        }
        None
    }

    /// Stores what was found about the position with `key`; the replacement policy stands at the top of the file.
    pub fn store(&self, key: Key, entry: Entry) {
        let bucket = self.bucket(key);
        let (mut place, mut worth_least) = (0, i32::MAX);
        for way in 0..WAYS {
            let data = bucket.data[way].load(Relaxed);
            if data == 0 {
                if worth_least > i32::MIN {
                    (place, worth_least) = (way, i32::MIN);
                }
                continue;
            }
            let old = unpack(data);
            if bucket.check[way].load(Relaxed) == check(key, data) {
                self.renew(bucket, way, key, entry, old, generation_of(data));
                return;
            }
            let worth = self.worth(&old, generation_of(data));
            if worth < worth_least {
                (place, worth_least) = (way, worth);
            }
        }
        write(bucket, place, key, pack(entry, self.generation));
    }

    /// Writes over an entry of the same position, unless the old one says more.
    fn renew(&self, bucket: &Bucket, way: usize, key: Key, mut entry: Entry, old: Entry, generation: u8) {
        let stays =
            generation == self.generation && old.depth >= entry.depth + KEEP_PLIES && entry.bound != Bound::Exact;
        if stays {
            return;
        }
        // A node that failed low names no move; the old one still orders best.
        entry.mv = entry.mv.or(old.mv);
        write(bucket, way, key, pack(entry, self.generation));
    }

    fn worth(&self, entry: &Entry, generation: u8) -> i32 {
        // Added first: numbers come again, and a difference of unsigned ones must not fall below 0.
        let age = i32::from((GENERATIONS + self.generation - generation) % GENERATIONS);
        entry.depth - AGE_PLIES * age + if entry.pv { EXACT_PLIES } else { 0 }
    }

    /// Share of the table filled by the present generation (UCI's `hashfull`), in permille, from a sample.
    pub fn hash_full(&self) -> u32 {
        // Keys spread evenly: a thousand buckets tell the share to a few permille.
        let sample = &self.buckets[..self.buckets.len().min(1000)];
        let used = sample.iter().flat_map(|b| &b.data).filter(|d| {
            let data = d.load(Relaxed);
            data != 0 && generation_of(data) == self.generation
        });
        (used.count() * 1000 / (sample.len() * WAYS)) as u32
    }

    /// Starts loading the bucket of `key` into the cache.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        crate::prefetch::line(&self.buckets, self.index(key));
    }

    #[inline]
    fn index(&self, key: Key) -> usize {
        // A product instead of a remainder (Lemire, 2016): tables of any size, and no division.
        ((u128::from(key.0) * self.buckets.len() as u128) >> 64) as usize
    }

    #[inline]
    fn bucket(&self, key: Key) -> &Bucket {
        &self.buckets[self.index(key)]
    }
}

/// The check word of `data` stored under `key`.
#[inline]
fn check(key: Key, data: u64) -> u32 {
    // An entry torn by two writers fits neither key.
    key.0 as u32 ^ data as u32 ^ (data >> 32) as u32
}

#[inline]
fn write(bucket: &Bucket, way: usize, key: Key, data: u64) {
    bucket.data[way].store(data, Relaxed);
    bucket.check[way].store(check(key, data), Relaxed);
}

/// Stands for no static value in packed entries: below all values.
const NO_EVAL: i16 = i16::MIN;
/// Stands for no move in packed entries: [`Position::pack`](tesuji_game::Position::pack) never gives it.
const NO_MOVE: u16 = 0;

/// Move 16, value 16, static value 16, depth 8, bound 2 (never 0), principal variation 1, generation 5 bits.
#[inline]
fn pack(entry: Entry, generation: u8) -> u64 {
    debug_assert!((DEPTH_MIN..=DEPTH_MIN + 255).contains(&entry.depth));
    let bound = match entry.bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3,
    };
    u64::from(entry.mv.unwrap_or(NO_MOVE))
        | u64::from(entry.value as u16) << 16
        | u64::from(entry.eval.unwrap_or(NO_EVAL) as u16) << 32
        | ((entry.depth - DEPTH_MIN) as u64 & 0xff) << 48
        | bound << 56
        | u64::from(entry.pv) << 58
        | u64::from(generation) << 59
}

#[inline]
fn unpack(data: u64) -> Entry {
    Entry {
        mv: Some(data as u16).filter(|&mv| mv != NO_MOVE),
        value: (data >> 16) as i16,
        eval: Some((data >> 32) as i16).filter(|&eval| eval != NO_EVAL),
        depth: i32::from((data >> 48) as u8) + DEPTH_MIN,
        bound: match data >> 56 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        pv: data >> 58 & 1 != 0,
    }
}

#[inline]
fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Random;

    fn entry(depth: i32, mv: u16) -> Entry {
        Entry { mv: Some(mv), value: 12, eval: Some(-7), depth, bound: Bound::Lower, pv: false }
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = TranspositionTable::new(1);
        let mut random = Random::new(1);
        for _ in 0..10_000 {
            let key = Key(random.next_u64());
            let bits = random.next_u64();
            let bound = [Bound::Exact, Bound::Lower, Bound::Upper][random.below(3)];
            let depth = random.below(255) as i32 + DEPTH_MIN;
            let e = Entry {
                mv: Some(bits as u16 | 1),
                value: (bits >> 16) as i16,
                eval: Some((bits >> 32) as i16).filter(|&eval| eval != NO_EVAL),
                depth,
                bound,
                pv: bits >> 63 != 0,
            };
            table.store(key, e);
            assert_eq!(table.probe(key), Some(e));
        }
    }

    #[test]
    fn an_empty_table_finds_nothing() {
        let table = TranspositionTable::new(1);
        assert_eq!(table.probe(Key(0)), None);
        assert_eq!(table.probe(Key(u64::MAX)), None);
        assert_eq!(table.hash_full(), 0);
    }

    #[test]
    fn a_deeper_entry_of_the_same_position_stays() {
        let table = TranspositionTable::new(1);
        let key = Key(42);
        table.store(key, entry(10, 5));
        table.store(key, entry(6, 9));
        assert_eq!(table.probe(key), Some(entry(10, 5)));
        table.store(key, Entry { mv: None, ..entry(7, 1) });
        assert_eq!(table.probe(key), Some(entry(7, 5)), "the move is kept");
        table.store(key, Entry { bound: Bound::Exact, ..entry(1, 8) });
        assert_eq!(table.probe(key).and_then(|e| e.mv), Some(8), "an exact value always counts");
    }

    #[test]
    fn the_least_worth_goes() {
        let mut table = TranspositionTable::new(1);
        // The high half of the key chooses the bucket: all of these share one.
        let key = |i: u64| Key(7 << 32 | i);
        for i in 0..WAYS as u64 {
            table.store(key(i), entry(10 + i as i32, 1));
        }
        table.store(key(100), entry(1, 1));
        assert_eq!(table.probe(key(0)), None, "depth 10 was the least");
        assert!((1..WAYS as u64).all(|i| table.probe(key(i)).is_some()));
        for _ in 0..3 {
            table.grow_older();
        }
        table.store(key(101), entry(0, 1));
        table.store(key(102), entry(0, 1));
        assert!(table.probe(key(101)).is_some(), "old entries go before new ones");
        assert!(table.probe(key(1)).is_none());
    }

    #[test]
    fn clearing_forgets_everywhere() {
        let mut table = TranspositionTable::new(65);
        let mut random = Random::new(3);
        let keys: Vec<Key> = (0..10_000).map(|_| Key(random.next_u64())).collect();
        keys.iter().for_each(|&k| table.store(k, entry(3, 3)));
        table.clear();
        assert!(keys.iter().all(|&k| table.probe(k).is_none()));
    }

    /// Four threads write entries whose fields follow from the key into a small table; a mixture of two never shows.
    #[test]
    fn torn_entries_are_not_found() {
        let table = TranspositionTable::new(1);
        let made_from = |k: u64| {
            let mut r = Random::new(k);
            let bits = r.next_u64();
            Entry {
                mv: Some(bits as u16 | 1),
                value: (bits >> 16) as i16,
                eval: Some((bits >> 32) as i16).filter(|&eval| eval != NO_EVAL),
                depth: (bits >> 50) as i32 & 63,
                bound: Bound::Exact,
                pv: false,
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let table = &table;
                scope.spawn(move || {
                    let mut random = Random::new(thread);
                    for _ in 0..300_000 {
                        // 64 keys in one bucket, so that threads meet.
                        let low = random.below(64) as u64;
                        let key = Key(9 << 40 | low);
                        if random.below(2) == 0 {
                            table.store(key, made_from(low));
                        } else if let Some(found) = table.probe(key) {
                            assert_eq!(found, made_from(low));
                        }
                    }
                });
            }
        });
    }
}
