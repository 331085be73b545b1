//! Answers of a net that were worked out before, shared by the threads that ask it.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};
use tesuji_game::Answer;

/// Parts that threads lock one at a time.
const SHARDS: usize = 64;
/// Bytes of an entry beside its numbers.
const OVERHEAD: usize = 160;

/// The key of a cached answer: a hash of all planes and moves, of which one half finds the entry and the other verifies it. All that
/// the planes show, history and komi included, tells entries apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CachedQuestion {
    find: u64,
    check: u64,
}

impl CachedQuestion {
    /// The question of these planes and packed moves.
    pub(crate) fn new(planes: &[f32], moves: impl Iterator<Item = u16>) -> CachedQuestion {
        // Four running products at once, since one alone would wait for itself. Odd constants from the digits of pi.
        let mut lanes =
            [0x243f_6a88_85a3_08d3_u64, 0x1319_8a2e_0370_7345, 0xa409_3822_299f_31d1, 0x082e_fa98_ec4e_6c89];
        let mut chunks = planes.chunks_exact(8);
        for chunk in &mut chunks {
            for (lane, pair) in lanes.iter_mut().zip(chunk.chunks_exact(2)) {
                let word = u64::from(pair[0].to_bits()) << 32 | u64::from(pair[1].to_bits());
                *lane = mixed(*lane, word);
            }
        }
        for &rest in chunks.remainder() {
            lanes[0] = mixed(lanes[0], u64::from(rest.to_bits()));
        }
        for mv in moves {
            lanes[1] = mixed(lanes[1], u64::from(mv) + 1);
        }
        // Two numbers from one pass, since 64 bits of different positions could meet in a long run.
        let find = mixed(mixed(lanes[0], lanes[1]), mixed(lanes[2], lanes[3]));
        let check = mixed(mixed(lanes[3], lanes[1].rotate_left(17)), mixed(lanes[2], lanes[0]));
        CachedQuestion { find, check }
    }

    /// A number that depends on the question, for choices that must be the same whenever it is asked.
    pub(crate) fn number(self) -> u64 {
        self.check
    }
}

/// Takes `word` into a running hash: a multiplication whose upper half is folded into the lower.
#[inline(always)]
fn mixed(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
    let folded = (product as u64) ^ (product >> 64) as u64;
    folded.rotate_left(29) ^ word.wrapping_mul(0xd6e8_feb8_6659_fd93)
}

#[derive(Default)]
struct Shard {
    entries: HashMap<u64, (u64, Answer)>,
    /// The entries from the oldest on.
    order: VecDeque<u64>,
    bytes: usize,
}

/// A table of answers of bounded size that forgets the oldest.
pub(crate) struct Cache {
    shards: Vec<Mutex<Shard>>,
    bytes_max: usize,
    probes: AtomicU64,
    hits: AtomicU64,
}

impl Cache {
    /// A table of about `mib` MiB.
    pub(crate) fn new(mib: usize) -> Cache {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Cache { shards, bytes_max: (mib << 20) / SHARDS, probes: AtomicU64::new(0), hits: AtomicU64::new(0) }
    }

    fn shard(&self, question: CachedQuestion) -> std::sync::MutexGuard<'_, Shard> {
        self.shards[(question.find >> 58) as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies the answer into `out`, if it is there.
    pub(crate) fn find(&self, question: CachedQuestion, out: &mut Answer) -> bool {
        self.probes.fetch_add(1, Relaxed);
        let shard = self.shard(question);
        let known = shard.entries.get(&question.find).filter(|(check, _)| *check == question.check);
        if let Some((_, answer)) = known {
            out.clone_from(answer);
            self.hits.fetch_add(1, Relaxed);
        }
        known.is_some()
    }

    /// Keeps an answer.
    pub(crate) fn keep(&self, question: CachedQuestion, answer: &Answer) {
        let mut shard = self.shard(question);
        let shard = &mut *shard;
        // A question that two threads asked at once is there already, and counted.
        if shard.entries.insert(question.find, (question.check, answer.clone())).is_none() {
            shard.order.push_back(question.find);
            shard.bytes += size(answer);
        }
        while shard.bytes > self.bytes_max
            && let Some(oldest) = shard.order.pop_front()
        {
            let gone = shard.entries.remove(&oldest);
            shard.bytes = shard.bytes.saturating_sub(gone.map_or(0, |(_, answer)| size(&answer)));
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        for shard in &self.shards {
            *shard.lock().unwrap_or_else(PoisonError::into_inner) = Shard::default();
        }
        self.probes.store(0, Relaxed);
        self.hits.store(0, Relaxed);
    }

    /// Probes and hits since the last [`Cache::clear`].
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.probes.load(Relaxed), self.hits.load(Relaxed))
    }
}

/// About what an entry takes, in bytes.
fn size(answer: &Answer) -> usize {
    OVERHEAD + 4 * (answer.policy.len() + answer.ownership.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(value: f32) -> Answer {
        Answer { value, policy: vec![0.25; 100], ..Answer::default() }
    }

    #[test]
    fn one_plane_or_move_makes_another_question() {
        let planes = vec![0.0; 1003];
        let mut seen = std::collections::HashSet::new();
        for at in 0..1003 {
            let mut other = planes.clone();
            other[at] = 1.0;
            let question = CachedQuestion::new(&other, [1, 2].into_iter());
            assert!(seen.insert((question.find, question.check)), "{at}");
        }
        for moves in [vec![1, 2], vec![2, 1], vec![1], vec![]] {
            let question = CachedQuestion::new(&planes, moves.iter().copied());
            assert!(seen.insert((question.find, question.check)), "{moves:?}");
        }
    }

    #[test]
    fn an_entry_of_another_question_is_no_answer() {
        let cache = Cache::new(1);
        let question = CachedQuestion::new(&[1.0], [].into_iter());
        cache.keep(question, &answer(0.5));
        let mut out = Answer::default();
        assert!(cache.find(question, &mut out) && out == answer(0.5));
        assert!(!cache.find(CachedQuestion { check: question.check ^ 1, ..question }, &mut out));
        assert_eq!(cache.counts(), (2, 1));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let cache = Cache::new(1);
        let question = |n: u64| CachedQuestion { find: n, check: n };
        // All in one shard, whose share is 16 KiB.
        (0..100).for_each(|n| cache.keep(question(n), &answer(0.0)));
        let mut out = Answer::default();
        let found: Vec<u64> = (0..100).filter(|&n| cache.find(question(n), &mut out)).collect();
        assert_eq!(found, (71..100).collect::<Vec<_>>());
        cache.clear();
        assert!(!cache.find(question(99), &mut out));
    }
}
