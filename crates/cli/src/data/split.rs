//! `tesuji data split`: training and validation, game by game, or parts of one size.

use super::{Reading, Writing, carry_out, named, share};
use std::{path::PathBuf, process::ExitCode};
use tesuji_dataset::{
    HELD_OUT_SEED,
    tasks::{DataTask, SplitTask},
};

/// Arguments of `tesuji data split`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data split games.sgs.zst --train train.parquet --valid valid.parquet\n  \
    tesuji data split a.parquet b.parquet --train t.parquet --valid v.parquet --share 0.05 --seed 3\n  \
    tesuji data split starts.hcp --parts 10 --out part.hcp\n\n\
    Where a game goes depends on its start and moves and on the seed alone: no game has positions in both files, whatever file \
    its positions are in, shuffled or not. Formats that do not name the game of a position cannot be split so. \
    --parts splits any records in turn, into part-01.hcp to part-10.hcp; games stay whole. \
    Exit codes: 0 done, 1 nothing could be written, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read (`-`: stdin)
    #[arg(required_unless_present = "request", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file for most games
    #[arg(long, value_name = "FILE", required_unless_present_any = ["request", "parts"])]
    train: Option<PathBuf>,
    /// The file for the others
    #[arg(long, value_name = "FILE", required_unless_present_any = ["request", "parts"])]
    valid: Option<PathBuf>,
    /// This number of parts of one size instead; positions of one game may be in several of them
    #[arg(long, value_name = "N", requires = "out", conflicts_with_all = ["train", "valid", "share", "seed"])]
    parts: Option<usize>,
    /// The name of the parts, which are numbered: a.hcp becomes a-1.hcp, a-2.hcp …
    #[arg(long, value_name = "FILE", requires = "parts")]
    out: Option<PathBuf>,
    /// The share of the others
    #[arg(long, default_value = "0.1", value_name = "SHARE", value_parser = share)]
    share: f64,
    /// Decides which games go where; with the same seed and share tune holds the same games out, and train does with this one
    #[arg(long, default_value_t = HELD_OUT_SEED, value_name = "S")]
    seed: u64,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { files, train, valid, parts, out, share, seed, reading, writing } = args;
    carry_out(&reading, writing.json, &named(reading.quiet), || {
        let [output, valid] = [train.or(out), valid].map(Option::unwrap_or_default);
        let task = SplitTask { writing: writing.into(output), valid, parts, share, seed };
        Ok(reading.request(files, DataTask::Split(task)))
    })
}
