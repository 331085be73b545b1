//! New scores for positions by an engine of the user: processes that search each position by itself, asked by many threads.

use crate::{CircleError, duelist::engine_identity};
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use tesuji_arena::{
    Allowance, Contestant, Dialect, Engine, EngineRequest, EngineSpec, FaultKind, OwnProgram, Thought, Turn,
};
use tesuji_dataset::tasks::{DataGame, RescoreTask, Scorer};
use tesuji_game::{Choice, Side, Value};
use tesuji_jobs::{Interrupt, RequestError};
use tesuji_kit::{Kit, data::DataKit};
use tesuji_record::{Fault, Note, Sample, score_of};

/// Attempts at a position at which the engine is at fault; it is started again in between.
const ATTEMPTS: u32 = 2;
/// The engine is taken not to work once it was at fault at this many positions in a row, over all its processes.
const FAULTS_IN_A_ROW: u32 = 5;

/// Positions between two reports of progress.
const SAMPLES_AT_ONCE: usize = 16;

/// What scores positions of a game: players of this process, or processes of `engine`.
///
/// # Errors
/// What is wrong with options or engine, before anything is read.
pub(crate) fn scorer_of(
    data: &DataKit,
    (task, engine): (&RescoreTask, Option<&EngineRequest>),
    own: &OwnProgram,
) -> Result<Box<dyn Scorer>, RequestError> {
    let Some(request) = engine else { return data.scorer(task) };
    if task.nodes == 0 && !request.is_limited() {
        return Err(RequestError::field(
            "nodes",
            "says how long each position is searched, where --engine has no limit",
        ));
    }
    let dialect = Dialect::of(data.kit);
    let allowance = request.allowance(&Allowance::of_nodes(task.nodes), dialect);
    if let Some(control) = &allowance.control {
        return Err(RequestError::value(
            "engine",
            format_args!("tc={control}"),
            "single positions have no clocks: give st=SECONDS or nodes",
        ));
    }
    let name = request.name.clone().unwrap_or_else(|| request.usual_name());
    let spec = request.spec(&name, dialect, own)?;
    let identity = format!(" {}, {allowance}", engine_identity(request)?);
    let engines = Engines {
        kit: data.kit,
        spec,
        allowance,
        identity,
        moves: task.moves,
        stop: Interrupt::new(),
        idle: Mutex::default(),
        faults: Mutex::default(),
        clipped: AtomicU64::new(0),
    };
    // What is wrong with the engine is said before anything is read.
    let first = engines.start()?;
    engines.idle.lock().unwrap_or_else(PoisonError::into_inner).push(first);
    Ok(Box::new(engines))
}

/// Engines that wait for work, and how to start another.
struct Engines {
    kit: &'static dyn Kit,
    spec: EngineSpec,
    allowance: Allowance,
    identity: String,
    moves: bool,
    /// Never raised: stopped work ends between blocks, since half a search is no score.
    stop: Interrupt,
    idle: Mutex<Vec<Engine>>,
    /// Positions in a row at which engines were at fault.
    faults: Mutex<u32>,
    /// Scores beyond what values hold: reading them made them the largest.
    clipped: AtomicU64,
}

impl Engines {
    fn start(&self) -> Result<Engine, RequestError> {
        Engine::open(&self.spec, &self.stop)
            .map_err(|fault| RequestError::failed(CircleError::engine(&self.spec, &fault)))
    }

    /// Searches `sample`; in words what is wrong with the engine.
    fn think(&self, engine: &mut Option<Engine>, sample: &Sample, side: Side) -> Result<Thought, String> {
        if engine.is_none() {
            *engine = Some(self.start().map_err(|error| error.to_string())?);
        }
        let Some(running) = engine else { return Err(String::new()) };
        let (deadline, limits) = (self.allowance.move_time, self.allowance.limits(side, None, None));
        let turn = Turn {
            start: Some(&sample.position),
            moves: &[],
            side,
            limits: &limits,
            deadline: None,
            patience: self.allowance.patience(deadline),
            stop: self.stop.flag(),
            attend: None,
            is_draw_offered: false,
        };
        let thought = running.new_game(&sample.rules).and_then(|()| running.think(&turn));
        if running.is_spent() || thought.as_ref().is_err_and(|fault| fault.kind.breaks()) {
            *engine = None;
        }
        thought.map_err(|fault| {
            let last = fault.last_lines.last().map_or(String::new(), |line| format!("; it last wrote {line:?}"));
            format!("{fault}{last}")
        })
    }

    fn score_one(&self, engine: &mut Option<Engine>, sample: &mut Sample) -> Result<(), Fault> {
        let mut table = self.kit.table(&sample.rules, Some(&sample.position)).map_err(Fault::Position)?;
        if table.outcome().is_some() {
            return Ok(());
        }
        let side = table.side_to_move();
        let wrong = |found: String| Fault::Expected { expected: "a score by the engine", found };
        let mut said = String::new();
        for _ in 0..ATTEMPTS {
            let thought = match self.think(engine, sample, side) {
                Ok(thought) => thought,
                Err(words) => {
                    said = words;
                    continue;
                }
            };
            if let Choice::Play(mv) = &thought.choice {
                if let Err(error) = table.play(mv) {
                    let kind = FaultKind::Illegal.name();
                    return Err(wrong(format!("{kind}: it played {mv}: {error}")));
                }
                if self.moves {
                    sample.mv = table.last_move().unwrap_or(mv).to_string();
                    // What was known of the move on record is not true of this one.
                    sample.facts = None;
                }
            }
            if thought.value.is_none() {
                return Err(wrong("no score in what it tells of its search".into()));
            }
            if thought.value.is_some_and(|value| value.raw().abs() == i32::from(Value::CP_MAX)) {
                self.clipped.fetch_add(1, Relaxed);
            }
            sample.score = score_of(&Note { value: thought.value, ..Note::default() }, side);
            return Ok(());
        }
        Err(wrong(said))
    }
}

impl Scorer for Engines {
    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn samples_at_once(&self) -> usize {
        SAMPLES_AT_ONCE
    }

    fn clipped(&self) -> u64 {
        self.clipped.load(Relaxed)
    }

    fn score(&self, _block: u64, samples: &mut [Sample], fault: &mut dyn FnMut(usize, Fault)) {
        let faults = || self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let mut engine = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        for (index, sample) in samples.iter_mut().enumerate() {
            if *faults() >= FAULTS_IN_A_ROW {
                let found = "one that does not work: it was at fault again and again".to_string();
                fault(index, Fault::Expected { expected: "a score by the engine", found });
                continue;
            }
            match self.score_one(&mut engine, sample) {
                Ok(()) => *faults() = 0,
                Err(found) => {
                    *faults() += 1;
                    fault(index, found);
                }
            }
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(engine);
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        for mut engine in self.idle.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = engine.quit();
        }
    }
}
