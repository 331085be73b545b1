//! The 27 terms of V. Medvedev's GreKo as its article of 2016 names them: a small evaluation to learn by hand and eye.
//! Each term has one weight in centipawns, written as `NAME value` a line. Where the author is silent the definitions
//! here are ours (`docs/tuning.md`).

use crate::{blend, facts, geometry::*};
use std::fmt::Write as _;
use tesuji_chess::{Board, Piece, attacks};
use tesuji_game::{Evaluator, FirstSide, Position, Value};
use tesuji_tally::{Blend, Linear, Row, Tally, Term};
use thiserror::Error;

/// The number of terms.
pub const GREKO_TERMS: usize = 27;
/// Counts are in 256ths of what a term counts.
const UNIT: i32 = 256;

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
    term("PawnDoubled", -10, "pawns", "Pawns behind an own pawn on their file."),
    term("PawnIsolated", -10, "pawns", "Pawns without own pawns on the files beside."),
    term(
        "PawnBackwards",
        -10,
        "pawns",
        "Pawns that no own pawn can defend, with an enemy pawn attacking the square ahead.",
    ),
    term("PawnCenter", 10, "pawns", "Nearness of pawns to the centre, 0 to 1."),
    term("PawnPassedFreeMax", 120, "passed", "Passed pawns that can step on: their way squared, 1 on the 7th rank."),
    term("PawnPassedBlockedMax", 100, "passed", "Passed pawns that cannot: the same."),
    term(
        "PawnPassedKingDist",
        5,
        "passed",
        "Passed pawns, endgame: how much nearer the own king is to where they promote.",
    ),
    term("PawnPassedSquare", 50, "passed", "Passed pawns that a lone enemy king cannot catch."),
    term("KnightCenter", 10, "knights", "Nearness of knights to the centre, 0 to 1."),
    term("KnightOutpost", 10, "knights", "Knights on ranks 4 to 6, defended by a pawn, never attacked by one."),
    term("KnightMobility", 20, "knights", "Squares that knights attack: -1 for none to 1 for all."),
    term("BishopPairMidgame", 20, "bishops", "Two bishops, midgame."),
    term("BishopPairEndgame", 100, "bishops", "Two bishops, endgame."),
    term("BishopCenter", 10, "bishops", "Nearness of bishops to the centre, 0 to 1."),
    term("BishopMobility", 60, "bishops", "Squares that bishops attack: -1 for none to 1 for all."),
    term("Rook7th", 20, "rooks", "Rooks on the 7th rank."),
    term("RookOpen", 10, "rooks", "Rooks on open files; half on files without own pawns."),
    term("RookMobility", 40, "rooks", "Squares that rooks attack: -1 for none to 1 for all."),
    term("QueenKingTropism", 40, "queens", "Nearness of queens to the enemy king, 0 to 6/7."),
    term("KingCenterMid", -40, "kings", "Nearness of the king to the centre, 0 to 1, midgame."),
    term("KingCenterEnd", 40, "kings", "Nearness of the king to the centre, 0 to 1, endgame."),
    term(
        "KingPawnShield",
        120,
        "kings",
        "Pawns before a castled king: 1 for the 2nd rank, half for the 3rd, of 3, midgame.",
    ),
];

/// The terms as everything that learns and explains knows them; all weights in the first of each pair.
pub const GREKO_SET: &[Term] = &{
    let mut terms = [Term { name: "", group: "", first: 0, len: 1, columns: 0, unit: UNIT, doc: "", source: "" }; 27];
    let mut i = 0;
    while i < GREKO_TERMS {
        let GrekoTerm { name, group, doc, .. } = GREKO[i];
        let source = "V. Medvedev, GreKo 2015 ML (2016)";
        terms[i] = Term { name, group, first: i, len: 1, columns: 0, unit: UNIT, doc, source };
        i += 1;
    }
    terms
};

/// 1 on the four squares in the middle, 0 on the rim, in quarters, by rings.
const CENTER: [i32; 4] = [0, UNIT / 4, 3 * UNIT / 4, UNIT];

fn center(square: tesuji_chess::Square) -> i32 {
    CENTER[from_edge(file(square)).min(from_edge(square.index() >> 3))]
}

/// `share` of `whole`, in counts.
fn part(share: i32, whole: i32) -> i32 {
    // Rounded to the nearest, away from 0 in the middle, so that sides exchanged give the opposite.
    let (twice, sign) = (2 * (share * UNIT).abs(), (share * whole).signum());
    sign * ((twice + whole) / (2 * whole))
}

fn tally(board: &Board, t: &mut impl Tally) -> i32 {
    let phase = blend::of(board).phase;
    side::<White>(board, phase, t);
    side::<Black>(board, phase, t);
    phase
}

fn side<U: Us>(board: &Board, phase: i32, t: &mut impl Tally) {
    for kind in facts::PAWN..=facts::QUEEN {
        put::<U>(t, kind, UNIT * n(board.of(U::SIDE, Piece::ALL[kind])));
    }
    pawns::<U>(board, phase, t);
    pieces::<U>(board, t);
    let bishops = board.of(U::SIDE, Piece::Bishop);
    if bishops.several() {
        put::<U>(t, 16, phase);
        put::<U>(t, 17, UNIT - phase);
    }
    let king = board.king(U::SIDE);
    put::<U>(t, 24, center(king) * phase / UNIT);
    put::<U>(t, 25, center(king) * (UNIT - phase) / UNIT);
    if rank::<U>(king) == 0 && !(3..=5).contains(&file(king)) {
        let near = files(one(king) | beside(one(king))) & board.of(U::SIDE, Piece::Pawn);
        let halves = 2 * n(near & rank_of::<U>(1)) + n(near & rank_of::<U>(2));
        put::<U>(t, 26, part(halves, 6) * phase / UNIT);
    }
}

fn pawns<U: Us>(board: &Board, phase: i32, t: &mut impl Tally) {
    let (own, enemy) = (board.of(U::SIDE, Piece::Pawn), board.of(!U::SIDE, Piece::Pawn));
    put::<U>(t, 5, UNIT * n(own & rear::<U>(own)));
    put::<U>(t, 6, UNIT * n(own & !beside(files(own))));
    let stopped = back::<U>(pawn_attacks::<U::Them>(enemy));
    put::<U>(t, 7, UNIT * n(own & stopped & !beside(front::<U>(own))));
    put::<U>(t, 8, own.into_iter().map(center).sum());
    let passed = own & !rear::<U>(own) & !rear::<U>(enemy) & !beside(rear::<U>(enemy));
    let (king, other) = (board.king(U::SIDE), board.king(!U::SIDE));
    let pieces = board.side(!U::SIDE) & !enemy & !one(other);
    for pawn in passed {
        let way = rank::<U>(pawn) as i32 - 1;
        let blocked = any(ahead::<U>(one(pawn)) & board.occupied());
        put::<U>(t, if blocked { 10 } else { 9 }, part(way * way, 25));
        let Some(goal) = (front::<U>(one(pawn)) & rank_of::<U>(7)).first() else { continue };
        let nearer = distance(other, goal) as i32 - distance(king, goal) as i32;
        put::<U>(t, 11, nearer * (UNIT - phase));
        // From its first square a pawn may take two steps at once; the side to move is one step nearer.
        let steps = (7 - rank::<U>(pawn) as i32).min(5);
        let late = i32::from(board.side_to_move() != U::SIDE);
        if !any(pieces) && distance(other, goal) as i32 > steps + late {
            put::<U>(t, 12, UNIT);
        }
    }
}

fn pieces<U: Us>(board: &Board, t: &mut impl Tally) {
    let (own, enemy) = (board.of(U::SIDE, Piece::Pawn), board.of(!U::SIDE, Piece::Pawn));
    let (all, mine) = (board.occupied(), board.side(U::SIDE));
    let free = |attacks: tesuji_chess::Bitboard| n(attacks & !mine);
    let outposts = rank_of::<U>(3) | rank_of::<U>(4) | rank_of::<U>(5);
    let safe = pawn_attacks::<U>(own) & !beside(front::<U::Them>(enemy));
    for square in board.of(U::SIDE, Piece::Knight) {
        put::<U>(t, 13, center(square));
        put::<U>(t, 14, UNIT * i32::from((outposts & safe).contains(square)));
        put::<U>(t, 15, part(free(attacks::knight(square)) - 4, 4));
    }
    for square in board.of(U::SIDE, Piece::Bishop) {
        put::<U>(t, 18, center(square));
        put::<U>(t, 19, part(2 * free(attacks::bishop(square, all)) - 13, 13));
    }
    for square in board.of(U::SIDE, Piece::Rook) {
        let file = files(one(square));
        put::<U>(t, 20, UNIT * i32::from(rank::<U>(square) == 6));
        let (ours, theirs) = (any(file & own), any(file & enemy));
        put::<U>(
            t,
            21,
            if ours {
                0
            } else if theirs {
                UNIT / 2
            } else {
                UNIT
            },
        );
        put::<U>(t, 22, part(free(attacks::rook(square, all)) - 7, 7));
    }
    for square in board.of(U::SIDE, Piece::Queen) {
        put::<U>(t, 23, part(7 - distance(square, board.king(!U::SIDE)) as i32, 7));
    }
}

/// The 27 terms as an evaluation that plays and learns.
#[derive(Debug, Clone)]
pub struct GrekoEval {
    weights: [i16; GREKO_TERMS],
}

impl GrekoEval {
    /// With these weights, in centipawns.
    pub fn new(weights: [i16; GREKO_TERMS]) -> GrekoEval {
        GrekoEval { weights }
    }

    /// The counts of `board` for learning, White minus Black, in 256ths. The blend makes centipawns of count times
    /// weight: all of a row stands in the first of each pair.
    pub fn row(board: &Board, row: &mut Row) -> Blend {
        let blend = Self::tally(board, row);
        row.finish();
        blend
    }

    /// The count of each term, White minus Black, in 256ths.
    pub fn counts(board: &Board) -> [i32; GREKO_TERMS] {
        let mut counts = Counts([0; GREKO_TERMS]);
        tally(board, &mut counts);
        counts.0
    }

    /// The value of `board` in centipawns for White.
    pub fn white_value(&self, board: &Board) -> FirstSide<i32> {
        let sum: i32 = Self::counts(board).iter().zip(self.weights).map(|(c, w)| c * i32::from(w)).sum();
        FirstSide(sum / UNIT)
    }
}

/// Counts of all terms.
struct Counts([i32; GREKO_TERMS]);

impl Tally for Counts {
    fn add(&mut self, feature: usize, count: i32) {
        self.0[feature] += count;
    }
}

impl Linear<Board> for GrekoEval {
    fn terms() -> &'static [Term] {
        GREKO_SET
    }

    fn tally<T: Tally>(board: &Board, t: &mut T) -> Blend {
        tally(board, t);
        // 1 of 256 for the first of each pair, nothing for the second: counts are in 256ths and hold the phase.
        Blend { phase: 1, scale: 0 }
    }
}

impl Evaluator<Board> for GrekoEval {
    fn value(&mut self, board: &Board) -> Value {
        Value::cp(self.white_value(board).seen_by(board.side_to_move()))
    }
}

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
