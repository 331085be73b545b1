//! `tesuji data check`: every broken record by name.

use super::{Reading, carry_out};
use std::{
    path::PathBuf,
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};
use tesuji_dataset::{
    data::DataError,
    tasks::{CheckTask, DataTask},
};

/// Arguments of `tesuji data check`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data check games.pgn\n  \
    tesuji data check positions.parquet --max 100\n\n\
    Every move is played and every position looked at. Each broken record is named with its file, line or number, and what was \
    expected there. Exit codes: 0 all is well, 1 something is broken, 2 wrong usage, or a file that cannot be read at all.")]
pub(crate) struct Args {
    /// The files to read (`-`: stdin)
    #[arg(required_unless_present = "request", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Name at most this many broken records; all are counted
    #[arg(long, default_value_t = 1000, value_name = "N")]
    max: u64,
    #[command(flatten)]
    reading: Reading,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { files, max, reading } = args;
    let named = AtomicU64::new(0);
    let complain = |error: &DataError| {
        if named.fetch_add(1, Relaxed) < max {
            println!("{error}");
        }
    };
    carry_out(&reading, false, &complain, || Ok(reading.request(files, DataTask::Check(CheckTask {}))))
}
