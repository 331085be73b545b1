//! `tesuji data show`: some records, for a person.

use super::{Reading, carry_out, data_games, named};
use std::{path::PathBuf, process::ExitCode};
use tesuji_dataset::{
    data::Format,
    tasks::{DataGame, DataTask, ShowTask, game_of},
};
use tesuji_report::data::formats_text;

/// Arguments of `tesuji data show`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data show positions.parquet\n  \
    tesuji data show games.viri --skip 100 --count 1\n  \
    tesuji data show --formats\n\n\
    Scores are in centipawns and results for the side that moves first. Exit codes: 0 done, 2 wrong usage or input.")]
pub(crate) struct Args {
    /// The files to read (`-`: stdin)
    #[arg(required_unless_present_any = ["formats", "request"], value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Pass over this many records
    #[arg(long, default_value_t = 0, value_name = "N")]
    skip: u64,
    /// Show this many
    #[arg(long, default_value_t = 5, value_name = "N")]
    count: u64,
    /// Print a line of JSON for each record
    #[arg(long)]
    json: bool,
    /// List the formats with their endings
    #[arg(long)]
    formats: bool,
    #[command(flatten)]
    reading: Reading,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { files, skip, count, json, formats, reading } = args;
    let request = reading.request(files, DataTask::Show(ShowTask { skip, count }));
    if formats {
        let all = data_games(None)?;
        let all: Vec<&dyn DataGame> = all.iter().map(|game| game as &dyn DataGame).collect();
        let game = game_of(&request, &all)?;
        print!("{}", formats_text(&Format::all(game.records(), game.survey())));
        return Ok(ExitCode::SUCCESS);
    }
    carry_out(&reading, json, &named(reading.quiet), || Ok(request))
}
