//! SGF: what is read, what is written, and another reader of the same files.

mod cases;
mod charsets;
mod fuzz;
mod oracle;
mod round_trips;

use std::io::Cursor;
use tesuji_go::sgf::Sgf;
use tesuji_record::{GameRecord, RecordError, RecordFormat, SharedBuffer};

/// All games and errors of a file, in order.
pub fn all(bytes: &[u8]) -> Vec<Result<GameRecord<String>, RecordError>> {
    let mut reader = Sgf.reader(Box::new(Cursor::new(bytes.to_vec())));
    let mut results = Vec::new();
    while let Some(result) = reader.read().transpose() {
        results.push(result);
    }
    results
}

/// The one game of a file.
#[track_caller]
pub fn one(text: &str) -> GameRecord<String> {
    let mut results = all(text.as_bytes());
    assert_eq!(results.len(), 1, "{text}");
    results.remove(0).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The errors of a file, as they are shown.
pub fn errors(bytes: &[u8]) -> Vec<String> {
    all(bytes).into_iter().filter_map(|result| result.err().map(|e| e.to_string())).collect()
}

/// A game as it is written.
#[track_caller]
pub fn written(game: &GameRecord<String>) -> String {
    let shared = SharedBuffer::default();
    let mut writer = Sgf.writer(Box::new(shared.clone()));
    writer.write(game).unwrap();
    writer.finish().unwrap();
    String::from_utf8(shared.take()).unwrap()
}
