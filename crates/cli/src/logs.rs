//! Logs in layers: a level for all rooms, a level for one room, a file. Never to stdout, which belongs to the protocols.

use anyhow::Context;
use std::{path::PathBuf, sync::Mutex};
use tesuji_jobs::{open_program_log, terminal::shows_colours};
use tracing_subscriber::{Layer, filter::Targets, fmt, prelude::*};

/// Logging and output files, the same for every subcommand.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The log level: LEVEL for all, NAME=LEVEL for one part; levels: error, warn, info, debug, trace. `protocol=trace` shows
    /// the traffic of engines
    #[arg(long, global = true, value_name = "LEVEL[,NAME=LEVEL]", default_value = "warn", env = "TESUJI_LOG")]
    log: String,
    /// Write the log to FILE (appended) instead of stderr
    #[arg(long, global = true, value_name = "FILE")]
    log_file: Option<PathBuf>,
    /// Replace output files that exist, where they are refused otherwise
    #[arg(long, global = true)]
    pub(crate) force: bool,
}

impl Args {
    /// Whether one of the words of `--log` is `word`.
    pub(crate) fn wants(&self, word: &str) -> bool {
        self.log.split(',').any(|w| w.trim() == word)
    }
}

/// Starts logging.
pub(crate) fn start(args: &Args) -> anyhow::Result<()> {
    // Faults of a fleet's connection are told in words of our own.
    let filter: Targets = format!("async_nats=off,{}", args.log)
        .parse()
        .with_context(|| format!("--log {:?}: expected LEVEL[,NAME=LEVEL], as in warn,protocol=trace", args.log))?;
    let layer = match &args.log_file {
        None => {
            let is_coloured = shows_colours(&std::io::stderr());
            fmt::layer().with_writer(std::io::stderr).with_ansi(is_coloured).log_internal_errors(false).boxed()
        }
        Some(path) => {
            let file = open_program_log(path).context("--log-file")?;
            fmt::layer().with_writer(Mutex::new(file)).with_ansi(false).log_internal_errors(false).boxed()
        }
    };
    tracing_subscriber::registry().with(layer.with_filter(filter)).init();
    Ok(())
}
