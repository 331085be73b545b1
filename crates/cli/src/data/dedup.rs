//! `tesuji data dedup`: every game or position once.

use super::{Memory, Reading, Writing, carry_out, last_is_output, named};
use std::{path::PathBuf, process::ExitCode};
use tesuji_dataset::tasks::{DataTask, DedupTask};

/// Arguments of `tesuji data dedup`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data dedup a.pgn b.pgn all.pgn\n  \
    tesuji data dedup positions.parquet unique.parquet\n\n\
    Games are the same when start and moves are; positions when play can go on from them in the same way, whatever counters, \
    scores and results say. The first one is kept, with what it says. \
    Exit codes: 0 done, 1 nothing could be written, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read and, last, the file to write (`-`: stdout)
    #[arg(required_unless_present = "request", num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { files, memory, reading, writing } = args;
    carry_out(&reading, writing.json, &named(reading.quiet), || {
        let (inputs, output) = last_is_output(files)?;
        let task = DedupTask { writing: writing.into(output), memory: memory.request() };
        Ok(reading.request(inputs, DataTask::Dedup(task)))
    })
}
