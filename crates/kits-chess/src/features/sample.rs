//! A sample without replacement of the rows of a stream: those with the lowest lots, the same for any number of jobs.

use std::collections::BinaryHeap;
use tesuji_dataset::{Head, SparseRows, sparse};

/// The rows with the lowest lots so far (a reservoir; Efraimidis and Spirakis, 2006, with equal weights).
pub(super) struct Reservoir {
    size: usize,
    seed: u64,
    /// The largest lot on top. Rows with equal lots are told apart by their place in the stream.
    held: BinaryHeap<Drawn>,
    seen: u64,
}

/// A row that was drawn.
struct Drawn {
    lot: (u64, u64),
    head: Head,
    entries: Box<[(u16, i32)]>,
}

impl Reservoir {
    /// An empty one for `size` rows.
    pub(super) fn new(size: usize, seed: u64) -> Reservoir {
        Reservoir { size, seed, held: BinaryHeap::with_capacity(size.min(1 << 20)), seen: 0 }
    }

    /// The lot below which a row still has a chance.
    pub(super) fn below(&self) -> u64 {
        match self.held.peek() {
            Some(last) if self.held.len() >= self.size => last.lot.0,
            _ => u64::MAX,
        }
    }

    /// Offers all rows of `rows`.
    pub(super) fn offer(&mut self, rows: &SparseRows) {
        for row in 0..rows.len() {
            self.seen += 1;
            let lot = (sparse::lot(self.seed, rows.head(row)), self.seen);
            if self.held.len() >= self.size && self.held.peek().is_none_or(|last| lot >= last.lot) {
                continue;
            }
            self.held.push(Drawn { lot, head: *rows.head(row), entries: rows.entries(row).collect() });
            if self.held.len() > self.size {
                self.held.pop();
            }
        }
    }

    /// The rows drawn, in the order of their lots: shuffled.
    pub(super) fn into_rows(self) -> impl Iterator<Item = (Head, Box<[(u16, i32)]>)> {
        self.held.into_sorted_vec().into_iter().map(|drawn| (drawn.head, drawn.entries))
    }
}

impl Ord for Drawn {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.lot.cmp(&other.lot)
    }
}

impl PartialOrd for Drawn {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        self.lot == other.lot
    }
}

impl Eq for Drawn {}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(games: std::ops::Range<u32>) -> SparseRows {
        let mut rows = SparseRows::default();
        for game in games {
            rows.push(Head { game, ..Head::default() }, [(0, game as i32)]);
        }
        rows
    }

    #[test]
    fn a_sample_does_not_depend_on_how_the_stream_is_cut() {
        let draw = |cuts: &[u32], size, seed| {
            let mut reservoir = Reservoir::new(size, seed);
            for cut in cuts.windows(2) {
                let below = reservoir.below();
                let mut some = SparseRows::default();
                let all = rows(cut[0]..cut[1]);
                for row in (0..all.len()).filter(|&row| sparse::lot(seed, all.head(row)) <= below) {
                    some.push_of(&all, row);
                }
                reservoir.offer(&some);
            }
            reservoir.into_rows().map(|(head, entries)| (head.game, entries[0].1)).collect::<Vec<_>>()
        };
        let whole = draw(&[0, 1000], 50, 3);
        assert_eq!(draw(&[0, 10, 333, 1000], 50, 3), whole);
        assert_eq!(whole.len(), 50);
        assert!(whole.iter().all(|&(game, count)| game as i32 == count) && !whole.is_sorted());
        assert_ne!(draw(&[0, 1000], 50, 4), whole);
        assert_eq!(draw(&[0, 20], 50, 3).len(), 20);
        assert_eq!(draw(&[0, 20], 0, 3).len(), 0);
    }

    #[test]
    fn every_row_has_the_same_chance() {
        let mut times = [0u32; 20];
        for seed in 0..4000 {
            let mut reservoir = Reservoir::new(5, seed);
            reservoir.offer(&rows(0..20));
            reservoir.into_rows().for_each(|(head, _)| times[head.game as usize] += 1);
        }
        // 1,000 each, standard deviation 27.
        assert!(times.iter().all(|&n| (890..1110).contains(&n)), "{times:?}");
    }
}
