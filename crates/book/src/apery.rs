//! Apery's books: sixteen bytes an entry, little-endian, sorted by the key of the position (Hiraoka's Apery, <https://github.com/HiraokaTakuya/apery>).

use thiserror::Error;

/// Bytes of an entry.
const ENTRY: usize = 16;

/// A move of a position in such a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AperyEntry {
    /// The key of the position.
    pub key: u64,
    /// The move in Apery's 16 bits.
    pub mv: u16,
    /// The number of games with it.
    pub count: u16,
    /// Its value for the side to move, in centipawns.
    pub score_cp: i32,
}

/// A book in memory, sorted by key; moves of a position stay in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Apery {
    entries: Vec<AperyEntry>,
}

/// An error of reading bytes that are no book of Apery's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AperyError {
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
}

fn read(bytes: &[u8; ENTRY]) -> AperyEntry {
    let [a, b, c, d, e, f, g, h, m, n, x, y, s, t, u, v] = *bytes;
    AperyEntry {
        key: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        mv: u16::from_le_bytes([m, n]),
        count: u16::from_le_bytes([x, y]),
        score_cp: i32::from_le_bytes([s, t, u, v]),
    }
}

impl Apery {
    /// A book of these entries, in any order.
    pub fn new(mut entries: Vec<AperyEntry>) -> Apery {
        entries.sort_by_key(|entry| entry.key);
        Apery { entries }
    }

    /// Reads the bytes of a book.
    ///
    /// # Errors
    /// When they are none; the words say which entry.
    pub fn parse(bytes: &[u8]) -> Result<Apery, AperyError> {
        let (whole, rest) = bytes.as_chunks::<ENTRY>();
        if !rest.is_empty() {
            return Err(AperyError::Torn { bytes: bytes.len() });
        }
        let entries: Vec<AperyEntry> = whole.iter().map(read).collect();
        match entries.windows(2).position(|pair| pair[1].key < pair[0].key) {
            Some(before) => Err(AperyError::Unsorted { entry: before + 1, byte: (before + 1) * ENTRY }),
            None => Ok(Apery { entries }),
        }
    }

    /// The book as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.entries.len() * ENTRY);
        for entry in &self.entries {
            bytes.extend(entry.key.to_le_bytes());
            bytes.extend(entry.mv.to_le_bytes());
            bytes.extend(entry.count.to_le_bytes());
            bytes.extend(entry.score_cp.to_le_bytes());
        }
        bytes
    }

    /// All entries, by key.
    pub fn entries(&self) -> &[AperyEntry] {
        &self.entries
    }

    /// The entries of a position, in the book's order.
    pub fn find(&self, key: u64) -> &[AperyEntry] {
        let first = self.entries.partition_point(|entry| entry.key < key);
        let count = self.entries[first..].partition_point(|entry| entry.key == key);
        &self.entries[first..first + count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: u64, mv: u16) -> AperyEntry {
        AperyEntry { key, mv, count: 3, score_cp: -70 }
    }

    #[test]
    fn what_is_written_is_read() {
        let book = Apery::new(vec![entry(9, 1), entry(u64::MAX, 2), entry(9, 3), entry(0, 4)]);
        let bytes = book.to_bytes();
        assert_eq!(bytes[16..32], [9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 186, 255, 255, 255]);
        assert_eq!(Apery::parse(&bytes), Ok(book.clone()));
        let moves = |key| book.find(key).iter().map(|e| e.mv).collect::<Vec<_>>();
        assert_eq!((moves(9), moves(u64::MAX), moves(5)), (vec![1, 3], vec![2], vec![]));
    }

    #[test]
    fn what_is_no_book_is_named() {
        assert_eq!(Apery::parse(&[0; 31]), Err(AperyError::Torn { bytes: 31 }));
        let unsorted = [Apery::new(vec![entry(9, 1)]).to_bytes(), vec![0; 16]].concat();
        assert_eq!(Apery::parse(&unsorted), Err(AperyError::Unsorted { entry: 1, byte: 16 }));
        assert_eq!(Apery::parse(&[]), Ok(Apery::default()));
    }
}
