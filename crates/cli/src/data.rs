//! `tesuji data`: files of games and positions converted, sifted, shuffled, split and looked at, one subcommand a file.

mod check;
mod convert;
mod dedup;
mod filter;
mod mates;
mod near;
mod rescore;
mod show;
mod shuffle;
mod split;
mod stats;
mod task;

use crate::features;
use std::process::ExitCode;

/// Arguments of `tesuji data`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data stats games.sgs.zst\n  \
    tesuji data convert games.sgs.zst positions.parquet\n  \
    tesuji data filter games.pgn quiet.parquet --ply 8..200 --no-checks --no-captures\n  \
    tesuji data features games.sgs --layout sofcheck > rows.csv\n\n\
    Every input may be compressed by zstd, gzip, xz, bzip2 or zip. Endings say what a file is; --from and --to say otherwise. docs/formats.md \
    tells what each format carries.")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Write files in another format
    Convert(convert::Args),
    /// Keep the games and positions that are wanted
    Filter(filter::Args),
    /// Bring games or positions into random order, whatever the size of the file
    Shuffle(shuffle::Args),
    /// Split into training and validation, so that no game is in both
    Split(split::Args),
    /// Drop games or positions that came before
    Dedup(dedup::Args),
    /// Give positions new scores by searches of the engine
    Rescore(rescore::Args),
    /// Count the features of every board
    Features(features::Args),
    /// Count games and positions, and show how results, plies, scores and material are spread
    Stats(stats::Args),
    /// Read everything and name each broken record
    Check(check::Args),
    /// Show some records
    Show(show::Args),
}

/// Does what was asked for.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Convert(args) => convert::run(args),
        What::Filter(args) => filter::run(args),
        What::Shuffle(args) => shuffle::run(args),
        What::Split(args) => split::run(args),
        What::Dedup(args) => dedup::run(args),
        What::Rescore(args) => rescore::run(args),
        What::Features(args) => features::run(args),
        What::Stats(args) => stats::run(args),
        What::Check(args) => check::run(args),
        What::Show(args) => show::run(args),
    }
}
