//! Published figures, and small boards searched to the end: legal positions, sequences, Benson's theorem, ladders.

use crate::slow::{At, Slow};
use std::collections::HashSet;
use tesuji_game::{Line, Random, Side};
use tesuji_go::{Area, Cell, CellSet, GoPosition, Rules, Size, Small, Vertex, ladder, ladder::Fate, life, perft};

fn start(rules: &str) -> GoPosition<Small> {
    GoPosition::start(&rules.parse::<Rules>().unwrap()).unwrap()
}

/// John Tromp's numbers of legal positions (tromp.github.io/go/legal.html; OEIS A094777 for squares).
#[test]
fn legal_positions_are_as_many_as_tromp_found() {
    assert_eq!(perft::legal_boards(&start("2x2")), 57);
    assert_eq!(perft::legal_boards(&start("3x3")), 12_675);
    if !tesuji_testkit::needs::slow("counts the legal positions of 4x4") {
        return;
    }
    assert_eq!(perft::legal_boards(&start("4x4")), 24_318_165);
}

/// Every legal position can be reached by moves.
#[test]
fn moves_reach_every_legal_position() {
    for (size, expect) in [("2x2", 57), ("3x3", 12_675)] {
        let mut reached = 0;
        perft::for_each_reachable(&start(size), |_| reached += 1);
        assert_eq!(reached, expect, "{size}");
    }
}

fn slow_count(slow: &Slow, ko: &str, suicide: bool, passes: u32, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if passes == 2 {
        return 0;
    }
    let stones = slow.all().filter(|&at| slow.is_legal(at, ko, suicide));
    let stones: u64 = stones.map(|at| slow_count(&slow.after(at).0, ko, suicide, 0, depth - 1)).sum();
    stones + slow_count(&slow.pass(), ko, suicide, passes + 1, depth - 1)
}

#[test]
fn sequences_are_as_many_as_on_the_slow_board() {
    for (rules, ko, suicide, depth) in [
        ("2x2 tromp-taylor", "positional", true, 8),
        ("2x2 ko situational", "situational", false, 7),
        ("2x3 ko positional", "positional", false, 6),
        ("3x3 tromp-taylor", "positional", true, 4),
        ("3x3 chinese", "simple", false, 4),
        ("5x4 new-zealand", "situational", true, 3),
    ] {
        let pos = start(rules);
        let slow = Slow::new(pos.size().width(), pos.size().height());
        for depth in 1..=depth {
            let expect = slow_count(&slow, ko, suicide, 0, depth);
            assert_eq!(perft::count(&mut Line::new(pos.clone()), depth), expect, "{rules} to depth {depth}");
        }
    }
}

fn cell(at: At) -> Cell {
    Small::cell(Vertex { x: at.0 as u8, y: at.1 as u8 })
}

/// A random board on which every chain has liberties.
fn random_board(size: Size, random: &mut Random, fill: usize) -> Slow {
    loop {
        let mut slow = Slow::new(size.width(), size.height());
        for at in slow.all() {
            if random.below(10) < fill {
                slow.set(at, if random.below(3) == 0 { 'O' } else { 'X' });
            }
        }
        if slow.all().all(|at| slow.get(at) == '.' || !slow.liberties(at).is_empty()) {
            return slow;
        }
    }
}

fn board_of(slow: &Slow, side: Side) -> GoPosition<Small> {
    let stones = slow.all().filter(|&at| slow.get(at) != '.').map(|at| {
        let side = if slow.get(at) == 'X' { Side::First } else { Side::Second };
        (Vertex { x: at.0 as u8, y: at.1 as u8 }, side)
    });
    let size = Size::new(slow.width as usize, slow.height as usize).unwrap();
    GoPosition::with_stones(&Rules { size, ..Rules::default() }, stones, side).unwrap()
}

/// The black stones that White can capture when Black always passes, by trying everything.
fn capturable(slow: &Slow, suicide: bool) -> HashSet<At> {
    let black: Vec<At> = slow.all().filter(|&at| slow.get(at) == 'X').collect();
    let mut start = slow.clone();
    start.black_to_move = false;
    let mut seen = HashSet::from([start.cells.clone()]);
    let (mut open, mut lost) = (vec![start], HashSet::new());
    while let Some(here) = open.pop() {
        lost.extend(black.iter().copied().filter(|&at| here.get(at) != 'X'));
        for at in here.all() {
            if here.get(at) != '.' {
                continue;
            }
            let (mut next, _, own) = here.after(at);
            if own == 1 || (own > 1 && !suicide) {
                continue;
            }
            next.black_to_move = false;
            next.before.clear();
            if seen.insert(next.cells.clone()) {
                open.push(next);
            }
        }
    }
    lost
}

/// Benson's theorem: a chain is unconditionally alive if and only if the other side, moving alone, cannot capture it.
#[test]
fn benson_finds_all_that_cannot_be_captured() {
    let mut random = Random::new(76);
    let (mut alive, mut not) = (0, 0);
    let slow_too = tesuji_testkit::needs::is_slow();
    let (rounds, sizes) = if slow_too { (400, 4) } else { (120, 3) };
    for round in 0..rounds {
        let size = [Size::new(3, 3), Size::new(4, 3), Size::new(5, 2), Size::new(4, 4)][round % sizes].unwrap();
        let slow = random_board(size, &mut random, if size.points() > 10 { 8 } else { 7 });
        let pos = board_of(&slow, Side::Second);
        for suicide in [false, true] {
            let lost = capturable(&slow, suicide);
            let life = life::unconditional(pos.board(), Side::First, suicide);
            for at in slow.all().filter(|&at| slow.get(at) == 'X') {
                let safe = life.alive.contains(cell(at));
                assert_eq!(safe, !lost.contains(&at), "{at:?} suicide {suicide} {:?}", pos.board());
                if safe { alive += 1 } else { not += 1 }
            }
            assert!(life.eyes.is_within(&life.territory));
            assert!(life.territory.iter().all(|c| pos.board().colour(c) != tesuji_go::Colour::Black));
        }
    }
    assert!(alive > rounds && not > rounds, "{alive} alive, {not} not");
}

/// The same questions as the ladder reader's, with every move of the defender tried. `None` when `depth` runs out.
fn slow_ladder(slow: &Slow, target: At, attacker_moves: bool, depth: u32) -> Option<bool> {
    let liberties = slow.liberties(target);
    if liberties.len() > 2 {
        return Some(false);
    }
    if depth == 0 {
        return None;
    }
    let colour = slow.get(target);
    let moves: Vec<At> = if attacker_moves { liberties.into_iter().collect() } else { slow.all().collect() };
    let mut unknown = false;
    for at in moves {
        if !slow.is_legal(at, "simple", false) {
            continue;
        }
        let next = slow.after(at).0;
        let captured = next.get(target) != colour;
        let result = if captured { Some(true) } else { slow_ladder(&next, target, !attacker_moves, depth - 1) };
        match result {
            Some(captured) if captured == attacker_moves => return Some(captured),
            None => unknown = true,
            _ => {}
        }
    }
    if unknown { None } else { Some(!attacker_moves) }
}

#[test]
fn ladders_are_read_as_by_trying_everything() {
    let mut random = Random::new(77);
    let (mut captured, mut escaped) = (0, 0);
    for round in 0..150 {
        let size = [Size::new(4, 4), Size::new(5, 4), Size::new(5, 5)][round % 3].unwrap();
        let mut slow = random_board(size, &mut random, 5);
        for at in slow.all().collect::<Vec<_>>() {
            if slow.get(at) == '.' || slow.liberties(at).len() > 2 {
                continue;
            }
            for attacker_moves in [true, false] {
                if !attacker_moves && slow.liberties(at).len() != 1 {
                    continue;
                }
                slow.black_to_move = (slow.get(at) == 'O') == attacker_moves;
                let Some(expect) = slow_ladder(&slow, at, attacker_moves, 5) else { continue };
                let pos = board_of(&slow, Side::First);
                let ask = if attacker_moves { ladder::attack } else { ladder::defend };
                let found = ask(pos.board(), cell(at), 10_000);
                let fate = if expect { Fate::Captured } else { Fate::Escapes };
                assert_eq!(found.fate, fate, "{at:?} {attacker_moves} {:?} {found:?}", pos.board());
                if expect { captured += 1 } else { escaped += 1 }
            }
        }
    }
    assert!(captured > 300 && escaped > 150, "{captured} captured, {escaped} escaped");
}
