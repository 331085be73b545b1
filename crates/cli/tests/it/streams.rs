//! stdout and stderr that are closed, full or redirected: every subcommand ends quietly or with an error, and nothing panics.

use std::fs;
use std::io::PipeWriter;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Subcommands whose output may be longer than a screen, each with words that make it print.
const LONG: [(&str, &str); 22] = [
    ("analyse", "chess GAMES --nodes 10"),
    ("bench", "chess --search alpha-beta --depth 1"),
    ("book", "show chess book.tsv"),
    ("completions", "bash"),
    ("data", "show GAMES"),
    ("data", "stats GAMES"),
    ("data", "convert GAMES - --to pgn --quiet"),
    ("data", "features GAMES --layout sofcheck --no-progress"),
    ("doctor", ""),
    ("explain", "chess"),
    ("learned", "show chess learned.db"),
    ("manual", ""),
    ("match", "--stats 10 10 10"),
    ("net", "show net.safetensors"),
    ("options", "chess"),
    ("owl", ""),
    ("perft", "chess --depth 2 --divide"),
    ("selftest", "chess --make --positions 50"),
    ("selftest", "chess GAMES.fen"),
    ("solve", "chess --fen 6k1/5ppp/8/8/8/8/5PPP/R5K1\u{a0}w\u{a0}-\u{a0}-\u{a0}0\u{a0}1"),
    ("tree", "chess --nodes 300"),
    ("weights", "show builtin"),
];

/// Those that speak a protocol, play, or keep their results in files; [`protocols_end_with_their_peer`] and
/// [`a_match_goes_on_without_its_reader`] look at some.
const OTHERS: [&str; 18] = [
    "analysis",
    "builds",
    "csa-client",
    "engine",
    "fleet",
    "gtp",
    "improve",
    "play",
    "policy-server",
    "regress",
    "selfplay",
    "serve",
    "spsa",
    "train",
    "tune",
    "uci",
    "usi",
    "help",
];

fn command(folder: &Path, name: &str, words: &str) -> Command {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/features-few.sgs");
    let games = games.display().to_string();
    let words = words.split(' ').filter(|w| !w.is_empty()).map(|w| match w {
        "GAMES" => games.clone(),
        "GAMES.fen" => "positions.fen".to_string(),
        word => word.replace('\u{a0}', " "),
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.arg(name).args(words).current_dir(folder).stdin(Stdio::null()).env_remove("TESUJI_LOG");
    command
}

/// A pipe that nobody reads any more.
fn closed() -> PipeWriter {
    std::io::pipe().unwrap().1
}

fn full() -> fs::File {
    fs::File::options().write(true).open("/dev/full").unwrap()
}

fn told(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

/// A folder with what the words above name.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
    fs::write(here.join("positions.fen"), start).unwrap();
    for (name, words) in [
        ("net", "new go-1x8 --features go-1 --size 9 --out net.safetensors"),
        ("book", "import chess GAMES --out book.tsv"),
    ] {
        let made = command(here, name, words).output().unwrap();
        assert!(made.status.success(), "{}", told(&made));
    }
    drop(tesuji_book::Memory::open(&here.join("learned.db"), "chess").unwrap());
    folder
}

/// `--log-file` appended the log to the games that the command read.
#[test]
fn a_log_is_not_appended_to_other_files() {
    let folder = folder();
    let games = folder.path().join("games.txt");
    fs::write(&games, "mine").unwrap();
    let out = command(folder.path(), "perft", "chess --depth 1 --log-file games.txt").output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(told(&out).contains("games.txt: this file holds something else than a log"), "{}", told(&out));
    assert_eq!(fs::read_to_string(&games).unwrap(), "mine");
    for lines in [0, 1] {
        let out = command(folder.path(), "perft", "chess --depth 1 --log info --log-file a.log").output().unwrap();
        assert!(out.status.success(), "{lines}: {}", told(&out));
    }
}

#[test]
fn the_lists_name_every_subcommand() {
    let known: Vec<&str> = LONG.iter().map(|(name, _)| *name).chain(OTHERS).collect();
    let lacking: Vec<_> =
        crate::words::subcommands().into_iter().filter(|name| !known.contains(&name.as_str())).collect();
    assert!(lacking.is_empty(), "which of the lists above is for {lacking:?}?");
}

#[test]
fn long_output_ends_quietly_when_its_reader_goes() {
    let folder = folder();
    for (name, words) in LONG {
        let out = command(folder.path(), name, words).stdout(closed()).output().unwrap();
        let said = told(&out);
        assert_eq!(out.status.code(), Some(141), "{name} {words}: {said}");
        let quiet = ["panicked", "roken pipe", "stdout"].iter().all(|word| !said.contains(word));
        assert!(quiet, "{name} {words}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn long_output_to_a_full_disk_is_an_error() {
    let folder = folder();
    // Help and version ended with 0, as if they had been read.
    for (name, words) in LONG.into_iter().chain([("--version", ""), ("match", "--help"), ("help", "data")]) {
        let out = command(folder.path(), name, words).stdout(full()).output().unwrap();
        let said = told(&out);
        assert_eq!(out.status.code(), Some(1), "{name} {words}: {said}");
        assert!(said.contains("tesuji: stdout: No space left") && !said.contains("panicked"), "{name} {words}: {said}");
        // Nobody hears the error either: the exit code is the same.
        let out = command(folder.path(), name, words).stdout(full()).stderr(full()).output().unwrap();
        assert_eq!(out.status.code(), Some(1), "{name} {words}");
    }
}

/// Engines end when nobody hears them, without a panic and without waiting for input.
#[cfg(target_os = "linux")]
#[test]
fn protocols_end_with_their_peer() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), "uci\nisready\nname\nusi\nquit\n").unwrap();
    for name in ["uci", "usi", "gtp"] {
        for is_full in [false, true] {
            let stdin = fs::File::open(folder.path().join("in")).unwrap();
            let mut command = command(folder.path(), name, "");
            let command = if is_full { command.stdout(full()) } else { command.stdout(closed()) };
            let out = command.stdin(stdin).stderr(Stdio::piped()).output().unwrap();
            let said = told(&out);
            assert!(out.status.code().is_some_and(|code| code != 101) && !said.contains("panicked"), "{name}: {said}");
            if is_full {
                assert_eq!((out.status.code(), said.contains("stdout: ")), (Some(1), true), "{name}: {said}");
            }
        }
    }
}

/// Neither a reader that goes nor a full disk under stdout and stderr stops a match.
#[cfg(target_os = "linux")]
#[test]
fn a_match_goes_on_without_its_reader() {
    let words =
        "--engine name=A --engine name=B --nodes 20 --games 4 --seed 3 -j 1 --max-plies 30 --pgn-out g.pgn --log debug";
    for (json, is_full) in [("", false), ("", true), (" --json", false), (" --json", true)] {
        let folder = tempfile::tempdir().unwrap();
        let mut match_ = command(folder.path(), "match", &format!("{words}{json}"));
        match_.stdin(Stdio::null());
        let status = if is_full {
            match_.stdout(full()).stderr(full()).status().unwrap()
        } else {
            match_.stdout(closed()).stderr(closed()).status().unwrap()
        };
        let games = fs::read_to_string(folder.path().join("g.pgn")).unwrap();
        assert_eq!(games.matches("[Result ").count(), 4, "{json} {is_full}: {status}");
        // What could not be printed on a full disk is no success; a reader that went wanted no more.
        assert_eq!(status.code(), Some(i32::from(is_full)), "{json} {is_full}");
    }
}

#[test]
fn logs_on_a_redirected_stderr_have_no_colour_codes() {
    let folder = tempfile::tempdir().unwrap();
    let words = "--engine name=A --engine name=B --nodes 5 --games 2 --seed 3 -j 1 --max-plies 10 --log trace";
    let said = told(&command(folder.path(), "match", words).output().unwrap());
    assert!(said.contains("TRACE") || said.contains("DEBUG"), "there is a log: {said}");
    assert!(!said.contains('\u{1b}'), "{said}");
}

/// Outputs that exist are refused before any work, and replaced with `--force`.
#[test]
fn existing_outputs_are_refused_without_force() {
    let folder = folder();
    let here = folder.path();
    for (name, words) in [
        ("analyse", "chess GAMES --nodes 10 --out o.sgs"),
        ("book", "convert chess book.tsv o.bin"),
        ("data", "convert GAMES o.pgn --quiet"),
        ("data", "features GAMES --layout sofcheck --no-progress --out o.csv"),
        ("learned", "export chess learned.db --out o.tsv"),
        ("net", "new go-1x8 --features go-1 --size 9 --out o.safetensors"),
        ("tree", "chess --nodes 300 --save o.json"),
    ] {
        let output = here.join(words.split(' ').find(|word| word.starts_with("o.")).unwrap());
        fs::write(&output, "dear").unwrap();
        let out = command(here, name, words).output().unwrap();
        let said = told(&out);
        assert!(
            out.status.code() == Some(2) && said.contains("this file exists; --force replaces it"),
            "{name}: {said}"
        );
        assert_eq!(fs::read(&output).unwrap(), b"dear", "{name}");
        let out = command(here, name, &format!("{words} --force")).output().unwrap();
        assert!(out.status.success(), "{name}: {}", told(&out));
        assert_ne!(fs::read(&output).unwrap(), b"dear", "{name}");
    }
    let names = fs::read_dir(here).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    // Notes of finished work end in .done.
    let left: Vec<String> = names.filter(|name| name.starts_with('.') && !name.ends_with(".done")).collect();
    assert!(left.is_empty(), "unfinished files are left: {left:?}");
}

/// A conversion that has nothing to write leaves the file that is there.
#[test]
fn nothing_does_not_replace_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("empty.pgn"), "").unwrap();
    fs::write(here.join("o.sgs"), "dear").unwrap();
    for words in ["convert empty.pgn o.sgs --quiet --force", "shuffle empty.pgn o.sgs --quiet --force"] {
        let out = command(here, "data", words).output().unwrap();
        let said = told(&out);
        assert!(out.status.code() == Some(2) && said.contains("o.sgs: there is nothing to write"), "{words}: {said}");
        assert_eq!(fs::read(here.join("o.sgs")).unwrap(), b"dear");
    }
    assert_eq!(fs::read_dir(here).unwrap().count(), 2, "nothing is left beside them");
}

#[cfg(target_os = "linux")]
#[test]
fn full_disks_and_missing_folders_are_errors_with_the_path() {
    let folder = folder();
    for (name, words, full) in [
        ("data", "convert GAMES OUT --to pgn --quiet", "the disk is full"),
        ("net", "new go-1x8 --features go-1 --size 9 --out OUT", "No space left"),
        ("tree", "chess --nodes 300 --save OUT", "No space left"),
    ] {
        for (path, expect, code) in [("/dev/full", full, 1), ("no/where", "the folder of this file does not exist", 2)]
        {
            let out = command(folder.path(), name, &words.replace("OUT", path)).output().unwrap();
            let said = told(&out);
            assert!(
                out.status.code() == Some(code) && said.contains(path) && said.contains(expect),
                "{name} {path}: {said}"
            );
        }
    }
    assert!(!fs::metadata("/dev/full").unwrap().is_file(), "the device is still one");
}
