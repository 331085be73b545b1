//! Best-first search for go: each position is worth what short playouts from it say, and the whole tree stays to be looked into.

use super::search::{NetView, Raw};
use std::sync::Arc;
use tesuji_game::{CacheCounts, Limits, Line, Report, TreeView, Watch};
use tesuji_go::{Area, GoPosition, Move};
use tesuji_go_eval::{Estimate, EstimateParameters, HeavyParameters};
use tesuji_options::{OptionError, Options, Spec, find};
use tesuji_search::{
    Searcher,
    best_first::{BestFirst, Parameters},
};

/// Positions that are valued for a move when nobody says anything, each by playouts of its own.
const VISITS_USUAL: u64 = 2_000;

/// Best-first search on boards of capacity `A`.
pub(super) struct GoBest<A: Area> {
    search: BestFirst<GoPosition<A>, Estimate<A>>,
    parameters: EstimateParameters,
    habits: HeavyParameters,
}

impl<A: Area> GoBest<A> {
    /// A search with default options.
    pub(super) fn new() -> Self {
        let (parameters, habits) = (EstimateParameters::default(), HeavyParameters::default());
        let mut search = BestFirst::new(Estimate::new(parameters.clone(), habits.clone()));
        search.set_parameters(Parameters::settled());
        GoBest { search, parameters, habits }
    }
}

impl<A: Area> NetView<A> for GoBest<A> {
    fn raw(&self, _line: &Line<GoPosition<A>>, _symmetry: Option<u8>) -> Option<Result<Raw, String>> {
        None
    }

    fn usual_visits(&self, _line: &Line<GoPosition<A>>) -> u64 {
        VISITS_USUAL
    }

    fn reset(&mut self, name: &str) {
        if let Ok(spec) = find(&self.specs(), name) {
            // A default value is one that the option takes.
            let _ = self.set(spec.name, &spec.kind.default_text());
        }
    }
}

impl<A: Area> Options for GoBest<A> {
    fn specs(&self) -> Vec<Spec> {
        [EstimateParameters::SPECS, HeavyParameters::SPECS, &self.search.specs()].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        self.parameters.get(name).or_else(|| self.habits.get(name)).or_else(|| Options::get(&self.search, name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if EstimateParameters::SPECS.contains(&spec) {
            self.parameters.set(spec.name, value)?;
        } else if HeavyParameters::SPECS.contains(&spec) {
            self.habits.set(spec.name, value)?;
        } else {
            return self.search.set(spec.name, value);
        }
        self.search.set_evaluator(Estimate::new(self.parameters.clone(), self.habits.clone()));
        Ok(())
    }
}

impl<A: Area> Searcher<GoPosition<A>> for GoBest<A> {
    fn options(&mut self) -> &mut dyn Options {
        self
    }

    fn new_game(&mut self) {
        self.search.new_game();
    }

    fn search(
        &mut self,
        line: &Line<GoPosition<A>>,
        limits: &Limits,
        only: &[Move],
        watch: &mut dyn Watch<Move>,
    ) -> Report<Move> {
        self.search.search(line, limits, only, watch)
    }

    fn tree(&self) -> Option<Arc<dyn TreeView<Move>>> {
        Searcher::tree(&self.search)
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.search.counts()
    }
}
