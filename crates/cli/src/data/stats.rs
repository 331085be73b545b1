//! `tesuji data stats`: what is in files.

use super::{Memory, Reading, carry_out, named};
use std::{path::PathBuf, process::ExitCode};
use tesuji_dataset::tasks::{DataTask, StatsTask};

/// Arguments of `tesuji data stats`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data stats games.sgs.zst\n  \
    tesuji data stats train.parquet valid.parquet --json\n\n\
    Results and scores are for the side that moves first; positions are the same when play can go on from them in the same way. \
    Exit codes: 0 done, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read (`-`: stdin)
    #[arg(required_unless_present = "request", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print all counts as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    reading: Reading,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { files, json, memory, reading } = args;
    carry_out(&reading, json, &named(reading.quiet), || {
        Ok(reading.request(files, DataTask::Stats(StatsTask { memory: memory.request() })))
    })
}
