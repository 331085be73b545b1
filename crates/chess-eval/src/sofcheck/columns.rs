//! The columns: which of our features each is, and what one count of it is worth.

use super::FeatureWeights;
use crate::facts::Facts;
use crate::geometry::{Black, Us, White, n, put};
use crate::pawns::{self, PawnSets};
use crate::rows::{Layout, LayoutRows};
use crate::terms::*;
use crate::{blend, pieces};
use tesuji_chess::{Bitboard, Board, Piece};
use tesuji_tally::{PHASE_MAX, Tally};

/// The number of columns.
pub const COLUMNS: usize = KING_END + 64 + 26;

/// First columns of the tables of squares, and of what follows them.
pub(super) const PAWN: usize = 6;
pub(super) const KING: usize = PAWN + 64;
pub(super) const KNIGHT: usize = KING + 64;
pub(super) const KING_END: usize = KNIGHT + 4 * 64;
pub(super) const QUEEN_NEAR: usize = KING_END + 64;
pub(super) const SHIELD: usize = QUEEN_NEAR + 10;
pub(super) const STORM: usize = SHIELD + 6;
pub(super) const ROOK_FILES: usize = STORM + 6;

/// No column.
pub(super) const NONE: u16 = u16::MAX;

/// The column of each feature; several features may share one.
pub(super) const COLUMN_OF: [u16; FEATURES] = column_of();

const fn column_of() -> [u16; FEATURES] {
    let mut map = [NONE; FEATURES];
    // (first feature, how many, first column, whether the features follow each other in columns or share one)
    let runs = [
        (MATERIAL, 1, 0, true),
        (MATERIAL + 1, 4, 2, true),
        (PSQ_PAWN, 64, PAWN, true),
        (PSQ_KNIGHT, 4 * 64, KNIGHT, true),
        (PSQ_KING, 64, KING, true),
        (QUEEN_NEAR_KING, 1, QUEEN_NEAR, true),
        (ROOK_NEAR_KING, 1, QUEEN_NEAR + 1, true),
        (BISHOP_PAIR, 1, QUEEN_NEAR + 2, true),
        (PAWN_ISOLATED, 1, QUEEN_NEAR + 3, true),
        (PAWN_DOUBLE, 1, QUEEN_NEAR + 4, true),
        (PASSED_FREE, 8, QUEEN_NEAR + 5, false),
        (PASSED_BLOCKED, 8, QUEEN_NEAR + 5, false),
        (PAWN_CANDIDATE, 1, QUEEN_NEAR + 6, true),
        (PAWN_OPEN, 1, QUEEN_NEAR + 7, true),
        (PAWN_GUARDED, 8, QUEEN_NEAR + 8, false),
        (PAWN_BACKWARD, 1, QUEEN_NEAR + 9, true),
        (KING_SHIELD, 6, SHIELD, true),
        (KING_STORM, 6, STORM, true),
        (ROOK_OPEN, 1, ROOK_FILES, true),
        (ROOK_SEMI_OPEN, 1, ROOK_FILES + 1, true),
        (QUEEN_OPEN, 1, ROOK_FILES + 2, true),
        (QUEEN_SEMI_OPEN, 1, ROOK_FILES + 3, true),
    ];
    let mut run = 0;
    while run < runs.len() {
        let (feature, len, column, apart) = runs[run];
        let mut i = 0;
        while i < len {
            map[feature + i] = (column + if apart { i } else { 0 }) as u16;
            i += 1;
        }
        run += 1;
    }
    map
}

/// The names of the columns, in order: those that SoFCheck's weights file gives its numbers when it is flattened.
pub fn column_names() -> Vec<String> {
    FeatureWeights::of_sofcheck().names()
}

/// The columns as a layout of rows: what no column needs is not counted.
#[derive(Clone)]
pub(super) struct Sofcheck;

impl Layout for Sofcheck {
    const COLUMNS: usize = COLUMNS;
    const MEN: usize = QUEEN_NEAR;

    #[inline(always)]
    fn column(feature: usize) -> usize {
        usize::from(COLUMN_OF[feature])
    }

    #[inline(always)]
    fn pawns(board: &Board, t: &mut impl Tally) -> PawnSets {
        let sets = pawns::tally(board, t);
        // One column has all passed pawns, whether something stops them or not.
        put::<White>(t, PASSED_FREE, n(board.of(White::SIDE, Piece::Pawn) & Bitboard(sets.passed)));
        put::<Black>(t, PASSED_FREE, n(board.of(Black::SIDE, Piece::Pawn) & Bitboard(sets.passed)));
        sets
    }

    #[inline(always)]
    fn rest(board: &Board, sets: &PawnSets, t: &mut impl Tally) {
        let facts = Facts::new(board, sets);
        pieces::files_of_heavy::<White>(facts.us::<White>(), facts.them::<White>(), t);
        pieces::files_of_heavy::<Black>(facts.us::<Black>(), facts.them::<Black>(), t);
        pieces::numbers::<White>(board, &facts, t);
        pieces::numbers::<Black>(board, &facts, t);
    }
}

/// Lists SoFCheck's columns of one board after the other: the same for any board after any other, sooner for boards that follow
/// each other along a game.
#[derive(Clone)]
pub struct Columns {
    rows: LayoutRows<Sofcheck>,
    entries: Box<[(u16, i32); COLUMNS + 1]>,
    len: usize,
}

impl Default for Columns {
    fn default() -> Self {
        Columns { rows: LayoutRows::default(), entries: Box::new([(0, 0); COLUMNS + 1]), len: 0 }
    }
}

impl Columns {
    /// Lists the columns of `board` that are not 0, in ascending order, White's minus Black's in 256ths; see
    /// [`Columns::entries`]. Returns the phase, in `0..=256`.
    pub fn list(&mut self, board: &Board) -> i32 {
        self.rows.row(board);
        let phase = blend::phase(board);
        let units = [PHASE_MAX, phase, PHASE_MAX - phase];
        let (indices, counts) = (self.rows.indices(), self.rows.counts());
        let (entries, mut len) = (&mut *self.entries, 0);
        let mut put = |column: u16, count: i16| {
            let count = i32::from(count) * units[usize::from(UNIT_OF[usize::from(column)])];
            // Only a phase at its end makes zeros.
            entries[len] = (column, count);
            len += usize::from(count != 0);
        };
        let split = indices.partition_point(|&column| usize::from(column) < KING_END);
        indices[..split].iter().zip(&counts[..split]).for_each(|(&column, &count)| put(column, count));
        // Kings stand in two tables, each by its share of the phase.
        let kings = indices.iter().zip(counts).skip_while(|(column, _)| usize::from(**column) < KING);
        kings
            .take_while(|(column, _)| usize::from(**column) < KNIGHT)
            .for_each(|(&column, &count)| put(column + (KING_END - KING) as u16, count));
        indices[split..].iter().zip(&counts[split..]).for_each(|(&column, &count)| put(column, count));
        self.len = len;
        phase
    }

    /// The entries of the last call of [`Columns::list`].
    pub fn entries(&self) -> &[(u16, i32)] {
        &self.entries[..self.len]
    }
}

/// The unit of a count in each column: 0 for 256, 1 for the phase, 2 for what the phase leaves.
pub(super) const UNIT_OF: [u8; COLUMNS] = {
    let mut units = [0; COLUMNS];
    let mut column = 0;
    while column < COLUMNS {
        if matches!(column, KING..KNIGHT | SHIELD..ROOK_FILES) {
            units[column] = 1;
        } else if matches!(column, KING_END..QUEEN_NEAR) {
            units[column] = 2;
        }
        column += 1;
    }
    units
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HandEval, TERMS};
    use std::collections::BTreeMap;
    use tesuji_chess::{Rules, fen};
    use tesuji_tally::{Row, feature_name};
    use tesuji_testkit::conform::random_games;

    fn board(text: &str) -> Board {
        fen::parse(text, &Rules::default(), fen::Care::Strict).unwrap()
    }

    #[test]
    fn there_are_480_columns_with_names() {
        let names = column_names();
        assert_eq!((names.len(), COLUMNS), (480, 480));
        assert_eq!((names[KNIGHT].as_str(), names[KING_END].as_str()), ("psq.knight.0", "psq.king_end.0"));
        assert_eq!((names[QUEEN_NEAR].as_str(), names[SHIELD].as_str()), ("queen_near_to_king", "king_pawn.shield.0"));
        assert_eq!((names[STORM].as_str(), names[ROOK_FILES].as_str()), ("king_pawn.storm.0", "rook_open_col"));
        assert_eq!(names[QUEEN_NEAR + 8], "pawn_protected");
        for (feature, &column) in COLUMN_OF.iter().enumerate().filter(|(_, c)| **c != NONE) {
            let (ours, theirs) = (feature_name(TERMS, feature), &names[usize::from(column)]);
            let digits = |s: &str| s.rsplit('.').next().and_then(|d| d.parse::<usize>().ok());
            if ours.starts_with("psq_") || ours.starts_with("king_s") {
                assert_eq!(digits(&ours), digits(theirs), "{ours} is {theirs}");
            }
        }
    }

    #[track_caller]
    fn check(text: &str, expect: &[(&str, i32)]) {
        let (board, names, mut sink) = (board(text), column_names(), Columns::default());
        sink.list(&board);
        let told: Vec<(&str, i32)> = sink.entries().iter().map(|&(c, n)| (names[usize::from(c)].as_str(), n)).collect();
        assert_eq!(told, expect, "{text}");
    }

    #[test]
    fn columns_are_256ths_and_kings_stand_in_both_tables() {
        // Stage (256 * 2 + 12) / 24 = 21.
        check(
            "4k3/8/8/8/8/8/P7/4K2R w - - 0 1",
            &[
                ("psq.cost.0", 256),
                ("psq.cost.4", 256),
                ("psq.pawn.48", 256),
                ("psq.rook.63", 256),
                ("pawn_isolated", 256),
                ("pawn_passed", 256),
                ("rook_open_col", 256),
            ],
        );
        check(
            "3k4/8/8/8/8/8/5P2/5RK1 w - - 0 1",
            &[
                ("psq.cost.0", 256),
                ("psq.cost.4", 256),
                ("psq.pawn.53", 256),
                ("psq.king.59", -21),
                ("psq.king.62", 21),
                ("psq.rook.61", 256),
                ("psq.king_end.59", -235),
                ("psq.king_end.62", 235),
                ("pawn_isolated", 256),
                ("pawn_passed", 256),
                ("king_pawn.shield.2", 21),
            ],
        );
    }

    /// The columns that follow from a row of all our features.
    fn of_row(board: &Board, row: &mut Row) -> (i32, Vec<(u16, i32)>) {
        let phase = HandEval::row(board, row).phase;
        let mut counts = BTreeMap::new();
        for &(feature, count) in row.entries() {
            let column = COLUMN_OF[usize::from(feature)];
            *counts.entry(column).or_insert(0) += i32::from(count);
            if (KING..KNIGHT).contains(&usize::from(column)) {
                *counts.entry(column - KING as u16 + KING_END as u16).or_insert(0) += i32::from(count);
            }
        }
        counts.remove(&NONE);
        let worth = |column: u16| [PHASE_MAX, phase, PHASE_MAX - phase][usize::from(UNIT_OF[usize::from(column)])];
        let columns = counts.into_iter().map(|(column, count)| (column, count * worth(column)));
        (phase, columns.filter(|&(_, count)| count != 0).collect())
    }

    #[test]
    fn columns_along_games_are_those_of_rows() {
        let (mut row, mut columns) = (Row::new(FEATURES), Columns::default());
        let mut compare = |board: &Board| {
            let (phase, expected) = of_row(board, &mut row);
            assert_eq!((columns.list(board), columns.entries()), (phase, &expected[..]), "{}", fen::to_string(board));
        };
        for text in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r1bq1rk1/ppp2ppp/2n2n2/2b1p3/2BpP3/3P1N2/PPP1NPPP/R1BQ1RK1 w - - 0 8",
        ] {
            compare(&board(text));
        }
        random_games(&Board::start(), 0..20, |line, _| compare(line.here()));
    }
}
