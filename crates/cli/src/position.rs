//! Positions as people type and paste them: the game's notation alone, or a line of a protocol (`position sfen … moves …`).

use anyhow::{Context, bail};
use std::convert::Infallible;
use std::str::FromStr;
use tesuji_game::{Game, Notation, Position};
use tesuji_record::{AnyGame, Table};

/// A position on the command line or in a file, not yet read by the rules: a start and the moves from there.
///
/// Taken are `FEN`, `fen FEN`, `sfen SFEN`, `startpos`, each with or without `position` before it and `moves MOVE…` behind it:
/// what UCI and USI send, and what engines write into their logs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Pasted {
    /// The start in the game's notation; `None` for `startpos`.
    pub(crate) start: Option<String>,
    /// The moves from there, in the protocol's notation.
    pub(crate) moves: Vec<String>,
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

/// What follows a word at the beginning of a text.
fn without_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}

/// The start that is given, `None` for the usual one, and all moves from there: those that stand behind it, then `more`.
pub(crate) fn joined<'a>(given: Option<&'a Pasted>, more: &[String]) -> (Option<&'a str>, Vec<String>) {
    let behind = given.map_or(&[][..], |given| given.moves.as_slice());
    (given.and_then(|given| given.start.as_deref()), [behind, more].concat())
}

/// The position that is meant by `--fen` and `--moves`.
///
/// # Errors
/// When the start is no position of the game, or a move is not legal; the words quote it.
pub(crate) fn read<G: Game>(rules: &G::Rules, given: Option<&Pasted>, more: &[String]) -> anyhow::Result<G::Position> {
    let (start, moves) = joined(given, more);
    let mut pos = match start {
        None => G::start(rules),
        Some(text) => G::Notation::parse_position(rules, text).with_context(|| format!("position {text:?}"))?,
    };
    for text in &moves {
        match G::Notation::parse_move(&pos, text) {
            Ok(mv) => pos.play(mv),
            Err(error) => {
                let mut here = String::new();
                let _ = G::Notation::write_position(&pos, &mut here);
                bail!("--moves {text}: {error} in {here}");
            }
        }
    }
    Ok(pos)
}

/// The board of a game whose position is given, moves played: the same through a game's text door.
///
/// # Errors
/// As [`read`].
pub(crate) fn table(
    game: &(impl AnyGame + ?Sized),
    given: Option<&Pasted>,
    more: &[String],
) -> anyhow::Result<Box<dyn Table>> {
    let (start, moves) = joined(given, more);
    let mut table = game.table("", start).with_context(|| format!("position {:?}", start.unwrap_or_default()))?;
    for text in &moves {
        table.play(text).with_context(|| format!("--moves {text}"))?;
    }
    Ok(table)
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
        let pos = read::<Chess>(&rules, Some(&pasted), &more).unwrap();
        let Ok(same) = "startpos moves e2e4 e7e5".parse::<Pasted>();
        assert_eq!(pos, read::<Chess>(&rules, Some(&same), &[]).unwrap());
        let wrong = read::<Chess>(&rules, Some(&same), &["e2e4".to_string()]).unwrap_err().to_string();
        assert!(wrong.starts_with("--moves e2e4: ") && wrong.contains("rnbqkbnr"), "{wrong}");
        let Ok(shogi) = "position startpos moves 7g7f".parse::<Pasted>();
        assert!(read::<Shogi>(&Default::default(), Some(&shogi), &["3c3d".to_string()]).is_ok());
    }
}
