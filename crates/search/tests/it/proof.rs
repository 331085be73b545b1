//! The search for forced wins that is asked before the first iteration: its word counts, its nodes are paid for.

use crate::watch::{depth, nodes, searcher, think};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use tesuji_game::{Choice, Line};
use tesuji_search::{Proof, Prover, Searcher, alpha_beta::AlphaBeta};
use tesuji_testkit::four::{Drop, FourEval, FourPosition};

/// Says that a move of its own wins, or nothing, after this many nodes.
struct Oracle {
    says: Option<u8>,
    nodes: u64,
    /// The most nodes that it was allowed, and how often it was asked.
    allowed: Arc<AtomicU64>,
    asked: Arc<AtomicU64>,
}

impl Prover<FourPosition> for Oracle {
    fn prove(&mut self, _: &FourPosition, nodes_max: u64, stop: &mut dyn FnMut() -> bool) -> Proof<Drop> {
        assert!(!stop());
        self.allowed.store(nodes_max, Relaxed);
        self.asked.fetch_add(1, Relaxed);
        Proof { line: self.says.into_iter().map(Drop).collect(), nodes: self.nodes }
    }
}

fn asked(says: Option<u8>, nodes: u64) -> (AlphaBeta<FourPosition, FourEval>, Arc<AtomicU64>, Arc<AtomicU64>) {
    let (allowed, asked) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
    let mut search = searcher();
    search.options().set("RootMate", "true").expect("an option");
    search.set_prover(Some(Box::new(Oracle { says, nodes, allowed: allowed.clone(), asked: asked.clone() })));
    (search, allowed, asked)
}

#[test]
fn a_proof_is_played() {
    let (mut search, ..) = asked(Some(6), 70);
    let report = think(&mut search, &Line::new(FourPosition::default()), &nodes(5000));
    assert_eq!((report.choice, report.nodes), (Some(Choice::Play(Drop(6))), 70));
    assert_eq!(report.lines[0].value.mate_plies(), Some(1));
}

#[test]
fn what_was_not_proved_costs_its_nodes() {
    let (mut search, allowed, times) = asked(None, 321);
    let line = Line::new(FourPosition::default());
    assert_eq!(think(&mut search, &line, &nodes(5000)).nodes, 5000);
    assert_eq!((allowed.load(Relaxed), times.load(Relaxed)), (500, 1));
    search.options().set("RootMatePercent", "50").expect("an option");
    search.options().set("RootMateNodes", "1000").expect("an option");
    think(&mut search, &line, &nodes(5000));
    assert_eq!(allowed.load(Relaxed), 1000);
}

#[test]
fn it_is_not_asked_where_it_knows_no_answer() {
    let (mut search, _, times) = asked(Some(6), 1);
    let line = Line::new(FourPosition::default());
    think(&mut search, &line, &depth(3));
    search.options().set("MultiPV", "2").expect("an option");
    think(&mut search, &line, &nodes(1000));
    search.options().set("MultiPV", "1").expect("an option");
    search.options().set("RootMate", "false").expect("an option");
    think(&mut search, &line, &nodes(1000));
    assert_eq!(times.load(Relaxed), 0);
}
