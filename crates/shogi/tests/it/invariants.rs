//! The invariants that every game keeps, along random games from several starts.

use std::collections::HashMap;
use tesuji_game::{By, Game, Line, Mating, Outcome, Position, Side};
use tesuji_shogi::{Board, Declaration, Handicap, Rules, Shogi, sfen};
use tesuji_testkit::conform;

/// Starts of different kinds: the usual one, a handicap, an endgame in which everything drops, a problem with one king.
fn starts() -> Vec<Board> {
    let handicap = Rules { handicap: Handicap::Two, ..Rules::default() };
    vec![
        Shogi::start(&Rules::default()),
        Shogi::start(&handicap),
        sfen::parse("8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124")
            .expect("a position"),
        sfen::parse("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1").expect("a position"),
        sfen::parse("4k4/9/9/9/9/9/9/9/4K4 b R2Pr2p 1").expect("a position"),
    ]
}

#[test]
fn moves_keys_and_undo() {
    for start in starts() {
        conform::position_invariants(&start, 0..2);
    }
}

#[test]
fn searches_are_told_the_truth() {
    for start in starts() {
        conform::tactical_invariants(&start, 0..3);
        assert_eq!(conform::keys_foretold(&start, 0..3), 1.0);
    }
}

#[test]
fn hands_are_known_beforehand() {
    for start in starts() {
        conform::random_games(&start, 0..3, |line, _| {
            for mv in line.here().legal_moves() {
                let mut next = *line.here();
                next.play(mv);
                let mover = line.here().side_to_move();
                assert_eq!(line.here().hand_before(mv, next.hand(mover)), line.here().hand(mover), "{mv}");
            }
        });
    }
}

#[test]
fn texts() {
    conform::notation_invariants::<Shogi>(&Rules::default(), 0..3);
    conform::notation_invariants::<Shogi>(&Rules { handicap: Handicap::Six, declaration: Declaration::Try }, 0..3);
}

/// What follows from the board is right after every move, and so are the announced changes.
#[test]
fn boards_stay_consistent() {
    for start in starts() {
        conform::random_games(&start, 0..10, |line, _| assert!(line.here().is_consistent(), "{}", line.here()));
    }
}

/// The rule book written down once more, slowly, with whole positions.
fn slow_rules(all: &[Board]) -> Option<Outcome> {
    let here = all[all.len() - 1];
    let text = |board: &Board| {
        let whole = board.to_string();
        whole.rsplit_once(' ').map(|(head, _)| head.to_string()).expect("a move number")
    };
    let now = text(&here);
    let same: Vec<usize> = (0..all.len()).filter(|&i| text(&all[i]) == now).collect();
    if same.len() < 4 {
        return None;
    }
    let since = &all[same[0] + 1..];
    let checked = |side: Side| {
        let mut turns = since.iter().filter(|board| board.side_to_move() == side).peekable();
        turns.peek().is_some() && turns.all(|board| board.checkers().any())
    };
    Some(match (checked(Side::First), checked(Side::Second)) {
        (true, false) => Outcome::win(Side::First, By::Repetition),
        (false, true) => Outcome::win(Side::Second, By::Repetition),
        _ => Outcome::draw(By::Repetition),
    })
}

#[test]
fn repetition_is_that_of_the_rule_book() {
    let few = ["4k4/9/9/9/9/9/9/9/4K4 b - 1", "k8/9/9/9/9/9/9/9/1R2K4 b - 1", "k8/9/9/9/9/9/9/9/8K w r 1"];
    let mut ends: HashMap<String, usize> = HashMap::new();
    for sfen in few {
        let start = sfen::parse(sfen).expect("a position");
        conform::rule_book(&start, 0..3, slow_rules);
        conform::random_games(&start, 0..20, |line: &Line<Board>, _| {
            if let Some(outcome) = line.outcome() {
                *ends.entry(format!("{outcome:?}")).or_default() += 1;
            }
        });
    }
    assert!(ends.keys().any(|end| end.contains("Repetition")), "{ends:?}");
}
