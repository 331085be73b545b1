//! The state of a fleet as the page shows it: who works on what, how runs stand, which version was built where.

use serde::Serialize;
use std::collections::BTreeMap;
use tesuji_fleet::{BuildOutcome, FleetStatus, RunPhase, RunStatus, WorkerBuild, WorkerStatus};
use tesuji_jobs::units::{ExcludedWorker, WatchedGroup};
use utoipa::ToSchema;

/// Machines in one answer at most: those that have faults or are silent first.
const MACHINES_MAX: usize = 200;
/// A worker that missed a beat and more.
const SILENT_SECONDS: f64 = 30.0;

/// Workers and runs of a fleet.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FleetState {
    /// Workers, those that are left out as well.
    workers: usize,
    /// Units that they do at a time.
    slots: usize,
    /// Games a minute of all runs; null where none plays games.
    games_per_minute: Option<f64>,
    /// Whether somebody paused all runs.
    is_paused: bool,
    /// The workers by name.
    machines: Vec<FleetMachine>,
    /// The runs, the newest first.
    runs: Vec<FleetRun>,
    /// Versions of engines, and what came of each at the workers.
    builds: Vec<FleetBuild>,
}

/// A worker.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FleetMachine {
    /// Its name.
    name: String,
    /// What tells it from others of that name.
    id: String,
    /// The machine that it runs on.
    host: String,
    /// Units that it does at a time.
    jobs: usize,
    /// Whether it takes runs with node limits only.
    noisy: bool,
    /// The version of its program.
    version: String,
    /// Processors.
    cores: usize,
    /// MiB of memory.
    memory_mib: Option<u64>,
    /// The name of the processor.
    processor: Option<String>,
    /// Instruction sets that engines may use.
    instruction_sets: Vec<String>,
    /// Cards that networks can run on.
    cards: Vec<String>,
    /// What it starts engines and builds in; null: in no sandbox.
    sandbox: Option<String>,
    /// The speed of a core: 1 is that of a machine of 2020 or so.
    speed: f64,
    /// Units under way.
    busy: Vec<BusyUnit>,
    /// Units that it has done since it started.
    done: u64,
    /// Units that it could not do.
    faults: u64,
    /// Units a minute for all runs that are active.
    units_per_minute: f64,
    /// Games a minute, where such a run plays games.
    games_per_minute: Option<f64>,
    /// Why it takes no units of some runs, or the last thing that went wrong.
    note: Option<String>,
    /// Seconds since it was heard of.
    silent_seconds: f64,
    /// Whether that is too long.
    is_silent: bool,
}

/// A unit under way.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct BusyUnit {
    /// The name of its run.
    run: String,
    /// Its number, from 1.
    unit: u64,
}

/// A run.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FleetRun {
    /// Its number.
    id: String,
    /// The name that people gave it.
    name: String,
    /// The kind of its work: `match`, `selfplay`, `duel`, `rescore`.
    kind: String,
    /// Runs of a higher one come first.
    priority: u32,
    /// How it stands.
    phase: RunPhase,
    /// Units in its journal.
    committed: u64,
    /// All its units, where that is known.
    units_total: Option<u64>,
    /// Units a minute; null unless it is active.
    units_per_minute: Option<f64>,
    /// Games a minute; null unless it is active and plays games.
    games_per_minute: Option<f64>,
    /// Seconds that are left.
    left_seconds: Option<f64>,
    /// What came of it so far, in a few words: games, Elo, the log-likelihood ratio.
    summary: String,
    /// Why it failed.
    failure: Option<String>,
    /// The machine of its coordinator.
    coordinator: Option<String>,
    /// What each worker has done.
    shares: Vec<FleetShare>,
    /// Workers that are not among them.
    shares_left_out: u64,
    /// Units that two workers made alike, and units that they did not.
    audits: [u64; 2],
    /// Workers and processors beside each other, where clocks limit its games.
    watched: Vec<FleetWatched>,
    /// Whose results are set aside.
    excluded: Vec<FleetExcluded>,
    /// Units whose worker fell silent.
    waiting: Vec<FleetWaiting>,
}

/// What a worker has done for a run.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FleetShare {
    /// Its name.
    name: String,
    /// What tells it from others of that name.
    id: String,
    /// Units in the journal.
    units: u64,
    /// Units a minute.
    units_per_minute: f64,
}

/// A worker whose results are set aside.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FleetExcluded {
    /// Its name, or its identifier.
    worker: String,
    /// The reason.
    reason: String,
}

/// A unit that waits for the end of its lease.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FleetWaiting {
    /// Its number, from 1.
    unit: u64,
    /// The worker that had it.
    worker: String,
    /// Seconds since that worker was heard of.
    silent_seconds: f64,
}

/// A worker or a model of processor beside the others.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FleetWatched {
    /// The worker, or the model.
    name: String,
    /// Whether it is a model of processor.
    is_processor: bool,
    /// Games that count.
    games: u64,
    /// Games lost on time.
    time_losses: u64,
    /// The share of their time in which engines waited for a processor.
    stolen: f64,
    /// Pairs of games.
    pairs: u64,
    /// The chance of such a difference where all are alike.
    pairs_p: Option<f64>,
    /// What is wrong with it.
    verdict: Option<String>,
}

/// A version of an engine.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct FleetBuild {
    /// The beginning of its commit.
    commit: String,
    /// What came of it, by worker.
    at: Vec<BuiltAt>,
}

/// What came of a version at a worker.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct BuiltAt {
    /// The worker.
    worker: String,
    /// What came of it.
    outcome: BuildOutcome,
    /// The nodes of its bench, where its recipe names them.
    bench: Option<u64>,
    /// Why it is not played with.
    reason: Option<String>,
}

impl FleetState {
    /// What the page shows of a status.
    pub(super) fn of(status: &FleetStatus) -> FleetState {
        let active: Vec<&RunStatus> = status.runs.iter().filter(|run| run.phase() == RunPhase::Active).collect();
        let mut machines: Vec<_> = status.workers.iter().map(|worker| machine(worker, &status.runs, &active)).collect();
        if machines.len() > MACHINES_MAX {
            machines.sort_by_key(|machine| (!machine.is_silent, machine.faults == 0));
            machines.truncate(MACHINES_MAX);
            machines.sort_by(|a, b| a.name.cmp(&b.name));
        }
        let open = || status.runs.iter().filter(|run| !matches!(run.phase(), RunPhase::Closed | RunPhase::Failed));
        FleetState {
            workers: status.workers.len(),
            slots: status.workers.iter().map(|worker| worker.jobs).sum(),
            games_per_minute: sum(active.iter().map(|run| run.progress.games_per_minute)),
            is_paused: open().count() > 0 && open().all(|run| run.paused),
            machines,
            runs: status.runs.iter().rev().map(FleetRun::of).collect(),
            builds: builds(&status.workers),
        }
    }
}

/// The sum of what is known; `None` where nothing is.
fn sum(parts: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    parts.flatten().fold(None, |all, part| Some(all.unwrap_or(0.0) + part))
}

fn machine(worker: &WorkerStatus, runs: &[RunStatus], active: &[&RunStatus]) -> FleetMachine {
    let shares = || {
        let all = active.iter().flat_map(|run| &run.progress.workers);
        all.filter(|share| share.name == worker.name && (share.id == worker.id || worker.id.is_empty()))
    };
    let name_of =
        |id: &String| runs.iter().find(|run| run.id == *id).map_or_else(|| id.clone(), |run| run.name.clone());
    FleetMachine {
        name: worker.name.clone(),
        id: worker.id.clone(),
        host: worker.host.clone(),
        jobs: worker.jobs,
        noisy: worker.noisy,
        version: worker.version.clone(),
        cores: worker.cores,
        memory_mib: worker.memory_mib,
        processor: worker.processor.clone(),
        instruction_sets: worker.instruction_sets.clone(),
        cards: worker.cards.clone(),
        sandbox: worker.sandbox.clone(),
        speed: worker.speed,
        busy: worker.busy.iter().map(|(run, unit)| BusyUnit { run: name_of(run), unit: unit + 1 }).collect(),
        done: worker.done,
        faults: worker.faults,
        // The sum of nothing is a negative zero.
        units_per_minute: shares().map(|share| share.units_per_minute).sum::<f64>() + 0.0,
        games_per_minute: sum(shares().map(|share| share.games_per_minute)),
        note: worker.note.clone(),
        silent_seconds: worker.silent_seconds,
        is_silent: worker.silent_seconds > SILENT_SECONDS,
    }
}

impl FleetRun {
    fn of(run: &RunStatus) -> FleetRun {
        let (progress, phase) = (&run.progress, run.phase());
        let is_active = phase == RunPhase::Active;
        let share = |share: &tesuji_fleet::WorkerShare| FleetShare {
            name: share.name.clone(),
            id: share.id.clone(),
            units: share.units,
            units_per_minute: if is_active { share.units_per_minute } else { 0.0 },
        };
        let excluded = |ExcludedWorker { worker, reason }: &ExcludedWorker| FleetExcluded {
            worker: worker.clone(),
            reason: reason.clone(),
        };
        let waiting = |unit: &tesuji_fleet::WaitingUnit| FleetWaiting {
            unit: unit.unit + 1,
            worker: unit.worker.clone(),
            silent_seconds: unit.silent_seconds,
        };
        FleetRun {
            id: run.id.clone(),
            name: run.name.clone(),
            kind: run.kind.clone(),
            priority: run.priority,
            phase,
            committed: run.committed,
            units_total: progress.standing.units_total,
            units_per_minute: is_active.then_some(progress.units_per_minute),
            games_per_minute: progress.games_per_minute.filter(|_| is_active),
            left_seconds: progress.left_seconds(run.committed).filter(|_| is_active),
            summary: progress.standing.summary.clone(),
            failure: progress.failure.clone().filter(|_| phase == RunPhase::Failed),
            coordinator: run.coordinator_place().map(|(host, _)| host.to_string()),
            shares: progress.workers.iter().map(share).collect(),
            shares_left_out: progress.workers_left_out,
            audits: [progress.audits.agreed, progress.audits.differed],
            watched: progress.standing.watched.iter().map(FleetWatched::of).collect(),
            excluded: run.excluded.iter().map(excluded).collect(),
            waiting: run.waiting.iter().map(waiting).collect(),
        }
    }
}

impl FleetWatched {
    fn of(group: &WatchedGroup) -> FleetWatched {
        FleetWatched {
            name: group.name.clone(),
            is_processor: group.is_processor,
            games: group.games,
            time_losses: group.time_losses,
            stolen: group.stolen,
            pairs: group.pairs,
            pairs_p: group.pairs_p,
            verdict: group.verdict.clone(),
        }
    }
}

/// The versions that workers tell of, the latest first.
fn builds(workers: &[WorkerStatus]) -> Vec<FleetBuild> {
    let mut versions: BTreeMap<&str, (usize, FleetBuild)> = BTreeMap::new();
    for worker in workers {
        for (age, build) in worker.builds.iter().rev().enumerate() {
            let new = || (age, FleetBuild { commit: build.commit.clone(), at: Vec::new() });
            let (youngest, version) = versions.entry(&build.order).or_insert_with(new);
            *youngest = age.min(*youngest);
            version.at.push(built_at(worker, build));
        }
    }
    let mut versions: Vec<_> = versions.into_values().collect();
    versions.sort_by_key(|(age, _)| *age);
    versions.into_iter().map(|(_, version)| version).collect()
}

fn built_at(worker: &WorkerStatus, build: &WorkerBuild) -> BuiltAt {
    let (worker, reason) = (worker.name.clone(), build.reason.clone());
    BuiltAt { worker, outcome: build.outcome, bench: build.bench, reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn worker(name: &str, builds: serde_json::Value) -> WorkerStatus {
        let told = json!({
            "name": name, "id": format!("id-{name}"), "host": "h", "jobs": 2, "noisy": false, "protocol": 3, "version": "1", "kinds": ["match"],
            "cores": 8, "memory_mib": 4096, "processor": "P", "instruction_sets": ["avx2"], "cards": ["NVIDIA H200"], "sandbox": "bubblewrap 1", "speed": 1.5,
            "busy": [["0123456789abcdef", 6]], "done": 4, "faults": 0, "note": null, "builds": builds, "silent_seconds": 0.5
        });
        serde_json::from_value(told).expect("a worker")
    }

    fn run(change: impl FnOnce(&mut RunStatus)) -> RunStatus {
        let progress = json!({
            "units_total": 100, "summary": "40 games", "left_seconds": null, "games": 40, "units_per_minute": 3.0, "games_per_minute": 6.0,
            "workers": [{"name": "a", "id": "id-a", "units": 20, "units_per_minute": 3.0, "games_per_minute": 6.0}]
        });
        let mut run = RunStatus {
            id: "0123456789abcdef".into(),
            name: "match a - b".into(),
            kind: "match".into(),
            priority: 1,
            version: "1".into(),
            state: tesuji_fleet::RunState::Active,
            paused: false,
            stopped: false,
            committed: 20,
            coordinator: Some("host:7:x".into()),
            silent_seconds: 1.0,
            progress: serde_json::from_value(progress).expect("a progress"),
            excluded: Vec::new(),
            waiting: Vec::new(),
        };
        change(&mut run);
        run
    }

    #[test]
    fn rates_are_those_of_runs_that_are_active() {
        let of =
            |run| FleetState::of(&FleetStatus { version: 1, runs: vec![run], workers: vec![worker("a", json!([]))] });
        let state = of(run(|_| ()));
        let (machine, shown) = (&state.machines[0], &state.runs[0]);
        assert_eq!(
            (machine.games_per_minute, machine.units_per_minute, state.games_per_minute),
            (Some(6.0), 3.0, Some(6.0))
        );
        assert_eq!((machine.cards[0].as_str(), machine.sandbox.as_deref()), ("NVIDIA H200", Some("bubblewrap 1")));
        assert_eq!((machine.busy[0].run.as_str(), machine.busy[0].unit), ("match a - b", 7));
        assert_eq!((shown.left_seconds, shown.coordinator.as_deref()), (Some(1600.0), Some("host")));
        assert!(!state.is_paused);
        // What was told before a coordinator left is no rate of now.
        for state in [of(run(|run| run.coordinator = None)), of(run(|run| run.silent_seconds = 300.0))] {
            assert_eq!(state.runs[0].phase, RunPhase::Waiting);
            assert_eq!((state.runs[0].left_seconds, state.runs[0].games_per_minute), (None, None));
            assert_eq!((state.machines[0].games_per_minute, state.games_per_minute), (None, None));
        }
        assert!(of(run(|run| run.paused = true)).is_paused);
    }

    #[test]
    fn versions_are_told_once_with_what_came_of_them_at_each_worker() {
        let build = |order: &str, outcome: &str| json!({"commit": order, "order": order, "outcome": outcome, "bench": null, "reason": null});
        let workers = [
            worker("a", json!([build("old", "built"), build("new", "refused")])),
            worker("b", json!([build("new", "file")])),
        ];
        let found = builds(&workers);
        let words: Vec<_> = found.iter().map(|version| (version.commit.as_str(), version.at.len())).collect();
        assert_eq!(words, [("new", 2), ("old", 1)]);
        assert_eq!(found[0].at[0].outcome, BuildOutcome::Refused);
    }
}
