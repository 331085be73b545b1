//! Round after round: self-play, rows, learning, a match of new against old, adopt or not; at the end a verdict. Every
//! round has a folder with everything that made it, and a run that was stopped goes on where it was.

mod state;

use crate::{CircleError, Duel, Openings, Plan, Played, Setup, Standing, conditions, duel, selfplay};
pub use state::{Round, Settings, Verdict};
use state::{load, read_pairs, save};
use std::{
    fs::File,
    io::BufReader,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use tesuji_dataset::{Features, Plan as RowPlan, Rows, build};
use tesuji_engine::Kit;
use tesuji_jobs::{Interrupt, LineJournal};
use tesuji_tally::Weights;
use tesuji_tune::{Canon, Settings as TuneSettings, Trained, learn, load_weights, save_weights};

/// Rounds whose games are learned from: the present one and so many before it. Older engines played worse.
const ROUNDS_KEPT: u32 = 3;
/// Shares of a round's time for self-play and for the match; learning takes what is left.
const PLAY_SHARE: f64 = 0.62;
const MATCH_SHARE: f64 = 0.20;
/// Share of the whole budget that is kept for the verdict.
const VERDICT_SHARE: f64 = 0.22;

/// What happens, for whoever watches.
#[derive(Debug)]
pub enum News<'a> {
    /// A round begins: its number from 1, and how many are planned.
    Round(u32, u32),
    /// Games were played; the wanted number, if it is fixed.
    Games(&'a Played, Option<u64>),
    /// Rows were made of games.
    Rows {
        /// Rows.
        rows: usize,
        /// Games they come from.
        games: u64,
    },
    /// An epoch of learning ended.
    Epoch(&'a tesuji_tune::Progress),
    /// Weights were learned.
    Learned(&'a Trained),
    /// The match goes on; `verdict` when it is the last one.
    Match {
        /// The score of the new weights.
        standing: &'a Standing,
        /// Whether this is the verdict.
        verdict: bool,
    },
    /// A round ended.
    Decided(&'a Round),
}

/// Where everything of a run lies, and what it uses.
pub struct Improve<'a> {
    /// The game.
    pub kit: &'a dyn Kit,
    /// Its features.
    pub features: &'a dyn Features,
    /// What makes its weights readable.
    pub canon: Canon,
    /// The folder of the run.
    pub folder: &'a Path,
    /// How to run; what is in the folder already wins when a run goes on.
    pub settings: Settings,
    /// Raised to stop.
    pub stop: &'a Interrupt,
}

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// All rounds and the verdict were done.
    Done(Verdict),
    /// It was stopped; it can go on.
    Stopped,
}

impl Improve<'_> {
    /// Runs from the start weights in `folder/start.json`, or goes on.
    ///
    /// # Errors
    /// When a file cannot be read or written, or a player fails. What was done is on disk.
    pub fn run(&self, tell: &mut (dyn FnMut(&News<'_>) + Send)) -> Result<End, CircleError> {
        let began = Instant::now();
        let before = Duration::from_secs_f64(load::<f64>(&self.folder.join("spent.json"))?.unwrap_or(0.0));
        let clock = Clock { began, before, settings: &self.settings };
        let mut best = self.folder.join("start.json");
        for number in 1..=self.settings.rounds {
            let file = self.round_folder(number).join("round.json");
            let round = match load::<Round>(&file)? {
                Some(round) => round,
                None => {
                    tell(&News::Round(number, self.settings.rounds));
                    let round = self.round(number, &best, &clock, tell)?;
                    self.note_spent(&clock)?;
                    let Some(round) = round else { return Ok(End::Stopped) };
                    save(&file, &round)?;
                    tell(&News::Decided(&round));
                    round
                }
            };
            if round.adopted {
                best = self.round_folder(number).join("weights.json");
            }
        }
        let verdict = self.verdict(&best, &clock, tell)?;
        self.note_spent(&clock)?;
        Ok(verdict.map_or(End::Stopped, End::Done))
    }

    fn round_folder(&self, number: u32) -> PathBuf {
        self.folder.join(format!("round-{number}"))
    }

    fn note_spent(&self, clock: &Clock<'_>) -> Result<(), CircleError> {
        save(&self.folder.join("spent.json"), &clock.spent().as_secs_f64())
    }

    /// One round; `None` when it was stopped.
    fn round(
        &self,
        number: u32,
        best: &Path,
        clock: &Clock<'_>,
        tell: &mut (dyn FnMut(&News<'_>) + Send),
    ) -> Result<Option<Round>, CircleError> {
        let folder = self.round_folder(number);
        std::fs::create_dir_all(&folder).map_err(|e| CircleError::file(&folder, e))?;
        let share = clock.round_share(number);
        let played = self.play(number, best, &folder, share.map(|s| Instant::now() + s.mul_f64(PLAY_SHARE)), tell)?;
        if self.stop.is_raised() {
            return Ok(None);
        }
        let Some(trained) = self.learn(number, best, &folder, tell)? else { return Ok(None) };
        let until = share.map(|s| Instant::now() + s.mul_f64(MATCH_SHARE));
        let new = folder.join("weights.json");
        let seed = self.settings.seed ^ (u64::from(number) << 32) ^ 0xD0E1;
        // The same weights against themselves prove nothing.
        let standing = match trained.best_epoch {
            0 => Standing::default(),
            _ => self.duel([&new, best], &folder, seed, self.settings.pairs, until, false, tell)?,
        };
        if self.stop.is_raised() {
            return Ok(None);
        }
        let start = trained.history.first().map_or(0.0, |p| p.decisive_loss());
        Ok(Some(Round {
            number,
            games: played.games,
            rows: trained.rows,
            k: trained.k,
            loss_before: start,
            loss_after: trained.held_loss.unwrap_or(trained.train_loss),
            best_epoch: trained.best_epoch,
            standing,
            adopted: trained.best_epoch > 0 && standing.score() >= 0.5,
        }))
    }

    fn play(
        &self,
        number: u32,
        best: &Path,
        folder: &Path,
        until: Option<Instant>,
        tell: &mut (dyn FnMut(&News<'_>) + Send),
    ) -> Result<Played, CircleError> {
        let settings = &self.settings;
        let path = folder.join("games.sgs");
        let plan = Plan {
            games: settings.games.unwrap_or(u64::MAX / 2),
            setup: Setup::with_weights(best),
            openings: Openings::random(settings.random_plies, settings.seed ^ (u64::from(number) << 32)),
            conditions: conditions(settings.nodes),
            jobs: settings.jobs,
            until,
            origin: format!(
                "{} improve round {number}, {} nodes, seed {}",
                settings.made_by, settings.nodes, settings.seed
            ),
        };
        let resume = path.exists();
        selfplay(self.kit, &plan, &path, resume, self.stop, &mut |played| tell(&News::Games(played, settings.games)))
    }

    /// Learns from the games of this round and some before it; `None` when it was stopped.
    fn learn(
        &self,
        number: u32,
        best: &Path,
        folder: &Path,
        tell: &mut (dyn FnMut(&News<'_>) + Send),
    ) -> Result<Option<Trained>, CircleError> {
        let mut rows = Rows::default();
        let plan = RowPlan { jobs: self.settings.jobs, seed: self.settings.seed, ..RowPlan::default() };
        let mut games = 0;
        for earlier in number.saturating_sub(ROUNDS_KEPT - 1).max(1)..=number {
            games += self.add_rows(&self.round_folder(earlier).join("games.sgs"), &plan, &mut rows)?;
        }
        tell(&News::Rows { rows: rows.len(), games });
        let terms = self.features.terms();
        let start = load_weights(best, self.features.game(), terms)
            .map_err(|e| CircleError::Mismatch { path: best.display().to_string(), reason: e.to_string() })?;
        let settings = TuneSettings {
            seed: self.settings.seed,
            jobs: self.settings.jobs,
            result_share: self.settings.result_share,
            ..TuneSettings::default()
        };
        let stop = self.stop;
        let mut trained = learn(&rows, &start, &self.canon, &settings, &mut |progress| {
            tell(&News::Epoch(progress));
            if stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if trained.stopped {
            return Ok(None);
        }
        tell(&News::Learned(&trained));
        trained.weights.origin.made_by = self.settings.made_by.clone();
        trained.weights.origin.from = format!(
            "improve round {number}: {games} games of self-play at {} nodes, {} boards, seed {}",
            self.settings.nodes, trained.rows[0], self.settings.seed
        );
        self.save(&folder.join("weights.json"), &trained.weights)?;
        Ok(Some(trained))
    }

    fn add_rows(&self, path: &Path, plan: &RowPlan, rows: &mut Rows) -> Result<u64, CircleError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| CircleError::file(path, e))?;
        let format = self.kit.format(&name).ok_or_else(|| CircleError::Mismatch {
            path: name.clone(),
            reason: "no format of records is called so".into(),
        })?;
        let mut reader = format.reader(Box::new(BufReader::new(file)));
        let built = build(reader.as_mut(), self.features, plan, rows, &mut |_| ControlFlow::Continue(()))
            .map_err(|error| CircleError::Dataset { path: name, error })?;
        Ok(built.games)
    }

    fn save(&self, path: &Path, weights: &Weights) -> Result<(), CircleError> {
        save_weights(path, weights, self.features.game(), self.features.terms())
            .map_err(|e| CircleError::Mismatch { path: path.display().to_string(), reason: e.to_string() })
    }

    /// A match of two weights files; its pairs are kept in `folder/pairs.txt` as they end.
    #[allow(clippy::too_many_arguments)]
    fn duel(
        &self,
        weights: [&Path; 2],
        folder: &Path,
        seed: u64,
        pairs: Option<u64>,
        until: Option<Instant>,
        verdict: bool,
        tell: &mut (dyn FnMut(&News<'_>) + Send),
    ) -> Result<Standing, CircleError> {
        let path = folder.join("pairs.txt");
        let (mut journal, lines) = LineJournal::open(&path, false).map_err(|e| CircleError::file(&path, e))?;
        let played = read_pairs(&path, &lines)?;
        let plan = Duel {
            setups: weights.map(Setup::with_weights),
            openings: Openings::random(self.settings.random_plies, seed),
            conditions: conditions(self.settings.nodes),
            pairs: pairs.unwrap_or(u64::MAX / 2),
            jobs: self.settings.jobs,
            until,
        };
        duel(self.kit, &plan, &played, self.stop, &mut |standing, [a, b], _| {
            journal.append(&format!("{a} {b}")).map_err(|e| CircleError::file(&path, e))?;
            tell(&News::Match { standing, verdict });
            Ok(true)
        })
    }

    /// The best weights against those of the start; `None` when it was stopped.
    fn verdict(
        &self,
        best: &Path,
        clock: &Clock<'_>,
        tell: &mut (dyn FnMut(&News<'_>) + Send),
    ) -> Result<Option<Verdict>, CircleError> {
        let file = self.folder.join("verdict.json");
        if let Some(verdict) = load(&file)? {
            return Ok(Some(verdict));
        }
        let folder = self.folder.join("verdict");
        std::fs::create_dir_all(&folder).map_err(|e| CircleError::file(&folder, e))?;
        let start = self.folder.join("start.json");
        let until = clock.left().map(|left| Instant::now() + left.max(Duration::from_secs(2)));
        let pairs = self.settings.pairs.map(|p| 2 * p);
        let seed = self.settings.seed ^ 0x7E57_0F1A;
        let standing = self.duel([best, &start], &folder, seed, pairs, until, true, tell)?;
        if self.stop.is_raised() {
            return Ok(None);
        }
        let weights = self.folder.join("weights.json");
        std::fs::copy(best, &weights).map_err(|e| CircleError::file(&weights, e))?;
        let verdict = Verdict { standing, weights: weights.display().to_string() };
        save(&file, &verdict)?;
        Ok(Some(verdict))
    }
}

/// The budget and what of it is gone.
struct Clock<'a> {
    began: Instant,
    before: Duration,
    settings: &'a Settings,
}

impl Clock<'_> {
    fn spent(&self) -> Duration {
        self.before + self.began.elapsed()
    }

    fn left(&self) -> Option<Duration> {
        self.settings.budget.map(|b| b.saturating_sub(self.spent()))
    }

    /// The time of round `number`: what is left beside the verdict, shared evenly by the rounds left.
    fn round_share(&self, number: u32) -> Option<Duration> {
        let budget = self.settings.budget?;
        let left = self.left()?.saturating_sub(budget.mul_f64(VERDICT_SHARE));
        Some(left / (self.settings.rounds + 1 - number).max(1))
    }
}
