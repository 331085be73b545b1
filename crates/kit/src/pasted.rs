//! Positions as people type and paste them: the game's notation alone, or a line of a protocol (`position sfen … moves …`).

use crate::RequestError;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::str::FromStr;
use tesuji_game::{Game, Notation, Position};
use tesuji_record::{AnyGame, RulesTable};
use utoipa::ToSchema;

/// A position on the command line or in a file, not yet read by the rules: a start and the moves from there.
///
/// Taken are `FEN`, `fen FEN`, `sfen SFEN`, `startpos`, each with or without `position` before it and `moves MOVE…` behind it:
/// what UCI and USI send, and what engines write into their logs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pasted {
    /// The start in the game's notation; `None` for `startpos`.
    pub start: Option<String>,
    /// The moves from there, in the protocol's notation or as people of the game write them.
    pub moves: Vec<String>,
}

impl FromStr for Pasted {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Pasted, Infallible> {
        let mut rest = text.trim();
        for word in ["position", "fen", "sfen"] {
            rest = without_word(rest, word).unwrap_or(rest);
        }
        let (start, moves) = match rest.strip_suffix(" moves") {
            Some(start) => (start, ""),
            None => rest.split_once(" moves ").unwrap_or((rest, "")),
        };
        let moves = moves.split_whitespace().map(str::to_string).collect();
        let start = Some(start.trim()).filter(|start| *start != "startpos").map(str::to_string);
        Ok(Pasted { start, moves })
    }
}

/// The text after `word` at its beginning.
fn without_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}

impl Pasted {
    /// A start, `None` for the usual one, and moves from there.
    pub fn of(start: Option<&str>, moves: &[String]) -> Pasted {
        Pasted { start: start.map(str::to_string), moves: moves.to_vec() }
    }

    /// This position with `more` moves behind it.
    pub fn and(mut self, more: &[String]) -> Pasted {
        self.moves.extend_from_slice(more);
        self
    }

    /// The position that is meant, read by the rules of a game.
    ///
    /// # Errors
    /// When the start is no position of the game, or a move is not legal; the words quote it.
    pub fn read<G: Game>(&self, rules: &G::Rules) -> anyhow::Result<G::Position> {
        let mut pos = match &self.start {
            None => G::start(rules),
            Some(text) => G::Notation::parse_position(rules, text).with_context(|| format!("position {text:?}"))?,
        };
        for text in &self.moves {
            let read = G::Notation::parse_move(&pos, text);
            match read.or_else(|error| G::Notation::parse_readable(&pos, text).map_err(|_| error)) {
                Ok(mv) => pos.play(mv),
                Err(error) => {
                    let mut here = String::new();
                    let _ = G::Notation::write_position(&pos, &mut here);
                    return Err(RequestError::value("moves", text, format_args!("{error} in {here}")).into());
                }
            }
        }
        Ok(pos)
    }

    /// The board of a game after the moves, under `rules` as the game reads them (empty: the usual ones): the same through a game's text
    /// door.
    ///
    /// # Errors
    /// As [`Pasted::read`].
    pub fn table(&self, game: &(impl AnyGame + ?Sized), rules: &str) -> anyhow::Result<Box<dyn RulesTable>> {
        let start = self.start.as_deref();
        let mut table =
            game.table(rules, start).with_context(|| format!("position {:?}", start.unwrap_or_default()))?;
        for text in &self.moves {
            let Err(error) = table.play(text) else { continue };
            // As people write it: `Nf3`, `７六歩`.
            let meant = table.parse_move(text).and_then(|mv| table.play(&mv));
            meant.map_err(|_| RequestError::value("moves", text, error))?;
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_chess::Chess;
    use tesuji_shogi::Shogi;

    #[track_caller]
    fn check(text: &str, start: &str, moves: &[&str]) {
        let Ok(pasted) = text.parse::<Pasted>();
        assert_eq!(
            (pasted.start.as_deref().unwrap_or("startpos"), pasted.moves),
            (start, moves.iter().map(|mv| mv.to_string()).collect())
        );
    }

    /// `solve --sfen "position sfen …"` was refused, which is what people paste.
    #[test]
    fn lines_of_protocols_are_positions() {
        let sfen = "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1";
        for before in ["", "sfen ", "position sfen ", "  position   sfen "] {
            check(&format!("{before}{sfen}"), sfen, &[]);
            check(&format!("{before}{sfen} moves"), sfen, &[]);
            check(&format!("{before}{sfen} moves G*5b  5a5b\n"), sfen, &["G*5b", "5a5b"]);
        }
        check("position startpos moves e2e4 e7e5", "startpos", &["e2e4", "e7e5"]);
        check("startpos", "startpos", &[]);
        check("fen 8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8 w - - 0 1", &[]);
        check("5/5/1XX2/1XO2/2X2 b", "5/5/1XX2/1XO2/2X2 b", &[]);
    }

    #[test]
    fn moves_of_the_line_come_before_those_of_the_option() {
        let Ok(pasted) = "position startpos moves e2e4".parse::<Pasted>();
        let (rules, more) = (Default::default(), ["e7e5".to_string()]);
        let pos = pasted.and(&more).read::<Chess>(&rules).unwrap();
        let Ok(same) = "startpos moves e2e4 e7e5".parse::<Pasted>();
        assert_eq!(pos, same.read::<Chess>(&rules).unwrap());
        let wrong = same.and(&["e2e4".to_string()]).read::<Chess>(&rules).unwrap_err().to_string();
        assert!(wrong.starts_with("moves e2e4: ") && wrong.contains("rnbqkbnr"), "{wrong}");
        let Ok(shogi) = "position startpos moves 7g7f".parse::<Pasted>();
        let people = ["３四歩", "P-2f"].map(str::to_string);
        assert!(shogi.clone().and(&["3c3d".to_string()]).read::<Shogi>(&Default::default()).is_ok());
        assert!(shogi.and(&people).read::<Shogi>(&Default::default()).is_ok());
        let san = ["Nf3", "Nc6", "Bb5"].map(str::to_string);
        assert!(Pasted::of(None, &["e4", "e5"].map(str::to_string)).and(&san).read::<Chess>(&rules).is_ok());
    }

    /// Boards came with the usual rules whatever was asked for, and errors named a flag of the command line.
    #[test]
    fn boards_have_the_rules_of_the_request_and_errors_its_fields() {
        let game = &tesuji_record::of::<Shogi>(&[]);
        let Ok(start) = "startpos".parse::<Pasted>();
        let position = |rules: &str| start.table(game, rules).unwrap().position();
        assert!(position("2-piece") != position("") && position("2-piece").contains(" w "), "{}", position("2-piece"));
        let wrong = start.and(&["7g7d".to_string()]).table(game, "").err().unwrap();
        let wrong = RequestError::from(wrong);
        assert!(wrong.to_string().starts_with("moves 7g7d: "), "{wrong}");
        assert!(wrong.with_flags(&[]).starts_with("--moves 7g7d: "), "{wrong}");
    }
}
