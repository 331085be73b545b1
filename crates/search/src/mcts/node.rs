//! Nodes, edges and all-moves-as-first counts of a tree, as atomics shared between threads.

use std::sync::atomic::{
    AtomicI32, AtomicI64, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

/// Fixed point of sums of results: sums of any order are equal to the bit.
const VALUE_ONE: f64 = (1 << 20) as f64;
/// Fixed point of all-moves-as-first counts.
const FIRST_ONE: f32 = 256.0;
/// Upper bound of all-moves-as-first counts: far above where they matter, and below an overflow of 32 bits.
const FIRST_MAX: u32 = 1 << 30;

/// A position in the tree that was visited, 32 bytes. What a visit reads together lies together.
#[derive(Debug, Default)]
pub(super) struct Node {
    visits: AtomicU32,
    in_flight: AtomicU32,
    /// Results for the side that moved here.
    sum: AtomicI64,
    /// While there are none: how many came to ask for them.
    edges: AtomicU64,
    proof: AtomicU32,
    parent: AtomicU32,
}

/// The children of a node, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edges {
    /// Not yet asked for.
    None,
    /// A ticket is out that will bring them.
    Claimed,
    /// There they are.
    Open(Block),
}

/// The edges of one node, by falling prior.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) first: u32,
    /// At least 1.
    pub(super) len: u16,
    /// Whether these are all legal moves.
    pub(super) complete: bool,
}

impl Edges {
    const CLAIMED: u64 = 1 << 48;
    const OPEN: u64 = 1 << 49;
    const COMPLETE: u64 = 1 << 50;

    fn pack(self) -> u64 {
        match self {
            Edges::None => 0,
            Edges::Claimed => Self::CLAIMED,
            Edges::Open(b) => {
                let complete = if b.complete { Self::COMPLETE } else { 0 };
                Self::OPEN | complete | u64::from(b.len) << 32 | u64::from(b.first)
            }
        }
    }

    fn unpack(bits: u64) -> Self {
        if bits & Self::OPEN != 0 {
            let complete = bits & Self::COMPLETE != 0;
            Edges::Open(Block { first: bits as u32, len: (bits >> 32) as u16, complete })
        } else if bits == Self::CLAIMED {
            Edges::Claimed
        } else {
            Edges::None
        }
    }
}

/// The proven result of a position for the side to move there, with plies to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    Unknown,
    Win(u32),
    Draw(u32),
    Loss(u32),
}

impl Proof {
    fn pack(self) -> u32 {
        match self {
            Proof::Unknown => 0,
            Proof::Win(plies) => 1 | plies << 2,
            Proof::Draw(plies) => 2 | plies << 2,
            Proof::Loss(plies) => 3 | plies << 2,
        }
    }

    fn unpack(bits: u32) -> Self {
        let plies = bits >> 2;
        match bits & 3 {
            0 => Proof::Unknown,
            1 => Proof::Win(plies),
            2 => Proof::Draw(plies),
            _ => Proof::Loss(plies),
        }
    }

    /// The result for the side to move, in -1..=1, if it is known.
    pub(super) fn value(self) -> Option<f32> {
        match self {
            Proof::Unknown => None,
            Proof::Win(_) => Some(1.0),
            Proof::Draw(_) => Some(0.0),
            Proof::Loss(_) => Some(-1.0),
        }
    }
}

impl Node {
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Visits begun and not yet ended.
    pub(super) fn in_flight(&self) -> u32 {
        self.in_flight.load(Relaxed)
    }

    /// The sum of results for the side that moved here.
    pub(super) fn sum(&self) -> f64 {
        self.sum.load(Relaxed) as f64 / VALUE_ONE
    }

    /// The mean result for the side that moved here, or what is proven; `None` before the first visit.
    pub(super) fn mean(&self) -> Option<f32> {
        let visits = self.visits();
        let counted = || (visits > 0).then(|| (self.sum() / f64::from(visits)) as f32);
        self.proof().value().map(|v| -v).or_else(counted)
    }

    pub(super) fn enter(&self) {
        self.in_flight.fetch_add(1, Relaxed);
    }

    pub(super) fn leave(&self) {
        let before = self.in_flight.fetch_sub(1, Relaxed);
        debug_assert!(before > 0, "left without having entered");
    }

    /// Counts a visit with its result for the side that moved here, in -1..=1.
    pub(super) fn count(&self, value: f32) {
        // The sum first: a mean that is read between the two errs by one result, not by a whole visit without one.
        self.sum.fetch_add((f64::from(value) * VALUE_ONE).round() as i64, Relaxed);
        self.visits.fetch_add(1, Relaxed);
    }

    pub(super) fn edges(&self) -> Edges {
        Edges::unpack(self.edges.load(Acquire))
    }

    /// Takes the right to bring the edges; false if another was faster.
    pub(super) fn claim(&self) -> bool {
        let claimed = |bits| (Edges::unpack(bits) == Edges::None).then_some(Edges::Claimed.pack());
        self.edges.fetch_update(AcqRel, Relaxed, claimed).is_ok()
    }

    /// Counts one who came while there were no edges; returns how many came before.
    pub(super) fn knock(&self) -> u32 {
        let more = |bits| (Edges::unpack(bits) == Edges::None && bits < u64::from(u32::MAX)).then(|| bits + 1);
        self.edges.fetch_update(AcqRel, Relaxed, more).map_or(u32::MAX, |before| before as u32)
    }

    /// Shows the edges to all, or gives the right to bring them back.
    pub(super) fn publish(&self, edges: Edges) {
        self.edges.store(edges.pack(), Release);
    }

    pub(super) fn proof(&self) -> Proof {
        Proof::unpack(self.proof.load(Acquire))
    }

    /// Notes what is proven. What is known stays known.
    pub(super) fn prove(&self, proof: Proof) {
        // The first proof stays: one by another thread may have other plies, never another result.
        let _ = self.proof.compare_exchange(0, proof.pack(), AcqRel, Relaxed);
    }

    pub(super) fn parent(&self) -> u32 {
        self.parent.load(Relaxed)
    }

    pub(super) fn set_parent(&self, parent: u32) {
        self.parent.store(parent, Relaxed);
    }

    /// Takes the counts and the proof of another node.
    pub(super) fn copy_counts(&self, from: &Node) {
        self.visits.store(from.visits(), Relaxed);
        self.sum.store(from.sum.load(Relaxed), Relaxed);
        self.proof.store(from.proof.load(Relaxed), Relaxed);
    }
}

/// A move at a node with its prior and, once visited, its child: 8 bytes.
#[derive(Debug, Default)]
pub(super) struct Edge(AtomicU64);

/// An edge as it was when it was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeWord(u64);

impl Edge {
    pub(super) fn load(&self) -> EdgeWord {
        EdgeWord(self.0.load(Acquire))
    }

    pub(super) fn set(&self, word: EdgeWord) {
        self.0.store(word.0, Release);
    }

    /// Hangs a child on the edge; returns the child that is there now, which may be another thread's.
    pub(super) fn set_child(&self, seen: EdgeWord, child: u32) -> u32 {
        let with = seen.0 | u64::from(child) << 32;
        // Where another thread was faster its child counts, and ours is left over.
        match self.0.compare_exchange(seen.0, with, AcqRel, Acquire) {
            Ok(_) => child,
            Err(now) => EdgeWord(now).child(),
        }
    }
}

impl EdgeWord {
    /// The highest bit of the prior, which is never negative, says that the root's caller does not want the move.
    const BARRED: u64 = 1 << 31;

    /// An edge without a child. `prior` in 0..=1, kept with 8 significant bits.
    pub(super) fn new(mv: u16, prior: f32) -> Self {
        // Half of the last bit that is kept is added before the lower ones are cut off: rounding to nearest.
        let rounded = f32::to_bits(prior.max(0.0)) + 0x8000;
        EdgeWord(u64::from(mv) | u64::from(rounded >> 16) << 16)
    }

    pub(super) fn mv(self) -> u16 {
        self.0 as u16
    }

    pub(super) fn prior(self) -> f32 {
        f32::from_bits(((self.0 >> 16) as u32 & 0x7fff) << 16)
    }

    /// The child's node; 0, which is the root's, where there is none.
    pub(super) fn child(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(super) fn with_child(self, child: u32) -> Self {
        EdgeWord(self.0 & 0xffff_ffff | u64::from(child) << 32)
    }

    pub(super) fn with_prior(self, prior: f32) -> Self {
        EdgeWord(self.0 & !0x7fff_0000 | EdgeWord::new(0, prior).0)
    }

    pub(super) fn is_barred(self) -> bool {
        self.0 & Self::BARRED != 0
    }

    pub(super) fn barred(self, barred: bool) -> Self {
        EdgeWord(if barred { self.0 | Self::BARRED } else { self.0 & !Self::BARRED })
    }
}

/// All-moves-as-first statistics of a move (Brügmann, 1993): results of playouts in which its side played it at any time.
#[derive(Debug, Default)]
pub(super) struct Rave {
    weight: AtomicU32,
    /// For the side that plays the move.
    sum: AtomicI32,
}

impl Rave {
    pub(super) fn add(&self, weight: f32, value: f32) {
        if self.weight.load(Relaxed) < FIRST_MAX {
            self.weight.fetch_add((weight * FIRST_ONE).round() as u32, Relaxed);
            self.sum.fetch_add((weight * value * FIRST_ONE).round() as i32, Relaxed);
        }
    }

    /// The weight in visits, and the mean result in -1..=1.
    pub(super) fn mean(&self) -> (f32, f32) {
        let weight = self.weight.load(Relaxed) as f32;
        let sum = self.sum.load(Relaxed) as f32;
        (weight / FIRST_ONE, if weight > 0.0 { sum / weight } else { 0.0 })
    }

    pub(super) fn copy_counts(&self, from: &Rave) {
        self.weight.store(from.weight.load(Relaxed), Relaxed);
        self.sum.store(from.sum.load(Relaxed), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_half_a_cache_line() {
        assert_eq!((size_of::<Node>(), size_of::<Edge>(), size_of::<Rave>()), (32, 8, 8));
    }

    #[test]
    fn words_survive_packing() {
        for edges in [
            Edges::None,
            Edges::Claimed,
            Edges::Open(Block { first: 0, len: 1, complete: false }),
            Edges::Open(Block { first: u32::MAX, len: u16::MAX, complete: true }),
        ] {
            assert_eq!(Edges::unpack(edges.pack()), edges);
        }
        for proof in [Proof::Unknown, Proof::Win(0), Proof::Draw(77), Proof::Loss(1 << 20)] {
            assert_eq!(Proof::unpack(proof.pack()), proof);
        }
        let word = EdgeWord::new(0xffff, 0.25).with_child(7).barred(true);
        assert_eq!((word.mv(), word.prior(), word.child(), word.is_barred()), (0xffff, 0.25, 7, true));
        let word = word.barred(false).with_prior(0.75);
        assert_eq!((word.mv(), word.prior(), word.child(), word.is_barred()), (0xffff, 0.75, 7, false));
    }

    #[test]
    fn priors_keep_eight_bits() {
        for i in 0..=1000 {
            let prior = i as f32 / 1000.0;
            assert!((EdgeWord::new(1, prior).prior() - prior).abs() <= prior / 256.0);
        }
        assert_eq!(EdgeWord::new(1, 1.0).prior(), 1.0);
    }

    #[test]
    fn counts_are_exact_in_any_order() {
        let (a, b) = (Node::default(), Node::default());
        let values = [0.1f32, -0.7, 1.0, 0.333, -0.01];
        values.iter().for_each(|&v| a.count(v));
        values.iter().rev().for_each(|&v| b.count(v));
        assert_eq!((a.sum(), a.visits()), (b.sum(), 5));
    }
}
