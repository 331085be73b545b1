//! The fast board against the slow one along random games, on all capacities, with undo all the way back.

use crate::slow::Slow;
use tesuji_game::{Random, Side};
use tesuji_go::{Area, Board, CellMap, CellSet, Colour, Large, Medium, Size, Small, Vertex};

/// Everything that a board says must be as the slow board finds it.
fn same<A: Area>(board: &Board<A>, slow: &Slow) {
    let mut empties = 0;
    for at in slow.all() {
        let cell = A::cell(Vertex { x: at.0 as u8, y: at.1 as u8 });
        let colour = match slow.get(at) {
            'X' => Colour::Black,
            'O' => Colour::White,
            _ => Colour::Empty,
        };
        assert_eq!(board.colour(cell), colour, "{at:?} {board:?}");
        let count = |c| Slow::around(at).into_iter().filter(|&n| slow.get(n) == c).count();
        assert_eq!(board.empty_neighbours(cell), count('.'));
        assert_eq!(board.own_or_edge_neighbours(cell, Side::First), count('X') + count('#'));
        assert_eq!(board.own_or_edge_neighbours(cell, Side::Second), count('O') + count('#'));
        if colour == Colour::Empty {
            empties += 1;
            assert!(board.empties().contains(&cell));
            continue;
        }
        let name = |at: (i32, i32)| A::cell(Vertex { x: at.0 as u8, y: at.1 as u8 });
        let (stones, liberties) = (slow.flood(at).0, slow.liberties(at));
        assert_eq!(board.stones_in_chain(cell), stones.len(), "{at:?} {board:?}");
        let mut ring: Vec<_> = board.chain_stones(cell).collect();
        ring.sort();
        let mut expect: Vec<_> = stones.iter().map(|&s| name(s)).collect();
        expect.sort();
        assert_eq!(ring, expect, "{at:?} {board:?}");
        assert_eq!(board.liberties(cell), liberties.len(), "{at:?} {board:?}");
        assert_eq!(*board.liberty_set(cell), A::Set::of(liberties.iter().map(|&l| name(l))), "{at:?} {board:?}");
    }
    assert_eq!(board.empties().len(), empties);
    assert_eq!([board.captured(Side::First), board.captured(Side::Second)], slow.captured);
}

fn play<A: Area>(size: Size, seed: u64, plies: usize) {
    let mut random = Random::for_item(seed, size.points() as u64);
    let mut board: Board<A> = Board::new(size);
    let mut slow = Slow::new(size.width(), size.height());
    let suicide = random.below(2) == 0;
    let mut undos = Vec::new();
    for ply in 0..plies {
        let side = if slow.black_to_move { Side::First } else { Side::Second };
        let all: Vec<_> = slow.all().collect();
        let legal = |board: &Board<A>, at: (i32, i32)| {
            let cell = A::cell(Vertex { x: at.0 as u8, y: at.1 as u8 });
            let fits = board.colour(cell) == Colour::Empty && !board.is_ko(side, cell);
            let room = board.own_or_edge_neighbours(cell, !side) < 4;
            board.is_legal(side, cell) || (suicide && fits && board.is_suicide(side, cell) && room)
        };
        if ply % 16 == 0 || size.points() < 30 {
            for &at in &all {
                assert_eq!(legal(&board, at), slow.is_legal(at, "simple", suicide), "{at:?} {suicide} {board:?}");
            }
            same(&board, &slow);
        }
        let tries = (0..20).map(|_| all[random.below(all.len())]);
        let Some(at) = tries.into_iter().find(|&at| legal(&board, at)) else {
            board.pass();
            slow = slow.pass();
            undos.clear();
            continue;
        };
        let cell = A::cell(Vertex { x: at.0 as u8, y: at.1 as u8 });
        let before = (board, board.empties().to_vec(), slow.clone());
        undos.push((board.play_undoable(side, cell), before));
        slow = slow.after(at).0;
        if random.below(6) == 0 {
            // Some steps back, and the game goes on from there.
            for _ in 0..random.below(8).min(undos.len()) {
                let (undo, (then, empties, earlier)) = undos.pop().unwrap();
                board.undo(undo);
                assert_eq!(board, then);
                assert_eq!(board.empties(), empties);
                slow = earlier;
            }
            same(&board, &slow);
        }
    }
    let stones = board.points().filter_map(|c| board.colour(c).side().map(|s| A::keys()[c][s.index()]));
    assert_eq!(board.key(), stones.fold(0, |a, b| a ^ b));
    assert!(A::keys().as_slice().len() == A::CELLS);
}

#[test]
fn boards_agree_along_random_games() {
    for lines in 2..=9 {
        for seed in 0..4 {
            play::<Small>(Size::square(lines).unwrap(), seed, 12 * lines * lines);
        }
    }
    for (w, h) in [(2, 9), (9, 3), (5, 7), (3, 2)] {
        for seed in 0..6 {
            play::<Small>(Size::new(w, h).unwrap(), seed, 12 * w * h);
        }
    }
    for (w, h) in [(10, 10), (19, 19), (13, 11), (2, 19), (5, 5)] {
        play::<Medium>(Size::new(w, h).unwrap(), 1, 2 * w * h);
    }
    for (w, h) in [(25, 25), (20, 21), (25, 2), (4, 4)] {
        play::<Large>(Size::new(w, h).unwrap(), 1, w * h);
    }
}

/// What a move would lead to, predicted and played.
#[test]
fn moves_do_what_was_foretold() {
    let mut random = Random::new(8);
    for lines in [3, 5, 9] {
        let mut board: Board<Small> = Board::new(Size::square(lines).unwrap());
        let (mut side, mut taken, mut selfish) = (Side::First, 0, 0);
        for _ in 0..40 * lines * lines {
            let empties = board.empties().to_vec();
            let legal: Vec<_> = empties.into_iter().filter(|&c| board.is_legal(side, c)).collect();
            for &cell in &legal {
                let mut after = board;
                after.play(side, cell);
                assert_eq!(board.key_after(side, cell), after.key(), "{cell:?} {board:?}");
                assert_eq!(board.liberties_after(side, cell), *after.liberty_set(cell), "{cell:?} {board:?}");
                assert_eq!(board.is_self_atari(side, cell), after.liberties(cell) == 1, "{cell:?} {board:?}");
                taken += (after.captured(!side) > board.captured(!side)) as usize;
                selfish += (after.liberties(cell) == 1) as usize;
            }
            match legal.is_empty() {
                true => board.pass(),
                false => board.play(side, legal[random.below(legal.len())]),
            }
            side = !side;
        }
        assert!(taken > 100 && selfish > 100, "{taken} captures, {selfish} self-ataris");
    }
}
