//! Entries for fuzzers: each takes the path of a file of any bytes, must return, and asserts that what was read writes and reads back.

use crate::{
    data::DataError,
    data::parquet::{Assembly, encode, groups, read_group},
    searched::{MoveWords, SearchedReader, SearchedWriter},
};
use std::path::Path;
use tesuji_jobs::AtomicFile;
use tesuji_record::{GameRecord, RecordReader, Sample};

/// Row groups that are read of a file.
const GROUPS_MAX: usize = 3;

/// The rows of a row group that are positions.
fn whole_rows(path: &Path, group: usize) -> Result<Vec<Sample>, DataError> {
    Ok(read_group(path, group)?.into_iter().filter_map(Result::ok).collect())
}

/// Positions in Parquet, in the file `path`. What is written lies beside it.
///
/// # Panics
/// When positions that were read do not survive writing.
pub fn positions(path: &Path) {
    let Ok(count) = groups(path) else { return };
    for rows in (0..count.min(GROUPS_MAX)).filter_map(|group| whole_rows(path, group).ok()) {
        let written = encode(&rows).and_then(|piece| {
            let mut file = Assembly::begin(Vec::new(), &[])?;
            if !piece.is_empty() {
                file.add(piece)?;
            }
            file.finish()
        });
        let again = path.with_extension("again");
        assert!(written.is_ok(), "{:?}", written.err());
        if written.is_ok_and(|bytes| AtomicFile::write(&again, &bytes).is_ok()) {
            let groups = 0..groups(&again).unwrap_or(0);
            assert!(groups.flat_map(|group| whole_rows(&again, group).unwrap_or_default()).eq(rows));
        }
    }
}

/// Moves are letters, packed as their codes.
pub const LETTERS: MoveWords = MoveWords {
    word: |_, code| u8::try_from(code).ok().filter(u8::is_ascii_lowercase).map(|byte| char::from(byte).to_string()),
    code: |_, word| word.bytes().next().filter(|_| word.len() == 1).map(u16::from),
};

/// Searched positions in Parquet, in the file `path`, whose moves are [`LETTERS`]. What is written lies beside it.
///
/// # Panics
/// When games that were read and written are written otherwise when they are read again.
pub fn searched(path: &Path) {
    let read = |path: &Path| -> Vec<GameRecord<String>> {
        let Ok(mut reader) = SearchedReader::open(path, LETTERS) else { return Vec::new() };
        let games = std::iter::from_fn(|| reader.read().ok().flatten());
        // Nothing is written of a game without visits.
        games.filter(|game| game.main_nodes().into_iter().any(|node| !game.note(node).visits.is_empty())).collect()
    };
    // Visits of what is no letter, or of moves that no game has, are read and cannot be written.
    let write = |games: &[GameRecord<String>]| {
        let mut writer = SearchedWriter::begin(Vec::new(), LETTERS, &[]).ok()?;
        games.iter().try_for_each(|game| writer.add(game)).ok()?;
        Some(writer.finish().ok()?.1)
    };
    let Some(first) = write(&read(path)) else { return };
    let again = path.with_extension("again");
    if AtomicFile::write(&again, &first).is_ok() {
        assert!(write(&read(&again)) == Some(first));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::{By, FirstSide, Outcome, Side, Value};
    use tesuji_record::{Note, Sample};
    use tesuji_testkit::fuzz::{Target, in_file, run_in_place, run_large, time_for_each};

    /// Rows of the game `number`, with all that may be known of a position.
    fn rows(count: u32) -> Vec<Sample> {
        let row = |ply: u32| Sample {
            rules: "9x9".into(),
            position: format!("a position with {ply} stones"),
            mv: if ply % 5 == 4 { String::new() } else { format!("m{ply}") },
            score: (!ply.is_multiple_of(3)).then_some(FirstSide(-17 * (ply % 100) as i16)),
            half_points: (!ply.is_multiple_of(4)).then_some((ply % 3) as u8),
            plies_left: Some(count - ply),
            game: Some(u64::from(ply / 10) << 40 | 5),
            ply: Some(ply),
            origin: "made by a test".into(),
            facts: None,
        };
        (0..count).map(row).collect()
    }

    /// A file of ours: with checksums.
    fn whole(rows: &[Sample]) -> Vec<u8> {
        let mut file = Assembly::begin(Vec::new(), &[("tesuji.game".into(), "go".into())]).unwrap();
        file.add(encode(rows).unwrap()).unwrap();
        file.finish().unwrap()
    }

    fn searched_games() -> Vec<u8> {
        let mut writer = SearchedWriter::begin(Vec::new(), LETTERS, &[]).unwrap();
        for (moves, margin) in [("a b c d e f", 3.5), ("x y z", -12.0)] {
            let mut game = GameRecord::from_moves("9x9", None, moves.split(' ').map(String::from));
            let winner = if margin > 0.0 { Side::First } else { Side::Second };
            game.outcome = Some(Outcome { winner: Some(winner), by: By::Points(f32::abs(margin)) });
            for (i, node) in game.main_nodes().into_iter().enumerate() {
                let visits = vec![(u16::from(b'a') + i as u16, 7), (u16::from(b'z'), i as u32)];
                *game.note_mut(node) = Note { visits, value: Some(Value::cp(-40 * i as i32)), ..Note::default() };
            }
            writer.add(&game).unwrap();
        }
        writer.finish().unwrap().1
    }

    /// Turns `bytes` into a file as other programs write it, without checksums: it is read as it is, wherever it is corrupted.
    fn without_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
        for (words, others) in [(&b"tesuji.checksums"[..], &b"tesuji.checksumz"[..]), (b"TESUJICK", b"--------")] {
            let at = bytes.windows(words.len()).position(|part| part == words).unwrap();
            bytes[at..at + words.len()].copy_from_slice(others);
        }
        bytes
    }

    #[test]
    fn files_survive_bent_and_large_input() {
        let (mine, theirs) = (whole(&rows(40)), encode(&rows(40)).unwrap());
        in_file(&mine, |path| assert_eq!(whole_rows(path, 0).unwrap(), rows(40)));
        in_file(&theirs, |path| assert_eq!(whole_rows(path, 0).unwrap(), rows(40)));
        let games = searched_games();
        let read = |path: &Path| SearchedReader::open(path, LETTERS).unwrap().read().unwrap().unwrap();
        in_file(&games, |path| assert_eq!(read(path).main_line().len(), 6));
        let foreign = without_checksums(games.clone());
        in_file(&foreign, |path| assert_eq!(read(path).main_line().len(), 6));
        let targets: [(&str, Target, Vec<Vec<u8>>); 2] = [
            ("dataset::positions", |bytes| in_file(bytes, positions), vec![theirs, mine]),
            ("dataset::searched", |bytes| in_file(bytes, searched), vec![foreign, games]),
        ];
        for (name, target, seeds) in targets {
            let bent = run_in_place(name, target, &seeds, 0xDA7A, time_for_each(120));
            let large = run_large(name, target, &seeds, 0xDA7B);
            println!("{name}: {bent} inputs, {large} of a megabyte");
        }
    }

    #[track_caller]
    fn check_refused(bytes: &[u8], expect: &str) {
        let mut said = String::new();
        in_file(bytes, |path| said = read_group(path, 0).unwrap_err().to_string());
        assert!(said.contains(expect), "{said}");
    }

    /// A text that a dictionary holds once was copied for each row: a file of some kilobytes filled the memory.
    #[test]
    fn long_texts_in_a_dictionary_are_refused() {
        let origin = "x".repeat(1 << 19);
        let rows: Vec<Sample> = rows(2000).into_iter().map(|row| Sample { origin: origin.clone(), ..row }).collect();
        let bytes = encode(&rows).unwrap();
        assert!(bytes.len() < 1 << 20, "{}", bytes.len());
        check_refused(&bytes, "column \"origin\": a text of 524288 bytes");
    }

    /// A dictionary was given memory for as many numbers as its header promised: 16 GiB of nothing.
    #[test]
    fn dictionaries_that_promise_more_than_they_hold_are_refused() {
        let mut bytes = encode(&rows(1000)).unwrap();
        // The first page is the dictionary of `game`; its header names 100 values in a struct that begins with 0x4C.
        let at = bytes[..40].windows(4).position(|part| part == [0x4C, 0x15, 200, 1]).unwrap();
        bytes[at + 2..at + 4].copy_from_slice(&[0xFE, 0x7F]);
        check_refused(&bytes, "column \"game\": a dictionary of 8191 values in 800 bytes");
    }

    /// A page of a size that its header made up was unpacked whole.
    #[test]
    fn pages_that_promise_gigabytes_are_refused() {
        let mut bytes = encode(&rows(1000)).unwrap();
        // Bytes unpacked and packed, the first two numbers behind the kind of the page.
        assert_eq!(bytes[4..7], [0x15, 4, 0x15]);
        let number = [0xFE, 0xFF, 0xFF, 0xFF, 0x0F];
        bytes.splice(7..9, number);
        in_file(&bytes, |path| assert!(read_group(path, 0).is_err()));
    }
}
