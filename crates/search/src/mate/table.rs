//! The proof table: results by board and hand. Entries are looked up by the board alone, so that dominance between hands applies.

use super::numbers::{NEVER, NONE, Numbers};
use crate::{memory, prefetch};
use tesuji_game::{Hand, Key, Side};

/// Entries that are looked at, from the place of a key on, at most.
const WINDOW: usize = 64;

/// Places of a table that nothing was put into: what a small problem needs stays in the processor's cache, and no page of memory is
/// touched for nothing.
const PLACES_FIRST: usize = 1 << 15;
/// The growth factor of a table that is half full.
const GROWTH: usize = 4;

/// A table of boards, which grows with what is in it as far as it may.
pub(crate) struct ProofTable<H> {
    entries: Vec<Entry<H>>,
    /// Slots in which keys may lie now; one window more is in use.
    places: usize,
    places_max: usize,
    /// Those of a table that nothing was put into.
    places_first: usize,
    generation: u16,
    /// Whether hands tell of each other.
    pub dominance: bool,
    /// Entries in use.
    used: usize,
}

#[derive(Clone, Copy)]
struct Entry<H> {
    key: u64,
    hand: H,
    pn: u32,
    dn: u32,
    /// Nodes that were searched below.
    work: u32,
    plies: u16,
    generation: u16,
    /// The least depth at which it was reached.
    depth: u16,
}

/// A hit of the proof table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<H> {
    pub numbers: Numbers<H>,
    /// The least depth at which it was reached before.
    pub depth: Option<u16>,
}

/// Lower bounds of a node's numbers, from entries with other hands on the same board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pn: u32,
    dn: u32,
}

impl Bounds {
    /// The numbers, if they are open, as they are at least.
    pub fn raise<H>(self, mut numbers: Numbers<H>) -> Numbers<H> {
        if numbers.pn > 0 && numbers.dn > 0 {
            numbers.pn = numbers.pn.max(self.pn);
            numbers.dn = numbers.dn.max(self.dn);
        }
        numbers
    }
}

impl<H: Hand> ProofTable<H> {
    /// Bytes of an entry.
    pub const ENTRY_BYTES: usize = size_of::<Entry<H>>();

    /// Of this many bytes at most.
    pub fn new(bytes: usize) -> ProofTable<H> {
        ProofTable::one_of(bytes, 1)
    }

    /// One of `parts` of a table, of this many bytes at most: together they begin as small as one table does.
    pub fn one_of(bytes: usize, parts: usize) -> ProofTable<H> {
        let places_max = (bytes / size_of::<Entry<H>>()).max(1024);
        // One window more than places: the last place needs no wrap-around.
        let places = (PLACES_FIRST / parts).max(WINDOW).min(places_max);
        let entries = Self::empty(places + WINDOW);
        ProofTable { entries, places, places_max, places_first: places, generation: 1, dominance: true, used: 0 }
    }

    const EMPTY: fn() -> Entry<H> =
        || Entry { key: 0, hand: H::default(), pn: 1, dn: 1, work: 0, plies: 0, generation: 0, depth: 0 };

    fn empty(len: usize) -> Vec<Entry<H>> {
        vec![Self::EMPTY(); len]
    }

    /// As many empty entries, if the system has the memory.
    fn try_empty(len: usize) -> Option<Vec<Entry<H>>> {
        memory::filled(len, Self::EMPTY)
    }

    /// Forgets all, and is small again.
    pub fn clear(&mut self) {
        self.places = self.places_first;
        self.forget();
    }

    fn forget(&mut self) {
        self.used = 0;
        // A new generation forgets all entries without touching them; only once in many must they be wiped.
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.entries.iter_mut().for_each(|entry| entry.generation = 0);
            self.generation = 1;
        }
    }

    /// Takes more places, for all that it knows and as much again and more.
    fn grow(&mut self) {
        let is_known = |entry: &&Entry<H>| entry.generation == self.generation;
        let known: Vec<Entry<H>> = self.entries[..self.places + WINDOW].iter().filter(is_known).copied().collect();
        let before = self.places;
        self.places = (self.places * GROWTH).min(self.places_max);
        if self.entries.len() < self.places + WINDOW {
            // What was there goes first, lest both lie in memory.
            self.entries = Vec::new();
            self.entries = Self::try_empty(self.places + WINDOW).unwrap_or_else(|| {
                // The system has no more: it stays as large as it was.
                (self.places, self.places_max) = (before, before);
                Self::empty(before + WINDOW)
            });
        }
        self.forget();
        for entry in known {
            let place = self.place(Key(entry.key));
            let window = &mut self.entries[place..place + WINDOW];
            if let Some(free) = window.iter_mut().find(|entry| entry.generation != self.generation) {
                *free = Entry { generation: self.generation, ..entry };
                self.used += 1;
            }
        }
    }

    /// Fill, in permille of the largest size.
    pub fn fill(&self) -> usize {
        self.used * 1000 / (self.places_max + WINDOW)
    }

    /// Starts loading what is known of a board.
    pub fn prefetch(&self, key: Key) {
        prefetch::line(&self.entries, self.place(key));
    }

    fn place(&self, key: Key) -> usize {
        // The high half of the product: any number of places, not only powers of two, without a division.
        ((u128::from(key.0) * self.places as u128) >> 64) as usize
    }

    /// The entries that may be of a key; the first that is empty ends them.
    fn window(&self, key: Key) -> impl Iterator<Item = (usize, &Entry<H>)> {
        let place = self.place(key);
        let entries = self.entries[place..place + WINDOW].iter().enumerate();
        let generation = self.generation;
        entries.map(move |(i, e)| (place + i, e)).take_while(move |(_, e)| e.generation == generation)
    }

    /// Looks up a board with this hand of the attacker's, with this many plies left.
    ///
    /// # Errors
    /// Bounds that follow from other hands, if there is no entry for this one.
    pub fn look(&self, key: Key, hand: H, plies_left: u16) -> Result<Found<H>, Bounds> {
        let (mut exact, mut bounds) = (None, Bounds { pn: 1, dn: 1 });
        for (_, entry) in self.window(key) {
            if entry.key != key.0 {
                continue;
            }
            let same = entry.hand == hand;
            let better = same || self.dominance && hand.covers(entry.hand);
            let worse = same || self.dominance && entry.hand.covers(hand);
            if entry.pn == 0 {
                if better && entry.plies <= plies_left {
                    let numbers = Numbers::proved(entry.hand, entry.plies);
                    return Ok(Found { numbers, depth: Some(entry.depth) });
                }
            } else if entry.dn == 0 {
                if worse && entry.plies >= plies_left {
                    let numbers = Numbers::disproved(entry.hand, entry.plies, NONE);
                    return Ok(Found { numbers, depth: Some(entry.depth) });
                }
            } else if same {
                exact = Some(entry);
            } else if worse {
                // Anyone who has more is no further from the mate than we are.
                bounds.pn = bounds.pn.max(entry.pn);
            } else if better {
                bounds.dn = bounds.dn.max(entry.dn);
            }
        }
        let entry = exact.ok_or(bounds)?;
        // Not raised: bounds are as old as the other hands' entries, and numbers that rise on every look and fall with every
        // visit turn a search in circles (1,048,576 nodes on 10,000 positions, where 17,000 are enough).
        let numbers = Numbers::open(entry.pn, entry.dn, hand);
        Ok(Found { numbers, depth: Some(entry.depth) })
    }

    /// Nodes that were searched below a board with this hand or one that tells of it, the most that an entry knows.
    pub fn work(&self, key: Key, hand: H) -> u32 {
        let tells = |e: &Entry<H>| e.hand == hand || self.dominance && (hand.covers(e.hand) || e.hand.covers(hand));
        let known = self.window(key).filter(|(_, e)| e.key == key.0 && tells(e));
        known.map(|(_, e)| e.work).max().unwrap_or(0)
    }

    /// Remembers what was found with `work` nodes at `depth`.
    pub fn store(&mut self, key: Key, numbers: &Numbers<H>, depth: u16, work: u32) {
        if self.used > self.places / 2 && self.places < self.places_max {
            self.grow();
        }
        let entry = Entry {
            key: key.0,
            hand: numbers.hand,
            pn: numbers.pn.min(NEVER),
            dn: numbers.dn.min(NEVER),
            work,
            plies: numbers.plies,
            generation: self.generation,
            depth,
        };
        let solved = |e: &Entry<H>| e.pn == 0 || e.dn == 0;
        let mut least: Option<(usize, u32)> = None;
        let mut found = None;
        let mut seen = 0;
        for (place, old) in self.window(key) {
            seen += 1;
            if old.key == key.0 && self.replaces(&entry, old) {
                found = Some(place);
                break;
            }
            // Solved nodes are worth more than the work that they took.
            let worth = if solved(old) { old.work.saturating_mul(4) } else { old.work };
            if least.is_none_or(|(_, work)| worth < work) {
                least = Some((place, worth));
            }
        }
        let place = match (found, least) {
            (Some(place), _) => place,
            (None, _) if seen < WINDOW => {
                self.used += 1;
                self.place(key) + seen
            }
            (None, Some((place, _))) => place,
            (None, None) => return,
        };
        let old = &mut self.entries[place];
        let depth = if found.is_some() && old.hand == entry.hand { old.depth.min(depth) } else { depth };
        let work = if found.is_some() { old.work.saturating_add(work) } else { work };
        *old = Entry { depth, work, ..entry };
    }

    /// Whether `new` tells all that `old` of the same board tells.
    fn replaces(&self, new: &Entry<H>, old: &Entry<H>) -> bool {
        if new.pn == 0 {
            // A proof for less says all of what is open or proved for more.
            let covered = if self.dominance { old.hand.covers(new.hand) } else { old.hand == new.hand };
            covered && old.dn > 0 && (old.pn > 0 || old.plies >= new.plies)
        } else if new.dn == 0 {
            let covered = if self.dominance { new.hand.covers(old.hand) } else { old.hand == new.hand };
            covered && old.pn > 0 && (old.dn > 0 || old.plies <= new.plies)
        } else {
            old.hand == new.hand && old.pn > 0 && old.dn > 0
        }
    }
}

/// A disproof that is remembered by its path: the path, and plies, depth that it rests on and generation in one word.
///
/// Zeros alone are an empty entry, so that the system gives memory page by page as entries are written: a table of structs would
/// be written as a whole before the first node.
type Return = [u64; 2];

fn packed(plies: u16, rests_on: u16, generation: u32) -> u64 {
    u64::from(plies) | u64::from(rests_on) << 16 | u64::from(generation) << 32
}

/// Disproofs that hold on one path only, because they rest on positions that stand on it.
pub(crate) struct Returns {
    entries: Vec<Return>,
    generation: u32,
    /// A bit for each path that may be remembered: the look at far memory, which nearly always finds nothing, took a seventh of
    /// the time of a search.
    sieve: Vec<u64>,
    /// Nothing was remembered yet.
    is_empty: bool,
}

/// Bits of the sieve.
const SIEVE: usize = 1 << 19;

impl Returns {
    /// Of this many bytes.
    pub fn new(bytes: usize) -> Returns {
        let places = (bytes / 24).max(64).next_power_of_two();
        let sieve = vec![0; SIEVE / 64];
        Returns { entries: vec![[0; 2]; places], generation: 1, sieve, is_empty: true }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        if !self.is_empty {
            self.sieve.fill(0);
        }
        self.is_empty = true;
        self.generation += 1;
    }

    /// The word and the bit of the sieve for a path.
    fn bit(path: u64) -> (usize, u64) {
        let bit = (path >> 32) as usize % SIEVE;
        (bit / 64, 1 << (bit % 64))
    }

    /// Starts loading what may be remembered of a path.
    #[inline]
    pub fn prefetch(&self, path: u64) {
        let (word, bit) = Self::bit(path);
        if self.sieve[word] & bit != 0 {
            prefetch::line(&self.entries, path as usize & (self.entries.len() - 1));
        }
    }

    /// The plies and the depth on which the disproof of a node rests, reached by this path.
    pub fn look(&self, path: u64) -> Option<(u16, u16)> {
        let (word, bit) = Self::bit(path);
        if self.is_empty || self.sieve[word] & bit == 0 {
            return None;
        }
        let [found, facts] = self.entries[path as usize & (self.entries.len() - 1)];
        let generation = (facts >> 32) as u32;
        (found == path && generation == self.generation).then_some((facts as u16, (facts >> 16) as u16))
    }

    /// Remembers one; whatever lies there is forgotten.
    pub fn store(&mut self, path: u64, plies: u16, rests_on: u16) {
        let (word, bit) = Self::bit(path);
        self.sieve[word] |= bit;
        self.is_empty = false;
        let place = path as usize & (self.entries.len() - 1);
        self.entries[place] = [path, packed(plies, rests_on, self.generation)];
    }
}

/// First numbers of a position: its key, and proof and disproof number in one word. A proof number of 0 is that of an empty entry,
/// and zeros alone are one.
type First = [u64; 2];

/// First numbers of positions that were looked at and never searched. They are the rules' own and hold for every problem.
pub(crate) struct Firsts(Vec<First>);

impl Firsts {
    /// Of this many bytes.
    pub fn new(bytes: usize) -> Firsts {
        let places = (bytes / size_of::<First>()).max(64);
        // The largest power of two that fits.
        Firsts(vec![[0; 2]; places.next_power_of_two() / if places.is_power_of_two() { 1 } else { 2 }])
    }

    fn place(&self, key: Key, attacker: Side) -> (u64, usize) {
        let key = if attacker == Side::First { key.0 } else { !key.0 };
        (key, key as usize & (self.0.len() - 1))
    }

    /// Starts loading its numbers.
    pub fn prefetch(&self, key: Key, attacker: Side) {
        prefetch::line(&self.0, self.place(key, attacker).1);
    }

    /// Its numbers, if they are remembered.
    pub fn look(&self, key: Key, attacker: Side) -> Option<(u32, u32)> {
        let (key, place) = self.place(key, attacker);
        let [found, numbers] = self.0[place];
        let (pn, dn) = (numbers as u32, (numbers >> 32) as u32);
        (found == key && pn > 0).then_some((pn, dn))
    }

    /// Remembers them; whatever lies there is forgotten.
    pub fn store(&mut self, key: Key, attacker: Side, (pn, dn): (u32, u32)) {
        let (key, place) = self.place(key, attacker);
        self.0[place] = [key, u64::from(pn) | u64::from(dn) << 32];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of two kinds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    struct Two(u8, u8);

    impl Hand for Two {
        fn covers(self, other: Two) -> bool {
            self.0 >= other.0 && self.1 >= other.1
        }
        fn join(self, other: Two) -> Two {
            Two(self.0.max(other.0), self.1.max(other.1))
        }
        fn meet(self, other: Two) -> Two {
            Two(self.0.min(other.0), self.1.min(other.1))
        }
        fn full() -> Two {
            Two(255, 255)
        }
    }

    #[test]
    fn hands_tell_of_each_other() {
        let mut table = ProofTable::new(1 << 20);
        let key = Key(0x1234_5678_9ABC_DEF0);
        let unknown = |bounds: Bounds| bounds.raise(Numbers::open(3, 4, Two(9, 9)));
        table.store(key, &Numbers::proved(Two(1, 0), 5), 1, 10);
        table.store(key, &Numbers::disproved(Two(0, 2), NONE, NONE), 1, 10);
        table.store(key, &Numbers::disproved(Two(0, 7), 3, NONE), 1, 10);
        let look = |table: &ProofTable<Two>, a, b, plies| {
            table.look(key, Two(a, b), plies).map_or_else(unknown, |found| found.numbers)
        };
        assert!(look(&table, 1, 0, NONE).is_proved() && look(&table, 3, 1, 5).is_proved());
        // The mate takes five plies.
        assert!(!look(&table, 1, 0, 4).is_proved());
        assert!(look(&table, 0, 1, NONE).is_disproved() && look(&table, 0, 5, 3).is_disproved());
        assert!(!look(&table, 0, 5, 4).is_disproved());
        let open = look(&table, 0, 9, NONE);
        assert_eq!((open.pn, open.dn), (3, 4));
        table.dominance = false;
        assert!(!look(&table, 3, 1, NONE).is_proved() && !look(&table, 0, 1, NONE).is_disproved());
        assert!(look(&table, 1, 0, NONE).is_proved());
    }

    #[test]
    fn what_is_open_is_bounded_by_other_hands() {
        let mut table = ProofTable::new(1 << 20);
        let key = Key(99);
        table.store(key, &Numbers::open(20, 2, Two(2, 2)), 3, 1);
        table.store(key, &Numbers::open(2, 30, Two(0, 0)), 3, 1);
        let bounds = table.look(key, Two(1, 1), NONE).unwrap_err();
        let raised = bounds.raise(Numbers::open(1, 1, Two(1, 1)));
        assert_eq!((raised.pn, raised.dn), (20, 30));
        assert_eq!(table.look(key, Two(2, 2), NONE).unwrap().depth, Some(3));
        table.clear();
        assert!(table.look(key, Two(2, 2), NONE).is_err());
    }

    #[test]
    fn a_full_window_keeps_what_took_most_work() {
        let mut table: ProofTable<Two> = ProofTable::new(0);
        let key = Key(7);
        let hand = |i: usize| Two(i as u8, 200 - i as u8);
        for i in 0..100 {
            table.store(key, &Numbers::open(5, 5, hand(i)), 0, 1 + i as u32);
        }
        let kept: Vec<usize> = (0..100).filter(|&i| table.look(key, hand(i), NONE).is_ok()).collect();
        assert_eq!(kept.len(), WINDOW);
        assert!(kept.contains(&99) && !kept.contains(&0));
    }

    #[test]
    fn a_table_that_grows_forgets_nothing() {
        let mut table: ProofTable<Two> = ProofTable::new(64 << 20);
        for round in 0..2 {
            let key = |i: u64| Key((i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let count = 300_000;
            for i in 0..count {
                table.store(key(i), &Numbers::open(3, 5 + round, Two(i as u8, 1)), 2, 1);
            }
            let is_there = |i: u64| table.look(key(i), Two(i as u8, 1), NONE).is_ok_and(|f| f.numbers.dn == 5 + round);
            assert!((0..count).all(is_there), "round {round}");
            assert!(table.places > PLACES_FIRST && table.used == count as usize);
            table.clear();
            assert!(table.look(key(7), Two(7, 1), NONE).is_err() && table.places == PLACES_FIRST);
        }
    }

    #[test]
    fn returns_belong_to_their_path() {
        let mut returns = Returns::new(1 << 16);
        returns.store(5, 7, 2);
        assert_eq!((returns.look(5), returns.look(6)), (Some((7, 2)), None));
        returns.clear();
        assert_eq!(returns.look(5), None);
    }
}
