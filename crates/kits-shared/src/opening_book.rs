//! Opening books of every kind behind one door: our own text, Polyglot's of chess, YaneuraOu's and Apery's of shogi.

use anyhow::{Context, bail};
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _, fen::Fen, uci::UciMove, zobrist::Zobrist64};
use std::path::Path;
use tesuji_book::{Apery, Book, Polyglot, PolyglotMove, Yaneuraou};
use tesuji_jobs::read_bounded;
use tesuji_record::RulesTable;
use tesuji_shogi::{
    apery_key,
    packed::{Coding, move_of},
    sfen,
};

/// The largest book that is read into memory.
const BOOK_BYTES_MAX: u64 = 4 << 30;

/// What files hold books of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookKind {
    /// Our own text.
    Lines,
    /// Polyglot's.
    Polyglot,
    /// YaneuraOu's text.
    Yaneuraou,
    /// Apery's.
    Apery,
}

impl BookKind {
    /// The kind that a name tells: `.bin` is Polyglot's in chess and Apery's in shogi, `.db` YaneuraOu's, all else text.
    pub fn of(game: &str, path: &Path) -> anyhow::Result<BookKind> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match (game, ending) {
            ("chess", "bin") => Ok(BookKind::Polyglot),
            ("shogi", "bin") => Ok(BookKind::Apery),
            ("shogi", "db") => Ok(BookKind::Yaneuraou),
            (_, "bin") => bail!("{}: books that end in .bin are of chess (Polyglot) or shogi (Apery)", path.display()),
            (_, "db") => bail!("{}: books that end in .db are of shogi (YaneuraOu)", path.display()),
            _ => Ok(BookKind::Lines),
        }
    }
}

/// A move that a book knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The move.
    pub mv: String,
    /// How often it is played, in relation to the other moves of the position.
    pub weight: u64,
    /// Its value for the side to move, in centipawns.
    pub score_cp: Option<i32>,
    /// How deep that value was searched, in plies.
    pub depth: Option<i32>,
    /// The answer that is expected.
    pub answer: Option<String>,
}

/// A book in memory.
pub enum Opening {
    /// Our own text.
    Lines(Book),
    /// Polyglot's of chess.
    Polyglot(Polyglot),
    /// YaneuraOu's of shogi.
    Yaneuraou(Yaneuraou),
    /// Apery's of shogi.
    Apery(Apery),
}

impl Opening {
    /// Reads a book of `game`.
    ///
    /// # Errors
    /// The file, and what is wrong with it.
    pub fn read(game: &str, path: &Path) -> anyhow::Result<Opening> {
        let kind = BookKind::of(game, path)?;
        let bytes = read_bounded(path, BOOK_BYTES_MAX)?;
        let text = |bytes| String::from_utf8(bytes).with_context(|| format!("{} is no text", path.display()));
        let no_book = |of: &str| format!("{} is no book{of}", path.display());
        Ok(match kind {
            BookKind::Lines => Opening::Lines(Book::parse(&text(bytes)?).with_context(|| no_book(""))?),
            BookKind::Polyglot => Opening::Polyglot(Polyglot::parse(bytes).with_context(|| no_book(" of Polyglot's"))?),
            BookKind::Yaneuraou => {
                Opening::Yaneuraou(Yaneuraou::parse(&text(bytes)?).with_context(|| no_book(" of YaneuraOu's"))?)
            }
            BookKind::Apery => Opening::Apery(Apery::parse(&bytes).with_context(|| no_book(" of Apery's"))?),
        })
    }

    /// What it is a book of, and how many positions or entries it has.
    pub fn words(&self) -> String {
        match self {
            Opening::Lines(book) => format!("{} positions", book.len()),
            Opening::Polyglot(book) => format!("{} entries of Polyglot's", book.len()),
            Opening::Yaneuraou(book) => format!("{} positions of YaneuraOu's", book.len()),
            Opening::Apery(book) => format!("{} entries of Apery's", book.entries().len()),
        }
    }

    /// The moves that it knows where the table stands and that may be played there, in its order.
    pub fn moves(&self, game: &str, table: &dyn RulesTable) -> anyhow::Result<Vec<Known>> {
        let position = table.position();
        let mut known = match self {
            Opening::Lines(book) => {
                let plain = |m: &tesuji_book::BookMove| Known::new(m.mv.clone(), u64::from(m.weight));
                book.moves(&name_of(game, &position)).iter().map(plain).collect()
            }
            Opening::Polyglot(book) => polyglot_moves(book, &position, &table.moves())?,
            Opening::Yaneuraou(book) => yaneuraou_moves(book, &name_of("shogi", &position)),
            Opening::Apery(book) => apery_moves(book, &position)?,
        };
        let legal = table.moves();
        known.retain(|one: &Known| legal.contains(&one.mv));
        Ok(known)
    }
}

impl Known {
    fn new(mv: String, weight: u64) -> Known {
        Known { mv, weight, score_cp: None, depth: None, answer: None }
    }
}

/// A position as books name it: without counters of moves.
pub fn name_of(game: &str, position: &str) -> String {
    let fields = if game == "chess" { 4 } else { 3 };
    position.split(' ').take(fields).collect::<Vec<_>>().join(" ")
}

fn yaneuraou_moves(book: &Yaneuraou, name: &str) -> Vec<Known> {
    let moves = book.moves(name);
    // Where nobody counted, the best value is played.
    let best = moves.iter().map(|m| m.score_cp).max();
    let is_counted = moves.iter().any(|m| m.count > 0);
    let weight = |m: &tesuji_book::YaneuraouMove| {
        if is_counted { m.count } else { u64::from(Some(m.score_cp) == best) }
    };
    let known = |m: &tesuji_book::YaneuraouMove| Known {
        mv: m.mv.clone(),
        weight: weight(m),
        score_cp: Some(m.score_cp),
        depth: Some(m.depth),
        answer: m.answer.clone(),
    };
    moves.iter().map(known).collect()
}

fn apery_moves(book: &Apery, position: &str) -> anyhow::Result<Vec<Known>> {
    let board = sfen::parse(position).with_context(|| position.to_string())?;
    let known = |entry: &tesuji_book::AperyEntry| {
        let mv = move_of(entry.mv, Coding::Apery)?.to_string();
        Some(Known { score_cp: Some(entry.score_cp), ..Known::new(mv, u64::from(entry.count)) })
    };
    Ok(book.find(apery_key(&board)).iter().filter_map(known).collect())
}

/// The position as the crate that knows Polyglot's keys sees it, with its key.
fn polyglot_key(position: &str) -> anyhow::Result<(Chess, u64)> {
    let fen: Fen = position.parse().with_context(|| position.to_string())?;
    let here: Chess = fen.into_position(CastlingMode::Chess960).with_context(|| position.to_string())?;
    let key: Zobrist64 = here.zobrist_hash(EnPassantMode::Legal);
    Ok((here, key.0))
}

/// The moves of a Polyglot book; its castling is the king taking its rook.
fn polyglot_moves(book: &Polyglot, position: &str, legal: &[String]) -> anyhow::Result<Vec<Known>> {
    let (_, key) = polyglot_key(position)?;
    let square = |(file, rank): (u8, u8)| format!("{}{}", (b'a' + file) as char, rank + 1);
    let text = |one: &PolyglotMove| {
        let promotion = ["", "n", "b", "r", "q"][usize::from(one.promotion)];
        let plain = square(one.from) + &square(one.to) + promotion;
        let castled = [("e1h1", "e1g1"), ("e1a1", "e1c1"), ("e8h8", "e8g8"), ("e8a8", "e8c8")];
        let other = castled.iter().find(|(taking, _)| *taking == plain).map(|(_, going)| going.to_string());
        // The taking is no move, unless the king really stands beside an enemy's rook.
        if legal.contains(&plain) { plain } else { other.unwrap_or(plain) }
    };
    Ok(book.find(key).iter().map(|one| Known::new(text(one), u64::from(one.weight))).collect())
}

/// A move in a position as Polyglot writes both.
pub fn to_polyglot(position: &str, mv: &str, weight: u16) -> anyhow::Result<(u64, PolyglotMove)> {
    let (here, key) = polyglot_key(position)?;
    let uci: UciMove = mv.parse().with_context(|| mv.to_string())?;
    let mv = uci.to_move(&here).with_context(|| format!("{mv} in {position}"))?;
    let place = |square: shakmaty::Square| (square.file() as u8, square.rank() as u8);
    // King and rook where it castles.
    let from = mv.from().with_context(|| format!("{mv:?} comes from nowhere"))?;
    let promotion = mv.promotion().map_or(0, |role| (role as u8).saturating_sub(1));
    Ok((key, PolyglotMove { from: place(from), to: place(mv.to()), promotion, weight }))
}
