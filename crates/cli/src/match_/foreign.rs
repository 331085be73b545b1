//! `tesuji match --from-command`: a command line of fastchess, cutechess-cli or BattleField as ours.

use std::process::ExitCode;
use tesuji_arena::from_foreign_command;

/// Prints the converted command; what has no counterpart is named on stderr.
pub(super) fn run(command: &str) -> anyhow::Result<ExitCode> {
    let (ours, warnings) = from_foreign_command(command)?;
    println!("{ours}");
    for warning in warnings {
        eprintln!("not converted: {warning}");
    }
    Ok(ExitCode::SUCCESS)
}
