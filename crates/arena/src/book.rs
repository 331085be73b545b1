//! The openings of a match, packed: a book of many thousand games takes a few megabytes.

use crate::{Opening, Order};

/// Openings in one text: a flag and the start, a line break, the moves with spaces between them.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Book, Opening, Order};
/// let opening = |moves: &str| Opening { start: None, moves: moves.split(' ').map(str::to_string).collect() };
/// let openings = [opening("4 4"), opening("3"), opening("1 7")];
/// let book: Book = openings.iter().collect();
/// assert_eq!((book.len(), book.get(1)), (3, Some(opening("3"))));
/// // Two of them, from the last one on, round about.
/// let arranged = book.arranged(Order::Sequential(0), 0, 2, 2);
/// assert!(arranged.iter().eq([opening("1 7"), opening("4 4")]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    text: String,
    /// The end of each opening in `text`.
    ends: Vec<u32>,
}

impl Book {
    /// An empty one.
    pub fn new() -> Book {
        Book::default()
    }

    /// The number of openings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes that their text takes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds an opening.
    ///
    /// # Panics
    /// When all of them together are longer than 4 GiB.
    pub fn push(&mut self, opening: &Opening) {
        match &opening.start {
            Some(start) => {
                self.text.push('+');
                // Positions have one line in all games' notations.
                self.text.extend(start.chars().map(|c| if c == '\n' { ' ' } else { c }));
            }
            None => self.text.push('-'),
        }
        self.text.push('\n');
        for (index, mv) in opening.moves.iter().enumerate() {
            if index > 0 {
                self.text.push(' ');
            }
            self.text.push_str(mv);
        }
        assert!(u32::try_from(self.text.len()).is_ok(), "the openings are longer than 4 GiB");
        self.ends.push(self.text.len() as u32);
    }

    /// The text of an opening: its start and its moves.
    fn parts(&self, index: usize) -> Option<(Option<&str>, &str)> {
        let end = *self.ends.get(index)? as usize;
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let (start, moves) = self.text.get(begin..end)?.split_once('\n')?;
        Some((start.strip_prefix('+'), moves))
    }

    /// An opening; `None` where there is none of this index.
    pub fn get(&self, index: usize) -> Option<Opening> {
        let (start, moves) = self.parts(index)?;
        let moves = moves.split_ascii_whitespace().map(str::to_string).collect();
        Some(Opening { start: start.map(str::to_string), moves })
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Opening> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// The first `count` of them in this order, begun with the one at `from` of it, round about.
    pub fn arranged(&self, order: Order, seed: u64, from: usize, count: usize) -> Book {
        let mut indices: Vec<u32> = (0..self.len() as u32).collect();
        order.arrange(&mut indices, seed);
        if !indices.is_empty() {
            let from = from % indices.len();
            indices.rotate_left(from);
        }
        let mut book = Book::new();
        for opening in indices.iter().take(count).filter_map(|&index| self.get(index as usize)) {
            book.push(&opening);
        }
        book
    }
}

impl<'a> FromIterator<&'a Opening> for Book {
    fn from_iter<I: IntoIterator<Item = &'a Opening>>(openings: I) -> Book {
        let mut book = Book::new();
        openings.into_iter().for_each(|opening| book.push(opening));
        book
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(start: Option<&str>, moves: &str) -> Opening {
        Opening { start: start.map(str::to_string), moves: moves.split_whitespace().map(str::to_string).collect() }
    }

    #[test]
    fn openings_come_out_as_they_went_in() {
        let all = [
            opening(None, ""),
            opening(Some("8/8 w - - 0 1"), "a2a4 a7a5"),
            opening(None, "e2e4"),
            opening(Some(""), ""),
            opening(Some("+é-"), "7g7f"),
        ];
        let book: Book = all.iter().collect();
        assert_eq!((book.len(), book.is_empty(), book.get(5)), (5, false, None));
        assert_eq!(book.iter().collect::<Vec<_>>(), all);
        assert!(Book::new().is_empty() && Book::new().get(0).is_none());
    }

    #[test]
    fn an_arranged_book_is_the_arranged_list() {
        let all: Vec<Opening> = (0..100).map(|i| opening(None, &format!("m{i}"))).collect();
        let book: Book = all.iter().collect();
        for (order, from, count) in [(Order::Random, 0, 100), (Order::Random, 107, 30), (Order::Sequential(3), 2, 9)] {
            let mut expect = all.clone();
            order.arrange(&mut expect, 5);
            expect.rotate_left(from % 100);
            expect.truncate(count);
            assert_eq!(book.arranged(order, 5, from, count).iter().collect::<Vec<_>>(), expect);
        }
        assert!(Book::new().arranged(Order::Random, 1, 3, 9).is_empty());
    }
}
