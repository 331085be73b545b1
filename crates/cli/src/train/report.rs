//! The run itself, whatever the game: from sources of samples to a net, its log and its curves.

use super::Args;
use crate::{games::net_file, version};
use anyhow::Context;
use std::{path::Path, process::ExitCode, time::Duration};
use tesuji_cuda::{Cuda, Place, card::Card, device::Precision};
use tesuji_jobs::{AtomicFile, Interrupt, Progress, Show, threads};
use tesuji_nn::{Architecture, Origin, Weights};
use tesuji_report::training;
use tesuji_train::cpu::Cpu;
use tesuji_train::learn::{Outcome, Surroundings, begin, learn};
use tesuji_train::log::{Entry, read};
use tesuji_train::sample::Source;

/// Trains `architecture` on what `sources` give (to learn from, and held out); `samples` says in words which these are.
pub(super) fn train<T: Source, V: Source>(
    args: &Args,
    architecture: Architecture,
    samples: String,
    (mut source, mut held_out): (T, V),
) -> anyhow::Result<Outcome> {
    let settings = args.settings(architecture, samples)?;
    let mut from = args.from.as_deref().map(net).transpose()?;
    if let Some(weights) = &mut from {
        // One that fits boards of all sizes goes on with the one of this run.
        let (height, width) = (settings.architecture.height, settings.architecture.width);
        let path = || format!("--from {}", args.from.as_deref().unwrap_or(Path::new("")).display());
        weights.architecture.expect_board(height, width).with_context(path)?;
        (weights.architecture.height, weights.architecture.width) = (height, width);
    }
    let checkpoint = args.beside(&args.run.checkpoint, "checkpoint");
    let log = args.beside(&args.run.journal, "log");
    let state = begin(&settings, Some(&checkpoint), from.as_ref())?;
    let begun = state.optimiser.step;
    if begun > 0 && !args.run.quiet {
        eprintln!("going on with {} after {} positions", checkpoint.display(), begun * settings.batch as u64);
    }
    let show = if args.run.quiet { Show::Quiet } else { Show::Lines };
    let progress = Progress::start("training", "positions", None, show);
    let threads = threads(args.run.threads);
    let around = Surroundings {
        checkpoint: Some(&checkpoint),
        log: Some(&log),
        save_every: Duration::from_secs(args.run.save_every),
        threads,
        interrupt: &Interrupt::of_process(),
        progress: &progress,
        judges_start: args.made_by.is_some(),
    };
    let samples = (&mut source, &mut held_out);
    let outcome = match args.run.device {
        Place::Processor => learn(state, Cpu::new(threads, settings.batch)?, samples, &around)?,
        Place::Card(ordinal) => {
            learn(state, Cuda::new(Card::new(ordinal, Precision::Tensor)?, settings.batch)?, samples, &around)?
        }
    };
    progress.finish();
    if let Some(path) = &args.run.curves {
        draw(&log, path)?;
    }
    if !outcome.stopped {
        let mut weights = outcome.net()?;
        weights.origin = origin(args, &outcome, from.as_ref());
        AtomicFile::write(&args.out, &weights.write()).with_context(|| args.out.display().to_string())?;
    }
    Ok(outcome)
}

/// Says how a run ended.
pub(super) fn tell(args: &Args, outcome: &Outcome) -> anyhow::Result<ExitCode> {
    let seen = outcome.state.optimiser.step * outcome.state.settings.batch as u64;
    if outcome.stopped {
        eprintln!("stopped after {seen} positions; the same command goes on");
        return Ok(ExitCode::from(4));
    }
    println!("{}", validation(outcome));
    let parameters = outcome.state.settings.architecture.parameters();
    println!("{parameters} parameters in {}", args.out.display());
    Ok(ExitCode::SUCCESS)
}

/// The last validation in words.
fn validation(outcome: &Outcome) -> String {
    let step = outcome.state.optimiser.step;
    let seen = step * outcome.state.settings.batch as u64;
    outcome.validation.map(|figures| Entry::validation(step, seen, &figures).text()).unwrap_or_default()
}

/// The net of a file.
fn net(path: &Path) -> anyhow::Result<Weights> {
    let bytes = net_file(&path.display().to_string())?;
    Weights::read(&bytes).with_context(|| path.display().to_string())
}

/// Where the net comes from, as its file says it.
fn origin(args: &Args, outcome: &Outcome, from: Option<&Weights>) -> Origin {
    let settings = &outcome.state.settings;
    let seen = outcome.state.optimiser.step * settings.batch as u64;
    let words = || format!("tesuji {}", std::env::args().skip(1).collect::<Vec<_>>().join(" "));
    let mut origin = Origin::from([
        ("made by".to_owned(), format!("tesuji {}", version::short())),
        ("command".to_owned(), args.made_by.clone().unwrap_or_else(words)),
        ("data".to_owned(), settings.samples.clone()),
        ("positions".to_owned(), seen.to_string()),
        ("validation".to_owned(), validation(outcome)),
    ]);
    if let Some(from) = from {
        origin.insert(
            "begun with".to_owned(),
            from.origin.get("command").cloned().unwrap_or_else(|| "another net".into()),
        );
    }
    origin
}

/// Draws the log: hits into `path`, the loss beside it.
fn draw(log: &Path, path: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(log).with_context(|| log.display().to_string())?;
    let entries = read(&text.lines().collect::<Vec<_>>()).map_err(anyhow::Error::msg)?;
    let write = |path: &Path, what| {
        AtomicFile::write(path, training::svg(&entries, what).as_bytes()).with_context(|| path.display().to_string())
    };
    write(path, training::Curve::Top1)?;
    write(&path.with_extension("loss.svg"), training::Curve::Loss)
}
