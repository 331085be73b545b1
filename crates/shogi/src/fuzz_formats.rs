//! Entries for fuzzers of packed data and of records: any bytes return, and what was read is written and reads back the same.

use crate::{
    FORMATS, ShogiSurvey, kif,
    packed::{Coding, Conversion, Hcpe3, Shape, pack, unpack},
};
use std::io::Cursor;
use tesuji_record::{GameRecord, RecordFormat, SharedBuffer, Survey};

/// Of the games of a long file the first are written as well, until they had so many nodes.
const NODES_WRITTEN: usize = 5000;

/// Packed positions and records, in every format.
///
/// # Panics
/// When a record read does not survive being turned and turned back.
pub fn packed(bytes: &[u8]) {
    for (position, _) in bytes.as_chunks::<32>().0.iter().zip(0..64) {
        for coding in [Coding::Apery, Coding::Yaneuraou] {
            let Ok(board) = unpack(position, coding) else { continue };
            assert!(board.is_consistent());
            assert_eq!(pack(&board, coding).and_then(|bytes| unpack(&bytes, coding)), Ok(board));
        }
    }
    for (from, _) in Shape::NAMES {
        for (to, _) in Shape::NAMES {
            let convert = |from, to, bytes: &[u8]| {
                let mut out = Vec::new();
                let counts =
                    Conversion::new(from, to).block(0, bytes, &mut out, &mut |error| assert!(error.record > 0));
                assert_eq!(out.len() as u64, counts.written * to.bytes() as u64);
                out
            };
            let there = convert(from, to, bytes);
            // After one round nothing is lost any more.
            let back = convert(to, from, &there);
            assert_eq!(convert(from, to, &back), if back.is_empty() { Vec::new() } else { there });
        }
    }
    let mut input = bytes;
    while let Ok(Some((game, length))) = Hcpe3::read(&mut input) {
        let mut out = Vec::new();
        assert!(game.write(&mut out).is_ok() && out.len() as u64 == length);
        let _ = game.check(|checked, _| assert!(checked.mv.is_some()));
    }
}

/// Games in CSA, KIF and KI2, read from any bytes and written in every format.
///
/// # Panics
/// When what was written once is not what is written of it again.
pub fn records(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(board) = kif::parse_bod(text)
    {
        assert_eq!(kif::parse_bod(&kif::write_bod(&board)), Ok(board));
    }
    for format in FORMATS {
        let mut reader = format.reader(Box::new(Cursor::new(bytes.to_vec())));
        let mut left = NODES_WRITTEN;
        // Every game takes at least a byte.
        for _ in 0..=bytes.len() {
            match reader.read() {
                Ok(Some(game)) if left > 0 => {
                    survives(&game);
                    left = left.saturating_sub(game.nodes.len());
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) if error.is_fatal() => break,
                Err(error) => assert!(error.record > 0, "{error}"),
            }
        }
    }
}

/// Positions in every format of samples.
///
/// # Panics
/// When a sample read does not survive writing.
pub fn samples(bytes: &[u8]) {
    for format in ShogiSurvey.formats() {
        assert!(format.whole(bytes) <= bytes.len());
        format.read(bytes, &mut |sample| match sample {
            Ok(sample) => {
                let mut out = Vec::new();
                assert!(ShogiSurvey.look(&sample).is_ok());
                if let Err(error) = format.write(&sample, &mut out) {
                    panic!("{}: {error} for {sample:?}", format.name());
                }
                format.read(&out, &mut |again| assert_eq!(again.ok().as_ref(), Some(&sample)));
            }
            Err(error) => assert!(error.record > 0, "{error}"),
        });
    }
}

/// Writes a game in every format until nothing changes any more, which is after one round.
fn survives(game: &GameRecord<String>) {
    for format in FORMATS {
        let Some(once) = written(*format, game) else { continue };
        let game = again(*format, &once);
        let twice = written(*format, &game);
        assert!(twice.is_some(), "{} cannot be written again", format.name());
        let Some(twice) = twice else { continue };
        assert_eq!(
            String::from_utf8_lossy(&written(*format, &again(*format, &twice)).unwrap_or_default()),
            String::from_utf8_lossy(&twice),
            "{}",
            format.name()
        );
    }
}

/// `None` where the format cannot hold the game.
fn written(format: &dyn RecordFormat, game: &GameRecord<String>) -> Option<Vec<u8>> {
    let out = SharedBuffer::default();
    let mut writer = format.writer(Box::new(out.clone()));
    writer.write(game).ok()?;
    writer.finish().ok()?;
    Some(out.take())
}

fn again(format: &dyn RecordFormat, bytes: &[u8]) -> GameRecord<String> {
    let read = format.reader(Box::new(Cursor::new(bytes.to_vec()))).read();
    match read {
        Ok(Some(game)) => game,
        other => panic!("{}: {other:?} from {:?}", format.name(), String::from_utf8_lossy(bytes)),
    }
}
