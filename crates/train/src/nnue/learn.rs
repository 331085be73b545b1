//! A run of training an efficiently updatable network: positions in, steps, validations, checkpoints, a log; stopped and gone on
//! with at any moment.

use super::checkpoint::{Checkpoint, State, save};
use super::device::NnueBackend;
use super::inputs::InputTable;
use super::layout::NnueLayout;
use super::net::Learner;
use super::positions::PositionsFile;
use super::settings::{BETAS, NnueSettings};
use super::stream::PositionStream;
use super::tail::{NnueSums, NnueTarget};
use super::tensor::NnueStep;
use super::worker::{OnDevice, Preparer, Processor, Worker};
use crate::error::TrainError;
use crate::learn::{Surroundings, checkpoint_bytes};
use crate::log::{Log, LogEntry, What};
use crate::sample::SourceError;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};
use tesuji_nn::kernels::Isa;
use tesuji_nn::nnue::{Architecture, FloatWeights};

/// Batches that are made ahead.
const BATCHES_AHEAD: usize = 2;

/// The result of a training run.
#[derive(Debug, Clone, PartialEq)]
pub struct NnueOutcome {
    /// The network after the last step.
    pub weights: FloatWeights,
    /// Steps taken.
    pub step: u64,
    /// The last validation.
    pub validation: Option<LogEntry>,
    /// Whether an interrupt ended it before its last step.
    pub stopped: bool,
    /// The lines of its log, from the beginning of the run.
    pub log: Vec<LogEntry>,
    /// Positions per second in the steps of this call: validations and checkpoints are not counted.
    pub speed: Option<f64>,
}

/// A run that is ready to begin, or to go on.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_jobs::{Interrupt, Progress, Show};
/// use tesuji_nn::nnue::{Architecture, Network};
/// use tesuji_train::{
///     learn::Surroundings,
///     nnue::{
///         CellLayout, CellPosition, InputTable, NnueRun, NnueSettings, PositionsFile, PositionsHeader, PositionsWriter,
///         SideInputs, weights_of_checkpoint,
///     },
/// };
/// # let layout = CellLayout { cells: 4, counts_from: 4, value_bits: 2, used_max: 4 };
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("cells.positions");
/// # let header = PositionsHeader { game: "cells".into(), layout, words: "an example".into(), training: 4, held_out: 2, base: "".into() };
/// # let mut writer = PositionsWriter::begin(&path, &header)?;
/// # for ply in 0..6u16 {
/// #     let mut position = CellPosition { ply: std::num::NonZeroU16::new(ply), ..CellPosition::default() };
/// #     position.cells[usize::from(ply) % 4] = 1;
/// #     let mut record = Vec::new();
/// #     layout.pack(&position, &mut record)?;
/// #     writer.push(&record)?;
/// # }
/// # writer.finish()?;
/// # let first = |_: usize, cell: usize, value: u8| (value < 3).then(|| 4 * (u32::from(value) - 1) + cell as u32);
/// # let second = |_: usize, cell: usize, value: u8| (value < 3).then(|| 4 * (2 - u32::from(value)) + cell as u32);
/// # let sides = [SideInputs { anchor: None, input: &first }, SideInputs { anchor: None, input: &second }];
/// // A table of inputs and a file of positions, made as their own examples show.
/// let (table, file) = (InputTable::new(layout, (8, 1), sides)?, PositionsFile::open(&path)?);
/// let text = "name = 'small'\ngame = 'cells'\nwidth = 32\nactivation = 'screlu'\n\
///             [features]\nset = 'cells'\ninputs = 8\nactive_max = 4\n";
/// let settings = NnueSettings {
///     architecture: Architecture::parse(text)?,
///     batch: 4,
///     steps: 2,
/// #     seed: 1,
/// #     positions: "an example".into(),
/// #     from: String::new(),
/// #     rate: 0.004,
/// #     rate_last: 0.0004,
/// #     warm_up: 1,
/// #     decay: 0.01,
/// #     score_scale: 400.0,
/// #     result_share: [0.3, 0.5],
/// #     power: 2.0,
/// #     rounded_share: 0.0,
/// #     mirror: false,
/// #     log_every: 1,
/// #     validate_every: 2,
/// #     validation: 2,
///     // …
/// };
/// let run = NnueRun::begin(&settings, table, file, None, None)?;
/// assert_eq!(run.step(), 0);
/// let checkpoint = folder.path().join("run.checkpoint");
/// let (interrupt, progress) = (Interrupt::new(), Progress::start("training", "positions", None, Show::Quiet));
/// let outcome = run.learn(&Surroundings {
///     checkpoint: Some(&checkpoint),
///     log: None,
///     save_every: Duration::from_secs(60),
///     threads: 1,
///     interrupt: &interrupt,
///     progress: &progress,
///     judges_start: false,
/// })?;
/// assert!((outcome.step, outcome.stopped) == (2, false) && outcome.validation.is_some());
/// assert_eq!(weights_of_checkpoint(&checkpoint, &settings.architecture)?, outcome.weights);
/// assert!(Network::quantise(&settings.architecture, &outcome.weights).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NnueRun {
    state: State,
    learner: Learner,
    table: InputTable,
    file: PositionsFile,
}

fn entry(what: What, step: u64, settings: &NnueSettings, sums: &NnueSums) -> LogEntry {
    let mean = |sum: f64, count: f64| (count > 0.0).then(|| sum / count);
    LogEntry {
        what,
        step,
        positions: step * settings.batch as u64,
        of: sums.positions as u64,
        loss: mean(sums.loss, sums.positions).unwrap_or(0.0),
        value: mean(sums.value, sums.positions),
        sign: mean(sums.signs, sums.decided),
        ..LogEntry::default()
    }
}

impl NnueRun {
    /// The state to begin with: that of the checkpoint, if there is one, or `from`, or random numbers.
    ///
    /// # Errors
    /// When the checkpoint cannot be read or is of another run, or `from` or `table` fit another network.
    pub fn begin(
        settings: &NnueSettings,
        table: InputTable,
        file: PositionsFile,
        from: Option<&FloatWeights>,
        checkpoint: Option<&Path>,
    ) -> Result<NnueRun, TrainError> {
        let architecture = &settings.architecture;
        architecture.check()?;
        if table.inputs() != architecture.features.inputs || table.layout() != &file.header().layout {
            return Err(TrainError::Shape {
                found: format!("{} inputs of {:?}", table.inputs(), file.header().layout),
                expected: format!("{} inputs of {:?}", architecture.features.inputs, table.layout()),
            });
        }
        let random;
        let weights = match from {
            Some(weights) => weights,
            None => {
                random = FloatWeights::random(architecture, settings.seed);
                &random
            }
        };
        weights.check(architecture)?;
        let mut learner = Learner::new(architecture, weights, Isa::best());
        let mut state = State { settings: settings.clone(), step: 0, sums: NnueSums::default() };
        if let Some(path) = checkpoint.filter(|path| path.exists()) {
            let fault = |error| TrainError::Checkpoint { path: path.to_owned(), error };
            let bytes = checkpoint_bytes(path)?;
            let read = Checkpoint::from_bytes(&bytes).map_err(fault)?;
            if let Some(difference) = settings.difference(&read.state.settings) {
                return Err(TrainError::Other { path: path.to_owned(), difference });
            }
            read.restore(&mut learner).map_err(fault)?;
            state = State { settings: settings.clone(), ..read.state };
        }
        Ok(NnueRun { state, learner, table, file })
    }

    /// Steps taken before.
    pub fn step(&self) -> u64 {
        self.state.step
    }

    /// Runs to the last step, on the processor: a finished run is only validated.
    ///
    /// # Errors
    /// When positions cannot be read, a file cannot be written, or the loss is no number any more.
    pub fn learn(mut self, around: &Surroundings<'_>) -> Result<NnueOutcome, TrainError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(around.threads.max(1)).build()?;
        let held_out = self.file.held_out(self.state.settings.validation)?;
        let (mut log, settings) = (self.log(around)?, self.state.settings.clone());
        let (from, batch) = (self.state.step, settings.batch);
        let NnueRun { state, learner, table, file } = self;
        let mut stream = PositionStream::new(file, settings.seed, settings.mirror)?;
        let (sender, batches) = sync_channel(BATCHES_AHEAD);
        std::thread::scope(|scope| {
            let read = move || {
                let made = stream.seek(from * batch as u64);
                if let Err(error) = made {
                    return drop(sender.send(Err(error)));
                }
                for _ in from..settings.steps {
                    let made = stream.next(batch);
                    let is_error = made.is_err();
                    if sender.send(made).is_err() || is_error {
                        return;
                    }
                }
            };
            std::thread::Builder::new().spawn_scoped(scope, read).map_err(TrainError::NoThread)?;
            let run = Running { state, worker: Processor { learner, table: &table }, held_out, spent: Duration::ZERO };
            // By value: when the loop ends, the other thread must see that nobody listens.
            pool.install(|| run.finish(move || batches.recv().ok(), around, &mut log))
        })
    }

    /// The same on a device. Threads prepare batches for it; numbers and checkpoints are those of no device, so that a run
    /// may go on with another.
    ///
    /// # Errors
    /// As [`NnueRun::learn`], and when the device fails.
    pub fn learn_on(
        mut self,
        backend: &mut dyn NnueBackend,
        around: &Surroundings<'_>,
    ) -> Result<NnueOutcome, TrainError> {
        let threads = around.threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let held_out = self.file.held_out(self.state.settings.validation)?;
        let (mut log, settings) = (self.log(around)?, self.state.settings.clone());
        let (from, batch) = (self.state.step, settings.batch);
        let NnueRun { state, learner, table, file } = self;
        let mut stream = PositionStream::new(file, settings.seed, settings.mirror)?;
        let preparer = Preparer::new(&table, &pool, settings.architecture.output_buckets);
        let layout = NnueLayout::new(&settings.architecture);
        let worker = OnDevice::new(backend, &preparer, (learner, layout), &state.sums)?;
        let (sender, batches) = sync_channel(threads + BATCHES_AHEAD);
        std::thread::scope(|scope| {
            let preparer = &preparer;
            let read = move || {
                if let Err(error) = stream.seek(from * batch as u64) {
                    return drop(sender.send(Err(error)));
                }
                preparer.pool.in_place_scope(|tasks| {
                    for _ in from..settings.steps {
                        let made = stream.next(batch).map(|made| {
                            // Batches are prepared side by side and arrive in their order.
                            let (done, prepared) = sync_channel(1);
                            tasks.spawn(move |_| {
                                drop(done.send(preparer.prepare(&made.records, &made.mirrored, true)));
                            });
                            prepared
                        });
                        let is_error = made.is_err();
                        if sender.send(made).is_err() || is_error {
                            return;
                        }
                    }
                });
            };
            std::thread::Builder::new().spawn_scoped(scope, read).map_err(TrainError::NoThread)?;
            let run = Running { state, worker, held_out, spent: Duration::ZERO };
            let next = move || match batches.recv().ok()? {
                Ok(prepared) => prepared.recv().ok().map(Ok),
                Err(error) => Some(Err(error)),
            };
            run.finish(next, around, &mut log)
        })
    }

    /// The log of the run, and its progress where that stands.
    fn log(&self, around: &Surroundings<'_>) -> Result<Log, TrainError> {
        let settings = &self.state.settings;
        around.progress.total(settings.steps * settings.batch as u64);
        around.progress.resume_at(self.state.step * settings.batch as u64);
        Log::open(around.log, self.state.step)
    }
}

/// A run under way.
struct Running<W> {
    state: State,
    worker: W,
    held_out: Vec<u8>,
    /// Time that went into validations and checkpoints.
    spent: Duration,
}

impl<W: Worker> Running<W> {
    /// All steps that are left, of batches from `next`.
    fn finish(
        mut self,
        next: impl FnMut() -> Option<Result<W::Batch, SourceError>>,
        around: &Surroundings<'_>,
        log: &mut Log,
    ) -> Result<NnueOutcome, TrainError> {
        let (before, began) = (self.state.step, Instant::now());
        let (validation, stopped) = self.steps(next, around, log)?;
        let took = began.elapsed().saturating_sub(self.spent).as_secs_f64();
        let positions = (self.state.step - before) * self.state.settings.batch as u64;
        Ok(NnueOutcome {
            weights: self.worker.learner()?.weights(),
            step: self.state.step,
            validation,
            stopped,
            log: log.entries().to_vec(),
            speed: (positions > 0 && took > 0.0).then(|| positions as f64 / took),
        })
    }

    fn target(&self, step: u64) -> NnueTarget {
        let settings = &self.state.settings;
        NnueTarget {
            scale: settings.score_scale,
            result_share: settings.result_share_at(step),
            power: settings.power,
            batch: settings.batch as f32,
            corrects: !settings.architecture.base.is_none(),
        }
    }

    /// One step; the length of the gradient where it is asked for.
    fn step(&mut self, batch: W::Batch, asks_length: bool) -> Result<Option<f32>, TrainError> {
        let step = self.state.step;
        if self.state.settings.is_rounded_at(step) != (step > 0 && self.state.settings.is_rounded_at(step - 1)) {
            self.worker.round(self.state.settings.is_rounded_at(step))?;
        }
        let target = self.target(step);
        let length = self.worker.gradient(batch, &target, &mut self.state.sums, asks_length)?;
        if !self.state.sums.loss.is_finite() || length.is_some_and(|length| !length.is_finite()) {
            return Err(TrainError::Diverged { step });
        }
        let settings = &self.state.settings;
        self.worker.step(&NnueStep::new(settings.rate_at(step), settings.decay, BETAS, step + 1))?;
        self.state.step += 1;
        Ok(length)
    }

    fn validate(&mut self) -> Result<LogEntry, TrainError> {
        // What was asked of a device before is no part of the validation.
        self.worker.settle(&mut self.state.sums)?;
        let began = Instant::now();
        let settings = &self.state.settings;
        // The same measure all the time, whatever share the result has in the target by now.
        let target = self.target(settings.steps.saturating_sub(1));
        let sums = self.worker.judge(&self.held_out, settings.batch, &target)?;
        self.spent += began.elapsed();
        Ok(entry(What::Validation, self.state.step, &self.state.settings, &sums))
    }

    fn save(&mut self, around: &Surroundings<'_>) -> Result<(), TrainError> {
        self.worker.settle(&mut self.state.sums)?;
        let Some(path) = around.checkpoint else { return Ok(()) };
        let began = Instant::now();
        let learner = self.worker.learner()?;
        // A network of no numbers must not take the place of the last good one.
        if !learner.is_finite() {
            return Err(TrainError::Diverged { step: self.state.step });
        }
        save(path, &self.state, learner).map_err(|error| TrainError::Io { path: path.to_owned(), error })?;
        self.spent += began.elapsed();
        Ok(())
    }

    /// All steps that are left; the last validation, and whether it was interrupted.
    fn steps(
        &mut self,
        mut next_batch: impl FnMut() -> Option<Result<W::Batch, SourceError>>,
        around: &Surroundings<'_>,
        log: &mut Log,
    ) -> Result<(Option<LogEntry>, bool), TrainError> {
        let settings = self.state.settings.clone();
        let (mut validation, mut saved) = (None, Instant::now());
        if self.state.step > 0 && settings.is_rounded_at(self.state.step - 1) {
            self.worker.round(true)?;
        }
        if around.judges_start && self.state.step == 0 && log.entries().is_empty() {
            log.append(self.validate()?)?;
        }
        while self.state.step < settings.steps && !around.interrupt.is_raised() {
            let Some(batch) = next_batch() else { break };
            let next = self.state.step + 1;
            let logs = next.is_multiple_of(settings.log_every) || next == settings.steps;
            let length = self.step(batch?, logs)?;
            around.progress.advance(settings.batch as u64);
            if logs {
                let sums = std::mem::take(&mut self.state.sums);
                self.worker.restart()?;
                let rate = Some(settings.rate_at(next - 1));
                let line = LogEntry { rate, gradient: length, ..entry(What::Training, next, &settings, &sums) };
                around.progress.note(&line.text());
                log.append(line)?;
            }
            if next.is_multiple_of(settings.validate_every) || next == settings.steps {
                let line = self.validate()?;
                around.progress.line(&line.text());
                log.append(line.clone())?;
                validation = Some(line);
            }
            if saved.elapsed() >= around.save_every {
                self.save(around)?;
                saved = Instant::now();
            }
        }
        self.save(around)?;
        let stopped = self.state.step < settings.steps;
        if !stopped && validation.is_none() {
            validation = Some(self.validate()?);
        }
        Ok((validation, stopped))
    }
}

/// The weights of the checkpoint at `path`, whose run was about `architecture`.
///
/// # Errors
/// When it cannot be read, or is of another network.
pub fn weights_of_checkpoint(path: &Path, architecture: &Architecture) -> Result<FloatWeights, TrainError> {
    let fault = |error| TrainError::Checkpoint { path: path.to_owned(), error };
    let bytes = checkpoint_bytes(path)?;
    let read = Checkpoint::from_bytes(&bytes).map_err(fault)?;
    let of = &read.state.settings.architecture;
    let named = Architecture { name: architecture.name.clone(), scale: architecture.scale, ..of.clone() };
    if named != *architecture {
        let difference = format!("its network is {} of another shape, expected {}", of.name, architecture.name);
        return Err(TrainError::Other { path: path.to_owned(), difference });
    }
    let mut learner = Learner::new(architecture, &FloatWeights::zeros(architecture), Isa::best());
    read.restore(&mut learner).map_err(fault)?;
    Ok(learner.weights())
}
