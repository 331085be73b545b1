//! GreKo's evaluation: the value that it plays with, in its whole numbers, and the shares of the weights for learning.

use super::draws::{Ending, ending, index};
use super::{GREKO, GREKO_SET, GREKO_TERMS, UNIT};
use crate::geometry::*;
use std::sync::Arc;
use tesuji_chess::{Board, Piece, Square, attacks};
use tesuji_game::{Evaluator, FirstSide, Position, Value};
use tesuji_tally::{Blend, Explanation, Line, Linear, PHASE_MAX, Row, SCALE_MAX, Tally, Term};

const DOUBLED: usize = 5;
const ISOLATED: usize = 6;
const BACKWARDS: usize = 7;
const PAWN_CENTER: usize = 8;
const PASSED_FREE: usize = 9;
const PASSED_BLOCKED: usize = 10;
const PASSED_KING_DIST: usize = 11;
const PASSED_SQUARE: usize = 12;
const KNIGHT_CENTER: usize = 13;
const OUTPOST: usize = 14;
const KNIGHT_MOBILITY: usize = 15;
const PAIR_MIDGAME: usize = 16;
const PAIR_ENDGAME: usize = 17;
const BISHOP_CENTER: usize = 18;
const BISHOP_MOBILITY: usize = 19;
const ROOK_7TH: usize = 20;
const ROOK_OPEN: usize = 21;
const ROOK_MOBILITY: usize = 22;
const TROPISM: usize = 23;
const KING_MID: usize = 24;
const KING_END: usize = 25;
const SHIELD: usize = 26;

/// Material that counts as the whole middlegame; a full board has 32 on each side.
const INDEX_ALL: i32 = 32;
/// Below this much material of the enemy its king's distance to passed pawns counts.
const INDEX_FEW: i32 = 10;
/// Entries of a curve at most: a rook attacks 0 to 14 squares.
const ENTRIES: usize = 16;

/// Sums of the evaluation that its options of style multiply.
const MATERIAL: usize = 0;
const BOARD: usize = 1;
const MOBILITY: usize = 2;
const PAWNS: usize = 3;
const PASSED: usize = 4;
const KINGS: usize = 5;

/// The default of the option of style of each sum: 50 leaves it as it is.
const STYLE: [i32; 6] = [50, 60, 40, 40, 60, 50];
const STYLE_ALL: i32 = 50;

/// The sum in which each term counts.
const SUM_OF: [usize; GREKO_TERMS] = {
    let mut sums = [MATERIAL; GREKO_TERMS];
    let mut term = DOUBLED;
    while term < GREKO_TERMS {
        sums[term] = match term {
            DOUBLED..=PAWN_CENTER => PAWNS,
            PASSED_FREE..=PASSED_SQUARE => PASSED,
            KNIGHT_MOBILITY | BISHOP_MOBILITY | ROOK_MOBILITY => MOBILITY,
            PAIR_MIDGAME | PAIR_ENDGAME => MATERIAL,
            TROPISM | KING_MID | SHIELD => KINGS,
            _ => BOARD,
        };
        term += 1;
    }
    sums
};

/// How the share of a weight follows from what is counted.
enum Share {
    /// As many of these parts as are counted.
    Parts(i32),
    /// A parabola with its vertex `at[0]`, worth `worth[0]` weights there and `worth[1]` at `at[1]`.
    Curve { at: [i32; 2], worth: [i32; 2] },
}

const fn share(term: usize) -> Share {
    match term {
        PASSED_FREE | PASSED_BLOCKED => Share::Curve { at: [0, 7], worth: [0, 1] },
        KNIGHT_MOBILITY => Share::Curve { at: [8, 2], worth: [1, -1] },
        BISHOP_MOBILITY => Share::Curve { at: [13, 1], worth: [1, -1] },
        ROOK_MOBILITY => Share::Curve { at: [14, 2], worth: [1, -1] },
        TROPISM => Share::Curve { at: [7, 2], worth: [0, 1] },
        SHIELD => Share::Curve { at: [0, 9], worth: [0, -1] },
        PAWN_CENTER => Share::Parts(2),
        KNIGHT_CENTER | BISHOP_CENTER | KING_END => Share::Parts(3),
        KING_MID => Share::Parts(4),
        PASSED_SQUARE => Share::Parts(6),
        _ => Share::Parts(1),
    }
}

/// The share of the weight of `term` where `count` is counted.
fn share_of(term: usize, count: i32) -> f64 {
    match share(term) {
        Share::Parts(parts) => f64::from(count) / f64::from(parts),
        Share::Curve { at, worth } => {
            let [x, end] = [count - at[0], at[1] - at[0]].map(f64::from);
            let [first, last] = worth.map(f64::from);
            (last - first) * x * x / (end * end) + first
        }
    }
}

/// An entry of a curve in centipawns, in GreKo's arithmetic: double precision, cut off.
fn entry(at: [i32; 2], worth: [i32; 2], weight: i32, count: i32) -> i32 {
    let [x, end] = [count - at[0], at[1] - at[0]].map(f64::from);
    let [first, last] = worth.map(|worth| f64::from(worth * weight));
    let factor = (last - first) / (end * end);
    (factor * x * x + first) as i32
}

/// Takes the parts of the evaluation.
trait Parts {
    /// A side (`sign`: 1 or -1) has `count` of `term`, which counts by `by` 32nds.
    fn add(&mut self, sign: i32, term: usize, count: i32, by: i32);

    /// A side has two bishops against material `index`.
    fn add_pair(&mut self, sign: i32, index: i32) {
        self.add(sign, PAIR_MIDGAME, 1, index);
        self.add(sign, PAIR_ENDGAME, 1, INDEX_ALL - index);
    }
}

/// Hands all parts of `board` to `parts`.
fn walk(board: &Board, parts: &mut impl Parts) {
    side::<White>(board, parts);
    side::<Black>(board, parts);
}

fn side<U: Us>(board: &Board, parts: &mut impl Parts) {
    let against = index(board, !U::SIDE);
    for (term, piece) in Piece::ALL.into_iter().take(5).enumerate() {
        parts.add(U::SIGN, term, n(board.of(U::SIDE, piece)), INDEX_ALL);
    }
    if n(board.of(U::SIDE, Piece::Bishop)) == 2 {
        parts.add_pair(U::SIGN, against);
    }
    pawns::<U>(board, against, parts);
    pieces::<U>(board, parts);
    let king = board.king(U::SIDE);
    parts.add(U::SIGN, KING_MID, castled_parts::<U>(king), against);
    parts.add(U::SIGN, KING_END, center(king), INDEX_ALL - against);
    parts.add(U::SIGN, SHIELD, lacking::<U>(board, king), against);
}

fn pawns<U: Us>(board: &Board, against: i32, parts: &mut impl Parts) {
    let (own, enemy) = (board.of(U::SIDE, Piece::Pawn), board.of(!U::SIDE, Piece::Pawn));
    let mut add = |term: usize, count: i32| parts.add(U::SIGN, term, count, INDEX_ALL);
    let isolated = own & !beside(files(own));
    add(DOUBLED, n(own & front::<U>(own)));
    add(ISOLATED, n(isolated));
    add(BACKWARDS, n(own & !isolated & !beside(own | front::<U>(own))));
    for pawn in own {
        add(PAWN_CENTER, pawn_center_halves::<U>(pawn));
    }
    let enemy_king = board.king(!U::SIDE);
    for pawn in own & !files(enemy) & !beside(rear::<U>(enemy)) {
        let ahead = ahead::<U>(one(pawn));
        let term = if any(ahead & board.occupied()) { PASSED_BLOCKED } else { PASSED_FREE };
        add(term, rank::<U>(pawn) as i32);
        if against == 0 {
            let rank_now = rank::<U>(pawn) - usize::from(board.side_to_move() != U::SIDE);
            let aside = file(pawn).abs_diff(file(enemy_king));
            if rank::<U>(enemy_king) < rank_now || aside > 7 - rank_now {
                add(PASSED_SQUARE, rank_now as i32);
            }
        } else if against < INDEX_FEW
            && let Some(ahead) = ahead.first()
        {
            add(PASSED_KING_DIST, distance(ahead, enemy_king) as i32);
        }
    }
}

fn pieces<U: Us>(board: &Board, parts: &mut impl Parts) {
    let mut add = |term: usize, count: i32| parts.add(U::SIGN, term, count, INDEX_ALL);
    let (own, all) = (board.of(U::SIDE, Piece::Pawn), board.occupied());
    for square in board.of(U::SIDE, Piece::Knight) {
        add(KNIGHT_CENTER, center(square));
        add(KNIGHT_MOBILITY, knight_reach(square));
        add(OUTPOST, i32::from(is_outpost::<U>(square) && pawn_attacks::<U>(own).contains(square)));
    }
    for square in board.of(U::SIDE, Piece::Bishop) {
        add(BISHOP_CENTER, center(square));
        add(BISHOP_MOBILITY, n(attacks::bishop(square, all)));
    }
    let rooks = board.of(U::SIDE, Piece::Rook);
    for square in rooks {
        add(ROOK_MOBILITY, n(attacks::rook(square, all & !rooks)));
        add(ROOK_7TH, i32::from(rank::<U>(square) == 6));
        add(ROOK_OPEN, i32::from(!any(files(one(square)) & own)));
    }
    for square in board.of(U::SIDE, Piece::Queen) {
        add(TROPISM, distance(square, board.king(!U::SIDE)) as i32);
    }
}

/// Nearness to the centre: 3 on its four squares, 1 less for each file or rank further out.
fn center(square: Square) -> i32 {
    (from_edge(file(square)) + from_edge(square.index() >> 3)) as i32 - 3
}

/// Halves of a pawn's worth in the centre.
fn pawn_center_halves<U: Us>(pawn: Square) -> i32 {
    match (rank::<U>(pawn), from_edge(file(pawn))) {
        (3..=5, 3) => 2,
        (2, 2 | 3) | (3 | 4, 2) => 1,
        _ => 0,
    }
}

/// Whether a knight stands on an outpost: the files d and e on the 6th rank, c to f on the 5th, b to g on the 4th.
fn is_outpost<U: Us>(square: Square) -> bool {
    let rank = rank::<U>(square);
    (3..=5).contains(&rank) && from_edge(file(square)) >= rank - 2
}

/// Squares that a knight reaches on an empty board; GreKo's table has one less on h2 and h7.
fn knight_reach(square: Square) -> i32 {
    let reach = n(attacks::knight(square));
    reach - i32::from(file(square) == 7 && matches!(square.index() >> 3, 1 | 6))
}

/// Quarters of a king's worth on its square before the endgame: 4 beyond the 2nd rank, 2 on it, 0 or 1 on the 1st.
fn castled_parts<U: Us>(king: Square) -> i32 {
    match (rank::<U>(king), file(king)) {
        (0, 0 | 3 | 5 | 7) => 1,
        (0, _) => 0,
        (1, _) => 2,
        _ => 4,
    }
}

/// What the pawns before a king lack: for its file and each beside 0 where the hindmost own pawn stands on the 2nd rank, 1 on the 3rd, 2 on
/// the 4th, 3 beyond, without one, and off the board.
fn lacking<U: Us>(board: &Board, king: Square) -> i32 {
    let of_file = |at: i32| {
        let own = board.of(U::SIDE, Piece::Pawn) & file_of(at as u32);
        let ranks = own.into_iter().map(|pawn| rank::<U>(pawn) as i32);
        ranks.min().map_or(3, |rank| (rank - 1).min(3))
    };
    let at = file(king) as i32;
    (at - 1..=at + 1).map(|at| if (0..8).contains(&at) { of_file(at) } else { 3 }).sum()
}

/// The curves of all terms at their weights.
#[derive(Debug)]
struct Tables {
    weights: [i32; GREKO_TERMS],
    curves: [[i32; ENTRIES]; GREKO_TERMS],
}

impl Tables {
    fn new(weights: [i16; GREKO_TERMS]) -> Tables {
        let weights = weights.map(i32::from);
        let curve = |term: usize| match share(term) {
            Share::Parts(_) => [0; ENTRIES],
            Share::Curve { at, worth } => std::array::from_fn(|i| entry(at, worth, weights[term], i as i32)),
        };
        Tables { weights, curves: std::array::from_fn(curve) }
    }

    /// Centipawns of `count` of `term`, which counts by `by` 32nds.
    #[inline]
    fn worth(&self, term: usize, count: i32, by: i32) -> i32 {
        let whole = match share(term) {
            Share::Parts(parts) => self.weights[term] * count / parts,
            Share::Curve { .. } => self.curves[term][count as usize],
        };
        if by == INDEX_ALL { whole } else { whole * by / INDEX_ALL }
    }
}

/// The sums that play.
struct Sums<'a> {
    tables: &'a Tables,
    sums: [i32; 6],
}

impl Parts for Sums<'_> {
    #[inline]
    fn add(&mut self, sign: i32, term: usize, count: i32, by: i32) {
        self.sums[SUM_OF[term]] += sign * self.tables.worth(term, count, by);
    }

    /// Both halves are cut off together.
    fn add_pair(&mut self, sign: i32, index: i32) {
        let [mid, end] = [PAIR_MIDGAME, PAIR_ENDGAME].map(|term| self.tables.weights[term]);
        self.sums[MATERIAL] += sign * ((mid * index + end * (INDEX_ALL - index)) / INDEX_ALL);
    }
}

/// Shares of the weights as counts, halved where the ending is nearly drawn.
struct Shares<'a, T> {
    tally: &'a mut T,
    whole: f64,
}

impl<T: Tally> Parts for Shares<'_, T> {
    fn add(&mut self, sign: i32, term: usize, count: i32, by: i32) {
        let style = f64::from(STYLE[SUM_OF[term]]) / f64::from(STYLE_ALL);
        let share = share_of(term, count) * f64::from(by) / f64::from(INDEX_ALL) * style;
        self.tally.add_for(sign, term, (share * self.whole).round() as i32);
    }
}

/// The 27 terms as an evaluation that plays and learns. Clones share the weights.
///
/// # Examples
/// ```
/// use tesuji_chess::Board;
/// use tesuji_chess_eval::{GrekoEval, greko_start};
/// let eval = GrekoEval::new(greko_start());
/// assert_eq!(eval.white_value(&Board::start()).0, 0);
/// ```
#[derive(Debug, Clone)]
pub struct GrekoEval {
    tables: Arc<Tables>,
}

impl GrekoEval {
    /// With these weights, in centipawns.
    pub fn new(weights: [i16; GREKO_TERMS]) -> GrekoEval {
        GrekoEval { tables: Arc::new(Tables::new(weights)) }
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
        let mut counts = Counts([[0; 2]; GREKO_TERMS]);
        Self::tally(board, &mut counts);
        counts.0.map(|[first, second]| first - second)
    }

    /// The value of `board` in centipawns for White, as GreKo 12.9 gives it.
    pub fn white_value(&self, board: &Board) -> FirstSide<i32> {
        let ending = ending(board);
        if ending == Ending::Drawn {
            return FirstSide(0);
        }
        let mut sums = Sums { tables: &self.tables, sums: [0; 6] };
        walk(board, &mut sums);
        let value = sums.sums.iter().zip(STYLE).map(|(sum, style)| sum * style / STYLE_ALL).sum();
        FirstSide(match ending {
            Ending::CannotWin(side) if side == White::SIDE => i32::min(value, 0),
            Ending::CannotWin(_) => value.max(0),
            Ending::NearlyDrawn => value / 2,
            Ending::Drawn | Ending::Open => value,
        })
    }
}

/// Counts of all terms of both sides.
struct Counts([[i32; 2]; GREKO_TERMS]);

impl Tally for Counts {
    fn add(&mut self, feature: usize, count: i32) {
        self.add_for(1, feature, count);
    }

    fn add_for(&mut self, sign: i32, feature: usize, count: i32) {
        self.0[feature][usize::from(sign < 0)] += count;
    }
}

impl Linear<Board> for GrekoEval {
    fn terms() -> &'static [Term] {
        GREKO_SET
    }

    fn tally<T: Tally>(board: &Board, t: &mut T) -> Blend {
        let whole = match ending(board) {
            Ending::Drawn => 0.0,
            Ending::NearlyDrawn => f64::from(UNIT) / 2.0,
            // Whether a side cannot win does not follow from counts.
            Ending::CannotWin(_) | Ending::Open => f64::from(UNIT),
        };
        if whole > 0.0 {
            walk(board, &mut Shares { tally: t, whole });
        }
        // 1 of 256 for the first of each pair, nothing for the second: counts are in 256ths and hold the phase.
        Blend { phase: 1, scale: 0 }
    }
}

impl Evaluator<Board> for GrekoEval {
    fn value(&mut self, board: &Board) -> Value {
        Value::cp(self.white_value(board).seen_by(board.side_to_move()))
    }
}

/// Explains the value of `board` by GreKo's weights: counts in 256ths, centipawns the same for both phases; the rest is what GreKo's whole
/// numbers cut off, and its rules of drawn endings.
pub fn explain_greko(board: &Board, weights: &[i16; GREKO_TERMS]) -> Explanation {
    let mut counts = Counts([[0; 2]; GREKO_TERMS]);
    GrekoEval::tally(board, &mut counts);
    let line = |(term, [first, second]): (usize, [i32; 2])| {
        let weight = i32::from(weights[term]);
        let adds = (f64::from((first - second) * weight) / f64::from(UNIT)).round() as i32;
        let (name, group) = (GREKO[term].name.to_string(), GREKO[term].group);
        Line { name, group, first, second, weight_mg: weight, weight_eg: weight, adds_mg: adds, adds_eg: adds }
    };
    let there = counts.0.into_iter().enumerate().filter(|(_, counts)| *counts != [0, 0]);
    let lines: Vec<Line> = there.map(line).collect();
    let sum = lines.iter().map(|line| line.adds_mg).sum::<i32>();
    let FirstSide(value) = GrekoEval::new(*weights).white_value(board);
    Explanation {
        sides: ["White", "Black"],
        lines,
        phase: PHASE_MAX,
        scale: SCALE_MAX,
        sum_mg: sum,
        sum_eg: sum,
        rest: Some(("rounding and drawn endings", value - sum)),
        value,
        to_move: FirstSide(value).seen_by(board.side_to_move()),
    }
}
