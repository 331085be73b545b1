//! Inputs of efficiently updatable networks of chess: piece, colour and square, as each side sees them, by the king's bucket.

use std::ops::Range;
use tesuji_chess::{Board, Change, Piece};
use tesuji_game::Side;
use tesuji_nn::{
    NetError,
    nnue::{Architecture, FeatureSet, InputChange},
};

/// The inputs of one bucket: 2 colours, 6 kinds, 64 squares.
pub(super) const INPUTS: usize = 2 * 6 * 64;
/// Files e to h, on which mirrored sets turn the board over.
const RIGHT_HALF: usize = 4;

/// Piece, colour and square: input `bucket * 768 + 384 * opponent + 64 * kind + square`, kinds from pawn to king, squares from
/// a1 = 0 as the side sees them (the second side has its ranks turned over).
///
/// | set | inputs | |
/// |---|---|---|
/// | `768` | 768 | |
/// | `768-mirrored` | 768 | files are turned over while the side's own king stands on files e to h |
/// | `768-buckets` | 768 for each bucket | the own king's square chooses the bucket |
/// | `768-mirrored-buckets` | 768 for each bucket | both; the bucket is that of the king after mirroring |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChessFeatures {
    mirrored: bool,
    /// Number of buckets.
    buckets: usize,
    /// The bucket of each square of the own king, as its side sees the board.
    bucket_of: [u8; 64],
}

/// The sets by name: mirrored, with buckets.
const SETS: [(&str, bool, bool); 4] = [
    ("768", false, false),
    ("768-mirrored", true, false),
    ("768-buckets", false, true),
    ("768-mirrored-buckets", true, true),
];

impl ChessFeatures {
    /// The inputs that a network was made for.
    ///
    /// # Errors
    /// When the network is for another game, the set is none of chess, or its counts are not those of the set.
    pub fn new(architecture: &Architecture) -> Result<Self, NetError> {
        let wrong = |text: String| Err(NetError::Architecture(text));
        if architecture.game != crate::GAME {
            return wrong(format!("the net is for `{}`, expected `{}`", architecture.game, crate::GAME));
        }
        let features = &architecture.features;
        let Some(&(_, mirrored, with_buckets)) = SETS.iter().find(|(name, ..)| *name == features.set) else {
            let known: Vec<&str> = SETS.iter().map(|(name, ..)| *name).collect();
            return wrong(format!("`features.set` is `{}`, expected one of {}", features.set, known.join(", ")));
        };
        let squares = if with_buckets { 64 } else { 0 };
        if features.king_buckets.len() != squares {
            return wrong(format!(
                "`features.king_buckets` has {} entries, expected {squares} for `{}`",
                features.king_buckets.len(),
                features.set
            ));
        }
        let mut bucket_of = [0; 64];
        if with_buckets {
            bucket_of.copy_from_slice(&features.king_buckets);
        }
        let buckets = bucket_of.iter().map(|&bucket| usize::from(bucket) + 1).max().unwrap_or(1);
        let expected = buckets * INPUTS;
        if features.inputs != expected {
            return wrong(format!(
                "`features.inputs` is {}, expected {expected} for `{}`",
                features.inputs, features.set
            ));
        }
        if features.active_max != 32 {
            return wrong(format!("`features.active_max` is {}, expected 32", features.active_max));
        }
        Ok(ChessFeatures { mirrored, buckets, bucket_of })
    }

    #[inline(always)]
    fn input(frame: usize, perspective: Side, side: Side, piece: Piece, square: usize) -> u32 {
        let turn = if perspective == Side::First { 0 } else { 56 } ^ if frame & 1 == 1 { 7 } else { 0 };
        let opponent = if side == perspective { 0 } else { 384 };
        ((frame >> 1) * INPUTS + opponent + 64 * piece.index() + (square ^ turn)) as u32
    }
}

impl FeatureSet<Board> for ChessFeatures {
    fn inputs(&self) -> usize {
        self.buckets * INPUTS
    }

    fn active_max(&self) -> usize {
        32
    }

    /// Bucket times 2, and 1 more where the board is mirrored.
    fn frames(&self) -> usize {
        2 * self.buckets
    }

    #[inline]
    fn frame(&self, board: &Board, perspective: Side) -> usize {
        let king = board.king(perspective).relative(perspective).index();
        let mirrored = self.mirrored && king % 8 >= RIGHT_HALF;
        let king = if mirrored { king ^ 7 } else { king };
        2 * usize::from(self.bucket_of[king]) + usize::from(mirrored)
    }

    fn rows(&self, frame: usize) -> Range<u32> {
        let first = (frame >> 1) * INPUTS;
        first as u32..(first + INPUTS) as u32
    }

    #[inline]
    fn for_each_active(&self, board: &Board, perspective: Side, mut f: impl FnMut(u32)) {
        let frame = self.frame(board, perspective);
        for side in Side::ALL {
            for piece in Piece::ALL {
                for square in board.of(side, piece) {
                    f(Self::input(frame, perspective, side, piece, square.index()));
                }
            }
        }
    }

    #[inline]
    fn changed(&self, frame: usize, perspective: Side, change: Change) -> Option<InputChange> {
        Some(match change {
            Change::Vanish { side, piece, square } => {
                InputChange::Removed(Self::input(frame, perspective, side, piece, square.index()))
            }
            Change::Appear { side, piece, square } => {
                InputChange::Added(Self::input(frame, perspective, side, piece, square.index()))
            }
        })
    }

    /// By the number of pieces, four or so to a bucket: bare kings in the first, all in the last.
    #[inline]
    fn output_bucket(&self, board: &Board, buckets: usize) -> usize {
        let others = (board.occupied().count() as usize).saturating_sub(2);
        // The usual number needs no division.
        if buckets == 8 { (others / 4).min(7) } else { (others / 32usize.div_ceil(buckets)).min(buckets - 1) }
    }
}
