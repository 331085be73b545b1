//! `tesuji data convert`: files in another format.

use super::{Near, Reading, Writing, carry_out, last_is_output, named};
use std::{path::PathBuf, process::ExitCode};
use tesuji_dataset::tasks::{ConvertTask, DataTask};

/// Arguments of `tesuji data convert`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data convert games.sgs.zst games.pgn.gz\n  \
    tesuji data convert a.pgn b.pgn.zip games.viri\n  \
    tesuji data convert games.viri positions.parquet --jobs 4\n  \
    tesuji data convert games.sgs - --to text --fill-score 0 | head\n  \
    tesuji data convert --game shogi teacher.psv start.hcp --score-below 500 --or-ply-max 30 --lossy\n\n\
    Games become positions where the output holds positions, and positions of a game become games again where it holds games. \
    What games have and the output cannot hold (variations, comments, clocks and so on) is left out, counted and printed; positions \
    whose every record would lose something need --lossy. Interrupted work goes on with --resume and the same words. \
    Exit codes: 0 done, 1 nothing could be written, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read and, last, the file to write (`-`: stdin, stdout)
    #[arg(required_unless_present = "request", num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
    #[command(flatten)]
    near: Near,
    /// Between packed formats of shogi: check only what the conversion itself needs, not moves and results
    #[arg(long)]
    unchecked: bool,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { files, reading, writing, near, unchecked } = args;
    carry_out(&reading, writing.json, &named(reading.quiet), || {
        let (inputs, output) = last_is_output(files)?;
        let Near { score_below, or_ply_max } = near;
        let task = ConvertTask { writing: writing.into(output), score_below, or_ply_max, unchecked };
        Ok(reading.request(inputs, DataTask::Convert(task)))
    })
}
