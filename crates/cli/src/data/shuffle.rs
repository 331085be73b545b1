//! `tesuji data shuffle`: random order for files of any size.

use super::{Memory, Reading, Writing, carry_out, last_is_output, named};
use std::{path::PathBuf, process::ExitCode};
use tesuji_dataset::tasks::{DataTask, ShuffleTask};

/// Arguments of `tesuji data shuffle`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data shuffle a.parquet b.parquet all.parquet --seed 7\n  \
    tesuji data shuffle games.viri mixed.bullet --memory 4096\n\n\
    The order depends on the seed alone, not on --jobs and --memory. Where the output holds games, games are shuffled; where it \
    holds positions, positions are. Beyond --memory the records lie on the disk for a while, once. \
    Exit codes: 0 done, 1 nothing could be written, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read and, last, the file to write (`-`: stdin, stdout)
    #[arg(required_unless_present = "request", num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Decides the order
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { files, seed, memory, reading, writing } = args;
    carry_out(&reading, writing.json, &named(reading.quiet), || {
        let (inputs, output) = last_is_output(files)?;
        let task = ShuffleTask { writing: writing.into(output), seed, memory: memory.request() };
        Ok(reading.request(inputs, DataTask::Shuffle(task)))
    })
}
