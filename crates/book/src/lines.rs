//! Opening books as text: a position, a move and its weight a line, which a person can read and edit.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    fmt,
};
use thiserror::Error;

/// A move of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookMove {
    /// The move in the notation of the game's protocol.
    pub mv: String,
    /// The weight with which it is played, in relation to the other moves of the position; 0 is never.
    pub weight: u32,
}

/// A book: moves by position, and the collections of games that they were taken from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    moves: BTreeMap<String, Vec<BookMove>>,
    /// Names of imported collections, by the hash of their games.
    imported: BTreeMap<u64, String>,
}

/// The beginning of a remark that says which games are in the book already: their hash and the name of their file follow.
const IMPORTED: &str = "# imported ";

/// An error of a text that is no book.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: expected position, move and weight parted by tabs, found {found:?}")]
pub struct BookError {
    /// The line, from 1.
    pub line: usize,
    /// The text found there.
    pub found: String,
}

impl Book {
    /// Reads a book: `position<TAB>move<TAB>weight` a line, `#` before remarks.
    ///
    /// # Errors
    /// The first line that is none.
    ///
    /// # Examples
    /// ```
    /// let book = tesuji_book::Book::parse("# mine\nstart\te2e4\t10\nstart\td2d4\t5\n").unwrap();
    /// assert_eq!(book.draw("start", 0.5), Some("e2e4"));
    /// assert_eq!(book.draw("start", 0.9), Some("d2d4"));
    /// ```
    pub fn parse(text: &str) -> Result<Book, BookError> {
        let mut book = Book::default();
        // Where each move of a position stands: a position may have as many moves as the file has lines.
        let mut known = HashMap::new();
        for (i, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                book.imported.extend(imported(line));
                continue;
            }
            let wrong = || BookError { line: i + 1, found: line.chars().take(80).collect() };
            let mut fields = line.split('\t');
            let (Some(position), Some(mv), Some(weight), None) =
                (fields.next(), fields.next(), fields.next(), fields.next())
            else {
                return Err(wrong());
            };
            let weight = weight.trim().parse().map_err(|_| wrong())?;
            let (position, mv) = (position.trim(), mv.trim());
            if position.is_empty() || mv.is_empty() {
                return Err(wrong());
            }
            let moves = book.moves.entry(position.to_string()).or_default();
            match known.entry((position, mv)) {
                Entry::Occupied(at) => add_weight(&mut moves[*at.get()], weight),
                Entry::Vacant(at) => {
                    at.insert(moves.len());
                    moves.push(BookMove { mv: mv.to_string(), weight });
                }
            }
        }
        Ok(book)
    }

    /// Adds `weight` to a move, which is made if it is new.
    pub fn add(&mut self, position: &str, mv: &str, weight: u32) {
        let moves = self.moves.entry(position.to_string()).or_default();
        match moves.iter_mut().find(|m| m.mv == mv) {
            Some(known) => add_weight(known, weight),
            None => moves.push(BookMove { mv: mv.to_string(), weight }),
        }
    }

    /// Adds all that is in `other`.
    pub fn merge(&mut self, other: Book) {
        for (position, moves) in other.moves {
            moves.iter().for_each(|one| self.add(&position, &one.mv, one.weight));
        }
        self.imported.extend(other.imported);
    }

    /// Notes that games of this hash, of a file of this name, are in the book.
    pub fn note_import(&mut self, hash: u64, name: &str) {
        let name = name.replace(char::is_control, " ");
        self.imported.insert(hash, name.trim().to_string());
    }

    /// The name of the file whose games of this hash are in the book, if they are.
    pub fn import_of(&self, hash: u64) -> Option<&str> {
        self.imported.get(&hash).map(String::as_str)
    }

    /// Takes a move out; whether it was there.
    pub fn remove(&mut self, position: &str, mv: &str) -> bool {
        let Some(moves) = self.moves.get_mut(position) else { return false };
        let before = moves.len();
        moves.retain(|m| m.mv != mv);
        let is_gone = moves.len() < before;
        if moves.is_empty() {
            self.moves.remove(position);
        }
        is_gone
    }

    /// The moves of a position, in the book's order.
    pub fn moves(&self, position: &str) -> &[BookMove] {
        self.moves.get(position).map_or(&[], Vec::as_slice)
    }

    /// The names of all positions, in order.
    pub fn positions(&self) -> impl Iterator<Item = &str> {
        self.moves.keys().map(String::as_str)
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The move that `chance`, in 0..1, draws by weight; `None` where the book is silent.
    pub fn draw(&self, position: &str, chance: f64) -> Option<&str> {
        let moves = self.moves(position);
        let sum: u64 = moves.iter().map(|m| u64::from(m.weight)).sum();
        let mut rest = chance.clamp(0.0, 1.0) * sum as f64;
        let mut last = None;
        for one in moves.iter().filter(|m| m.weight > 0) {
            last = Some(one.mv.as_str());
            rest -= f64::from(one.weight);
            if rest < 0.0 {
                break;
            }
        }
        last
    }
}

fn add_weight(known: &mut BookMove, weight: u32) {
    known.weight = known.weight.saturating_add(weight);
}

/// What a remark says of imported games; `None` for any other remark.
fn imported(line: &str) -> Option<(u64, String)> {
    let rest = line.strip_prefix(IMPORTED)?;
    let (hash, name) = rest.split_once(' ').unwrap_or((rest, ""));
    let name = name.replace(char::is_control, " ");
    Some((u64::from_str_radix(hash, 16).ok()?, name.trim().to_string()))
}

/// The book as it is read: remarks on imported games, then moves by position.
impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (hash, name) in &self.imported {
            writeln!(f, "{IMPORTED}{hash:016x} {name}")?;
        }
        for (position, moves) in &self.moves {
            for one in moves {
                writeln!(f, "{position}\t{}\t{}", one.mv, one.weight)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut book = Book::default();
        for (position, mv, weight) in [("b", "x", 3), ("a", "y", 1), ("a", "z", 0), ("a", "y", 4)] {
            book.add(position, mv, weight);
        }
        assert_eq!(Book::parse(&book.to_string()), Ok(book.clone()));
        assert_eq!(book.moves("a"), [BookMove { mv: "y".into(), weight: 5 }, BookMove { mv: "z".into(), weight: 0 }]);
        assert!(book.remove("a", "y") && !book.remove("a", "y"));
        assert_eq!((book.draw("a", 0.0), book.draw("b", 0.99), book.draw("c", 0.5)), (None, Some("x"), None));
    }

    #[test]
    fn imports_are_remembered_with_the_book() {
        let mut book = Book::default();
        book.add("a", "x", 3);
        book.note_import(0xAB, "my\ngames.pgn ");
        let mut more = Book::default();
        more.add("a", "x", 2);
        more.add("b", "y", 1);
        more.note_import(7, "");
        book.merge(more);
        assert_eq!((book.moves("a")[0].weight, book.moves("b")[0].weight), (5, 1));
        let text = book.to_string();
        assert!(text.starts_with("# imported 0000000000000007 \n# imported 00000000000000ab my games.pgn\n"), "{text}");
        let read = Book::parse(&text).unwrap();
        assert_eq!(read, book);
        assert_eq!(
            (read.import_of(0xAB), read.import_of(7), read.import_of(8)),
            (Some("my games.pgn"), Some(""), None)
        );
        assert_eq!(Book::parse("# imported many games\n# imported\n"), Ok(Book::default()));
    }

    /// A remark after spaces was a position, and a remark again when it was written.
    #[test]
    fn remarks_after_spaces_are_no_positions() {
        assert_eq!(Book::parse(" # a remark\ta\t1\n\u{3000}#\n").map(|book| book.len()), Ok(0));
    }

    /// Each line was compared with all before it: a megabyte took minutes.
    #[test]
    fn many_moves_of_a_position_are_read_in_linear_time() {
        let text: String = (0..100_000).map(|i| format!("start\tm{i}\t1\n")).collect();
        let book = Book::parse(&(text.clone() + &text)).unwrap();
        assert_eq!((book.moves("start").len(), book.moves("start")[99_999].weight), (100_000, 2));
    }

    #[test]
    fn errors_name_their_line() {
        let check = |text: &str, line: usize| assert_eq!(Book::parse(text).map_err(|e| e.line), Err(line), "{text:?}");
        check("a\tb\t1\nc d 5\n", 2);
        check("# remark\n\na\tb\tmany\n", 3);
        check("a\tb\t1\t2\n", 1);
        check("\tb\t1\n", 1);
        check("a\tb\t-1\n", 1);
    }
}
