//! A training, whatever the game: from sources of samples to a net and its log.

use crate::net::net_file;
use anyhow::Context;
use std::{path::Path, time::Duration};
use tesuji_cuda::{ComputeDevice, Cuda, card::Card, device::Precision};
use tesuji_jobs::{Progress, threads};
use tesuji_kit::{
    RequestError, WrittenNets,
    networks::{TrainNews, TrainRequest, TrainRun},
};
use tesuji_nn::{Architecture, Origin, Weights};
use tesuji_train::{
    cpu::Cpu,
    learn::{Outcome, Surroundings, begin, learn},
    sample::Source,
};

/// Trains `architecture` on what `sources` give (to learn from, and held out); `samples` says in words which these are.
pub fn train<T: Source, V: Source>(
    request: &TrainRequest,
    architecture: Architecture,
    samples: String,
    (mut source, mut held_out): (T, V),
    run: &mut TrainRun<'_>,
) -> anyhow::Result<Outcome> {
    (run.news)(TrainNews::Samples(&samples));
    let settings = request.settings(architecture, samples);
    let from = request.from.as_deref().map(|path| begun_with(path, &settings.architecture)).transpose()?;
    let (checkpoint, log) = (request.checkpoint_path(), request.log_path());
    let state = begin(&settings, Some(&checkpoint), from.as_ref())?;
    if state.optimiser.step > 0 {
        let positions = state.optimiser.step * settings.batch as u64;
        (run.news)(TrainNews::GoingOn { checkpoint: &checkpoint, positions });
    }
    let progress = Progress::start("training", "positions", None, run.show);
    let threads = threads(request.threads);
    let around = Surroundings {
        checkpoint: Some(&checkpoint),
        log: Some(&log),
        save_every: Duration::from_secs(request.save_every),
        threads,
        interrupt: run.interrupt,
        progress: &progress,
        judges_start: run.judges_start,
    };
    let samples = (&mut source, &mut held_out);
    let outcome = match request.device {
        ComputeDevice::Processor => learn(state, Cpu::new(threads, settings.batch)?, samples, &around)?,
        ComputeDevice::Card(ordinal) => {
            learn(state, Cuda::new(Card::new(ordinal, Precision::Tensor)?, settings.batch)?, samples, &around)?
        }
    };
    progress.finish();
    if !outcome.stopped {
        let mut weights = outcome.net()?;
        weights.origin = origin(run, &outcome, from.as_ref());
        let written = WrittenNets::beside(&checkpoint);
        written.write(&request.out, &weights.write()).with_context(|| request.out.display().to_string())?;
    }
    Ok(outcome)
}

/// The net of a file that a run of `wanted` begins with. One that fits boards of all sizes goes on with the one of this run.
fn begun_with(path: &Path, wanted: &Architecture) -> anyhow::Result<Weights> {
    let name = path.display().to_string();
    let bytes = net_file(&name)?;
    let mut weights = Weights::read(&bytes).with_context(|| name.clone())?;
    let (height, width) = (wanted.height, wanted.width);
    weights.architecture.expect_board(height, width).map_err(|error| RequestError::value("from", &name, error))?;
    (weights.architecture.height, weights.architecture.width) = (height, width);
    Ok(weights)
}

/// The origin of the net, as its file says it.
fn origin(run: &TrainRun<'_>, outcome: &Outcome, from: Option<&Weights>) -> Origin {
    let settings = &outcome.state.settings;
    let seen = outcome.state.optimiser.step * settings.batch as u64;
    let mut origin = Origin::from([
        ("made by".to_owned(), run.made_by.clone()),
        ("command".to_owned(), run.command.clone()),
        ("data".to_owned(), settings.samples.clone()),
        ("positions".to_owned(), seen.to_string()),
        ("validation".to_owned(), outcome.last_validation()),
    ]);
    if let Some(from) = from {
        let command = from.origin.get("command").cloned().unwrap_or_else(|| "another net".into());
        origin.insert("begun with".to_owned(), command);
    }
    origin
}
