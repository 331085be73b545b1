//! Best-first search with its presets: a searcher of any game that has an evaluator, and of chess with the one of Chess in Delphi.

use super::hand::{Handmade, Probe};
use std::sync::Arc;
use tesuji_game::{Evaluator, Limits, Line, Position, Report, TreeView, Value, Watch};
use tesuji_options::{OptionError, Options, Spec, find, options};
use tesuji_search::{
    Searcher,
    best_first::{BestFirst, Knobs},
};

options! {
    /// Sets of knobs with a name.
    struct Presets {
        /// All knobs at once, and the evaluation that belongs to them: delphi is the search of "Chess in Delphi", delphi-0 its first version.
        preset: Choice = "default" of ["default", "delphi", "delphi-0"], "Preset";
    }
}

/// The evaluator of the game, or the one that belongs to a preset.
#[derive(Clone)]
pub(super) enum Either<A, B> {
    /// The game's own.
    Usual(A),
    /// The preset's.
    Named(B),
}

impl<P: Position, A: Evaluator<P>, B: Evaluator<P>> Evaluator<P> for Either<A, B> {
    fn reset(&mut self, pos: &P) {
        match self {
            Either::Usual(eval) => eval.reset(pos),
            Either::Named(eval) => eval.reset(pos),
        }
    }

    fn push(&mut self, pos: &P, changes: &[P::Change]) {
        match self {
            Either::Usual(eval) => eval.push(pos, changes),
            Either::Named(eval) => eval.push(pos, changes),
        }
    }

    fn pop(&mut self) {
        match self {
            Either::Usual(eval) => eval.pop(),
            Either::Named(eval) => eval.pop(),
        }
    }

    fn value(&mut self, pos: &P) -> Value {
        match self {
            Either::Usual(eval) => eval.value(pos),
            Either::Named(eval) => eval.value(pos),
        }
    }

    fn clear(&mut self) {
        match self {
            Either::Usual(eval) => eval.clear(),
            Either::Named(eval) => eval.clear(),
        }
    }
}

/// Best-first search with the game's evaluator, and that of the presets where there is one.
pub(super) struct EvalBestFirst<G: Handmade> {
    search: BestFirst<G::Position, Either<G::Eval, G::PresetEval>>,
    usual: G::Eval,
    named: Option<G::PresetEval>,
    presets: Presets,
}

impl<G: Handmade> EvalBestFirst<G> {
    /// A searcher with default options.
    pub(super) fn new(usual: G::Eval, named: Option<G::PresetEval>) -> Self {
        let search = BestFirst::new(Either::Usual(usual.clone()));
        EvalBestFirst { search, usual, named, presets: Presets::default() }
    }

    /// Takes another evaluator of the game.
    pub(super) fn set_evaluator(&mut self, eval: G::Eval) {
        self.usual = eval;
        self.renew();
    }

    /// Takes endgame tables, or none.
    pub(super) fn set_probe(&mut self, probe: Probe<G::Position>) {
        self.search.set_probe(probe);
    }

    /// Brings the evaluator into step with the preset.
    fn renew(&mut self) {
        let named = self.named.clone().filter(|_| self.presets.preset != "default");
        self.search.set_evaluator(named.map_or(Either::Usual(self.usual.clone()), Either::Named));
    }
}

impl<G: Handmade> Options for EvalBestFirst<G> {
    fn specs(&self) -> Vec<Spec> {
        [Presets::SPECS.to_vec(), self.search.specs()].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        self.presets.get(name).or_else(|| Options::get(&self.search, name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if !Presets::SPECS.contains(&spec) {
            return self.search.set(spec.name, value);
        }
        self.presets.set(spec.name, value)?;
        if let Some(knobs) = Knobs::named(&self.presets.preset) {
            self.search.set_knobs(knobs);
        }
        self.renew();
        Ok(())
    }
}

impl<G: Handmade> Searcher<G::Position> for EvalBestFirst<G> {
    fn options(&mut self) -> &mut dyn Options {
        self
    }

    fn new_game(&mut self) {
        self.search.new_game();
    }

    fn search(
        &mut self,
        line: &Line<G::Position>,
        limits: &Limits,
        only: &[<G::Position as Position>::Move],
        watch: &mut dyn Watch<<G::Position as Position>::Move>,
    ) -> Report<<G::Position as Position>::Move> {
        self.search.search(line, limits, only, watch)
    }

    fn tree(&self) -> Option<Arc<dyn TreeView<<G::Position as Position>::Move>>> {
        Searcher::tree(&self.search)
    }

    fn counts(&self) -> Vec<(&'static str, u64, u64)> {
        self.search.counts()
    }
}
