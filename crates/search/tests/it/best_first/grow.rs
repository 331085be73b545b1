//! What a tree says of itself: qualities, links, memory, what is kept between moves, and that it is not beaten twice alike.

use super::{line_of, searcher, think, whole};
use crate::watch::{Recorder, nodes, random_line};
use std::time::Duration;
use tesuji_game::{Choice, Limits, Line, Random, Value};
use tesuji_search::{
    Searcher,
    alpha_beta::AlphaBeta,
    best_first::{Parameters, Recall, Recalled},
};
use tesuji_testkit::four::{Drop, FourEval, FourPosition};

/// The quality of a whole tree to a depth follows from its leaves: 1 each, halved at each ply.
#[test]
fn quality_halves_with_each_ply() {
    let mut search = searcher(&[]);
    search.set_parameters(super::whole_tree());
    think(&mut search, &line_of(&[]), &Limits { depth: Some(2), ..Limits::default() });
    let moves = search.with_tree(|tree| tree.root_moves()).expect("a tree");
    assert!(moves.iter().all(|m| m.quality == 1.0 + 7.0 * 0.5 && m.count == 8), "{moves:?}");
    let root = search.with_tree(|tree| tree.quality()).expect("a tree");
    assert_eq!(root, 1.0 + 7.0 * 0.5 * 4.5);
}

/// Wins and losses agree with alpha-beta, which proves them in another way.
#[test]
fn mates_agree_with_alpha_beta() {
    let mut random = Random::new(7);
    let mut seen = 0;
    for _ in 0..60 {
        let line = random_line(&mut random, 22);
        let mut other = AlphaBeta::new(FourEval::default());
        let limits = Limits { depth: Some(7), ..Limits::default() };
        let known = other.search(&line, &limits, &[], &mut crate::watch::Recorder::default());
        let Some(plies) = known.lines[0].value.mate_plies().filter(|plies| (1..=5).contains(plies)) else { continue };
        seen += 1;
        for merge in ["true", "false"] {
            let mut search = searcher(&[("Transpositions", merge)]);
            let found = think(&mut search, &line, &nodes(60_000));
            let value = found.lines[0].value;
            assert!(value.mate_plies().is_some_and(|n| n >= plies), "{value:?} for {plies}, merge {merge}");
            assert!(found.nodes < 60_000, "a proof ends the search");
        }
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn merging_changes_the_work_and_keeps_to_the_truth() {
    let line = line_of(&[3, 3, 3, 2, 4, 4]);
    let full = Limits { depth: Some(5), ..Limits::default() };
    let run = |merge: bool| {
        let mut search = searcher(&[("Variety", "0")]);
        search.set_parameters(Parameters { merge, ..super::whole_tree() });
        let report = think(&mut search, &line, &full);
        (report.lines[0].value, report.nodes)
    };
    let ((merged, few), (whole, many)) = (run(true), run(false));
    assert_eq!(merged, whole);
    assert!(few * 10 < many * 9, "{few} of {many}");
}

#[test]
fn memory_is_kept_and_the_tree_goes_on_when_it_is_full() {
    for trim in ["least", "worst"] {
        let mut search = searcher(&[("Hash", "1"), ("Trim", trim)]);
        let report = think(&mut search, &line_of(&[3]), &nodes(200_000));
        let (bytes, len) = search.with_tree(|tree| (tree.bytes(), tree.len())).expect("a tree");
        assert!(bytes <= 1 << 19, "{bytes}");
        assert!(len > 2000 && report.nodes == 200_000, "{trim}: {len} nodes of {}", report.nodes);
        assert_eq!(report.lines[0].pv.len().min(3), 3);
        assert!(!whole(&search).is_empty());
    }
}

/// Half a tree of gigabytes takes seconds to copy. A move in its last moment is played instead.
#[test]
fn nothing_is_forgotten_where_that_would_outlast_the_move() {
    let run = |millis| {
        let mut search = searcher(&[("Hash", "1"), ("Move Overhead", "0")]);
        let limits = Limits { move_time: Some(Duration::from_millis(millis)), ..Limits::default() };
        // Its clock ticks a microsecond at each look: the time is never up.
        let mut recorder = Recorder { stop_at: Some(2000), ..Recorder::default() };
        let report = search.search(&line_of(&[3]), &limits, &[], &mut recorder);
        assert!(report.choice.is_some());
        report.nodes
    };
    let full = (1 << 19) / 32;
    let (short, long) = (run(1), run(1000));
    assert!((full / 2..full).contains(&short), "{short} of {full}");
    assert!(long > 2 * full, "{long}");
}

#[test]
fn the_played_branch_becomes_the_root() {
    let mut search = searcher(&[("Variety", "0")]);
    let mut line = line_of(&[3]);
    let report = think(&mut search, &line, &nodes(20_000));
    let pv = report.lines[0].pv.clone();
    let before = search.with_tree(|tree| tree.root_moves()).expect("a tree");
    let expected = before.iter().find(|m| m.mv == pv[0]).expect("the best move").count;
    line.push(pv[0]);
    think(&mut search, &line, &nodes(1));
    let len = search.with_tree(|tree| tree.len()).expect("a tree");
    // Links whose other end went take its place, so that there may be more.
    assert!(len + 1 >= expected as usize && len < 20_000, "{len} of {expected}");
    line.push(pv[1]);
    assert_eq!(think(&mut search, &line, &nodes(3000)).nodes, 3000);
}

/// The moves that won against it are played again: it leaves the path, and does so in the same way for the same seed.
#[test]
fn it_cannot_be_beaten_by_rote() {
    let play = |search: &mut super::Four| {
        let mut line = Line::new(FourPosition::default());
        let mut moves = Vec::new();
        while line.outcome().is_none() {
            let own = line.len() % 2 == 1;
            let mv = if own {
                match think(search, &line, &nodes(300)).choice {
                    Some(Choice::Play(mv)) => mv,
                    other => panic!("{other:?}"),
                }
            } else {
                let mut legal = Vec::new();
                line.legal_moves(&mut legal);
                // A fixed opponent: always the middle-most column.
                *legal.iter().min_by_key(|mv: &&Drop| mv.0.abs_diff(3)).expect("a move")
            };
            moves.push(mv);
            line.push(mv);
        }
        moves
    };
    let run = || {
        let mut search = searcher(&[("Seed", "5")]);
        (0..21)
            .map(|_| {
                search.new_game();
                play(&mut search)
            })
            .collect::<Vec<_>>()
    };
    let games = run();
    let left = games[1..].iter().filter(|game| **game != games[0]).count();
    assert!(left >= 15, "{left} of 20 games left the path");
    assert_eq!(games, run());
}

/// A memory that finds one position won.
struct Remembers(FourPosition);

impl Recall<FourPosition> for Remembers {
    fn recall(&self, pos: &FourPosition) -> Option<Recalled> {
        use tesuji_game::Position;
        (pos.key() == self.0.key()).then_some(Recalled { value_cp: -700, quality: 90_000.0 })
    }
}

#[test]
fn what_was_learned_counts() {
    let mut search = searcher(&[("Variety", "0")]);
    let line = line_of(&[3, 3]);
    // Lost for the side that moves after column 0, so that column 0 is worth playing.
    let mut after = line.clone();
    after.push(Drop(0));
    after.push(Drop(5));
    search.set_recall(Some(std::sync::Arc::new(Remembers(*after.here()))));
    let mut here = line.clone();
    here.push(Drop(0));
    let report = think(&mut search, &here, &nodes(7));
    // One ply from the root it needs more than that, and gets it here.
    let moves = search.with_tree(|tree| tree.root_moves()).expect("a tree");
    let best = moves.iter().find(|m| m.mv == Drop(5)).expect("a move");
    assert_eq!((best.value, best.quality), (700.0, 90_000.0));
    assert_eq!(report.lines[0].value, Value::cp(700));
}
