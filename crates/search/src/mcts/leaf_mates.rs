//! Short mates at the leaves of a tree: all checks and all answers to them, before the leaf goes to an oracle that would only guess.

use std::ops::ControlFlow::Continue;
use tesuji_game::{Mating, Oracle, OracleError, Query};
use tesuji_options::options;

options! {
    /// What is looked at before a leaf is valued.
    pub struct LeafMateKnobs(expert) {
        /// Mates of so many plies are found at leaves by looking at all checks and all answers; 0 looks for none.
        plies: u32 = 0 in 0..=9, "LeafMatePlies";
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

/// Asks another oracle about positions that have no short mate, and answers for those that have one.
#[derive(Clone)]
pub struct LeafMates<O> {
    oracle: O,
    knobs: LeafMateKnobs,
    probes: u64,
    hits: u64,
}

impl<O> LeafMates<O> {
    /// Short mates before `oracle`.
    pub fn new(oracle: O, knobs: LeafMateKnobs) -> Self {
        LeafMates { oracle, knobs, probes: 0, hits: 0 }
    }
}

impl<P: Mating, O: Oracle<P>> Oracle<P> for LeafMates<O> {
    fn batch_max(&self) -> usize {
        self.oracle.batch_max()
    }

    fn ask(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError> {
        if self.knobs.plies == 0 {
            return self.oracle.ask(batch);
        }
        // Those with a mate change places with the last of the others.
        let mut open = batch.len();
        let mut swaps = Vec::new();
        let mut at = 0;
        while at < open {
            let query = &mut batch[at];
            let mut pos = query.line.here().clone();
            self.probes += 1;
            let Some((mv, plies)) = mate_within(&mut pos, self.knobs.plies) else {
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

    fn counts(&self) -> Vec<(&'static str, u64, u64)> {
        let own = (self.probes > 0).then_some(("leaf mates", self.probes, self.hits));
        own.into_iter().chain(self.oracle.counts()).collect()
    }
}
