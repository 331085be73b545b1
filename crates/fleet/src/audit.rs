//! Audits: some units of runs with node limits are done again by another worker, and must come to the same.

use crate::files::sha256_of;
use std::{collections::BTreeMap, time::Instant};
use tesuji_jobs::units::{ResultEssence, Unit, UnitResult};

/// Bits of a number in the queue below the number of the attempt.
const ATTEMPT_SHIFT: u32 = 56;

/// Which units of a run are done twice.
#[derive(Debug, Clone, Copy)]
pub struct Audit {
    /// What two workers must agree on.
    pub essence: ResultEssence,
    /// One unit of this many, by a hash of the run and the unit.
    pub one_in: u64,
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
pub(crate) fn for_others(index: u64, attempt: u64, body: &str, ids: &[&str]) -> Unit {
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
pub(crate) struct Case {
    pub(crate) body: String,
    /// The results so far, of different workers; the first is that of the ordinary unit.
    pub(crate) results: Vec<UnitResult>,
    /// Since when nobody is there who could do it once more.
    pub(crate) alone_since: Option<Instant>,
    /// Since when others are asked to do it once more.
    pub(crate) asked: Instant,
}

/// What becomes of a case.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AuditVerdict {
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
    pub(crate) plan: Option<Audit>,
    pub(crate) cases: BTreeMap<u64, Case>,
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

    pub(crate) fn verdict(essence: ResultEssence, results: &[UnitResult]) -> AuditVerdict {
        let essences: Vec<_> = results
            .iter()
            .map(|result| result.outcome.as_ref().map_err(Clone::clone).and_then(|bytes| essence(bytes)))
            .collect();
        match essences.as_slice() {
            [Ok(first), Ok(second)] if first == second => AuditVerdict::Agreed,
            [_, _] => AuditVerdict::Open,
            [first, _, third] if first == third && first.is_ok() => AuditVerdict::Wrong { wrong: 1, right: 0 },
            [_, second, third] if second == third && second.is_ok() => AuditVerdict::Wrong { wrong: 0, right: 1 },
            [_, _, _] => AuditVerdict::Hopeless,
            _ => AuditVerdict::Open,
        }
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
        let check = |made: &[&str], expected: AuditVerdict| {
            let result = |made: &&str| UnitResult {
                index: 1,
                worker: "w".into(),
                worker_id: "w".into(),
                outcome: Ok(made.as_bytes().to_vec()),
            };
            let results: Vec<_> = made.iter().map(result).collect();
            assert_eq!(Audits::verdict(essence, &results), expected, "{made:?}");
        };
        check(&["a.1", "a.2"], AuditVerdict::Agreed);
        check(&["a.1", "b.1"], AuditVerdict::Open);
        check(&["a", "a"], AuditVerdict::Open);
        check(&["a.1", "b.1", "a.2"], AuditVerdict::Wrong { wrong: 1, right: 0 });
        check(&["a.1", "b.1", "b.2"], AuditVerdict::Wrong { wrong: 0, right: 1 });
        check(&["a.1", "b.1", "c.1"], AuditVerdict::Hopeless);
        check(&["a", "b.1", "a"], AuditVerdict::Hopeless);
    }
}
