//! `tesuji data convert`: files in another format.

use super::near::Near;
use super::task::{Reading, Task, Writing, last_is_output};
use anyhow::bail;
use std::path::PathBuf;
use std::process::ExitCode;
use tesuji_dataset::data::{Routed, Sieve, convert, recode};

/// Arguments of `tesuji data convert`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data convert games.sgs.zst games.pgn.gz\n  \
    tesuji data convert a.pgn b.pgn.zip games.viri\n  \
    tesuji data convert games.viri positions.parquet --jobs 4\n  \
    tesuji data convert games.sgs - --to text --fill-score 0 | head\n  \
    tesuji data convert --game shogi teacher.psv start.hcp --score-below 500 --or-ply-max 30 --lossy\n\n\
    Games become positions where the output holds positions, and positions of a game become games again where it holds games. \
    What games have and the output cannot hold (variations, comments, clocks and so on) is left out, counted and printed; positions \
    whose every record would lose something need --lossy. Interrupted work goes on with --resume and the same words. \
    Exit codes: 0 done, 1 nothing could be written, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read and, last, the file to write (`-`: stdin, stdout)
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
    #[command(flatten)]
    near: Near,
    /// Between packed formats of shogi: check only what the conversion itself needs, not moves and results
    #[arg(long)]
    unchecked: bool,
    /// Go on with work that was stopped
    #[arg(long)]
    resume: bool,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (inputs, path) = last_is_output(&args.files)?;
    let mut task = Task::new("convert", &args.reading, inputs)?;
    let output = task.output(path, &args.writing)?;
    task.resume(args.resume);
    args.near.check(&task)?;
    let ways = args.near.ways(&task, &output, !args.unchecked);
    if args.unchecked && ways.is_none() {
        bail!("--unchecked is for packed positions: there is no short cut between these formats");
    }
    let sieve = Sieve { score_below: args.near.bounds(), ..Sieve::default() };
    if sieve.asks_positions() && output.format.holds_games() {
        bail!("{} holds games: --score-below asks positions", path.display());
    }
    task.word(format!("{sieve:?} {}", args.unchecked));
    let lens = task.lens;
    let tally = task.run(|job| match &ways {
        Some(ways) => recode(job, &output, ways),
        None => convert(job, &[output], |_, routed: Routed, fault| vec![sieve.sift(routed, &lens, 0, fault)]),
    })?;
    task.end(&tally, path, args.writing.json)
}
