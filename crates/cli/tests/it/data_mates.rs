//! `tesuji data filter --mate`: mates leave a set of start positions, in order, for any number of threads, and after kills.

use crate::data_killed::kill_again_and_again;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::{Command, Output};
use tesuji_dataset::tasks::{DataGame, MatePreset, MateTask, MateVerdict as Verdict};
use tesuji_kit::data::DataKit;
use tesuji_kits::GAMES;
use tesuji_record::Sample;

/// Positions by what they are: the side to move mates, is mated in check, or neither.
const MATES: [&str; 3] = [
    "4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
    "+B+R5n1/5gk2/p1pps1gp1/4ppnsK/6pP1/1PPSP3L/PR1P1PP2/6S2/L2G1G3 w B2N2LP2p 1",
    "1n1g3+Pl/k1p1s4/1ng5p/pSP1p1pp1/1n3p3/P1K3P1P/1P7/9/L1G5L b 2R2BG2SL5Pn 161",
];
const MATED: [&str; 2] = ["4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "4k4/9/3+P1+P3/9/9/9/9/4R4/4K4 w 2G 1"];
const QUIET: [&str; 3] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 1",
    "ln1g1g+Bn1/1r1sk1s1l/p1pp1pppp/4p4/9/P1P3P2/1+p1PPPSPP/3S4R/LN1GKG1NL w Bp 1",
];

fn tesuji(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.arg("data").args(line.split_whitespace()).args(["--game", "shogi"]).current_dir(folder);
    command.output().expect("the binary starts")
}

#[track_caller]
fn good(folder: &Path, line: &str) -> String {
    let out = tesuji(folder, line);
    assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap() + &String::from_utf8_lossy(&out.stderr)
}

/// Writes positions as SFEN, one a line.
fn write(folder: &Path, name: &str, positions: &[&str]) {
    fs::write(folder.join(name), positions.join("\n") + "\n").unwrap();
}

/// The boards in a file, move numbers left out.
fn boards(folder: &Path, name: &str) -> Vec<String> {
    good(folder, &format!("convert {name} as.sfen --lossy --quiet"));
    let text = fs::read_to_string(folder.join("as.sfen")).unwrap();
    fs::remove_file(folder.join("as.sfen")).unwrap();
    text.lines().map(board).collect()
}

fn board(sfen: &str) -> String {
    sfen.trim_start_matches("sfen ").split(' ').take(3).collect::<Vec<_>>().join(" ")
}

#[test]
fn mates_leave_a_set_of_packed_positions() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mixed = [QUIET[0], MATES[0], MATED[0], QUIET[1], MATES[1], QUIET[2], MATED[1], MATES[2]];
    write(here, "starts.sfen", &mixed);
    good(here, "convert starts.sfen starts.hcp --lossy --quiet");
    assert_eq!(fs::read(here.join("starts.hcp")).unwrap().len(), 8 * 32);
    for jobs in [1, 3] {
        let told =
            good(here, &format!("filter starts.hcp quiet{jobs}.hcp --mate mates{jobs}.hcp --mate-hash 8 -j {jobs}"));
        for line in ["3 mate, by the side to move", "2 mate, of the side to move", "3 no mate"] {
            assert!(told.contains(line), "{told}");
        }
        assert_eq!(fs::read(here.join(format!("quiet{jobs}.hcp"))).unwrap().len(), 3 * 32);
        assert_eq!(boards(here, &format!("quiet{jobs}.hcp")), QUIET.map(board));
        let mates = [MATES[0], MATED[0], MATES[1], MATED[1], MATES[2]];
        assert_eq!(boards(here, &format!("mates{jobs}.hcp")), mates.map(board));
    }
}

#[test]
fn a_limit_is_counted_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here, "starts.sfen", &[MATES[2], QUIET[0]]);
    let told = good(here, "filter starts.sfen quiet.sfen --mate mates.sfen --mate-limits diary --mate-nodes 100");
    assert!(told.contains("1 limit reached, kept") && told.contains("1 no mate"), "{told}");
    assert_eq!(boards(here, "quiet.sfen"), [MATES[2], QUIET[0]].map(board));
    assert_eq!(fs::read(here.join("mates.sfen")).unwrap(), b"");
}

#[test]
fn a_filter_killed_again_and_again_writes_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    // One in sixteen takes thousands of nodes: enough for a kill between the blocks of 64 positions.
    let light = [MATES[0], QUIET[2], MATED[1], QUIET[0], MATES[1]];
    let all: Vec<&str> = (0..200).map(|i| if i % 16 == 0 { MATES[2] } else { light[i % 5] }).collect();
    write(here, "starts.sfen", &all);
    good(here, "convert starts.sfen starts.hcp --lossy --quiet");
    let line = "filter starts.hcp again.hcp --mate m-again.hcp --mate-hash 8 --game shogi -j 2";
    let kills = kill_again_and_again(here, line, "hcp", 320);
    eprintln!("{line}: killed {kills} times");
    assert!(kills >= 1, "it was killed {kills} times");
    let mates = ["m-whole.hcp", "m-again.hcp"].map(|name| fs::read(here.join(name)).unwrap());
    let count = all.iter().filter(|sfen| !QUIET.contains(sfen)).count();
    assert!(mates[0] == mates[1] && mates[0].len() == count * 32, "{}", mates[0].len());
}

/// The verdict of a mate search on a position of `game`, within the limits.
fn verdict(game: &str, preset: MatePreset, nodes: Option<u64>, position: &str) -> Option<Verdict> {
    let game = DataKit { kit: GAMES.kit(game).unwrap(), games: GAMES };
    let task = MateTask { output: PathBuf::new(), preset, nodes, plies: None, hash_mib: 8 };
    let sample = Sample { position: position.to_string(), ..Sample::default() };
    game.mate_judge(&task).unwrap().judge(&sample).ok()
}

#[track_caller]
fn check(game: &str, preset: MatePreset, position: &str, expect: Verdict) {
    assert_eq!(verdict(game, preset, None, position), Some(expect), "{position}");
}

#[test]
fn mates_on_both_sides_of_the_board_are_found() {
    use MatePreset::{Diary, Quick};
    check("shogi", Diary, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", Verdict::Mates);
    check("shogi", Diary, "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", Verdict::Mated);
    // In check, and whatever it answers it is mated by the next one.
    check("shogi", Diary, "4k4/9/3+P1+P3/9/9/9/9/4R4/4K4 w 2G 1", Verdict::Mated);
    check("shogi", Diary, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", Verdict::Neither);
    check("chess", Quick, "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", Verdict::Mates);
    check("chess", Quick, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Verdict::Mated);
    check("chess", Quick, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Verdict::Neither);
}

#[test]
fn a_limit_is_no_verdict() {
    let diary = "1n1g3+Pl/k1p1s4/1ng5p/pSP1p1pp1/1n3p3/P1K3P1P/1P7/9/L1G5L b 2R2BG2SL5Pn 161";
    check("shogi", MatePreset::Deep, diary, Verdict::Mates);
    assert_eq!(verdict("shogi", MatePreset::Quick, Some(100), diary), Some(Verdict::Limit));
    assert_eq!(verdict("shogi", MatePreset::Quick, Some(100), "9/9"), None, "no position");
}
