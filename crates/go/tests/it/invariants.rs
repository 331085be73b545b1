//! The invariants of every game, legality under every ko rule against the slow board, and scores of random games.

use crate::slow::Slow;
use tesuji_game::{Line, Notation, Outcome, Position, Random, Side};
use tesuji_go::{Area, CellSet, Go, GoPosition, GtpNotation, Ko, Large, Medium, Move, Rules, Small, Vertex, door};
use tesuji_record::AnyGame;
use tesuji_testkit::conform;

const RULES: [&str; 8] = [
    "2x2 tromp-taylor",
    "3x2 japanese komi 0.5",
    "3 new-zealand",
    "4x3 aga",
    "5 chinese komi 3",
    "5x4 aga-button",
    "9 stone-scoring handicap 3",
    "9x7 japanese suicide yes",
];

#[test]
fn positions_keep_the_invariants() {
    for text in RULES {
        let rules: Rules = text.parse().unwrap();
        conform::position_invariants(&GoPosition::<Small>::start(&rules).unwrap(), 0..6);
        conform::tactical_invariants(&GoPosition::<Small>::start(&rules).unwrap(), 0..2);
        conform::notation_invariants::<Go<Small>>(&rules, 0..6);
    }
    let rules: Rules = "13x19 komi 5.5 ko situational".parse().unwrap();
    conform::position_invariants(&GoPosition::<Medium>::start(&rules).unwrap(), 0..1);
    let rules: Rules = "25 japanese handicap 9".parse().unwrap();
    conform::notation_invariants::<Go<Large>>(&rules, 0..1);
}

/// Plays random legal moves (superko and suicide included) on both boards; all points must agree all the time.
fn agree<A: Area>(rules: &Rules, seed: u64) -> (usize, usize) {
    let mut random = Random::new(seed);
    let mut line: Line<GoPosition<A>> = Line::new(GoPosition::start(rules).unwrap());
    let mut slow = Slow::new(rules.size.width(), rules.size.height());
    let ko = match rules.ko {
        Ko::Simple => "simple",
        Ko::Positional => "positional",
        Ko::Situational => "situational",
    };
    let (mut moves, mut refused, mut suicides) = (Vec::new(), 0, 0);
    for _ in 0..14 * rules.size.points() {
        line.legal_moves(&mut moves);
        refused += line.here().count_moves() - moves.len();
        for at in slow.all() {
            let mv = Move::at(Vertex { x: at.0 as u8, y: at.1 as u8 });
            assert_eq!(moves.contains(&mv), slow.is_legal(at, ko, rules.suicide), "{mv} {:?}", line.here());
        }
        if line.here().passes() > 0 {
            assert_eq!(line.here().margin_halves(&CellSet::of([])), 2 * slow.area() - rules.komi_halves as i32);
        }
        // Passes are rare, so that games go through many captures.
        let mv = if random.below(12) == 0 { Move::PASS } else { moves[random.below(moves.len())] };
        slow = match mv.vertex() {
            Some(vertex) => {
                let (next, _, lost) = slow.after((vertex.x as i32, vertex.y as i32));
                suicides += (lost > 0) as usize;
                next
            }
            None => slow.pass(),
        };
        line.push(mv);
    }
    (refused, suicides)
}

#[test]
fn all_ko_rules_agree_with_the_slow_board() {
    for ko in ["simple", "positional", "situational"] {
        for suicide in ["no", "yes"] {
            let (mut refused, mut suicides) = (0, 0);
            for (size, games) in [("2x2", 12), ("2x3", 12), ("3x3", 12), ("4x3", 8), ("5x5", 2)] {
                let rules: Rules = format!("{size} ko {ko} suicide {suicide} komi 0.5").parse().unwrap();
                for seed in 0..games {
                    let (r, s) = agree::<Small>(&rules, seed);
                    (refused, suicides) = (refused + r, suicides + s);
                }
                agree::<Large>(&rules, 99);
            }
            assert_eq!(refused > 100, ko != "simple", "{refused} moves refused by {ko} superko");
            assert_eq!(suicides > 20, suicide == "yes", "{suicides} suicides");
        }
    }
}

/// Two counted passes end the game; a situation that comes for the third time does under simple ko.
#[test]
fn games_end_by_the_book() {
    for text in RULES {
        let rules: Rules = text.parse().unwrap();
        conform::rule_book(&GoPosition::<Small>::start(&rules).unwrap(), 0..20, |all| {
            let here = &all[all.len() - 1];
            if here.passes() >= 2 {
                return Some(here.result(&here.dead_by_rule()));
            }
            let same = |p: &&GoPosition<Small>| {
                p.side_to_move() == here.side_to_move() && p.board().stones().eq(here.board().stones())
            };
            let times = all.iter().filter(same).count();
            let back = rules.ko == Ko::Simple && times >= 3;
            back.then_some(Outcome::draw(tesuji_game::By::Repetition))
        });
    }
}

#[test]
fn the_button_is_no_pass() {
    let rules: Rules = "3 aga-button komi 0".parse().unwrap();
    let mut line: Line<GoPosition<Small>> = Line::new(GoPosition::start(&rules).unwrap());
    line.push(Move::PASS);
    line.push(Move::PASS);
    assert_eq!((line.here().button(), line.outcome()), (Some(Side::First), None));
    line.push(Move::PASS);
    assert_eq!(line.outcome().map(|o| o.winner), Some(Some(Side::First)));
    line.pop();
    line.pop();
    line.pop();
    assert_eq!(line.here().button(), None);
}

#[test]
fn turned_boards_are_the_same_game() {
    let mut random = Random::new(5);
    let rules: Rules = "5x4 ko simple".parse().unwrap();
    let mut pos: GoPosition<Small> = GoPosition::start(&rules).unwrap();
    for _ in 0..120 {
        let mut moves = Vec::new();
        let _ = pos.for_each_move(|mv| {
            moves.push(mv);
            std::ops::ControlFlow::<()>::Continue(())
        });
        let mv = moves[random.below(moves.len())];
        for symmetry in tesuji_go::Symmetry::ALL {
            let mut turned = pos.turned(symmetry);
            assert_eq!(turned.turned(symmetry.inverse()), pos);
            assert_eq!(turned.count_moves(), moves.len());
            turned.play(symmetry.apply_move(mv, pos.size()));
            let mut next = pos.clone();
            next.play(mv);
            assert_eq!(turned, next.turned(symmetry));
            assert_eq!(turned.key(), next.turned(symmetry).key());
        }
        pos.play(mv);
    }
}

#[test]
fn the_door_finds_the_capacity() {
    let door = door(&[]);
    for (rules, start, expect) in [
        ("", None, "19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19 b komi 7.5"),
        ("japanese", Some("5 komi 0.5"), "5/5/5/5/5 b komi 0.5"),
        ("2 komi 0", None, "2/2 b komi 0"),
        ("25x2 nz", None, "25/25 b komi 7"),
    ] {
        let mut table = door.table(rules, start).unwrap();
        assert_eq!(table.position(), expect);
        assert_eq!(table.play("pass"), Ok(()));
        assert!(table.play("A1").is_ok() && table.play("a1").is_err() && table.undo());
    }
    assert!(door.table("chinese", Some("26")).is_err() && door.table("foo", None).is_err());
    // Superko through the door: taking the ko back at once, and after two passes elsewhere, is refused.
    let mut table = door.table("4x3 tromp-taylor", Some("1XO1/X1XO/1XO1 w")).unwrap();
    assert_eq!(table.play("B2"), Ok(()));
    assert!(table.play("C2").is_err());
    assert!(table.play("pass").is_ok() && table.play("pass").is_ok() && table.play("C2").is_err());
    let mut table = door.table("4x3 chinese", Some("1XO1/X1XO/1XO1 w")).unwrap();
    assert!(table.play("B2").is_ok() && table.play("pass").is_ok() && table.play("pass").is_ok());
    assert_eq!(table.play("C2"), Ok(()));
}

#[test]
fn moves_are_read_as_gtp_writes_them() {
    let pos: GoPosition<Small> = GtpNotation::parse_position(&Rules::default(), "1X2/X1X1/1X2 w").unwrap();
    assert_eq!(GtpNotation::parse_move(&pos, "PASS"), Ok(Move::PASS));
    assert!(GtpNotation::parse_move(&pos, "d1").is_ok());
    for bad in ["B2", "B1", "A1", "E1", "i1", "", "resign", "A0"] {
        assert!(GtpNotation::parse_move(&pos, bad).is_err(), "{bad}");
    }
}
