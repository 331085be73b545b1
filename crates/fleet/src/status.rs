//! The state of a fleet as text and as JSON.

use crate::{Fleet, FleetError, RunState, RunStatus, WorkerStatus};
use serde::Serialize;
use std::fmt::Write;

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
            let _ = writeln!(
                text,
                "  {:widest$}  {}: {} cores{memory}, speed {:.2}{noisy}, tesuji {}; done {}, faults {}; {busy}",
                worker.name, worker.host, worker.cores, worker.speed, worker.version, worker.done, worker.faults
            );
            if let Some(note) = &worker.note {
                let _ = writeln!(text, "  {:widest$}  {note}", "");
            }
        }
        let _ = writeln!(text, "runs: {}", self.runs.len());
        for run in &self.runs {
            let state = match (run.state, run.stopped, run.paused) {
                (RunState::Cancelled, ..) => "closed",
                (RunState::Ended, ..) => "closed",
                (RunState::Active, true, _) => "stopped",
                (RunState::Active, false, true) => "paused",
                (RunState::Active, false, false) => "active",
            };
            let coordinator = run.coordinator.as_deref().map(|owner| {
                let mut parts = owner.rsplitn(3, ':').skip(1);
                let (process, host) = (parts.next().unwrap_or(""), parts.next().unwrap_or(owner));
                format!(", coordinated on {host} by process {process}")
            });
            // Nobody coordinates a run that is over: only of others is that news.
            let is_open = run.state == RunState::Active && !run.stopped;
            let coordinator = coordinator.or_else(|| is_open.then(|| ", nobody coordinates it".to_string()));
            let _ = writeln!(
                text,
                "  {}  {} ({}), priority {}: {state}, {} committed{}",
                short(&run.id),
                run.name,
                run.kind,
                run.priority,
                tesuji_jobs::counted(run.committed, "unit"),
                coordinator.unwrap_or_default()
            );
        }
        text
    }
}

/// The first digits of a run's number.
fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}
