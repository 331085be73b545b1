//! Matches whose games are played by workers elsewhere, a pair of games at a time. The journal and the files are written here, as they are for threads.

use crate::match_unit::{Unpacked, unit_body, unpack};
use crate::set_aside::Watch;
use crate::tournament::TICK;
use crate::worker::Times;
use crate::{Fixture, GameOrigin, Journal, Match, MatchEnd, MatchError, MatchNews, Opening, Output};
use std::collections::{BTreeMap, VecDeque};
use std::io::ErrorKind;
use std::iter::Peekable;
use std::time::Instant;
use tesuji_jobs::units::{Dispatcher, Unit, UnitResult};
use tesuji_jobs::{Interrupt, job_control};

/// Attempts at a pair of games, by whichever workers, before it is set aside.
const ATTEMPTS: u32 = 3;
/// Failures without a single success after which the match ends: the engines do not work there.
const FAILURES_MAX: u32 = 4;

/// Pairs of games: those to come, and those that workers have.
struct Units {
    first: Peekable<Box<dyn Iterator<Item = Fixture> + Send>>,
    /// Those that follow from results, and those that are tried again.
    more: VecDeque<Vec<Fixture>>,
    /// Those without a result, by the number of the pair.
    given: BTreeMap<u64, Vec<Fixture>>,
    attempts: BTreeMap<u64, u32>,
    failures: u32,
    has_success: bool,
    /// Games that were given up, and the last reason.
    set_aside: (u64, String),
}

impl Units {
    /// The games of the next pair.
    fn next(&mut self) -> Option<Vec<Fixture>> {
        let Some(first) = self.first.next() else { return self.more.pop_front() };
        let mut pair = vec![first];
        while let Some(next) = self.first.next_if(|next| next.pair == first.pair) {
            pair.push(next);
        }
        Some(pair)
    }

    /// Games that follow, pair by pair; those of a pair that waits already wait with it.
    fn add(&mut self, fixtures: Vec<Fixture>) {
        for fixture in fixtures {
            let waits = self.more.iter_mut().rev().find(|pair| pair.iter().any(|other| other.pair == fixture.pair));
            match waits {
                Some(pair) => join(pair, fixture),
                None => self.more.push_back(vec![fixture]),
            }
        }
    }

    /// A worker could not play this pair: it is tried again later, or set aside.
    fn fail(&mut self, pair: u64, words: &str) -> Result<(), MatchError> {
        let Some(fixtures) = self.given.remove(&pair) else { return Ok(()) };
        self.failures += 1;
        let attempts = self.attempts.entry(pair).or_default();
        *attempts += 1;
        if *attempts < ATTEMPTS {
            self.more.push_back(fixtures);
        } else {
            self.set_aside.0 += fixtures.len() as u64;
            self.set_aside.1 = words.to_string();
        }
        if !self.has_success && self.failures >= FAILURES_MAX {
            let games = self.given.values().chain(&self.more).map(Vec::len).sum::<usize>() as u64;
            return Err(MatchError::Workers(games + self.set_aside.0, words.to_string()));
        }
        Ok(())
    }
}

/// Adds a game to a pair, unless it is there.
fn join(pair: &mut Vec<Fixture>, fixture: Fixture) {
    if pair.iter().all(|other| other.game != fixture.game) {
        pair.push(fixture);
    }
}

/// Hears what happens.
type Tell<'a, 't> = dyn FnMut(&mut Match<'a>, MatchNews<'_>) + 't;

impl<'a> Match<'a> {
    /// [`Match::run`] with workers that `dispatcher` reaches, in place of threads. What is written is the same: results that come twice or
    /// late, and games that the journal has already, count once.
    ///
    /// # Errors
    /// Those of [`Match::run`]; when no worker can play, or the fleet carries nothing more.
    pub fn run_on(
        &mut self,
        dispatcher: &mut dyn Dispatcher,
        (journal, outputs): (&mut Journal, &mut [Output]),
        interrupt: &Interrupt,
        tell: &mut Tell<'a, '_>,
    ) -> Result<MatchEnd, MatchError> {
        let mut watch = Watch::of(self, journal)?;
        dispatcher.recall_excluded(journal.excluded()?);
        // A match that is over may be so by games that count no more.
        self.set_aside(&mut watch, dispatcher, journal)?;
        let end = match self.end(interrupt) {
            Some(end) => end,
            None => match self.collect_from(dispatcher, (journal, outputs), (interrupt, &mut watch), tell) {
                Err(MatchError::Fleet(error)) if error.kind() == ErrorKind::Interrupted && interrupt.is_raised() => {
                    return Ok(MatchEnd::Stopped);
                }
                Err(error) => {
                    dispatcher.fail(&error.to_string());
                    return Err(error);
                }
                Ok(end) => end,
            },
        };
        self.report(&mut watch.at_the_end(), dispatcher);
        // What workers still play is not wanted any more; that they hear of it late changes nothing.
        if let Err(error) = dispatcher.cancel() {
            tracing::warn!("workers were not told that the match is over: {error}");
        }
        Ok(end)
    }

    fn collect_from(
        &mut self,
        dispatcher: &mut dyn Dispatcher,
        (journal, outputs): (&mut Journal, &mut [Output]),
        (interrupt, watch): (&Interrupt, &mut Watch),
        tell: &mut Tell<'a, '_>,
    ) -> Result<MatchEnd, MatchError> {
        let schedule = self.schedule.clone();
        let first: Box<dyn Iterator<Item = Fixture> + Send> =
            Box::new(self.schedule.open().map(move |game| schedule.fixture(game)));
        let mut units = Units {
            first: first.peekable(),
            more: VecDeque::new(),
            given: BTreeMap::new(),
            attempts: BTreeMap::new(),
            failures: 0,
            has_success: false,
            set_aside: (0, String::new()),
        };
        let (mut ticked, mut is_finishing) = (Instant::now(), false);
        loop {
            let has_more = !is_finishing && self.fill(&mut units, dispatcher)?;
            if units.given.is_empty() && !has_more {
                return match units.set_aside {
                    (0, _) => Ok(self.end(interrupt).unwrap_or(MatchEnd::Stopped)),
                    (games, words) => Err(MatchError::Workers(games, words)),
                };
            }
            if let Some(result) = dispatcher.receive(TICK).map_err(MatchError::Fleet)? {
                self.take(&mut units, result, (&mut *journal, &mut *outputs), (interrupt, &mut *watch), tell)?
                    .map_or(Ok(()), |pair| dispatcher.commit(pair))
                    .map_err(MatchError::Fleet)?;
            }
            watch.judge(dispatcher, journal, false)?;
            units.add(self.set_aside(watch, dispatcher, journal)?);
            self.report(watch, dispatcher);
            // Before a verdict counts, workers are compared once more; without the games of one, the match may go on.
            while let Some(end) = self.end(interrupt) {
                if end == MatchEnd::Stopped || !watch.judge(dispatcher, journal, true)? {
                    return Ok(end);
                }
                units.add(self.set_aside(watch, dispatcher, journal)?);
            }
            if job_control::is_finishing() && !is_finishing {
                is_finishing = true;
                tell(self, MatchNews::Finishing(units.given.values().map(Vec::len).sum()));
            }
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                tell(self, MatchNews::Tick);
            }
        }
    }

    /// Gives out pairs while workers want some; whether there are more of them.
    fn fill(&self, units: &mut Units, dispatcher: &mut dyn Dispatcher) -> Result<bool, MatchError> {
        while dispatcher.room() > 0 {
            let Some(fixtures) = units.next() else { return Ok(false) };
            let Some(first) = fixtures.first() else { continue };
            let (pair, opening) = (first.pair, self.opening_of(first));
            if let Some(given) = units.given.get_mut(&pair) {
                // A worker has the pair: what comes of it has this half, too.
                fixtures.into_iter().for_each(|fixture| join(given, fixture));
                continue;
            }
            if fixtures.iter().all(|fixture| self.done.contains(&fixture.game)) {
                // Known from the journal: whoever keeps the result may forget it.
                dispatcher.commit(pair).map_err(MatchError::Fleet)?;
                continue;
            }
            let body = unit_body(&self.whole_pair(&fixtures), &opening).map_err(MatchError::Fleet)?;
            dispatcher.submit(Unit { index: pair, body }).map_err(MatchError::Fleet)?;
            units.given.insert(pair, fixtures);
        }
        Ok(true)
    }

    /// These games of a pair with the other half, also where that is in the journal: the same number is the same work always, and a result
    /// that comes late or twice has all that may be asked of it. A half that is played once more counts once.
    fn whole_pair(&self, fixtures: &[Fixture]) -> Vec<Fixture> {
        let mut pair = fixtures.to_vec();
        let games = fixtures.iter().flat_map(|fixture| [fixture.game.checked_sub(1), fixture.game.checked_add(1)]);
        for game in games.flatten().filter(|game| self.schedule.has(*game)) {
            let other = self.schedule.fixture(game);
            if other.pair == fixtures[0].pair {
                join(&mut pair, other);
            }
        }
        pair.sort_by_key(|fixture| fixture.game);
        pair
    }

    fn opening_of(&self, fixture: &Fixture) -> Opening {
        self.plan.openings.get(fixture.opening).unwrap_or_default()
    }

    /// Writes and counts the games of a result; the number of its pair when all of them are in the journal.
    fn take(
        &mut self,
        units: &mut Units,
        result: UnitResult,
        (journal, outputs): (&mut Journal, &mut [Output]),
        (interrupt, watch): (&Interrupt, &mut Watch),
        tell: &mut Tell<'a, '_>,
    ) -> Result<Option<u64>, MatchError> {
        let UnitResult { index: pair, worker, worker_id: id, outcome } = result;
        let origin = GameOrigin { worker: worker.clone(), id };
        let Some(fixtures) = units.given.get(&pair).cloned() else { return Ok(None) };
        let opening = fixtures.first().map(|first| self.opening_of(first)).unwrap_or_default();
        let unpacked = outcome.and_then(|bytes| unpack(&bytes, self.plan, &opening)).and_then(|unpacked| {
            let has = |fixture: &Fixture| unpacked.games.iter().any(|played| played.game == fixture.game);
            if fixtures.iter().all(has) { Ok(unpacked) } else { Err("games are missing".to_string()) }
        });
        let Unpacked { mut games, warnings, processor } = match unpacked {
            Ok(unpacked) => unpacked,
            Err(words) => {
                tracing::warn!("worker {worker} could not play pair {}: {words}", pair + 1);
                return units.fail(pair, &format!("{worker}: {words}")).map(|()| None);
            }
        };
        units.has_success = true;
        watch.note(journal, &origin, processor.as_deref())?;
        for (player, fault) in &warnings {
            tell(self, MatchNews::Warning(*player, fault));
        }
        for fixture in &fixtures {
            let Some(index) = games.iter().position(|played| played.game == fixture.game) else { continue };
            let played = games.swap_remove(index);
            if self.done.contains(&fixture.game) {
                continue;
            }
            let times = Times { began: played.began, duration: played.duration, origin: Some(origin.clone()) };
            let finished = self.write(fixture, played.played, times, journal, outputs)?;
            *self.workers.entry(worker.clone()).or_default() += 1;
            watch.add(fixture, &finished, &origin);
            let next = self.count(&finished);
            units.add(self.fixtures(next));
            tell(self, MatchNews::Game(&finished));
            // As for threads: nothing is written behind the verdict.
            if self.end(interrupt).is_some_and(|end| end != MatchEnd::Stopped) {
                break;
            }
        }
        units.given.remove(&pair);
        // Those behind a verdict are played where the verdict falls with the games of a worker.
        units.add(fixtures.iter().filter(|fixture| !self.done.contains(&fixture.game)).copied().collect());
        Ok(fixtures.iter().all(|fixture| self.done.contains(&fixture.game)).then_some(pair))
    }
}
