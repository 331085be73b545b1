//! Opening books of shogi: YaneuraOu's and Apery's beside our own text.

use anyhow::Context;
use tesuji_book::{Apery, AperyEntry, Yaneuraou, YaneuraouMove};
use tesuji_kit::books::{BookFormat, BookPage, Books, ForeignBook, WeightedMove, small_weights};
use tesuji_shogi::{
    apery_key,
    packed::{Coding, move_of, move_word},
    parse_usi, sfen,
};

/// The opening books of shogi. SFEN's last field is the number of the move.
pub(crate) static BOOKS: Books = Books { formats: &[&AperyFormat, &YaneuraouFormat], name_fields: 3, counters: " 1" };

/// YaneuraOu's `.db`, which is text.
struct YaneuraouFormat;

impl BookFormat for YaneuraouFormat {
    fn program(&self) -> &'static str {
        "YaneuraOu"
    }

    fn ending(&self) -> &'static str {
        "db"
    }

    fn holds_scores(&self) -> bool {
        true
    }

    fn holds_depths_and_answers(&self) -> bool {
        true
    }

    fn read(&self, bytes: Vec<u8>) -> anyhow::Result<Box<dyn ForeignBook>> {
        let text = String::from_utf8(bytes).context("it is no text")?;
        Ok(Box::new(YaneuraouBook(Yaneuraou::parse(&text)?)))
    }

    fn write(&self, pages: &[BookPage]) -> anyhow::Result<Vec<u8>> {
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
                book.add(&BOOKS.name_of(position), ply, mv);
            }
        }
        Ok(book.to_string().into_bytes())
    }
}

/// A book of YaneuraOu's in memory.
struct YaneuraouBook(Yaneuraou);

impl ForeignBook for YaneuraouBook {
    fn words(&self) -> String {
        format!("{} positions of YaneuraOu's", self.0.len())
    }

    fn moves(&self, position: &str, _: &[String]) -> anyhow::Result<Vec<WeightedMove>> {
        let moves = self.0.moves(&BOOKS.name_of(position));
        // Where nobody counted, the best value is played.
        let best = moves.iter().map(|m| m.score_cp).max();
        let is_counted = moves.iter().any(|m| m.count > 0);
        let weight = |m: &YaneuraouMove| if is_counted { m.count } else { u64::from(Some(m.score_cp) == best) };
        let weighted = |m: &YaneuraouMove| WeightedMove {
            mv: m.mv.clone(),
            weight: weight(m),
            score_cp: Some(m.score_cp),
            depth: Some(m.depth),
            answer: m.answer.clone(),
        };
        Ok(moves.iter().map(weighted).collect())
    }

    fn positions(&self) -> Option<Vec<String>> {
        Some(self.0.iter().map(|(name, ply, _)| format!("{name} {ply}")).collect())
    }
}

/// Apery's `.bin`.
struct AperyFormat;

impl BookFormat for AperyFormat {
    fn program(&self) -> &'static str {
        "Apery"
    }

    fn ending(&self) -> &'static str {
        "bin"
    }

    fn holds_scores(&self) -> bool {
        true
    }

    fn holds_depths_and_answers(&self) -> bool {
        false
    }

    fn read(&self, bytes: Vec<u8>) -> anyhow::Result<Box<dyn ForeignBook>> {
        Ok(Box::new(AperyBook(Apery::parse(&bytes)?)))
    }

    fn write(&self, pages: &[BookPage]) -> anyhow::Result<Vec<u8>> {
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
}

/// A book of Apery's in memory.
struct AperyBook(Apery);

impl ForeignBook for AperyBook {
    fn words(&self) -> String {
        format!("{} entries of Apery's", self.0.entries().len())
    }

    fn moves(&self, position: &str, _: &[String]) -> anyhow::Result<Vec<WeightedMove>> {
        let board = sfen::parse(position).with_context(|| position.to_string())?;
        let weighted = |entry: &AperyEntry| {
            let mv = move_of(entry.mv, Coding::Apery)?.to_string();
            Some(WeightedMove { score_cp: Some(entry.score_cp), ..WeightedMove::new(mv, u64::from(entry.count)) })
        };
        Ok(self.0.find(apery_key(&board)).iter().filter_map(weighted).collect())
    }

    fn positions(&self) -> Option<Vec<String>> {
        None
    }
}
