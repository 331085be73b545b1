//! Folders and archives of records, read as one file.

use std::{fs, path::Path, process::Command};
use tesuji_kit::open_records;
use tesuji_kits::GAMES;
use tesuji_record::GameRecord;

/// The first moves of all games of `path`, and the errors.
fn read(game: &str, path: &Path) -> Vec<Result<String, String>> {
    let kit = GAMES.0.iter().find(|kit| kit.name() == game).expect("a game");
    let mut reader = open_records(*kit, path).expect("games");
    let first = |game: GameRecord<String>| game.main_line().first().cloned().unwrap_or_default();
    std::iter::from_fn(|| reader.read().transpose()).map(|game| game.map(first).map_err(|e| e.to_string())).collect()
}

/// `train go --games kgs.tar.gz` said that no format is known by this name, where `tune go` read it.
#[test]
fn folders_and_archives_are_read_as_their_files() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path().join("games");
    fs::create_dir_all(folder.join("2017")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("a.sgf", "(;GM[1]SZ[9];B[aa])(;GM[1]SZ[9];B[bb])");
    write("README.txt", "Games of strong players.");
    write("2017/c.sgf", "(;GM[1]SZ[9];B[cc];W[cc])(;GM[1]SZ[9];B[dd])");
    let within = |name: &str| format!("{name}: line 1 (game 1): move #2 is illegal: W C7");
    let of_folder = folder.join("2017/c.sgf").display().to_string();
    let points = |error: String| vec![Err(error), Ok("D6".to_string()), Ok("A9".to_string()), Ok("B8".to_string())];
    assert_eq!(read("go", &folder), points(within(&of_folder)));
    let archive = here.path().join("games.tar.gz");
    let packed = Command::new("tar")
        .arg("-czf")
        .arg(&archive)
        .args(["2017/c.sgf", "a.sgf", "README.txt"])
        .current_dir(&folder)
        .status();
    assert!(packed.is_ok_and(|status| status.success()), "tar packs");
    assert_eq!(read("go", &archive), points(within(&format!("{}: 2017/c.sgf", archive.display()))));
    // What is no archive has no format still.
    write("README.md", "Games of strong players.");
    let kit = GAMES.0.iter().find(|kit| kit.name() == "go").expect("a game");
    let error = open_records(*kit, &folder.join("README.md")).err().unwrap().to_string();
    assert!(error.contains("no format is known by this name"), "{error}");
}
