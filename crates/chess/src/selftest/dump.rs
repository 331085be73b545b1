//! Hashes of the tree of moves below a position: the same for every engine that knows the rules, whatever its internals.

use super::Style;
use crate::{Bitboard, Board, Move, Piece, Square, attacks};
use std::ops::ControlFlow::Continue;
use tesuji_game::{Position, Side, Tactical};

/// The factor with which every word is mixed into the hash.
const FACTOR: u64 = 2579;
/// Mixed in before the moves of a node.
const OPEN: u64 = 519_365_819;
/// Mixed in behind them.
const CLOSE: u64 = 15_967_534_195;

/// The number by which moves are ordered and hashed: 5 (512 file + 64 rank + 8 file + rank) of origin and target, plus
/// 1 to 4 for the promotion to knight, bishop, rook, queen.
///
/// Castling counts as the king's two steps; in Chess960 as the king taking its rook.
pub fn move_code(mv: Move, chess960: bool) -> u32 {
    let (from, mut to) = (mv.from(), mv.to());
    if mv.is_castling() && !chess960 {
        to = Square::new(if to.file() > from.file() { 6 } else { 2 }, from.rank());
    }
    let promotion = match mv.promotion() {
        Some(Piece::Knight) => 1,
        Some(Piece::Bishop) => 2,
        Some(Piece::Rook) => 3,
        Some(Piece::Queen) => 4,
        _ => 0,
    };
    let place = |square: Square| 8 * square.file() as u32 + square.rank() as u32;
    5 * (64 * place(from) + place(to)) + promotion
}

/// The squares that `side` attacks, rank 8 first, a bit per file.
pub(super) fn heatmap(board: &Board, side: Side) -> [u8; 8] {
    let occupied = board.occupied();
    let mut all = Bitboard(0);
    for piece in Piece::ALL {
        for square in board.of(side, piece) {
            all |= match piece {
                Piece::Pawn => attacks::pawn(side, square),
                Piece::Knight => attacks::knight(square),
                Piece::Bishop => attacks::bishop(square, occupied),
                Piece::Rook => attacks::rook(square, occupied),
                Piece::Queen => attacks::queen(square, occupied),
                Piece::King => attacks::king(square),
            };
        }
    }
    std::array::from_fn(|row| (all.0 >> (8 * (7 - row))) as u8)
}

/// Walks trees and hashes them; keeps its buffers.
#[derive(Default)]
pub struct Dumper {
    levels: Vec<Vec<(u32, Move)>>,
    leaves: Vec<u32>,
    hash: u64,
    nodes: u64,
}

impl Dumper {
    /// A fresh one.
    pub fn new() -> Dumper {
        Dumper::default()
    }

    /// Leaves visited so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The hash of the tree of `depth` plies below `board`.
    pub fn dump(&mut self, board: &Board, depth: u32, style: Style) -> u64 {
        self.hash = 0;
        self.levels.resize_with(self.levels.len().max(depth as usize + 1), Vec::new);
        self.walk(board, depth, style);
        self.hash
    }

    fn mix(&mut self, word: u64) {
        self.hash = self.hash.wrapping_mul(FACTOR).wrapping_add(word);
    }

    fn leaf(&mut self, board: &Board, style: Style) {
        if style.heatmaps {
            for side in Side::ALL {
                for row in heatmap(board, side) {
                    self.mix(row as u64);
                }
            }
        }
        self.nodes += 1;
        self.mix(board.in_check() as u64);
    }

    fn walk(&mut self, board: &Board, depth: u32, style: Style) {
        if depth == 0 {
            return self.leaf(board, style);
        }
        self.mix(OPEN);
        if depth == 1 && !style.heatmaps {
            self.last_ply(board, style);
        } else {
            let mut moves = std::mem::take(&mut self.levels[depth as usize]);
            moves.clear();
            let _ = board.for_each_move(|mv| {
                moves.push((move_code(mv, style.chess960), mv));
                Continue::<(), ()>(())
            });
            moves.sort_unstable_by_key(|m| m.0);
            for &(code, mv) in &moves {
                self.mix(code as u64);
                let mut after = *board;
                after.play(mv);
                self.walk(&after, depth - 1, style);
            }
            self.levels[depth as usize] = moves;
        }
        self.mix(CLOSE);
    }

    /// The last ply, of which only codes and checks are wanted: nothing is played.
    fn last_ply(&mut self, board: &Board, style: Style) {
        let mut leaves = std::mem::take(&mut self.leaves);
        leaves.clear();
        let _ = board.for_each_move(|mv| {
            leaves.push(2 * move_code(mv, style.chess960) + board.gives_check(mv) as u32);
            Continue::<(), ()>(())
        });
        leaves.sort_unstable();
        self.nodes += leaves.len() as u64;
        for &leaf in &leaves {
            self.mix(leaf as u64 >> 1);
            self.mix(leaf as u64 & 1);
        }
        self.leaves = leaves;
    }
}
