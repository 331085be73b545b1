//! Blocks of positions as units of work: workers elsewhere search them, and the scores come back in place.

use crate::{CircleError, engine_scorer::scorer_of};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, VecDeque},
    io,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tesuji_arena::{Allowance, EngineRequest, OwnProgram, map_engine_files};
use tesuji_dataset::tasks::{RescoreTask, Scorer};
use tesuji_game::FirstSide;
use tesuji_jobs::{
    Interrupt, OriginLog, PackedRequest, RequestError, counted,
    units::{Dispatcher, ExcludedWorker, FileStore, RunStanding, SharedCarrier, Unit, UnitRunner, WorkKind},
};
use tesuji_kit::{Games, Kit, data::DataKit};
use tesuji_record::{Facts, Fault, Sample};

/// The kind of these units.
const KIND: &str = "rescore";
/// Attempts at a block, by whichever workers.
const ATTEMPTS: u32 = 3;
/// Between two looks at what came.
const LOOK: Duration = Duration::from_millis(100);

/// What searches positions, for a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackedScorer {
    game: String,
    nodes: u64,
    search: String,
    options: Vec<(String, String)>,
    engine: Option<EngineRequest>,
    moves: bool,
}

/// A position: rules, position, the move and the score on record.
type PackedSample = (String, String, String, Option<i16>);

/// What became of a position.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Scored {
    /// Its score for the first side, and the move that took the place of the one on record.
    Score(Option<i16>, Option<String>),
    /// Why there is none.
    Fault(String),
}

/// What two workers must agree on: scores and moves, which are all that they tell.
fn essence(bytes: &[u8]) -> Result<Vec<u8>, String> {
    Ok(bytes.to_vec())
}

/// Scores positions on workers elsewhere, asked by many threads.
pub(crate) struct FleetScorer {
    identity: String,
    waiting: Mutex<Waiting>,
    came: Condvar,
    dispatcher: Mutex<Box<dyn Dispatcher>>,
    origins: Option<OriginLog>,
    /// The workers whose scores are wanted no more, as they were noted last.
    excluded: Mutex<Vec<ExcludedWorker>>,
}

#[derive(Default)]
struct Waiting {
    /// Blocks that are not given out yet.
    units: VecDeque<Unit>,
    /// Those that came, and those that nobody can do.
    done: BTreeMap<u64, Result<Vec<Scored>, String>>,
    /// Those that workers have, with the attempts at them.
    given: BTreeMap<u64, (Unit, u32)>,
    /// Positions that were scored.
    scored: u64,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FleetScorer {
    /// Begins the run of `task`, whose engine is `engine`; `identity` names what searches.
    pub(crate) fn begin(
        fleet: &SharedCarrier,
        kit: &dyn Kit,
        (task, engine, identity): (&RescoreTask, Option<&EngineRequest>, String),
    ) -> Result<FleetScorer, RequestError> {
        let RescoreTask { nodes, search, options, moves, .. } = task;
        let pair = |option: &String| {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            (name.to_string(), value.to_string())
        };
        let scorer = PackedScorer {
            game: kit.name().to_string(),
            nodes: *nodes,
            search: search.clone(),
            options: options.iter().map(pair).collect(),
            engine: engine.cloned(),
            moves: *moves,
        };
        if let Some(dir) = engine.and_then(|engine| engine.dir.as_ref()) {
            let reason =
                "a folder of this machine; engines of a fleet run elsewhere, with the files that they are given";
            return Err(RequestError::value("dir", dir.display(), reason));
        }
        let mut packed = PackedRequest::new(fleet.label().to_string(), scorer);
        let values: Vec<String> = packed.request.options.iter().map(|(_, value)| value.clone()).collect();
        values.iter().try_for_each(|value| packed.keep(fleet.files(), value))?;
        if let Some(mut engine) = engine.cloned() {
            map_engine_files(&mut engine, &mut |name, is_program| {
                let store = fleet.files();
                if is_program {
                    packed.keep_program(store, name)?
                } else {
                    packed.keep(store, name)?
                }
                Ok(None)
            })?;
        }
        let is_timed = engine.is_some_and(|engine| engine.move_time.is_some());
        if is_timed {
            packed.note_speed(tesuji_jobs::speed());
        }
        let name = format!("scores of {}", fleet.label());
        let usual = kit.families().first().copied().unwrap_or_default();
        let own = EngineRequest { options: packed.request.options.clone(), ..EngineRequest::default() };
        let repeats = engine.unwrap_or(&own).repeats(None, if search.is_empty() { usual } else { search });
        let mut dispatcher = packed.begin(&**fleet, (&name, KIND), (essence, repeats))?;
        let excluded = fleet.origins().map(|log| log.excluded(KIND, dispatcher.run_id())).unwrap_or_default();
        dispatcher.recall_excluded(excluded.clone());
        Ok(FleetScorer {
            identity,
            waiting: Mutex::default(),
            came: Condvar::new(),
            dispatcher: Mutex::new(dispatcher),
            origins: fleet.origins(),
            excluded: Mutex::new(excluded),
        })
    }

    /// Gives out what workers have room for, and takes what comes.
    fn step(&self, dispatcher: &mut dyn Dispatcher) -> io::Result<()> {
        while dispatcher.room() > 0 {
            let Some(unit) = held(&self.waiting).units.pop_front() else { break };
            dispatcher.submit(unit.clone())?;
            held(&self.waiting).given.entry(unit.index).or_insert((unit, 0));
        }
        let Some(result) = dispatcher.receive(LOOK)? else { return Ok(()) };
        self.note_excluded(dispatcher);
        let mut waiting = held(&self.waiting);
        let Some((unit, attempts)) = waiting.given.remove(&result.index) else { return Ok(()) };
        let read = |bytes: Vec<u8>| serde_json::from_slice(&bytes).map_err(|error| error.to_string());
        match result.outcome.and_then(read) {
            Err(words) if attempts + 1 < ATTEMPTS => {
                tracing::warn!("worker {} could not do block {}: {words}", result.worker, result.index + 1);
                waiting.given.insert(result.index, (unit.clone(), attempts + 1));
                waiting.units.push_front(unit);
            }
            outcome => {
                waiting.scored += outcome.as_ref().map_or(0, |scored: &Vec<Scored>| scored.len() as u64);
                let outcome = outcome.map_err(|words| format!("worker {}: {words}", result.worker));
                waiting.done.insert(result.index, outcome);
                let summary = counted(waiting.scored, "position");
                dispatcher.report(RunStanding { summary, ..RunStanding::default() });
                let worker = (result.worker.as_str(), result.worker_id.as_str());
                let noted = self.origins.as_ref().map_or(Ok(()), |log| log.note(KIND, result.index, worker));
                if let Err(error) = noted {
                    tracing::warn!("who scored block {} is not noted: {error}", result.index + 1);
                }
            }
        }
        drop(waiting);
        self.came.notify_all();
        // The block is not in the output yet: where the work is killed before that, going on gives it out again.
        dispatcher.commit(result.index)
    }

    /// Keeps the workers whose scores are wanted no more: the fleet's server may lose them.
    fn note_excluded(&self, dispatcher: &dyn Dispatcher) {
        let (excluded, Some(log)) = (dispatcher.excluded(), &self.origins) else { return };
        let mut known = held(&self.excluded);
        if excluded == *known {
            return;
        }
        if let Err(error) = log.note_excluded(KIND, dispatcher.run_id(), &excluded) {
            tracing::warn!("{}: {error}; whose scores were set aside is not noted", log.path().display());
        }
        *known = excluded;
    }

    /// The scores of a block.
    fn wait(&self, block: u64) -> Result<Vec<Scored>, String> {
        loop {
            if let Some(done) = held(&self.waiting).done.remove(&block) {
                return done;
            }
            match self.dispatcher.try_lock() {
                Ok(mut dispatcher) => self.step(&mut **dispatcher).map_err(|error| error.to_string())?,
                Err(_) => drop(self.came.wait_timeout(held(&self.waiting), LOOK)),
            }
        }
    }
}

impl Scorer for FleetScorer {
    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn score(&self, block: u64, samples: &mut [Sample], fault: &mut dyn FnMut(usize, Fault)) {
        let packed = |s: &Sample| (s.rules.clone(), s.position.clone(), s.mv.clone(), s.score.map(|score| score.0));
        let body = serde_json::to_string(&samples.iter().map(packed).collect::<Vec<PackedSample>>());
        let scored = body.map_err(|error| error.to_string()).and_then(|body| {
            held(&self.waiting).units.push_back(Unit { index: block, body });
            self.wait(block)
        });
        let scored = scored.and_then(|scored| match scored.len() == samples.len() {
            true => Ok(scored),
            false => Err(format!("{} positions were asked for, and {} came", samples.len(), scored.len())),
        });
        match scored {
            Err(words) => fault(0, Fault::Io(io::Error::other(format!("no worker could score it: {words}")))),
            Ok(scored) => {
                for (index, (sample, scored)) in samples.iter_mut().zip(scored).enumerate() {
                    match scored {
                        Scored::Fault(found) => {
                            fault(index, Fault::Expected { expected: "a score by the engine", found })
                        }
                        Scored::Score(score, mv) => {
                            sample.score = score.map(FirstSide);
                            if let Some(mv) = mv {
                                sample.mv = mv;
                                // What was known of the move on record is not true of this one.
                                sample.facts = None;
                            }
                        }
                    }
                }
            }
        }
    }
}

impl Drop for FleetScorer {
    fn drop(&mut self) {
        let dispatcher = self.dispatcher.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = dispatcher.cancel() {
            tracing::warn!("workers were not told that the scores are there: {error}");
        }
    }
}

/// Searches blocks of positions, as a worker does it.
pub struct RescoreKind {
    /// The games that this program knows.
    pub games: Games,
    /// This program as an engine of a game.
    pub own: fn(&dyn Kit) -> io::Result<OwnProgram>,
}

impl RescoreKind {
    fn scorer(&self, request: &str, files: &dyn FileStore) -> Result<Box<dyn Scorer>, RequestError> {
        let packed: PackedRequest<PackedScorer> = PackedRequest::from_json(request)?;
        let files = packed.fetch(files)?;
        let PackedScorer { game, nodes, search, options, engine, moves } = packed.request.clone();
        let kit = self.games.kit(&game).map_err(RequestError::failed)?;
        let option =
            |(name, value): (String, String)| Ok(format!("{name}={}", files.word(&value, false)?.unwrap_or(value)));
        let options = options.into_iter().map(option).collect::<io::Result<_>>()?;
        let mut engine = engine;
        if let Some(engine) = &mut engine {
            map_engine_files(engine, &mut |name, is_program| files.word(name, is_program))?;
            if packed.speed.is_some() {
                let time = Allowance { move_time: engine.move_time, ..Allowance::default() };
                engine.move_time = time.scaled(packed.clock_factor(tesuji_jobs::speed())).move_time;
            }
        }
        let task = RescoreTask { nodes, search, options, moves, ..RescoreTask::default() };
        let own = (self.own)(kit)?;
        scorer_of(&DataKit { kit, games: self.games }, (&task, engine.as_ref()), &own)
    }
}

impl WorkKind for RescoreKind {
    fn name(&self) -> &'static str {
        KIND
    }

    fn prepare(&self, request: &str, files: &dyn FileStore, _: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
        let scorer = self.scorer(request, files).map_err(|error| error.to_string())?;
        Ok(Box::new(RescoreRunner(Mutex::new(scorer))))
    }
}

/// One thread of a worker. A scorer is shared by threads, and here one alone has it.
struct RescoreRunner(Mutex<Box<dyn Scorer>>);

impl UnitRunner for RescoreRunner {
    fn run(&mut self, unit: &Unit, stop: &Interrupt) -> Result<Option<Vec<u8>>, String> {
        let samples: Vec<PackedSample> =
            serde_json::from_str(&unit.body).map_err(|error| format!("no unit of rescoring: {error}"))?;
        let scorer = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut done = Vec::with_capacity(samples.len());
        for (rules, position, mv, score) in samples {
            if stop.is_raised() {
                return Ok(None);
            }
            // Facts vanish where the move on record is replaced.
            let mut sample = [Sample {
                rules,
                position,
                mv,
                score: score.map(FirstSide),
                facts: Some(Facts::default()),
                ..Sample::default()
            }];
            let mut found = None;
            scorer.score(unit.index, &mut sample, &mut |_, fault| found = Some(fault));
            let [Sample { score, mv, facts, .. }] = sample;
            done.push(match found {
                Some(fault) => Scored::Fault(fault.to_string()),
                None => Scored::Score(score.map(|score| score.0), facts.is_none().then_some(mv)),
            });
        }
        serde_json::to_vec(&done).map(Some).map_err(|error| CircleError::fleet(error).to_string())
    }
}
