//! The selftest's transcript against foreign and own figures.

use crate::data;
use std::io::Read;
use tesuji_chess::selftest::{self, Dumper, Style};

/// The hash of the transcript of our own set.
const ALL: u64 = 0xce5a_8b4b_170c_df38;

/// The transcript of the positions in `text`, every invariant checked on the way.
#[track_caller]
fn transcript(text: &str, positions_max: usize) -> String {
    let (mut out, mut dumper) = (String::new(), Dumper::new());
    for (line, fen) in selftest::positions(text).take(positions_max) {
        let board = selftest::load(fen, Style::default()).unwrap_or_else(|e| panic!("line {line}: {fen}: {e}"));
        selftest::check(&board).unwrap_or_else(|broken| panic!("line {line}: {broken}"));
        selftest::write_entry(fen, &board, Style::default(), &mut dumper, &mut out);
    }
    out
}

#[test]
fn the_published_check_value_is_reached() {
    let text = transcript("r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", 1);
    let entries = selftest::entries(&text);
    let dumps: Vec<_> = (1..=3).map(|d| entries[0].field(&format!("depth-dump-at-{d}")).unwrap()).collect();
    assert_eq!(dumps, ["6838583675692056475", "8460146340016230309", "18270261599179392790"]);
    assert_eq!(entries[0].moves().len(), 33);
}

/// The positions on which two other rule implementations agree: 500 of them, with `SLOW=1` all 22,865.
#[test]
fn the_transcript_of_others_is_ours() {
    let files = data::file("selftest-boards.fen.zst").zip(data::file("selftest-expected.txt.zst"));
    let Some((boards, expected)) = files else { return };
    let (mut text, mut wanted) = (String::new(), String::new());
    data::unpacked(boards).read_to_string(&mut text).unwrap();
    data::unpacked(expected).read_to_string(&mut wanted).unwrap();
    let count = if data::slow() { usize::MAX } else { 500 };
    let found = transcript(&text, count);
    let (wanted_entries, found_entries) = (selftest::entries(&wanted), selftest::entries(&found));
    assert_eq!(wanted_entries.len(), 22_865);
    let count = found_entries.len();
    if let Some(difference) = selftest::compare(&wanted_entries[..count], &found_entries) {
        panic!("{difference}");
    }
    assert_eq!(found, wanted[..found.len()], "byte for byte");
}

/// Our own set is what `--make` makes, and its transcript has the hash that `docs/selftest.md` gives. The whole of it
/// with `SLOW=1`, else its first 400 positions.
#[test]
fn our_own_set_has_its_hash() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/selftest.fen");
    let set = selftest::our_set(3000, 1);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &set).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap() == set,
        "data/selftest.fen is not what --make makes; UPDATE=1 writes it"
    );
    assert_eq!(selftest::fnv1a(transcript(&set, 400).as_bytes()), 0xae3b_d4f5_b143_bb5c, "the first 400");
    if data::slow() {
        assert_eq!(selftest::fnv1a(transcript(&set, usize::MAX).as_bytes()), ALL, "all");
    }
}

#[test]
fn heatmaps_show_what_is_attacked() {
    let fen = "4k3/8/8/8/8/8/8/RNBQK3 w - - 0 1";
    let style = Style { depth: 1, heatmaps: true, chess960: false };
    let board = selftest::load(fen, style).unwrap();
    let mut out = String::new();
    selftest::write_entry(fen, &board, style, &mut Dumper::new(), &mut out);
    let rows: Vec<&str> = out.lines().skip_while(|l| *l != "white-heatmap: [").skip(1).take(8).collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(rows[7], "  .#####..");
    assert!(out.contains("depth-dump-at-1-heatmaps: "));
}

/// The guide for authors of other engines shows a true entry and gives the true hash.
#[test]
fn the_guide_tells_the_truth() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/selftest.md")).unwrap();
    let example = guide.split("```\n").find(|part| part.starts_with("fen: ")).unwrap();
    let fen = selftest::entries(example)[0].position;
    assert_eq!(transcript(fen, 1), example);
    assert!(guide.contains("6838583675692056475, 8460146340016230309 and 18270261599179392790"));
    assert!(
        guide.contains(&format!("{:016x}", ALL)) && guide.contains(&format!("{} edge cases", selftest::CASES.len()))
    );
}
