//! A set of unit numbers as ranges: a hundred thousand committed units are a few bytes where they follow each other.

use std::{collections::BTreeMap, fmt, str::FromStr};

/// A set of numbers, kept as ranges. Its text is `0-41,43`, and empty for the empty set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexSet {
    /// First numbers of ranges that neither overlap nor touch, to their last ones.
    ranges: BTreeMap<u64, u64>,
}

impl IndexSet {
    /// Whether a number is in the set.
    pub fn contains(&self, index: u64) -> bool {
        self.ranges.range(..=index).next_back().is_some_and(|(_, &last)| index <= last)
    }

    /// Adds a number; says whether it is new.
    pub fn insert(&mut self, index: u64) -> bool {
        if self.contains(index) {
            return false;
        }
        let (mut first, mut last) = (index, index);
        if let Some((&begin, &end)) = self.ranges.range(..index).next_back()
            && end + 1 == index
        {
            first = begin;
        }
        if let Some(next) = index.checked_add(1)
            && let Some(end) = self.ranges.remove(&next)
        {
            last = end;
        }
        self.ranges.insert(first, last);
        true
    }

    /// Takes a number out; says whether it was in the set.
    pub fn remove(&mut self, index: u64) -> bool {
        let found = self.ranges.range(..=index).next_back().map(|(&first, &last)| (first, last));
        let Some((first, last)) = found.filter(|&(_, last)| index <= last) else { return false };
        self.ranges.remove(&first);
        if first < index {
            self.ranges.insert(first, index - 1);
        }
        if index < last {
            self.ranges.insert(index + 1, last);
        }
        true
    }

    /// How many numbers are in the set.
    pub fn count(&self) -> u64 {
        self.ranges.iter().fold(0, |sum, (first, last)| sum.saturating_add((last - first).saturating_add(1)))
    }

    /// How many numbers of the set are below `end`.
    pub fn count_below(&self, end: u64) -> u64 {
        let below = self.ranges.range(..end).map(|(first, last)| (*last).min(end - 1) - first + 1);
        below.fold(0, u64::saturating_add)
    }
}

impl fmt::Display for IndexSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            if first == last { write!(f, "{comma}{first}")? } else { write!(f, "{comma}{first}-{last}")? }
        }
        Ok(())
    }
}

impl FromStr for IndexSet {
    type Err = String;

    fn from_str(text: &str) -> Result<IndexSet, String> {
        let mut set = IndexSet::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{part:?} is no range of numbers"));
            let (first, last) = (number(first)?, number(last)?);
            let is_behind = set.ranges.last_key_value().is_none_or(|(_, &end)| end < first);
            if first > last || !is_behind {
                return Err(format!("{part:?} is not behind the range before it"));
            }
            // Ranges that touch become one.
            match set.ranges.last_entry() {
                Some(mut before) if *before.get() + 1 == first => *before.get_mut() = last,
                _ => drop(set.ranges.insert(first, last)),
            }
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_set_of_ranges_is_a_set() {
        let (mut set, mut slow) = (IndexSet::default(), BTreeSet::new());
        let mut random = 1_u64;
        for _ in 0..2_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let index = (random >> 33) % 60;
            if random >> 63 == 0 {
                assert_eq!(set.insert(index), slow.insert(index));
            } else {
                assert_eq!(set.remove(index), slow.remove(&index));
            }
            assert_eq!(set.count(), slow.len() as u64);
            assert_eq!(set.count_below(31), slow.range(..31).count() as u64);
            assert!((0..60).all(|n| set.contains(n) == slow.contains(&n)));
            assert_eq!(set.to_string().parse(), Ok(set.clone()));
        }
        set.insert(u64::MAX);
        assert!(set.contains(u64::MAX) && !set.contains(u64::MAX - 1));
        assert_eq!(set.to_string().parse(), Ok(set));
    }

    #[test]
    fn a_text_that_is_no_set_is_refused() {
        let check = |text: &str, words: &str| assert!(text.parse::<IndexSet>().is_err_and(|e| e.contains(words)));
        check("a", "no range");
        check("1-", "no range");
        check("5-4", "not behind");
        check("1-3,2", "not behind");
        assert_eq!("1-2,3".parse::<IndexSet>().unwrap().to_string(), "1-3");
    }
}
