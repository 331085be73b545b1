//! `tesuji data`: games into what learning reads, one subcommand a file.

use crate::features;
use std::process::ExitCode;

/// Arguments of `tesuji data`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tesuji data features games.sgs --layout sofcheck > rows.csv")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Count the features of every board
    Features(features::Args),
}

/// Makes what was asked for.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Features(args) => features::run(args),
    }
}
