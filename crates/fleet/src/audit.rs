//! Audits: some units of runs with node limits are done again by another worker, and must come to the same.

use crate::{
    dispatcher::{Outstanding, RunDispatcher},
    files::sha256_of,
    queue::{Exclusion, QueueError},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    io,
    time::{Duration, Instant},
};
use tesuji_jobs::units::{ExcludedWorker, ResultEssence, Unit, UnitResult};

/// Bits of a number in the queue below the number of the attempt.
const ATTEMPT_SHIFT: u32 = 56;
/// How long a third worker is waited for where two differ.
const THIRD_PATIENCE: Duration = Duration::from_secs(60);

/// Which units of a run are done twice.
#[derive(Debug, Clone, Copy)]
pub struct Audit {
    /// What two workers must agree on.
    pub essence: ResultEssence,
    /// One unit of this many, by a hash of the run and the unit.
    pub one_in: u64,
}

/// What audits came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditCounts {
    /// Units of which two workers made the same.
    pub agreed: u64,
    /// Units of which they did not.
    pub differed: u64,
}

/// Whether a unit is done twice: the same answer for each coordinator of it.
pub(crate) fn is_audited(run: &str, index: u64, one_in: u64) -> bool {
    let sum = sha256_of(format!("{run}\n{index}").as_bytes());
    u64::from_str_radix(&sum[..15], 16).is_ok_and(|number| number % one_in.max(1) == 0)
}

/// The number in the queue of an attempt at a unit: 0 is the first one, by anybody.
pub(crate) fn numbered(index: u64, attempt: u64) -> u64 {
    index | attempt << ATTEMPT_SHIFT
}

/// The unit of a number in the queue, and the attempt.
pub(crate) fn unit_of(number: u64) -> (u64, u64) {
    (number & ((1 << ATTEMPT_SHIFT) - 1), number >> ATTEMPT_SHIFT)
}

/// A unit for any worker but those with these identifiers: they stand in the first line of its body.
fn for_others(index: u64, attempt: u64, body: &str, ids: &[&str]) -> Unit {
    Unit { index: numbered(index, attempt), body: format!("{}\n{body}", ids.join(" ")) }
}

/// What a worker does for a unit from the queue, unless it has the one of these identifiers.
pub(crate) fn opened(unit: &Unit) -> (Unit, Vec<&str>) {
    let (index, attempt) = unit_of(unit.index);
    match unit.body.split_once('\n').filter(|_| attempt > 0) {
        Some((ids, body)) => (Unit { index, body: body.into() }, ids.split(' ').collect()),
        None => (unit.clone(), Vec::new()),
    }
}

/// A unit that is being audited.
struct Case {
    body: String,
    /// The results so far, of different workers; the first is that of the ordinary unit.
    results: Vec<UnitResult>,
    /// Since when nobody is there who could do it once more.
    alone_since: Option<Instant>,
}

/// What becomes of a case.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Two agree.
    Agreed,
    /// Another worker decides.
    Open,
    /// This result (by its place) is wrong, and that one is right.
    Wrong { wrong: usize, right: usize },
    /// Three workers made three things.
    Hopeless,
}

/// The audits of a run.
#[derive(Default)]
pub(crate) struct Audits {
    plan: Option<Audit>,
    cases: BTreeMap<u64, Case>,
}

impl Audits {
    pub(crate) fn new(plan: Option<Audit>) -> Audits {
        Audits { plan, cases: BTreeMap::new() }
    }

    /// Units that are being audited.
    pub(crate) fn count(&self) -> usize {
        self.cases.len()
    }

    pub(crate) fn forget(&mut self, index: u64) {
        self.cases.remove(&index);
    }

    pub(crate) fn clear(&mut self) {
        self.cases.clear();
    }

    fn verdict(essence: ResultEssence, results: &[UnitResult]) -> Verdict {
        let essences: Vec<_> = results
            .iter()
            .map(|result| result.outcome.as_ref().map_err(Clone::clone).and_then(|bytes| essence(bytes)))
            .collect();
        match essences.as_slice() {
            [Ok(first), Ok(second)] if first == second => Verdict::Agreed,
            [_, _] => Verdict::Open,
            [first, _, third] if first == third && first.is_ok() => Verdict::Wrong { wrong: 1, right: 0 },
            [_, second, third] if second == third && second.is_ok() => Verdict::Wrong { wrong: 0, right: 1 },
            [_, _, _] => Verdict::Hopeless,
            _ => Verdict::Open,
        }
    }
}

impl RunDispatcher {
    /// A result of a unit as the run wants it: at once, or, where the unit is audited, when another worker made the same.
    pub(crate) fn consider(&mut self, unit: &Unit, result: UnitResult) -> io::Result<Option<UnitResult>> {
        let Some(plan) = self.audits.plan.filter(|_| result.outcome.is_ok()) else { return Ok(Some(result)) };
        let is_meant = is_audited(self.run(), unit.index, plan.one_in) && unit_of(unit.index).1 == 0;
        if !is_meant || !self.claim.has_others(&[&result.worker_id]) {
            return Ok(Some(result));
        }
        let case = Case { body: unit.body.clone(), results: vec![result], alone_since: None };
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
    pub(crate) fn audited(&mut self, result: UnitResult) -> io::Result<Option<UnitResult>> {
        let (index, _) = unit_of(result.index);
        self.let_go(result.index);
        let (Some(plan), Some(case)) = (self.audits.plan, self.audits.cases.get_mut(&index)) else { return Ok(None) };
        if case.results.iter().any(|other| other.worker_id == result.worker_id) {
            return self.ask_another(index);
        }
        if let Err(words) = &result.outcome {
            tracing::warn!(target: "fleet", "worker {} could not do unit {index} again: {words}; it is not audited", result.worker);
            return Ok(self.close_case(index, 0));
        }
        case.results.push(UnitResult { index, ..result });
        match Audits::verdict(plan.essence, &case.results) {
            Verdict::Agreed => {
                self.claim.marks().tally.audits.agreed += 1;
                Ok(self.close_case(index, 0))
            }
            Verdict::Open => {
                self.claim.marks().tally.audits.differed += 1;
                let names: Vec<&str> = case.results.iter().map(|result| result.worker.as_str()).collect();
                let line = format!(
                    "{} made different things of unit {index}: both results are set aside, and a third worker decides",
                    names.join(" and ")
                );
                self.tell(&line);
                self.ask_another(index)
            }
            Verdict::Wrong { wrong, right } => {
                let [wrong_one, others] = [
                    case.results[wrong].clone(),
                    // The one that agrees with the third.
                    case.results[right].clone(),
                ];
                let third = case.results[2].worker.clone();
                self.exclude(index, &wrong_one, &[&others.worker, &third])?;
                Ok(self.close_case(index, right))
            }
            Verdict::Hopeless => {
                self.tell(&format!(
                    "three workers made three different things of unit {index}: what these engines do depends on more than nodes \
                     (threads, clocks); units of this run are audited no more"
                ));
                self.audits.plan = None;
                Ok(self.close_case(index, 0))
            }
        }
    }

    /// Looks after units that nobody can do once more: the first result counts.
    pub(crate) fn look_after_audits(&mut self) {
        let mut alone = Vec::new();
        for (index, case) in &mut self.audits.cases {
            let ids: Vec<&str> = case.results.iter().map(|result| result.worker_id.as_str()).collect();
            if self.claim.has_others(&ids) {
                case.alone_since = None;
                continue;
            }
            let since = *case.alone_since.get_or_insert_with(Instant::now);
            // Where two differ, a third one may still come.
            if case.results.len() == 1 || since.elapsed() >= THIRD_PATIENCE.min(self.claim.queue.timing().lease) {
                alone.push((*index, case.results.len()));
            }
        }
        for (index, count) in alone {
            let number = numbered(index, count as u64);
            if count > 1 {
                self.tell(&format!("no third worker is there to decide about unit {index}: the first result counts"));
            }
            let _ = self.claim.queue.withdraw(&self.claim.record.id, number);
            self.let_go(number);
            let result = self.close_case(index, 0);
            self.arrived.extend(result);
        }
    }

    /// Ends the audit of a unit with one of its results.
    fn close_case(&mut self, index: u64, right: usize) -> Option<UnitResult> {
        let case = self.audits.cases.remove(&index)?;
        case.results.into_iter().nth(right)
    }

    /// Says that nothing more is wanted of an attempt, so that its worker forgets it.
    fn let_go(&mut self, number: u64) {
        self.outstanding.remove(&number);
        let receipts = self.receipts.remove(&number).unwrap_or_default();
        let mut marks = self.claim.marks();
        marks.known.units.insert(number);
        marks.receipts.extend(receipts);
        marks.is_dirty = true;
    }

    /// Sets aside all that a worker made for this run.
    fn exclude(&mut self, index: u64, wrong: &UnitResult, others: &[&str]) -> io::Result<()> {
        let reason = format!(
            "{}: of unit {index} it made something else than {}, which agree",
            wrong.worker,
            others.join(" and ")
        );
        self.tell(&format!("{reason}; all its results for this run are set aside"));
        let worker = ExcludedWorker { worker: wrong.worker_id.clone(), reason };
        let exclusion = Exclusion { run: self.run().to_string(), worker };
        loop {
            match self.claim.queue.set_excluded(&exclusion, true) {
                Ok(()) => return Ok(()),
                Err(QueueError::Unreachable(_)) if !self.claim.stop.is_raised() => {
                    std::thread::sleep(crate::dispatcher::LOOK);
                }
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
        }
    }

    /// Says something here and in `tesuji fleet logs`.
    fn tell(&self, line: &str) {
        tracing::warn!(target: "fleet", "{}: {line}", self.claim.record.name);
        let _ = self.claim.queue.log("coordinator", &format!("{}: {line}", self.claim.record.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_units_are_audited_by_each_coordinator_of_a_run() {
        let audited = |run: &str| (0..20_000).filter(|index| is_audited(run, *index, 64)).collect::<Vec<_>>();
        let (one, other) = (audited("0123456789abcdef"), audited("fedcba9876543210"));
        assert_eq!(one, audited("0123456789abcdef"));
        assert_ne!(one, other);
        // Between 1 and 2 %.
        assert!((200..400).contains(&one.len()), "{}", one.len());
    }

    #[test]
    fn attempts_have_numbers_of_their_own_and_name_who_may_not_take_them() {
        let unit = for_others(7, 2, "{\"a\":\n1}", &["1f", "2f"]);
        assert_eq!(unit_of(unit.index), (7, 2));
        let (plain, ids) = opened(&unit);
        assert_eq!((plain, ids), (Unit { index: 7, body: "{\"a\":\n1}".into() }, vec!["1f", "2f"]));
        let ordinary = Unit { index: 7, body: "a\nb".into() };
        assert_eq!(opened(&ordinary), (ordinary.clone(), Vec::new()));
    }

    #[test]
    fn the_one_that_differs_is_found() {
        // What stands behind a point differs from worker to worker.
        let essence: ResultEssence = |bytes| match bytes.iter().position(|byte| *byte == b'.') {
            Some(end) => Ok(bytes[..end].to_vec()),
            None => Err("no point".into()),
        };
        let check = |made: &[&str], expected: Verdict| {
            let result = |made: &&str| UnitResult {
                index: 1,
                worker: "w".into(),
                worker_id: "w".into(),
                outcome: Ok(made.as_bytes().to_vec()),
            };
            let results: Vec<_> = made.iter().map(result).collect();
            assert_eq!(Audits::verdict(essence, &results), expected, "{made:?}");
        };
        check(&["a.1", "a.2"], Verdict::Agreed);
        check(&["a.1", "b.1"], Verdict::Open);
        check(&["a", "a"], Verdict::Open);
        check(&["a.1", "b.1", "a.2"], Verdict::Wrong { wrong: 1, right: 0 });
        check(&["a.1", "b.1", "b.2"], Verdict::Wrong { wrong: 0, right: 1 });
        check(&["a.1", "b.1", "c.1"], Verdict::Hopeless);
        check(&["a", "b.1", "a"], Verdict::Hopeless);
    }
}
