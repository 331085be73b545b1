//! Round after round: self-play, rows, learning, a match of new against old, adopt or not; at the end a verdict. Every
//! round has a folder with everything that made it, and a run that was stopped goes on where it was.

mod begin;
mod engine;
mod learner;
mod nets;
mod nnue;
mod request;
mod state;
mod study;
mod tallied;
mod training;

use crate::{CircleError, DropRules, Duel, DuelStanding, Openings, Played, SelfplayPlan, duel};
pub(crate) use begin::full_rules;
pub use begin::{Learns, Run};
pub use engine::EngineLearner;
pub use learner::{Changes, Learner, NnueChange, StrengthChange, StrengthChanges, UsualSettings, WeightChanges};
pub use nets::NetLearner;
pub use nnue::NnueLearner;
pub use request::ImproveRequest;
use state::spent;
pub use state::{
    CONFIRM_TIMES, EpochLoss, GamesPlayed, ImproveSettings, LearnedRound, Round, RunVerdict, Story, read_pairs,
};
pub(crate) use state::{load, save};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
pub use study::{Lesson, LessonNews, Study};
pub use tallied::{Tallied, WeightsLearner};
use tesuji_dataset::data::Stock;
use tesuji_jobs::{AtomicFile, Interrupt, LineJournal, units::SharedCarrier};
use tesuji_kit::Kit;
use tesuji_stats::{Decision, Pairs, Sprt};
pub use training::EngineTraining;

/// Rounds whose games are learned from: the present one and this many before it. Older engines played worse.
const ROUNDS_KEPT: u32 = 3;
/// Shares of a round's time for self-play and for the match; learning takes what is left. A match that stays open is
/// no loss: games to learn from are worth more.
const PLAY_SHARE: f64 = 0.80;
const MATCH_SHARE: f64 = 0.10;
/// The share for self-play where a test ends the match as soon as it is decided.
const PLAY_SHARE_TESTED: f64 = 0.60;
const MATCH_SHARE_TESTED: f64 = 0.30;
/// Share of the whole budget that is kept for the verdict, and for its confirmation where that is wanted.
const VERDICT_SHARE: f64 = 0.15;
const CONFIRM_SHARE: f64 = 0.25;

/// Progress of a run of `improve`.
#[derive(Debug)]
pub enum ImproveNews<'a> {
    /// A round begins: its number from 1, and how many are planned.
    Round(u32, u32),
    /// Games were played; the wanted number, if it is fixed.
    Games(&'a Played, Option<u64>),
    /// Something is being learned.
    Learning(LessonNews),
    /// The match goes on; `verdict` when it is the last one.
    Match {
        /// The score of the new weights.
        standing: &'a DuelStanding,
        /// The purpose of the match.
        match_: MatchOf,
    },
    /// A round ended.
    Decided(&'a Round),
}

/// The purpose of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchOf {
    /// Whether the new weights of a round are adopted.
    Round,
    /// The gain of the whole run.
    Verdict,
    /// The gain of the whole run with more nodes a move.
    Confirmation,
}

/// A match of two weights files of a run.
struct Contest<'a> {
    /// The challenger and the defender.
    weights: [&'a Path; 2],
    /// The folder whose `pairs.txt` keeps its pairs.
    folder: &'a Path,
    seed: u64,
    nodes: u64,
    pairs: Option<u64>,
    until: Option<Instant>,
    match_: MatchOf,
}

/// A run of `improve`: its game, its folder, and what it uses.
///
/// # Examples
///
/// A run that is stopped after its first games can go on:
///
/// ```
/// use tesuji_circle::improve::{Improve, ImproveEnd, ImproveRequest, Run, Story, WeightsLearner};
/// use tesuji_four::{FOUR, TUNING};
/// use tesuji_jobs::Interrupt;
/// let (learner, folder, stop) = (WeightsLearner(&TUNING), tempfile::tempdir()?, Interrupt::new());
/// let request = ImproveRequest {
///     game: "four".into(),
///     games: Some(2),
///     pairs: Some(2),
///     nodes: Some(50),
///     jobs: 1,
///     out: Some(folder.path().join("run")),
///     ..ImproveRequest::default()
/// };
/// let Run { folder, settings } = Run::begin(&FOUR, &learner, &request, "example 1.0")?;
/// let run = Improve { kit: &FOUR, study: &learner, starts: None, folder: &folder, settings, fleet: None, stop: &stop };
/// stop.raise();
/// assert!(matches!(run.run(&mut |_| ())?, ImproveEnd::Stopped));
/// let story = Story::load(&folder)?.expect("a run");
/// assert_eq!((story.settings, story.verdict), (run.settings, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Improve<'a> {
    /// The game.
    pub kit: &'a dyn Kit,
    /// The game's learning.
    pub study: &'a dyn Study,
    /// The positions that games begin with, opened from [`ImproveSettings::starts`]; none: the usual start.
    pub starts: Option<Arc<Stock>>,
    /// The folder of the run.
    pub folder: &'a Path,
    /// The settings. A resumed run takes those in its folder instead.
    pub settings: ImproveSettings,
    /// Reaches workers that play self-play and matches in place of threads, unless networks play.
    pub fleet: Option<SharedCarrier>,
    /// Raised to stop.
    pub stop: &'a Interrupt,
}

/// The end of a run.
#[derive(Debug)]
pub enum ImproveEnd {
    /// All rounds and the verdict were done.
    Done(RunVerdict),
    /// It was stopped; it can go on.
    Stopped,
}

impl Improve<'_> {
    /// Runs from the start weights in `folder`, `start` with the ending of the study, or goes on.
    ///
    /// # Errors
    /// When a file cannot be read or written, or a player fails. What was done is on disk.
    pub fn run(&self, tell: &mut (dyn FnMut(&ImproveNews<'_>) + Send)) -> Result<ImproveEnd, CircleError> {
        let began = Instant::now();
        let _alone = begin::alone(self.folder)?;
        let before = spent(self.folder)?;
        let clock = Clock { began, before, settings: &self.settings };
        let mut best = self.file("start");
        for number in 1..=self.settings.rounds {
            let file = self.round_folder(number).join("round.json");
            let mut round = load::<Round>(&file)?.unwrap_or_else(|| self.fresh_round(number, &best));
            round.check_files(&self.round_folder(number))?;
            if round.standing.is_none() {
                tell(&ImproveNews::Round(number, self.settings.rounds));
                let done = self.round(&mut round, &clock, tell)?;
                self.note_spent(&clock)?;
                if !done {
                    return Ok(ImproveEnd::Stopped);
                }
                tell(&ImproveNews::Decided(&round));
            }
            if round.adopted {
                best = format!("round-{number}/{}", self.file("weights"));
            }
        }
        let verdict = self.verdict(&self.folder.join(best), &clock, tell)?;
        self.note_spent(&clock)?;
        Ok(verdict.map_or(ImproveEnd::Stopped, ImproveEnd::Done))
    }

    /// The name of a file of weights.
    fn file(&self, name: &str) -> String {
        format!("{name}.{}", self.study.ending())
    }

    fn round_folder(&self, number: u32) -> PathBuf {
        self.folder.join(format!("round-{number}"))
    }

    /// The games of a round, in the game's own format.
    fn games_file(&self, number: u32) -> PathBuf {
        let format = self.kit.formats().first();
        let ending = format.and_then(|f| f.extensions().first().copied()).unwrap_or("games");
        self.round_folder(number).join(format!("games.{ending}"))
    }

    /// The openings of games.
    fn openings(&self, seed: u64) -> Openings {
        Openings { starts: self.starts.clone(), ..self.study.openings(&self.settings, seed) }
    }

    fn note_spent(&self, clock: &Clock<'_>) -> Result<(), CircleError> {
        save(&self.folder.join("spent.json"), &clock.spent().as_secs_f64())
    }

    fn fresh_round(&self, number: u32, best: &str) -> Round {
        let settings = &self.settings;
        Round {
            number,
            made_by: settings.made_by.clone(),
            weights: best.into(),
            seed: settings.seed ^ (u64::from(number) << 32),
            nodes: settings.nodes,
            games: None,
            learned: None,
            standing: None,
            adopted: false,
            checksums: BTreeMap::new(),
        }
    }

    /// The stages of a round that are not done yet; `false` when it was stopped.
    fn round(
        &self,
        round: &mut Round,
        clock: &Clock<'_>,
        tell: &mut (dyn FnMut(&ImproveNews<'_>) + Send),
    ) -> Result<bool, CircleError> {
        let folder = self.round_folder(round.number);
        std::fs::create_dir_all(&folder).map_err(|e| CircleError::file(&folder, e))?;
        let file = folder.join("round.json");
        let best = self.folder.join(&round.weights);
        let share = clock.round_share(round.number);
        let [play_share, match_share] = match self.settings.sprt {
            Some(_) => [PLAY_SHARE_TESTED, MATCH_SHARE_TESTED],
            None => [PLAY_SHARE, MATCH_SHARE],
        };
        if round.games.is_none() {
            let began = Instant::now();
            let played = self.play(round, &best, share.map(|s| began + s.mul_f64(play_share)), tell)?;
            let Some(played) = played.filter(|_| !self.stop.is_raised()) else { return Ok(false) };
            round.seal(&self.games_file(round.number))?;
            round.games = Some(GamesPlayed { games: played.games, seconds: began.elapsed().as_secs_f64() });
            save(&file, round)?;
            self.note_spent(clock)?;
        }
        if round.learned.is_none() {
            let Some(learned) = self.learn(round.number, &best, tell)? else { return Ok(false) };
            let weights = folder.join(self.file("weights"));
            if weights.exists() {
                round.seal(&weights)?;
            }
            round.learned = Some(learned);
            save(&file, round)?;
            self.note_spent(clock)?;
        }
        let until = share.map(|s| Instant::now() + s.mul_f64(match_share));
        let new = folder.join(self.file("weights"));
        let seed = round.seed ^ 0xD0E1;
        // The same weights against themselves prove nothing.
        let standing = match &round.learned {
            Some(learned) if learned.best_epoch == 0 => DuelStanding::default(),
            _ => {
                let (nodes, pairs) = (self.settings.nodes, self.settings.pairs);
                let (weights, folder) = ([&*new, &*best], &*folder);
                self.contest(&Contest { weights, folder, seed, nodes, pairs, until, match_: MatchOf::Round }, tell)?
            }
        };
        if self.stop.is_raised() {
            return Ok(false);
        }
        round.standing = Some(standing);
        round.adopted = match self.tested(&standing) {
            Decision::AcceptH1 => true,
            Decision::AcceptH0 => false,
            Decision::Continue => standing.games() > 0 && standing.score() >= 0.5,
        };
        save(&file, round)?;
        Ok(true)
    }

    fn play(
        &self,
        round: &Round,
        best: &Path,
        until: Option<Instant>,
        tell: &mut (dyn FnMut(&ImproveNews<'_>) + Send),
    ) -> Result<Option<Played>, CircleError> {
        let settings = &self.settings;
        let path = self.games_file(round.number);
        let Some(player) = self.study.duelist(best, settings)? else { return Ok(None) };
        let plan = SelfplayPlan {
            games: settings.games.unwrap_or(u64::MAX / 2),
            player,
            openings: self.openings(round.seed),
            conditions: self.study.conditions(settings, settings.nodes),
            drop: DropRules::default(),
            jobs: settings.jobs,
            until,
            fleet: self.fleet.clone(),
            origin: format!(
                "{} improve round {}, {} nodes, seed {}, weights {}{}",
                round.made_by,
                round.number,
                round.nodes,
                round.seed,
                round.weights,
                settings.starts.as_ref().map_or(String::new(), |path| format!(", starts {}", path.display())),
            ),
        };
        let mut told = |played: &Played| tell(&ImproveNews::Games(played, settings.games));
        self.study.play(self.kit, &plan, &path, self.stop, &mut told).map(Some)
    }

    /// Learns from the games of this round and some before it; `None` when it was stopped.
    fn learn(
        &self,
        number: u32,
        best: &Path,
        tell: &mut (dyn FnMut(&ImproveNews<'_>) + Send),
    ) -> Result<Option<LearnedRound>, CircleError> {
        let folder = self.round_folder(number);
        let first = match number {
            1 => None,
            _ => load::<Round>(&self.round_folder(1).join("round.json"))?.and_then(|round| round.learned),
        };
        let rounds = number.saturating_sub(ROUNDS_KEPT - 1).max(1)..=number;
        let lesson = Lesson {
            kit: self.kit,
            number,
            games: rounds.map(|round| (round, self.games_file(round))).collect(),
            best,
            into: &folder.join(self.file("weights")),
            first: first.as_ref(),
            settings: &self.settings,
        };
        let stop = self.stop;
        let learned = self.study.learn(&lesson, &mut |news| {
            tell(&ImproveNews::Learning(news));
            !stop.is_raised()
        })?;
        let Some((learned, losses)) = learned else { return Ok(None) };
        save(&folder.join("losses.json"), &losses)?;
        Ok(Some(learned))
    }

    /// The decision of the test of a round's match.
    fn tested(&self, standing: &DuelStanding) -> Decision {
        let [low, high] = match self.settings.sprt {
            Some(bounds) if standing.games() > 0 => bounds,
            _ => return Decision::Continue,
        };
        let test = Sprt::new(low, high);
        test.decide(test.llr_pairs(&Pairs(standing.pairs)))
    }

    /// Plays a match, or what is left of it; its pairs are kept as they end.
    fn contest(
        &self,
        contest: &Contest<'_>,
        tell: &mut (dyn FnMut(&ImproveNews<'_>) + Send),
    ) -> Result<DuelStanding, CircleError> {
        let path = contest.folder.join("pairs.txt");
        let (mut journal, lines) = LineJournal::open(&path, false).map_err(|e| CircleError::file(&path, e))?;
        let played = read_pairs(&path, &lines)?;
        let [challenger, defender] = contest.weights.map(|weights| self.study.duelist(weights, &self.settings));
        let (Some(challenger), Some(defender)) = (challenger?, defender?) else {
            // It was stopped, and is not looked at.
            return Ok(DuelStanding::default());
        };
        let plan = Duel {
            duelists: [challenger, defender],
            openings: self.openings(contest.seed),
            conditions: self.study.conditions(&self.settings, contest.nodes),
            pairs: contest.pairs.unwrap_or(u64::MAX / 2),
            jobs: self.settings.jobs,
            until: contest.until,
            fleet: self.fleet.clone(),
        };
        let standing = duel(self.kit, &plan, &played, self.stop, &mut |standing, [a, b], _| {
            journal.append(&format!("{a} {b}")).map_err(|e| CircleError::file(&path, e))?;
            tell(&ImproveNews::Match { standing, match_: contest.match_ });
            Ok(contest.match_ != MatchOf::Round || self.tested(standing) == Decision::Continue)
        });
        match standing {
            // An engine that was about to start breaks off, too.
            Err(_) if self.stop.is_raised() => Ok(DuelStanding::default()),
            standing => standing,
        }
    }

    /// The best weights against those of the start, and once more with more nodes where that is wanted; `None` when it
    /// was stopped.
    fn verdict(
        &self,
        best: &Path,
        clock: &Clock<'_>,
        tell: &mut (dyn FnMut(&ImproveNews<'_>) + Send),
    ) -> Result<Option<RunVerdict>, CircleError> {
        let file = self.folder.join("verdict.json");
        let mut verdict = match load::<RunVerdict>(&file)? {
            // The folder may have another name now.
            Some(verdict) => {
                RunVerdict { weights: self.folder.join(self.file("weights")).display().to_string(), ..verdict }
            }
            None => {
                let left = clock.left().map(|left| left.saturating_sub(clock.confirmation()));
                let Some(standing) = self.prove(best, MatchOf::Verdict, left, tell)? else { return Ok(None) };
                let weights = self.folder.join(self.file("weights"));
                let bytes = std::fs::read(best).map_err(|e| CircleError::file(best, e))?;
                AtomicFile::write(&weights, &bytes).map_err(|e| CircleError::file(&weights, e))?;
                let unchanged = best == self.folder.join(self.file("start"));
                let weights = weights.display().to_string();
                let verdict = RunVerdict { standing, weights, confirmed: None, unchanged };
                save(&file, &verdict)?;
                verdict
            }
        };
        if self.settings.confirm && verdict.confirmed.is_none() {
            // It has its share even where it was asked for when the budget had gone.
            let left = clock.left().map(|left| left.max(clock.confirmation()));
            let Some(standing) = self.prove(best, MatchOf::Confirmation, left, tell)? else { return Ok(None) };
            verdict.confirmed = Some(standing);
            save(&file, &verdict)?;
        }
        Ok(Some(verdict))
    }

    /// The match of `best` against the start that is for `match_`; `None` when it was stopped.
    fn prove(
        &self,
        best: &Path,
        match_: MatchOf,
        left: Option<Duration>,
        tell: &mut (dyn FnMut(&ImproveNews<'_>) + Send),
    ) -> Result<Option<DuelStanding>, CircleError> {
        let (name, times, seed) = match match_ {
            MatchOf::Confirmation => ("confirm", CONFIRM_TIMES, 0x0C0F_1F3A),
            _ => ("verdict", 1, 0x7E57_0F1A),
        };
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder).map_err(|e| CircleError::file(&folder, e))?;
        let contest = Contest {
            weights: [best, &self.folder.join(self.file("start"))],
            folder: &folder,
            seed: self.settings.seed ^ seed,
            nodes: self.settings.nodes.saturating_mul(times),
            pairs: self.settings.pairs.map(|p| 2 * p),
            until: left.map(|left| Instant::now() + left.max(Duration::from_secs(2))),
            match_,
        };
        let standing = self.contest(&contest, tell)?;
        Ok((!self.stop.is_raised()).then_some(standing))
    }
}

/// The budget and what of it is gone.
struct Clock<'a> {
    began: Instant,
    before: Duration,
    settings: &'a ImproveSettings,
}

impl Clock<'_> {
    fn spent(&self) -> Duration {
        self.before + self.began.elapsed()
    }

    fn left(&self) -> Option<Duration> {
        self.settings.budget.map(|b| b.saturating_sub(self.spent()))
    }

    /// The time that is kept for the confirmation.
    fn confirmation(&self) -> Duration {
        let budget = self.settings.budget.filter(|_| self.settings.confirm);
        budget.map_or(Duration::ZERO, |b| b.mul_f64(CONFIRM_SHARE))
    }

    /// The time of round `number`: what is left beside the verdict, shared evenly by the rounds left.
    fn round_share(&self, number: u32) -> Option<Duration> {
        let budget = self.settings.budget?;
        let left = self.left()?.saturating_sub(budget.mul_f64(VERDICT_SHARE) + self.confirmation());
        Some(left / (self.settings.rounds + 1 - number).max(1))
    }
}
