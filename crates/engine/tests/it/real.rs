//! Sessions of the real search, playing the toy game.

use crate::wire::Wire;
use std::time::{Duration, Instant};
use tesuji_engine::{Player, SearchPlayer};
use tesuji_game::{Limits, Report, Signal, Value, Watch};
use tesuji_search::alpha_beta::AlphaBeta;
use tesuji_testkit::four::{Four, FourEval, FourPosition};

fn wire() -> Wire {
    let search = AlphaBeta::<FourPosition, FourEval>::new(FourEval::default());
    Wire::new(Box::new(SearchPlayer::<Four, _>::new(search)))
}

#[test]
fn every_limit_ends_in_a_legal_move() {
    let mut wire = wire();
    for limit in ["depth 3", "nodes 1", "nodes 5000", "movetime 5", "wtime 50 btime 50", "mate 2 depth 6"] {
        wire.send("position startpos moves 4 4 3 3");
        wire.send(&format!("go {limit}"));
        let lines = wire.until("bestmove");
        let best = lines.last().unwrap().split(' ').nth(1).unwrap();
        assert!(["1", "2", "3", "4", "5", "6", "7"].contains(&best), "{limit}: {lines:?}");
        assert!(lines[0].starts_with("info depth 1 "), "{limit}: {lines:?}");
    }
    wire.send("go depth 4 searchmoves 7");
    assert!(wire.until("bestmove").last().unwrap().starts_with("bestmove 7"));
    wire.send("setoption name MultiPV value 3");
    wire.send("go depth 5");
    let lines = wire.until("bestmove");
    assert!(lines.iter().any(|l| l.starts_with("info depth 5 ") && l.contains(" multipv 3 ")), "{lines:?}");
}

/// A game review compares two moves: what a search that ran out of nodes says of them must be of one depth.
#[test]
fn moves_that_are_compared_have_values_of_the_same_depth() {
    let search = |limits: &Limits| {
        let search = AlphaBeta::<FourPosition, FourEval>::new(FourEval::default());
        let mut player = SearchPlayer::<Four, _>::new(search);
        player.options().set("MultiPV", "2").unwrap();
        player.set_position("", None, &["4", "4", "3"].map(String::from)).unwrap();
        player.go(limits, &["2", "6"].map(String::from), &mut Silent)
    };
    for nodes in (200..6_000).step_by(150) {
        let spent = search(&Limits { nodes: Some(nodes), ..Limits::default() });
        let whole = search(&Limits { depth: Some(spent.depth), ..Limits::default() });
        let values = |report: &Report<String>| -> Vec<(String, Value)> {
            report.lines.iter().map(|line| (line.pv[0].clone(), line.value)).collect()
        };
        assert_eq!(values(&spent), values(&whole), "{nodes} nodes, depth {}", spent.depth);
        assert_eq!(values(&spent).len(), 2);
    }
}

/// A watch that lets everything run.
struct Silent;

impl Watch<String> for Silent {
    fn signal(&mut self) -> Signal {
        Signal::Run
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn report(&mut self, _: &Report<String>) {}
}

/// `position startpos moves 4 9` was refused, and the next `go` answered with a move of the position before.
#[test]
fn a_refused_position_has_no_move_of_another() {
    let mut wire = wire();
    wire.send("position startpos moves 4 4 3 3");
    for wrong in ["position startpos moves 4 9", "position fen nonsense", "position startpos 4", "position"] {
        wire.send(wrong);
        wire.send("go depth 3");
        let lines = wire.until("bestmove");
        assert_eq!(lines.last().unwrap(), "bestmove (none)", "{wrong}");
        let told: Vec<_> = lines.iter().filter(|line| line.contains("the last position was refused")).collect();
        assert_eq!(told.len(), 1, "{wrong}: {lines:?}");
        assert!(told[0].starts_with("info string error: no search: "), "{lines:?}");
    }
    wire.send("go infinite");
    wire.send("stop");
    assert_eq!(wire.until("bestmove").last().unwrap(), "bestmove (none)");
    wire.send("position startpos moves 4");
    wire.send("go depth 3");
    assert_ne!(wire.until("bestmove").last().unwrap(), "bestmove (none)");
}

#[test]
fn a_finished_game_has_no_move() {
    let mut wire = wire();
    wire.send("position startpos moves 1 2 1 2 1 2 1");
    wire.send("go depth 3");
    assert_eq!(wire.until("bestmove").last().unwrap(), "bestmove (none)");
}

/// `printf 'go depth 9\n' | engine` shows a whole search.
#[test]
fn limited_searches_outlive_the_input() {
    let mut wire = wire();
    wire.send("go nodes 30000");
    wire.send("go depth 9");
    wire.send("go infinite");
    wire.close();
    let lines = wire.rest();
    assert_eq!(lines.iter().filter(|l| l.starts_with("bestmove")).count(), 3);
    assert!(lines.iter().any(|l| l.starts_with("info depth 9 ")), "{lines:?}");
}

#[test]
fn stops_hold_for_searches_that_have_just_begun() {
    let mut wire = wire();
    for _ in 0..500 {
        wire.send("go infinite");
        wire.send("stop");
    }
    wire.close();
    assert_eq!(wire.rest().iter().filter(|l| l.starts_with("bestmove")).count(), 500);
}

#[test]
fn a_running_search_is_stopped_and_soon() {
    let mut wire = wire();
    let mut times: Vec<Duration> = (0..40)
        .map(|_| {
            wire.send("go infinite");
            wire.until("info depth 8");
            let since = Instant::now();
            wire.send("stop");
            wire.until("bestmove");
            since.elapsed()
        })
        .collect();
    times.sort();
    println!("stop to bestmove: median {:?}, slowest {:?}", times[20], times[39]);
    if tesuji_testkit::needs::slow("the time from stop to bestmove") {
        assert!(times[20] < Duration::from_millis(5), "{times:?}");
    }
}
