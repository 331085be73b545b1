//! Best-first search on Connect Four: limits to the letter, the same bytes again, memory, and a game that is known.

mod grow;

use crate::watch::{Recorder, nodes, random_line};
use std::time::Duration;
use tesuji_game::{Choice, Clock, Limits, Line, Random, Report, Signal, Watch};
use tesuji_search::{
    Searcher,
    best_first::{BestFirst, Parameters},
};
use tesuji_testkit::four::{Drop, FourEval, FourPosition};

pub type Four = BestFirst<FourPosition, FourEval>;

pub fn searcher(set: &[(&str, &str)]) -> Four {
    let mut search = BestFirst::new(FourEval::default());
    search.options().set("Hash", "4").expect("an option");
    for (name, value) in set {
        search.options().set(name, value).expect("an option");
    }
    search
}

pub fn think(search: &mut Four, line: &Line<FourPosition>, limits: &Limits) -> Report<Drop> {
    search.search(line, limits, &[], &mut Recorder::default())
}

pub fn line_of(columns: &[u8]) -> Line<FourPosition> {
    let mut line = Line::new(FourPosition::default());
    columns.iter().for_each(|&c| line.push(Drop(c)));
    line
}

/// All that can be read of the last tree, as text.
pub fn whole(search: &Four) -> String {
    let tree = search.tree().expect("a tree");
    let mut out = String::new();
    let mut todo = vec![0];
    let mut children = Vec::new();
    while let Some(id) = todo.pop() {
        out += &format!("{:?} {:?}\n", tree.row(id), tree.note(id).map(|note| note.to_string()));
        children.clear();
        tree.children(id, &mut children);
        // Links lead back up: each node is told once.
        todo.extend(children.iter().map(|row| row.node).filter(|&child| child > id));
    }
    out
}

#[test]
fn nodes_are_exact_on_any_number_of_threads() {
    for threads in ["1", "2", "3"] {
        let mut search = searcher(&[("Threads", threads), ("TreeReuse", "false")]);
        for n in [1, 2, 7, 8, 100, 1000, 12_345] {
            assert_eq!(think(&mut search, &line_of(&[]), &nodes(n)).nodes, n, "{threads} threads");
        }
    }
}

#[test]
fn threads_and_runs_give_the_same_bytes() {
    let run = |threads: &str| {
        let mut search = searcher(&[("Threads", threads)]);
        let mut out = Vec::new();
        let mut line = line_of(&[]);
        for _ in 0..6 {
            let report = think(&mut search, &line, &nodes(15_000));
            let Some(Choice::Play(mv)) = report.choice else { panic!("a move") };
            out.push((format!("{:?} {:?}", report.choice, report.lines), whole(&search)));
            line.push(mv);
        }
        out
    };
    let one = run("1");
    assert!(one == run("1") && one == run("3"));
}

/// A recorder whose clock moves a third of a second at each look, so that reports are due at other nodes.
struct Slow(Recorder);

impl Watch<Drop> for Slow {
    fn signal(&mut self) -> Signal {
        self.0.signal()
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed() * 333_333
    }

    fn report(&mut self, report: &Report<Drop>) {
        self.0.report(report);
    }
}

/// Merged parts make the values hang on when they are rated: the clock must not say when.
#[test]
fn the_clock_changes_reports_and_not_the_tree() {
    let limits = nodes(60_000);
    let (mut quick, mut slow) = (searcher(&[]), searcher(&[]));
    let (mut recorder, mut slow_recorder) = (Recorder::default(), Slow(Recorder::default()));
    let one = quick.search(&line_of(&[]), &limits, &[], &mut recorder);
    let other = slow.search(&line_of(&[]), &limits, &[], &mut slow_recorder);
    assert!(slow_recorder.0.reports.len() > recorder.reports.len());
    assert_eq!((one.choice, one.lines), (other.choice, other.lines));
    assert!(whole(&quick) == whole(&slow));
}

#[test]
fn there_is_always_a_move() {
    let mut random = Random::new(1);
    for _ in 0..50 {
        let line = random_line(&mut random, 10);
        let mut search = searcher(&[]);
        assert!(think(&mut search, &line, &nodes(0)).choice.is_some());
        let mut recorder = Recorder { stop_at: Some(0), ..Recorder::default() };
        assert!(search.search(&line, &Limits::default(), &[], &mut recorder).choice.is_some());
        let flagged = Limits { clock: Some([Clock::default(); 2]), ..Limits::default() };
        assert!(think(&mut search, &line, &flagged).choice.is_some());
    }
    assert_eq!(think(&mut searcher(&[]), &line_of(&[3, 0, 3, 0, 3, 0, 3]), &nodes(5)).choice, None);
}

#[test]
fn a_seed_set_again_gives_the_same_game() {
    let mut search = searcher(&[]);
    let first = think(&mut search, &line_of(&[]), &nodes(3000));
    think(&mut search, &line_of(&[3, 3]), &nodes(500));
    search.new_game();
    let again = think(&mut search, &line_of(&[]), &nodes(3000));
    assert_eq!(first.lines[0].value, again.lines[0].value);
}

#[test]
fn only_wanted_moves_are_looked_at() {
    let mut search = searcher(&[]);
    let only = [Drop(0), Drop(6)];
    think(&mut search, &line_of(&[]), &nodes(500));
    let mut recorder = Recorder::default();
    let report = search.search(&line_of(&[]), &nodes(500), &only, &mut recorder);
    assert!(matches!(report.choice, Some(Choice::Play(mv)) if only.contains(&mv)));
    assert!(recorder.reports.iter().flat_map(|r| &r.lines).all(|l| only.contains(&l.pv[0])));
    let all = think(&mut search, &line_of(&[]), &nodes(500));
    assert_eq!(search.with_tree(|tree| tree.root_moves().len()), Some(7), "{all:?}");
}

#[test]
fn pondering_waits_for_the_hit() {
    let limits = Limits { ponder: true, nodes: None, move_time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let mut recorder = Recorder { hit_at: Some(5000), stop_at: Some(100_000), ..Recorder::default() };
    let report = searcher(&[]).search(&line_of(&[3]), &limits, &[], &mut recorder);
    assert!(report.choice.is_some());
    assert!((5000..100_000).contains(&recorder.ticks.get()), "{}", recorder.ticks.get());
}

/// Options with which every move costs a ply, and the tree grows to the limit of depth and no further: the first version of
/// "Chess in Delphi".
pub fn whole_tree() -> Parameters {
    let cost = 10;
    Parameters {
        base: 30,
        quiet_cost: cost,
        capture_cost: cost,
        check_cost: cost,
        careful: false,
        stages_max: 0,
        grain: 1000.0,
        margin_cp: 64000.0,
        decay: 1.0,
        quiescent: false,
        merge: false,
        see_mates: false,
        trim: "worst".into(),
        kept_growth: 10,
        ..Parameters::default()
    }
}

/// The first version of Chess in Delphi: the whole tree to a depth, and nothing else.
#[test]
fn the_first_version_grows_the_whole_tree() {
    let mut search = searcher(&[("Variety", "0")]);
    search.set_parameters(whole_tree());
    let limits = |depth| Limits { depth: Some(depth), ..Limits::default() };
    for (depth, count) in [(1, 7), (2, 7 + 49), (3, 7 + 49 + 343), (4, 7 + 49 + 343 + 2401)] {
        assert_eq!(think(&mut search, &line_of(&[]), &limits(depth)).nodes, count, "depth {depth}");
    }
}
