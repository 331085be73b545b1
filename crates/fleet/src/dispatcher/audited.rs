//! Units that another worker does again: when the run is given their results, and who is excluded.

use super::{Outstanding, RunDispatcher};
use crate::{
    audit::{AuditVerdict, Audits, Case, for_others, is_audited, unit_of},
    claim::LOOK,
    queue::{Exclusion, QueueError},
};
use std::{
    io,
    time::{Duration, Instant},
};
use tesuji_jobs::units::{ExcludedWorker, Unit, UnitResult};

/// How long a third worker is waited for where two differ.
const THIRD_PATIENCE: Duration = Duration::from_secs(60);
/// How long an audit is waited for at all: other workers may be there and have units of other runs to do.
const AUDIT_PATIENCE: Duration = Duration::from_secs(900);

impl RunDispatcher {
    /// A result of a unit as the run wants it: at once, or, where the unit is audited, when another worker made the same.
    pub(super) fn consider(&mut self, unit: &Unit, result: UnitResult) -> io::Result<Option<UnitResult>> {
        let Some(plan) = self.audits.plan.filter(|_| result.outcome.is_ok()) else { return Ok(Some(result)) };
        let is_meant = is_audited(self.run(), unit.index, plan.one_in) && unit_of(unit.index).1 == 0;
        if !is_meant || !self.claim.has_others(&[&result.worker_id]) {
            return Ok(Some(result));
        }
        let case = Case { body: unit.body.clone(), results: vec![result], alone_since: None, asked: Instant::now() };
        self.audits.cases.insert(unit.index, case);
        self.ask_another(unit.index)
    }

    /// Gives a unit to a worker that has not done it; what came of it, where an earlier coordinator has asked already.
    fn ask_another(&mut self, index: u64) -> io::Result<Option<UnitResult>> {
        let Some(case) = self.audits.cases.get(&index) else { return Ok(None) };
        let ids: Vec<&str> = case.results.iter().map(|result| result.worker_id.as_str()).collect();
        let unit = for_others(index, ids.len() as u64, &case.body, &ids);
        self.claim.marks().known.units.remove(unit.index);
        if let Some(result) = self.early.remove(&unit.index) {
            return self.audited(result);
        }
        self.hand_over(&unit)?;
        self.outstanding.insert(unit.index, Outstanding { unit, submitted: Instant::now() });
        Ok(None)
    }

    /// What another worker made of a unit; the result that the run is given, once that is clear.
    pub(super) fn audited(&mut self, result: UnitResult) -> io::Result<Option<UnitResult>> {
        let (index, _) = unit_of(result.index);
        self.let_go(result.index);
        let Some(case) = self.audits.cases.get_mut(&index) else { return Ok(None) };
        // Units of this run are audited no more: the first result counts.
        let Some(plan) = self.audits.plan else { return Ok(self.close_case(index, 0)) };
        if case.results.iter().any(|other| other.worker_id == result.worker_id) {
            return self.ask_another(index);
        }
        if let Err(words) = &result.outcome {
            tracing::warn!(target: "fleet", "worker {} could not do unit {index} again: {words}; it is not audited", result.worker);
            return Ok(self.close_case(index, 0));
        }
        case.results.push(UnitResult { index, ..result });
        match Audits::verdict(plan.essence, &case.results) {
            AuditVerdict::Agreed => {
                self.claim.marks().tally.audits.agreed += 1;
                Ok(self.close_case(index, 0))
            }
            AuditVerdict::Open => {
                self.claim.marks().tally.audits.differed += 1;
                let names: Vec<&str> = case.results.iter().map(|result| result.worker.as_str()).collect();
                let line = format!(
                    "{} made different things of unit {index}: both results are set aside, and a third worker decides",
                    names.join(" and ")
                );
                self.tell(&line);
                self.ask_another(index)
            }
            AuditVerdict::Wrong { wrong, right } => {
                let [wrong_one, others] = [
                    case.results[wrong].clone(),
                    // The one that agrees with the third.
                    case.results[right].clone(),
                ];
                let third = case.results[2].worker.clone();
                let result = self.close_case(index, right);
                self.exclude_wrong(index, &wrong_one, &[&others.worker, &third])?;
                Ok(result)
            }
            AuditVerdict::Hopeless => {
                self.tell(&format!(
                    "three workers made three different things of unit {index}: what these engines do depends on more than nodes \
                     (threads, clocks); units of this run are audited no more"
                ));
                self.audits.plan = None;
                Ok(self.close_case(index, 0))
            }
        }
    }

    /// Looks after units that nobody can do, or does, once more, and all where audits have ended: the first result counts.
    pub(super) fn look_after_audits(&mut self) {
        let mut alone = Vec::new();
        for (index, case) in &mut self.audits.cases {
            let ids: Vec<&str> = case.results.iter().map(|result| result.worker_id.as_str()).collect();
            let is_over = self.audits.plan.is_none() || case.asked.elapsed() >= AUDIT_PATIENCE;
            if !is_over && self.claim.has_others(&ids) {
                case.alone_since = None;
                continue;
            }
            let since = *case.alone_since.get_or_insert_with(Instant::now);
            // Where two differ, a third one may still come.
            if is_over
                || case.results.len() == 1
                || since.elapsed() >= THIRD_PATIENCE.min(self.claim.queue.timing().lease)
            {
                alone.push((*index, case.results.len()));
            }
        }
        for (index, count) in alone {
            if count > 1 {
                self.tell(&format!("no third worker has decided about unit {index}: the first result counts"));
            }
            self.let_attempts_go(index);
            let body = self.audits.cases.get(&index).map(|case| case.body.clone()).unwrap_or_default();
            let result = self.close_case(index, 0);
            self.arrived.extend(result.map(|result| (Unit { index, body }, result)));
        }
    }

    /// Ends the audit of a unit with one of its results.
    fn close_case(&mut self, index: u64, right: usize) -> Option<UnitResult> {
        let case = self.audits.cases.remove(&index)?;
        case.results.into_iter().nth(right)
    }

    /// Says that nothing more is wanted of an attempt: its worker forgets it, and where nobody may do it, the next one that gets it drops it.
    /// It is not taken out of the queue from here: where nats-server 2.15.1 purges one subject of several that a consumer has, it offers none
    /// of those again that were given back before, and their run stood still.
    pub(super) fn let_go(&mut self, number: u64) {
        self.outstanding.remove(&number);
        let receipts = self.receipts.remove(&number).unwrap_or_default();
        let mut marks = self.claim.marks();
        marks.known.units.insert(number);
        marks.receipts.extend(receipts);
        marks.is_dirty = true;
    }

    /// Sets aside all that a worker made for this run.
    fn exclude_wrong(&mut self, index: u64, wrong: &UnitResult, others: &[&str]) -> io::Result<()> {
        let reason = format!(
            "{}: of unit {index} it made something else than {}, which agree",
            wrong.worker,
            others.join(" and ")
        );
        self.tell(&format!("{reason}; all its results for this run are set aside"));
        let worker = ExcludedWorker { worker: wrong.worker_id.clone(), reason };
        // Known here before the queue knows it: what is handed on from now on is none of its results.
        self.excluded.insert(worker.worker.clone(), worker.reason.clone());
        self.drop_excluded();
        let exclusion = Exclusion { run: self.run().to_string(), worker, is_undone: false };
        loop {
            match self.claim.queue.set_excluded(&exclusion) {
                Ok(()) => return Ok(()),
                Err(QueueError::Unreachable(_)) if !self.claim.stop.is_raised() => {
                    std::thread::sleep(LOOK);
                }
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
        }
    }

    /// Says something here and in `tesuji fleet logs`.
    pub(super) fn tell(&self, line: &str) {
        tracing::warn!(target: "fleet", "{}: {line}", self.claim.record.name);
        let _ = self.claim.queue.log("coordinator", &format!("{}: {line}", self.claim.record.name));
    }
}
