//! Counts of a cache: how often it was asked, and how often it knew.

/// Probes and hits of one cache.
///
/// # Examples
///
/// ```
/// use tesuji_game::CacheCounts;
/// let mut counts = CacheCounts::new("pawns", 100, 90);
/// counts.add(CacheCounts::new("pawns", 50, 20));
/// assert_eq!((counts.probes, counts.hits), (150, 110));
/// ```
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
