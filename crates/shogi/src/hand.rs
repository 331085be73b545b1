//! The pieces in a side's hand: seven counts in one word, with the partial order that dominance needs.

use crate::Piece;
use std::fmt;

/// The counts of pawns, lances, knights, silvers, bishops, rooks and golds in hand. Each field has a spare bit above it,
/// so that one subtraction compares all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hand(u32);

/// The shift of each count, in the order of [`Piece::HAND`].
const SHIFT: [u32; 7] = [0, 6, 10, 14, 18, 21, 24];
/// The largest count that each field can hold.
const FIELD: [u32; 7] = [31, 7, 7, 7, 3, 3, 7];
/// The spare bits.
const SPARE: u32 = 1 << 5 | 1 << 9 | 1 << 13 | 1 << 17 | 1 << 20 | 1 << 23 | 1 << 27;

impl Hand {
    /// Nothing in hand.
    pub const EMPTY: Hand = Hand(0);
    /// All that there is.
    pub const FULL: Hand = match Hand::from_counts(Piece::SET) {
        Some(hand) => hand,
        None => Hand::EMPTY,
    };

    /// A hand of these counts, in the order of [`Piece::HAND`]; `None` where one is more than a full set has.
    pub const fn from_counts(counts: [u8; 7]) -> Option<Hand> {
        let mut hand = Hand(0);
        let mut i = 0;
        while i < 7 {
            if counts[i] > Piece::SET[i] {
                return None;
            }
            hand.0 |= (counts[i] as u32) << SHIFT[i];
            i += 1;
        }
        Some(hand)
    }

    /// The counts, in the order of [`Piece::HAND`].
    pub fn counts(self) -> [u8; 7] {
        std::array::from_fn(|i| (self.0 >> SHIFT[i] & FIELD[i]) as u8)
    }

    /// The number of `piece` in hand; 0 for kinds that cannot be held.
    #[inline(always)]
    pub const fn count(self, piece: Piece) -> u8 {
        if piece.is_droppable() { (self.0 >> SHIFT[piece.index()] & FIELD[piece.index()]) as u8 } else { 0 }
    }

    /// Whether `piece` is held.
    #[inline(always)]
    pub const fn has(self, piece: Piece) -> bool {
        self.count(piece) > 0
    }

    /// Whether nothing is held.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of pieces in hand.
    pub fn total(self) -> u32 {
        self.counts().into_iter().map(u32::from).sum()
    }

    /// This hand and one more of `piece`; unchanged for kinds that cannot be held and beyond a full set.
    #[must_use]
    #[inline(always)]
    pub const fn with(self, piece: Piece) -> Hand {
        if piece.is_droppable() && self.count(piece) < Piece::SET[piece.index()] {
            Hand(self.0 + (1 << SHIFT[piece.index()]))
        } else {
            self
        }
    }

    /// This hand and one less of `piece`; unchanged where there is none.
    #[must_use]
    #[inline(always)]
    pub const fn without(self, piece: Piece) -> Hand {
        if self.has(piece) { Hand(self.0 - (1 << SHIFT[piece.index()])) } else { self }
    }

    /// This hand with none of `piece`.
    #[must_use]
    pub const fn without_all(self, piece: Piece) -> Hand {
        if piece.is_droppable() { Hand(self.0 & !(FIELD[piece.index()] << SHIFT[piece.index()])) } else { self }
    }

    /// This hand with as many of `piece` as `other` has.
    #[must_use]
    pub const fn with_count_of(self, piece: Piece, other: Hand) -> Hand {
        Hand(self.without_all(piece).0 | (other.0 ^ other.without_all(piece).0))
    }

    /// The kinds held and how many, pawns first.
    pub fn iter(self) -> impl Iterator<Item = (Piece, u8)> {
        Piece::HAND.into_iter().map(move |piece| (piece, self.count(piece))).filter(|&(_, n)| n > 0)
    }

    /// Whether every count here is at least the other's.
    #[inline(always)]
    pub const fn covers(self, other: Hand) -> bool {
        ((self.0 | SPARE) - other.0) & SPARE == SPARE
    }

    /// The larger of each count.
    #[must_use]
    pub fn join(self, other: Hand) -> Hand {
        let larger = |i: usize| (self.0 >> SHIFT[i] & FIELD[i]).max(other.0 >> SHIFT[i] & FIELD[i]);
        Hand((0..7).fold(0, |word, i| word | larger(i) << SHIFT[i]))
    }

    /// The smaller of each count.
    #[must_use]
    pub fn meet(self, other: Hand) -> Hand {
        let smaller = |i: usize| (self.0 >> SHIFT[i] & FIELD[i]).min(other.0 >> SHIFT[i] & FIELD[i]);
        Hand((0..7).fold(0, |word, i| word | smaller(i) << SHIFT[i]))
    }

    /// The word that holds the counts: equal for equal hands, 28 bits.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        self.0
    }
}

impl tesuji_game::Hand for Hand {
    fn full() -> Hand {
        Hand::FULL
    }
    fn covers(self, other: Hand) -> bool {
        Hand::covers(self, other)
    }
    fn join(self, other: Hand) -> Hand {
        Hand::join(self, other)
    }
    fn meet(self, other: Hand) -> Hand {
        Hand::meet(self, other)
    }
}

/// `2p1r`, `-` for an empty hand.
impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        self.iter().try_for_each(|(piece, n)| write!(f, "{n}{}", piece.letter()))
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Random;

    fn random_hand(random: &mut Random) -> Hand {
        Hand::from_counts(std::array::from_fn(|i| random.below(Piece::SET[i] as usize + 1) as u8))
            .expect("within a set")
    }

    #[test]
    fn one_subtraction_compares_all_counts() {
        let mut random = Random::new(5);
        let mut covered = 0;
        for _ in 0..20_000 {
            let (a, b) = (random_hand(&mut random), random_hand(&mut random));
            let b = if random.below(2) == 0 { a.without(Piece::HAND[random.below(7)]) } else { b };
            let slow = a.counts().iter().zip(b.counts()).all(|(&x, y)| x >= y);
            assert_eq!(a.covers(b), slow, "{a} over {b}");
            covered += usize::from(slow);
            let join = a.join(b);
            assert!(join.covers(a) && join.covers(b));
            let meet = a.meet(b);
            assert!(a.covers(meet) && b.covers(meet));
            let smaller: Vec<u8> = a.counts().iter().zip(b.counts()).map(|(&x, y)| x.min(y)).collect();
            assert_eq!(meet.counts()[..], smaller);
            let larger: Vec<u8> = a.counts().iter().zip(b.counts()).map(|(&x, y)| x.max(y)).collect();
            assert_eq!(join.counts()[..], larger);
            let smaller: Vec<u8> = a.counts().iter().zip(b.counts()).map(|(&x, y)| x.min(y)).collect();
            assert_eq!(a.meet(b).counts()[..], smaller);
        }
        assert!(covered > 5_000);
    }

    #[test]
    fn counts_stay_within_a_set() {
        let mut hand = Hand::EMPTY;
        for _ in 0..30 {
            hand = Piece::ALL.into_iter().fold(hand, Hand::with);
        }
        assert_eq!(hand.counts(), Piece::SET);
        assert_eq!(hand.total(), 38);
        assert_eq!(hand.without_all(Piece::Pawn).count(Piece::Pawn), 0);
        assert_eq!(Hand::EMPTY.without(Piece::Rook), Hand::EMPTY);
        assert_eq!(Hand::from_counts([19, 0, 0, 0, 0, 0, 0]), None);
    }
}
