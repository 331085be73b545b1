//! A run of training: samples in, steps, validations, checkpoints, a log; stopped and gone on with at any moment.

use crate::backend::Backend;
use crate::checkpoint::{Checkpoint, CheckpointError};
pub use crate::error::TrainError;
use crate::log::{Log, LogEntry};
use crate::loss::{Figures, losses};
use crate::net::{Raw, Wired};
use crate::optimiser::Optimiser;
use crate::parameters::Parameters;
use crate::sample::{Sample, Source};
use crate::settings::TrainSettings;
use rayon::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};
use tesuji_jobs::{Interrupt, Progress, read_bounded};
use tesuji_nn::{NetError, Weights};

/// The largest checkpoint, in bytes.
const CHECKPOINT_BYTES_MAX: u64 = 16 << 30;

/// The environment of a run: what does not change its numbers.
pub struct Surroundings<'a> {
    /// The file of the run; `None`: only in memory.
    pub checkpoint: Option<&'a Path>,
    /// The file of its log.
    pub log: Option<&'a Path>,
    /// Between two checkpoints.
    pub save_every: Duration,
    /// Threads that prepare samples.
    pub threads: usize,
    /// Asks for a stop after the current step.
    pub interrupt: &'a Interrupt,
    /// Counts positions.
    pub progress: &'a Progress,
    /// Whether the log begins with a validation of what the run begins with.
    pub judges_start: bool,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The state after the last step, as it was saved.
    pub state: Checkpoint,
    /// Figures of the last validation, of the averaged parameters where there is an average.
    pub validation: Option<Figures>,
    /// Whether an interrupt ended it before its last step.
    pub stopped: bool,
    /// The lines of its log, from the beginning of the run.
    pub log: Vec<LogEntry>,
}

impl Outcome {
    /// The net to play with: the average, where there is one. Its origin is empty.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn net(&self) -> Result<Weights, NetError> {
        let architecture = &self.state.settings.architecture;
        let best = self.state.optimiser.best(&self.state.parameters);
        Parameters::new(architecture).net(architecture, Default::default(), best)
    }

    /// The last validation in words; empty where there was none.
    pub fn last_validation(&self) -> String {
        let step = self.state.optimiser.step;
        let seen = step * self.state.settings.batch as u64;
        self.validation.map(|figures| LogEntry::validation(step, seen, &figures).text()).unwrap_or_default()
    }
}

/// The bytes of the checkpoint at `path`.
pub(crate) fn checkpoint_bytes(path: &Path) -> Result<Vec<u8>, TrainError> {
    read_bounded(path, CHECKPOINT_BYTES_MAX).map_err(TrainError::File)
}

/// The state to begin with: that of the checkpoint, if there is one, or `from`, or random numbers.
///
/// # Errors
/// When the checkpoint cannot be read or is of another run, or `from` is another net.
pub fn begin(
    settings: &TrainSettings,
    checkpoint: Option<&Path>,
    from: Option<&Weights>,
) -> Result<Checkpoint, TrainError> {
    if let Some(path) = checkpoint.filter(|path| path.exists()) {
        let bytes = checkpoint_bytes(path)?;
        let state = Checkpoint::from_bytes(&bytes);
        let mut state = state.map_err(|error| TrainError::Checkpoint { path: path.to_owned(), error })?;
        if let Some(difference) = settings.difference(&state.settings) {
            return Err(TrainError::Other { path: path.to_owned(), difference });
        }
        state.settings.steps = settings.steps;
        let wanted = Parameters::new(&settings.architecture).len();
        let o = &state.optimiser;
        let fresh = Optimiser::new(&settings.optimiser, &state.parameters);
        let lengths = |o: &Optimiser| [o.first.len(), o.second.len(), o.average.len()];
        if state.parameters.len() != wanted || lengths(o) != lengths(&fresh) {
            let error = CheckpointError::Header(format!(
                "{} parameters and {:?} numbers of an optimiser, expected {wanted} of each",
                state.parameters.len(),
                lengths(o)
            ));
            return Err(TrainError::Checkpoint { path: path.to_owned(), error });
        }
        return Ok(state);
    }
    let random;
    let weights = match from {
        Some(weights) if weights.architecture != settings.architecture => {
            let text = |a: &tesuji_nn::Architecture| serde_json::to_string(a).unwrap_or_default();
            let (found, expected) = (text(&weights.architecture), text(&settings.architecture));
            return Err(NetError::Unlike(format!("it begins from {found}, the run is about {expected}")).into());
        }
        Some(weights) => weights,
        None => {
            settings.architecture.check()?;
            random = Weights::random(settings.architecture.clone(), settings.seed);
            &random
        }
    };
    let parameters = Parameters::new(&settings.architecture).row(weights);
    let optimiser = Optimiser::new(&settings.optimiser, &parameters);
    Ok(Checkpoint { settings: settings.clone(), parameters, optimiser, figures: Figures::default() })
}

/// Samples and their planes, one after another.
#[derive(Default)]
struct Batch {
    samples: Vec<Sample>,
    planes: Vec<f32>,
}

impl Batch {
    /// Takes the samples of `keys`, on the pool's threads.
    fn fill<S: Source>(&mut self, pool: &rayon::ThreadPool, source: &S, keys: &[S::Key]) {
        self.samples.resize_with(keys.len(), Sample::default);
        let each = pool.install(|| {
            keys.par_iter().zip(&mut self.samples).for_each(|(key, sample)| source.fill(key, sample));
            self.samples.par_iter().map(|sample| sample.planes.len()).max().unwrap_or(0)
        });
        // Samples of another length are found before they are used.
        self.planes.resize(each * keys.len(), 0.0);
        let copy =
            |(planes, sample): (&mut [f32], &Sample)| planes[..sample.planes.len()].copy_from_slice(&sample.planes);
        pool.install(|| self.planes.par_chunks_mut(each.max(1)).zip(&self.samples).for_each(copy));
    }
}

/// A run under way.
struct Run<'a, B: Backend, T: Source> {
    net: Wired<B>,
    layout: Parameters,
    state: Checkpoint,
    source: &'a mut T,
    pool: rayon::ThreadPool,
    batch: Batch,
    /// The batch of the next step, prepared while the device computes this one.
    next: Option<Batch>,
    raw: Raw,
    slopes: Raw,
    gradient: Vec<f32>,
}

impl<B: Backend, T: Source> Run<'_, B, T> {
    /// One step; returns the length of the gradient.
    fn step(&mut self) -> Result<f32, TrainError> {
        let size = self.state.settings.batch;
        match self.next.take() {
            Some(next) => self.batch = next,
            None => {
                let keys = draw(self.source, size)?;
                self.batch.fill(&self.pool, self.source, &keys);
            }
        }
        let is_last = self.state.optimiser.step + 1 >= self.state.settings.steps;
        let keys = if self.net.is_apart() && !is_last { draw(self.source, size)? } else { Vec::new() };
        let Run { net, state, source, pool, batch, raw, slopes, gradient, .. } = self;
        let settings = &state.settings;
        let count = check(settings, &batch.samples)?;
        let source: &T = source;
        let (figures, next) = std::thread::scope(|scope| {
            let prepare = || {
                let mut next = Batch::default();
                next.fill(pool, source, &keys);
                next
            };
            let next = (!keys.is_empty()).then(|| scope.spawn(prepare));
            net.forward(&state.parameters, &batch.planes, count, true, raw);
            let figures = losses(&settings.architecture, &settings.loss, raw, &batch.samples, slopes);
            net.backward(slopes, gradient);
            // A panic of the other thread is ours.
            (figures, next.map(|next| next.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause))))
        });
        self.next = next;
        self.healthy()?;
        let settings = &self.state.settings;
        let (optimiser, parameters) = (&mut self.state.optimiser, &mut self.state.parameters);
        let length = optimiser.step(&settings.optimiser, &self.layout, settings.steps, &self.gradient, parameters);
        if !figures.total.is_finite() || !length.is_finite() {
            return Err(TrainError::Diverged { step: self.state.optimiser.step });
        }
        self.state.figures.add(&figures);
        Ok(length)
    }

    /// That the device did what it was asked for.
    fn healthy(&self) -> Result<(), TrainError> {
        self.net.trouble().map_or(Ok(()), |reason| Err(TrainError::Device(reason)))
    }

    /// The figures of the net to play with on `keys` of `source`.
    fn validate<V: Source>(&mut self, source: &V, keys: &[V::Key]) -> Result<Figures, TrainError> {
        let settings = &self.state.settings;
        let best = self.state.optimiser.best(&self.state.parameters);
        let mut all = Figures::default();
        for keys in keys.chunks(settings.batch) {
            self.batch.fill(&self.pool, source, keys);
            let count = check(settings, &self.batch.samples)?;
            self.net.forward(best, &self.batch.planes, count, false, &mut self.raw);
            all.add(&losses(&settings.architecture, &settings.loss, &self.raw, &self.batch.samples, &mut self.slopes));
        }
        self.healthy()?;
        Ok(all)
    }
}

/// The next `count` keys of `source`.
fn draw<S: Source>(source: &mut S, count: usize) -> Result<Vec<S::Key>, TrainError> {
    Ok((0..count).map(|_| source.draw()).collect::<Result<Vec<_>, _>>()?)
}

/// That the samples fit the net; returns how many there are.
fn check(settings: &TrainSettings, samples: &[Sample]) -> Result<usize, TrainError> {
    let architecture = &settings.architecture;
    let points = architecture.height * architecture.width;
    let actions = architecture.actions(architecture.height, architecture.width);
    let planes = architecture.planes * points;
    for sample in samples {
        let action = sample.policy.iter().map(|&(action, _)| usize::from(action)).max().unwrap_or(0);
        if sample.planes.len() != planes || action >= actions {
            return Err(TrainError::Shape {
                found: format!("{} numbers of planes and action {action}", sample.planes.len()),
                expected: format!(
                    "{planes} numbers ({} planes of {points} points) and {actions} actions",
                    architecture.planes
                ),
            });
        }
    }
    Ok(samples.len())
}

/// Runs `state` to its last step: a finished one is only validated.
///
/// # Errors
/// When samples cannot be had, do not fit the net, or a file cannot be written; or when the loss is no number any more.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_jobs::{Interrupt, Progress, Show};
/// use tesuji_nn::Architecture;
/// use tesuji_train::{
///     cpu::Cpu,
///     learn::{Surroundings, begin, learn},
///     sample::{Sample, Source, SourceError},
///     settings::TrainSettings,
/// };
/// /// Boards of 2x2 with one stone, where the move to learn is to play beside it.
/// struct OneStone(usize);
/// impl Source for OneStone {
///     type Key = usize;
///     fn draw(&mut self) -> Result<usize, SourceError> {
///         self.0 += 1;
///         Ok(self.0 % 4)
///     }
///     fn fill(&self, stone: &usize, sample: &mut Sample) {
///         sample.clear();
///         sample.planes.extend((0..4).map(|at| f32::from(u8::from(at == *stone))));
///         sample.policy.push(((stone ^ 1) as u16, 1.0));
///     }
/// }
///
/// let settings = TrainSettings {
///     architecture: Architecture::for_any_size("stones-1", 1, 2, 1, 16),
///     seed: 5,
///     samples: "stones".into(),
///     batch: 4,
///     steps: 2,
///     optimiser: Default::default(),
///     loss: Default::default(),
///     log_every: 1,
///     validate_every: 2,
///     validation: 4,
/// };
/// let (interrupt, progress) = (Interrupt::new(), Progress::start("training", "positions", None, Show::Quiet));
/// let around = Surroundings {
///     checkpoint: None,
///     log: None,
///     save_every: Duration::from_secs(60),
///     threads: 1,
///     interrupt: &interrupt,
///     progress: &progress,
///     judges_start: false,
/// };
/// let state = begin(&settings, None, None)?;
/// let outcome = learn(state, Cpu::new(1, settings.batch)?, (&mut OneStone(0), &mut OneStone(0)), &around)?;
/// assert!(!outcome.stopped && outcome.state.optimiser.step == 2);
/// // Two lines about steps and one about the validation after them.
/// assert_eq!(outcome.log.len(), 3);
/// assert!(outcome.last_validation().starts_with("validation after 8 positions: loss "));
/// assert_eq!(outcome.net()?.architecture, settings.architecture);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn learn<B: Backend, T: Source, V: Source>(
    state: Checkpoint,
    backend: B,
    (source, validation): (&mut T, &mut V),
    around: &Surroundings<'_>,
) -> Result<Outcome, TrainError> {
    let settings = state.settings.clone();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(around.threads.max(1)).build()?;
    // The same stream from its beginning: what was drawn before is drawn again and thrown away.
    for _ in 0..state.optimiser.step * settings.batch as u64 {
        source.draw()?;
    }
    // Drawn once, so that all validations of a run are about the same positions.
    let held_out = (0..settings.validation).map(|_| validation.draw()).collect::<Result<Vec<_>, _>>()?;
    let mut log = Log::open(around.log, state.optimiser.step)?;
    let mut run = Run {
        net: Wired::new(&settings.architecture, backend),
        layout: Parameters::new(&settings.architecture),
        state,
        source,
        pool,
        batch: Batch::default(),
        next: None,
        raw: Raw::default(),
        slopes: Raw::default(),
        gradient: Vec::new(),
    };
    around.progress.total(settings.steps * settings.batch as u64);
    around.progress.resume_at(run.state.optimiser.step * settings.batch as u64);
    let save = |state: &Checkpoint| match around.checkpoint {
        Some(path) => state.save(path).map_err(|error| TrainError::Io { path: path.to_owned(), error }),
        None => Ok(()),
    };
    let (mut figures, mut saved) = (None, Instant::now());
    if around.judges_start && run.state.optimiser.step == 0 && log.entries().is_empty() {
        log.append(LogEntry::validation(0, 0, &run.validate(validation, &held_out)?))?;
    }
    while run.state.optimiser.step < settings.steps && !around.interrupt.is_raised() {
        let gradient = run.step()?;
        let step = run.state.optimiser.step;
        around.progress.advance(settings.batch as u64);
        let positions = step * settings.batch as u64;
        if step.is_multiple_of(settings.log_every) {
            let rate = settings.optimiser.rate_at(step - 1, settings.steps);
            let here = std::mem::take(&mut run.state.figures);
            let entry = LogEntry::training(step, positions, &here, rate, gradient);
            around.progress.note(&entry.text());
            log.append(entry)?;
        }
        if step.is_multiple_of(settings.validate_every) || step == settings.steps {
            let here = run.validate(validation, &held_out)?;
            let entry = LogEntry::validation(step, positions, &here);
            around.progress.line(&entry.text());
            log.append(entry)?;
            figures = Some(here);
        }
        if saved.elapsed() >= around.save_every {
            save(&run.state)?;
            saved = Instant::now();
        }
    }
    save(&run.state)?;
    let stopped = run.state.optimiser.step < settings.steps;
    if !stopped && figures.is_none() {
        figures = Some(run.validate(validation, &held_out)?);
    }
    Ok(Outcome { state: run.state, validation: figures, stopped, log: log.into_entries() })
}
