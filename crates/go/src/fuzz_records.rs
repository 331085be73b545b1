//! Entries for fuzzers of the record formats: what was read is written, and what was written reads back the same.

use crate::{list::GameList, sgf::Sgf};
use std::io::Cursor;
use tesuji_record::{Fault, GameRecord, RecordError, RecordFormat, SharedBuffer};

/// Games in SGF. Rules, words and tags take their usual form once; after that nothing changes any more.
///
/// # Panics
/// When a game read does not survive writing.
pub fn sgf(bytes: &[u8]) {
    for game in all(&Sgf, bytes) {
        let Ok(text) = written(&Sgf, &game) else { panic!("a game that was read cannot be written: {game:?}") };
        let back = again(&Sgf, &text);
        assert_eq!(back.main_line(), game.main_line());
        assert_eq!((back.nodes.len(), back.outcome), (game.nodes.len(), game.outcome));
        assert_eq!((&back.rules, &back.start, &back.setups), (&game.rules, &game.start, &game.setups));
        let Ok(twice) = written(&Sgf, &back) else { panic!("a game that we wrote cannot be written: {back:?}") };
        assert!(again(&Sgf, &twice) == back, "{}", String::from_utf8_lossy(&text));
    }
}

/// Lists of games.
///
/// # Panics
/// When a game read does not survive writing.
pub fn list(bytes: &[u8]) {
    for game in all(&GameList, bytes) {
        let Ok(text) = written(&GameList, &game) else { panic!("a game that was read cannot be written: {game:?}") };
        let back = again(&GameList, &text);
        assert_eq!((back.main_line(), &back.rules), (game.main_line(), &game.rules));
        assert!(matches!(written(&GameList, &back), Ok(twice) if twice == text));
    }
}

/// The games of `bytes` that can be read; errors must name a line.
fn all(format: &dyn RecordFormat, bytes: &[u8]) -> Vec<GameRecord<String>> {
    let mut reader = format.reader(Box::new(Cursor::new(bytes.to_vec())));
    let mut games = Vec::new();
    // Every call uses up input, so that there cannot be more results than bytes.
    for _ in 0..=bytes.len() + 1 {
        match reader.read() {
            Ok(Some(game)) => games.push(game),
            Ok(None) => return games,
            Err(error) => assert!(error.line.is_some() && !error.is_fatal(), "{error}"),
        }
    }
    panic!("the reader does not come to an end");
}

/// The one game of a text that we wrote.
fn again(format: &dyn RecordFormat, text: &[u8]) -> GameRecord<String> {
    let mut games = all(format, text);
    assert_eq!(games.len(), 1, "{}", String::from_utf8_lossy(text));
    games.remove(0)
}

fn written(format: &dyn RecordFormat, game: &GameRecord<String>) -> Result<Vec<u8>, RecordError> {
    let bytes = SharedBuffer::default();
    let mut writer = format.writer(Box::new(bytes.clone()));
    writer.write(game)?;
    writer.finish()?;
    let taken = bytes.take();
    if taken.is_empty() { Err(RecordError::without_line(0, Fault::Unsupported("anything"))) } else { Ok(taken) }
}
