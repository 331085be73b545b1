//! Entries for fuzzers of the text formats: what was read is written, and what was written reads back the same.

use crate::{
    Board, Rules, UciNotation, epd as lines,
    pgn::{Pgn, PgnEval},
    san as notation,
    sgs::Sgs,
};
use std::io::Cursor;
use tesuji_game::{Notation, Position};
use tesuji_record::{GameRecord, RecordFormat, SharedBuffer};

/// Moves as people write them, in positions with every kind of move.
///
/// # Panics
/// When a move read does not survive writing.
pub fn san(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for position in ["r3k2r/pP1pqpb1/bn2pnp1/2pPN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R w KQkq c6 0 1", "startpos"] {
        let Ok(board) = UciNotation::parse_position(&Rules::default(), position) else { continue };
        if let Ok(mv) = notation::parse(&board, text) {
            assert_eq!(board.unpack(Board::pack(mv)), Some(mv));
            assert_eq!(notation::parse(&board, &notation::text(&board, mv)), Ok(mv));
        }
    }
}

/// Game sets.
///
/// # Panics
/// When a game read does not survive writing.
pub fn sgs(bytes: &[u8]) {
    for game in all(&Sgs::EXTENDED, bytes) {
        let text = written(&Sgs::EXTENDED, &game);
        assert!(again(&Sgs::EXTENDED, &text) == game, "{}", String::from_utf8_lossy(&text));
    }
}

/// Games in PGN, with values in either form. Comments lose their line ends and tags their order once; after that nothing changes any more.
///
/// # Panics
/// When a game written by us changes by being read and written again.
pub fn pgn(bytes: &[u8]) {
    let formats: [&dyn RecordFormat; 2] = [&Pgn, &PgnEval];
    for (game, format) in all(&Pgn, bytes).iter().flat_map(|game| formats.map(|format| (game, format))) {
        let once = written(format, game);
        let back = again(format, &once);
        assert_eq!(back.main_line(), game.main_line());
        assert_eq!(back.nodes.len(), game.nodes.len());
        assert_eq!(back.outcome, game.outcome);
        let twice = written(format, &back);
        assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice));
    }
}

/// Lines of positions with operations.
///
/// # Panics
/// When a position read does not survive writing.
pub fn epd(bytes: &[u8]) {
    for game in all(&lines::EpdFile, bytes) {
        again(&lines::EpdFile, &written(&lines::EpdFile, &game));
    }
}

/// The games of `bytes` that can be read; errors must name a line.
fn all(format: &dyn RecordFormat, bytes: &[u8]) -> Vec<GameRecord<String>> {
    let mut reader = format.reader(Box::new(Cursor::new(bytes.to_vec())));
    let mut games = Vec::new();
    // Every call uses up input, so that there cannot be more results than bytes.
    for _ in 0..=bytes.len() {
        match reader.read() {
            Ok(Some(game)) => games.push(game),
            Ok(None) => return games,
            Err(error) => assert!(error.line.is_some() && !error.is_fatal(), "{error}"),
        }
    }
    panic!("the reader does not come to an end");
}

/// The one game of a text that we wrote.
pub(crate) fn again(format: &dyn RecordFormat, text: &[u8]) -> GameRecord<String> {
    let mut reader = format.reader(Box::new(Cursor::new(text.to_vec())));
    match (reader.read(), reader.read()) {
        (Ok(Some(game)), Ok(None)) => game,
        (first, second) => {
            panic!("{:?} {:?}\n{}", first.map(|_| ()), second.map(|_| ()), String::from_utf8_lossy(text))
        }
    }
}

/// `game` written in `format`.
pub(crate) fn written(format: &dyn RecordFormat, game: &GameRecord<String>) -> Vec<u8> {
    let out = SharedBuffer::default();
    let mut writer = format.writer(Box::new(out.clone()));
    let result = writer.write(game).and_then(|()| writer.finish());
    assert!(result.is_ok(), "{result:?}");
    out.take()
}
