//! `tesuji owl`: an owl, drawn in letters. The same seed draws the same owl.

use std::process::ExitCode;
use tesuji_report::owl::owl;

/// Draw an owl
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  tesuji owl\n  tesuji owl --seed 7")]
pub(crate) struct Args {
    /// Which owl; each number has its own
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
}

/// Draws one.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    print!("{}", owl(args.seed));
    Ok(ExitCode::SUCCESS)
}
