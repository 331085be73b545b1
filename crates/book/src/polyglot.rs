//! Polyglot's books: sixteen bytes an entry, big-endian, sorted by the key of the position (Letouzey's PolyGlot, <http://hgm.nubati.net/book_format.html>).

use thiserror::Error;

/// Bytes of an entry.
const ENTRY: usize = 16;

/// A move of such a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolyglotMove {
    /// The origin: file and rank, 0 to 7.
    pub from: (u8, u8),
    /// The target: file and rank, 0 to 7.
    pub to: (u8, u8),
    /// The promotion of a pawn: 0 none, then four kinds of pieces in the order of their worth.
    pub promotion: u8,
    /// The weight of the move.
    pub weight: u16,
}

/// A book in memory.
#[derive(Debug, Clone, Default)]
pub struct Polyglot {
    bytes: Vec<u8>,
}

/// An error of bytes that are no Polyglot book.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolyglotError {
    /// A part of an entry is left over.
    #[error("{bytes} bytes are no whole number of entries of 16 bytes")]
    Torn {
        /// The length of the file.
        bytes: usize,
    },
    /// The keys fall.
    #[error("entry {entry}, byte {byte}: its key is below the one before it; a book is sorted")]
    Unsorted {
        /// The entry, from 0.
        entry: usize,
        /// Its start.
        byte: usize,
    },
    /// A promotion that there is not.
    #[error("entry {entry}, byte {byte}: promotion {found}, expected 0 to 4")]
    Promotion {
        /// The entry, from 0.
        entry: usize,
        /// Its start.
        byte: usize,
        /// The text found there.
        found: u8,
    },
}

fn key_of(entry: &[u8]) -> u64 {
    entry.iter().take(8).fold(0, |key, &byte| key << 8 | u64::from(byte))
}

fn move_of(entry: &[u8]) -> PolyglotMove {
    let bits = u16::from_be_bytes([entry[8], entry[9]]);
    let field = |shift: u16| (bits >> shift & 7) as u8;
    let weight = u16::from_be_bytes([entry[10], entry[11]]);
    PolyglotMove { from: (field(6), field(9)), to: (field(0), field(3)), promotion: field(12), weight }
}

fn bits_of(mv: &PolyglotMove) -> u16 {
    let field = |value: u8, shift: u16| u16::from(value & 7) << shift;
    field(mv.to.0, 0) | field(mv.to.1, 3) | field(mv.from.0, 6) | field(mv.from.1, 9) | field(mv.promotion, 12)
}

impl Polyglot {
    /// Takes the bytes of a book.
    ///
    /// # Errors
    /// When they are none; the words say which entry.
    pub fn parse(bytes: Vec<u8>) -> Result<Polyglot, PolyglotError> {
        if !bytes.len().is_multiple_of(ENTRY) {
            return Err(PolyglotError::Torn { bytes: bytes.len() });
        }
        let mut before = 0;
        for (entry, one) in bytes.chunks_exact(ENTRY).enumerate() {
            let (key, promotion) = (key_of(one), move_of(one).promotion);
            let byte = entry * ENTRY;
            if key < before {
                return Err(PolyglotError::Unsorted { entry, byte });
            }
            if promotion > 4 {
                return Err(PolyglotError::Promotion { entry, byte, found: promotion });
            }
            before = key;
        }
        Ok(Polyglot { bytes })
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.bytes.len() / ENTRY
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A book of these moves by the keys of their positions, in any order.
    ///
    /// # Examples
    /// ```
    /// use tesuji_book::{Polyglot, PolyglotMove};
    /// let e2e4 = PolyglotMove { from: (4, 1), to: (4, 3), promotion: 0, weight: 10 };
    /// let book = Polyglot::new(vec![(7, e2e4), (5, e2e4)]);
    /// assert_eq!(Polyglot::parse(book.as_bytes().to_vec()).unwrap().find(7), [e2e4]);
    /// ```
    pub fn new(mut moves: Vec<(u64, PolyglotMove)>) -> Polyglot {
        moves.sort_by_key(|&(key, mv)| (key, std::cmp::Reverse(mv.weight)));
        let mut bytes = Vec::with_capacity(moves.len() * ENTRY);
        for (key, mv) in moves {
            bytes.extend(key.to_be_bytes());
            bytes.extend(bits_of(&mv).to_be_bytes());
            bytes.extend(mv.weight.to_be_bytes());
            bytes.extend([0; 4]);
        }
        Polyglot { bytes }
    }

    /// The book as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn key_at(&self, entry: usize) -> u64 {
        key_of(&self.bytes[entry * ENTRY..])
    }

    /// The moves of the position with this key, in the book's order.
    pub fn find(&self, key: u64) -> Vec<PolyglotMove> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.key_at(middle) < key { low = middle + 1 } else { high = middle }
        }
        let here = (low..self.len()).take_while(|&entry| self.key_at(entry) == key);
        here.map(|entry| move_of(&self.bytes[entry * ENTRY..])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: u64, bits: u16, weight: u16) -> Vec<u8> {
        [&key.to_be_bytes()[..], &bits.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    }

    #[test]
    fn entries_are_found_by_key() {
        // e2e4: from file 4, rank 1; to file 4, rank 3.
        let e2e4 = 4 | 3 << 3 | 4 << 6 | 1 << 9;
        let bytes = [entry(5, 1, 1), entry(7, e2e4, 10), entry(7, 0x4000, 2), entry(u64::MAX, 9, 3)].concat();
        let book = Polyglot::parse(bytes).unwrap();
        let found = book.find(7);
        assert_eq!(found[0], PolyglotMove { from: (4, 1), to: (4, 3), promotion: 0, weight: 10 });
        assert_eq!((found.len(), found[1].promotion), (2, 4));
        assert_eq!((book.find(6).len(), book.find(u64::MAX).len(), book.find(0).len()), (0, 1, 0));
    }

    #[test]
    fn what_is_no_book_is_named() {
        assert_eq!(Polyglot::parse(vec![0; 17]).map(|_| ()), Err(PolyglotError::Torn { bytes: 17 }));
        let unsorted = [entry(7, 0, 1), entry(6, 0, 1)].concat();
        assert_eq!(Polyglot::parse(unsorted).map(|_| ()), Err(PolyglotError::Unsorted { entry: 1, byte: 16 }));
        let wrong = entry(7, 0x7000, 1);
        assert_eq!(Polyglot::parse(wrong).map(|_| ()), Err(PolyglotError::Promotion { entry: 0, byte: 0, found: 7 }));
        assert!(Polyglot::parse(Vec::new()).unwrap().is_empty());
    }
}
