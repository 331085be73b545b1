//! Many games on many threads: workers play, one collector writes and counts. A finished game is in the journal and in the
//! output files before anybody hears of it.

use crate::calendar::time_text;
use crate::worker::{GameQueue, Sent, Times, Worker};
use crate::{
    Entrant, Fault, FaultKind, Finished, Fixture, Journal, JournalError, Live, MatchPlan, Output, Played, Schedule,
    Standing, expected_time,
};
use std::collections::{BTreeMap, HashSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use tesuji_game::{Random, Side};
use tesuji_jobs::{Interrupt, job_control};
use tesuji_record::{GameRecord, RecordError};
use tesuji_stats::{Ahead, Decision, Durations, InPlay, TimeLeft, time_left};

/// Progress of a match.
pub enum MatchNews<'a> {
    /// Nothing new; told about five times a second.
    Tick,
    /// A game was played, written and counted.
    Game(&'a Finished),
    /// Nothing new begins, as this process was asked to finish: it ends after this many games in play.
    Finishing(usize),
    /// An entrant did wrong without consequence for a game, such as ignoring `quit`: its index and what it did; or the
    /// referee, which has no index.
    Warning(Option<usize>, &'a Fault),
}

/// The reason for the end of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchEnd {
    /// All games are played.
    Complete,
    /// The test has decided.
    Decided(Decision),
    /// The interval is as narrow as was asked for.
    Narrow,
    /// It was stopped; it can go on later.
    Stopped,
}

/// An error that ends a match. Games already played are safe.
#[derive(Debug)]
#[non_exhaustive]
pub enum MatchError {
    /// An entrant cannot be started at all: its name and fault.
    Entrant(String, Fault),
    /// An entrant lost its evaluator in a game, which is void and is played again when the match goes on: its name and fault.
    Evaluator(String, Fault),
    /// The journal failed.
    Journal(JournalError),
    /// An output file failed.
    Output(RecordError),
    /// An opening cannot be played: its index and what is wrong.
    Opening(usize, tesuji_game::NotationError),
    /// The system gives no thread to play on.
    Thread(std::io::Error),
    /// The fleet carries nothing more.
    Fleet(std::io::Error),
    /// Games that no worker could play: how many, and why not, in the words of a worker.
    Workers(u64, String),
}

impl std::fmt::Display for MatchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MatchError::Entrant(_, fault) if fault.kind == FaultKind::Stopped => {
                f.write_str("the match was stopped while its engines started")
            }
            MatchError::Entrant(name, fault) => {
                write!(f, "{name} does not work: {}", fault.detail)?;
                fault.last_lines.iter().try_for_each(|line| write!(f, "\n  {line}"))
            }
            MatchError::Evaluator(name, fault) => {
                write!(
                    f,
                    "{name} lost its evaluator: {}\n  The game is void; what was played before is kept. ",
                    fault.detail
                )?;
                write!(f, "When the evaluator answers again, go on with --resume.")
            }
            MatchError::Journal(error) => error.fmt(f),
            MatchError::Output(error) => write!(f, "output: {error}"),
            MatchError::Opening(index, error) => write!(f, "opening {}: {error}", index + 1),
            MatchError::Fleet(error) => write!(f, "{error}"),
            MatchError::Workers(games, words) => {
                let noun = if *games == 1 { "game" } else { "games" };
                write!(f, "no worker could play {games} {noun}: {words}\n  What was played is kept. ")?;
                write!(f, "When the workers can, go on with --resume.")
            }
            MatchError::Thread(error) => write!(f, "the system gives no thread to play on: {error}"),
        }
    }
}

impl std::error::Error for MatchError {}

impl From<JournalError> for MatchError {
    fn from(error: JournalError) -> MatchError {
        MatchError::Journal(error)
    }
}

impl From<RecordError> for MatchError {
    fn from(error: RecordError) -> MatchError {
        MatchError::Output(error)
    }
}

/// A match being played.
///
/// # Examples
///
/// Two players that drop into one column each; the first to have four discs there wins:
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::{
///     Adjudication, Allowance, Book, Contestant, Entrant, Fault, Format, Journal, Match, MatchEnd, MatchPlan, Opening,
///     Schedule, Sides, Thought, Turn,
/// };
/// use tesuji_game::Choice;
/// use tesuji_jobs::Interrupt;
/// use tesuji_record::{Of, of};
/// use tesuji_testkit::four::Four;
/// struct Stacker(&'static str);
/// impl Contestant for Stacker {
///     fn name(&self) -> &str {
///         "stacker"
///     }
///     fn new_game(&mut self, _rules: &str) -> Result<(), Fault> {
///         Ok(())
///     }
///     fn think(&mut self, _turn: &Turn<'_>) -> Result<Thought, Fault> {
///         Ok(Thought::new(Choice::Play(self.0.to_string()), Duration::ZERO))
///     }
/// }
///
/// static FOUR: Of<Four> = of(&[]);
/// let entrant = |column: &'static str| Entrant {
///     name: format!("column {column}"),
///     origin: None,
///     allowance: Allowance::of_nodes(1),
///     make: Box::new(move |_| Ok(Box::new(Stacker(column)))),
/// };
/// let plan = MatchPlan {
///     game: &FOUR,
///     rules: String::new(),
///     entrants: vec![entrant("1"), entrant("2")],
///     schedule: Schedule::new(2, Format::RoundRobin, 2, 1, Sides::Swap),
///     openings: [Opening::default()].iter().collect::<Book>(),
///     adjudication: Adjudication::default(),
///     referee: None,
///     sprt: None,
///     stop_width: None,
///     jobs: 1,
///     side_tags: ["Red", "Yellow"],
///     tags: Vec::new(),
///     dialogues: None,
/// };
/// let mut journal = Journal::in_memory()?;
/// let mut running = Match::new(&plan, &journal)?;
/// let end = running.run(&mut journal, &mut [], &Interrupt::new(), &mut |_, _| ())?;
/// assert_eq!(end, MatchEnd::Complete);
/// // Who moves first wins.
/// let games = running.standing().pairings()[0].games;
/// assert_eq!((games.wins, games.losses), (1, 1));
/// // A match that is begun again from its journal has nothing left to play.
/// assert!(!Match::new(&plan, &journal)?.is_open(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Match<'a> {
    pub(crate) plan: &'a MatchPlan<'a>,
    pub(crate) schedule: Schedule,
    standing: Standing,
    pub(crate) done: HashSet<u64>,
    durations: Durations,
    running: BTreeMap<u64, Live>,
    /// Games by the workers of a fleet that played them.
    pub(crate) workers: BTreeMap<String, u64>,
    random: Random,
    /// Whether every engine has started once.
    has_started: bool,
}

/// Games of each worker that may wait to be written.
const UNWRITTEN_MAX: usize = 16;
/// Between two ticks of a watcher.
pub(crate) const TICK: Duration = Duration::from_millis(200);

impl<'a> Match<'a> {
    /// A match with what its journal remembers counted already.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn new(plan: &'a MatchPlan<'a>, journal: &Journal) -> Result<Match<'a>, JournalError> {
        let mut match_ = Match {
            plan,
            standing: Standing::new(&plan.schedule, plan.entrants.len()),
            schedule: plan.schedule.clone(),
            done: HashSet::new(),
            durations: expectation(plan),
            running: BTreeMap::new(),
            workers: BTreeMap::new(),
            random: Random::new(0),
            has_started: false,
        };
        match_.count_journal(journal)?;
        Ok(match_)
    }

    fn count_journal(&mut self, journal: &Journal) -> Result<(), JournalError> {
        journal.for_each_game(|finished| {
            if self.schedule.has(finished.game) {
                self.count(&finished);
            }
        })
    }

    /// Counts again from the beginning: the journal lost games that were set aside.
    pub(crate) fn count_again(&mut self, journal: &Journal) -> Result<(), JournalError> {
        self.standing = Standing::new(&self.plan.schedule, self.plan.entrants.len());
        self.schedule = self.plan.schedule.clone();
        self.done.clear();
        self.durations = expectation(self.plan);
        self.count_journal(journal)
    }

    /// Whether the game of this number, from 0, belongs to the match and is not known to be played.
    pub fn is_open(&self, game: u64) -> bool {
        self.schedule.has(game) && !self.done.contains(&game)
    }

    /// The schedule, with all known results entered.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The plan of the match.
    pub fn plan(&self) -> &'a MatchPlan<'a> {
        self.plan
    }

    /// The games in play, the oldest first.
    pub fn live(&self) -> impl Iterator<Item = &Live> {
        self.running.values()
    }

    /// The workers of a fleet that have played in this run, with the number of their games.
    pub fn workers(&self) -> &BTreeMap<String, u64> {
        &self.workers
    }

    /// The score so far.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The log-likelihood ratio and decision of the test, if there is one.
    pub fn decision(&self) -> Option<(f64, Decision)> {
        let sprt = self.plan.sprt.as_ref()?;
        let llr = self.standing.llr(sprt);
        Some((llr, sprt.decide(llr)))
    }

    /// The durations of the games so far.
    pub fn durations(&self) -> &Durations {
        &self.durations
    }

    /// Time until all games are played, or until the test decides; `None` as long as nothing is known.
    pub fn left(&mut self) -> Option<TimeLeft> {
        let now = Instant::now();
        let in_play = |live: &Live| InPlay { age: now.duration_since(live.began), plies: live.plies_made() };
        let playing: Vec<InPlay> = self.running.values().map(in_play).collect();
        let open = self.schedule.games() - self.done.len() as u64;
        let waiting = open.saturating_sub(playing.len() as u64);
        let walk = self.plan.sprt.as_ref().and_then(|sprt| self.standing.walk(sprt));
        let ahead = walk.as_ref().map_or(Ahead::Games(waiting), |walk| Ahead::Test(walk, waiting));
        let random = &mut self.random;
        time_left(&self.durations, &playing, ahead, self.plan.jobs, &mut || random.unit())
    }

    /// Counts a game; returns the games that follow from its result.
    pub(crate) fn count(&mut self, finished: &Finished) -> Vec<u64> {
        self.done.insert(finished.game);
        let opening = self.plan.openings.get(self.schedule.fixture(finished.game).opening).unwrap_or_default();
        self.durations.add(finished.duration, finished.plies.saturating_sub(opening.moves.len() as u32));
        self.standing.add(&self.schedule, finished);
        self.schedule.take(finished.game, finished.outcome.score(Side::First))
    }

    /// Starts every engine once, and ends it: what does not work is known before any file changes. Does so only the first
    /// time; [`Match::run`] does it otherwise.
    ///
    /// # Errors
    /// When one cannot be started.
    pub fn start_engines(&mut self, interrupt: &Interrupt) -> Result<(), MatchError> {
        if std::mem::replace(&mut self.has_started, true) {
            return Ok(());
        }
        for entrant in &self.plan.entrants {
            let mut first = (entrant.make)(interrupt).map_err(|f| MatchError::Entrant(entrant.name.clone(), f))?;
            first.quit();
        }
        if let Some(make) = &self.plan.referee {
            let referee = make(interrupt).map_err(|f| MatchError::Entrant("the referee".to_string(), f));
            referee?.dismiss();
        }
        Ok(())
    }

    /// Plays until all games are played, the test decides, or `interrupt` is raised. Games in play are broken off then;
    /// they are played again when the match goes on. Where the process is asked to [finish](job_control::is_finishing), they are played to
    /// their ends and none begins.
    ///
    /// # Errors
    /// When an entrant cannot be started at all, an opening cannot be played, or nothing can be written any more.
    pub fn run(
        &mut self,
        journal: &mut Journal,
        outputs: &mut [Output],
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(&mut Match<'a>, MatchNews<'_>),
    ) -> Result<MatchEnd, MatchError> {
        if let Some(end) = self.end(interrupt) {
            return Ok(end);
        }
        self.start_engines(interrupt)?;
        let halt = Interrupt::new();
        let plan = self.plan;
        let (schedule, done) = (self.schedule.clone(), self.done.clone());
        let open = self.schedule.open().filter(move |game| !done.contains(game));
        let queue = GameQueue::new(open.map(move |game| schedule.fixture(game)), self.schedule.follows_results());
        // More workers than games would have nothing to do.
        let open = usize::try_from(self.schedule.games() - self.done.len() as u64).unwrap_or(usize::MAX);
        let workers = plan.jobs.min(open).max(1);
        // Workers wait when the disk is slower than they are: games that are not written yet must not pile up.
        let (sender, results) = sync_channel(workers.saturating_mul(UNWRITTEN_MAX));
        let end = std::thread::scope(|scope| {
            for begun in 0..workers {
                let (sender, queue, halt) = (sender.clone(), &queue, &halt);
                let worker = std::thread::Builder::new().name("match".to_string());
                let worker = worker.spawn_scoped(scope, move || Worker::new(plan, halt, sender).work(queue));
                match worker {
                    Ok(_) => {}
                    Err(error) if begun == 0 => return Err(MatchError::Thread(error)),
                    Err(error) => {
                        tracing::warn!("{begun} games at a time instead of {workers}: no further thread: {error}");
                        break;
                    }
                }
            }
            drop(sender);
            let end = self.collect(&results, &queue, (journal, outputs), interrupt, tell);
            halt.raise();
            queue.close();
            // Engines quit after the last game; what is heard until then keeps nobody waiting.
            for sent in results.iter() {
                if let Sent::Warned(player, fault) = sent {
                    tell(self, MatchNews::Warning(player, &fault));
                }
            }
            end
        });
        self.running.clear();
        end
    }

    /// Takes what workers send until it is over.
    fn collect(
        &mut self,
        results: &Receiver<Sent>,
        queue: &GameQueue,
        (journal, outputs): (&mut Journal, &mut [Output]),
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(&mut Match<'a>, MatchNews<'_>),
    ) -> Result<MatchEnd, MatchError> {
        let (mut ticked, mut is_finishing) = (Instant::now(), false);
        loop {
            match results.recv_timeout(TICK) {
                Ok(Sent::Began(live)) => drop(self.running.insert(live.fixture.game, live)),
                Ok(Sent::Ended(fixture, played, times)) => {
                    self.running.remove(&fixture.game);
                    let finished = self.write(&fixture, *played, times, journal, outputs)?;
                    let next = self.count(&finished);
                    queue.add(self.fixtures(next));
                    tell(self, MatchNews::Game(&finished));
                }
                Ok(Sent::Warned(player, fault)) => tell(self, MatchNews::Warning(player, &fault)),
                Ok(Sent::Void(player, fault)) => {
                    return Err(MatchError::Evaluator(self.plan.entrants[player].name.clone(), fault));
                }
                Ok(Sent::BadOpening(index, error)) => return Err(MatchError::Opening(index, error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(self.end(interrupt).unwrap_or(MatchEnd::Stopped)),
            }
            if let Some(end) = self.end(interrupt) {
                return Ok(end);
            }
            if job_control::is_finishing() && !is_finishing {
                is_finishing = true;
                queue.close();
                tell(self, MatchNews::Finishing(self.running.len()));
            }
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                tell(self, MatchNews::Tick);
            }
        }
    }

    /// The fixtures of games that are not played yet.
    pub(crate) fn fixtures(&self, games: Vec<u64>) -> Vec<Fixture> {
        games.into_iter().filter(|g| !self.done.contains(g)).map(|g| self.schedule.fixture(g)).collect()
    }

    /// Whether it is over.
    pub(crate) fn end(&self, interrupt: &Interrupt) -> Option<MatchEnd> {
        match self.decision() {
            Some((_, decision)) if decision != Decision::Continue => return Some(MatchEnd::Decided(decision)),
            _ => {}
        }
        if self.done.len() as u64 == self.schedule.games() {
            return Some(MatchEnd::Complete);
        }
        if self.plan.stop_width.as_ref().is_some_and(|stop| self.standing.is_narrow(stop)) {
            return Some(MatchEnd::Narrow);
        }
        interrupt.is_raised().then_some(MatchEnd::Stopped)
    }

    /// Writes a game into the journal, with its bytes in the output files, then into these. Killed in between, the files
    /// get these bytes when the match goes on.
    pub(crate) fn write(
        &self,
        fixture: &Fixture,
        played: Played,
        times: Times,
        journal: &mut Journal,
        outputs: &mut [Output],
    ) -> Result<Finished, MatchError> {
        let Played { mut record, outcome, fault, plies, used, .. } = played;
        let moves = record.main_line();
        let values = record.main_nodes().into_iter().map(|node| record.note(node).value).collect();
        if !outputs.is_empty() {
            self.tag(&mut record, fixture, &times, fault.as_ref());
        }
        let tails = outputs.iter_mut().map(|output| output.render(&record)).collect::<Result<Vec<_>, _>>()?;
        let (game, duration) = (fixture.game, times.duration);
        let finished = Finished { game, outcome, fault, plies, duration, used, moves, values };
        journal.add_of(&finished, &tails, times.origin.as_ref())?;
        outputs.iter_mut().zip(&tails).try_for_each(|(output, tail)| output.append(tail))?;
        Ok(finished)
    }

    /// Names, round, time controls and times; a fault in words behind the last move.
    fn tag(&self, record: &mut GameRecord<String>, fixture: &Fixture, times: &Times, fault: Option<&(Side, Fault)>) {
        let plan = self.plan;
        for (name, value) in &plan.tags {
            record.set_tag(name, value);
        }
        record.set_tag("Round", format!("{}.{}", fixture.round + 1, fixture.game + 1));
        let [first, second] = fixture.players.map(|p| &plan.entrants[p]);
        for (tag, entrant) in plan.side_tags.iter().zip([first, second]) {
            record.set_tag(tag, &entrant.name);
        }
        if let Some(origin) = origin([first, second]) {
            record.set_tag("Origin", origin);
        }
        let [a, b] = [first.allowance.of(Side::First), second.allowance.of(Side::Second)].map(|one| one.to_string());
        if a == b {
            record.set_tag("TimeControl", &a);
        } else {
            for (tag, control) in plan.side_tags.iter().zip([a, b]) {
                record.set_tag(&format!("{tag}TimeControl"), control);
            }
        }
        record.set_tag("GameStartTime", time_text(times.began));
        record.set_tag("GameEndTime", time_text(times.began + times.duration));
        let seconds = times.duration.as_secs();
        record.set_tag("GameDuration", format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60));
        record.set_tag("PlyCount", record.main_line().len().to_string());
        if let Some((side, fault)) = fault {
            let name = &[first, second][side.index()].name;
            let last = record.last();
            let comment = &mut record.note_mut(last).comment;
            if !comment.is_empty() {
                comment.push(' ');
            }
            *comment += &format!("{name}: {fault}");
        }
    }
}

/// The tag `Origin` of a game between two players, the first player's origin first; `None` where neither has one.
fn origin([first, second]: [&Entrant; 2]) -> Option<String> {
    let named = |entrant: &Entrant| entrant.origin.clone().unwrap_or_else(|| entrant.name.clone());
    match (&first.origin, &second.origin) {
        (None, None) => None,
        (Some(first), Some(second)) if first == second => Some(first.clone()),
        (Some(first), Some(second)) => Some(format!("{first} against {second}")),
        _ => Some(format!("match of {} and {}", named(first), named(second))),
    }
}

/// Openings that tell how many plies openings have.
const OPENINGS_LOOKED_AT: usize = 64;

/// The expected durations of games, before any is played.
fn expectation(plan: &MatchPlan<'_>) -> Durations {
    let Some(plies) = plan.game.plies_usual() else { return Durations::default() };
    let given: usize = plan.openings.iter().take(OPENINGS_LOOKED_AT).map(|opening| opening.moves.len()).sum();
    let given = given as f64 / plan.openings.len().clamp(1, OPENINGS_LOOKED_AT) as f64;
    let plies = (plies - given).max(1.0);
    let times: Option<Vec<Duration>> =
        plan.entrants.iter().map(|e| expected_time([&e.allowance, &e.allowance], plies)).collect();
    let durations = Durations::of_usual(plies);
    match times.filter(|t| !t.is_empty()) {
        Some(times) => durations.expect(times.iter().sum::<Duration>() / times.len() as u32),
        None => durations,
    }
}
