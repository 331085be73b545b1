//! `tesuji data rescore`: new scores for positions, by searches of our engine or of another.

use super::{Reading, Writing, carry_out_on, last_is_output, named};
use crate::fleet_url::FleetUrl;
use std::{path::PathBuf, process::ExitCode};
use tesuji_dataset::tasks::{DataTask, RescoreTask};

/// Arguments of `tesuji data rescore`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data rescore --game shogi teacher.psv better.psv --nodes 20000\n  \
    tesuji data rescore games.sgs.zst better.parquet --nodes 20000 --engine 'cmd=./engine option.Hash=16'\n  \
    tesuji data rescore games.sgs.zst positions.parquet --nodes 1000 --option Hash=4 -j 4\n\n\
    Every position is searched by itself, with empty tables, so that the scores depend on engine, options and nodes alone: the \
    output is the same for any number of jobs. Positions where the game is over keep what they have. Interrupted work goes on with \
    --resume and the same words. Exit codes: 0 done, 1 nothing could be written, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read and, last, the file to write, which holds positions (`-`: stdin, stdout)
    #[arg(required_unless_present = "request", num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Nodes for each position, unless the words of --engine have a limit
    #[arg(long, value_name = "N", required_unless_present_any = ["request", "engine"], value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// The search family; the game's usual one without it
    #[arg(long, default_value = "", value_name = "FAMILY", hide_default_value = true)]
    search: String,
    /// An option of the engine; several may be given
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// An engine of your own that searches, in the words of match: cmd=PROGRAM option.NAME=VALUE …
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// Put the move that the search chose in place of the one on record
    #[arg(long)]
    moves: bool,
    #[command(flatten)]
    fleet: FleetUrl,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { files, nodes, search, options, engine, moves, fleet, mut reading, writing } = args;
    let fleet = files.last().map(|place| fleet.connect(place)).transpose()?.flatten();
    if let (0, Some(fleet)) = (reading.jobs, &fleet) {
        // A thread waits for each block that workers have or will have next.
        reading.jobs = (2 * fleet.workers()[1]).clamp(tesuji_jobs::threads(0), 256);
    }
    carry_out_on(fleet, &reading, writing.json, &named(reading.quiet), || {
        let (inputs, output) = last_is_output(files)?;
        let nodes = nodes.unwrap_or_default();
        let task = RescoreTask { writing: writing.into(output), nodes, search, options, engine, moves };
        Ok(reading.request(inputs, DataTask::Rescore(task)))
    })
}
