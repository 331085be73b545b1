//! `tesuji tune --margins`: how large the margins of pruning should be, asked of the search.

use super::{Args, Set};
use anyhow::bail;
use std::process::ExitCode;
use tesuji_jobs::{Interrupt, Progress, Show};
use tesuji_kit::tuning::MarginRequest;

/// Positions that are asked about, where the command does not say.
const POSITIONS: usize = 500;

/// Asks and prints.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let pupil = Set::Full.pupil(&args.game)?;
    let start = pupil.start(&args.start)?;
    let Some(margins) = pupil.tuning().margins else { bail!("--margins: only chess has margins that can be asked") };
    let request = MarginRequest {
        margins: args.margins.clone(),
        games: args.games.clone(),
        skip: *args.skip,
        positions: args.positions,
        nodes: args.nodes,
        false_rate: args.false_rate,
        seed: args.seed,
        jobs: args.jobs,
    };
    let show = if args.quiet || args.json { Show::Quiet } else { Show::Auto };
    let progress = Progress::start("asking", "positions", Some(args.positions.unwrap_or(POSITIONS) as u64), show);
    let report = margins.ask(&request, start, &Interrupt::of_process(), &progress)?;
    drop(progress);
    match report {
        None => {
            println!("stopped");
            return Ok(ExitCode::from(4));
        }
        Some(report) if args.json => println!("{}", serde_json::to_string_pretty(&report.json)?),
        Some(report) => print!("{}", report.text),
    }
    Ok(ExitCode::SUCCESS)
}
