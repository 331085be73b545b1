//! An opening book from games: the moves of their first plies, weighted by results, each collection of games once.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use tesuji_book::Book;
use tesuji_jobs::{Progress, Show, is_replacing_allowed};
use tesuji_kit::{Kit, SkipErrors, books::book_lessons, open_records};
use tesuji_record::{Hash, fingerprint};

/// Adds the first `plies` of the games in `files` to a book; returns how many games there were. Games of a file that is in the book
/// already, under whatever name and in whatever format, would count twice: they are refused, unless the user said `--force`.
///
/// # Errors
/// A game that cannot be read or played, with its file and number, unless such games are left out; games that are in the book already.
pub fn import_games(
    kit: &dyn Kit,
    files: &[PathBuf],
    plies: usize,
    skip: SkipErrors,
    book: &mut Book,
) -> anyhow::Result<u64> {
    let mut importing =
        Importing { kit, plies, skip, progress: Progress::start("reading", "games", None, Show::Auto), count: 0 };
    for file in files {
        let (games, hash) = importing.read(file)?;
        if let Some(name) = book.import_of(hash).filter(|_| !is_replacing_allowed()) {
            let file = file.display();
            bail!(
                "{file}: these games are in the book already (imported as {name}) and would count twice; --force adds them all the same"
            );
        }
        book.merge(games);
        book.note_import(hash, &file.file_name().unwrap_or_default().to_string_lossy());
    }
    importing.progress.finish();
    Ok(importing.count)
}

/// An import under way.
struct Importing<'a> {
    kit: &'a dyn Kit,
    plies: usize,
    skip: SkipErrors,
    progress: Progress,
    /// Games so far.
    count: u64,
}

impl Importing<'_> {
    /// A book of the games of one file, and their hash.
    fn read(&mut self, file: &Path) -> anyhow::Result<(Book, u64)> {
        let (mut book, mut hash) = (Book::default(), Hash::default());
        let mut reader = self.skip.reader(file, open_records(self.kit, file)?);
        while let Some(game) = self.skip.hinted(reader.read().with_context(|| file.display().to_string()))? {
            self.count += 1;
            self.progress.set(self.count);
            hash.add(&fingerprint(&game).to_le_bytes());
            let at = || format!("{}: game {}", file.display(), self.count);
            let moves = book_lessons(self.kit, &game, self.plies).with_context(at);
            for (position, mv, weight) in self.skip.leave_out(moves)?.into_iter().flatten() {
                book.add(&position, &mv, weight);
            }
        }
        Ok((book, hash.finish()))
    }
}
