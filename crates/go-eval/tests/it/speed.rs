//! Playouts by each way of choosing moves, and searches by several threads with them. How fast they are `tesuji bench go` and
//! `tesuji bench go --rules` measure; here stands what holds on every machine.

use std::{sync::Arc, time::Duration};
use tesuji_game::{Limits, Line, Random, Report, Signal, Watch};
use tesuji_go::{Area, Board, GoPosition, Medium, Move, Rules, Small};
use tesuji_go_eval::{
    Chooser, Gammas, Heavy, HeavyParameters, Learned, Light, PlayoutOracle, PlayoutParameters, PlayoutStrengths,
    Totals, play_out,
};
use tesuji_options::Options;
use tesuji_search::{
    Searcher,
    mcts::{Mcts, Parameters},
};

/// The processor time of this thread, in seconds.
pub fn cpu_seconds() -> f64 {
    // The first number of schedstat: nanoseconds on the processor.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|w| w.parse::<f64>().ok()).map_or(f64::NAN, |ns| ns * 1e-9)
}

/// Plays games out from the start, with the moves alone and counted: games end, neither too soon nor at the limit, and both ways
/// play the same number of moves.
fn check<A: Area>(name: &str, rules: &str, games: usize, chooser: &mut impl Chooser<A>) {
    let start: GoPosition<A> = GoPosition::start(&rules.parse::<Rules>().unwrap()).unwrap();
    let points = start.size().points() as f64;
    let mut random = Random::new(1);
    let mut plies = 0;
    for _ in 0..games {
        let mut board: Board<A> = *start.board();
        plies += play_out(&mut board, tesuji_go::BLACK, None, chooser, &mut random, |_, _| ()).plies;
    }
    let alone = plies as f64 / games as f64 / points;
    let mut totals = Totals::default();
    totals.begin(&start);
    totals.play(&start, None, games, chooser, &mut random);
    let counted = totals.plies() as f64 / games as f64 / points;
    assert_eq!(totals.count(), games, "{name}");
    for length in [alone, counted] {
        assert!((0.7..2.0).contains(&length), "{name}: games of {length:.2} moves a point");
    }
    assert!((alone - counted).abs() < 0.15, "{name}: {alone:.2} against {counted:.2} moves a point");
}

/// It was called `playouts_are_fast` and asserted nothing.
#[test]
fn playouts_come_to_their_end() {
    let heavy = || Heavy::new(HeavyParameters::default());
    let strengths = Arc::new(PlayoutStrengths::new(&Gammas::playouts()));
    check::<Small>("9x9 light", "9x9 chinese", 60, &mut Light);
    check::<Medium>("19x19 light", "19x19 chinese", 10, &mut Light);
    check::<Small>("9x9 heavy", "9x9 chinese", 60, &mut heavy());
    check::<Medium>("19x19 heavy", "19x19 chinese", 10, &mut heavy());
    check::<Small>("9x9 learned", "9x9 chinese", 60, &mut Learned::new(strengths.clone()));
    check::<Medium>("19x19 learned", "19x19 chinese", 10, &mut Learned::new(strengths.clone()));
    check::<Small>("9x9 mixed", "9x9 chinese", 60, &mut Learned::new(strengths.clone()).with_answers(heavy()));
    check::<Medium>("19x19 mixed", "19x19 chinese", 10, &mut Learned::new(strengths.clone()).with_answers(heavy()));
}

/// Nobody watches, and nobody keeps the time.
struct Alone;

impl Watch<Move> for Alone {
    fn signal(&mut self) -> Signal {
        Signal::Run
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn report(&mut self, _: &Report<Move>) {}
}

/// It was called `threads_add_playouts` and asserted nothing: with any number of threads exactly the playouts that are asked for
/// are played, and each is in the tree.
#[test]
fn threads_share_the_playouts_out() {
    const PLAYOUTS: u64 = 600;
    let line: Line<GoPosition<Small>> = Line::new(GoPosition::start(&"9x9 chinese".parse().unwrap()).unwrap());
    for threads in [1, 2, 3, 8] {
        let mut search = Mcts::new(PlayoutOracle::new(PlayoutParameters::default()));
        search.set_parameters(Parameters::playouts());
        search.set("Threads", &threads.to_string()).unwrap();
        let report = search.search(&line, &Limits { nodes: Some(PLAYOUTS), ..Limits::default() }, &[], &mut Alone);
        let tree = search.last_tree().expect("a tree");
        assert_eq!((report.nodes, tree.visits(), tree.in_flight()), (PLAYOUTS, PLAYOUTS, 0), "{threads} threads");
    }
}
