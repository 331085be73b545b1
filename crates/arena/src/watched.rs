//! Workers of a timed match beside each other: results of pairs, losses on time and stolen time by worker and by model of processor, and which of
//! them is not like the others.

use crate::{FaultKind, Finished, Fixture, GameOrigin, Journal, JournalError, Schedule};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tesuji_game::Side;
use tesuji_jobs::units::{ExcludedWorker, WatchedGroup};
use tesuji_stats::{homogeneity, more_often};

/// A difference that chance makes so seldom is one: with a thousand looks at workers, one false alarm in a thousand matches.
const P_MAX: f64 = 1e-6;
/// Pairs of a worker before its results are compared.
const PAIRS_MIN: u64 = 30;
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
/// The next look is at this many times as many games: looks are few, however long the match.
const GROWTH: f64 = 1.25;
/// The journal's setting with the processors of workers, as JSON.
const PROCESSORS: &str = "processors";

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

    fn stolen(&self) -> f64 {
        if self.thought.is_zero() { 0.0 } else { self.starved.as_secs_f64() / self.thought.as_secs_f64() }
    }
}

/// What is known of a group, and what is wrong with it.
struct Look {
    group: WatchedGroup,
    /// The chance of what is wrong, where nothing else than this group can be it.
    alarm: Option<f64>,
}

/// The workers of a timed match.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    tallies: BTreeMap<GameOrigin, Tally>,
    /// Halves of pairs: who played them, and half points of the first entrant.
    halves: BTreeMap<u64, (GameOrigin, usize)>,
    /// Models of processors by the identifiers of workers.
    processors: BTreeMap<String, String>,
    /// Games at the last look.
    looked: u64,
    /// Workers that this process has set aside: who takes one back knows better.
    judged: BTreeSet<String>,
}

impl Watched {
    /// What the journal of a match has.
    pub(crate) fn of(journal: &Journal, schedule: &Schedule) -> Result<Watched, JournalError> {
        let told = journal.setting(PROCESSORS)?;
        let processors = told.and_then(|told| serde_json::from_str(&told).ok()).unwrap_or_default();
        let mut watched = Watched { processors, ..Watched::default() };
        let origins: BTreeMap<u64, GameOrigin> = journal.origins()?.into_iter().collect();
        journal.for_each_game(|finished| {
            if let Some(origin) = origins.get(&finished.game) {
                watched.add(&schedule.fixture(finished.game), &finished, origin);
            }
        })?;
        Ok(watched)
    }

    /// The same workers with what the journal has now.
    pub(crate) fn again(self, journal: &Journal, schedule: &Schedule) -> Result<Watched, JournalError> {
        Ok(Watched { judged: self.judged, ..Watched::of(journal, schedule)? })
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

    /// Counts a game.
    pub(crate) fn add(&mut self, fixture: &Fixture, finished: &Finished, origin: &GameOrigin) {
        let tally = self.tallies.entry(origin.clone()).or_default();
        tally.games += 1;
        tally.time_losses += u64::from(matches!(&finished.fault, Some((_, fault)) if fault.kind == FaultKind::Time));
        for used in &finished.used {
            tally.thought += used.time;
            // A thread that waits is told of beside others that do not.
            tally.starved += used.starved.min(used.time);
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

    /// The worker or workers that are not like the others, once there is enough to tell; each is told once.
    pub(crate) fn outliers(&mut self) -> Vec<ExcludedWorker> {
        let games: u64 = self.tallies.values().map(|tally| tally.games).sum();
        if games < GAMES_MIN || (games as f64) < GROWTH * self.looked as f64 {
            return Vec::new();
        }
        self.looked = games;
        // One at a time: without it, the others may be all alike.
        let alarms = self.looks().into_iter().filter_map(|look| Some((look.alarm?, look.group)));
        let Some((_, group)) = alarms.min_by(|(a, _), (b, _)| a.total_cmp(b)) else { return Vec::new() };
        let reason = group.verdict.unwrap_or_default();
        let is_meant = |origin: &&GameOrigin| match group.is_processor {
            true => self.processors.get(&origin.id).is_some_and(|model| *model == group.name),
            false => self.label(origin) == group.name,
        };
        let meant: Vec<GameOrigin> = self.tallies.keys().filter(is_meant).cloned().collect();
        // Somebody has to play.
        if meant.len() == self.tallies.len() {
            return Vec::new();
        }
        let new = meant.into_iter().filter(|origin| self.judged.insert(origin.id.clone()));
        new.map(|origin| ExcludedWorker { worker: origin.id, reason: format!("{}: {reason}", origin.worker) }).collect()
    }

    /// The name of a worker, with its identifier where two have one.
    fn label(&self, origin: &GameOrigin) -> String {
        let (name, none) = (&origin.worker, String::new());
        let first = GameOrigin { worker: name.clone(), id: none };
        let is_twice = self.tallies.range(first..).take_while(|(other, _)| other.worker == *name).take(2).count() > 1;
        if is_twice { format!("{name} ({})", origin.id) } else { name.clone() }
    }

    fn looks(&self) -> Vec<Look> {
        let mut models: BTreeMap<&str, Tally> = BTreeMap::new();
        for (origin, tally) in &self.tallies {
            if let Some(model) = self.processors.get(&origin.id) {
                models.entry(model).or_default().add(tally);
            }
        }
        let workers = self.tallies.iter().map(|(origin, tally)| (self.label(origin), tally.clone())).collect();
        let models = models.into_iter().map(|(model, tally)| (model.to_string(), tally)).collect();
        let mut looks = compared(workers, false);
        looks.extend(compared(models, true));
        let p = |look: &Look| look.group.pairs_p.unwrap_or(1.0);
        looks.sort_by(|a, b| {
            let is_fine = |look: &Look| look.group.verdict.is_none();
            is_fine(a).cmp(&is_fine(b)).then(p(a).total_cmp(&p(b)))
        });
        looks
    }
}

/// Each group beside all others.
fn compared(groups: Vec<(String, Tally)>, is_processor: bool) -> Vec<Look> {
    let mut all = Tally::default();
    groups.iter().for_each(|(_, tally)| all.add(tally));
    let count = groups.len();
    groups.into_iter().map(|(name, tally)| look(name, &tally, &all, (count, is_processor))).collect()
}

fn look(name: String, tally: &Tally, all: &Tally, (count, is_processor): (usize, bool)) -> Look {
    let (others, pairs) = (all.without(tally), tally.pairs.iter().sum());
    let compared = Some(&others).filter(|others| pairs >= PAIRS_MIN && others.pairs.iter().sum::<u64>() >= PAIRS_MIN);
    let compared = compared.and_then(|others| homogeneity(&tally.pairs, &others.pairs));
    let mut group = WatchedGroup {
        name,
        is_processor,
        games: tally.games,
        pairs,
        pairs_p: compared.map(|found| found.p),
        time_losses: tally.time_losses,
        stolen: tally.stolen(),
        verdict: None,
    };
    let mut alarm = None;
    let p = more_often((tally.time_losses, tally.games), (all.time_losses, all.games));
    if let Some(found) = compared.filter(|found| found.p < P_MAX && found.effect >= EFFECT_MIN) {
        group.verdict = Some(format!(
            "results of its pairs are not like those of the others (chi-square {:.1} with {} degrees of freedom, p = {:.0e})",
            found.chi_square, found.freedom, found.p
        ));
        // Of two that differ, nobody knows which is wrong.
        if count > 2 {
            alarm = Some(found.p);
        } else {
            group.verdict = group.verdict.map(|words| words + "; of two alone nobody can tell which is wrong");
        }
    } else if tally.time_losses >= TIME_LOSSES_MIN && p < P_MAX {
        group.verdict = Some(format!(
            "{} of its {} games were lost on time, and {} of {} elsewhere (p = {p:.0e})",
            tally.time_losses, tally.games, others.time_losses, others.games
        ));
        alarm = Some(p);
    } else if tally.games >= GAMES_MIN
        && others.games >= GAMES_MIN
        && tally.stolen() > STOLEN_MAX.max(STOLEN_TIMES * others.stolen())
    {
        group.verdict = Some(format!(
            "engines waited for a processor for {:.0} % of their time, and for {:.1} % elsewhere: other work disturbs its clocks \
             (--noisy workers get node limits only)",
            100.0 * tally.stolen(),
            100.0 * others.stolen()
        ));
        alarm = Some(0.0);
    }
    Look { group, alarm }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fault, Used};
    use tesuji_game::{By, Outcome, Random};

    /// Games of a match that `workers` played in turns, a pair each time: `score` makes the half points of a game for the first player.
    struct Play<'a> {
        watched: Watched,
        random: Random,
        workers: &'a [&'a str],
    }

    impl Play<'_> {
        fn new<'a>(workers: &'a [&'a str]) -> Play<'a> {
            Play { watched: Watched::default(), random: Random::new(5), workers }
        }

        /// Pairs, of which `habit` says by worker: the chance that the first player wins, in percent, the chance of a loss on time, and the
        /// share of stolen time.
        fn pairs(&mut self, pairs: u64, habit: impl Fn(&str) -> (usize, usize, u64)) {
            for number in 0..pairs {
                let pair = number + self.watched.halves.len() as u64 + 1_000_000;
                let worker = self.workers[number as usize % self.workers.len()];
                let origin = GameOrigin { worker: worker.into(), id: format!("id-{worker}") };
                let (wins, time, stolen) = habit(worker);
                for is_swapped in [false, true] {
                    let players = if is_swapped { [1, 0] } else { [0, 1] };
                    let fixture = Fixture { game: 0, pair, round: 0, pairing: 0, players, is_swapped, opening: 0 };
                    let side = if is_swapped { Side::Second } else { Side::First };
                    let outcome = match self.random.below(100) {
                        draw if draw < 50 => Outcome::draw(By::Repetition),
                        _ if self.random.below(100) < wins => Outcome::win(side, By::Mate),
                        _ => Outcome::win(!side, By::Mate),
                    };
                    let lost = self.random.below(100) < time;
                    let used = Used {
                        time: Duration::from_millis(100),
                        starved: Duration::from_millis(stolen),
                        ..Used::default()
                    };
                    let finished = Finished {
                        game: 0,
                        outcome,
                        fault: lost.then(|| (side, Fault::new(FaultKind::Time, "late"))),
                        plies: 9,
                        duration: Duration::from_secs(1),
                        used: [used; 2],
                        moves: Vec::new(),
                        values: Vec::new(),
                    };
                    self.watched.add(&fixture, &finished, &origin);
                }
            }
        }

        fn outliers(&mut self) -> Vec<String> {
            self.watched.outliers().into_iter().map(|worker| worker.worker).collect()
        }
    }

    #[test]
    fn a_worker_whose_results_differ_is_found_and_others_are_not() {
        let mut play = Play::new(&["a", "b", "c", "d"]);
        play.pairs(400, |_| (50, 0, 1));
        assert_eq!(play.outliers(), [""; 0]);
        assert!(play.watched.groups().iter().all(|group| group.verdict.is_none() && group.pairs == 100));
        play.pairs(1_200, |worker| (if worker == "c" { 97 } else { 50 }, 0, 1));
        assert_eq!(play.outliers(), ["id-c"]);
        let groups = play.watched.groups();
        assert!(groups[0].name == "c" && groups[0].verdict.as_ref().unwrap().contains("p = "), "{:?}", groups[0]);
        // It is told once: who takes it back knows better.
        play.pairs(400, |worker| (if worker == "c" { 97 } else { 50 }, 0, 1));
        assert_eq!(play.outliers(), [""; 0]);
    }

    #[test]
    fn of_two_that_differ_nobody_is_set_aside() {
        let mut play = Play::new(&["a", "b"]);
        play.pairs(400, |worker| (if worker == "a" { 95 } else { 50 }, 0, 1));
        assert_eq!(play.outliers(), [""; 0]);
        assert!(play.watched.groups()[0].verdict.as_ref().unwrap().contains("nobody can tell which is wrong"));
    }

    #[test]
    fn losses_on_time_and_stolen_time_are_those_of_one_worker() {
        let mut play = Play::new(&["a", "b"]);
        play.pairs(200, |worker| (50, if worker == "b" { 20 } else { 0 }, 1));
        assert_eq!(play.outliers(), ["id-b"]);
        assert!(play.watched.groups()[0].verdict.as_ref().unwrap().contains("lost on time"));
        let mut play = Play::new(&["a", "b", "c"]);
        play.pairs(90, |worker| (50, 0, if worker == "a" { 25 } else { 2 }));
        assert_eq!(play.outliers(), ["id-a"]);
        let groups = play.watched.groups();
        assert!(groups[0].verdict.as_ref().unwrap().contains("for 25 % of their time"), "{:?}", groups[0]);
        // Where all wait alike, the machine is what it is.
        let mut play = Play::new(&["a", "b", "c"]);
        play.pairs(90, |_| (50, 0, 25));
        assert_eq!(play.outliers(), [""; 0]);
    }

    #[test]
    fn all_workers_with_a_model_of_processor_are_one_group() {
        let mut play = Play::new(&["a", "b", "c", "d", "e", "f"]);
        for (worker, model) in [("a", "X"), ("b", "X"), ("c", "Y"), ("d", "Y"), ("e", "Z"), ("f", "Z")] {
            play.watched.processors.insert(format!("id-{worker}"), model.into());
        }
        play.pairs(6 * 60, |worker| (if "cd".contains(worker) { 97 } else { 50 }, 0, 1));
        let found = play.outliers();
        let of_model = play.watched.groups().into_iter().find(|group| group.name == "Y").unwrap();
        assert!(of_model.is_processor && of_model.pairs == 120, "{of_model:?}");
        assert_eq!(found, ["id-c", "id-d"], "{:?}", play.watched.groups());
    }
}
