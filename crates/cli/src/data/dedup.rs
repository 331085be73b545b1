//! `tesuji data dedup`: every game or position once.

use super::task::{Memory, Reading, Task, Writing, last_is_output};
use std::path::PathBuf;
use std::process::ExitCode;
use tesuji_dataset::data::dedup;

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
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
    /// Go on with work that was stopped
    #[arg(long)]
    resume: bool,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (inputs, path) = last_is_output(&args.files)?;
    anyhow::ensure!(inputs.iter().all(|i| i.as_os_str() != "-"), "files are read twice, stdin cannot be");
    let mut task = Task::new("dedup", &args.reading, inputs)?;
    let output = task.output(path, &args.writing)?;
    task.resume(args.resume);
    let folder = args.memory.folder(Some(path));
    let tally = task.run(|job| dedup(job, &output, args.memory.bytes(), &folder))?;
    task.end(&tally, path, args.writing.json)
}
