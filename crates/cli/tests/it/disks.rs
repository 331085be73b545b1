//! Disks that become full while a command writes, and folders in which nothing may be written.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
use tesuji_testkit::needs;

/// Commands that write a file `out…`, of more than [`SHORT`] bytes.
const WRITERS: [(&str, &str); 10] = [
    ("analyse", "chess games.sgs --nodes 10 --out out.pgn"),
    ("book", "import chess games.sgs --out out.tsv"),
    ("data", "convert games.sgs out.pgn --quiet"),
    ("data", "shuffle games.sgs out.sgs --quiet"),
    ("data", "features games.sgs --layout sofcheck --no-progress --out out.csv"),
    ("match", "--engine name=A --engine name=B --nodes 20 --games 8 -j 1 --max-plies 60 --pgn-out out.pgn"),
    ("net", "new go-1x8 --features go-1 --size 9 --out out.safetensors"),
    ("selfplay", "chess --games 20 --nodes 20 --seed 1 -j 1 --out out.sgs --quiet"),
    (
        "spsa",
        "chess --option RazoringMargin --iterations 60 --pairs 1 --nodes 5 --seed 1 -j 1 --journal out.journal --quiet",
    ),
    ("tree", "chess --nodes 300 --save out.json"),
];

/// Bytes that files may have on the disk that is full: a block of `ulimit`.
const SHORT: usize = 512;

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

/// A folder with games.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/features-few.sgs");
    fs::copy(games, folder.path().join("games.sgs")).unwrap();
    folder
}

/// The names in a folder, but for notes of finished work.
fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| !name.ends_with(".done")).collect()
}

/// Runs a command line behind `before`, words of a shell that end in `exec`.
fn under(before: &str, folder: &Path, name: &str, words: &str) -> Output {
    let line = format!("{before} {} {name} {words}", env!("CARGO_BIN_EXE_tesuji"));
    Command::new("sh").args(["-c", &line]).current_dir(folder).env_remove("TESUJI_LOG").output().expect("a shell")
}

#[test]
fn a_disk_that_becomes_full_is_an_error_with_the_path() {
    for (name, words) in WRITERS {
        let folder = folder();
        // The limit is an error of the write, as on a full disk, where its signal is ignored.
        let out = under("trap '' XFSZ; ulimit -f 1; exec", folder.path(), name, words);
        let said = said(&out);
        // It was 2, wrong input, for all but `match`.
        assert_eq!(out.status.code(), Some(1), "{name} {words}: {said}");
        let is_told = said.contains("out.") && ["too large", "disk I/O error"].iter().any(|words| said.contains(words));
        assert!(is_told && !said.contains("panicked"), "{name}: {said}");
        for left in names(folder.path()) {
            let bytes = fs::metadata(folder.path().join(&left)).unwrap().len() as usize;
            assert!(left == "games.sgs" || bytes <= SHORT, "{name}: {left}");
            assert!(!left.ends_with(".tmp"), "{name} leaves {left}");
        }
    }
}

/// `analyse`, `tree` and `book import` found out when all their work was done.
#[test]
fn a_folder_that_cannot_be_written_is_an_error_before_any_work() {
    use std::os::unix::fs::PermissionsExt;
    // Root may write everywhere, unless it gives that up.
    if needs::program("setpriv", "util-linux").is_none() {
        return;
    }
    let humble = r#"[ "$(id -u)" != 0 ] || humble="setpriv --bounding-set -all"; exec $humble"#;
    for (name, words) in WRITERS {
        let folder = folder();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
        let out = under(humble, folder.path(), name, words);
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let said = said(&out);
        assert_eq!(out.status.code(), Some(2), "{name} {words}: {said}");
        assert!(!said.contains("panicked") && said.contains("out.") && said.contains("denied"), "{name}: {said}");
        assert!(out.stdout.is_empty(), "{name} worked before: {}", String::from_utf8_lossy(&out.stdout));
        assert_eq!(names(folder.path()), ["games.sgs"], "{name}");
    }
}

/// A torn game stayed in the output, and nothing could go on with a review but one from the first game.
#[test]
fn a_review_goes_on_behind_a_full_disk() {
    let folder = folder();
    let here = folder.path();
    let whole = under("exec", here, "analyse", "chess games.sgs --nodes 20 --out whole.pgn");
    assert_eq!(whole.status.code(), Some(0), "{}", said(&whole));
    let expect = fs::read_to_string(here.join("whole.pgn")).unwrap();
    let review = "chess games.sgs --nodes 20 --out out.pgn";
    let small = format!("trap '' XFSZ; ulimit -f {}; exec", expect.len() * 3 / 4 / SHORT);
    let out = under(&small, here, "analyse", review);
    assert!(out.status.code() == Some(1) && said(&out).contains("--resume goes on"), "{}", said(&out));
    let kept = fs::read_to_string(here.join("out.pgn")).unwrap();
    let games = |text: &str| text.matches("[Event ").count();
    assert!(games(&kept) > 0 && games(&kept) < games(&expect) && expect.starts_with(&kept), "{kept}");
    // What a kill tears is written again.
    fs::write(here.join("out.pgn"), &expect[..kept.len() + 40]).unwrap();
    fs::copy(here.join("out.pgn"), here.join("other.pgn")).unwrap();
    fs::copy(here.join("out.pgn.sums"), here.join("other.pgn.sums")).unwrap();
    let out = under("exec", here, "analyse", &format!("{review} --resume"));
    assert_eq!(out.status.code(), Some(0), "{}", said(&out));
    assert!(fs::read_to_string(here.join("out.pgn")).unwrap() == expect && !here.join("out.pgn.sums").exists());
    // Reviews of other games, changed ones and those that are done are left alone.
    let refused = |words: &str, expected: &str| {
        let out = under("exec", here, "analyse", words);
        assert!(out.status.code() == Some(2) && said(&out).contains(expected), "{}", said(&out));
    };
    refused(&format!("{review} --resume"), "no review that was stopped");
    fs::write(here.join("one.pgn"), "1. e4 e5 2. Nf3 Nc6 *\n").unwrap();
    refused("chess one.pgn --nodes 20 --out other.pgn --resume", "it is the review of other games");
    fs::write(here.join("other.pgn"), kept.replacen("[Event ", "[Evint ", 1)).unwrap();
    refused("chess games.sgs --nodes 20 --out other.pgn --resume", "are not as they were written");
}

#[test]
fn a_folder_that_is_deleted_ends_the_work_with_an_exit_code_of_its_own() {
    let folder = folder();
    let there = folder.path().join("there");
    for (name, words, file) in [
        ("selfplay", "chess --games 9000 --nodes 20 --seed 1 -j 1 --out g.sgs --quiet", "g.sgs"),
        (
            "spsa",
            "chess --option RazoringMargin --iterations 90000 --pairs 1 --nodes 5 -j 1 --journal s.journal --quiet",
            "s.journal",
        ),
    ] {
        fs::create_dir(&there).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        command.arg(name).args(words.split(' ')).current_dir(&there).env_remove("TESUJI_LOG");
        let child = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap();
        while !fs::metadata(there.join(file)).is_ok_and(|file| file.len() > 0) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        fs::remove_dir_all(&there).unwrap();
        let out = child.wait_with_output().unwrap();
        assert!(out.status.code() == Some(1) && said(&out).contains(file), "{name}: {:?} {}", out.status, said(&out));
    }
}
