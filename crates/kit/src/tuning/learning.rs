//! Learning of weights as a request asks for it: games as rows, settings, a fit with its journal, weights with their origin.

use super::{
    Leaf, Pupil, TuneRequest, Watched, check_weights_target, frozen, older_engine, steps::Csv, trusted_rows as trusted,
};
use crate::{Kit, RequestError, SkipErrors, check_apart, check_new_output, complain, open_records};
use anyhow::{Context, bail};
use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::{Path, PathBuf},
};
use tesuji_dataset::{
    Built, DatasetError, Features, Filter, Rows, RowsPlan, build, build_positions,
    data::{Format, Input, Job, Lens},
};
use tesuji_jobs::{Interrupt, Progress, Show, threads};
use tesuji_tally::{Term, Weights};
use tesuji_tune::{Event, Kept, Trained, TuneSettings, learn_with};

/// The start of piece values alone.
const MATERIAL: &str = "material";

/// The environment of tuning: what does not change its numbers.
pub struct TuneRun<'a> {
    /// The version of this program, as origins of games name it.
    pub version: &'a str,
    /// The display of progress while games are read.
    pub reading: Show,
    /// The display of progress while weights are fitted.
    pub learning: Show,
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
    /// Is told what happens; an error of its own ends the work.
    pub news: &'a mut (dyn FnMut(&TuneNews<'_>) -> anyhow::Result<()> + Send),
}

/// Progress on the way.
#[derive(Debug, Clone, Copy)]
pub enum TuneNews<'a> {
    /// Games were read, and learning begins.
    Read {
        /// Games.
        games: u64,
        /// Boards of them that teach.
        rows: usize,
        /// The terms of the weights.
        terms: &'static [Term],
    },
    /// Something of learning.
    Event(&'a Event<'a>),
}

/// The result of tuning.
#[derive(Debug, Clone)]
pub struct TuneOutcome {
    /// The terms of the weights.
    pub terms: &'static [Term],
    /// The set that they are; `None`: all of the game's own evaluation.
    pub set: Option<&'static str>,
    /// The weights at the start.
    pub start: Weights,
    /// The fit.
    pub trained: Trained,
    /// Games that were learned from.
    pub games: u64,
    /// Boards of them.
    pub boards: usize,
    /// A warning where another version of the program played the games.
    pub older_engine: Option<String>,
}

impl TuneOutcome {
    /// The weights that were kept, with where they come from: `words` where they were learned, as before where they are those of
    /// the start.
    fn named(&self, version: &str, words: String) -> Weights {
        if self.trained.kept != Kept::Best {
            return self.start.clone();
        }
        let mut weights = self.trained.weights.clone();
        weights.origin.made_by = format!("tesuji {version}");
        weights.origin.from = words;
        weights
    }
}

/// Learns weights and writes them, whole or not at all.
///
/// # Errors
/// The first field of the request that cannot be meant, or what cannot be read or written.
pub fn tune(kit: &'static dyn Kit, request: &TuneRequest, run: &mut TuneRun<'_>) -> Result<TuneOutcome, RequestError> {
    request.validate()?;
    let pupil = Pupil::starting(kit, &request.weight_set, &request.start)?;
    let start = pupil.start(&request.start)?;
    let settings = settings(request, pupil)?;
    let read: Vec<PathBuf> = request.games.iter().chain(&request.bounds).cloned().collect();
    check_weights_target(&request.out, &read, |path| pupil.start(&path.display().to_string()).is_ok())?;
    if let Some(path) = &request.steps {
        check_new_output(path, read.iter().chain([&PathBuf::from(&request.start)]))?;
        check_apart(&[path, &request.out])?;
    }
    let outcome = learn(kit, request, Lesson { pupil, start, settings }, run)?;
    let TuneRequest { seed, start, .. } = request;
    let words = format!("tune: {} games, {} boards, seed {seed}, from {start}", outcome.games, outcome.boards);
    pupil.save(&request.out, &outcome.named(run.version, words))?;
    Ok(outcome)
}

/// Learns the weights of a version of a sweep and writes them, unless it was stopped.
///
/// # Errors
/// As [`tune`].
pub fn tune_version(
    kit: &'static dyn Kit,
    request: &TuneRequest,
    run: &mut TuneRun<'_>,
) -> Result<TuneOutcome, RequestError> {
    request.validate()?;
    let pupil = Pupil::starting(kit, &request.weight_set, &request.start)?;
    let start = pupil.start(&request.start)?;
    let settings = settings(request, pupil)?;
    let outcome = learn(kit, request, Lesson { pupil, start, settings }, run)?;
    if !outcome.trained.stopped {
        let words = format!("tune --sweep: {} games, {} boards, seed {}", outcome.games, outcome.boards, request.seed);
        if let Some(folder) = request.out.parent() {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        pupil.save(&request.out, &outcome.named(run.version, words))?;
    }
    Ok(outcome)
}

/// A tuning run: subject, start weights and settings.
struct Lesson {
    pupil: Pupil,
    start: Weights,
    settings: TuneSettings,
}

/// Reads the games and learns from them.
fn learn(
    kit: &'static dyn Kit,
    request: &TuneRequest,
    Lesson { pupil, start, mut settings }: Lesson,
    run: &mut TuneRun<'_>,
) -> anyhow::Result<TuneOutcome> {
    let Read { rows, games, origins } = read(kit, request, pupil, &start, run)?;
    // Piece values alone deserve no trust against anybody's games.
    let is_bare = start.values == pupil.start(MATERIAL)?.values;
    settings.trusted_rows = if is_bare { None } else { trusted(&origins, games) };
    let (terms, boards) = (pupil.terms(), rows.len());
    (run.news)(&TuneNews::Read { games, rows: boards, terms })?;
    let mut csv = request.steps.as_ref().map(|path| Csv::create(path, terms)).transpose()?;
    let progress = Progress::start("learning", "epochs", Some(u64::from(settings.epochs)), run.learning);
    let mut failed = Ok(());
    let trained = learn_with(&rows, &start, &pupil.canon(), &settings, &mut |event| {
        if let Event::Epoch(p) = &event {
            let held = p.held_loss.map_or(String::new(), |l| format!(", validation {l:.6}"));
            progress.set_noted(u64::from(p.epoch), &format!("training {:.6}{held}", p.train_loss));
        }
        failed = note(&event, csv.as_mut(), run);
        if failed.is_err() || run.interrupt.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    failed?;
    let older_engine = older_engine(&origins, run.version);
    Ok(TuneOutcome { terms, set: pupil.set(), start, trained, games, boards, older_engine })
}

/// Writes an event down and tells it.
fn note(event: &Event, csv: Option<&mut Csv>, run: &mut TuneRun<'_>) -> anyhow::Result<()> {
    if let (Some(csv), Event::Epoch(progress)) = (csv, event) {
        csv.epoch(progress)?;
    }
    (run.news)(&TuneNews::Event(event))
}

/// The settings of the fit; weights of rows are known only when they are read.
fn settings(request: &TuneRequest, pupil: Pupil) -> anyhow::Result<TuneSettings> {
    let limits = pupil.limits(request.bounds.as_ref())?;
    Ok(TuneSettings {
        method: request.method,
        epochs: request.epochs,
        patience: request.patience,
        lambda_plies: request.lambda_plies,
        result_share: request.result_share,
        loss: request.loss,
        rate_cp: request.rate_cp,
        batch: request.batch,
        pull_rows: request.pull_rows,
        trusted_rows: None,
        l2_rows: request.l2_rows,
        k: request.k,
        held_out: request.held_out,
        frozen: frozen(pupil.terms(), &request.only, &request.freeze)?,
        bounds: limits.bounds.iter().map(|bounds| bounds.map(f64::from)).collect(),
        step: limits.step.unwrap_or(1).into(),
        units: Vec::new(),
        restarts: request.restarts,
        shake_cp: request.shake_cp,
        bootstrap: request.bootstrap,
        seed: request.seed,
        jobs: threads(request.jobs),
    })
}

/// The rows that were read.
#[derive(Default)]
struct Read {
    rows: Rows,
    games: u64,
    /// Games by origin.
    origins: BTreeMap<String, u64>,
}

/// Reads the games of a request as rows.
fn read(
    kit: &'static dyn Kit,
    request: &TuneRequest,
    pupil: Pupil,
    start: &Weights,
    run: &TuneRun<'_>,
) -> anyhow::Result<Read> {
    let leaves;
    let (features, filter): (&dyn Features, Filter) = match request.leaf {
        Leaf::Static => (pupil.features(), pupil.filter()),
        Leaf::Quiescence => match pupil.tuning().leaves.filter(|_| pupil.set().is_none()) {
            Some(leaves_of) => {
                let filter;
                (leaves, filter) = leaves_of(start.clone());
                (&*leaves, filter)
            }
            None => {
                let reason = format!("the weights {} of {} have no such boards", request.weight_set, kit.name());
                bail!(RequestError::value("leaf", "quiescence", reason))
            }
        },
    };
    let skip = request.skip_errors.then_some(skip_game as fn(&DatasetError));
    let plan = RowsPlan { jobs: threads(request.jobs), seed: request.seed, filter, skip, ..RowsPlan::default() };
    let lessons = Watched::new(features);
    let progress = Progress::start("reading", "games", None, run.reading);
    let reading = Reading { kit, plan: &plan, skip: SkipErrors { wanted: request.skip_errors }, progress: &progress };
    let mut read = Read::default();
    for path in &request.games {
        reading.add(path, &lessons, &mut read, run.interrupt)?;
    }
    read.origins = lessons.origins();
    Ok(read)
}

/// The reading of files of games.
struct Reading<'a> {
    kit: &'static dyn Kit,
    plan: &'a RowsPlan,
    skip: SkipErrors,
    progress: &'a Progress,
}

impl Reading<'_> {
    /// Adds the rows of a file of games or positions.
    fn add(&self, path: &Path, lessons: &Watched<'_>, read: &mut Read, stop: &Interrupt) -> anyhow::Result<()> {
        let before = read.games;
        let format = Format::find(self.kit, self.kit.survey(), &path.display().to_string())?;
        let tell = |built: &Built| self.progress.set(before + built.games);
        let built = match format {
            Format::Games(_) => self.games(path, lessons, &mut read.rows, &tell),
            _ => self.positions(path, format, lessons, (&mut read.rows, stop), &tell),
        };
        read.games += self.skip.hinted(built)?.games;
        Ok(())
    }

    fn games(
        &self,
        path: &Path,
        lessons: &Watched<'_>,
        rows: &mut Rows,
        tell: &(dyn Fn(&Built) + Sync),
    ) -> anyhow::Result<Built> {
        let mut reader = self.skip.reader(path, open_records(self.kit, path)?);
        let built = build(reader.as_mut(), lessons, self.plan, rows, &mut |built| {
            tell(built);
            ControlFlow::Continue(())
        });
        built.with_context(|| path.display().to_string())
    }

    fn positions(
        &self,
        path: &Path,
        format: Format,
        lessons: &Watched<'_>,
        (rows, stop): (&mut Rows, &Interrupt),
        tell: &(dyn Fn(&Built) + Sync),
    ) -> anyhow::Result<Built> {
        let input = [Input { path: path.to_path_buf(), format }];
        let job = Job {
            inputs: &input,
            keep_game: None,
            scale: 1,
            // What was played before a position is asked of its neighbour.
            lens: Lens { survey: self.kit.survey(), fill_score: None },
            jobs: self.plan.jobs,
            skip_errors: self.skip.wanted,
            resume: false,
            words: "tune".into(),
            about: Vec::new(),
            interrupt: stop,
            tell: &|_| (),
            complain: &|error| complain(error),
        };
        Ok(build_positions(&job, lessons, self.plan, rows, &mut |built| tell(built))?)
    }
}

/// Names a game that cannot be learned from.
fn skip_game(error: &DatasetError) {
    complain(error);
}
