//! The state of a fleet as text and as JSON.

use crate::{AuditCounts, Fleet, FleetError, RunState, RunStatus, WorkerStatus};
use serde::Serialize;
use std::fmt::Write;
use tesuji_jobs::{counted, units::WatchedGroup};
use utoipa::ToSchema;

/// A coordinator that has not been heard of for so long is gone, or its machine is.
const COORDINATOR_SILENT_SECONDS: f64 = 60.0;

/// Who works, and on what.
#[derive(Debug, Serialize)]
pub struct FleetStatus {
    /// The version of this form.
    pub version: u32,
    /// The runs, oldest first.
    pub runs: Vec<RunStatus>,
    /// The workers by name.
    pub workers: Vec<WorkerStatus>,
}

impl FleetStatus {
    /// The state of a fleet now.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn of(fleet: &Fleet) -> Result<FleetStatus, FleetError> {
        Ok(FleetStatus { version: 1, runs: fleet.runs()?, workers: fleet.workers()? })
    }

    /// The state as text for a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let slots: usize = self.workers.iter().map(|worker| worker.jobs).sum();
        let _ = writeln!(text, "workers: {}, units at a time: {slots}", self.workers.len());
        let widest = self.workers.iter().map(|worker| worker.name.len()).max().unwrap_or(0);
        for worker in &self.workers {
            let busy: Vec<String> = worker.busy.iter().map(|(run, unit)| format!("{}/{unit}", short(run))).collect();
            let busy = if busy.is_empty() { "idle".into() } else { busy.join(" ") };
            let memory = worker.memory_mib.map_or_else(String::new, |mib| format!(", {} GiB", mib.div_ceil(1024)));
            let noisy = if worker.noisy { ", noisy" } else { "" };
            let sandbox = worker.sandbox.as_deref().unwrap_or("no sandbox");
            let cards = worker.cards.iter().map(|card| format!(", {card}")).collect::<String>();
            let _ = writeln!(
                text,
                "  {:widest$}  {}: {} cores{memory}{cards}, speed {:.2}{noisy}, {sandbox}, tesuji {}; done {}, faults {}; {busy}",
                worker.name, worker.host, worker.cores, worker.speed, worker.version, worker.done, worker.faults
            );
            if worker.silent_seconds > 1.5 * 20.0 {
                let _ = writeln!(text, "  {:widest$}  not heard of for {:.0} s", "", worker.silent_seconds);
            }
            if let Some(note) = &worker.note {
                let _ = writeln!(text, "  {:widest$}  {note}", "");
            }
        }
        let _ = writeln!(text, "runs: {}", self.runs.len());
        self.runs.iter().for_each(|run| write_run(&mut text, run));
        text
    }
}

/// How a run stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FleetRunPhase)]
pub enum RunPhase {
    /// Its units are done.
    Active,
    /// Somebody paused it: nothing new is begun.
    Paused,
    /// Somebody stopped it: the same command goes on.
    Stopped,
    /// Nobody coordinates it: the same command goes on.
    Waiting,
    /// It failed.
    Failed,
    /// It is over.
    Closed,
}

impl RunPhase {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            RunPhase::Active => "active",
            RunPhase::Paused => "paused",
            RunPhase::Stopped => "stopped",
            RunPhase::Waiting => "waiting for its command",
            RunPhase::Failed => "failed",
            RunPhase::Closed => "closed",
        }
    }
}

impl RunStatus {
    /// Whether its coordinator has not been heard of for long: one that was killed could not say so.
    pub fn is_silent(&self) -> bool {
        self.coordinator.is_some() && self.silent_seconds > COORDINATOR_SILENT_SECONDS
    }

    /// How it stands.
    pub fn phase(&self) -> RunPhase {
        match (self.state, self.stopped, self.paused) {
            (RunState::Cancelled | RunState::Ended, ..) => RunPhase::Closed,
            (RunState::Failed, ..) => RunPhase::Failed,
            (RunState::Active, true, _) => RunPhase::Stopped,
            (RunState::Active, false, true) => RunPhase::Paused,
            (RunState::Active, ..) if self.coordinator.is_none() || self.is_silent() => RunPhase::Waiting,
            (RunState::Active, ..) => RunPhase::Active,
        }
    }

    /// The machine of its coordinator, and the number of the process there.
    pub fn coordinator_place(&self) -> Option<(&str, &str)> {
        let owner = self.coordinator.as_deref()?;
        let mut parts = owner.rsplitn(3, ':').skip(1);
        let process = parts.next().unwrap_or("");
        Some((parts.next().unwrap_or(owner), process))
    }
}

/// A run in a few lines.
fn write_run(text: &mut String, run: &RunStatus) {
    let (is_silent, state) = (run.is_silent(), run.phase().word());
    let is_open = run.state == RunState::Active;
    let (short, progress) = (short(&run.id), &run.progress);
    let units = match progress.standing.units_total {
        Some(total) => format!("{} of {}", run.committed, counted(total, "unit")),
        None => counted(run.committed, "unit"),
    };
    let mut line = format!("  {short}  {} ({}), priority {}: {state}, {units}", run.name, run.kind, run.priority);
    if is_open && run.coordinator.is_some() && !is_silent {
        let _ = write!(line, ", {:.1} a minute", progress.units_per_minute);
        if let Some(games) = progress.games_per_minute {
            let _ = write!(line, " ({games:.0} games)");
        }
        if let Some(left) = progress.left_seconds(run.committed) {
            let left = std::time::Duration::try_from_secs_f64(left).unwrap_or(std::time::Duration::MAX);
            let _ = write!(line, ", {} left", tesuji_jobs::duration_text(left));
        }
    }
    if let Some((host, process)) = run.coordinator_place() {
        let _ = write!(line, ", coordinated on {host} by process {process}");
        if is_silent {
            let _ = write!(line, ", not heard of for {:.0} s", run.silent_seconds);
        }
    } else if is_open && !run.stopped {
        // Nobody coordinates a run that is over: only of others is that news.
        line += ", nobody coordinates it";
    }
    let _ = writeln!(text, "{line}");
    let indent = " ".repeat(2 + short.len() + 2);
    let mut more = |line: String| {
        let _ = writeln!(text, "{indent}{line}");
    };
    if !progress.standing.summary.is_empty() {
        more(progress.standing.summary.clone());
    }
    if let Some(failure) = progress.failure.as_ref().filter(|_| run.state == RunState::Failed) {
        more(format!("failed: {failure}"));
    }
    for share in &progress.workers {
        let units = counted(share.units, "unit");
        let rate = if is_open { format!(", {:.1} a minute", share.units_per_minute) } else { String::new() };
        // Two of one name are told apart.
        let is_twice = progress.workers.iter().filter(|other| other.name == share.name).count() > 1;
        let id = if is_twice { format!(" ({})", share.id) } else { String::new() };
        more(format!("{}{id}: {units}{rate}", share.name));
    }
    if progress.workers_left_out > 0 {
        more(format!("and {}", counted(progress.workers_left_out, "worker")));
    }
    progress.standing.watched.iter().for_each(|group| more(watched(group)));
    let AuditCounts { agreed, differed } = progress.audits;
    if agreed + differed > 0 {
        more(format!(
            "audits: {} done again by another worker, {differed} of which differed",
            counted(agreed + differed, "unit")
        ));
    }
    for unit in &run.waiting {
        more(format!(
            "unit {} waits: {}, which had it, has not been heard of for {:.0} s; another worker gets it when its lease ends",
            unit.unit, unit.worker, unit.silent_seconds
        ));
    }
    for excluded in &run.excluded {
        more(format!("results of {} are set aside: {}", excluded.worker, excluded.reason));
    }
}

/// What is known of the clocks of a worker or a model of processor.
fn watched(group: &WatchedGroup) -> String {
    let of = if group.is_processor { "processor " } else { "" };
    let mut text = format!(
        "clocks of {of}{}: {}, {} lost on time, {:.1} % of the time stolen",
        group.name,
        counted(group.games, "game"),
        group.time_losses,
        100.0 * group.stolen
    );
    if let Some(p) = group.pairs_p {
        let p = if p < 1e-2 { format!("{p:.0e}") } else { format!("{p:.2}") };
        let _ = write!(text, "; {}, p = {p}", counted(group.pairs, "pair"));
    }
    if let Some(verdict) = &group.verdict {
        let _ = write!(text, ": {verdict}");
    }
    text
}

/// The first digits of a run's number.
fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunProgress, WaitingUnit, WorkerShare};
    use tesuji_jobs::units::{ExcludedWorker, RunStanding, WatchedGroup};

    fn run() -> RunStatus {
        let share = |name: &str, id: &str, units| WorkerShare {
            name: name.into(),
            id: id.into(),
            units,
            units_per_minute: 1.5,
            games_per_minute: Some(3.0),
        };
        RunStatus {
            id: "0123456789abcdef".into(),
            name: "match new - old".into(),
            kind: "match".into(),
            priority: 2,
            version: "1".into(),
            state: RunState::Active,
            paused: false,
            stopped: false,
            committed: 40,
            coordinator: Some("host:7:x".into()),
            silent_seconds: 3.0,
            progress: RunProgress {
                standing: RunStanding {
                    units_total: Some(100),
                    summary: "Elo +3".into(),
                    watched: vec![
                        WatchedGroup {
                            name: "a".into(),
                            games: 60,
                            pairs: 30,
                            pairs_p: Some(0.25),
                            time_losses: 1,
                            stolen: 0.013,
                            ..WatchedGroup::default()
                        },
                        WatchedGroup {
                            name: "X".into(),
                            is_processor: true,
                            games: 20,
                            verdict: Some("it is late".into()),
                            ..WatchedGroup::default()
                        },
                    ],
                    ..RunStanding::default()
                },
                units_per_minute: 3.0,
                games_per_minute: Some(6.0),
                workers: vec![share("a", "1f", 30), share("b", "2f", 9), share("b", "3f", 1)],
                workers_left_out: 0,
                audits: AuditCounts { agreed: 2, differed: 1 },
                failure: None,
            },
            excluded: vec![ExcludedWorker { worker: "c".into(), reason: "dropped".into() }],
            waiting: vec![WaitingUnit { unit: 41, worker: "a".into(), silent_seconds: 45.0 }],
        }
    }

    fn text(run: RunStatus) -> String {
        FleetStatus { version: 1, runs: vec![run], workers: Vec::new() }.text()
    }

    #[test]
    fn a_worker_says_what_it_has_and_what_keeps_engines_in() {
        let told = serde_json::json!({
            "name": "a", "host": "h", "jobs": 1, "noisy": false, "protocol": 3, "version": "1", "kinds": [], "cores": 8, "memory_mib": 4096,
            "processor": null, "instruction_sets": [], "cards": ["NVIDIA H200"], "sandbox": "bubblewrap 1, no network", "speed": 1.5, "busy": [],
            "done": 4, "faults": 0, "note": null
        });
        let mut worker: WorkerStatus = serde_json::from_value(told).unwrap();
        let text =
            |worker: &WorkerStatus| FleetStatus { version: 1, runs: Vec::new(), workers: vec![worker.clone()] }.text();
        let words = "h: 8 cores, 4 GiB, NVIDIA H200, speed 1.50, bubblewrap 1, no network, tesuji 1; done 4";
        assert!(text(&worker).contains(words), "{}", text(&worker));
        // Workers of earlier versions say nothing of it.
        (worker.sandbox, worker.cards) = (None, Vec::new());
        assert!(text(&worker).contains("h: 8 cores, 4 GiB, speed 1.50, no sandbox, tesuji 1; done 4"));
    }

    #[test]
    fn a_run_says_how_far_it_is_and_who_has_done_what() {
        let expected = "workers: 0, units at a time: 0\nruns: 1\n  \
            01234567  match new - old (match), priority 2: active, 40 of 100 units, 3.0 a minute (6 games), 20.0 min left, coordinated on host by \
            process 7\n            \
            Elo +3\n            \
            a: 30 units, 1.5 a minute\n            \
            b (2f): 9 units, 1.5 a minute\n            \
            b (3f): 1 unit, 1.5 a minute\n            \
            clocks of a: 60 games, 1 lost on time, 1.3 % of the time stolen; 30 pairs, p = 0.25\n            \
            clocks of processor X: 20 games, 0 lost on time, 0.0 % of the time stolen: it is late\n            \
            audits: 3 units done again by another worker, 1 of which differed\n            \
            unit 41 waits: a, which had it, has not been heard of for 45 s; another worker gets it when its lease ends\n            \
            results of c are set aside: dropped\n";
        assert_eq!(text(run()), expected);
    }

    /// Runs that had failed, and those whose coordinator was killed, were called active for ever.
    #[test]
    fn a_run_that_failed_or_was_left_is_not_active() {
        let mut failed = RunStatus { state: RunState::Failed, coordinator: None, ..run() };
        failed.progress.failure = Some("no worker could play".into());
        let told = text(failed);
        assert!(
            told.contains(": failed, 40 of 100 units\n") && told.contains("failed: no worker could play"),
            "{told}"
        );
        let told = text(RunStatus { silent_seconds: 3600.0, ..run() });
        assert!(told.contains(": waiting for its command, ") && told.contains("not heard of for 3600 s"), "{told}");
        let told = text(RunStatus { coordinator: None, ..run() });
        assert!(told.contains(": waiting for its command, ") && told.contains("nobody coordinates it"), "{told}");
    }
}
