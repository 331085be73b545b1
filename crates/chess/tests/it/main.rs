//! The rules of chess against the invariants of all games, published counts, and two independent generators.

mod fens;
mod oracles;
mod published;

use tesuji_chess::{Board, Chess, Rules, fen};
use tesuji_game::{Game, Outcome, Position};
use tesuji_testkit::conform;

/// Start positions of both variants and some with much to do.
fn starts() -> Vec<Board> {
    let fens = [
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", false),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", false),
        ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", false),
        ("bnrkrqnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKRQNB w KQkq - 0 1", true),
        ("1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9", true),
    ];
    let read = |(text, chess960): &(&str, bool)| {
        fen::parse(text, &Rules { chess960: *chess960, ..Rules::default() }, fen::Care::Strict)
            .unwrap_or_else(|e| panic!("{text}: {e}"))
    };
    std::iter::once(Board::start()).chain(fens.iter().map(read)).collect()
}

#[test]
fn chess_keeps_the_invariants() {
    for start in starts() {
        conform::position_invariants(&start, 0..6);
        conform::tactical_invariants(&start, 0..12);
    }
    let foretold = conform::keys_foretold(&Board::start(), 0..12);
    assert!(foretold > 0.95, "{foretold} of the keys");
    conform::notation_invariants::<Chess>(&Rules::default(), 0..10);
    conform::notation_invariants::<Chess>(&Rules { chess960: true, ..Rules::default() }, 10..20);
}

#[test]
fn keys_and_pins_stay_consistent() {
    for start in starts() {
        conform::random_games(&start, 100..140, |line, _| assert!(line.here().is_consistent(), "{:?}", line.here()));
    }
}

/// The rule book without any shortcut: all positions compared with all, material looked at piece by piece.
fn slow_rules(all: &[Board]) -> Option<Outcome> {
    use tesuji_game::By;
    let here = all[all.len() - 1];
    let same = |b: &Board| b.fresh_key() == here.fresh_key();
    let pieces: Vec<char> = fen::to_string(&here).split(' ').next()?.chars().filter(|c| c.is_alphabetic()).collect();
    let minor = |c: &&char| "nN".contains(**c) || "bB".contains(**c);
    let only_minors = pieces.iter().filter(|c| !"kK".contains(**c)).all(|c| minor(&c));
    let bishops_alone = pieces.iter().all(|c| "kKbB".contains(*c));
    let colours: std::collections::HashSet<u8> =
        here.pieces(tesuji_chess::Piece::Bishop).map(|square| (square.file() + square.rank()) % 2).collect();
    if (only_minors && pieces.len() <= 3) || (bishops_alone && colours.len() <= 1) {
        return Some(Outcome::draw(By::Material));
    }
    if all.iter().filter(|b| same(b)).count() >= 3 {
        return Some(Outcome::draw(By::Repetition));
    }
    (here.halfmove_clock() >= 100).then_some(Outcome::draw(By::MoveRule))
}

#[test]
fn games_end_by_the_rule_book() {
    let rules = Rules::default();
    let endings =
        ["8/8/4k3/8/8/3K4/8/6NN w - - 0 1", "4k3/8/8/8/8/8/3B4/4KB2 w - - 90 80", "8/5k2/8/8/8/2B5/8/4KB1b w - - 0 1"];
    for text in endings {
        let start = fen::parse(text, &rules, fen::Care::Strict).expect("a position");
        conform::rule_book(&start, 0..40, slow_rules);
    }
    conform::rule_book(&Chess::start(&rules), 0..6, slow_rules);
}

#[test]
fn mate_comes_before_the_fifty_move_rule() {
    let rules = Rules::default();
    let mated = fen::parse("R5k1/5ppp/8/8/8/8/8/4K3 b - - 100 90", &rules, fen::Care::Strict).expect("a position");
    assert!(!mated.has_moves() && mated.ended(&[], 0).is_none());
    assert_eq!(mated.no_legal_moves().winner, Some(tesuji_chess::WHITE));
    let checked = fen::parse("R5k1/5pp1/8/8/8/8/8/4K3 b - - 100 90", &rules, fen::Care::Strict).expect("a position");
    assert_eq!(checked.ended(&[], 0), Some(Outcome::draw(tesuji_game::By::MoveRule)));
}
