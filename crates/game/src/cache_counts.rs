//! Counts of a cache: how often it was asked, and how often it knew.

/// Probes and hits of one cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheCounts {
    /// The cache's name, the same in all threads.
    pub name: &'static str,
    /// Questions asked.
    pub probes: u64,
    /// Questions that it could answer; at most `probes`.
    pub hits: u64,
}

impl CacheCounts {
    /// Counts of the cache `name`.
    pub const fn new(name: &'static str, probes: u64, hits: u64) -> CacheCounts {
        CacheCounts { name, probes, hits }
    }

    /// Adds the counts of the same cache in another thread.
    pub fn add(&mut self, other: CacheCounts) {
        self.probes += other.probes;
        self.hits += other.hits;
    }
}
