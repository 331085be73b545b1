//! Published perft counts: `tests/data/*.txt` hold `FEN ;D1 n ;D2 n …` lines, `#` comments, `960` after the FEN of Chess960.

use tesuji_chess::{Rules, fen, perft};

/// Counts up to this many leaves are checked in the ordinary run.
const LEAVES_MAX: u64 = 1_000_000;

/// The lines of both tables.
fn table() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("../data/perft.txt").lines().chain(include_str!("../data/perft960.txt").lines());
    lines.filter(|l| !l.is_empty() && !l.starts_with('#'))
}

#[test]
fn counts_are_the_published_ones() {
    let slow = tesuji_testkit::needs::is_slow();
    let (limit, mut lines) = (if slow { 400_000_000 } else { LEAVES_MAX }, 0);
    for line in table() {
        let mut parts = line.split(';').map(str::trim);
        let head = parts.next().expect("a position");
        let (text, chess960) = head.strip_suffix(" 960").map_or((head, false), |t| (t, true));
        let board = fen::parse(text, &Rules { chess960, ..Rules::default() }, fen::Care::Lenient)
            .unwrap_or_else(|e| panic!("{text}: {e}"));
        for part in parts {
            let (name, count) = part.split_once(' ').expect("Dn count");
            let count: u64 = count.parse().expect("a count");
            let depth: u32 = name.strip_prefix('D').and_then(|n| n.parse().ok()).expect("a depth");
            if count <= limit {
                assert_eq!(perft::count(&board, depth), count, "{text} at depth {depth}");
            }
        }
        lines += 1;
    }
    assert!(lines >= 200, "the tables were read");
}

#[test]
fn the_fast_path_equals_the_trait() {
    for line in table() {
        let head = line.split(';').next().expect("a position").trim();
        let (text, chess960) = head.strip_suffix(" 960").map_or((head, false), |t| (t, true));
        let mut board =
            fen::parse(text, &Rules { chess960, ..Rules::default() }, fen::Care::Lenient).expect("a position");
        let before = board;
        let split: u64 = board.legal_moves().into_iter().map(|mv| perft::below(&board, mv, 3)).sum();
        assert_eq!(perft::count(&board, 3), tesuji_testkit::perft::count_by_trait(&mut board, 3), "{text}");
        assert_eq!(split, perft::count(&board, 3), "{text}");
        assert_eq!(board, before);
    }
}
