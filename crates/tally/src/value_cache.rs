//! A cache of the values of positions, for evaluations at play.

/// Entries of a [`ValueCache`]; 8 bytes each. The index of an entry and what it stores of a key make 64 bits together.
const ENTRIES: usize = 1 << 16;
/// The bits of a key that an entry stores; the value has the others.
const STORED: u64 = !0xFFFF;

/// Probes and hits of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProbeCounts {
    /// Questions asked.
    pub probes: u64,
    /// Questions that it could answer.
    pub hits: u64,
}

/// Values by the 64-bit keys of positions. A value replaces the one that is stored under the same index.
///
/// # Examples
/// ```
/// use tesuji_tally::ValueCache;
/// let mut cache = ValueCache::default();
/// cache.store(0x1234_5678_9ABC_DEF0, -25);
/// assert_eq!(cache.probe(0x1234_5678_9ABC_DEF0), Some(-25));
/// assert_eq!(cache.probe(0x1234_5678_9ABC_DEF1), None);
/// ```
#[derive(Debug, Clone)]
pub struct ValueCache {
    entries: Box<[u64]>,
    counts: ProbeCounts,
}

impl Default for ValueCache {
    fn default() -> Self {
        ValueCache { entries: vec![0; ENTRIES].into(), counts: ProbeCounts::default() }
    }
}

impl ValueCache {
    /// The value stored for `key`. Counts the probe.
    #[inline]
    pub fn probe(&mut self, key: u64) -> Option<i16> {
        let entry = self.entries[key as usize % ENTRIES];
        self.counts.probes += 1;
        // An empty entry is 0, which would also be the value 0 of a key whose stored bits are 0.
        let is_hit = entry & STORED == key & STORED && entry != 0;
        self.counts.hits += u64::from(is_hit);
        is_hit.then_some(entry as u16 as i16)
    }

    /// Stores the value for `key`.
    #[inline]
    pub fn store(&mut self, key: u64, value: i16) {
        self.entries[key as usize % ENTRIES] = key & STORED | u64::from(value as u16);
    }

    /// Probes and hits since they were reset.
    pub fn counts(&self) -> ProbeCounts {
        self.counts
    }

    /// Sets probes and hits to 0.
    pub fn reset_counts(&mut self) {
        self.counts = ProbeCounts::default();
    }

    /// Forgets all values.
    pub fn clear(&mut self) {
        self.entries.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_whole_keys() {
        let mut cache = ValueCache::default();
        let key = 0xFEDC_BA98_7654_3210;
        assert_eq!(cache.probe(key), None);
        for value in [i16::MIN, -1, 0, 1, i16::MAX] {
            cache.store(key, value);
            assert_eq!(cache.probe(key), Some(value));
        }
        assert_eq!((cache.probe(key ^ 1 << 63), cache.probe(key ^ 1)), (None, None), "each bit of a key counts");
        cache.store(key ^ 1 << 16, 7);
        assert_eq!(cache.probe(key), None, "replaced by a value with the same index");
        assert_eq!(cache.counts(), ProbeCounts { probes: 9, hits: 5 });
        cache.clear();
        cache.reset_counts();
        assert_eq!((cache.probe(key ^ 1 << 16), cache.counts()), (None, ProbeCounts { probes: 1, hits: 0 }));
    }
}
