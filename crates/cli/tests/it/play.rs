//! The console: playing by hand, and learning in GreKo's words, as a transcript. UPDATE=1 writes it.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/greko").join(name)
}

/// What the console says to `commands` in `folder`, on 21 July 2016 at 17:01:16.
fn console(folder: &Path, commands: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["play", "chess", "--jobs", "2", "--seed", "0"])
        .current_dir(folder)
        .env("SOURCE_DATE_EPOCH", "1469120476")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(0));
    String::from_utf8(out.stdout).unwrap()
}

#[track_caller]
fn golden(name: &str, found: &str) {
    let path = data(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let line = expected.lines().zip(found.lines()).position(|(a, b)| a != b);
    assert!(expected == found, "{name} differs from line {line:?} on; UPDATE=1 writes it\n{found}");
}

#[test]
fn learning_speaks_and_writes_as_greko_did() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy(data("games.pgn"), path("games.pgn")).unwrap();
    // Large steps keep the transcript short.
    fs::write(path("weights.toml"), "step = 40\n").unwrap();
    let mut told = console(folder.path(), "learn games.pgn 1 27\n");
    let first = fs::metadata(path("games.fen")).unwrap().modified().unwrap();
    told += "\n(later)\n";
    told += &console(folder.path(), "lea games.pgn\nq\n");
    assert_eq!(fs::metadata(path("games.fen")).unwrap().modified().unwrap(), first, "games.fen is used again");
    for name in ["weights.old", "weights.txt", "learning.log"] {
        told += &format!("\n{name}:\n{}", fs::read_to_string(path(name)).unwrap());
    }
    golden("learn.txt", &told);
    let positions = fs::read_to_string(path("games.fen")).unwrap();
    let first = positions.lines().next().unwrap();
    assert!(first.ends_with(" rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{first}");
    // The log is what the screen showed.
    let log = fs::read_to_string(path("learning.log")).unwrap();
    assert!(told.contains(&format!("Start optimization...\n{}", log.rsplit_once("...\n").unwrap().1)));
}

#[test]
fn learning_reuses_no_stale_positions_and_leaves_no_empty_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("empty.pgn"), "").unwrap();
    let told = console(folder.path(), "learn empty.pgn\n");
    assert!(told.contains("empty.pgn: 0 of 0 games have a result") && !path("empty.fen").exists(), "{told}");
    fs::copy(data("games.pgn"), path("games.pgn")).unwrap();
    let old = "0.5 1 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
    fs::write(path("games.fen"), old).unwrap();
    let changed = fs::metadata(path("games.pgn")).unwrap().modified().unwrap() + std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(path("games.pgn")).unwrap().set_modified(changed).unwrap();
    let told = console(folder.path(), "learn games.pgn 24 24\n");
    assert!(told.contains("The games are newer than their positions, which are now in 'games.fen.old'"), "{told}");
    assert_eq!(fs::read_to_string(path("games.fen.old")).unwrap(), old);
    assert!(fs::read_to_string(path("games.fen")).unwrap().lines().count() > 100);
    // The positions kept before were overwritten when the games changed once more.
    let later = fs::metadata(path("games.fen")).unwrap().modified().unwrap() + std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(path("games.pgn")).unwrap().set_modified(later).unwrap();
    let told = console(folder.path(), "learn games.pgn 24 24\n");
    assert!(told.contains("which are now in 'games.fen.old2'"), "{told}");
    assert_eq!(fs::read_to_string(path("games.fen.old")).unwrap(), old);
}

#[test]
fn a_game_is_played_by_hand_and_saved() {
    let folder = tempfile::tempdir().unwrap();
    let commands = "force\ne4\ne7e5\nQh5\nb\nundo\nBc4\nNc6\nd1h5\nNf6\nQxf7#\nbo\ne5\nfe\nsavep mine.pgn\n\
        setboard 8/8/8/8/8/k1K5/8/1R6 w - - 0 1\nlevel depth 2\ngo\ne\nEVAL\nlevel nodes x\nse\nxyz\nnew\nundo\n\
        setboard nonsense\nlearn none.pgn\nlearn none.pgn 5 28\n";
    golden("hand.txt", &console(folder.path(), commands));
    let pgn = fs::read_to_string(folder.path().join("mine.pgn")).unwrap();
    assert!(pgn.contains("[Result \"1-0\"]") && pgn.contains("4. Qxf7# 1-0"), "{pgn}");
}

#[test]
fn games_against_itself_teach() {
    let folder = tempfile::tempdir().unwrap();
    let told = console(folder.path(), "level nodes 50\nselfplay 3\nlearn games.pgn 24 24\n");
    assert!(told.contains("Game 3 of 3: ") && told.contains("Games: 3\n"), "{told}");
    assert!(folder.path().join("weights.old").exists(), "{told}");
    // The next games are others: their numbers go on.
    let told = console(folder.path(), "level nodes 50\nselfplay 2\n");
    assert!(told.contains("Games 4 to 5 of seed 0, appended to 'games.pgn'"), "{told}");
    let text = fs::read_to_string(folder.path().join("games.pgn")).unwrap();
    let lines: std::collections::BTreeSet<&str> = text.lines().filter(|l| l.starts_with("1. ")).collect();
    assert_eq!((text.matches("[Origin ").count(), lines.len()), (5, 5), "{text}");
}

#[test]
fn save_refuses_a_file_that_exists() {
    let folder = tempfile::tempdir().unwrap();
    let out = |game: &str| {
        let commands =
            "save a.sgs; save a.sgs; save a.sgs --force; quit".replace("sgs", if game == "go" { "sgf" } else { "kif" });
        let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["play", game, "--commands", &commands])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap()
    };
    for game in ["go", "shogi"] {
        let told = out(game);
        assert_eq!(told.matches("this file exists; --force replaces it").count(), 1, "{told}");
    }
}

#[test]
fn shogi_is_played_at_a_desk() {
    let folder = tempfile::tempdir().unwrap();
    // docs/shogi.md promised Japanese and western moves; only USI was read.
    let commands = "level nodes 300; 7g7f; board; eval; undo; moves; wrong; analyse; force; new; ▲７六歩; P-3d; 2六歩; moves; \
        setboard position startpos moves 2g2f; moves; setboard \
        4k4/9/4P4/9/9/9/9/9/4K4 b G 1; G*5b; save mate.kifu; save mate.csa; 5i5h; quit";
    let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["play", "shogi", "-c", commands])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{said}");
    for words in [
        "level: 300 nodes",
        "my move: ",
        "White's hand:",
        "psq_pawn",
        "played: 7g7f\n",
        "played: 7g7f 3c3d 2g2f\n",
        "played: 2g2f\n",
        "neither a command",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(said.contains("Black wins: "), "{said}");
    let kif = fs::read_to_string(folder.path().join("mate.kifu")).unwrap();
    assert!(kif.contains("金打") && kif.contains("詰み"), "{kif}");
    assert!(fs::read_to_string(folder.path().join("mate.csa")).unwrap().contains("+0052KI"));
}

/// Options reached an engine that did not play, and no board was seen unless it was asked for.
#[test]
fn options_choose_the_engine_of_a_console() {
    let folder = tempfile::tempdir().unwrap();
    let said = |words: &[&str], code| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        let out = command.arg("play").args(words).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
        assert_eq!(out.status.code(), Some(code), "{out:?}");
        String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap()
    };
    let told = said(&["chess", "--option", "Eval=nnue", "--nodes", "200", "-c", "Nf3; eval; quit"], 0);
    assert!(
        told.contains("Chess with the engine of `tesuji uci`") && told.contains("what each piece is worth"),
        "{told}"
    );
    assert!(told.contains("3 . . . . . N . .\n"), "{told}");
    let told = said(&["chess", "--option", "Evl=nnue"], 2);
    assert!(told.contains("--option Evl=nnue: ") && told.contains("\"Eval\""), "{told}");
    let told = said(&["shogi", "--option", "Hash=2", "--nodes", "100", "-c", "P-7f; quit"], 0);
    assert!(told.contains("|   |   | P |   |") && told.contains("my move: ") && told.contains("☖"), "{told}");
}
