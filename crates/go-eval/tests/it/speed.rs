//! How fast playouts and the search with them are, in CPU time, and what threads add, by the clock. Runs only under `SLOW=1`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tesuji_game::{Limits, Line, Random, Report, Signal, Watch};
use tesuji_go::{Area, Board, GoPosition, Medium, Move, Rules, Small};
use tesuji_go_eval::{
    Chooser, Gammas, Heavy, HeavyKnobs, Learned, Light, PlayoutKnobs, PlayoutOracle, PlayoutStrengths, Totals, play_out,
};
use tesuji_options::Options;
use tesuji_search::{
    Searcher,
    mcts::{Knobs, Mcts, Seat, Tree, grow_all},
};

pub fn cpu_seconds() -> f64 {
    // The first number of schedstat: nanoseconds on the processor.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|w| w.parse::<f64>().ok()).map_or(f64::NAN, |ns| ns * 1e-9)
}

fn report(name: &str, games: usize, plies: u64, seconds: f64) {
    let (rate, length) = (plies as f64 / seconds / 1e6, plies as f64 / games as f64);
    println!("{name}: {rate:.2} M moves/CPU-s, {:.0} playouts/CPU-s, {length:.1} moves", games as f64 / seconds);
}

fn run<A: Area>(name: &str, rules: &str, games: usize, chooser: &mut impl Chooser<A>) {
    let start: GoPosition<A> = GoPosition::start(&rules.parse::<Rules>().unwrap()).unwrap();
    for _ in 0..3 {
        let (mut random, mut plies) = (Random::new(1), 0);
        let began = cpu_seconds();
        for _ in 0..games {
            let mut board: Board<A> = *start.board();
            plies += play_out(&mut board, tesuji_go::BLACK, None, chooser, &mut random, |_, _| ()).plies as u64;
        }
        report(&format!("{name}, moves alone"), games, plies, cpu_seconds() - began);
        let mut totals = Totals::default();
        totals.begin(&start);
        let began = cpu_seconds();
        totals.play(&start, None, games, chooser, &mut random);
        report(&format!("{name}, counted"), games, totals.plies(), cpu_seconds() - began);
    }
}

fn search<A: Area>(name: &str, rules: &str, playouts: u64) {
    let line: Line<GoPosition<A>> = Line::new(GoPosition::start(&rules.parse::<Rules>().unwrap()).unwrap());
    for policy in ["light", "heavy"] {
        let tree = Tree::new(&line, &Knobs::playouts(), 1 << 28);
        tree.set_budget(Some(playouts));
        let mut oracle = PlayoutOracle::new(PlayoutKnobs { policy: policy.into(), ..PlayoutKnobs::default() });
        let began = cpu_seconds();
        grow_all(&[Seat { tree: &tree, line: &line }], 1, &mut oracle, &mut Vec::new()).unwrap();
        println!("{name}, tree and {policy} playouts: {:.0} a CPU-second", playouts as f64 / (cpu_seconds() - began));
    }
}

#[test]
fn playouts_are_fast() {
    if !tesuji_testkit::needs::slow("measures playouts") {
        return;
    }
    let heavy = || Heavy::new(HeavyKnobs::default());
    run::<Small>("9x9 light", "9x9 chinese", 40_000, &mut Light);
    run::<Medium>("19x19 light", "19x19 chinese", 8_000, &mut Light);
    run::<Small>("9x9 heavy", "9x9 chinese", 10_000, &mut heavy());
    run::<Medium>("19x19 heavy", "19x19 chinese", 2_000, &mut heavy());
    let strengths = Arc::new(PlayoutStrengths::new(&Gammas::playouts()));
    run::<Small>("9x9 learned", "9x9 chinese", 10_000, &mut Learned::new(strengths.clone()));
    run::<Medium>("19x19 learned", "19x19 chinese", 2_000, &mut Learned::new(strengths.clone()));
    run::<Small>("9x9 mixed", "9x9 chinese", 10_000, &mut Learned::new(strengths.clone()).with_answers(heavy()));
    run::<Medium>("19x19 mixed", "19x19 chinese", 2_000, &mut Learned::new(strengths).with_answers(heavy()));
    search::<Small>("9x9", "9x9 chinese", 20_000);
    search::<Medium>("19x19", "19x19 chinese", 4_000);
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

/// Playouts per second by the clock with so many threads at one tree; the best of three.
fn with_threads<A: Area>(rules: &str, threads: usize, playouts: u64) -> f64 {
    let line: Line<GoPosition<A>> = Line::new(GoPosition::start(&rules.parse::<Rules>().unwrap()).unwrap());
    let mut search = Mcts::new(PlayoutOracle::new(PlayoutKnobs::default()));
    search.set_knobs(Knobs::playouts());
    search.set("Threads", &threads.to_string()).unwrap();
    let rates = (0..3).map(|_| {
        search.new_game();
        let began = Instant::now();
        let report = search.search(&line, &Limits { nodes: Some(playouts), ..Limits::default() }, &[], &mut Alone);
        report.nodes as f64 / began.elapsed().as_secs_f64()
    });
    rates.fold(0.0, f64::max)
}

/// Prints what each thread adds; the figure means something on a quiet machine alone, so nothing is asked of it.
#[test]
fn threads_add_playouts() {
    if !tesuji_testkit::needs::slow("measures threads") {
        return;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (small, medium) = (with_threads::<Small>("9x9", 1, 20_000), with_threads::<Medium>("19x19", 1, 5_000));
    println!("1 thread: 9x9 {small:.0}, 19x19 {medium:.0} playouts a second");
    for threads in [2, 4, 8, 16].into_iter().filter(|&n| n <= cores) {
        let count = threads as u64;
        let now = with_threads::<Small>("9x9", threads, 20_000 * count);
        let large = with_threads::<Medium>("19x19", threads, 5_000 * count);
        let (a, b) = (now / small / threads as f64, large / medium / threads as f64);
        println!("{threads} threads: 9x9 {now:.0}, {a:.2} of ideal; 19x19 {large:.0}, {b:.2} of ideal");
    }
}
