//! Workers whose results a run wants no more: what waits of theirs is never handed on, and a server that lost them is told again.

use super::{Outstanding, RunDispatcher, long_ago};
use crate::{audit::unit_of, queue::Exclusion};
use std::{collections::BTreeMap, time::Instant};
use tesuji_jobs::units::{ExcludedWorker, Unit, UnitResult};

impl RunDispatcher {
    /// The excluded workers as they are known here, with what the queue says of them: it adds some, and takes others back. One of which it
    /// says nothing stays excluded, since it may have lost all.
    pub(super) fn excluded_now(&self) -> BTreeMap<String, String> {
        let (view, mut excluded) = (self.claim.queue.view(), self.excluded.clone());
        excluded.retain(|worker, _| !view.is_undone(self.run(), worker));
        excluded.extend(view.excluded(self.run()).into_iter().map(|told| (told.worker, told.reason)));
        excluded
    }

    /// Whether the worker that made this is excluded.
    pub(super) fn is_excluded(&self, result: &UnitResult) -> bool {
        self.excluded.contains_key(&result.worker) || self.excluded.contains_key(&result.worker_id)
    }

    /// Learns who is excluded now. From here on nothing of theirs is handed on.
    pub(super) fn hear_excluded(&mut self) {
        let excluded = self.excluded_now();
        if excluded != self.excluded {
            self.excluded = excluded;
            self.drop_excluded();
        }
    }

    /// Tells the queue of those of whom it knows nothing, not even that they were taken back.
    pub(super) fn tell_excluded(&mut self) {
        self.hear_excluded();
        let told = self.claim.queue.view().excluded(self.run());
        for (worker, reason) in &self.excluded {
            if told.iter().any(|told| told.worker == *worker) {
                continue;
            }
            let worker = ExcludedWorker { worker: worker.clone(), reason: reason.clone() };
            let exclusion = Exclusion { run: self.run().to_string(), worker, is_undone: false };
            if self.claim.queue.set_excluded(&exclusion).is_err() {
                // With the next look.
                return;
            }
        }
    }

    /// Lets go of all that waits and was made by excluded workers, and has it done by others.
    pub(super) fn drop_excluded(&mut self) {
        // Units that are not submitted yet: the run does it.
        let early = self.early.values().filter(|result| self.is_excluded(result)).map(|result| result.index);
        for index in early.collect::<Vec<_>>() {
            self.early.remove(&index);
            self.drop_receipts(index);
        }
        let (gone, kept) =
            std::mem::take(&mut self.arrived).into_iter().partition(|(_, result)| self.is_excluded(result));
        self.arrived = kept;
        gone.into_iter().for_each(|(unit, _): (Unit, UnitResult)| self.do_again(unit));
        let mut cases = std::mem::take(&mut self.audits.cases);
        let mut empty = Vec::new();
        for (index, case) in &mut cases {
            // The others of the case go on without it: the next one to do the unit agrees with them, or does not.
            case.results.retain(|result| !self.is_excluded(result));
            empty.extend(case.results.is_empty().then_some(*index));
        }
        for index in empty {
            let Some(case) = cases.remove(&index) else { continue };
            self.let_attempts_go(index);
            self.do_again(Unit { index, body: case.body });
        }
        self.audits.cases = cases;
    }

    /// Lets go of all attempts of a unit beyond the first, by whatever number they went out.
    pub(super) fn let_attempts_go(&mut self, index: u64) {
        let attempts = self.outstanding.keys().copied().filter(|number| {
            let (of, attempt) = unit_of(*number);
            of == index && attempt > 0
        });
        attempts.collect::<Vec<_>>().into_iter().for_each(|number| self.let_go(number));
    }

    /// Has a unit done again whose results are gone.
    fn do_again(&mut self, unit: Unit) {
        self.drop_receipts(unit.index);
        let submitted = long_ago().unwrap_or_else(Instant::now);
        self.outstanding.insert(unit.index, Outstanding { unit, submitted });
    }
}
