//! What each worker has done for a run, and how fast: told with the commit marks, for those who watch.

use serde::{Deserialize, Serialize};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};
use tesuji_jobs::units::RunStanding;

/// How far back the rate looks: a run whose workers come and go has the rate of now.
const WINDOW: Duration = Duration::from_secs(300);

/// Workers that are told one by one: what is told goes with every mark.
const SHARES_MAX: usize = 100;

/// What a worker has done for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerShare {
    /// Its name.
    pub name: String,
    /// What tells it from others of that name.
    pub id: String,
    /// Units of its that are in the journal.
    pub units: u64,
    /// Units a minute, during the last five minutes.
    pub units_per_minute: f64,
    /// Games a minute: its share of the run's, by its units; `None` where the run plays no games.
    #[serde(default)]
    pub games_per_minute: Option<f64>,
}

/// What audits came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditCounts {
    /// Units of which two workers made the same.
    pub agreed: u64,
    /// Units of which they did not.
    pub differed: u64,
}

/// How a run stands, as its coordinator told last.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunProgress {
    /// What the run itself says.
    #[serde(flatten)]
    pub standing: RunStanding,
    /// Units a minute of all workers, during the last five minutes.
    pub units_per_minute: f64,
    /// Games a minute of all workers, during the last five minutes; `None` where the run plays none, or nothing was heard of them yet.
    #[serde(default)]
    pub games_per_minute: Option<f64>,
    /// What each worker has done, by name: of those that have done most.
    pub workers: Vec<WorkerShare>,
    /// Others.
    #[serde(default)]
    pub workers_left_out: u64,
    /// What audits of its units came to.
    #[serde(default)]
    pub audits: AuditCounts,
    /// Why it failed.
    #[serde(default)]
    pub failure: Option<String>,
}

impl RunProgress {
    /// Seconds that are left, from what the run says or from its rate; `done` units are in its journal.
    pub fn left_seconds(&self, done: u64) -> Option<f64> {
        let left = self.standing.units_total.map(|total| total.saturating_sub(done) as f64);
        let by_rate = left.filter(|_| self.units_per_minute > 0.0).map(|left| left * 60.0 / self.units_per_minute);
        self.standing.left_seconds.or(by_rate)
    }
}

/// A worker: its name and its identifier.
type Worker = (String, String);

/// Counts units by the worker that did them.
#[derive(Debug)]
pub(crate) struct RunTally {
    began: Instant,
    units: BTreeMap<Worker, u64>,
    recent: VecDeque<(Instant, Worker)>,
    /// Games in the journal, as they were told.
    games: VecDeque<(Instant, u64)>,
    standing: RunStanding,
    pub(crate) failure: Option<String>,
    pub(crate) audits: AuditCounts,
}

impl RunTally {
    /// Goes on with what an earlier coordinator counted.
    pub(crate) fn new(before: &RunProgress, now: Instant) -> RunTally {
        let units = before.workers.iter().map(|share| ((share.name.clone(), share.id.clone()), share.units)).collect();
        RunTally {
            began: now,
            units,
            recent: VecDeque::new(),
            games: VecDeque::new(),
            standing: before.standing.clone(),
            failure: None,
            audits: before.audits,
        }
    }

    /// Counts a unit of this worker.
    pub(crate) fn add(&mut self, name: &str, id: &str, now: Instant) {
        let worker = (name.to_string(), id.to_string());
        *self.units.entry(worker.clone()).or_default() += 1;
        self.recent.push_back((now, worker));
        self.forget(now);
    }

    /// Forgets a worker whose results were set aside.
    pub(crate) fn remove(&mut self, is_gone: impl Fn(&str, &str) -> bool) {
        self.units.retain(|(name, id), _| !is_gone(name, id));
        self.recent.retain(|(_, (name, id))| !is_gone(name, id));
    }

    /// Takes what the run says of itself.
    pub(crate) fn tell(&mut self, standing: RunStanding, now: Instant) {
        if let Some(games) = standing.games {
            // Games that were set aside are not played backwards.
            if self.games.back().is_some_and(|(_, before)| *before > games) {
                self.games.clear();
            }
            self.games.push_back((now, games));
        }
        self.standing = standing;
        self.forget(now);
    }

    fn forget(&mut self, now: Instant) {
        while self.recent.front().is_some_and(|(when, _)| now.duration_since(*when) > WINDOW) {
            self.recent.pop_front();
        }
        while self.games.front().is_some_and(|(when, _)| now.duration_since(*when) > WINDOW) {
            self.games.pop_front();
        }
    }

    /// Games a minute between the first and the last that were told within the window.
    fn games_per_minute(&self, now: Instant) -> Option<f64> {
        let ((since, first), (_, last)) = (self.games.front()?, self.games.back()?);
        let minutes = now.duration_since(*since).as_secs_f64() / 60.0;
        (minutes >= 5.0 / 60.0).then(|| last.saturating_sub(*first) as f64 / minutes)
    }

    /// What is told of it.
    pub(crate) fn progress(&mut self, now: Instant) -> RunProgress {
        self.forget(now);
        let minutes = now.duration_since(self.began).min(WINDOW).as_secs_f64().max(1.0) / 60.0;
        let mut recent: BTreeMap<&Worker, u64> = BTreeMap::new();
        self.recent.iter().for_each(|(_, worker)| *recent.entry(worker).or_default() += 1);
        let mut most: Vec<(&Worker, &u64)> = self.units.iter().collect();
        most.sort_by_key(|(_, units)| Reverse(**units));
        most.truncate(SHARES_MAX);
        most.sort_by_key(|(worker, _)| *worker);
        let games_per_minute = self.games_per_minute(now);
        let all = self.recent.len().max(1) as f64;
        let share = |(worker, units): (&Worker, &u64)| {
            let (name, id) = worker.clone();
            let some = recent.get(worker).map_or(0.0, |units| *units as f64);
            let games_per_minute = games_per_minute.map(|games| games * some / all);
            WorkerShare { name, id, units: *units, units_per_minute: some / minutes, games_per_minute }
        };
        RunProgress {
            standing: self.standing.clone(),
            units_per_minute: self.recent.len() as f64 / minutes,
            games_per_minute,
            workers_left_out: self.units.len().saturating_sub(SHARES_MAX) as u64,
            workers: most.into_iter().map(share).collect(),
            audits: self.audits,
            failure: self.failure.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_counted_by_worker_and_rates_are_those_of_now() {
        let began = Instant::now();
        let mut tally = RunTally::new(&RunProgress::default(), began);
        for second in 0..60 {
            let name = if second % 3 == 0 { "a" } else { "b" };
            tally.add(name, "1", began + Duration::from_secs(second));
        }
        let progress = tally.progress(began + Duration::from_secs(60));
        let shares: Vec<_> = progress.workers.iter().map(|share| (share.name.as_str(), share.units)).collect();
        assert_eq!(shares, [("a", 20), ("b", 40)]);
        assert_eq!((progress.units_per_minute, progress.workers[1].units_per_minute), (60.0, 40.0));
        // Ten minutes later nothing came for long.
        let late = began + Duration::from_secs(660);
        let progress = tally.progress(late);
        assert_eq!((progress.units_per_minute, progress.workers[0].units), (0.0, 20));
        // Another coordinator goes on counting, and one of the same name is another worker.
        let mut tally = RunTally::new(&progress, late);
        tally.add("a", "2", late);
        let units: Vec<_> = tally.progress(late).workers.iter().map(|share| share.units).collect();
        assert_eq!(units, [20, 1, 40]);
        tally.remove(|name, id| name == "a" && id == "1");
        assert_eq!(tally.progress(late).workers.len(), 2);
    }

    #[test]
    fn games_a_minute_are_those_that_were_told_and_shared_by_units() {
        let began = Instant::now();
        let mut tally = RunTally::new(&RunProgress::default(), began);
        let told = |games| RunStanding { games: Some(games), ..RunStanding::default() };
        let at = |seconds| began + Duration::from_secs(seconds);
        tally.tell(told(1_000), at(0));
        assert_eq!(tally.progress(at(1)).games_per_minute, None, "too soon to tell");
        for second in 1..=60 {
            tally.add(if second % 4 == 0 { "a" } else { "b" }, "1", at(second));
            tally.tell(told(1_000 + 2 * second), at(second));
        }
        let progress = tally.progress(at(60));
        assert_eq!(progress.games_per_minute, Some(120.0));
        assert_eq!([0, 1].map(|at| progress.workers[at].games_per_minute), [Some(30.0), Some(90.0)]);
        // Games that were set aside make no negative rate, and what stands still has none.
        tally.tell(told(500), at(70));
        assert_eq!(tally.progress(at(80)).games_per_minute, Some(0.0));
        assert_eq!(tally.progress(at(700)).games_per_minute, None);
    }

    #[test]
    fn of_many_workers_those_that_did_most_are_told() {
        let now = Instant::now();
        let mut tally = RunTally::new(&RunProgress::default(), now);
        for worker in 0..250 {
            (0..=worker % 7).for_each(|_| tally.add(&format!("w{worker}"), "1", now));
        }
        let progress = tally.progress(now);
        assert_eq!((progress.workers.len(), progress.workers_left_out), (SHARES_MAX, 150));
        assert!(progress.workers.iter().all(|share| share.units >= 4));
    }

    #[test]
    fn the_time_left_is_what_the_run_says_or_what_the_rate_says() {
        let mut progress = RunProgress { units_per_minute: 30.0, ..RunProgress::default() };
        assert_eq!(progress.left_seconds(10), None);
        progress.standing.units_total = Some(100);
        assert_eq!(progress.left_seconds(40), Some(120.0));
        progress.standing.left_seconds = Some(7.0);
        assert_eq!(progress.left_seconds(40), Some(7.0));
    }
}
