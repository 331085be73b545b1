//! Workers of a timed match beside each other: results of pairs, losses on time and stolen time by worker and by model of processor, and which of
//! them is not like the others.

use crate::{FaultKind, Finished, Fixture, GameOrigin, Journal, JournalError, Schedule};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use tesuji_game::Side;
use tesuji_jobs::units::{ExcludedWorker, WatchedGroup};
use tesuji_stats::{Homogeneity, homogeneity, more_often};

/// The level of a difference: with a thousand looks at workers, one false alarm in some 300 matches. The chi-square distribution is not
/// exact so far out; see [`EXPECTED_MIN`].
const P_MAX: f64 = 1e-6;
/// Pairs of a worker before its results are compared.
const PAIRS_MIN: u64 = 40;
/// Expected results in a category: with 5 there would be ten times as many false alarms at this level, with 20 three times as many at most.
const EXPECTED_MIN: f64 = 20.0;
/// Groups whose results differ with less than this chance do not agree with each other.
const AGREE_P: f64 = 0.01;
/// Differences below this size are shown, and results stay: with many games any two machines differ a little.
const EFFECT_MIN: f64 = 0.3;
/// Losses on time of a worker before they are compared.
const TIME_LOSSES_MIN: u64 = 3;
/// Games of a worker before its stolen time counts.
const GAMES_MIN: u64 = 20;
/// The share of their time that engines may wait for a processor, and how many times that of the others.
const STOLEN_MAX: f64 = 0.1;
const STOLEN_TIMES: f64 = 3.0;
/// Workers and models that are told.
const TOLD_MAX: usize = 50;
/// A worker without a result for this long, beside four times its last game, may be gone.
const RECENT: Duration = Duration::from_secs(600);
/// The next look is when the games have grown by this factor: looks are few, however long the match.
const GROWTH: f64 = 1.25;
/// The journal's setting with the processors of workers, as JSON.
const PROCESSORS: &str = "processors";
/// The journal's setting with the identifiers of workers that were set aside here, as JSON.
const JUDGED: &str = "judged";

/// What a worker, or all with one model of processor, have played.
#[derive(Debug, Clone, Default, PartialEq)]
struct Tally {
    games: u64,
    pairs: [u64; 5],
    time_losses: u64,
    thought: Duration,
    starved: Duration,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.games += other.games;
        (0..5).for_each(|score| self.pairs[score] += other.pairs[score]);
        self.time_losses += other.time_losses;
        self.thought += other.thought;
        self.starved += other.starved;
    }

    /// All but this part.
    fn without(&self, part: &Tally) -> Tally {
        Tally {
            games: self.games - part.games,
            pairs: std::array::from_fn(|score| self.pairs[score] - part.pairs[score]),
            time_losses: self.time_losses - part.time_losses,
            thought: self.thought.saturating_sub(part.thought),
            starved: self.starved.saturating_sub(part.starved),
        }
    }

    fn played_pairs(&self) -> u64 {
        self.pairs.iter().sum()
    }

    fn stolen(&self) -> f64 {
        if self.thought.is_zero() { 0.0 } else { self.starved.as_secs_f64() / self.thought.as_secs_f64() }
    }
}

/// How bad a group is: the greater, the worse.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Alarm {
    /// The logarithm of the chance, its sign changed.
    Chance(f64),
    /// Its stolen time as a multiple of that of the others.
    Stolen(f64),
}

/// What is known of a group, and what is wrong with it.
struct Look {
    group: WatchedGroup,
    /// Its workers.
    members: Vec<GameOrigin>,
    /// How bad it is, where nothing else than this group can be it.
    alarm: Option<Alarm>,
}

/// Which comparisons mean something in a match.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Comparable {
    /// Two entrants play all games: results of pairs and losses on time are those of workers, and not of pairings.
    pub(crate) two_entrants: bool,
    /// Games cannot be taken out, since others follow from them.
    pub(crate) follows_results: bool,
}

/// The workers of a timed match.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    comparable: Comparable,
    tallies: BTreeMap<GameOrigin, Tally>,
    /// Halves of pairs: who played them, and half points of the first entrant.
    halves: BTreeMap<u64, (GameOrigin, usize)>,
    /// Models of processors by the identifiers of workers.
    processors: BTreeMap<String, String>,
    /// Games at the last look.
    looked: u64,
    /// Those that were set aside before: who takes a worker back knows better.
    judged: BTreeSet<String>,
    /// When workers were last heard of, and how long their last game took.
    heard: BTreeMap<String, (Instant, Duration)>,
}

impl Watched {
    /// What the journal of a match has.
    pub(crate) fn of(journal: &Journal, schedule: &Schedule, comparable: Comparable) -> Result<Watched, JournalError> {
        let [processors, judged] = [journal.setting(PROCESSORS)?, journal.setting(JUDGED)?];
        let processors = processors.and_then(|told| serde_json::from_str(&told).ok()).unwrap_or_default();
        let judged = judged.and_then(|told| serde_json::from_str(&told).ok()).unwrap_or_default();
        let mut watched = Watched { processors, judged, comparable, ..Watched::default() };
        let origins: BTreeMap<u64, GameOrigin> = journal.origins()?.into_iter().collect();
        journal.for_each_game(|finished| {
            if let Some(origin) = origins.get(&finished.game) {
                watched.count(&schedule.fixture(finished.game), &finished, origin);
            }
        })?;
        Ok(watched)
    }

    /// The same workers with what the journal has now.
    pub(crate) fn again(self, journal: &Journal, schedule: &Schedule) -> Result<Watched, JournalError> {
        let now = Watched::of(journal, schedule, self.comparable)?;
        Ok(Watched { judged: self.judged, heard: self.heard, ..now })
    }

    /// Notes for the next process who was set aside.
    pub(crate) fn note_judged(&self, journal: &mut Journal) -> Result<(), JournalError> {
        journal.set(&[(JUDGED, &serde_json::to_string(&self.judged).unwrap_or_default())])
    }

    /// Notes the processor of a worker, for this process and the next.
    pub(crate) fn note(&mut self, journal: &mut Journal, id: &str, processor: &str) -> Result<(), JournalError> {
        if self.processors.get(id).is_some_and(|known| known == processor) {
            return Ok(());
        }
        self.processors.insert(id.to_string(), processor.to_string());
        let told = serde_json::to_string(&self.processors).unwrap_or_default();
        journal.set(&[(PROCESSORS, &told)])
    }

    /// Counts a game that a worker has just played.
    pub(crate) fn add(&mut self, fixture: &Fixture, finished: &Finished, origin: &GameOrigin) {
        self.heard.insert(origin.id.clone(), (Instant::now(), finished.duration));
        self.count(fixture, finished, origin);
    }

    fn count(&mut self, fixture: &Fixture, finished: &Finished, origin: &GameOrigin) {
        let tally = self.tallies.entry(origin.clone()).or_default();
        tally.games += 1;
        tally.time_losses += u64::from(matches!(&finished.fault, Some((_, fault)) if fault.kind == FaultKind::Time));
        for used in &finished.used {
            tally.thought += used.time;
            // A thread that waits is told of beside others that do not.
            tally.starved += used.starved.min(used.time);
        }
        if !self.comparable.two_entrants {
            return;
        }
        let side = if fixture.is_swapped { Side::Second } else { Side::First };
        let half_points = (2.0 * finished.outcome.score(side)).round() as usize;
        match self.halves.remove(&fixture.pair) {
            // Of a pair that two workers shared, nobody is known by it.
            Some((other, before)) if other == *origin => tally.pairs[(before + half_points).min(4)] += 1,
            Some(_) => {}
            None => drop(self.halves.insert(fixture.pair, (origin.clone(), half_points))),
        }
    }

    /// Workers and models beside all others, those with something wrong first.
    pub(crate) fn groups(&self) -> Vec<WatchedGroup> {
        let mut groups: Vec<_> = self.looks().into_iter().map(|look| look.group).collect();
        groups.truncate(TOLD_MAX);
        groups
    }

    /// The worker or workers that are not like the others, once there is enough to tell; each is told once. `is_last`: the match is about to
    /// end, so that there is no later look.
    pub(crate) fn outliers(&mut self, is_last: bool) -> Vec<ExcludedWorker> {
        let games: u64 = self.tallies.values().map(|tally| tally.games).sum();
        if games < GAMES_MIN || (!is_last && (games as f64) < GROWTH * self.looked as f64) {
            return Vec::new();
        }
        self.looked = games;
        let is_judged = |look: &Look| look.members.iter().all(|origin| self.judged.contains(&origin.id));
        let alarms = self.looks().into_iter().filter(|look| !is_judged(look));
        let alarms = alarms.filter_map(|look| Some((look.alarm?, look)));
        // One at a time: without it, the others may be all alike. Of a worker and its model, the worker.
        let worse = |(a, one): &(Alarm, Look), (b, other): &(Alarm, Look)| {
            let by_kind = other.group.is_processor.cmp(&one.group.is_processor);
            a.partial_cmp(b).unwrap_or(Ordering::Equal).then(by_kind)
        };
        let Some((_, look)) = alarms.max_by(worse) else { return Vec::new() };
        let (name, reason) = (look.group.name, look.group.verdict.unwrap_or_default());
        if self.comparable.follows_results {
            tracing::warn!("{name}: {reason}; its games stay, since who plays whom follows from them");
            return Vec::new();
        }
        // Somebody has to play.
        if !self.tallies.keys().any(|origin| !look.members.contains(origin) && self.is_here(origin)) {
            tracing::warn!("{name}: {reason}; its games stay, since no other worker was heard of lately");
            return Vec::new();
        }
        let new = look.members.into_iter().filter(|origin| self.judged.insert(origin.id.clone()));
        new.map(|origin| ExcludedWorker { worker: origin.id, reason: format!("{}: {reason}", origin.worker) }).collect()
    }

    /// Whether a worker was heard of lately.
    fn is_here(&self, origin: &GameOrigin) -> bool {
        self.heard.get(&origin.id).is_some_and(|(heard, game)| heard.elapsed() < RECENT + 4 * *game)
    }

    /// The name of a worker, with its identifier where two have one.
    fn label(&self, origin: &GameOrigin) -> String {
        let (name, none) = (&origin.worker, String::new());
        let first = GameOrigin { worker: name.clone(), id: none };
        let is_twice = self.tallies.range(first..).take_while(|(other, _)| other.worker == *name).take(2).count() > 1;
        if is_twice { format!("{name} ({})", origin.id) } else { name.clone() }
    }

    fn looks(&self) -> Vec<Look> {
        let mut models: BTreeMap<&str, Party> = BTreeMap::new();
        let mut workers = Vec::new();
        for (origin, tally) in &self.tallies {
            let part = (origin.clone(), tally.clone());
            if let Some(model) = self.processors.get(&origin.id) {
                let party = models.entry(model).or_insert_with(|| Party::new(model.clone(), true));
                party.add(part.clone());
            }
            let mut party = Party::new(self.label(origin), false);
            party.add(part);
            workers.push(party);
        }
        let mut looks = compared(workers, self.comparable);
        looks.extend(compared(models.into_values().collect(), self.comparable));
        let p = |look: &Look| look.group.pairs_p.unwrap_or(1.0);
        looks.sort_by(|a, b| {
            let is_fine = |look: &Look| look.group.verdict.is_none();
            is_fine(a).cmp(&is_fine(b)).then(p(a).total_cmp(&p(b)))
        });
        looks
    }
}

/// A worker, or all with one model of processor.
struct Party {
    name: String,
    is_processor: bool,
    members: Vec<(GameOrigin, Tally)>,
    tally: Tally,
}

impl Party {
    fn new(name: String, is_processor: bool) -> Party {
        Party { name, is_processor, members: Vec::new(), tally: Tally::default() }
    }

    fn add(&mut self, member: (GameOrigin, Tally)) {
        self.tally.add(&member.1);
        self.members.push(member);
    }
}

/// Each group beside all others.
fn compared(parties: Vec<Party>, comparable: Comparable) -> Vec<Look> {
    let mut all = Tally::default();
    parties.iter().for_each(|party| all.add(&party.tally));
    let agreeing = Agreeing::of(&parties);
    let look = |(index, party): (usize, Party)| {
        let found = judge(&party.tally, &all, (agreeing.other_than(index), comparable));
        let alarm =
            found.alarm.filter(|_| !party.is_processor || is_the_model(&party, &all, (&agreeing, index), comparable));
        let Tally { games, time_losses, .. } = party.tally;
        let group = WatchedGroup {
            name: party.name,
            is_processor: party.is_processor,
            games,
            pairs: party.tally.played_pairs(),
            pairs_p: found.pairs_p,
            time_losses,
            stolen: party.tally.stolen(),
            verdict: found.verdict,
        };
        Look { group, members: party.members.into_iter().map(|(origin, _)| origin).collect(), alarm }
    };
    parties.into_iter().enumerate().map(look).collect()
}

/// Whether it is the model, and not one of its workers: without any of them, the others still stand out.
fn is_the_model(party: &Party, all: &Tally, (agreeing, index): (&Agreeing, usize), comparable: Comparable) -> bool {
    let stands_out = |(_, one): &(GameOrigin, Tally)| {
        let rest = party.tally.without(one);
        judge(&rest, &all.without(one), (agreeing.other_than(index), comparable)).alarm.is_some()
    };
    party.members.len() > 1 && party.members.iter().all(stands_out)
}

/// The groups whose pairs are like those of each other.
struct Agreeing {
    groups: BTreeSet<usize>,
    pairs: Tally,
    /// Groups with enough pairs.
    count: usize,
}

impl Agreeing {
    /// Leaves out the group that differs most from the others, until all that are left agree.
    fn of(parties: &[Party]) -> Agreeing {
        let has_enough = |index: &usize| parties[*index].tally.played_pairs() >= PAIRS_MIN;
        let mut groups: BTreeSet<usize> = (0..parties.len()).filter(has_enough).collect();
        let mut pairs = Tally::default();
        groups.iter().for_each(|index| pairs.add(&parties[*index].tally));
        let count = groups.len();
        loop {
            let p = |index: &usize| {
                let tally = &parties[*index].tally;
                homogeneity(&tally.pairs, &pairs.without(tally).pairs, EXPECTED_MIN).map_or(1.0, |found| found.p)
            };
            let all = groups.iter().map(|index| (p(index), *index));
            let Some((_, index)) = all.filter(|(p, _)| *p < AGREE_P).min_by(|(a, _), (b, _)| a.total_cmp(b)) else {
                return Agreeing { groups, pairs, count };
            };
            groups.remove(&index);
            pairs = pairs.without(&parties[index].tally);
        }
    }

    /// Their pairs, for a group that is not one of them.
    fn other_than(&self, index: usize) -> Option<Others<'_>> {
        let is_most = self.groups.len() > 1 && 2 * self.groups.len() > self.count;
        (!self.groups.contains(&index)).then_some(Others { pairs: &self.pairs, is_most })
    }
}

/// What the pairs of a group are compared with.
#[derive(Clone, Copy)]
struct Others<'a> {
    pairs: &'a Tally,
    /// Whether these are two groups or more, and most of all: of two that differ, nobody knows which is wrong.
    is_most: bool,
}

/// What comes of a comparison.
struct Judged {
    pairs_p: Option<f64>,
    verdict: Option<String>,
    alarm: Option<Alarm>,
}

fn judge(tally: &Tally, all: &Tally, (agreeing, comparable): (Option<Others<'_>>, Comparable)) -> Judged {
    let others = all.without(tally);
    let beside = |others: &Tally| {
        let enough = tally.played_pairs() >= PAIRS_MIN && others.played_pairs() >= PAIRS_MIN;
        enough.then(|| homogeneity(&tally.pairs, &others.pairs, EXPECTED_MIN)).flatten()
    };
    let pairs_p = beside(&others).map(|found| found.p);
    let is_far = |found: &Homogeneity| found.p < P_MAX && found.effect >= EFFECT_MIN;
    let far = agreeing.and_then(|agreeing| {
        let with = if agreeing.is_most { agreeing.pairs } else { &others };
        Some((beside(with).filter(is_far)?, agreeing.is_most))
    });
    let p = more_often((tally.time_losses, tally.games), (all.time_losses, all.games));
    let stolen_by_others = STOLEN_MAX.max(STOLEN_TIMES * others.stolen());
    let (verdict, alarm) = if let Some((found, is_most)) = far {
        (pairs_differ(&found, is_most), is_most.then_some(Alarm::Chance(-found.p.ln())))
    } else if tally.time_losses >= TIME_LOSSES_MIN && p < P_MAX {
        let verdict = format!(
            "{} of its {} games were lost on time, and {} of {} elsewhere (p = {p:.0e})",
            tally.time_losses, tally.games, others.time_losses, others.games
        );
        // Of more than two entrants, one may lose on time wherever it plays.
        (verdict, comparable.two_entrants.then_some(Alarm::Chance(-p.ln())))
    } else if tally.games >= GAMES_MIN && others.games >= GAMES_MIN && tally.stolen() > stolen_by_others {
        let verdict = format!(
            "engines waited for a processor for {:.0} % of their time, and for {:.1} % elsewhere: other work disturbs its clocks \
             (--noisy workers get node limits only)",
            100.0 * tally.stolen(),
            100.0 * others.stolen()
        );
        (verdict, Some(Alarm::Stolen(tally.stolen() / others.stolen())))
    } else {
        return Judged { pairs_p, verdict: None, alarm: None };
    };
    Judged { pairs_p, verdict: Some(verdict), alarm }
}

fn pairs_differ(found: &Homogeneity, is_most: bool) -> String {
    let doubt =
        if is_most { "" } else { "; nobody can tell which is wrong, since no two others and most of all agree" };
    format!(
        "results of its pairs are not like those of the others (chi-square {:.1} with {} degrees of freedom, p = {:.0e}){doubt}",
        found.chi_square, found.freedom, found.p
    )
}

#[cfg(test)]
mod tests;
