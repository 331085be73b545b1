//! The 27 terms of V. Medvedev's GreKo as its article of 2016 names them: a small evaluation to learn by hand and eye.
//! Each term has one weight in centipawns, written as `NAME value` a line. The values are those of GreKo 12.9 (2015), the
//! program of the article, with its options of style at their defaults (`docs/tuning.md`).

mod draws;
mod eval;

pub use eval::{GrekoEval, explain_greko};

use std::fmt::Write as _;
use tesuji_tally::Term;
use thiserror::Error;

/// The number of terms.
pub const GREKO_TERMS: usize = 27;
/// Counts are in 256ths of what a term counts.
pub(crate) const UNIT: i32 = 256;

/// One weight: where it starts and how far learning may take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrekoTerm {
    /// GreKo's name.
    pub name: &'static str,
    /// Centipawns before learning.
    pub start: i16,
    /// Least and greatest weight.
    pub bounds: [i16; 2],
    /// The group of terms that are frozen and tuned together.
    pub group: &'static str,
    /// The description of the feature that is counted.
    pub doc: &'static str,
}

const fn term(name: &'static str, start: i16, group: &'static str, doc: &'static str) -> GrekoTerm {
    let bounds = if start < 0 { [-200, 0] } else { [0, 200] };
    GrekoTerm { name, start, bounds, group, doc }
}

const fn man(name: &'static str, start: i16, doc: &'static str) -> GrekoTerm {
    GrekoTerm { name, start, bounds: [0, 2000], group: "material", doc }
}

/// The terms with the author's numbers before learning, in his order.
pub const GREKO: [GrekoTerm; GREKO_TERMS] = [
    man("VAL_P", 100, "Pawns."),
    man("VAL_N", 400, "Knights."),
    man("VAL_B", 400, "Bishops."),
    man("VAL_R", 600, "Rooks."),
    man("VAL_Q", 1200, "Queens."),
    term("PawnDoubled", -10, "pawns", "Pawns before an own pawn on their file."),
    term("PawnIsolated", -10, "pawns", "Pawns without own pawns on the files beside."),
    term("PawnBackwards", -10, "pawns", "Pawns, not isolated, whose neighbours have all gone ahead of them."),
    term("PawnCenter", 10, "pawns", "Pawns on d4 to e6 (1), beside them and on the 3rd rank (1/2)."),
    term(
        "PawnPassedFreeMax",
        120,
        "passed",
        "Passed pawns that can step on: the square of their ranks from the 1st, 1 on the 8th.",
    ),
    term("PawnPassedBlockedMax", 100, "passed", "Passed pawns that cannot: the same."),
    term(
        "PawnPassedKingDist",
        5,
        "passed",
        "Passed pawns against few pieces: the enemy king's distance to the square ahead.",
    ),
    term(
        "PawnPassedSquare",
        50,
        "passed",
        "Passed pawns that a lone enemy king cannot catch: the part of their way that is done.",
    ),
    term("KnightCenter", 10, "knights", "Nearness of knights to the centre, 1 there and -1 in the corners."),
    term("KnightOutpost", 10, "knights", "Knights on the outposts of ranks 4 to 6, defended by a pawn."),
    term("KnightMobility", 20, "knights", "Squares that knights reach on an empty board: -1 for two to 1 for eight."),
    term("BishopPairMidgame", 20, "bishops", "Two bishops, midgame."),
    term("BishopPairEndgame", 100, "bishops", "Two bishops, endgame."),
    term("BishopCenter", 10, "bishops", "Nearness of bishops to the centre, 1 there and -1 in the corners."),
    term("BishopMobility", 60, "bishops", "Squares that bishops attack: -1 for one to 1 for thirteen."),
    term("Rook7th", 20, "rooks", "Rooks on the 7th rank."),
    term("RookOpen", 10, "rooks", "Rooks on files without own pawns."),
    term("RookMobility", 40, "rooks", "Squares that rooks attack, through own rooks: -1 for two to 1 for fourteen."),
    term("QueenKingTropism", 40, "queens", "Nearness of queens to the enemy king: 1 two steps away, 0 seven away."),
    term("KingCenterMid", -40, "kings", "Kings before the castled ranks, midgame: 1 beyond the 2nd rank, 1/2 on it."),
    term("KingCenterEnd", 40, "kings", "Nearness of the king to the centre, endgame, 1 there and -1 in the corners."),
    term(
        "KingPawnShield",
        120,
        "kings",
        "Pawns missing before the king or advanced, less than nothing, midgame: -1 without any.",
    ),
];

/// The terms as everything that learns and explains knows them; all weights in the first of each pair.
pub const GREKO_SET: &[Term] = &{
    let mut terms = [Term { name: "", group: "", first: 0, len: 1, columns: 0, unit: UNIT, doc: "", source: "" }; 27];
    let mut i = 0;
    while i < GREKO_TERMS {
        let GrekoTerm { name, group, doc, .. } = GREKO[i];
        let source = "V. Medvedev, GreKo 12.9 (2015)";
        terms[i] = Term { name, group, first: i, len: 1, columns: 0, unit: UNIT, doc, source };
        i += 1;
    }
    terms
};

/// The reason why a text is no `weights.txt`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GrekoError {
    /// A line is not a name and a number.
    #[error("{file}, line {line}: expected NAME and a whole number, found {found:?}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The text found there.
        found: String,
    },
    /// No term has this name.
    #[error("{file}, line {line}: no term is called {name:?}")]
    Name {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The name.
        name: String,
    },
}

/// The weights before learning.
pub fn greko_start() -> [i16; GREKO_TERMS] {
    GREKO.map(|t| t.start)
}

/// Reads `weights.txt`: `NAME value` a line, `#` before remarks. Terms that are not in the text keep their start.
///
/// # Errors
/// The first line that is wrong.
pub fn parse_greko(text: &str, file: &str) -> Result<[i16; GREKO_TERMS], GrekoError> {
    let mut weights = greko_start();
    for (i, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        let (file, line) = (file.to_string(), i + 1);
        match words[..] {
            [] => {}
            [name, value] => {
                let Some(index) = GREKO.iter().position(|t| t.name == name) else {
                    return Err(GrekoError::Name { file, line, name: name.to_string() });
                };
                let Ok(value) = value.parse() else {
                    return Err(GrekoError::Line { file, line, found: words.join(" ") });
                };
                weights[index] = value;
            }
            _ => return Err(GrekoError::Line { file, line, found: words.join(" ") }),
        }
    }
    Ok(weights)
}

/// The text of `weights.txt`.
pub fn print_greko(weights: &[i16; GREKO_TERMS]) -> String {
    let mut text = String::new();
    for (term, weight) in GREKO.iter().zip(weights) {
        let _ = writeln!(text, "{} {weight}", term.name);
    }
    text
}

/// Whether a text is meant to be `weights.txt`: its first line that is no remark begins with the name of a term.
pub fn is_greko(text: &str) -> bool {
    let first = text.lines().find_map(|line| line.split('#').next()?.split_whitespace().next());
    first.is_some_and(|name| GREKO.iter().any(|term| term.name == name))
}
