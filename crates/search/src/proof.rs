//! The step before a search: a forced win that another search proves needs no search of its own.

use crate::{Prover, clock};
use std::time::Duration;
use tesuji_game::{Bound, Candidate, Choice, Limits, Line, Position, Report, Signal, Value, Watch};

/// The result of a proof search before the main search.
pub(crate) enum Before<M> {
    /// The game is decided.
    Won(Report<M>),
    /// It spent this many nodes.
    Spent(u64),
}

/// The limits of a proof search at the root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowed {
    /// The most nodes.
    pub nodes_max: u64,
    /// The share of the move's nodes and time, in percent.
    pub percent: u64,
    /// Move overhead: time lost between the clock and the search.
    pub overhead: Duration,
}

/// Asks `prover` about the last position of `line`, with a small part of what limits the move. It is not asked where a fixed
/// depth is wanted: it knows nothing of depths.
pub(crate) fn prove_root<P: Position>(
    prover: &mut dyn Prover<P>,
    line: &Line<P>,
    limits: &Limits,
    allowed: Allowed,
    watch: &mut dyn Watch<P::Move>,
) -> Before<P::Move> {
    let nodes = [limits.nodes, limits.soft_nodes].into_iter().flatten().min();
    let nodes_max = nodes.map_or(u64::MAX, |n| n / 100 * allowed.percent).min(allowed.nodes_max);
    let is_plain = limits.depth.is_none() && limits.mate_plies.is_none();
    if nodes_max == 0 || !is_plain {
        return Before::Spent(0);
    }
    let budget = clock::budget(limits, line.here().side_to_move(), allowed.overhead).filter(|_| !limits.ponder);
    let time = budget.map(|b| b.soft.unwrap_or(b.hard).min(b.hard).mul_f64(allowed.percent as f64 / 100.0));
    let began = watch.elapsed();
    let mut stop = || {
        let spent = watch.elapsed().saturating_sub(began);
        watch.signal() == Signal::Stop || time.is_some_and(|most| spent >= most)
    };
    let proof = prover.prove(line.here(), nodes_max, &mut stop);
    match proof.line.first() {
        Some(&mv) if is_new(line, mv) => {
            let report = won(proof.line, proof.nodes, watch.elapsed());
            watch.report(&report);
            Before::Won(report)
        }
        _ => Before::Spent(proof.nodes),
    }
}

/// Whether the position after `mv` was never on the board: a mate that begins with it cannot go round for ever.
pub(crate) fn is_new<P: Position>(line: &Line<P>, mv: P::Move) -> bool {
    let mut next = line.here().clone();
    next.play(mv);
    let key = next.key();
    let mut before = line.start().clone();
    let is_other = |pos: &P| pos.key() != key;
    is_other(&before)
        && line.moves().all(|mv| {
            before.play(mv);
            is_other(&before)
        })
}

/// The report of a win by force, as all reports are.
fn won<M: Copy>(pv: Vec<M>, nodes: u64, time: Duration) -> Report<M> {
    let plies = pv.len();
    let longest = (Value::MATE - Value::CP_MAX) as usize - 1;
    let value = Value::mate_in(plies.min(longest) as i32);
    let (choice, ponder) = (pv.first().map(|&mv| Choice::Play(mv)), pv.get(1).copied());
    let (bound, wdl, prior) = (Bound::Exact, None, 0.0);
    let lines = vec![Candidate { pv, value, bound, wdl, visits: nodes, prior, expected: None, margin: None }];
    let depth = plies as u32;
    Report { choice, ponder, lines, depth, depth_max: depth, nodes, time, ..Report::default() }
}
