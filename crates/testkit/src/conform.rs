//! The invariants that every game keeps, checked along random games. A new game gets all of them for one line.

use std::{
    collections::HashSet,
    fmt::Debug,
    ops::{ControlFlow::Continue, Range},
};
use tesuji_game::{Evaluator, Game, Line, Notation, Outcome, Position, Random, Tactical};

/// The most plies of a random game.
const PLIES_MAX: usize = 300;

/// Plays one random game for each seed from `start` and calls `check` at every position reached.
pub fn random_games<P: Position>(start: &P, seeds: Range<u64>, mut check: impl FnMut(&Line<P>, &mut Random)) {
    let mut moves = Vec::new();
    for seed in seeds {
        let mut random = Random::new(seed);
        let mut line = Line::new(start.clone());
        while line.len() < PLIES_MAX {
            check(&line, &mut random);
            line.legal_moves(&mut moves);
            if moves.is_empty() || line.outcome().is_some() {
                break;
            }
            line.push(moves[random.below(moves.len())]);
        }
    }
}

/// The invariants of [`Position`]: undo restores, counts agree, `unpack` is the inverse of `pack` and `None` for every other
/// word, packed moves are never 0, no move comes twice, a line's key equals the key of the same moves played again.
///
/// # Panics
/// When an invariant is broken, with the position's moves.
pub fn position_invariants<P>(start: &P, seeds: Range<u64>)
where
    P: Position + PartialEq + Debug,
{
    random_games(start, seeds, |line, random| {
        let pos = line.here();
        let mut moves = Vec::new();
        let _ = pos.for_each_move(|mv| {
            moves.push(mv);
            Continue::<(), ()>(())
        });
        let trail: Vec<_> = line.moves().collect();
        assert_eq!(moves.len(), pos.count_moves(), "count_moves after {trail:?}");
        assert_eq!(!moves.is_empty(), pos.has_moves(), "has_moves after {trail:?}");
        let words: HashSet<u16> = moves.iter().map(|&mv| P::pack(mv)).collect();
        assert_eq!(words.len(), moves.len(), "two moves share a word after {trail:?}");
        assert!(!words.contains(&0), "a move packs to 0 after {trail:?}");
        for &mv in &moves {
            assert_eq!(pos.unpack(P::pack(mv)), Some(mv), "after {trail:?}");
            let mut next = pos.clone();
            let undo = next.play_seen(mv, |_| ());
            next.undo(mv, undo);
            assert_eq!(&next, pos, "undo of {mv:?} after {trail:?}");
            assert_eq!(next.key(), pos.key(), "undo of {mv:?} after {trail:?}");
        }
        // All 65,536 words are tried now and then, since it takes long.
        if random.below(16) == 0 {
            for word in 0..=u16::MAX {
                assert_eq!(pos.unpack(word).is_some(), words.contains(&word), "word {word:#x} after {trail:?}");
            }
        }
        let mut replayed = line.start().clone();
        for mv in line.moves() {
            replayed.play(mv);
        }
        assert_eq!(replayed.key(), pos.key(), "the key of the same moves played again, after {trail:?}");
    });
}

/// The invariants of [`Tactical`]: noisy and quiet moves are disjoint and together all moves, indices stay below their bounds,
/// a check given is a check received, a null move undoes, the guessed key is a key.
///
/// # Panics
/// When an invariant is broken.
pub fn tactical_invariants<P>(start: &P, seeds: Range<u64>)
where
    P: Tactical + PartialEq + Debug,
{
    random_games(start, seeds, |line, _| {
        let pos = line.here();
        let trail: Vec<_> = line.moves().collect();
        let (mut all, mut parts) = (HashSet::new(), HashSet::new());
        let _ = pos.for_each_move(|mv| {
            all.insert(mv);
            Continue::<(), ()>(())
        });
        let _ = pos.for_each_noisy(|mv| {
            assert!(pos.is_noisy(mv), "{mv:?} after {trail:?}");
            assert!(parts.insert(mv), "{mv:?} twice after {trail:?}");
            Continue::<(), ()>(())
        });
        let _ = pos.for_each_quiet(|mv| {
            assert!(!pos.is_noisy(mv), "{mv:?} after {trail:?}");
            assert!(parts.insert(mv), "{mv:?} twice after {trail:?}");
            Continue::<(), ()>(())
        });
        assert_eq!(all, parts, "noisy and quiet moves together, after {trail:?}");
        for &mv in &all {
            assert!(pos.piece_to(mv) < P::PIECE_TO_MAX && pos.from_to(mv) < P::FROM_TO_MAX, "{mv:?} after {trail:?}");
            assert!(pos.victim(mv) < P::VICTIM_MAX, "{mv:?} after {trail:?}");
            let mut next = pos.clone();
            next.play(mv);
            assert_eq!(pos.gives_check(mv), next.in_check(), "check by {mv:?} after {trail:?}");
        }
        let mut passed = pos.clone();
        if let Some(undo) = passed.play_null() {
            assert!(!pos.in_check(), "a pass in check after {trail:?}");
            assert_eq!(passed.side_to_move(), !pos.side_to_move());
            passed.undo_null(undo);
            assert_eq!(&passed, pos, "undo of a pass after {trail:?}");
        }
    });
}

/// The share of legal moves in random games whose key is foretold rightly by [`Tactical::likely_key_after`].
pub fn keys_foretold<P: Tactical>(start: &P, seeds: Range<u64>) -> f64 {
    let (mut right, mut all) = (0_u32, 0_u32);
    random_games(start, seeds, |line, _| {
        let pos = line.here();
        let _ = pos.for_each_move(|mv| {
            let mut next = pos.clone();
            next.play(mv);
            all += 1;
            right += u32::from(next.key() == pos.likely_key_after(mv));
            Continue::<(), ()>(())
        });
    });
    f64::from(right) / f64::from(all)
}

/// The invariants of [`Evaluator`]: push and pop equal a fresh reset, whatever was asked in between.
///
/// # Panics
/// When an invariant is broken.
pub fn evaluator_invariants<P, E>(start: &P, evaluator: &E, seeds: Range<u64>)
where
    P: Position,
    E: Evaluator<P>,
{
    random_games(start, seeds, |line, random| {
        let mut pos = line.here().clone();
        let mut walking = evaluator.clone();
        walking.reset(&pos);
        let before = walking.value(&pos);
        let mut changes = Vec::new();
        let mut steps = Vec::new();
        let mut moves = Vec::new();
        for _ in 0..4 {
            moves.clear();
            let _ = pos.for_each_move(|mv| {
                moves.push(mv);
                Continue::<(), ()>(())
            });
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            changes.clear();
            let undo = pos.play_seen(mv, |c| changes.push(c));
            walking.push(&pos, &changes);
            steps.push((mv, undo));
            if random.below(2) == 0 {
                let mut fresh = evaluator.clone();
                fresh.reset(&pos);
                assert_eq!(walking.value(&pos), fresh.value(&pos), "after {steps:?}", steps = steps.len());
            }
        }
        while let Some((mv, undo)) = steps.pop() {
            pos.undo(mv, undo);
            walking.pop();
        }
        assert_eq!(walking.value(&pos), before, "the value after walking back");
    });
}

/// The invariants of [`Notation`]: what is written reads back, for every position and move; a rewritten position has the same key.
///
/// # Panics
/// When an invariant is broken.
pub fn notation_invariants<G: Game>(rules: &G::Rules, seeds: Range<u64>)
where
    G::Position: PartialEq + Debug,
{
    let start = G::start(rules);
    random_games(&start, seeds, |line, _| {
        let pos = line.here();
        let mut text = String::new();
        G::Notation::write_position(pos, &mut text).expect("writing to a string");
        let back = G::Notation::parse_position(rules, &text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(back.key(), pos.key(), "{text}");
        let mut again = String::new();
        G::Notation::write_position(&back, &mut again).expect("writing to a string");
        assert_eq!(again, text);
        let _ = pos.for_each_move(|mv| {
            let mut word = String::new();
            G::Notation::write_move(pos, mv, &mut word).expect("writing to a string");
            assert_eq!(G::Notation::parse_move(pos, &word), Ok(mv), "{word} in {text}");
            Continue::<(), ()>(())
        });
    });
}

/// [`Position::ended`] as the rule book equals `slow`, which is given all positions of the game, first to last.
///
/// # Panics
/// When they differ.
pub fn rule_book<P: Position>(start: &P, seeds: Range<u64>, slow: impl Fn(&[P]) -> Option<Outcome>) {
    random_games(start, seeds, |line, _| {
        let mut all = vec![line.start().clone()];
        for mv in line.moves() {
            let mut next = all[all.len() - 1].clone();
            next.play(mv);
            all.push(next);
        }
        if line.here().has_moves() {
            assert_eq!(line.ended(line.past().len()), slow(&all), "after {} plies", line.len());
        }
    });
}
