//! Monte-Carlo tree search of games with a hand-made evaluation: valued by that, or by a network where the game has some.

use crate::{
    handmade::{At, GameEval, Handmade, Moved, Probe},
    net::{Either, NetSlot, Touched},
};
use std::sync::Arc;
use tesuji_game::{CacheCounts, Limits, Line, Position, Report, TreeView, Watch};
use tesuji_options::{OptionError, Options, Spec, find};
use tesuji_search::{
    Prover, Searcher,
    mcts::{EvalOracle, EvalParameters, LeafMateParameters, LeafMates, Mcts, Parameters},
};

/// The oracle that values the leaves.
type Values<G> = LeafMates<At<G>, Either<EvalOracle<At<G>, GameEval<G>>, <G as Handmade>::Planes>>;

/// Monte-Carlo tree search whose leaves an evaluator or a net values.
pub struct EvalMcts<G: Handmade> {
    tree: Mcts<At<G>, Values<G>>,
    eval: GameEval<G>,
    parameters: EvalParameters,
    mates: LeafMateParameters,
    probe: Probe<At<G>>,
    net: NetSlot<G::Planes>,
    touched: Touched,
}

impl<G: Handmade> EvalMcts<G> {
    /// A searcher with default options.
    pub fn new(eval: GameEval<G>) -> Self {
        let mates = LeafMateParameters::default();
        let tree = Mcts::new(LeafMates::new(Either::Own(EvalOracle::new(eval.clone())), mates.clone()));
        let (parameters, probe) = (EvalParameters::default(), None);
        EvalMcts { tree, eval, parameters, mates, probe, net: NetSlot::default(), touched: Touched::default() }
    }

    /// Takes another evaluator.
    pub fn set_evaluator(&mut self, eval: GameEval<G>) {
        self.eval = eval;
        self.renew();
    }

    /// Takes endgame tables, or none.
    pub fn set_probe(&mut self, probe: Probe<At<G>>) {
        self.tree.set_probe(probe.clone());
        self.probe = probe;
        self.renew();
    }

    /// Takes a search for forced wins at the root.
    pub fn set_prover(&mut self, prover: Option<Box<dyn Prover<At<G>>>>) {
        self.tree.set_prover(prover);
    }

    /// Brings the oracle into step with all that it is made of.
    fn renew(&mut self) {
        let own = || {
            let oracle =
                EvalOracle::new(self.eval.clone()).with(self.parameters.clone(), self.tree.parameters().scale_cp);
            Either::Own(oracle.with_probe(self.probe.clone()))
        };
        let oracle = self.net.oracle::<At<G>>().map_or_else(own, |net| Either::Net(Box::new(net)));
        self.tree.set_oracle(LeafMates::new(oracle, self.mates.clone()));
    }

    /// Gives the search the options that suit what answers, under those that were set.
    fn set_usual(&mut self) {
        let usual = if self.net.is_full() { G::net_parameters() } else { Parameters::default() };
        self.tree.set_parameters(self.touched.over(usual));
    }

    /// The options of networks, where the game has any.
    fn net_specs() -> Vec<Spec> {
        if G::planes().is_empty() { Vec::new() } else { NetSlot::<G::Planes>::specs() }
    }
}

impl<G: Handmade> Options for EvalMcts<G> {
    fn specs(&self) -> Vec<Spec> {
        let oracles = [EvalParameters::SPECS, LeafMateParameters::SPECS].concat();
        [self.tree.specs(), Self::net_specs(), oracles].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        let net = || if G::planes().is_empty() { None } else { self.net.get(name) };
        let own = self.parameters.get(name).or_else(|| self.mates.get(name));
        Options::get(&self.tree, name).or(own).or_else(net)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if EvalParameters::SPECS.contains(&spec) {
            self.parameters.set(spec.name, value)?;
            self.renew();
            return Ok(());
        }
        if LeafMateParameters::SPECS.contains(&spec) {
            self.mates.set(spec.name, value)?;
            self.renew();
            return Ok(());
        }
        if Self::net_specs().contains(&spec) {
            if self.net.set::<At<G>>(spec.name, value, G::planes())? {
                self.set_usual();
            }
            self.renew();
            return Ok(());
        }
        let scale = self.tree.parameters().scale_cp;
        self.tree.set(spec.name, value)?;
        self.touched.note(spec.name, value);
        if self.tree.parameters().scale_cp != scale {
            self.renew();
        }
        Ok(())
    }
}

impl<G: Handmade> Searcher<At<G>> for EvalMcts<G> {
    fn options(&mut self) -> &mut dyn Options {
        self
    }

    fn new_game(&mut self) {
        if self.net.find_again() {
            self.set_usual();
            self.renew();
        }
        self.tree.new_game();
    }

    /// Where the net gives no answer, the evaluation does, unless the options forbid it.
    fn search(
        &mut self,
        line: &Line<At<G>>,
        limits: &Limits,
        only: &[Moved<G>],
        watch: &mut dyn Watch<Moved<G>>,
    ) -> Report<Moved<G>> {
        self.net.set_due(limits, line.here().side_to_move());
        let report = self.tree.search(line, limits, only, watch);
        let report = match &report.fault {
            Some(fault) if self.net.lose(fault) => {
                self.set_usual();
                self.renew();
                self.tree.search(line, limits, only, watch)
            }
            Some(_) => Report { choice: None, ..report },
            None => report,
        };
        Report { fault: report.fault.clone().or(self.net.lost()), ..report }
    }

    fn tree(&self) -> Option<Arc<dyn TreeView<Moved<G>>>> {
        self.tree.tree()
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.tree.counts()
    }
}
