//! Monte-Carlo tree search with a hand-made evaluation for its oracle: a searcher of any game that has one, with the options of both.

use std::sync::Arc;
use tesuji_game::{Evaluator, Limits, Line, Report, Tactical, TreeView, Watch};
use tesuji_options::{OptionError, Options, Spec, find};
use tesuji_search::{
    EndgameProbe, Searcher,
    mcts::{EvalKnobs, EvalOracle, Mcts},
};

/// Monte-Carlo tree search whose leaves an evaluator values.
pub(super) struct EvalMcts<P: Tactical, E: Evaluator<P>> {
    tree: Mcts<P, EvalOracle<P, E>>,
    eval: E,
    knobs: EvalKnobs,
    probe: Option<Arc<dyn EndgameProbe<P>>>,
}

impl<P: Tactical, E: Evaluator<P>> EvalMcts<P, E> {
    /// A searcher with default options.
    pub(super) fn new(eval: E) -> Self {
        let tree = Mcts::new(EvalOracle::new(eval.clone()));
        EvalMcts { tree, eval, knobs: EvalKnobs::default(), probe: None }
    }

    /// Takes another evaluator.
    pub(super) fn set_evaluator(&mut self, eval: E) {
        self.eval = eval;
        self.renew();
    }

    /// Takes endgame tables, or none.
    pub(super) fn set_probe(&mut self, probe: Option<Arc<dyn EndgameProbe<P>>>) {
        self.tree.set_probe(probe.clone());
        self.probe = probe;
        self.renew();
    }

    /// Brings the oracle into step with all that it is made of.
    fn renew(&mut self) {
        let oracle = EvalOracle::new(self.eval.clone()).with(self.knobs.clone(), self.tree.knobs().scale_cp);
        self.tree.set_oracle(oracle.with_probe(self.probe.clone()));
    }
}

impl<P: Tactical, E: Evaluator<P>> Options for EvalMcts<P, E> {
    fn specs(&self) -> Vec<Spec> {
        [self.tree.specs(), EvalKnobs::SPECS.to_vec()].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        Options::get(&self.tree, name).or_else(|| self.knobs.get(name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if EvalKnobs::SPECS.contains(&spec) {
            self.knobs.set(spec.name, value)?;
            self.renew();
            return Ok(());
        }
        let scale = self.tree.knobs().scale_cp;
        self.tree.set(spec.name, value)?;
        if self.tree.knobs().scale_cp != scale {
            self.renew();
        }
        Ok(())
    }
}

impl<P: Tactical, E: Evaluator<P>> Searcher<P> for EvalMcts<P, E> {
    fn options(&mut self) -> &mut dyn Options {
        self
    }

    fn new_game(&mut self) {
        self.tree.new_game();
    }

    fn search(
        &mut self,
        line: &Line<P>,
        limits: &Limits,
        only: &[P::Move],
        watch: &mut dyn Watch<P::Move>,
    ) -> Report<P::Move> {
        self.tree.search(line, limits, only, watch)
    }

    fn tree(&self) -> Option<Arc<dyn TreeView<P::Move>>> {
        self.tree.tree()
    }

    fn counts(&self) -> Vec<(&'static str, u64, u64)> {
        self.tree.counts()
    }
}
