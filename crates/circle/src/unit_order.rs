//! Units of work done by workers elsewhere, taken in the order of their numbers: each is committed when what it made is kept.

use crate::CircleError;
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    ops::Range,
    time::Duration,
};
use tesuji_jobs::{
    Interrupt, OriginLog, counted,
    units::{Dispatcher, ExcludedWorker, RunStanding, Unit},
};

/// Attempts at a unit, by whichever workers.
const ATTEMPTS: u32 = 3;
/// Results that wait at most for an earlier one, for each unit that workers have.
const AHEAD_MAX: u64 = 16;
/// Between two looks at whether it is enough.
const LOOK: Duration = Duration::from_millis(200);

/// What ends the work.
pub(crate) struct Halt<'a> {
    /// At once.
    pub(crate) stop: &'a Interrupt,
    /// Nothing is begun any more; what is under way is still taken.
    pub(crate) enough: &'a dyn Fn() -> bool,
}

/// Reads a unit's result by its number.
pub(crate) type Read<'a, T> = dyn Fn(u64, &[u8]) -> Result<T, String> + 'a;

/// A unit's work: how it is told to a worker, and how its result is read.
pub(crate) struct UnitWork<'a, T> {
    /// What is to be done, by the number.
    pub(crate) body: &'a dyn Fn(u64) -> io::Result<String>,
    /// Reads what a worker made of it; in words what is wrong.
    pub(crate) read: &'a Read<'a, T>,
    /// Whether a unit is in the journal when it was taken; else who asks commits it later.
    pub(crate) commits: bool,
    /// The games of this many units.
    pub(crate) games: &'a dyn Fn(u64) -> u64,
    /// Where it is noted who did which unit, under this kind.
    pub(crate) origins: (Option<OriginLog>, &'static str),
}

impl<T> UnitWork<'_, T> {
    /// Notes who did a unit that was taken.
    fn note(&self, unit: u64, origin: &Origin) {
        let (Some(log), kind) = &self.origins else { return };
        if let Err(error) = log.note(kind, unit, (&origin.0, &origin.1)) {
            tracing::warn!("{}: {error}; who did unit {unit} is not noted", log.path().display());
        }
    }

    /// Keeps the workers whose results are wanted no more: the fleet's server may lose them.
    fn note_excluded(&self, run: &str, excluded: &[ExcludedWorker]) {
        let (Some(log), kind) = &self.origins else { return };
        if let Err(error) = log.note_excluded(kind, run, excluded) {
            tracing::warn!("{}: {error}; whose results were set aside is not noted", log.path().display());
        }
    }

    /// Says which units of these workers are in the files, which are written in the order of units: nothing in them is replaced.
    fn tell_kept(&self, excluded: &[ExcludedWorker]) {
        let (Some(log), kind) = &self.origins else { return };
        let units = log.units(kind);
        for worker in excluded {
            let kept: Vec<String> =
                units.iter().filter(|o| worker.covers(&o.worker, &o.id)).map(|o| o.unit.to_string()).collect();
            if !kept.is_empty() {
                tracing::warn!(
                    "units {} of worker {} were written before it was dropped, and stay; where that may not be, begin the run again",
                    kept.join(", "),
                    worker.worker
                );
            }
        }
    }
}

/// A worker: its name and its identifier.
type Origin = (String, String);

/// Has the units `range` done and hands their results to `take`, in order. `take` may end it by `false`.
///
/// # Errors
/// When no worker can do a unit, when the dispatcher carries nothing more, or when `take` fails.
pub(crate) fn in_order_on<T>(
    dispatcher: &mut dyn Dispatcher,
    range: Range<u64>,
    halt: &Halt<'_>,
    work: &UnitWork<'_, T>,
    take: &mut dyn FnMut(u64, T) -> Result<bool, CircleError>,
) -> Result<(), CircleError> {
    let done = in_order(dispatcher, range, halt, work, take);
    if let Err(error) = &done {
        dispatcher.fail(&error.to_string());
    }
    done
}

/// [`in_order_on`], whose errors nobody has told the workers of.
fn in_order<T>(
    dispatcher: &mut dyn Dispatcher,
    range: Range<u64>,
    halt: &Halt<'_>,
    work: &UnitWork<'_, T>,
    take: &mut dyn FnMut(u64, T) -> Result<bool, CircleError>,
) -> Result<(), CircleError> {
    let is_stopped = |error: &io::Error| error.kind() == ErrorKind::Interrupted && halt.stop.is_raised();
    let (mut next, mut wanted, mut most) = (range.start, range.start, 1_u64);
    let mut early: BTreeMap<u64, (T, Origin)> = BTreeMap::new();
    let known = |log: &OriginLog| log.excluded(work.origins.1, dispatcher.run_id());
    let mut excluded = work.origins.0.as_ref().map(known).unwrap_or_default();
    dispatcher.recall_excluded(excluded.clone());
    let mut attempts: BTreeMap<u64, u32> = BTreeMap::new();
    loop {
        let is_enough = halt.stop.is_raised() || (halt.enough)();
        while !is_enough && next < range.end && next < wanted + AHEAD_MAX * most && dispatcher.room() > 0 {
            let unit = Unit { index: next, body: (work.body)(next).map_err(CircleError::fleet)? };
            match dispatcher.submit(unit) {
                Err(error) if is_stopped(&error) => return Ok(()),
                submitted => submitted.map_err(CircleError::fleet)?,
            }
            next += 1;
            most = most.max(next - wanted - early.len() as u64);
        }
        if halt.stop.is_raised() || wanted == next && (is_enough || next >= range.end) {
            return Ok(());
        }
        drop_excluded(dispatcher, &mut excluded, &mut early, work)?;
        let received = match dispatcher.receive(LOOK) {
            Err(error) if is_stopped(&error) => return Ok(()),
            received => received.map_err(CircleError::fleet)?,
        };
        let Some(result) = received.filter(|result| (wanted..next).contains(&result.index)) else { continue };
        let (index, worker, id) = (result.index, result.worker, result.worker_id);
        match result.outcome.and_then(|bytes| (work.read)(index, &bytes)) {
            Ok(made) => drop(early.insert(index, (made, (worker, id)))),
            Err(words) => {
                tracing::warn!("worker {worker} could not do unit {index}: {words}");
                let attempts = attempts.entry(index).or_default();
                *attempts += 1;
                if *attempts >= ATTEMPTS {
                    return Err(CircleError::Workers(format!("{worker}: {words}")));
                }
                let body = (work.body)(index).map_err(CircleError::fleet)?;
                dispatcher.submit(Unit { index, body }).map_err(CircleError::fleet)?;
            }
        }
        while let Some((made, origin)) = early.remove(&wanted) {
            let goes_on = take(wanted, made)?;
            work.note(wanted, &origin);
            if work.commits {
                dispatcher.commit(wanted).map_err(CircleError::fleet)?;
            }
            wanted += 1;
            let units_total = (range.end < u64::MAX).then_some(range.end);
            let games = (work.games)(wanted);
            let summary = counted(games, "game");
            dispatcher.report(RunStanding { units_total, summary, games: Some(games), ..RunStanding::default() });
            if !goes_on {
                return Ok(());
            }
        }
    }
}

/// Drops results that wait for earlier ones and whose workers are wanted no more, and has their units done again.
fn drop_excluded<T>(
    dispatcher: &mut dyn Dispatcher,
    known: &mut Vec<ExcludedWorker>,
    early: &mut BTreeMap<u64, (T, Origin)>,
    work: &UnitWork<'_, T>,
) -> Result<(), CircleError> {
    let excluded = dispatcher.excluded();
    if excluded == *known {
        return Ok(());
    }
    work.note_excluded(dispatcher.run_id(), &excluded);
    let is_gone = |(_, (name, id)): &(T, Origin)| excluded.iter().any(|worker| worker.covers(name, id));
    let gone: Vec<u64> = early.iter().filter(|(_, result)| is_gone(result)).map(|(index, _)| *index).collect();
    for index in gone {
        early.remove(&index);
        let body = (work.body)(index).map_err(CircleError::fleet)?;
        dispatcher.submit(Unit { index, body }).map_err(CircleError::fleet)?;
    }
    work.tell_kept(&excluded);
    *known = excluded;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use tesuji_jobs::units::UnitResult;

    /// Two workers who do the last unit first. One of them is excluded when units wait for the first one.
    #[derive(Default)]
    struct Backwards {
        run: &'static str,
        /// Whom the run's own file has as excluded.
        recalled: Vec<ExcludedWorker>,
        waiting: VecDeque<Unit>,
        received: usize,
        committed: Vec<u64>,
        standing: RunStanding,
        failure: Option<String>,
    }

    impl Dispatcher for Backwards {
        fn room(&self) -> usize {
            6_usize.saturating_sub(self.waiting.len())
        }
        fn submit(&mut self, unit: Unit) -> io::Result<()> {
            self.waiting.push_back(unit);
            Ok(())
        }
        fn receive(&mut self, _: Duration) -> io::Result<Option<UnitResult>> {
            let worker = if self.excluded().is_empty() { "bad" } else { "good" }.to_string();
            self.received += 1;
            let made = |unit: Unit| UnitResult {
                index: unit.index,
                worker_id: format!("id of {worker}"),
                outcome: if unit.body == "broken" { Err("broken".into()) } else { Ok(worker.clone().into_bytes()) },
                worker,
            };
            Ok(self.waiting.pop_back().map(made))
        }
        fn commit(&mut self, index: u64) -> io::Result<()> {
            self.committed.push(index);
            Ok(())
        }
        fn cancel(&mut self) -> io::Result<()> {
            Ok(())
        }
        fn report(&mut self, standing: RunStanding) {
            self.standing = standing;
        }
        fn fail(&mut self, reason: &str) {
            self.failure = Some(reason.to_string());
        }
        fn run_id(&self) -> &str {
            self.run
        }
        fn recall_excluded(&mut self, known: Vec<ExcludedWorker>) {
            self.recalled = known;
        }
        fn excluded(&self) -> Vec<ExcludedWorker> {
            let bad = ExcludedWorker { worker: "id of bad".into(), reason: "it lies".into() };
            if self.received > 3 { vec![bad] } else { Vec::new() }
        }
    }

    fn work(dispatcher: &mut Backwards, place: &std::path::Path, body: &str) -> (Result<(), CircleError>, Vec<String>) {
        let stop = Interrupt::new();
        let halt = Halt { stop: &stop, enough: &|| false };
        let work = UnitWork {
            body: &|_| Ok(body.to_string()),
            read: &|_, bytes| Ok(String::from_utf8_lossy(bytes).into_owned()),
            commits: true,
            games: &|units| units,
            origins: (Some(OriginLog::beside(place)), "test"),
        };
        let mut taken = Vec::new();
        let done = in_order_on(dispatcher, 0..6, &halt, &work, &mut |_, made| {
            taken.push(made);
            Ok(true)
        });
        (done, taken)
    }

    #[test]
    fn results_of_an_excluded_worker_that_wait_are_done_again_and_origins_are_noted() {
        let folder = tempfile::tempdir().unwrap();
        let mut dispatcher = Backwards::default();
        let (done, taken) = work(&mut dispatcher, folder.path(), "");
        assert!(done.is_ok());
        assert_eq!(taken, ["good"; 6]);
        assert_eq!(dispatcher.committed, [0, 1, 2, 3, 4, 5]);
        assert_eq!((dispatcher.standing.units_total, dispatcher.standing.summary.as_str()), (Some(6), "6 games"));
        let noted = OriginLog::beside(folder.path()).units("test");
        assert!(noted.len() == 6 && noted.iter().all(|origin| origin.id == "id of good"), "{noted:?}");
    }

    /// A worker that was excluded from a run was excluded from each that wrote to the same folder afterwards.
    #[test]
    fn a_run_that_goes_on_knows_who_was_excluded_and_another_one_at_its_place_excludes_nobody() {
        let folder = tempfile::tempdir().unwrap();
        for (run, recalled) in [("1", 0), ("1", 1), ("2", 0)] {
            let mut dispatcher = Backwards { run, ..Backwards::default() };
            assert!(work(&mut dispatcher, folder.path(), "").0.is_ok());
            assert_eq!(dispatcher.recalled.len(), recalled, "run {run}");
        }
    }

    #[test]
    fn a_run_that_fails_tells_the_fleet_why() {
        let folder = tempfile::tempdir().unwrap();
        let mut dispatcher = Backwards::default();
        let (done, taken) = work(&mut dispatcher, folder.path(), "broken");
        assert!(done.is_err() && taken.is_empty());
        assert!(dispatcher.failure.unwrap().contains("broken"));
    }
}
