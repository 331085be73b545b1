//! Counting the move sequences of a go game: the first test of rules, superko and passes included.

use crate::{Area, GoPosition, Ko, Move};
use std::ops::ControlFlow::Continue;
use tesuji_game::{Line, Position};

/// The number of legal sequences of `depth` plies after `line`. Games that end earlier count where they end: not at all.
pub fn count<A: Area>(line: &mut Line<GoPosition<A>>, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if line.outcome().is_some() {
        return 0;
    }
    if depth == 1 && line.here().rules().ko == Ko::Simple {
        return line.here().count_moves() as u64;
    }
    let mut moves = Vec::new();
    line.legal_moves(&mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.into_iter().map(|mv| below(line, mv, depth)).sum()
}

/// The count below one legal move: what a thread does.
pub fn below<A: Area>(line: &mut Line<GoPosition<A>>, mv: Move, depth: u32) -> u64 {
    line.push(mv);
    let n = count(line, depth.saturating_sub(1));
    line.pop();
    n
}

/// The number of boards of a size on which every chain has a liberty (Tromp and Farneback, "Combinatorics of Go", 2007),
/// by trying all of them: for sizes of up to 16 points.
pub fn legal_boards<A: Area>(start: &GoPosition<A>) -> u64 {
    let points: Vec<_> = crate::Vertex::all(start.size()).collect();
    let all = 3u64.pow(points.len() as u32);
    let mut legal = 0;
    for code in 0..all {
        let mut rest = code;
        let stones = points.iter().filter_map(|&vertex| {
            let digit = rest % 3;
            rest /= 3;
            (digit > 0).then(|| (vertex, tesuji_game::Side::ALL[digit as usize - 1]))
        });
        legal += crate::Board::<A>::with_stones(start.size(), stones).is_some() as u64;
    }
    legal
}

/// Calls `f` with every position that legal moves reach from `pos`, each board once, the side to move chosen freely.
pub fn for_each_reachable<A: Area>(pos: &GoPosition<A>, mut f: impl FnMut(&GoPosition<A>)) {
    let mut seen = std::collections::HashSet::from([pos.board().key()]);
    let mut open = vec![pos.clone()];
    while let Some(here) = open.pop() {
        f(&here);
        for side in tesuji_game::Side::ALL {
            // Setting up forgets ko and passes: another way could have led here.
            let Ok(free) = GoPosition::<A>::with_stones(here.rules(), here.board().stones(), side) else { continue };
            let _ = free.for_each_move(|mv| {
                let mut next = free.clone();
                next.play(mv);
                if seen.insert(next.board().key()) {
                    open.push(next);
                }
                Continue::<(), ()>(())
            });
        }
    }
}
