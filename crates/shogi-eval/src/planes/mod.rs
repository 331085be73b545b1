//! Input planes of dlshogi's networks and their 2187 policy labels, so that its data and nets fit.
//!
//! The layout is that of dlshogi (Tadao Yamaoka, <https://github.com/TadaoYamaoka/DeepLearningShogi>), checked against
//! the planes and labels that cshogi 1.1.0 makes. The board is turned round when the second side moves, so that the side
//! to move always plays upward; a plane is `[file][rank]`, file 1 first, as squares are numbered.

mod label;
mod write;

use tesuji_game::{Encoding, Line, Position, Shape};
use tesuji_shogi::{Board, Move};

/// Squares of a plane.
const SQUARES: usize = 81;
/// Planes of the first input: 14 of pieces, 14 of what each kind reaches, 3 of how often a square is reached, each side.
const BOARD_PLANES: usize = 62;
/// Planes of hands and of check.
const HAND_PLANES: usize = 57;
/// Planes about entering kings.
const ENTERING_PLANES: usize = 62;

/// The planes of dlshogi, those of its first input before those of its second.
///
/// Under symmetry 1 the board is mirrored left to right. Constant planes are filled with their value. A point of a plane
/// is `file * 9 + rank` as the side to move sees it.
///
/// ```
/// use tesuji_game::{Encoding, Game, Line};
/// use tesuji_shogi::{Rules, Shogi};
/// use tesuji_shogi_eval::DlshogiPlanes;
///
/// let line = Line::new(Shogi::start(&Rules::default()));
/// let encoding = DlshogiPlanes::PLAIN;
/// let shape = encoding.shape(line.here());
/// let mut planes = vec![0.0; shape.planes * shape.height * shape.width];
/// encoding.encode(&line, 0, &mut planes);
/// assert_eq!((shape.planes, shape.actions), (119, 2187));
/// assert_eq!(planes[..81].iter().sum::<f32>(), 9.0, "nine pawns of the side to move");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DlshogiPlanes {
    entering: bool,
}

impl DlshogiPlanes {
    /// `dlshogi-1`: 62 planes of the board, 57 of hands and check.
    pub const PLAIN: DlshogiPlanes = DlshogiPlanes { entering: false };
    /// `dlshogi-nyugyoku-1`: 62 more about kings that enter the opponent's camp.
    pub const ENTERING: DlshogiPlanes = DlshogiPlanes { entering: true };
    /// All of them.
    pub const ALL: [DlshogiPlanes; 2] = [DlshogiPlanes::PLAIN, DlshogiPlanes::ENTERING];

    /// The one of that [`Encoding::name`].
    pub fn named(name: &str) -> Option<DlshogiPlanes> {
        DlshogiPlanes::ALL.into_iter().find(|e| e.name() == name)
    }
}

impl Encoding<Board> for DlshogiPlanes {
    fn name(&self) -> &'static str {
        if self.entering { "dlshogi-nyugyoku-1" } else { "dlshogi-1" }
    }

    fn planes(&self) -> usize {
        BOARD_PLANES + HAND_PLANES + if self.entering { ENTERING_PLANES } else { 0 }
    }

    fn shape(&self, _: &Board) -> Shape {
        Shape { planes: self.planes(), height: 9, width: 9, actions: label::LABELS }
    }

    fn symmetries(&self, _: &Board) -> u8 {
        2
    }

    fn encode(&self, line: &Line<Board>, symmetry: u8, out: &mut [f32]) {
        assert_eq!(out.len(), self.planes() * SQUARES, "planes of {}", self.name());
        assert!(symmetry < 2, "symmetry {symmetry} of 2");
        write::board(line.here(), symmetry == 1, &mut out[..BOARD_PLANES * SQUARES]);
        let rest = &mut out[BOARD_PLANES * SQUARES..];
        write::hands(line.here(), &mut rest[..HAND_PLANES * SQUARES]);
        if self.entering {
            write::entering(line.here(), &mut rest[HAND_PLANES * SQUARES..]);
        }
    }

    #[inline]
    fn action(&self, pos: &Board, mv: Move, symmetry: u8) -> usize {
        label::of(mv, pos.side_to_move(), symmetry == 1)
    }

    #[inline]
    fn point(&self, _: &Board, index: usize, symmetry: u8) -> usize {
        if symmetry == 1 { 72 - 9 * (index / 9) + index % 9 } else { index }
    }
}
