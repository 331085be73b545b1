//! Short mates by trying everything: published lengths against the generator of checks and the rules of evasion.

use std::ops::ControlFlow::Continue;
use tesuji_game::{Mating, Position, Random};
use tesuji_shogi::{Board, Move, sfen};

/// Problems and the lengths of their shortest mates, futile interpositions counted as moves.
const KNOWN: [(&str, u32); 6] = [
    ("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", 1),
    ("5+R1nl/9/1p1p2sp1/4pLk1p/p3+b1p2/1+RB2P+s1P/P3+p3K/6GL1/3P2GNL b 2GS3Ps2n3p 1", 1),
    ("+B+R5n1/5gk2/p1pps1gp1/4ppnsK/6pP1/1PPSP3L/PR1P1PP2/6S2/L2G1G3 w B2N2LP2p 1", 3),
    ("3sks3/9/4+P4/9/9/+B8/9/9/9 b S2rb4gs4n4l17p 1", 3),
    ("7+P1/5R1s1/6ks1/9/5L1p1/9/9/9/9 b R2b4g2s4n3l16p 1", 3),
    ("l3k2nl/4g1gb1/1+S1pspp+P1/p1p6/3n4p/2PPR1P2/P2bPP2P/5GS2/LN1K4L w R2Pgsn2p 50", 3),
];

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

fn checks(board: &Board) -> Vec<Move> {
    let mut moves = Vec::new();
    let _ = board.for_each_check(|mv| {
        moves.push(mv);
        Continue::<(), ()>(())
    });
    moves
}

/// Whether the side to move mates in at most `plies`, giving check with every move.
fn mates(board: &Board, plies: u32) -> bool {
    checks(board).into_iter().any(|mv| {
        let mut next = *board;
        next.play(mv);
        is_mated(&next, plies - 1)
    })
}

/// Whether the side to move, in check, is mated within `plies` whatever it does.
fn is_mated(board: &Board, plies: u32) -> bool {
    if plies == 0 {
        return !board.has_moves();
    }
    board.legal_moves().into_iter().all(|mv| {
        let mut next = *board;
        next.play(mv);
        mates(&next, plies - 1)
    })
}

fn shortest(board: &Board, plies_max: u32) -> Option<u32> {
    (1..=plies_max).step_by(2).find(|&plies| mates(board, plies))
}

#[test]
fn known_problems() {
    for (text, plies) in KNOWN {
        assert_eq!(shortest(&sfen::parse(text).expect("a position"), 3), Some(plies), "{text}");
    }
}

/// Looks at each position of this many games of at most 250 random moves.
fn in_random_games(seed: u64, games: usize, mut look: impl FnMut(&Board)) {
    let mut random = Random::new(seed);
    for _ in 0..games {
        let mut board: Board = sfen::parse(START).expect("the start");
        for _ in 0..250 {
            let moves = board.legal_moves();
            let Some(&mv) = moves.get(random.below(moves.len().max(1))) else { break };
            look(&board);
            board.play(mv);
        }
    }
}

/// In random games: what is found beside the king is a mate, and most mates in one are found.
#[test]
fn mates_beside_the_king_are_mates() {
    let (mut there, mut found) = (0, 0);
    in_random_games(3, 150, |board| {
        let in_one = mates(board, 1);
        there += usize::from(in_one && board.checkers().is_empty());
        if let Some(mate) = board.mate_beside_king() {
            assert!(in_one && board.legal_moves().contains(&mate), "{mate} in {board}");
            let mut next = *board;
            next.play(mate);
            assert!(next.checkers().any() && !next.has_moves(), "{mate} in {board}");
            found += 1;
        }
    });
    println!("{found} of {there} mates in one");
    assert!(there > 200 && found * 10 > there * 7, "{found} of {there}");
}

/// In random games: after a check that is dropped for leaving the king a way out, there is one; most others that do are dropped, too.
#[test]
fn checks_that_let_the_king_go_are_no_mates() {
    let (mut dropped, mut loose) = (0, 0);
    in_random_games(11, 300, |board| {
        let all = checks(board);
        let mut close = all.clone();
        board.keep_close(&mut close);
        for &check in &all {
            let mut next = *board;
            next.play(check);
            let king = next.king(next.side_to_move());
            let steps_away = next.legal_moves().iter().any(|mv| mv.from() == king && mv.to() != check.to());
            if !close.contains(&check) {
                assert!(steps_away, "{check} in {board}");
                dropped += 1;
            }
            loose += u32::from(steps_away);
        }
    });
    println!("{dropped} of {loose} checks from which the king steps away");
    assert!(dropped > 10_000 && dropped * 10 > loose * 9, "{dropped} of {loose}");
}

/// The problems of the project's data: all parse, short mates have just the length given, and long ones no shorter.
#[test]
fn published_problems() {
    let Some(path) = tesuji_testkit::needs::data("tsume.tsv") else { return };
    let text = std::fs::read_to_string(&path).expect("the problems");
    let plies_max = 7;
    let refuted_plies = if tesuji_testkit::needs::is_slow() { 7 } else { 5 };
    let mut solved = 0;
    for row in text.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [name, position, plies, ..] = fields[..] else { panic!("{row}") };
        let board = sfen::parse(position).unwrap_or_else(|e| panic!("{name}: {e}"));
        match plies.parse::<u32>() {
            Ok(plies) if plies <= plies_max => {
                assert_eq!(shortest(&board, plies), Some(plies), "{name}");
                solved += 1;
            }
            Ok(_) => assert_eq!(shortest(&board, refuted_plies), None, "{name}"),
            Err(_) if plies == "nomate" => assert_eq!(shortest(&board, refuted_plies), None, "{name}"),
            Err(_) => {}
        }
    }
    eprintln!("solved {solved} problems of up to {plies_max} plies");
    assert!(solved >= 40, "{solved}");
}
