//! Matches of Chess960 between engines that castle in different words.

use crate::match_::{engine, games, run};

#[test]
fn xboard_engines_castle_in_chess960() {
    let folder = tempfile::tempdir().unwrap();
    // Castling is one of few moves here.
    let boards = ["r2k3r/p6p/8/8/8/8/P6P/R2K3R w KQkq", "1r2k1r1/p7/8/8/8/8/P7/1R2K1R1 b GBgb"];
    // Random movers move otherwise where a position differs in anything.
    let lines = (0..12).flat_map(|age| boards.map(|board| format!("{board} - {age} 9\n")));
    std::fs::write(folder.path().join("book.fen"), lines.collect::<String>()).unwrap();
    let play = |protocol: &str| {
        let engines = [engine("A", "--seed 1"), engine("B", &format!("--seed 2 --proto {protocol}"))];
        let file = format!("{protocol}.pgn");
        let args = ["--engine", &engines[0], "--engine", &engines[1], "--rules", "chess960", "--openings", "book.fen"];
        let more = ["--order", "sequential", "--nodes", "1", "--games", "48", "--max-plies", "20", "--pgn-out", &file];
        let (code, stdout, errors) = run(folder.path(), &[&args[..], &more, &["--seed", "1", "--quiet"]].concat());
        assert!(code == 0 && stdout.contains("Games: 48, "), "{protocol}: {code} {stdout}{errors}");
        games(&folder.path().join(&file))
    };
    let games = play("uci");
    assert!(games.iter().any(|g| g.contains(" O-O ")) && games.iter().any(|g| g.contains(" O-O-O ")), "{games:?}");
    assert_eq!(play("xboard"), games);
}

/// Without `--rules chess960` the rights were dropped, by us and in the PGN.
#[test]
fn openings_of_chess960_lost_their_castling_rights() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("book.epd"), "r2k3r/p6p/8/8/8/8/P6P/R2K3R w HAha - id \"one\";\n").unwrap();
    let engines = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    let args = ["--engine", &engines[0], "--engine", &engines[1], "--openings", "book.epd", "--nodes", "1"];
    let more = ["--games", "16", "--max-plies", "8", "--pgn-out", "all.pgn", "--seed", "1", "--quiet"];
    let (code, stdout, errors) = run(folder.path(), &[&args[..], &more].concat());
    assert!(code == 0 && stdout.contains("Games: 16, "), "{code} {stdout}{errors}");
    let pgn = std::fs::read_to_string(folder.path().join("all.pgn")).unwrap();
    assert_eq!(pgn.matches("[Variant \"Chess960\"]").count(), 16, "{pgn}");
    assert_eq!(pgn.matches("R2K3R w KQkq - 0 1\"]").count(), 16, "{pgn}");
}

#[test]
fn perft_ignored_rules_and_dropped_rights() {
    let perft = |more: &[&str]| {
        let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tesuji"));
        let out = command.args(["perft", "chess", "--depth", "3", "--fen", fen]).args(more).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (out.status.code(), text(out.stdout) + &text(out.stderr))
    };
    for more in [&[][..], &["--rules", "chess960"], &["--chess960"]] {
        let (code, text) = perft(more);
        assert!(code == Some(0) && text.contains("12189") && text.contains("w KQkq"), "{text}");
    }
    let (code, text) = perft(&["--rules", "standard"]);
    assert!(code == Some(2) && text.contains("castling rights: standard chess has no such right"), "{text}");
    let (code, text) = perft(&["--rules", "nonsense"]);
    assert!(code == Some(2) && text.contains("--rules \"nonsense\""), "{text}");
}
