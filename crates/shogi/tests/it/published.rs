//! Published counts of move sequences.

use tesuji_shogi::{perft, sfen};

/// The last count is asked for under SLOW=1 only.
#[track_caller]
fn check(sfen: &str, counts: &[u64]) {
    let board = sfen::parse(sfen).expect("a position");
    let slow = tesuji_testkit::needs::slow("the deepest count");
    let asked = if slow { counts.len() } else { counts.len() - 1 };
    for (depth, &count) in counts[..asked].iter().enumerate() {
        assert_eq!(perft::count(&board, depth as u32 + 1), count, "depth {} of {sfen}", depth + 1);
    }
}

const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

#[test]
fn start() {
    check(sfen::START, &[30, 900, 25_470, 719_731, 19_861_490, 547_581_517]);
}

#[test]
fn most_moves() {
    check("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", &[593, 105_677, 53_393_368]);
}

#[test]
fn matsuri() {
    check(MATSURI, &[207, 28_684, 4_809_015, 516_925_165]);
}

#[test]
fn middlegame() {
    check("8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124", &[178, 18_041, 2_552_846]);
}

/// The same counts through the trait, with keys and undo.
#[test]
fn the_trait_counts_the_same() {
    for (sfen, count) in [(sfen::START, 25_470), (MATSURI, 28_684)] {
        let mut board = sfen::parse(sfen).expect("a position");
        let depth = if sfen == MATSURI { 2 } else { 3 };
        assert_eq!(tesuji_testkit::perft::count_by_trait(&mut board, depth), count);
    }
}
