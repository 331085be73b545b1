//! A book in another format, and what the other format cannot hold of it.

use crate::opening_book::{BookKind, Known, Opening, name_of, to_polyglot};
use anyhow::{Context, bail};
use std::{
    collections::{HashSet, VecDeque},
    path::Path,
};
use tesuji_book::{Apery, AperyEntry, Book, Polyglot, Yaneuraou, YaneuraouMove};
use tesuji_jobs::{AtomicFile, Existing, check_output};
use tesuji_kit::Kit;
use tesuji_shogi::{
    apery_key,
    packed::{Coding, move_word},
    parse_usi, sfen,
};

/// A book that was converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedBook {
    /// Its positions.
    pub positions: usize,
    /// Its moves.
    pub moves: usize,
    /// What it was, in words.
    pub read: String,
    /// What the new format does not hold of it.
    pub lost: Vec<&'static str>,
}

/// A position with its moves.
type Page = (String, Vec<Known>);

/// Writes the book in the file `from` as `to`, in the format of the name. Where a book knows keys alone, the positions that its moves
/// reach from `start` are written.
///
/// # Errors
/// When the book cannot be read, or the file is there already or cannot be written.
pub fn convert_book(kit: &dyn Kit, from: &Path, to: &Path, start: Option<&str>) -> anyhow::Result<ConvertedBook> {
    let (book, kind) = (Opening::read(kit.name(), from)?, BookKind::of(kit.name(), to)?);
    if from == to {
        bail!("{}: the book to write is another file than the one to read", to.display());
    }
    check_output(to, Existing::Refuse)?;
    let pages = pages(kit, &book, start)?;
    let moves = pages.iter().map(|(_, moves)| moves.len()).sum();
    let bytes = match kind {
        BookKind::Lines => lines(kit.name(), &pages).into_bytes(),
        BookKind::Yaneuraou => yaneuraou(&pages).into_bytes(),
        BookKind::Apery => apery(&pages)?,
        BookKind::Polyglot => polyglot(&pages)?,
    };
    AtomicFile::write(to, &bytes).with_context(|| to.display().to_string())?;
    Ok(ConvertedBook { positions: pages.len(), moves, read: book.words().to_string(), lost: losses(kind, &pages) })
}

/// What a format does not hold of what is there.
fn losses(kind: BookKind, pages: &[Page]) -> Vec<&'static str> {
    let any = |has: fn(&Known) -> bool| pages.iter().flat_map(|(_, moves)| moves).any(has);
    let holds_scores = matches!(kind, BookKind::Yaneuraou | BookKind::Apery);
    let holds_all = kind == BookKind::Yaneuraou;
    let lost = [
        (!holds_scores && any(|m| m.score_cp.is_some_and(|cp| cp != 0)), "values"),
        (!holds_all && any(|m| m.depth.is_some_and(|depth| depth != 0)), "depths"),
        (!holds_all && any(|m| m.answer.is_some()), "expected answers"),
    ];
    lost.into_iter().filter(|(is_lost, _)| *is_lost).map(|(_, what)| what).collect()
}

/// All positions of a book with their moves. Where a book knows keys alone, those that its moves reach from `start`.
fn pages(kit: &dyn Kit, book: &Opening, start: Option<&str>) -> anyhow::Result<Vec<Page>> {
    let at = |position: String| -> anyhow::Result<Page> {
        let table = kit.table("", Some(&position)).with_context(|| position.clone())?;
        Ok((table.position(), book.moves(kit.name(), table.as_ref())?))
    };
    match book {
        Opening::Lines(lines) => {
            // What names leave out: counters of moves, and in go the number of komi.
            let counters = match kit.name() {
                "chess" => " 0 1",
                "shogi" | "go" => " 1",
                _ => "",
            };
            lines.positions().map(|name| at(format!("{name}{counters}"))).collect()
        }
        Opening::Yaneuraou(book) => book.iter().map(|(name, ply, _)| at(format!("{name} {ply}"))).collect(),
        Opening::Polyglot(_) | Opening::Apery(_) => walk(kit, book, start),
    }
}

/// The positions that the moves of a book reach.
fn walk(kit: &dyn Kit, book: &Opening, start: Option<&str>) -> anyhow::Result<Vec<Page>> {
    let first = kit.table("", start)?.position();
    let mut seen = HashSet::from([name_of(kit.name(), &first)]);
    let (mut waiting, mut pages) = (VecDeque::from([first]), Vec::new());
    while let Some(position) = waiting.pop_front() {
        let mut table = kit.table("", Some(&position))?;
        let moves = book.moves(kit.name(), table.as_ref())?;
        for one in &moves {
            table.play(&one.mv)?;
            let next = table.position();
            table.undo();
            if seen.insert(name_of(kit.name(), &next)) {
                waiting.push_back(next);
            }
        }
        if !moves.is_empty() {
            pages.push((position, moves));
        }
    }
    Ok(pages)
}

fn lines(game: &str, pages: &[Page]) -> String {
    let mut book = Book::default();
    for (position, moves) in pages {
        for one in moves {
            book.add(&name_of(game, position), &one.mv, u32::try_from(one.weight).unwrap_or(u32::MAX));
        }
    }
    book.to_string()
}

fn yaneuraou(pages: &[Page]) -> String {
    let mut book = Yaneuraou::default();
    for (position, moves) in pages {
        let ply = position.rsplit(' ').next().and_then(|ply| ply.parse().ok()).unwrap_or(1);
        for one in moves {
            let mv = YaneuraouMove {
                mv: one.mv.clone(),
                answer: one.answer.clone(),
                score_cp: one.score_cp.unwrap_or(0),
                depth: one.depth.unwrap_or(0),
                count: one.weight,
            };
            book.add(&name_of("shogi", position), ply, mv);
        }
    }
    book.to_string()
}

/// Weights in 16 bits: as they are where all of a position fit, else in proportion, and no move that was played is lost.
fn small_weights(moves: &[Known]) -> impl Iterator<Item = (&Known, u16)> {
    let most = moves.iter().map(|m| m.weight).max().unwrap_or(0).max(u64::from(u16::MAX));
    let small = move |weight: u64| {
        let scaled = u128::from(weight) * u128::from(u16::MAX) / u128::from(most);
        u16::try_from(scaled).unwrap_or(u16::MAX).max(u16::from(weight > 0))
    };
    moves.iter().map(move |one| (one, small(one.weight)))
}

fn apery(pages: &[Page]) -> anyhow::Result<Vec<u8>> {
    let mut entries = Vec::new();
    for (position, moves) in pages {
        let key = apery_key(&sfen::parse(position).with_context(|| position.clone())?);
        for (one, count) in small_weights(moves) {
            let mv = move_word(parse_usi(&one.mv)?, Coding::Apery);
            entries.push(AperyEntry { key, mv, count, score_cp: one.score_cp.unwrap_or(0) });
        }
    }
    Ok(Apery::new(entries).to_bytes())
}

fn polyglot(pages: &[Page]) -> anyhow::Result<Vec<u8>> {
    let mut entries = Vec::new();
    for (position, moves) in pages {
        for (one, weight) in small_weights(moves) {
            entries.push(to_polyglot(position, &one.mv, weight)?);
        }
    }
    Ok(Polyglot::new(entries).as_bytes().to_vec())
}
