//! Conversion of an opening book to another format, and what the other format cannot hold of it.

use crate::opening_book::{Content, OpeningBook};
use anyhow::Context;
use std::{
    collections::{HashSet, VecDeque},
    path::Path,
};
use tesuji_book::Book;
use tesuji_jobs::AtomicFile;
use tesuji_kit::{
    Kit,
    books::{BookFormat, BookPage, Books, WeightedMove},
    check_new_output,
};

/// A book that was converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedBook {
    /// Its positions.
    pub positions: usize,
    /// Its moves.
    pub moves: usize,
    /// A description of the book that was read.
    pub read: String,
    /// The kinds of data in it that the new format does not hold.
    pub lost: Vec<&'static str>,
}

/// Writes the book in the file `from` as `to`, in the format of the name. Where a book knows keys alone, the positions that its moves
/// reach from `start` are written.
///
/// # Errors
/// When the book cannot be read, or the file is there already or cannot be written.
pub fn convert_book(kit: &dyn Kit, from: &Path, to: &Path, start: Option<&str>) -> anyhow::Result<ConvertedBook> {
    let books = kit.books();
    let (book, format) = (OpeningBook::read(books, from)?, books.format(to)?);
    check_new_output(to, [from])?;
    let pages = pages(kit, &book, start)?;
    let moves = pages.iter().map(|(_, moves)| moves.len()).sum();
    let bytes = match format {
        None => text_of(books, &pages).into_bytes(),
        Some(format) => format.write(&pages)?,
    };
    AtomicFile::write(to, &bytes).with_context(|| to.display().to_string())?;
    Ok(ConvertedBook { positions: pages.len(), moves, read: book.words(), lost: losses(format, &pages) })
}

/// The kinds of data in `pages` that `format` does not hold; `None`: our own text.
fn losses(format: Option<&dyn BookFormat>, pages: &[BookPage]) -> Vec<&'static str> {
    let any = |has: fn(&WeightedMove) -> bool| pages.iter().flat_map(|(_, moves)| moves).any(has);
    let holds_scores = format.is_some_and(|format| format.holds_scores());
    let holds_all = format.is_some_and(|format| format.holds_depths_and_answers());
    let lost = [
        (!holds_scores && any(|m| m.score_cp.is_some_and(|cp| cp != 0)), "values"),
        (!holds_all && any(|m| m.depth.is_some_and(|depth| depth != 0)), "depths"),
        (!holds_all && any(|m| m.answer.is_some()), "expected answers"),
    ];
    lost.into_iter().filter(|(is_lost, _)| *is_lost).map(|(_, what)| what).collect()
}

/// All positions of a book with their moves. Where a book knows keys alone, those that its moves reach from `start`.
fn pages(kit: &dyn Kit, book: &OpeningBook, start: Option<&str>) -> anyhow::Result<Vec<BookPage>> {
    let positions = match &book.content {
        Content::Text(text) => Some(text.positions().map(|name| book.books.position_of(name)).collect()),
        Content::Foreign(book) => book.positions(),
    };
    let Some(positions) = positions else { return reached(kit, book, start) };
    let page = |position: String| -> anyhow::Result<BookPage> {
        let table = kit.table("", Some(&position)).with_context(|| position.clone())?;
        Ok((table.position(), book.moves(table.as_ref())?))
    };
    positions.into_iter().map(page).collect()
}

/// The positions that the moves of a book reach.
fn reached(kit: &dyn Kit, book: &OpeningBook, start: Option<&str>) -> anyhow::Result<Vec<BookPage>> {
    let first = kit.table("", start)?.position();
    let mut seen = HashSet::from([book.books.name_of(&first)]);
    let (mut waiting, mut pages) = (VecDeque::from([first]), Vec::new());
    while let Some(position) = waiting.pop_front() {
        let mut table = kit.table("", Some(&position))?;
        let moves = book.moves(table.as_ref())?;
        for one in &moves {
            table.play(&one.mv)?;
            let next = table.position();
            table.undo();
            if seen.insert(book.books.name_of(&next)) {
                waiting.push_back(next);
            }
        }
        if !moves.is_empty() {
            pages.push((position, moves));
        }
    }
    Ok(pages)
}

/// A book in our own text.
fn text_of(books: &Books, pages: &[BookPage]) -> String {
    let mut book = Book::default();
    for (position, moves) in pages {
        for one in moves {
            book.add(&books.name_of(position), &one.mv, u32::try_from(one.weight).unwrap_or(u32::MAX));
        }
    }
    book.to_string()
}
