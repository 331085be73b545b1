//! Short mates at the leaves of a tree: all checks and all answers to them, before the leaf goes to an oracle that would only guess.

use crate::{
    Prover,
    mate::{MateSearch, RootMates},
    proof::is_new,
};
use std::ops::ControlFlow::Continue;
use tesuji_game::{CacheCounts, Line, Mating, Oracle, OracleError, Query, Tactical};
use tesuji_options::options;

options! {
    /// What is looked at before a leaf is valued.
    pub struct LeafMateParameters(expert) {
        /// Mates of this many plies are found at leaves by looking at all checks and all answers; 0 looks for none.
        plies: u32 = 0 in 0..=9, "LeafMatePlies";
        /// Where that finds none, df-pn looks for a longer mate at the leaf with this many nodes; 0: it does not.
        mate_nodes: u64 = 0 in 0..=1_000_000, "LeafMateNodes";
    }
}

/// The shortest mate by checks alone of at most `plies_max` plies that the side to move has at `pos`: its first move, and plies.
pub fn mate_within<P: Mating>(pos: &mut P, plies_max: u32) -> Option<(P::Move, u32)> {
    let checks = checks_of(pos);
    (1..=plies_max).step_by(2).find_map(|plies| Some((mates(pos, &checks, plies)?, plies)))
}

fn checks_of<P: Mating>(pos: &P) -> Vec<P::Move> {
    let mut checks = Vec::new();
    let _ = pos.for_each_check(|mv| {
        checks.push(mv);
        Continue::<(), ()>(())
    });
    checks
}

/// The first of `checks` that mates in `plies` or fewer.
fn mates<P: Mating>(pos: &mut P, checks: &[P::Move], plies: u32) -> Option<P::Move> {
    checks.iter().copied().find(|&mv| {
        let undo = pos.play_seen(mv, |_| ());
        let is_mated = is_mated(pos, plies - 1);
        pos.undo(mv, undo);
        is_mated
    })
}

/// Whether the side to move, in check, is mated in `plies` or fewer whatever it does.
fn is_mated<P: Mating>(pos: &mut P, plies: u32) -> bool {
    if plies == 0 {
        return !pos.has_moves();
    }
    let mut answers = Vec::new();
    let _ = pos.for_each_move(|mv| {
        answers.push(mv);
        Continue::<(), ()>(())
    });
    answers.into_iter().all(|mv| {
        let undo = pos.play_seen(mv, |_| ());
        let checks = checks_of(pos);
        // The shortest first: most answers fail at once.
        let mated = (1..plies).step_by(2).any(|plies| mates(pos, &checks, plies).is_some());
        pos.undo(mv, undo);
        mated
    })
}

/// Asks another oracle about positions that have no short mate, and answers for those that have one. Clones, for other
/// threads, have tables of their own.
pub struct LeafMates<P: Mating, O> {
    oracle: O,
    parameters: LeafMateParameters,
    prover: RootMates<P>,
    probes: u64,
    hits: u64,
}

impl<P: Mating, O> LeafMates<P, O> {
    /// Short mates before `oracle`.
    pub fn new(oracle: O, parameters: LeafMateParameters) -> Self {
        LeafMates { oracle, parameters, prover: RootMates::default(), probes: 0, hits: 0 }
    }
}

impl<P: Mating, O: Clone> Clone for LeafMates<P, O> {
    fn clone(&self) -> Self {
        LeafMates::new(self.oracle.clone(), self.parameters.clone())
    }
}

impl<P: Mating + Tactical, O> LeafMates<P, O>
where
    MateSearch<P>: Send,
{
    /// The mate that is found at the end of `line`: its first move, and plies. One that would begin with a position of the
    /// game is none: repetition may come before its end.
    fn mate(&mut self, line: &Line<P>) -> Option<(P::Move, u32)> {
        let found = self.mate_of(&mut line.here().clone());
        found.filter(|&(mv, plies)| plies == 1 || is_new(line, mv))
    }

    fn mate_of(&mut self, pos: &mut P) -> Option<(P::Move, u32)> {
        if let Some(mate) = mate_within(pos, self.parameters.plies) {
            return Some(mate);
        }
        if self.parameters.mate_nodes == 0 {
            return None;
        }
        let line = self.prover.prove(pos, self.parameters.mate_nodes, &mut || false).line;
        Some((*line.first()?, line.len() as u32))
    }
}

impl<P: Mating + Tactical, O: Oracle<P>> Oracle<P> for LeafMates<P, O>
where
    MateSearch<P>: Send,
{
    fn batch_max(&self) -> usize {
        self.oracle.batch_max()
    }

    fn ask(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError> {
        if self.parameters.plies == 0 && self.parameters.mate_nodes == 0 {
            return self.oracle.ask(batch);
        }
        // Those with a mate change places with the last of the others.
        let mut open = batch.len();
        let mut swaps = Vec::new();
        let mut at = 0;
        while at < open {
            let query = &mut batch[at];
            self.probes += 1;
            let Some((mv, plies)) = self.mate(&query.line) else {
                at += 1;
                continue;
            };
            self.hits += 1;
            query.answer.clear();
            (query.answer.value, query.answer.win_plies) = (1.0, Some(plies as u16));
            query.answer.policy.extend(query.moves.iter().map(|&m| if m == mv { 1.0 } else { 0.0 }));
            open -= 1;
            batch.swap(at, open);
            swaps.push((at, open));
        }
        let result = if open > 0 { self.oracle.ask(&mut batch[..open]) } else { Ok(()) };
        swaps.into_iter().rev().for_each(|(a, b)| batch.swap(a, b));
        result
    }

    fn clear(&mut self) {
        (self.probes, self.hits) = (0, 0);
        self.oracle.clear();
    }

    fn counts(&self) -> Vec<CacheCounts> {
        let own = (self.probes > 0).then_some(CacheCounts::new("leaf mates", self.probes, self.hits));
        own.into_iter().chain(self.oracle.counts()).collect()
    }
}
