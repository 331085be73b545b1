//! The run from games to a network: positions are packed, weights learn, and are rounded to the integers of the file.

use super::game::NnueTraining;
use super::prepare::{Prepared, base, base_checksum, prepare};
use super::request::NnueRequest;
use crate::nnue::{NnueNetworks, read_nnue};
use crate::{Kit, RequestError, WrittenNets, check_apart, check_plain_output};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tesuji_cuda::{ComputeDevice, NnueCuda, card::Card, device::Precision};
use tesuji_jobs::{Existing, Interrupt, Progress, Show, check_output, read_text_limited, threads};
use tesuji_nn::Origin;
use tesuji_nn::nnue::{Architecture, FILE_BYTES_MAX, FloatWeights, Network};
use tesuji_train::learn::{Surroundings, TrainError};
use tesuji_train::log::{LogEntry, What};
use tesuji_train::nnue::{
    InputTable, NnueBackend, NnueLayout, NnueOutcome, NnueRun, NnueSettings, weights_of_checkpoint,
};

/// The longest description of a shape, in bytes.
const SHAPE_BYTES_MAX: u64 = 1 << 20;

/// The environment of a training run: what does not change its numbers.
pub struct NnueTrainRun<'a> {
    /// The program that makes the net, with its version, for the net's origin.
    pub made_by: String,
    /// The command that makes it, for the same.
    pub command: String,
    /// The display of progress.
    pub show: Show,
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
    /// Is told what happens.
    pub news: &'a mut dyn FnMut(NnueNews<'_>),
}

/// Progress of a training run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NnueNews<'a> {
    /// A description of the positions.
    Positions(&'a str),
    /// Packed positions of an earlier run are used.
    Reused(&'a Path),
    /// A run is gone on with: its checkpoint, and the positions that it has seen.
    GoingOn(&'a Path, u64),
    /// The device that took the steps, and how many positions a second went through them.
    Speed(&'a str, f64),
}

impl std::fmt::Display for NnueNews<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NnueNews::Positions(words) => f.write_str(words),
            NnueNews::Reused(path) => write!(f, "the positions of {} are used again", path.display()),
            NnueNews::GoingOn(path, positions) => {
                write!(f, "going on with {} after {positions} positions", path.display())
            }
            NnueNews::Speed(device, speed) => write!(f, "{speed:.0} positions a second ({device})"),
        }
    }
}

/// The end of a training run.
#[derive(Debug, Clone, PartialEq)]
pub struct NnueDone {
    /// The shape.
    pub architecture: Architecture,
    /// Positions that were learned from, each as often as it was seen.
    pub positions: u64,
    /// The last validation.
    pub validation: Option<LogEntry>,
    /// The lines of the log.
    pub log: Vec<LogEntry>,
    /// Whether an interrupt ended it: no net was written.
    pub stopped: bool,
}

impl NnueDone {
    /// A line about a run that taught the net little, or its own games by heart; `None` for others.
    pub fn warning(&self, request: &NnueRequest) -> Option<String> {
        let judged: Vec<&LogEntry> = self.log.iter().filter(|entry| entry.what == What::Validation).collect();
        let (first, last) = (judged.first()?, judged.last()?);
        let least = judged.iter().min_by(|a, b| a.loss.total_cmp(&b.loss))?;
        if last.loss > least.loss * OVERFITTED {
            return Some(format!(
                "validation was best ({:.5}) after {} of {} positions and has risen to {:.5}: the net learns its games by heart; \
                 it wants more games, or fewer --epochs",
                least.loss, least.positions, last.positions, last.loss
            ));
        }
        // One that corrects an evaluation begins where that stands.
        let begins_at_random = request.from.is_none() && self.architecture.base.is_none();
        (begins_at_random && last.loss > first.loss * LITTLE_LEARNED).then(|| {
            let more_epochs = if last.loss <= least.loss { ", or more --epochs" } else { "" };
            format!(
                "validation went from {:.5} to {:.5} only: this net knows next to nothing; it wants more games{more_epochs}",
                first.loss, last.loss
            )
        })
    }
}

/// A run whose last validation is more than this share of the first has taught next to nothing.
const LITTLE_LEARNED: f64 = 0.9;
/// A run whose last validation is this many times its best one is overfitted.
const OVERFITTED: f64 = 1.05;

/// Trains a network and writes it.
///
/// # Errors
/// When the request cannot be carried out; what is wrong with a file names it.
pub fn train_nnue(
    request: &NnueRequest,
    kit: &'static dyn Kit,
    run: &mut NnueTrainRun<'_>,
) -> Result<NnueDone, RequestError> {
    request.validate()?;
    let nnue = kit
        .nnue_training()
        .ok_or_else(|| RequestError::value("game", &request.game, "it has no efficiently updatable networks"))?;
    let architecture = shape(kit, request)?;
    let table = inputs(nnue, &architecture, request)?;
    if !architecture.base.is_none() {
        can_correct(kit, &architecture, request)?;
    }
    let (checkpoint, log) = (request.checkpoint_path(), request.log_path());
    let written = WrittenNets::beside(&checkpoint);
    let existing = if checkpoint.exists() { written.treatment(&request.out) } else { Existing::Refuse };
    let outputs = request.outputs();
    check_apart(&outputs)?;
    let shape = PathBuf::from(&request.net);
    for path in &outputs {
        let existing = if *path == request.out { existing } else { Existing::Replace };
        check_plain_output(path, request.games.iter().chain(&request.from).chain([&shape]))?;
        check_output(path, existing).map_err(RequestError::failed)?;
    }
    // Before games are read: a card that is not there is told at once.
    let card = open_card(request.device)?;
    let progress = Progress::start("reading", "bytes", None, run.show);
    let prepared = prepare(request, (kit, nnue), run.interrupt, &progress)?;
    progress.finish();
    let stopped = |positions| NnueDone {
        architecture: architecture.clone(),
        positions,
        validation: None,
        log: Vec::new(),
        stopped: true,
    };
    let Prepared::Ready(file, counts) = prepared else { return Ok(stopped(0)) };
    match counts {
        Some(counts) => (run.news)(NnueNews::Positions(&counts.words())),
        None => (run.news)(NnueNews::Reused(&request.prepared_path())),
    }
    let header = file.header().clone();
    if !architecture.base.is_none() && header.base != base_checksum(kit) {
        let words = "has the values of other weights of the hand-made evaluation; --games FILE --force makes it again";
        return Err(RequestError::failed(format!("{}: {words}", request.prepared_path().display())));
    }
    let from = request.from.as_deref().map(|path| begin_from(path, &architecture, kit)).transpose()?;
    let begun = request.from.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
    let settings = request.settings(architecture.clone(), (header.words.clone(), header.training), begun);
    let learning =
        NnueRun::begin(&settings, table, *file, from.as_ref(), Some(&checkpoint)).map_err(RequestError::failed)?;
    if learning.step() > 0 {
        (run.news)(NnueNews::GoingOn(&checkpoint, learning.step() * settings.batch as u64));
    }
    let progress = Progress::start("training", "positions", None, run.show);
    let around = Surroundings {
        checkpoint: Some(&checkpoint),
        log: Some(&log),
        save_every: Duration::from_secs(request.save_every),
        threads: threads(request.threads),
        interrupt: run.interrupt,
        progress: &progress,
        judges_start: true,
    };
    let outcome = learn(learning, (&settings, card), &around, run).map_err(|error| ended(&error, &checkpoint))?;
    progress.finish();
    let positions = outcome.step * settings.batch as u64;
    if !outcome.stopped {
        let network = network(request, (&architecture, kit), (&outcome, positions), &header.words, run)?;
        written.write(&request.out, &network.write()).map_err(RequestError::failed)?;
    }
    let NnueOutcome { validation, log, stopped, .. } = outcome;
    Ok(NnueDone { architecture, positions, validation, log, stopped })
}

/// That a network which corrects the hand-made evaluation can be trained as asked.
fn can_correct(kit: &dyn Kit, architecture: &Architecture, request: &NnueRequest) -> Result<(), RequestError> {
    let name = &architecture.name;
    if base(kit).is_empty() {
        return Err(RequestError::value(
            "net",
            name,
            "this game has no hand-made evaluation that a network could correct",
        ));
    }
    if request.mirror {
        let words = format!("`{name}` corrects the hand-made evaluation, which values a mirrored board differently");
        return Err(RequestError::value("mirror", true, words));
    }
    let scale = architecture.scale as f32;
    if request.score_scale > 0.0 && request.score_scale != scale {
        let words =
            format!("expected {scale}, the scale of `{name}`: it is added to the hand-made evaluation, in centipawns");
        return Err(RequestError::value("score_scale", request.score_scale, words));
    }
    if request.device != ComputeDevice::Processor {
        let words = format!(
            "`{name}` corrects the hand-made evaluation: such networks are trained on the processor alone (cpu)"
        );
        return Err(RequestError::value("device", request.device, words));
    }
    Ok(())
}

/// The card of a device, opened; products in single precision: layers are small.
fn open_card(device: ComputeDevice) -> Result<Option<Card>, RequestError> {
    match device {
        ComputeDevice::Processor => Ok(None),
        ComputeDevice::Card(ordinal) => Card::new(ordinal, Precision::Single).map(Some).map_err(RequestError::failed),
    }
}

/// The steps of a run, on the processor or a card.
fn learn(
    learning: NnueRun,
    (settings, card): (&NnueSettings, Option<Card>),
    around: &Surroundings<'_>,
    run: &mut NnueTrainRun<'_>,
) -> Result<NnueOutcome, TrainError> {
    let (outcome, name) = match card {
        None => (learning.learn(around)?, format!("cpu, {} threads", around.threads)),
        Some(card) => {
            let layout = NnueLayout::new(&settings.architecture);
            let card = NnueCuda::new(card, layout, settings.batch);
            let mut card = card.map_err(|error| TrainError::Device(error.to_string()))?;
            let name = format!("{}, {} threads", card.name(), around.threads);
            (learning.learn_on(&mut card, around)?, name)
        }
    };
    if let Some(speed) = outcome.speed {
        (run.news)(NnueNews::Speed(&name, speed));
    }
    Ok(outcome)
}

/// The shape that a request names.
fn shape(kit: &dyn Kit, request: &NnueRequest) -> Result<Architecture, RequestError> {
    let name = &request.net;
    let architecture = match kit.nnue().and_then(|nnue| nnue.shape(name)) {
        Some(architecture) => architecture,
        None if name.ends_with(".toml") => {
            let text = read_text_limited(Path::new(name), SHAPE_BYTES_MAX).map_err(RequestError::failed)?;
            Architecture::parse(&text).map_err(|error| RequestError::value("net", name, error))?
        }
        None => {
            let known = kit.nnue().map(|nnue| nnue.shapes().join(", ")).unwrap_or_default();
            let words = format!("expected a TOML file, or one of {known}");
            return Err(RequestError::value("net", name, words));
        }
    };
    if architecture.game != kit.name() {
        let words = format!("a network of {}, expected one of {}", architecture.game, kit.name());
        return Err(RequestError::value("net", name, words));
    }
    Ok(architecture)
}

/// The inputs of positions, mirrored where that is asked for.
fn inputs(
    nnue: &dyn NnueTraining,
    architecture: &Architecture,
    request: &NnueRequest,
) -> Result<InputTable, RequestError> {
    let table = nnue.table(architecture).map_err(|error| RequestError::value("net", &request.net, error))?;
    if !request.mirror {
        return Ok(table);
    }
    let mirror = nnue.mirror();
    let words = "a mirrored board is worth something else in this game";
    mirror.map(|cells| table.with_mirror(cells)).ok_or_else(|| RequestError::value("mirror", true, words))
}

/// The weights that a run begins with: those of a network, or of a checkpoint.
fn begin_from(path: &Path, architecture: &Architecture, kit: &dyn Kit) -> Result<FloatWeights, RequestError> {
    let games: Vec<&dyn NnueNetworks> = kit.nnue().into_iter().collect();
    // Checkpoints may be larger than any network.
    let is_larger = std::fs::metadata(path).is_ok_and(|file| file.len() > FILE_BYTES_MAX);
    let network = if is_larger { Ok(None) } else { read_nnue(path, &games) };
    let Some(network) = network.map_err(|error| RequestError::failed(format!("from {error:#}")))? else {
        let weights = weights_of_checkpoint(path, architecture);
        return weights.map_err(|error| RequestError::value("from", path.display(), error));
    };
    let of = &network.architecture;
    let named = Architecture { name: architecture.name.clone(), scale: architecture.scale, ..of.clone() };
    if named != *architecture {
        let words = format!("its network is {} of another shape, expected {}", of.name, architecture.name);
        return Err(RequestError::value("from", path.display(), words));
    }
    if !of.base.is_none() && network.base != base(kit) {
        let words = "its network corrects a hand-made evaluation with other weights than the built-in ones";
        return Err(RequestError::value("from", path.display(), words));
    }
    Ok(network.floats())
}

/// The error of a run that ended early, with what remains of it.
fn ended(error: &TrainError, checkpoint: &Path) -> RequestError {
    let is_kept = checkpoint.exists() && matches!(error, TrainError::Io { .. } | TrainError::Diverged { .. });
    let words = match (is_kept, error) {
        (false, _) => String::new(),
        (true, TrainError::Diverged { .. }) => format!(": {}", checkpoint.display()),
        (true, _) => format!("; {} is the last checkpoint: the same command goes on from it", checkpoint.display()),
    };
    RequestError::failed(format!("{error}{words}"))
}

/// The net with rounded weights.
fn network(
    request: &NnueRequest,
    (architecture, kit): (&Architecture, &dyn Kit),
    (outcome, positions): (&NnueOutcome, u64),
    words: &str,
    run: &NnueTrainRun<'_>,
) -> Result<Network, RequestError> {
    let mut network = Network::quantise(architecture, &outcome.weights).map_err(RequestError::failed)?;
    if !architecture.base.is_none() {
        base(kit).clone_into(&mut network.base);
    }
    network.origin = Origin::from([
        ("made by".to_owned(), run.made_by.clone()),
        ("command".to_owned(), run.command.clone()),
        ("data".to_owned(), words.to_owned()),
        ("positions".to_owned(), positions.to_string()),
        ("validation".to_owned(), outcome.validation.as_ref().map(LogEntry::text).unwrap_or_default()),
    ]);
    if let Some(from) = &request.from {
        network.origin.insert("begun with".to_owned(), from.display().to_string());
    }
    Ok(network)
}
