//! What a match tells those who watch its fleet, and what it does when results of a worker are wanted no more.

use crate::match_unit::is_timed;
use crate::watched::{Comparable, Watched};
use crate::{Finished, Fixture, GameOrigin, Journal, JournalError, Match, MatchError};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tesuji_jobs::counted;
use tesuji_jobs::units::{Dispatcher, ExcludedWorker, RunStanding};

/// Between two reports: an estimate of the time left takes milliseconds.
const REPORT_EVERY: Duration = Duration::from_secs(2);

/// What was told and heard last.
pub(crate) struct Watch {
    reported: Option<Instant>,
    excluded: Vec<ExcludedWorker>,
    /// The workers beside each other, where clocks limit the games.
    watched: Option<Watched>,
}

impl Watch {
    pub(crate) fn of(match_: &Match<'_>, journal: &Journal) -> Result<Watch, JournalError> {
        let watched = is_timed(match_.plan).then(|| {
            let two_entrants = match_.plan.entrants.len() == 2;
            let comparable = Comparable { two_entrants, follows_results: match_.schedule.follows_results() };
            Watched::of(journal, &match_.schedule, comparable)
        });
        let watched = watched.transpose()?;
        Ok(Watch { reported: None, excluded: Vec::new(), watched })
    }

    /// The same, for the last report, which is due at once.
    pub(crate) fn at_the_end(self) -> Watch {
        Watch { reported: None, ..self }
    }

    /// Notes the processor of a worker.
    pub(crate) fn note(
        &mut self,
        journal: &mut Journal,
        origin: &GameOrigin,
        processor: Option<&str>,
    ) -> Result<(), JournalError> {
        match (&mut self.watched, processor) {
            (Some(watched), Some(processor)) => watched.note(journal, &origin.id, processor),
            _ => Ok(()),
        }
    }

    /// Counts a game of a worker.
    pub(crate) fn add(&mut self, fixture: &Fixture, finished: &Finished, origin: &GameOrigin) {
        if let Some(watched) = &mut self.watched {
            watched.add(fixture, finished, origin);
        }
    }

    /// Sets results of workers aside that are not like those of the others; whether there are some. `is_last`: the match is about to end.
    pub(crate) fn judge(
        &mut self,
        dispatcher: &mut dyn Dispatcher,
        journal: &mut Journal,
        is_last: bool,
    ) -> Result<bool, JournalError> {
        let Some(watched) = &mut self.watched else { return Ok(false) };
        let outliers = watched.outliers(is_last);
        if outliers.is_empty() {
            return Ok(false);
        }
        watched.note_judged(journal)?;
        outliers.into_iter().for_each(|worker| dispatcher.exclude(worker));
        Ok(true)
    }
}

impl Match<'_> {
    /// Tells how the match stands, from time to time.
    pub(crate) fn report(&mut self, watch: &mut Watch, dispatcher: &mut dyn Dispatcher) {
        if watch.reported.is_some_and(|reported| reported.elapsed() < REPORT_EVERY) {
            return;
        }
        watch.reported = Some(Instant::now());
        // A test ends by its bounds, and a tournament of rounds learns its pairs from results.
        let is_open = self.plan.sprt.is_some() || self.schedule.follows_results();
        let games = self.schedule.games();
        let units_total = (!is_open && games > 0).then(|| self.schedule.fixture(games - 1).pair + 1);
        let left_seconds = self.left().map(|left| left.middle.as_secs_f64());
        let watched = watch.watched.as_ref().map(Watched::groups).unwrap_or_default();
        let games = Some(self.standing().games());
        dispatcher.report(RunStanding { units_total, summary: self.summary(), left_seconds, games, watched });
    }

    /// The standing in a line.
    fn summary(&self) -> String {
        let games = counted(self.standing().games(), "game");
        if self.plan.entrants.len() > 2 {
            return games;
        }
        let (single, pairs) = self.standing().tested();
        let elo = if pairs.pairs() > 0 { pairs.elo() } else { single.elo() };
        let elo = elo.filter(|elo| elo.error().is_finite());
        let elo = elo.map(|elo| format!(", Elo {:+.1} ± {:.1}", elo.value, elo.error())).unwrap_or_default();
        let test = self.plan.sprt.as_ref().zip(self.decision()).map(|(sprt, (llr, _))| {
            let (low, high) = sprt.bounds();
            format!(", LLR {llr:.2} ({low:.2}, {high:.2})")
        });
        format!("{games}{elo}{}, +{} ={} -{}", test.unwrap_or_default(), single.wins, single.draws, single.losses)
    }

    /// Sets aside what the journal has of workers whose results are wanted no more: those games count as not played. They are returned.
    pub(crate) fn set_aside(
        &mut self,
        watch: &mut Watch,
        dispatcher: &dyn Dispatcher,
        journal: &mut Journal,
    ) -> Result<Vec<Fixture>, MatchError> {
        let excluded = dispatcher.excluded();
        if excluded == watch.excluded {
            return Ok(Vec::new());
        }
        // First of all: games that are set aside before a kill are those of workers that stay excluded after it.
        journal.set_excluded(&excluded)?;
        watch.excluded.clone_from(&excluded);
        let mut games: BTreeMap<&ExcludedWorker, Vec<(u64, String)>> = BTreeMap::new();
        for (game, origin) in journal.origins()? {
            if let Some(worker) = excluded.iter().find(|worker| worker.covers(&origin.worker, &origin.id)) {
                games.entry(worker).or_default().push((game, origin.worker));
            }
        }
        let mut again = Vec::new();
        for (worker, games) in games {
            let told = counted(games.len() as u64, "game");
            if self.schedule.follows_results() {
                tracing::warn!(
                    "{told} of worker {} stay: who plays whom follows from their results; begin the tournament again with --fresh",
                    worker.worker
                );
                continue;
            }
            tracing::warn!(
                "{told} of worker {} are set aside in the journal and played again ({}); in output files they stay, and what is \
                 played again follows with the same round",
                worker.worker,
                worker.reason
            );
            let (games, names): (Vec<u64>, Vec<String>) = games.into_iter().unzip();
            journal.set_aside(&games, &worker.reason)?;
            for name in names {
                if let Some(count) = self.workers.get_mut(&name) {
                    *count = count.saturating_sub(1);
                }
            }
            self.workers.retain(|_, count| *count > 0);
            again.extend(games);
        }
        if again.is_empty() {
            return Ok(Vec::new());
        }
        again.sort_unstable();
        self.count_again(journal)?;
        watch.watched = watch.watched.take().map(|before| before.again(journal, &self.schedule)).transpose()?;
        Ok(self.fixtures(again))
    }
}
