//! An opening book from games: the moves of their first plies, weighted by results.

use anyhow::Context;
use std::path::PathBuf;
use tesuji_book::Book;
use tesuji_kit::{Kit, SkipErrors, books::book_lessons, open_records};

/// Adds the first `plies` of the games in `files` to a book; returns how many games there were.
///
/// # Errors
/// A game that cannot be read or played, with its file and number, unless such games are left out.
pub fn import_games(
    kit: &dyn Kit,
    files: &[PathBuf],
    plies: usize,
    skip: SkipErrors,
    book: &mut Book,
) -> anyhow::Result<u64> {
    let mut count = 0;
    for file in files {
        let mut reader = skip.reader(file, open_records(kit, file)?);
        while let Some(game) = skip.hinted(reader.read().with_context(|| file.display().to_string()))? {
            count += 1;
            let moves = book_lessons(kit, &game, plies).with_context(|| format!("{}: game {count}", file.display()));
            for (position, mv, weight) in skip.leave_out(moves)?.into_iter().flatten() {
                book.add(&position, &mv, weight);
            }
        }
    }
    Ok(count)
}
