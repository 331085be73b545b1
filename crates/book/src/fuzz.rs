//! Entries for fuzzers: each takes any bytes, or the path of a file of them, must return, and asserts that what was read writes and
//! reads back.

use crate::{Apery, Book, Memory, Polyglot, Yaneuraou};
use std::{collections::BTreeSet, path::Path};

/// The game of the databases that [`learned`] reads.
pub const GAME: &str = "four";

/// Books as text.
///
/// # Panics
/// When a book that was read does not survive writing.
pub fn lines(bytes: &[u8]) {
    let Ok(book) = Book::parse(&String::from_utf8_lossy(bytes)) else { return };
    assert_eq!(Book::parse(&book.to_string()).as_ref(), Ok(&book));
    for position in book.positions() {
        let is_playable = book.moves(position).iter().any(|one| one.weight > 0);
        assert_eq!(book.draw(position, 1.0).is_some(), is_playable);
    }
}

/// Books of Polyglot's.
///
/// # Panics
/// When entries of a book that was read are not found, or it does not survive writing.
pub fn polyglot(bytes: &[u8]) {
    let Ok(book) = Polyglot::parse(bytes.to_vec()) else { return };
    let mut keys: Vec<u64> =
        bytes.chunks(16).filter_map(|entry| Some(u64::from_be_bytes(*entry.first_chunk()?))).collect();
    keys.dedup();
    let found: Vec<_> = keys.iter().flat_map(|&key| book.find(key).into_iter().map(move |mv| (key, mv))).collect();
    assert_eq!(found.len(), book.len());
    let again = Polyglot::new(found);
    assert_eq!(Polyglot::parse(again.as_bytes().to_vec()).map(|book| book.len()), Ok(book.len()));
}

/// Books of YaneuraOu's.
///
/// # Panics
/// When a book that was read does not survive writing.
pub fn yaneuraou(bytes: &[u8]) {
    let Ok(book) = Yaneuraou::parse(&String::from_utf8_lossy(bytes)) else { return };
    assert_eq!(Yaneuraou::parse(&book.to_string()).as_ref(), Ok(&book));
}

/// Books of Apery's.
///
/// # Panics
/// When entries of a book that was read are not found, or it does not survive writing.
pub fn apery(bytes: &[u8]) {
    let Ok(book) = Apery::parse(bytes) else { return };
    assert_eq!(book.to_bytes(), bytes);
    let mut keys: Vec<u64> = book.entries().iter().map(|entry| entry.key).collect();
    keys.dedup();
    assert_eq!(keys.iter().map(|&key| book.find(key).len()).sum::<usize>(), bytes.len() / 16);
}

/// The database of learned positions in the file `path`, which is opened to be read and then to be written.
///
/// # Panics
/// When positions that were read do not survive writing into another database.
pub fn learned(path: &Path) {
    if let Ok(memory) = Memory::open_to_read(path, GAME) {
        let _ = (memory.count(), memory.find("a"), memory.best(3));
    }
    let Ok(memory) = Memory::open(path, GAME) else { return };
    let Ok(all) = memory.best(u64::MAX) else { return };
    // A broken file may have a position twice.
    let positions: BTreeSet<&str> = all.iter().map(|one| one.position.as_str()).collect();
    if positions.len() < all.len() {
        return;
    }
    let Ok(mut copy) = Memory::open(Path::new(":memory:"), GAME) else { return };
    if copy.keep(&all, u64::MAX).is_ok() {
        assert_eq!(copy.best(u64::MAX).ok(), Some(all));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AperyEntry, BookMove, Learned, PolyglotMove};
    use tesuji_testkit::fuzz::{Target, in_file, run_bytes, run_in_place, run_large, time_for_each};

    #[test]
    fn books_survive_bent_and_large_input() {
        let mut text = Book::default();
        for (position, mv, weight) in [("a b 1", "x", 3), ("a", "y", 1), ("a", "z", 0)] {
            text.add(position, mv, weight);
        }
        assert_eq!(text.moves("a")[1], BookMove { mv: "z".into(), weight: 0 });
        let texts = vec![text.to_string().into_bytes(), b" # remark\r\na\tb\t4294967295\na\tb\t7\n".to_vec()];
        let played = |weight: u16| PolyglotMove { from: (4, 1), to: (4, 3), promotion: 0, weight };
        let polyglots = Polyglot::new(vec![(7, played(1)), (7, played(9)), (u64::MAX, played(3))]).as_bytes().to_vec();
        let shogi = b"#YANEURAOU-DB2016 1.00\nsfen 9/9/9 b - 1\n7g7f 3c3d 50 12 7\n2g2f none -5 0 1\nsfen 9/8/9 w 2p\n";
        let marked = "\u{feff}// remark\r\nsfen 9 b - 5\n \u{feff}#x resign\n7g7f\n7g7f none 5\n";
        let entry = |key: u64, mv: u16| AperyEntry { key, mv, count: 3, score_cp: -70 };
        let aperies = Apery::new(vec![entry(9, 1), entry(u64::MAX, 2), entry(9, 3), entry(0, 4)]).to_bytes();
        let targets: [(&str, Target, Vec<Vec<u8>>); 4] = [
            ("book::lines", lines, texts),
            ("book::polyglot", polyglot, vec![polyglots]),
            ("book::yaneuraou", yaneuraou, vec![shogi.to_vec(), marked.into()]),
            ("book::apery", apery, vec![aperies]),
        ];
        for (name, target, seeds) in targets {
            let bent = run_bytes(name, target, &seeds, 0xB001, time_for_each(200));
            let large = run_large(name, target, &seeds, 0xB002);
            println!("{name}: {bent} inputs, {large} of a megabyte");
        }
    }

    #[test]
    fn databases_survive_bent_and_large_input() {
        let folder = tempfile::tempdir().unwrap();
        let mut seeds = Vec::new();
        for page_bytes in [512, 4096] {
            let path = folder.path().join(format!("{page_bytes}.db"));
            let base = rusqlite::Connection::open(&path).unwrap();
            base.execute_batch(&format!("PRAGMA page_size = {page_bytes}; VACUUM")).unwrap();
            drop(base);
            let one = |n: i32| Learned { position: format!("position {n}"), value_cp: n, quality: f64::from(900 - n) };
            Memory::open(&path, GAME).unwrap().keep(&[1, 2, 3].map(one), 9).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            in_file(&bytes, |path| assert_eq!(Memory::open_to_read(path, GAME).unwrap().count().unwrap(), 3));
            seeds.push(bytes);
        }
        let target: Target = |bytes| in_file(bytes, learned);
        let bent = run_in_place("book::learned", target, &seeds, 0xB003, time_for_each(120));
        let large = run_large("book::learned", target, &seeds, 0xB004);
        println!("book::learned: {bent} inputs, {large} of a megabyte");
    }
}
