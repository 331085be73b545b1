//! `tesuji data`: files of games and positions converted, sifted, shuffled, split and looked at, one subcommand a file.

mod check;
mod convert;
mod dedup;
mod filter;
mod rescore;
mod show;
mod shuffle;
mod split;
mod stats;

use crate::{
    features, games, own_program,
    request::{RequestArgs, refused},
    version,
};
use anyhow::bail;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};
use tesuji_circle::EngineDataKit;
use tesuji_dataset::{
    data::{DataError, Item},
    tasks::{self, DataGame, DataOutcome, DataRequest, DataRun, DataTask, DataWritten, game_of, run_data},
};
use tesuji_jobs::{Interrupt, Show, units::SharedCarrier};
use tesuji_kit::{Kit, data::DataKit};
use tesuji_report::data as report;

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
    /// Split into training and validation, so that no game is in both; or into parts of one size
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

/// The inputs and their formats.
#[derive(clap::Args)]
struct Reading {
    /// The game [default: the one that has the format of the first file, chess before others]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The format of what is read, whatever the names say
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Go on behind broken records, and name them
    #[arg(long)]
    skip_errors: bool,
    /// Threads (0: one for each core); the result is the same for any number
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    asked: RequestArgs,
}

/// The output and its format.
#[derive(clap::Args)]
struct Writing {
    /// The format of what is written, whatever the name says
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// Positions without a score get this one, in centipawns; without it formats that need a score leave them out
    #[arg(long, value_name = "CP", allow_negative_numbers = true, value_parser = clap::value_parser!(i16).range(-32_000..=32_000))]
    fill_score: Option<i16>,
    /// Write in a format that cannot hold all that each position tells; what games lose is counted without it
    #[arg(long)]
    lossy: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
    /// Go on with work that was stopped
    #[arg(long)]
    resume: bool,
}

/// The memory that may be used.
#[derive(clap::Args)]
struct Memory {
    /// Use at most this many MiB, 80 and 60 more for each job at least; what does not fit goes to the disk
    #[arg(long, default_value_t = 1024, value_name = "MIB")]
    memory: usize,
    /// The folder for that (default: that of the output)
    #[arg(long, value_name = "FOLDER")]
    temp: Option<PathBuf>,
}

/// Positions near to balance, as the converters of shogi's teacher data ask for them.
#[derive(clap::Args)]
struct Near {
    /// Positions with a score nearer to 0 than this, in centipawns
    #[arg(long, value_name = "CP")]
    score_below: Option<u16>,
    /// And positions with a move number of at most this, from 1, whatever their score
    #[arg(long, value_name = "N", requires = "score_below")]
    or_ply_max: Option<u16>,
}

impl Writing {
    /// The output settings for the file `output`.
    fn into(self, output: PathBuf) -> tasks::Writing {
        let Writing { to, fill_score, lossy, resume, .. } = self;
        tasks::Writing { output, to, fill_score, lossy, resume }
    }
}

impl Memory {
    fn request(self) -> tasks::Memory {
        tasks::Memory { mib: self.memory, folder: self.temp }
    }
}

/// The inputs before the last of `files`, which is the output.
fn last_is_output(mut files: Vec<PathBuf>) -> anyhow::Result<(Vec<PathBuf>, PathBuf)> {
    match files.pop() {
        Some(output) if !files.is_empty() => Ok((files, output)),
        _ => bail!("expected the files to read and, last, the file to write"),
    }
}

impl Reading {
    /// The request to do `task` with the files `inputs`.
    fn request(&self, inputs: Vec<PathBuf>, task: DataTask) -> DataRequest {
        DataRequest {
            version: DataRequest::VERSION,
            game: self.game.clone(),
            inputs,
            from: self.from.clone(),
            skip_errors: self.skip_errors,
            jobs: self.jobs,
            task,
        }
    }
}

/// All games as work on data sees them, with workers of a fleet where one is asked for.
fn data_games(fleet: Option<&SharedCarrier>) -> anyhow::Result<Vec<EngineDataKit>> {
    let games = games::games();
    let of = |&kit: &&'static dyn Kit| {
        Ok(EngineDataKit { data: DataKit { kit, games }, own: own_program(kit)?, fleet: fleet.cloned() })
    };
    games.0.iter().map(of).collect()
}

/// Does what is asked for by `own`, or by a file of `reading`, and prints what came of it, as JSON if asked. Broken records that are
/// passed over go to `complain`.
fn carry_out(
    reading: &Reading,
    json: bool,
    complain: &(dyn Fn(&DataError) + Sync),
    own: impl FnOnce() -> anyhow::Result<DataRequest>,
) -> anyhow::Result<ExitCode> {
    carry_out_on(None, reading, json, complain, own)
}

/// [`carry_out`] on workers of a fleet, where one is given.
fn carry_out_on(
    fleet: Option<SharedCarrier>,
    reading: &Reading,
    json: bool,
    complain: &(dyn Fn(&DataError) + Sync),
    own: impl FnOnce() -> anyhow::Result<DataRequest>,
) -> anyhow::Result<ExitCode> {
    const FLAGS: [(&str, &str); 1] = [("options", "option")];
    let Some(request) = reading.asked.take(own, DataRequest::validate, &FLAGS)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let all = data_games(fleet.as_ref())?;
    let all: Vec<&dyn DataGame> = all.iter().map(|game| game as &dyn DataGame).collect();
    let show = if reading.quiet { Show::Quiet } else { Show::Auto };
    let interrupt = Interrupt::of_process();
    let run = DataRun { made_by: version::short(), show, interrupt: &interrupt, complain };
    let mut item = |number, item: Item<'_>| match json {
        true => println!("{}", report::DataRow::of(number, item)),
        false => print!("{}", report::record_text(number, item)),
    };
    let refused = |error| refused(error, &FLAGS);
    let outcome = run_data(&request, game_of(&request, &all).map_err(refused)?, &run, &mut item).map_err(refused)?;
    print_outcome(&outcome, json, reading.quiet)
}

/// Names broken records that are passed over, unless nothing is to be told.
fn named(quiet: bool) -> impl Fn(&DataError) + Sync {
    move |error| {
        if !quiet {
            eprintln!("{error}");
        }
    }
}

/// Prints what came of work, and says how the process ends.
fn print_outcome(outcome: &DataOutcome, json: bool, quiet: bool) -> anyhow::Result<ExitCode> {
    let (tally, code) = match outcome {
        DataOutcome::Written(done) => (&done.tally, print_written(done, json, quiet)?),
        DataOutcome::Counted { summary, tally } => {
            match json {
                true => println!("{}", serde_json::to_string_pretty(summary)?),
                false => print!("{}", report::summary_text(summary, tally)),
            }
            (tally, 0)
        }
        DataOutcome::Checked { tally, unit } => {
            print!("{}", report::checked_text(tally, *unit));
            (tally, u8::from(tally.errors > 0))
        }
        DataOutcome::Shown => return Ok(ExitCode::SUCCESS),
    };
    Ok(ExitCode::from(if tally.stopped { 4 } else { code }))
}

/// Prints what was written, of parts only their number where it shall be quiet; the exit code of work that was not stopped.
fn print_written(done: &DataWritten, json: bool, quiet: bool) -> anyhow::Result<u8> {
    let tally = &done.tally;
    let text = if json { serde_json::to_string(tally)? + "\n" } else { report::written_text(done, quiet) };
    match done.output == Path::new("-") {
        true => eprint!("{text}"),
        false => print!("{text}"),
    }
    report::empty_outputs(tally).iter().for_each(|warning| eprintln!("{warning}"));
    report::first_game_alone(done).iter().for_each(|warning| eprintln!("{warning}"));
    // Files that hold nothing of what was read are no success.
    Ok(u8::from(tally.written == 0 && tally.records > 0 && !tally.left.is_empty()))
}

/// Reads a number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|s| (0.0..=1.0).contains(s));
    share.ok_or_else(|| format!("{text:?}: expected a number from 0 to 1"))
}
