//! Best-first search with its presets: a searcher of any game that has an evaluator, and of chess with the one of Chess in Delphi.

use crate::{
    either::EitherEval,
    handmade::{At, GameEval, Handmade, Moved, Probe},
    learned::Lessons,
};
use std::sync::Arc;
use tesuji_game::{CacheCounts, Limits, Line, Report, TreeView, Watch};
use tesuji_options::{OptionError, Options, Spec, find, options};
use tesuji_search::{
    Searcher,
    best_first::{BestFirst, Parameters},
};

options! {
    /// Sets of options with a name.
    struct Presets {
        /// All options at once, and the evaluation that belongs to them: delphi is the search of "Chess in Delphi", delphi-0 its first version.
        preset: Choice = "default" of ["default", "delphi", "delphi-0"], "Preset";
    }
}

options! {
    /// Options for learning positions from game to game.
    struct Learning {
        /// The SQLite file of learned positions, made where there is none; empty: nothing is learned or recalled.
        learned_file: File = "", "LearnedFile";
        /// The share of a learned quality that counts in later games.
        learned_discount: f32 = 0.3 in 0.0..=1.0, "LearnedDiscount";
        /// The least quality of a position that is learned.
        learned_quality: f32 = 1000.0 in 2.0..=1000000.0, "LearnedQuality";
        /// The most positions in the file; those of the lowest quality go first.
        learned_max: u64 = 1000000 in 1..=100000000, "LearnedMax";
    }
}

/// The search of "Chess in Delphi" (Ivan Polyacov, <https://github.com/Cooler2/chess>): its weights, stages, quality and rules of decision at level 2.
///
/// Best played with its own evaluation. Two things are ours: illegal moves are never made, and repetitions follow the rules.
fn delphi() -> Parameters {
    Parameters {
        base: 32,
        careful: false,
        stages_max: 25,
        width: 2,
        grain: 1000.0,
        margin_cp: 64000.0,
        explore: 0.5,
        root_grain: 30.0,
        decay: 0.999,
        quiescent: false,
        merge: false,
        see_mates: false,
        trim: "worst".into(),
        kept_growth: 10,
        level: 2,
        ..Parameters::default()
    }
}

/// The first version of the same program: every move costs a ply, and the tree grows to the base and no further.
///
/// A limit of depth sets the base.
fn delphi_0() -> Parameters {
    let cost = 10;
    Parameters {
        base: 30,
        quiet_cost: cost,
        capture_cost: cost,
        check_cost: cost,
        stages_max: 0,
        level: 0,
        decay: 1.0,
        ..delphi()
    }
}

/// The options of that preset; `None` where there is none of the name.
fn named(preset: &str) -> Option<Parameters> {
    match preset {
        "default" => Some(Parameters::default()),
        "delphi" => Some(delphi()),
        "delphi-0" => Some(delphi_0()),
        _ => None,
    }
}

/// Best-first search with the game's evaluator, and that of the presets where there is one.
pub struct EvalBestFirst<G: Handmade> {
    search: BestFirst<At<G>, EitherEval<GameEval<G>, G::PresetEval>>,
    usual: GameEval<G>,
    named: Option<G::PresetEval>,
    presets: Presets,
    learning: Learning,
    lessons: Option<Lessons>,
}

impl<G: Handmade> EvalBestFirst<G> {
    /// A searcher with default options.
    pub fn new(usual: GameEval<G>, named: Option<G::PresetEval>) -> Self {
        let search = BestFirst::new(EitherEval::First(usual.clone()));
        EvalBestFirst {
            search,
            usual,
            named,
            presets: Presets::default(),
            learning: Learning::default(),
            lessons: None,
        }
    }

    /// Takes another evaluator of the game.
    pub fn set_evaluator(&mut self, eval: GameEval<G>) {
        self.usual = eval;
        self.renew();
    }

    /// Takes endgame tables, or none.
    pub fn set_probe(&mut self, probe: Probe<At<G>>) {
        self.search.set_probe(probe);
    }

    /// Opens the file of learned positions, or closes it.
    fn renew_lessons(&mut self, learning: &Learning) -> Result<(), String> {
        // The old one writes what it has before the new one reads.
        self.lessons = None;
        self.search.set_recall(None);
        if !learning.learned_file.is_empty() {
            let (discount, quality) = (learning.learned_discount, learning.learned_quality);
            let lessons = Lessons::open::<G>(&learning.learned_file, discount, quality, learning.learned_max)?;
            self.search.set_recall(Some(lessons.known()));
            self.lessons = Some(lessons);
        }
        Ok(())
    }

    /// Whether a preset is at work, with its evaluation if it has one.
    pub fn is_preset(&self) -> bool {
        self.presets.preset != "default"
    }

    /// Brings the evaluator into step with the preset.
    fn renew(&mut self) {
        let named = self.named.clone().filter(|_| self.is_preset());
        self.search.set_evaluator(named.map_or(EitherEval::First(self.usual.clone()), EitherEval::Second));
    }
}

impl<G: Handmade> Options for EvalBestFirst<G> {
    fn specs(&self) -> Vec<Spec> {
        [Presets::SPECS.to_vec(), Learning::SPECS.to_vec(), self.search.specs()].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        self.presets.get(name).or_else(|| self.learning.get(name)).or_else(|| Options::get(&self.search, name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if Learning::SPECS.contains(&spec) {
            let mut learning = self.learning.clone();
            learning.set(spec.name, value)?;
            let failed = |reason| OptionError::Failed { name: spec.name, reason };
            self.renew_lessons(&learning).map_err(failed)?;
            self.learning = learning;
            return Ok(());
        }
        if !Presets::SPECS.contains(&spec) {
            return self.search.set(spec.name, value);
        }
        self.presets.set(spec.name, value)?;
        if let Some(parameters) = named(&self.presets.preset) {
            self.search.set_parameters(parameters);
        }
        self.renew();
        Ok(())
    }
}

impl<G: Handmade> Searcher<At<G>> for EvalBestFirst<G> {
    fn options(&mut self) -> &mut dyn Options {
        self
    }

    fn new_game(&mut self) {
        if let Some(lessons) = &mut self.lessons {
            lessons.write();
        }
        self.search.new_game();
    }

    fn search(
        &mut self,
        line: &Line<At<G>>,
        limits: &Limits,
        only: &[Moved<G>],
        watch: &mut dyn Watch<Moved<G>>,
    ) -> Report<Moved<G>> {
        let report = self.search.search(line, limits, only, watch);
        if let Some(lessons) = &mut self.lessons
            && Lessons::is_time(line.len())
            && only.is_empty()
        {
            let quality_min = lessons.quality_min();
            lessons.learn::<G>(self.search.with_tree(|tree| tree.worked_out(quality_min)).unwrap_or_default());
            // At each move: an engine may be killed in the middle of a game.
            lessons.write();
        }
        report
    }

    fn tree(&self) -> Option<Arc<dyn TreeView<Moved<G>>>> {
        Searcher::tree(&self.search)
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.search.counts()
    }
}
