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
