//! The columns: which of our features each is, and what one count of it is worth.

use crate::terms::*;
use tesuji_chess::Board;
use tesuji_tally::{Blend, PHASE_MAX, Tally};

/// The number of columns.
pub const COLUMNS: usize = KING_END + 64 + 26;

/// First columns of the tables of squares, and of what follows them.
const PAWN: usize = 6;
const KING: usize = PAWN + 64;
const KNIGHT: usize = KING + 64;
const KING_END: usize = KNIGHT + 4 * 64;
const QUEEN_NEAR: usize = KING_END + 64;
const SHIELD: usize = QUEEN_NEAR + 10;
const STORM: usize = SHIELD + 6;
const ROOK_FILES: usize = STORM + 6;

/// No column.
const NONE: u16 = u16::MAX;

/// The column of each feature; several features may share one.
const COLUMN_OF: [u16; FEATURES] = column_of();

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
    let mut names: Vec<String> = (0..6).map(|i| format!("psq.cost.{i}")).collect();
    for table in ["pawn", "king", "knight", "bishop", "rook", "queen", "king_end"] {
        names.extend((0..64).map(|i| format!("psq.{table}.{i}")));
    }
    let singles = "queen_near_to_king rook_near_to_king two_bishops pawn_isolated pawn_double pawn_passed \
        pawn_candidate pawn_open pawn_protected pawn_backward";
    names.extend(singles.split_whitespace().map(String::from));
    for part in ["shield", "storm"] {
        names.extend((0..6).map(|i| format!("king_pawn.{part}.{i}")));
    }
    names.extend(["rook_open_col", "rook_semi_open_col", "queen_open_col", "queen_semi_open_col"].map(String::from));
    names
}

/// A sink that keeps what SoFCheck's columns need. Reused from position to position, as [`tesuji_tally::Row`] is.
#[derive(Debug, Clone)]
pub struct Columns {
    counts: Box<[i32; COLUMNS]>,
    /// A bit for each column that was added to.
    touched: [u64; COLUMNS.div_ceil(64)],
    entries: Vec<(u16, i32)>,
}

impl Default for Columns {
    fn default() -> Self {
        Columns { counts: Box::new([0; COLUMNS]), touched: Default::default(), entries: Vec::with_capacity(128) }
    }
}

impl Tally for Columns {
    #[inline(always)]
    fn add(&mut self, feature: usize, count: i32) {
        let column = usize::from(COLUMN_OF[feature]);
        if column < COLUMNS {
            self.counts[column] += count;
            self.touched[column / 64] |= 1 << (column % 64);
        }
    }
}

impl Columns {
    /// Ends a position of phase `phase` (in `0..=256`): its columns that are not 0, in ascending order, White's minus
    /// Black's in 256ths.
    pub fn finish(&mut self, phase: i32) -> &[(u16, i32)] {
        self.split_kings();
        self.entries.clear();
        let units = [PHASE_MAX, phase, PHASE_MAX - phase];
        for (word, touched) in self.touched.iter_mut().enumerate() {
            let mut bits = std::mem::take(touched);
            while bits != 0 {
                let column = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let count = std::mem::take(&mut self.counts[column]) * units[usize::from(UNIT_OF[column])];
                if count != 0 {
                    self.entries.push((column as u16, count));
                }
            }
        }
        &self.entries
    }

    /// What the last [`Columns::finish`] gave.
    pub fn entries(&self) -> &[(u16, i32)] {
        &self.entries
    }

    /// Counts the kings in their second table, too.
    fn split_kings(&mut self) {
        let mut bits = (self.touched[KING / 64] >> (KING % 64)) | (self.touched[KING / 64 + 1] << (64 - KING % 64));
        while bits != 0 {
            let place = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let to = KING_END + place;
            self.counts[to] = self.counts[KING + place];
            self.touched[to / 64] |= 1 << (to % 64);
        }
    }
}

/// What a count is worth in each column: 0 for 256, 1 for the phase, 2 for what the phase leaves.
const UNIT_OF: [u8; COLUMNS] = {
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

/// Lists the columns of `board` in `sink`, see [`Columns::entries`], and returns the phase. Nothing of other features is
/// computed that the compiler can leave out.
pub fn columns(board: &Board, sink: &mut Columns) -> i32 {
    let blend = crate::tally(board, sink);
    sink.finish(blend.phase);
    blend.phase
}

impl Columns {
    /// The columns that follow from a row of our own counts, as [`crate::HandEval::row`] lists them.
    pub fn of_row(&mut self, row: &[(u16, i16)], blend: Blend) -> &[(u16, i32)] {
        for &(feature, count) in row {
            self.add(usize::from(feature), i32::from(count));
        }
        self.finish(blend.phase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HandEval, TERMS};
    use tesuji_chess::{Rules, fen};
    use tesuji_tally::{Row, feature_name};

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
        columns(&board, &mut sink);
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

    #[test]
    fn a_row_gives_the_same_columns() {
        let (mut row, mut a, mut b) = (Row::new(FEATURES), Columns::default(), Columns::default());
        for text in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r1bq1rk1/ppp2ppp/2n2n2/2b1p3/2BpP3/3P1N2/PPP1NPPP/R1BQ1RK1 w - - 0 8",
        ] {
            let board = board(text);
            let blend = HandEval::row(&board, &mut row);
            assert_eq!(columns(&board, &mut a), blend.phase);
            assert_eq!(a.entries(), b.of_row(row.entries(), blend), "{text}");
        }
    }
}
