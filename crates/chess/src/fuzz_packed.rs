//! Entries for fuzzers of formats of positions and of packed games: what was read is written, and reads back the same.

use crate::{
    Board, ChessSurvey, fen, fuzz_texts, labelled::Labelled, packed::Binpack, packed::Bullet, packed::Viri, sgs::Boards,
};
use tesuji_record::{GameRecord, RecordFormat, Sample, SampleFormat, Survey};

/// Games in viriformat. Reasons of results beyond the rules, and times, are not in it, so that after one round nothing changes.
///
/// # Panics
/// When a game read does not survive writing.
pub fn viri(bytes: &[u8]) {
    games(&Viri, 36, bytes);
}

/// Runs of positions in binpack.
///
/// # Panics
/// When a game read does not survive writing.
pub fn binpack(bytes: &[u8]) {
    games(&Binpack, 34, bytes);
}

/// Games of a format of which each takes at least `least` bytes; what is wrong takes more.
fn games(format: &dyn RecordFormat, least: usize, bytes: &[u8]) {
    let mut reader = format.reader(Box::new(std::io::Cursor::new(bytes.to_vec())));
    for _ in 0..=bytes.len() / least + 1 {
        match reader.read() {
            Ok(Some(game)) => {
                let once = fuzz_texts::written(format, &game);
                let back = fuzz_texts::again(format, &once);
                assert!(back == game, "{game:?} {back:?}");
            }
            Ok(None) => return,
            Err(error) => {
                assert!(error.record > 0, "{error}");
                if error.is_fatal() {
                    return;
                }
            }
        }
    }
    panic!("the reader does not come to an end");
}

/// Positions in bulletformat.
///
/// # Panics
/// When a position read does not survive writing.
pub fn bullet(bytes: &[u8]) {
    samples(&Bullet, bytes);
}

/// Positions as lines of text.
///
/// # Panics
/// When a position read does not survive writing.
pub fn labelled(bytes: &[u8]) {
    for format in [Labelled::TEXT, Labelled::EPD, Labelled::GREKO] {
        samples(&format, bytes);
    }
}

/// Cutting any bytes into blocks of whole games or positions.
///
/// # Panics
/// When a block is longer than what it was cut from.
pub fn cuts(bytes: &[u8]) {
    let games: [&dyn RecordFormat; 5] =
        [&crate::sgs::Sgs::EXTENDED, &Boards, &crate::pgn::Pgn, &crate::epd::EpdFile, &Viri];
    for format in games {
        assert!(format.whole(bytes).is_some_and(|n| n <= bytes.len()), "{}", format.name());
    }
    for format in ChessSurvey.formats() {
        assert!(format.whole(bytes) <= bytes.len(), "{}", format.name());
    }
}

fn samples(format: &dyn SampleFormat, bytes: &[u8]) {
    format.read(bytes, &mut |read| match read {
        Err(error) => assert!(error.record > 0, "{error}"),
        Ok(sample) => {
            let board = fen::parse(&sample.position, &rules(&sample), fen::Care::Lenient);
            assert!(board.as_ref().is_ok_and(Board::is_consistent), "{sample:?}");
            assert_eq!(ChessSurvey.look(&sample).ok(), sample.facts, "{sample:?}");
            let mut written = Vec::new();
            if format.write(&sample, &mut written).is_ok() {
                let mut back = Vec::new();
                format.read(&written, &mut |s| back.extend(s.ok()));
                let mut twice = Vec::new();
                let again: Vec<_> = back.iter().map(|s| format.write(s, &mut twice).is_ok()).collect();
                assert_eq!((again, twice), (vec![true], written), "{sample:?}");
            }
            let mut games: Vec<GameRecord<String>> = Vec::new();
            assert!(ChessSurvey.games(std::slice::from_ref(&sample), &mut games).is_ok() && games.len() == 1);
        }
    });
}

fn rules(sample: &Sample) -> crate::Rules {
    sample.rules.parse().unwrap_or_default()
}
