//! `tesuji match --make-openings`: a book of balanced openings, made of random moves or of those of our own engine.

use super::Args;
use crate::{games, request::refused};
use std::{path::Path, path::PathBuf, process::ExitCode};
use tesuji_arena::{OpeningsRequest, write_openings};
use tesuji_jobs::{Interrupt, Progress, Show, counted};

/// Options of making openings. `--plies`, `--seed`, `--nodes`, `--rules` and `--jobs` hold, too.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Making openings")]
pub(super) struct MakingArgs {
    /// Write different balanced openings, one position a line, and play nothing; without --plies 8 moves each, without --seed
    /// seed 1, without --nodes 20,000 for a look
    #[arg(long, value_name = "FILE", conflicts_with = "openings")]
    make_openings: Option<PathBuf>,
    /// The number of openings
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// The largest advantage of either side, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 40, value_parser = clap::value_parser!(u32).range(..=30_000))]
    balance: u32,
    /// Moves as our own engine plays them: at random among those that are at most CP worse than its best, instead of random ones
    #[arg(long, value_name = "CP", requires = "make_openings", value_parser = clap::value_parser!(u32).range(..=30_000))]
    spread: Option<u32>,
}

impl MakingArgs {
    /// The file to be made, if one is.
    pub(super) fn file(&self) -> Option<&Path> {
        self.make_openings.as_deref()
    }
}

/// Makes the book.
pub(super) fn run(args: &Args, file: &Path) -> anyhow::Result<ExitCode> {
    let asked = OpeningsRequest {
        rules: args.rules.clone(),
        plies: args.plies,
        spread_cp: args.making.spread,
        count: args.making.count,
        seed: args.seed.unwrap_or(1),
        balance_cp: args.making.balance,
        nodes: args.nodes,
        jobs: args.jobs.unwrap_or(0),
    };
    let show = if args.quiet { Show::Quiet } else { Show::Auto };
    let progress = Progress::start("openings", "openings", Some(asked.count as u64), show);
    let made = write_openings(games::kit(&args.game)?, &asked, file, &Interrupt::of_process(), &progress);
    match made.map_err(|error| refused(error, &[]))? {
        Some(made) => {
            println!("{} in {}", counted(made.count as u64, "opening"), file.display());
            println!("advantage in centipawns: mean {:.1}, largest {}", made.advantage_cp.0, made.advantage_cp.1);
            let share = |(mv, n): &(String, usize)| format!("{mv} {:.1} %", 100.0 * *n as f64 / made.count as f64);
            println!("first moves: {}", made.first_moves.iter().map(share).collect::<Vec<_>>().join(", "));
        }
        None => {
            eprintln!("stopped; {} is as it was", file.display());
            return Ok(ExitCode::from(4));
        }
    }
    Ok(ExitCode::SUCCESS)
}
