//! Opening books of chess: Polyglot's beside our own text.

use anyhow::Context;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _, fen::Fen, uci::UciMove, zobrist::Zobrist64};
use tesuji_book::{Polyglot, PolyglotMove};
use tesuji_kit::books::{BookFormat, BookPage, Books, ForeignBook, WeightedMove, small_weights};

/// The opening books of chess. FEN's last two fields are counters.
pub(crate) static BOOKS: Books = Books { formats: &[&PolyglotFormat], name_fields: 4, counters: " 0 1" };

/// Polyglot's `.bin`.
struct PolyglotFormat;

impl BookFormat for PolyglotFormat {
    fn program(&self) -> &'static str {
        "Polyglot"
    }

    fn ending(&self) -> &'static str {
        "bin"
    }

    fn holds_scores(&self) -> bool {
        false
    }

    fn holds_depths_and_answers(&self) -> bool {
        false
    }

    fn read(&self, bytes: Vec<u8>) -> anyhow::Result<Box<dyn ForeignBook>> {
        Ok(Box::new(PolyglotBook(Polyglot::parse(bytes)?)))
    }

    fn write(&self, pages: &[BookPage]) -> anyhow::Result<Vec<u8>> {
        let mut entries = Vec::new();
        for (position, moves) in pages {
            for (one, weight) in small_weights(moves) {
                entries.push(to_polyglot(position, &one.mv, weight)?);
            }
        }
        Ok(Polyglot::new(entries).as_bytes().to_vec())
    }
}

/// A book of Polyglot's in memory.
struct PolyglotBook(Polyglot);

impl ForeignBook for PolyglotBook {
    fn words(&self) -> String {
        format!("{} entries of Polyglot's", self.0.len())
    }

    /// Castling is the king taking its rook in these books.
    fn moves(&self, position: &str, legal: &[String]) -> anyhow::Result<Vec<WeightedMove>> {
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
        Ok(self.0.find(key).iter().map(|one| WeightedMove::new(text(one), u64::from(one.weight))).collect())
    }

    fn positions(&self) -> Option<Vec<String>> {
        None
    }
}

/// The position as the crate that knows Polyglot's keys sees it, with its key.
fn polyglot_key(position: &str) -> anyhow::Result<(Chess, u64)> {
    let fen: Fen = position.parse().with_context(|| position.to_string())?;
    let here: Chess = fen.into_position(CastlingMode::Chess960).with_context(|| position.to_string())?;
    let key: Zobrist64 = here.zobrist_hash(EnPassantMode::Legal);
    Ok((here, key.0))
}

/// A move in a position as Polyglot writes both.
fn to_polyglot(position: &str, mv: &str, weight: u16) -> anyhow::Result<(u64, PolyglotMove)> {
    let (here, key) = polyglot_key(position)?;
    let uci: UciMove = mv.parse().with_context(|| mv.to_string())?;
    let mv = uci.to_move(&here).with_context(|| format!("{mv} in {position}"))?;
    let place = |square: shakmaty::Square| (square.file() as u8, square.rank() as u8);
    // King and rook where it castles.
    let from = mv.from().with_context(|| format!("{mv:?} comes from nowhere"))?;
    let promotion = mv.promotion().map_or(0, |role| (role as u8).saturating_sub(1));
    Ok((key, PolyglotMove { from: place(from), to: place(mv.to()), promotion, weight }))
}
