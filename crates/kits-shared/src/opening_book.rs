//! An opening book in memory: our own text, or a format of another program that the game's kit knows.

use anyhow::Context;
use std::{fmt::Write as _, path::Path};
use tesuji_book::Book;
use tesuji_jobs::read_bounded;
use tesuji_kit::books::{Books, ForeignBook, WeightedMove};
use tesuji_record::RulesTable;

/// The largest book that is read into memory.
const BOOK_BYTES_MAX: u64 = 4 << 30;

/// An opening book in memory.
pub struct OpeningBook {
    pub(crate) books: &'static Books,
    pub(crate) content: Content,
}

/// The content of a book.
pub(crate) enum Content {
    /// Our own text.
    Text(Book),
    /// Another program's.
    Foreign(Box<dyn ForeignBook>),
}

impl OpeningBook {
    /// Reads a book of a game whose books are `books`.
    ///
    /// # Errors
    /// The file, and what is wrong with it.
    pub fn read(books: &'static Books, path: &Path) -> anyhow::Result<OpeningBook> {
        let format = books.format(path)?;
        let bytes = read_bounded(path, BOOK_BYTES_MAX)?;
        let content = match format {
            None => {
                let text = String::from_utf8(bytes).with_context(|| format!("{} is no text", path.display()))?;
                Content::Text(Book::parse(&text).with_context(|| format!("{} is no book", path.display()))?)
            }
            Some(format) => {
                let no_book = || format!("{} is no book of {}'s", path.display(), format.program());
                Content::Foreign(format.read(bytes).with_context(no_book)?)
            }
        };
        Ok(OpeningBook { books, content })
    }

    /// Its size and, where it is another program's, its format, in words.
    pub fn words(&self) -> String {
        match &self.content {
            Content::Text(book) => format!("{} positions", book.len()),
            Content::Foreign(book) => book.words(),
        }
    }

    /// The moves of the position on the table, a line each with weight, share, value and expected answer, for people.
    ///
    /// # Errors
    /// What is wrong with the book.
    pub fn listing(&self, table: &dyn RulesTable) -> anyhow::Result<String> {
        let moves = self.moves(table)?;
        let sum: u64 = moves.iter().fold(0, |sum, m| sum.saturating_add(m.weight));
        let mut text = String::new();
        for one in moves {
            let share = 100.0 * one.weight as f64 / sum.max(1) as f64;
            let _ = write!(text, "{}\t{}\t{share:.1} %", one.mv, one.weight);
            if let Some(score) = one.score_cp {
                let _ = write!(text, "\t{score:+} cp");
            }
            if let Some(answer) = one.answer {
                let _ = write!(text, "\t{answer}");
            }
            text.push('\n');
        }
        Ok(if text.is_empty() { "the book is silent here\n".to_string() } else { text })
    }

    /// The moves of the book in the position on the table that are legal there, in the book's order.
    ///
    /// # Errors
    /// When the format cannot read the position.
    pub fn moves(&self, table: &dyn RulesTable) -> anyhow::Result<Vec<WeightedMove>> {
        let (position, legal) = (table.position(), table.moves());
        let mut known = match &self.content {
            Content::Text(book) => {
                let weighted = |m: &tesuji_book::BookMove| WeightedMove::new(m.mv.clone(), u64::from(m.weight));
                book.moves(&self.books.name_of(&position)).iter().map(weighted).collect()
            }
            Content::Foreign(book) => book.moves(&position, &legal)?,
        };
        known.retain(|one: &WeightedMove| legal.contains(&one.mv));
        Ok(known)
    }
}
