//! An oracle from a hand-made evaluation: quiescence gives the value, a look one ply ahead the policy, so that tree search plays every tactical game.

use super::{math::exp, view::to_expected};
use crate::{
    probe::{EndgameProbe, Wdl5},
    settle::{LOST, Walker},
};
use std::sync::Arc;
use tesuji_game::{CacheCounts, Evaluator, Oracle, OracleError, Query, Tactical, Value};
use tesuji_options::options;

options! {
    /// How an evaluation answers for a network.
    pub struct EvalParameters(expert) {
        /// Where priors come from: nowhere, the worth of captures, or the values one ply ahead.
        prior: Choice = "look" of ["uniform", "order", "look"], "Prior";
        /// Centipawns by which a move must be better to be e times as likely.
        prior_spread_cp: f32 = 200.0 in 1.0..=10000.0, "PriorSpread";
        /// Plies of captures looked at before a position is valued; 0 takes the static value.
        quiescence_plies: u32 = 8 in 0..=64, "QuiescencePlies";
        /// Moves over which a position in check is looked at further.
        evasion_plies: u32 = 2 in 0..=64, "EvasionPlies";
    }
}

/// Thresholds of static exchange evaluation for priors, in centipawns.
const EXCHANGES: [i32; 9] = [800, 450, 280, 80, 0, -100, -300, -500, -900];
/// Bonus for giving check in priors by captures, in centipawns.
const CHECK_CP: i32 = 40;

/// An oracle from an evaluator. Clones are for other threads.
#[derive(Clone)]
pub struct EvalOracle<P: Tactical, E> {
    walker: Walker<P, E>,
    parameters: EvalParameters,
    /// Centipawns at which the odds to win are e to one.
    scale_cp: f32,
    probe: Option<Arc<dyn EndgameProbe<P>>>,
    scores: Vec<i32>,
}

impl<P: Tactical, E: Evaluator<P>> EvalOracle<P, E> {
    /// An oracle with default options, whose scale is that of [`super::Parameters`].
    pub fn new(eval: E) -> Self {
        EvalOracle {
            walker: Walker::new(eval),
            parameters: EvalParameters::default(),
            scale_cp: super::Parameters::default().scale_cp,
            probe: None,
            scores: Vec::new(),
        }
    }

    /// This oracle with other options, and with another scale: the centipawns at which the odds to win are e to one.
    pub fn with(mut self, parameters: EvalParameters, scale_cp: f32) -> Self {
        (self.parameters, self.scale_cp) = (parameters, scale_cp);
        self
    }

    /// This oracle with endgame tables, or without.
    pub fn with_probe(mut self, probe: Option<Arc<dyn EndgameProbe<P>>>) -> Self {
        self.probe = probe;
        self
    }

    /// The result by endgame tables, in -1..=1.
    fn known(&self, pos: &P) -> Option<f32> {
        Some(match self.probe.as_ref()?.wdl(pos)? {
            Wdl5::Win => 1.0,
            Wdl5::Loss => -1.0,
            Wdl5::BlessedLoss | Wdl5::Draw | Wdl5::CursedWin => 0.0,
        })
    }

    /// The static exchange evaluation of a move, as the nearest threshold below it.
    fn exchange(pos: &P, mv: P::Move) -> i32 {
        EXCHANGES.into_iter().find(|&cp| pos.see_ge(mv, cp)).unwrap_or(-LOST / 2)
    }

    /// The worth of a move for the prior, on top of the position's own.
    fn worth(&mut self, pos: &mut P, mv: P::Move, here: i32) -> i32 {
        if self.parameters.prior == "order" {
            let check = if pos.gives_check(mv) { CHECK_CP } else { 0 };
            return Self::exchange(pos, mv).min(pos.gain_cp(mv).max(0)) + check;
        }
        // Captures by what the exchange comes to: the static value would count the victim, but not the answer.
        if pos.is_noisy(mv) || !pos.see_ge(mv, 0) {
            return Self::exchange(pos, mv).min(pos.gain_cp(mv).max(0));
        }
        let undo = self.walker.play(pos, mv);
        let after = -self.walker.eval.value(pos).raw();
        self.walker.undo(pos, mv, undo);
        after - here
    }

    /// Fills the policy: the softmax of what moves are worth.
    fn fill_policy(&mut self, pos: &mut P, query: &mut Query<P>) {
        let policy = &mut query.answer.policy;
        policy.clear();
        if self.parameters.prior == "uniform" {
            policy.resize(query.moves.len(), 1.0 / query.moves.len().max(1) as f32);
            return;
        }
        let here = self.walker.eval.value(pos).raw();
        let mut scores = std::mem::take(&mut self.scores);
        scores.clear();
        for &mv in &query.moves {
            scores.push(self.worth(pos, mv, here));
        }
        let most = scores.iter().copied().max().unwrap_or(0);
        let spread = f64::from(self.parameters.prior_spread_cp);
        policy.extend(scores.iter().map(|&s| exp(f64::from(s - most) / spread) as f32));
        let sum: f32 = policy.iter().sum();
        policy.iter_mut().for_each(|p| *p /= sum);
        self.scores = scores;
    }
}

impl<P: Tactical, E: Evaluator<P>> Oracle<P> for EvalOracle<P, E> {
    /// One at a time: nothing is gained by more.
    fn batch_max(&self) -> usize {
        1
    }

    fn ask(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError> {
        for query in batch {
            let mut pos = query.line.here().clone();
            self.walker.eval.reset(&pos);
            if query.wants_value {
                query.answer.value = self.known(&pos).unwrap_or_else(|| {
                    let (plies, evasions) = (self.parameters.quiescence_plies, self.parameters.evasion_plies);
                    let value = self.walker.settle(&mut pos, -LOST, LOST, plies, evasions);
                    to_expected(Value::cp(value), self.scale_cp)
                });
            }
            if query.wants_policy {
                self.fill_policy(&mut pos, query);
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.walker.eval.clear();
        self.walker.eval.reset_counts();
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.walker.eval.cache_counts()
    }
}
