//! `tesuji doctor`: what this machine has and lacks.

use crate::version;
use std::process::ExitCode;

/// Arguments of `tesuji doctor`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tesuji doctor --json")]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Looks around and prints what there is.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let report = tesuji_kits::machine_report(&[
        ("version", version::short()),
        ("build", env!("TESUJI_PROFILE")),
        ("target", env!("TESUJI_TARGET")),
        ("processor_path", version::processor_path()),
    ]);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", tesuji_report::doctor::text(&report));
    }
    Ok(ExitCode::SUCCESS)
}
