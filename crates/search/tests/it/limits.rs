//! What ends a search, to the letter: nodes, depth, time, signals, lines, chosen moves.

use crate::watch::{Recorder, depth, nodes, random_line, searcher, think};
use std::time::Duration;
use tesuji_game::{Bound, Candidate, Choice, Clock, Limits, Line, NodeNote, Position, Random, Report, Signal, Watch};
use tesuji_search::Searcher;
use tesuji_testkit::four::{Drop, FourPosition};

fn start() -> Line<FourPosition> {
    Line::new(FourPosition::default())
}

#[test]
fn node_limits_are_exact() {
    for threads in ["1", "2", "4"] {
        let mut search = searcher();
        search.options().set("Threads", threads).expect("an option");
        for n in [100, 1000, 1024, 12_345, 50_000] {
            assert_eq!(think(&mut search, &start(), &nodes(n)).nodes, n, "{threads} threads");
        }
    }
}

/// No iteration begins after the soft limit, the hard one stays.
#[test]
fn soft_node_limits_end_between_iterations() {
    let soft = |soft: u64, hard: Option<u64>| {
        let limits = Limits { nodes: hard, soft_nodes: Some(soft), ..Limits::default() };
        think(&mut searcher(), &start(), &limits)
    };
    assert!(searcher().obeys_soft_nodes());
    let mut last = (0, 0);
    for n in [1, 100, 1000, 10_000, 30_000] {
        let report = soft(n, None);
        assert!(report.nodes >= n && report.nodes >= last.0 && report.depth >= last.1, "{n}: {report:?}");
        last = (report.nodes, report.depth);
        // The same search by its depth: it ended where an iteration did.
        let by_depth = think(&mut searcher(), &start(), &depth(report.depth));
        assert_eq!((by_depth.nodes, by_depth.choice), (report.nodes, report.choice), "{n}");
        if report.depth > 1 {
            assert!(think(&mut searcher(), &start(), &depth(report.depth - 1)).nodes < n, "{n}");
        }
    }
    assert_eq!(soft(10_000, Some(500)).nodes, 500);
}

/// Depth 1 completes with a budget of one node, a stop given before the start, and no time at all.
#[test]
fn there_is_always_a_move() {
    let mut random = Random::new(1);
    for _ in 0..50 {
        let line = random_line(&mut random, 10);
        let mut search = searcher();
        let report = think(&mut search, &line, &nodes(1));
        assert!(report.choice.is_some() && report.nodes <= 20, "{} nodes", report.nodes);
        let mut recorder = Recorder { stop_at: Some(0), ..Recorder::default() };
        assert!(search.search(&line, &Limits::default(), &[], &mut recorder).choice.is_some());
        let none = Limits { move_time: Some(Duration::ZERO), ..Limits::default() };
        assert!(think(&mut search, &line, &none).choice.is_some());
        let flagged = Limits { clock: Some([Clock::default(); 2]), ..Limits::default() };
        assert!(think(&mut search, &line, &flagged).choice.is_some());
    }
}

/// With nothing but a static look, the move that wins on the spot is still found.
#[test]
fn a_hurried_first_iteration_sees_a_win() {
    let mut line = start();
    for column in [3, 0, 3, 0, 3, 0] {
        line.push(Drop(column));
    }
    let report = think(&mut searcher(), &line, &nodes(1));
    assert_eq!(report.choice, Some(Choice::Play(Drop(3))));
    assert_eq!(report.lines[0].value.mate_plies(), Some(1));
}

#[test]
fn no_moves_no_choice() {
    let mut line = start();
    for column in [3, 0, 3, 0, 3, 0, 3] {
        line.push(Drop(column));
    }
    assert_eq!(think(&mut searcher(), &line, &depth(3)).choice, None);
}

#[test]
fn one_thread_is_deterministic() {
    let run = |limits: &Limits| {
        let mut search = searcher();
        let mut out = Vec::new();
        let mut random = Random::new(5);
        for _ in 0..6 {
            let line = random_line(&mut random, 12);
            let report = think(&mut search, &line, limits);
            out.push((report.nodes, report.choice, report.lines[0].value, report.lines[0].pv.clone()));
        }
        out
    };
    assert_eq!(run(&depth(10)), run(&depth(10)));
    assert_eq!(run(&nodes(20_000)), run(&nodes(20_000)));
}

/// After a new game the same search visits the same nodes.
#[test]
fn a_new_game_forgets_everything() {
    let mut search = searcher();
    let first = think(&mut search, &start(), &depth(11));
    let other = random_line(&mut Random::new(9), 14);
    think(&mut search, &other, &depth(9));
    search.new_game();
    let again = think(&mut search, &start(), &depth(11));
    assert_eq!((first.nodes, first.lines[0].value), (again.nodes, again.lines[0].value));
}

#[test]
fn only_chosen_moves_are_looked_at() {
    let mut search = searcher();
    let mut recorder = Recorder::default();
    let only = [Drop(0), Drop(6)];
    let report = search.search(&start(), &depth(8), &only, &mut recorder);
    assert!(matches!(report.choice, Some(Choice::Play(mv)) if only.contains(&mv)));
    assert!(recorder.reports.iter().flat_map(|r| &r.lines).all(|l| only.contains(&l.pv[0])));
}

#[test]
fn several_lines_come_sorted_and_distinct() {
    let mut search = searcher();
    search.options().set("MultiPV", "4").expect("an option");
    let mut recorder = Recorder::default();
    let report = search.search(&start(), &depth(9), &[], &mut recorder);
    assert_eq!(report.lines.len(), 4);
    for r in recorder.reports.iter().filter(|r| r.lines.len() > 1) {
        assert!(r.lines.windows(2).all(|w| w[0].value >= w[1].value), "{:?}", r.lines);
        let mut firsts: Vec<u8> = r.lines.iter().map(|l| l.pv[0].0).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), r.lines.len());
    }
    search.options().set("MultiPV", "256").expect("an option");
    assert_eq!(think(&mut search, &start(), &depth(4)).lines.len(), 7, "no more lines than moves");
}

/// A search that was stopped within an iteration mixed lines of two depths, and told bounds as values.
#[test]
fn several_lines_come_from_one_depth() {
    let lines = |limits: &Limits| {
        let mut search = searcher();
        search.options().set("MultiPV", "3").expect("an option");
        let report = think(&mut search, &start(), limits);
        let told: Vec<_> = report.lines.iter().map(|line| (line.pv[0], line.value, line.bound)).collect();
        (report.depth, told)
    };
    for n in (1_000..40_000).step_by(1_300) {
        let (reached, told) = lines(&nodes(n));
        assert_eq!((reached, &told), (reached, &lines(&depth(reached)).1), "{n} nodes");
        assert!(told.iter().all(|&(.., bound)| bound == Bound::Exact), "{told:?}");
    }
}

/// The trace held the pass for the best line alone: the others had bounds, and next to no effort.
#[test]
fn every_line_has_its_value_and_its_effort_in_the_trace() {
    let mut search = searcher();
    for (option, value) in [("MultiPV", "3"), ("TracePlies", "3")] {
        search.options().set(option, value).expect("an option");
    }
    let report = think(&mut search, &start(), &depth(9));
    let tree = search.tree().expect("a trace");
    let mut rows = Vec::new();
    tree.children(0, &mut rows);
    let searched = |line: &Candidate<Drop>| {
        let own = rows.iter().filter(|row| row.mv == Some(line.pv[0]));
        let exact = own.clone().find_map(|row| match tree.note(row.node)? {
            NodeNote::Searched { window, value, .. } if window[0] < value && value < window[1] => Some(-value),
            _ => None,
        });
        (exact, own.map(|row| row.effort).sum::<u64>())
    };
    let found: Vec<_> = report.lines.iter().map(searched).collect();
    let values: Vec<_> = report.lines.iter().map(|line| Some(line.value.raw())).collect();
    assert_eq!(found.iter().map(|(value, _)| *value).collect::<Vec<_>>(), values);
    let all: u64 = rows.iter().map(|row| row.effort).sum();
    assert!(found.iter().all(|(_, effort)| effort * 50 > all), "{found:?} of {all}");
    assert_eq!(tree.row(0).map(|row| row.effort >= all), Some(true), "the root counts what is below it");
}

#[test]
fn a_mate_within_the_limit_ends_the_search() {
    let mut line = start();
    for column in [3, 3, 2, 2] {
        line.push(Drop(column));
    }
    let limits = Limits { mate_plies: Some(3), ..Limits::default() };
    let report = think(&mut searcher(), &line, &limits);
    assert_eq!(report.lines[0].value.mate_plies(), Some(3));
}

/// Infinite searches wait for the stop, also when everything is found.
#[test]
fn infinite_waits_for_the_stop() {
    let mut line = start();
    for column in [3, 3, 2, 2, 1] {
        line.push(Drop(column));
    }
    let mut recorder = Recorder { stop_at: Some(5000), ..Recorder::default() };
    let limits = Limits { infinite: true, ..depth(4) };
    let mut search = searcher();
    let mut waited = Waits { recorder: &mut recorder, looks: 0 };
    search.search(&line, &limits, &[], &mut waited);
    assert!(waited.looks >= 20, "{} looks", waited.looks);
}

/// Pondering does not count against the limits until the hit.
#[test]
fn pondering_counts_from_the_hit() {
    let limits = Limits { ponder: true, move_time: Some(Duration::from_micros(200)), ..Limits::default() };
    let mut recorder = Recorder { hit_at: Some(10_000), ..Recorder::default() };
    searcher().search(&start(), &limits, &[], &mut recorder);
    let spent = recorder.ticks.get();
    assert!((10_200..10_400).contains(&spent), "{spent} ticks");
}

/// A watch that stops after some looks, whatever the clock says.
struct Waits<'a> {
    recorder: &'a mut Recorder,
    looks: u64,
}

impl Watch<Drop> for Waits<'_> {
    fn signal(&mut self) -> Signal {
        self.looks += 1;
        if self.looks >= 20 { Signal::Stop } else { Signal::Run }
    }
    fn elapsed(&self) -> Duration {
        self.recorder.elapsed()
    }
    fn report(&mut self, report: &Report<Drop>) {
        self.recorder.report(report);
    }
}

/// By looks at the watch, between which lie few nodes: how long they take is the machine's matter.
#[test]
fn a_stop_is_answered_soon() {
    const LOOKS: u32 = 30;
    struct Looks(u32);
    impl Watch<Drop> for Looks {
        fn signal(&mut self) -> Signal {
            self.0 += 1;
            if self.0 < LOOKS { Signal::Run } else { Signal::Stop }
        }
        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
        fn report(&mut self, _: &Report<Drop>) {}
    }
    for threads in ["1", "3"] {
        let mut search = searcher();
        search.options().set("Threads", threads).expect("an option");
        let mut looks = Looks(0);
        search.search(&start(), &Limits { infinite: true, ..Limits::default() }, &[], &mut looks);
        assert!((LOOKS..LOOKS + 5).contains(&looks.0), "{} looks with {threads} threads", looks.0);
    }
}

#[test]
fn reports_grow() {
    let mut recorder = Recorder::default();
    let report = searcher().search(&start(), &depth(10), &[], &mut recorder);
    let depths: Vec<u32> = recorder.reports.iter().map(|r| r.depth).collect();
    assert!(depths.is_sorted(), "{depths:?}");
    assert!(recorder.reports.windows(2).all(|w| w[0].nodes <= w[1].nodes));
    assert_eq!(recorder.reports.last().map(|r| r.nodes), Some(report.nodes));
    assert!(report.depth_max >= report.depth - 1 && report.ponder.is_some());
}

/// Clocks of a whole game: no move takes more than it may, the sum stays within the time.
#[test]
fn a_game_on_the_clock_keeps_its_time() {
    let mut search = searcher();
    let mut line = start();
    let mut left = Duration::from_millis(40);
    while line.outcome().is_none() {
        let clock = Clock { left, ..Clock::default() };
        let limits = Limits { clock: Some([clock; 2]), ..Limits::default() };
        let mut recorder = Recorder::default();
        let report = search.search(&line, &limits, &[], &mut recorder);
        let spent = Duration::from_micros(recorder.ticks.get());
        assert!(spent < left, "{spent:?} of {left:?}");
        left -= spent;
        let Some(Choice::Play(mv)) = report.choice else { panic!("a move") };
        assert!(line.here().unpack(FourPosition::pack(mv)).is_some());
        line.push(mv);
    }
}
