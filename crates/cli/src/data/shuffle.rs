//! `tesuji data shuffle`: random order for files of any size.

use super::task::{Memory, Reading, Task, Writing, last_is_output};
use std::path::PathBuf;
use std::process::ExitCode;
use tesuji_dataset::data::shuffle;

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
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
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
    /// Go on with work that was stopped
    #[arg(long)]
    resume: bool,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (inputs, path) = last_is_output(&args.files)?;
    let mut task = Task::new("shuffle", &args.reading, inputs)?;
    let output = task.output(path, &args.writing)?;
    task.resume(args.resume);
    task.word(format!("seed {}", args.seed));
    let folder = args.memory.folder(Some(path));
    let tally = task.run(|job| shuffle(job, &output, args.seed, args.memory.bytes(), &folder))?;
    task.end(&tally, path, args.writing.json)
}
