//! Limits to the letter: playouts, signals, time, moves, memory; and the same bytes from the same seed.

use super::{line_of, oracles::Broken, roller, rows, searcher, think};
use crate::watch::{Recorder, nodes, random_line};
use std::time::Duration;
use tesuji_game::{Choice, Clock, Limits, Random};
use tesuji_search::{
    Searcher,
    mcts::{Mcts, Parameters},
};
use tesuji_testkit::four::Drop;

#[test]
fn playouts_are_exact() {
    for (threads, batch) in [("1", "1"), ("1", "16"), ("2", "1"), ("4", "1"), ("3", "8")] {
        let mut search = roller(Parameters::default());
        search.options().set("Threads", threads).expect("an option");
        search.options().set("Batch", batch).expect("an option");
        search.options().set("TreeReuse", "false").expect("an option");
        for n in [1, 2, 100, 1000, 12_345] {
            let report = think(&mut search, &line_of(&[]), &nodes(n));
            let tree = search.last_tree().expect("a tree");
            assert_eq!((report.nodes, tree.visits(), tree.in_flight()), (n, n, 0), "{threads} threads of {batch}");
        }
    }
}

/// Leaves that wait and are opened without a value keep the counts right, too.
#[test]
fn waiting_leaves_leave_nothing_behind() {
    for (threads, batch) in [("1", "8"), ("4", "1"), ("3", "8")] {
        let mut search = roller(super::rules::bakago());
        search.options().set("Threads", threads).expect("an option");
        search.options().set("Batch", batch).expect("an option");
        let report = think(&mut search, &line_of(&[]), &nodes(5000));
        let tree = search.last_tree().expect("a tree");
        assert_eq!((report.nodes, tree.in_flight(), tree.budget_left()), (5000, 0, Some(0)));
    }
}

#[test]
fn there_is_always_a_move() {
    let mut random = Random::new(1);
    for _ in 0..50 {
        let line = random_line(&mut random, 10);
        let mut search = searcher();
        assert!(think(&mut search, &line, &nodes(0)).choice.is_some());
        let mut recorder = Recorder { stop_at: Some(0), ..Recorder::default() };
        assert!(search.search(&line, &Limits::default(), &[], &mut recorder).choice.is_some());
        let flagged = Limits { clock: Some([Clock::default(); 2]), ..Limits::default() };
        assert!(think(&mut search, &line, &flagged).choice.is_some());
    }
    let over = line_of(&[3, 0, 3, 0, 3, 0, 3]);
    assert_eq!(think(&mut searcher(), &over, &nodes(5)).choice, None);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let run = || {
        let mut search = searcher();
        search.options().set("Noise", "0.25").expect("an option");
        search.options().set("Temperature", "1").expect("an option");
        let mut out = Vec::new();
        let mut line = line_of(&[]);
        for _ in 0..6 {
            let report = think(&mut search, &line, &nodes(700));
            let Some(Choice::Play(mv)) = report.choice else { panic!("a move") };
            out.push((format!("{:?} {:?}", report.choice, report.lines), rows(search.last_tree().expect("a tree"), 0)));
            line.push(mv);
        }
        out
    };
    assert_eq!(run(), run());
}

#[test]
fn a_new_game_forgets_everything() {
    let mut search = searcher();
    let first = think(&mut search, &line_of(&[]), &nodes(2000));
    think(&mut search, &line_of(&[3, 3]), &nodes(500));
    search.new_game();
    let again = think(&mut search, &line_of(&[]), &nodes(2000));
    assert_eq!(first.lines, again.lines);
}

#[test]
fn only_wanted_moves_are_looked_at() {
    let mut search = searcher();
    let only = [Drop(0), Drop(6)];
    // First with all moves, so that the tree holds the others, too.
    think(&mut search, &line_of(&[]), &nodes(500));
    let mut recorder = Recorder::default();
    let report = search.search(&line_of(&[]), &nodes(500), &only, &mut recorder);
    assert!(matches!(report.choice, Some(Choice::Play(mv)) if only.contains(&mv)));
    assert!(recorder.reports.iter().flat_map(|r| &r.lines).all(|l| only.contains(&l.pv[0])));
    // And after that all again.
    assert_eq!(think(&mut search, &line_of(&[]), &nodes(500)).choice, Some(Choice::Play(Drop(3))));
}

/// A move that wins must not end a search that was told to look at others.
#[test]
fn wins_by_unwanted_moves_do_not_count() {
    let line = line_of(&[3, 0, 3, 0, 3, 0]);
    let mut search = searcher();
    think(&mut search, &line, &nodes(500));
    let report = search.search(&line, &nodes(3000), &[Drop(5), Drop(6)], &mut Recorder::default());
    assert_ne!(report.choice, Some(Choice::Play(Drop(3))));
    assert!(report.lines[0].value.mate_plies().is_none_or(|p| p != 1));
}

#[test]
fn several_lines_come_sorted_and_distinct() {
    let mut search = searcher();
    search.options().set("MultiPV", "4").expect("an option");
    let mut recorder = Recorder::default();
    let report = search.search(&line_of(&[]), &nodes(3000), &[], &mut recorder);
    assert_eq!(report.lines.len(), 4);
    assert!(report.lines.windows(2).all(|w| w[0].visits >= w[1].visits));
    let mut firsts: Vec<u8> = report.lines.iter().map(|l| l.pv[0].0).collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 4);
    assert!(recorder.reports.len() >= 5, "{} reports", recorder.reports.len());
}

/// Signals and time: the recorder's clock ticks a microsecond at each look.
#[test]
fn stops_come_from_the_world() {
    let mut search = searcher();
    let mut recorder = Recorder { stop_at: Some(60), ..Recorder::default() };
    let report = search.search(&line_of(&[]), &Limits { infinite: true, ..Limits::default() }, &[], &mut recorder);
    assert!(report.nodes > 100 && report.choice.is_some());
    let limits = Limits { ponder: true, move_time: Some(Duration::from_micros(200)), ..Limits::default() };
    let mut recorder = Recorder { hit_at: Some(100), ..Recorder::default() };
    search.search(&line_of(&[]), &limits, &[], &mut recorder);
    assert!((300..600).contains(&recorder.ticks.get()), "{} ticks", recorder.ticks.get());
}

/// A solved position is left at once, but an infinite search waits for its stop.
#[test]
fn infinite_waits_though_solved() {
    let line = line_of(&[3, 3, 2, 2, 1]);
    let mut recorder = Recorder { stop_at: Some(300), ..Recorder::default() };
    searcher().search(&line, &Limits { infinite: true, ..Limits::default() }, &[], &mut recorder);
    assert!(recorder.ticks.get() >= 300);
    assert!(think(&mut searcher(), &line, &nodes(100_000)).nodes < 2000);
}

#[test]
fn time_that_cannot_change_the_move_is_not_used() {
    let clock = Clock { left: Duration::from_secs(3600), ..Clock::default() };
    let limits = Limits { clock: Some([clock; 2]), ..Limits::default() };
    let one = line_of(&[0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4]);
    let mut recorder = Recorder::default();
    searcher().search(&one, &limits, &[], &mut recorder);
    assert!(recorder.reports.last().is_some_and(|r| r.choice.is_some()));
}

/// The tree stays within its memory, gives up its least visited parts, and goes on.
#[test]
fn memory_is_kept_and_pruned() {
    let mut search = searcher();
    search.options().set("Hash", "1").expect("an option");
    search.options().set("Proofs", "false").expect("an option");
    for threads in ["1", "3"] {
        search.options().set("Threads", threads).expect("an option");
        search.new_game();
        let report = think(&mut search, &line_of(&[]), &nodes(60_000));
        let tree = search.last_tree().expect("a tree");
        let (used, limit) = tree.memory();
        assert!(used <= limit && limit <= 1 << 20, "{used} of {limit}");
        assert_eq!((report.nodes, tree.visits(), tree.in_flight()), (60_000, 60_000, 0));
        assert!(rows(tree, 0).len() < 40_000);
        assert_eq!(report.choice, Some(Choice::Play(Drop(3))));
    }
}

/// A failing oracle ends the search with what is known by then; where it never answered, the first legal move was played.
#[test]
fn a_failing_oracle_leaves_no_random_move() {
    for answers in [0, 1, 50] {
        for threads in ["1", "3"] {
            let mut search = Mcts::new(Broken(answers));
            search.options().set("Threads", threads).expect("an option");
            let report = think(&mut search, &line_of(&[3]), &Limits::default());
            assert!(report.fault.is_some() && search.fault().is_some());
            assert_eq!(report.choice.is_some(), answers > 0, "{answers} answers");
            assert_eq!(search.last_tree().map(|t| t.in_flight()), Some(0));
        }
    }
}

/// Bad prospects, move after move, end in resignation, if that is wanted.
#[test]
fn resigns_when_told_to() {
    let mut search = searcher();
    search.options().set("ResignBelow", "-0.9").expect("an option");
    search.options().set("ResignMoves", "2").expect("an option");
    let lost = line_of(&[3, 3, 2, 2, 1]);
    assert!(matches!(think(&mut search, &lost, &nodes(5000)).choice, Some(Choice::Play(_))));
    assert_eq!(think(&mut search, &lost, &nodes(5000)).choice, Some(Choice::Resign));
}
