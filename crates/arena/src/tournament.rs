//! Many games on many threads: workers play, one collector writes and counts. A finished game is in the output files
//! and in the journal before anybody hears of it.

use crate::play::NoGame;
use crate::{
    Adjudication, Allowance, Conditions, Contestant, Dialogue, Fault, FaultKind, Fixture, Journal, JournalError,
    Opening, Output, Played, Schedule, Standing, Used, expected_time, play_game,
};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tesuji_game::{By, Outcome, Random, Side};
use tesuji_jobs::Interrupt;
use tesuji_record::{AnyGame, GameRecord, RecordError};
use tesuji_stats::{Ahead, Decision, Durations, Sprt, StopWidth, TimeLeft, time_left};

/// Makes a contestant for one worker; the flag stops its waiting.
pub type Maker = Box<dyn Fn(&Interrupt) -> Result<Box<dyn Contestant>, Fault> + Send + Sync>;

/// One who takes part.
pub struct Entrant {
    /// The name in tables and records.
    pub name: String,
    /// What it may use.
    pub allowance: Allowance,
    /// Makes it.
    pub make: Maker,
}

/// What is played.
pub struct Plan<'a> {
    /// The rules' door.
    pub game: &'a dyn AnyGame,
    /// The rules; empty: the usual ones.
    pub rules: String,
    /// Who plays.
    pub entrants: Vec<Entrant>,
    /// Who meets whom, when.
    pub schedule: Schedule,
    /// What the games start from; the schedule's indices point here.
    pub openings: Vec<Opening>,
    /// Who ends games early.
    pub adjudication: Adjudication,
    /// Ends the match early; looks at the first pairing.
    pub sprt: Option<Sprt>,
    /// Ends the match when the interval of every pairing is so narrow.
    pub stop_width: Option<StopWidth>,
    /// Games at a time.
    pub jobs: usize,
    /// The tags that name the players in records, first side first: `["White", "Black"]`.
    pub side_tags: [&'static str; 2],
    /// More tags of every record.
    pub tags: Vec<(String, String)>,
    /// Where the dialogue of each game is written, to a file of its number.
    pub dialogues: Option<PathBuf>,
}

/// A game that was played to its end, without its record.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Its number in the schedule.
    pub game: u64,
    /// Who won, and by what.
    pub outcome: Outcome,
    /// What went wrong with which side, where that decided the game.
    pub fault: Option<(Side, Fault)>,
    /// Moves, opening included.
    pub plies: u32,
    /// How long it took.
    pub duration: Duration,
    /// What each side used.
    pub used: [Used; 2],
    /// The moves.
    pub moves: Vec<String>,
}

/// What a watcher is told.
pub enum News<'a> {
    /// Nothing new; told about five times a second.
    Tick,
    /// A game was played, written and counted.
    Game(&'a Finished),
    /// An entrant did wrong without consequence for a game, such as ignoring `quit`: its index and what it did.
    Warning(usize, &'a Fault),
}

/// Why a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// All games are played.
    Complete,
    /// The test has decided.
    Decided(Decision),
    /// The interval is as narrow as was asked for.
    Narrow,
    /// It was stopped; it can go on later.
    Stopped,
}

/// Why a match could not go on. What was played is safe.
#[derive(Debug)]
#[non_exhaustive]
pub enum MatchError {
    /// An entrant cannot be started at all: its name and fault.
    Entrant(String, Fault),
    /// The journal failed.
    Journal(JournalError),
    /// An output file failed.
    Output(RecordError),
    /// An opening cannot be played: its index and what is wrong.
    Opening(usize, tesuji_game::NotationError),
}

impl std::fmt::Display for MatchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MatchError::Entrant(name, fault) => {
                write!(f, "{name} does not work: {}", fault.detail)?;
                fault.last_lines.iter().try_for_each(|line| write!(f, "\n  {line}"))
            }
            MatchError::Journal(error) => error.fmt(f),
            MatchError::Output(error) => write!(f, "output: {error}"),
            MatchError::Opening(index, error) => write!(f, "opening {}: {error}", index + 1),
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
pub struct Match<'a> {
    plan: &'a Plan<'a>,
    standing: Standing,
    done: HashSet<u64>,
    durations: Durations,
    running: Mutex<HashMap<u64, Instant>>,
    random: Random,
}

/// Between two ticks of a watcher.
const TICK: Duration = Duration::from_millis(200);

impl<'a> Match<'a> {
    /// A match with what its journal remembers counted already.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn new(plan: &'a Plan<'a>, journal: &Journal) -> Result<Match<'a>, JournalError> {
        let mut match_ = Match {
            plan,
            standing: Standing::new(&plan.schedule, plan.entrants.len()),
            done: HashSet::new(),
            durations: expectation(plan),
            running: Mutex::new(HashMap::new()),
            random: Random::new(0),
        };
        for finished in journal.games()?.iter().filter(|f| f.game < plan.schedule.games()) {
            match_.count(finished);
        }
        Ok(match_)
    }

    /// How it stands.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// What the test says, if there is one.
    pub fn decision(&self) -> Option<(f64, Decision)> {
        let sprt = self.plan.sprt.as_ref()?;
        let llr = self.standing.llr(sprt);
        Some((llr, sprt.decide(llr)))
    }

    /// How long games took so far.
    pub fn durations(&self) -> &Durations {
        &self.durations
    }

    /// Time until all games are played, or until the test decides; `None` as long as nothing is known.
    pub fn left(&mut self) -> Option<TimeLeft> {
        let now = Instant::now();
        let ages: Vec<Duration> = self.lock_running().values().map(|&began| now.duration_since(began)).collect();
        let open = self.plan.schedule.games() - self.done.len() as u64;
        let waiting = open.saturating_sub(ages.len() as u64);
        let walk = self.plan.sprt.as_ref().and_then(|sprt| self.standing.walk(sprt));
        let ahead = walk.as_ref().map_or(Ahead::Games(waiting), |walk| Ahead::Test(walk, waiting));
        let random = &mut self.random;
        time_left(&self.durations, &ages, ahead, self.plan.jobs, &mut || random.unit())
    }

    fn lock_running(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Instant>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&mut self, finished: &Finished) {
        self.done.insert(finished.game);
        self.durations.add(finished.duration, finished.plies);
        self.standing.add(&self.plan.schedule, finished);
    }

    /// Plays until all games are played, the test decides, or `interrupt` is raised. Games in play are broken off then;
    /// they are played again when the match goes on.
    ///
    /// # Errors
    /// When an entrant cannot be started at all, an opening cannot be played, or nothing can be written any more.
    pub fn run(
        &mut self,
        journal: &mut Journal,
        outputs: &mut [Output],
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(&mut Match<'a>, News<'_>),
    ) -> Result<End, MatchError> {
        if let Some(end) = self.end(interrupt) {
            return Ok(end);
        }
        for entrant in &self.plan.entrants {
            let mut first = (entrant.make)(interrupt).map_err(|f| MatchError::Entrant(entrant.name.clone(), f))?;
            first.quit();
        }
        let halt = Interrupt::new();
        let plan = self.plan;
        let open: Vec<u64> = (0..plan.schedule.games()).filter(|g| !self.done.contains(g)).collect();
        let queue = Mutex::new(open.into_iter());
        let (sender, results) = channel();
        let end = std::thread::scope(|scope| {
            for _ in 0..plan.jobs.max(1) {
                let (sender, queue, halt) = (sender.clone(), &queue, &halt);
                scope.spawn(move || Worker { plan, halt, sender, seats: HashMap::new() }.work(queue));
            }
            drop(sender);
            let end = self.collect(&results, journal, outputs, interrupt, &halt, tell);
            halt.raise();
            end
        });
        // Engines quit after the last game.
        while let Ok(sent) = results.try_recv() {
            if let Sent::Warned(player, fault) = sent {
                tell(self, News::Warning(player, &fault));
            }
        }
        end
    }

    /// Takes what workers send until it is over.
    fn collect(
        &mut self,
        results: &Receiver<Sent>,
        journal: &mut Journal,
        outputs: &mut [Output],
        interrupt: &Interrupt,
        halt: &Interrupt,
        tell: &mut dyn FnMut(&mut Match<'a>, News<'_>),
    ) -> Result<End, MatchError> {
        let mut ticked = Instant::now();
        loop {
            match results.recv_timeout(TICK) {
                Ok(Sent::Began(game)) => {
                    self.lock_running().insert(game, Instant::now());
                }
                Ok(Sent::Ended(fixture, played, duration)) => {
                    self.lock_running().remove(&fixture.game);
                    let finished = self.write(&fixture, *played, duration, journal, outputs)?;
                    self.count(&finished);
                    tell(self, News::Game(&finished));
                }
                Ok(Sent::Warned(player, fault)) => tell(self, News::Warning(player, &fault)),
                Ok(Sent::BadOpening(index, error)) => return Err(MatchError::Opening(index, error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(self.end(interrupt).unwrap_or(End::Stopped)),
            }
            if let Some(end) = self.end(interrupt) {
                halt.raise();
                return Ok(end);
            }
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                tell(self, News::Tick);
            }
        }
    }

    /// Whether it is over.
    fn end(&self, interrupt: &Interrupt) -> Option<End> {
        match self.decision() {
            Some((_, decision)) if decision != Decision::Continue => return Some(End::Decided(decision)),
            _ => {}
        }
        if self.done.len() as u64 == self.plan.schedule.games() {
            return Some(End::Complete);
        }
        let is_narrow = |stop: &StopWidth| self.standing.pairings().iter().all(|p| stop.is_reached(&p.pairs));
        if self.plan.stop_width.as_ref().is_some_and(is_narrow) {
            return Some(End::Narrow);
        }
        interrupt.is_raised().then_some(End::Stopped)
    }

    /// Writes a game into the output files, then into the journal with their lengths.
    fn write(
        &self,
        fixture: &Fixture,
        played: Played,
        duration: Duration,
        journal: &mut Journal,
        outputs: &mut [Output],
    ) -> Result<Finished, MatchError> {
        let Played { mut record, outcome, fault, plies, used } = played;
        let moves = record.main_line();
        if !outputs.is_empty() {
            self.tag(&mut record, fixture, fault.as_ref());
            for output in outputs.iter_mut() {
                output.write(&record)?;
            }
        }
        let lengths = outputs.iter().map(Output::length).collect::<Result<Vec<_>, _>>()?;
        let finished = Finished { game: fixture.game, outcome, fault, plies, duration, used, moves };
        journal.add(&finished, &lengths)?;
        Ok(finished)
    }

    /// Names, round and time controls; a fault in words behind the last move.
    fn tag(&self, record: &mut GameRecord<String>, fixture: &Fixture, fault: Option<&(Side, Fault)>) {
        let plan = self.plan;
        for (name, value) in &plan.tags {
            record.set_tag(name, value);
        }
        record.set_tag("Round", format!("{}.{}", fixture.round + 1, fixture.game + 1));
        let [first, second] = fixture.players.map(|p| &plan.entrants[p]);
        for (tag, entrant) in plan.side_tags.iter().zip([first, second]) {
            record.set_tag(tag, &entrant.name);
        }
        let [a, b] = [first, second].map(|e| e.allowance.to_string());
        record.set_tag("TimeControl", &if a == b { a } else { format!("{a} against {b}") });
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

/// How long games should take, before any is played.
fn expectation(plan: &Plan<'_>) -> Durations {
    let Some(plies) = plan.game.plies_usual() else { return Durations::default() };
    let times: Option<Vec<Duration>> =
        plan.entrants.iter().map(|e| expected_time([&e.allowance, &e.allowance], plies)).collect();
    let durations = Durations::of_usual(plies);
    match times.filter(|t| !t.is_empty()) {
        Some(times) => durations.expect(times.iter().sum::<Duration>() / times.len() as u32),
        None => durations,
    }
}

/// What workers tell the collector.
enum Sent {
    /// A game begins.
    Began(u64),
    /// A game was played.
    Ended(Fixture, Box<Played>, Duration),
    /// A contestant of this entrant did wrong outside its games.
    Warned(usize, Fault),
    /// An opening cannot be played.
    BadOpening(usize, tesuji_game::NotationError),
}

/// One thread that plays games.
struct Worker<'a> {
    plan: &'a Plan<'a>,
    halt: &'a Interrupt,
    sender: Sender<Sent>,
    seats: HashMap<usize, Box<dyn Contestant>>,
}

impl Worker<'_> {
    /// Plays games from the queue until there are none or the match is halted.
    fn work(mut self, queue: &Mutex<impl Iterator<Item = u64>>) {
        while !self.halt.is_raised() {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(game) = next else { break };
            let fixture = self.plan.schedule.fixture(game);
            let began = Instant::now();
            if self.sender.send(Sent::Began(game)).is_err() {
                break;
            }
            let sent = match self.play(&fixture) {
                Ok(played) => Sent::Ended(fixture, Box::new(played), began.elapsed()),
                Err(NoGame::Stopped) => break,
                Err(NoGame::Opening(error)) => Sent::BadOpening(fixture.opening, error),
            };
            if self.sender.send(sent).is_err() {
                break;
            }
        }
        for (player, mut seat) in std::mem::take(&mut self.seats) {
            self.dismiss(player, seat.as_mut());
        }
    }

    /// Ends a contestant, and tells if it does not want to.
    fn dismiss(&self, player: usize, seat: &mut dyn Contestant) {
        if let Some(fault) = seat.quit() {
            let _ = self.sender.send(Sent::Warned(player, fault));
        }
    }

    /// Where the dialogue of a game goes, if it is kept.
    fn dialogue(&self, fixture: &Fixture) -> Option<Dialogue> {
        let folder = self.plan.dialogues.as_ref()?;
        let path = folder.join(format!("game-{:06}.log", fixture.game + 1));
        Dialogue::create(&path).inspect_err(|e| tracing::warn!("{}: {e}", path.display())).ok()
    }

    /// Plays one game; contestants that broke are made anew at their next one.
    fn play(&mut self, fixture: &Fixture) -> Result<Played, NoGame> {
        let plan = self.plan;
        let opening = &plan.openings[fixture.opening];
        let mut seats = Vec::with_capacity(2);
        for side in Side::ALL {
            let player = fixture.players[side.index()];
            let seat = match self.seats.remove(&player) {
                Some(seat) => Ok(seat),
                None => (plan.entrants[player].make)(self.halt),
            };
            match seat {
                Ok(seat) => seats.push(seat),
                Err(fault) if fault.kind == FaultKind::Stopped => return Err(NoGame::Stopped),
                Err(fault) => {
                    // The other one stays seated for the next game.
                    if let Some(seat) = seats.pop() {
                        self.seats.insert(fixture.players[0], seat);
                    }
                    return Ok(absent(&plan.rules, opening, side, fault));
                }
            }
        }
        let conditions = Conditions {
            rules: plan.rules.clone(),
            allowances: fixture.players.map(|p| plan.entrants[p].allowance.clone()),
            adjudication: plan.adjudication,
        };
        if let Some(dialogue) = self.dialogue(fixture) {
            seats.iter_mut().for_each(|seat| seat.log_to(Some(dialogue.clone())));
        }
        let result = match seats.as_mut_slice() {
            [first, second] => {
                let both: [&mut dyn Contestant; 2] = [first.as_mut(), second.as_mut()];
                play_game(plan.game, opening, both, &conditions, self.halt.flag())
            }
            _ => return Err(NoGame::Stopped),
        };
        let broken = match &result {
            Ok(played) => played.fault.as_ref().filter(|(_, f)| f.kind.breaks()).map(|(side, _)| side.index()),
            Err(_) => None,
        };
        for (index, mut seat) in seats.into_iter().enumerate() {
            seat.log_to(None);
            if broken == Some(index) {
                continue;
            }
            match seat.is_spent() {
                true => self.dismiss(fixture.players[index], seat.as_mut()),
                false => drop(self.seats.insert(fixture.players[index], seat)),
            }
        }
        result
    }
}

/// A game whose `side` did not come.
fn absent(rules: &str, opening: &Opening, side: Side, fault: Fault) -> Played {
    let outcome = Outcome::win(!side, By::Disconnect);
    let mut record = GameRecord::from_moves(rules, opening.start.as_deref(), opening.moves.iter().cloned());
    record.outcome = Some(outcome);
    let plies = opening.moves.len() as u32;
    Played { record, outcome, fault: Some((side, fault)), plies, used: [Used::default(); 2] }
}
