//! Inputs of efficiently updatable networks of shogi: pieces on squares and in hands, as each side sees them, alone or by the king.

use std::ops::Range;
use tesuji_game::Side;
use tesuji_nn::{
    NetError,
    nnue::{Architecture, FeatureSet, InputChange},
};
use tesuji_shogi::{Board, Change, Piece, Square};

/// 81 squares of 14 kinds for each side, 38 pieces in each hand.
const PLAIN: usize = 2 * (14 * 81 + 38);
/// Pieces but kings, hands first.
const PIECES: usize = HANDS + 18 * 81;
const HANDS: usize = 90;
const KINGS: usize = 2 * 81;
/// The king's square of a side without one (in mate problems): 5i as it sees the board.
const HOME: usize = 4 * 9 + 8;

/// Inputs of one bucket of `kp-mirrored-buckets`.
const BLOCK: usize = PIECES + KINGS;
/// Files 6 to 9, on which mirrored sets turn the board over, begin behind this one (from 0).
const MIDDLE: usize = 4;
/// Each square's mirror image.
const MIRRORED: [u8; 81] = {
    let mut all = [0; 81];
    let mut square = 0;
    while square < 81 {
        all[square] = (9 * (8 - square / 9) + square % 9) as u8;
        square += 1;
    }
    all
};

/// The number of inputs before the steps of each kind in hand, in the plain set; by [`Piece::HAND`].
const PLAIN_HAND: [usize; 7] = [0, 18, 22, 26, 30, 32, 34];
/// The number of inputs before the hand of each kind in sets of pieces; the opponent's hand follows the own one of each kind.
/// A hand of none has an input that is never active: the layout was made for tables in which it was.
const PIECE_HAND: [[usize; 2]; 7] = [[1, 20], [39, 44], [49, 54], [59, 64], [79, 82], [85, 88], [69, 74]];
/// Places of the kinds of pieces on the board in sets of pieces, by [`Piece::index`]: what moves like a gold is one kind.
const KIND: [usize; 14] = [0, 1, 2, 3, 5, 7, 4, 9, 4, 4, 4, 4, 6, 8];

/// The input features of each side for an efficiently updatable network (NNUE).
///
/// | set | inputs | |
/// |---|---|---|
/// | `2344` | 2 x (14 x 81 + 38) | own pieces (`81 * kind + square`, kinds as [`Piece::index`]), own hand (a step for each piece held), the same of the opponent |
/// | `kp` | 1548 + 162 | pieces and hands in the layout of the set below, then own and other king |
/// | `halfkp` | 81 x 1548 | pieces and hands, a block for each square of the own king |
/// | `kp-mirrored-buckets` | 1710 for each bucket | those of `kp`, a block for each bucket of the own king; files are turned over while it stands on files 6 to 9, and the bucket is that of its square then |
///
/// Pieces in `kp` and `halfkp` (Nasu, 2018; the order of Bonanza's tables): hands of pawn, lance, knight, silver, gold, bishop, rook,
/// own before the opponent's, then squares of pawn, lance, knight, silver, gold (and promoted small pieces), bishop, horse, rook,
/// dragon, own before the opponent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShogiFeatures {
    /// `2344`.
    Plain,
    /// `kp`.
    Kp,
    /// `halfkp`.
    HalfKp,
    /// `kp-mirrored-buckets`, with the bucket of each square of the own king, as its side sees the board.
    KpBuckets([u8; 81]),
}

impl ShogiFeatures {
    const ALL: [(&str, ShogiFeatures); 4] = [
        ("2344", ShogiFeatures::Plain),
        ("kp", ShogiFeatures::Kp),
        ("halfkp", ShogiFeatures::HalfKp),
        ("kp-mirrored-buckets", ShogiFeatures::KpBuckets([0; 81])),
    ];

    /// The inputs that a network was made for.
    ///
    /// # Errors
    /// When the network is for another game, the set is none of shogi, or its counts are not those of the set.
    pub fn new(architecture: &Architecture) -> Result<Self, NetError> {
        let wrong = |text: String| Err(NetError::Architecture(text));
        if architecture.game != crate::GAME {
            return wrong(format!("the net is for `{}`, expected `{}`", architecture.game, crate::GAME));
        }
        let features = &architecture.features;
        let Some(&(_, mut set)) = Self::ALL.iter().find(|(name, _)| *name == features.set) else {
            let known: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
            return wrong(format!("`features.set` is `{}`, expected one of {}", features.set, known.join(", ")));
        };
        let squares = if let ShogiFeatures::KpBuckets(_) = set { 81 } else { 0 };
        if features.king_buckets.len() != squares {
            return wrong(format!(
                "`features.king_buckets` has {} entries, expected {squares} for `{}`",
                features.king_buckets.len(),
                features.set
            ));
        }
        if let ShogiFeatures::KpBuckets(buckets) = &mut set {
            buckets.copy_from_slice(&features.king_buckets);
        }
        for (field, found, expected) in [
            ("features.inputs", features.inputs, set.inputs()),
            ("features.active_max", features.active_max, set.active_max()),
        ] {
            if found != expected {
                return wrong(format!("`{field}` is {found}, expected {expected} for `{}`", features.set));
            }
        }
        Ok(set)
    }

    /// The input of a piece on a square; `None` for kings in `halfkp`.
    #[inline(always)]
    fn on_board(&self, frame: usize, perspective: Side, side: Side, piece: Piece, square: Square) -> Option<u32> {
        let opponent = usize::from(side != perspective);
        let square = square.relative(perspective).index();
        let input = match self {
            ShogiFeatures::Plain => opponent * (PLAIN / 2) + 81 * piece.index() + square,
            ShogiFeatures::Kp => in_block(opponent, piece, square),
            ShogiFeatures::HalfKp if piece == Piece::King => return None,
            ShogiFeatures::HalfKp => frame * PIECES + in_block(opponent, piece, square),
            ShogiFeatures::KpBuckets(_) => {
                let square = if frame & 1 == 1 { usize::from(MIRRORED[square]) } else { square };
                (frame >> 1) * BLOCK + in_block(opponent, piece, square)
            }
        };
        Some(input as u32)
    }

    /// The input of the `count`th piece of a kind in hand, from 1.
    #[inline(always)]
    fn in_hand(&self, frame: usize, perspective: Side, side: Side, piece: Piece, count: u8) -> u32 {
        let opponent = usize::from(side != perspective);
        let step = usize::from(count.max(1)) - 1;
        let kind = piece.index().min(6);
        let input = match self {
            ShogiFeatures::Plain => opponent * (PLAIN / 2) + 14 * 81 + PLAIN_HAND[kind] + step,
            ShogiFeatures::Kp => PIECE_HAND[kind][opponent] + step,
            ShogiFeatures::HalfKp => frame * PIECES + PIECE_HAND[kind][opponent] + step,
            ShogiFeatures::KpBuckets(_) => (frame >> 1) * BLOCK + PIECE_HAND[kind][opponent] + step,
        };
        input as u32
    }
}

/// The place of a piece on a square in sets of pieces; kings come behind the others.
#[inline(always)]
fn in_block(opponent: usize, piece: Piece, square: usize) -> usize {
    match piece {
        Piece::King => PIECES + 81 * opponent + square,
        _ => HANDS + 81 * (2 * KIND[piece.index()] + opponent) + square,
    }
}

impl FeatureSet<Board> for ShogiFeatures {
    fn inputs(&self) -> usize {
        match self {
            ShogiFeatures::Plain => PLAIN,
            ShogiFeatures::Kp => PIECES + KINGS,
            ShogiFeatures::HalfKp => 81 * PIECES,
            ShogiFeatures::KpBuckets(_) => self.frames() / 2 * BLOCK,
        }
    }

    fn active_max(&self) -> usize {
        match self {
            ShogiFeatures::HalfKp => 38,
            _ => 40,
        }
    }

    /// The square of the own king in `halfkp`; its bucket times 2, and 1 more where the board is mirrored, in `kp-mirrored-buckets`.
    fn frames(&self) -> usize {
        match self {
            ShogiFeatures::Plain | ShogiFeatures::Kp => 1,
            ShogiFeatures::HalfKp => 81,
            ShogiFeatures::KpBuckets(buckets) => 2 * (1 + usize::from(buckets.iter().copied().max().unwrap_or(0))),
        }
    }

    #[inline]
    fn frame(&self, board: &Board, perspective: Side) -> usize {
        let king = || board.king(perspective).map_or(HOME, |king| king.relative(perspective).index());
        match self {
            ShogiFeatures::Plain | ShogiFeatures::Kp => 0,
            ShogiFeatures::HalfKp => king(),
            ShogiFeatures::KpBuckets(buckets) => {
                let king = king();
                let mirrored = king / 9 > MIDDLE;
                let king = if mirrored { usize::from(MIRRORED[king]) } else { king };
                2 * usize::from(buckets[king]) + usize::from(mirrored)
            }
        }
    }

    fn rows(&self, frame: usize) -> Range<u32> {
        let (block, length) = match self {
            ShogiFeatures::KpBuckets(_) => (frame >> 1, BLOCK),
            _ => (frame, self.inputs() / self.frames()),
        };
        (block * length) as u32..((block + 1) * length) as u32
    }

    #[inline]
    fn for_each_active(&self, board: &Board, perspective: Side, mut f: impl FnMut(u32)) {
        let frame = self.frame(board, perspective);
        for side in Side::ALL {
            for square in board.side(side) {
                let Some(piece) = board.piece_at(square) else { continue };
                if let Some(input) = self.on_board(frame, perspective, side, piece, square) {
                    f(input);
                }
            }
            for (piece, count) in board.hand(side).iter() {
                (1..=count).for_each(|count| f(self.in_hand(frame, perspective, side, piece, count)));
            }
        }
    }

    #[inline]
    fn changed(&self, frame: usize, perspective: Side, change: Change) -> Option<InputChange> {
        match change {
            Change::Vanish { side, piece, square } => {
                self.on_board(frame, perspective, side, piece, square).map(InputChange::Removed)
            }
            Change::Appear { side, piece, square } => {
                self.on_board(frame, perspective, side, piece, square).map(InputChange::Added)
            }
            Change::Drop { side, piece, count } => {
                Some(InputChange::Removed(self.in_hand(frame, perspective, side, piece, count)))
            }
            Change::Gain { side, piece, count } => {
                Some(InputChange::Added(self.in_hand(frame, perspective, side, piece, count)))
            }
        }
    }

    /// By the number of pieces on the board; those in hand are the others.
    #[inline]
    fn output_bucket(&self, board: &Board, buckets: usize) -> usize {
        let pieces = board.occupied().count() as usize;
        let each = 40usize.div_ceil(buckets);
        (pieces.saturating_sub(2) / each).min(buckets - 1)
    }
}
