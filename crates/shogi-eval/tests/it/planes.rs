//! dlshogi's planes and labels are what cshogi 1.1.0 makes of the same positions, and turn with the board.

use crate::positions;
use std::{
    collections::HashSet,
    ops::{ControlFlow::Continue, Range},
};
use tesuji_game::{Encoding, Line, Position};
use tesuji_shogi::{Board, Setup, Square, sfen};
use tesuji_shogi_eval::DlshogiPlanes;

fn planes(encoding: DlshogiPlanes, board: &Board, symmetry: u8) -> Vec<f32> {
    // What was there before must not shine through.
    let mut out = vec![7.0; encoding.planes() * 81];
    encoding.encode(&Line::new(*board), symmetry, &mut out);
    out
}

/// FNV-1a (Fowler, Noll and Vo) of bytes in the order given.
fn fnv(bytes: impl Iterator<Item = u8>) -> String {
    let hash = tesuji_game::fnv::hash(bytes);
    format!("{hash:016x}")
}

fn moves(board: &Board) -> Vec<tesuji_shogi::Move> {
    let mut moves = Vec::new();
    let _ = board.for_each_move(|mv| {
        moves.push(mv);
        Continue::<(), ()>(())
    });
    moves
}

/// Each line: a position, hashes of dlshogi's first input, its second, its second with entering kings, the number of
/// legal moves, a hash of them with their labels. Made with cshogi 1.1.0 from random games and a few made-up positions.
const CSHOGI: &str = include_str!("data/dlshogi.tsv");

#[test]
fn planes_and_labels_are_those_of_cshogi() {
    for (n, text) in CSHOGI.lines().enumerate() {
        let [position, first, second, entering, count, labels] = text.split('\t').collect::<Vec<_>>()[..] else {
            panic!("line {}: six fields", n + 1);
        };
        let board = sfen::parse(position).unwrap_or_else(|e| panic!("{position}: {e}"));
        let plain = planes(DlshogiPlanes::PLAIN, &board, 0);
        let wide = planes(DlshogiPlanes::ENTERING, &board, 0);
        let hash = |planes: &[f32], range: Range<usize>| {
            fnv(planes[range.start * 81..range.end * 81].iter().map(|&x| x as u8))
        };
        assert_eq!(hash(&plain, 0..62), first, "{position}");
        assert_eq!(hash(&plain, 62..119), second, "{position}");
        assert_eq!(hash(&wide, 62..181), entering, "{position}");
        let mut lines: Vec<(String, usize)> = (moves(&board).into_iter())
            .map(|mv| (mv.to_string(), DlshogiPlanes::PLAIN.action(&board, mv, 0)))
            .collect();
        lines.sort();
        assert_eq!(lines.len().to_string(), count, "{position}");
        let text: Vec<String> = lines.iter().map(|(mv, label)| format!("{mv}:{label}")).collect();
        assert_eq!(fnv(text.join(",").bytes()), labels, "{position}: {lines:?}");
    }
    assert_eq!(CSHOGI.lines().count(), 64);
}

/// The same position with files mirrored.
fn mirrored(board: &Board) -> Board {
    let mut setup = Setup::of(board);
    let old = setup.cells;
    for square in Square::ALL {
        setup.cells[square.index()] = old[square.mirrored().index()];
    }
    setup.board().expect("a position that can be")
}

#[test]
fn the_mirror_is_that_of_the_board() {
    let encoding = DlshogiPlanes::ENTERING;
    positions(300, |board| {
        let there = mirrored(board);
        let (plain, turned) = (planes(encoding, board, 0), planes(encoding, &there, 1));
        assert_eq!(plain, turned, "{board}");
        let same_board = planes(encoding, board, 1);
        for (index, &value) in plain.iter().enumerate() {
            let there = index / 81 * 81 + encoding.point(board, index % 81, 1);
            assert_eq!(value, same_board[there], "{board} {index}");
        }
        let set = |board: &Board, symmetry| -> HashSet<usize> {
            moves(board).into_iter().map(|mv| encoding.action(board, mv, symmetry)).collect()
        };
        let labels = set(board, 0);
        assert_eq!(labels, set(&there, 1), "{board}");
        assert_eq!(labels.len(), moves(board).len(), "each move has a label of its own: {board}");
        assert!(labels.iter().all(|&l| l < 2187));
    });
}

#[test]
fn a_turned_board_looks_the_same() {
    positions(200, |board| {
        let there = crate::turned(board);
        assert_eq!(planes(DlshogiPlanes::PLAIN, board, 0), planes(DlshogiPlanes::PLAIN, &there, 0), "{board}");
    });
}

#[test]
fn names_find_their_planes() {
    for encoding in DlshogiPlanes::ALL {
        assert_eq!(DlshogiPlanes::named(encoding.name()), Some(encoding));
    }
    assert_eq!(DlshogiPlanes::named("dlshogi-2"), None);
}
