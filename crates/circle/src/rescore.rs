//! A game as work on data sees it, whose positions are scored by players of this process, by an engine of the user, or by workers elsewhere.

use crate::{engine_scorer::scorer_of, rescore_unit::FleetScorer};
use tesuji_arena::{EngineRequest, OwnProgram};
use tesuji_dataset::tasks::{DataGame, MateJudge, MateTask, RescoreTask, Scorer};
use tesuji_jobs::{RequestError, units::SharedCarrier};
use tesuji_kit::data::DataKit;
use tesuji_record::{AnyGame, Survey};

/// A game as work on data sees it, whose positions an engine of the user may score.
///
/// # Examples
///
/// ```
/// use tesuji_arena::OwnProgram;
/// use tesuji_circle::EngineDataKit;
/// use tesuji_dataset::tasks::{DataGame, RescoreTask};
/// use tesuji_four::FOUR;
/// use tesuji_kit::{Games, Kit, data::DataKit};
/// static ALL: [&dyn Kit; 1] = [&FOUR];
/// let own = OwnProgram { path: "tesuji".into(), words: Vec::new(), version: "1.0".into() };
/// let game = EngineDataKit { data: DataKit { kit: &FOUR, games: Games(&ALL) }, own, fleet: None };
/// let task = |engine: &str| RescoreTask { engine: Some(engine.into()), nodes: 100, ..RescoreTask::default() };
/// let error = game.scorer(&task("cmd=/no/such/engine")).err().expect("it cannot be started").to_string();
/// assert!(error.contains("cannot start /no/such/engine"), "{error}");
/// ```
pub struct EngineDataKit {
    /// The game.
    pub data: DataKit,
    /// This program, for engines that are its own.
    pub own: OwnProgram,
    /// Reaches workers that search in place of threads.
    pub fleet: Option<SharedCarrier>,
}

impl DataGame for EngineDataKit {
    fn records(&self) -> &'static dyn AnyGame {
        self.data.records()
    }

    fn survey(&self) -> Option<&'static dyn Survey> {
        self.data.survey()
    }

    fn mate_judge(&self, task: &MateTask) -> Result<Box<dyn MateJudge>, RequestError> {
        self.data.mate_judge(task)
    }

    fn scorer(&self, task: &RescoreTask) -> Result<Box<dyn Scorer>, RequestError> {
        let wrong = |words: &str, error: String| RequestError::value("engine", words, error);
        let engine = task.engine.as_ref().map(|words| words.parse().map_err(|error| wrong(words, error)));
        let engine: Option<EngineRequest> = engine.transpose()?;
        let scorer = scorer_of(&self.data, (task, engine.as_ref()), &self.own)?;
        let Some(fleet) = &self.fleet else { return Ok(scorer) };
        let asked = (task, engine.as_ref(), scorer.identity());
        Ok(Box::new(FleetScorer::begin(fleet, self.data.kit, asked)?))
    }
}
