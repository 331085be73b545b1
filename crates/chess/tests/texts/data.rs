//! Files beside the project, which may be absent, and random games to write down.

use std::{
    fs::File,
    io::{BufReader, Read},
    path::PathBuf,
};
use tesuji_chess::{Board, Move};
use tesuji_game::{Line, Position, Random};

pub use tesuji_testkit::needs::data as file;

/// A reader of the zstd file at `path`.
pub fn unpacked(path: PathBuf) -> BufReader<impl Read + Send> {
    BufReader::with_capacity(1 << 17, zstd::Decoder::new(File::open(path).unwrap()).unwrap())
}

/// Whether long tests run; says so when not.
#[track_caller]
pub fn slow() -> bool {
    tesuji_testkit::needs::slow("all of the file")
}

/// The boards and moves of a random game from `start`, at most `plies` long.
pub fn random_game(start: Board, plies: usize, random: &mut Random) -> Vec<(Board, Move)> {
    let mut line = Line::new(start);
    let (mut steps, mut moves) = (Vec::new(), Vec::new());
    while steps.len() < plies && line.outcome().is_none() {
        line.legal_moves(&mut moves);
        let mv = moves[random.below(moves.len())];
        steps.push((*line.here(), mv));
        line.push(mv);
    }
    steps
}

/// `board` and `mv` in the protocol's words.
pub fn move_text(board: &Board, mv: Move) -> String {
    let mut text = String::new();
    <tesuji_chess::UciNotation as tesuji_game::Notation<Board, tesuji_chess::Rules>>::write_move(board, mv, &mut text)
        .unwrap();
    text
}

/// The moves of a random game as a record holds them.
pub fn random_moves(start: Board, plies: usize, random: &mut Random) -> Vec<String> {
    random_game(start, plies, random).iter().map(|(board, mv)| move_text(board, *mv)).collect()
}

/// `board` after `mv`.
#[allow(dead_code)]
pub fn after(board: &Board, mv: Move) -> Board {
    let mut next = *board;
    next.play(mv);
    next
}
