//! `tesuji data split`: training and validation, game by game.

use super::filter::share;
use super::task::{Reading, Task, Writing};
use anyhow::bail;
use std::path::PathBuf;
use std::process::ExitCode;
use tesuji_dataset::HELD_OUT_SEED;
use tesuji_dataset::data::{Format, Item, Routed, convert, split_of};

/// Arguments of `tesuji data split`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data split games.sgs.zst --train train.parquet --valid valid.parquet\n  \
    tesuji data split a.parquet b.parquet --train t.parquet --valid v.parquet --share 0.05 --seed 3\n\n\
    Where a game goes depends on its start and moves and on the seed alone: no game has positions in both files, whatever file \
    its positions are in, shuffled or not. Formats that do not name the game of a position cannot be split. \
    Exit codes: 0 done, 1 nothing could be written, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read (`-`: stdin)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where most games go
    #[arg(long, value_name = "FILE")]
    train: PathBuf,
    /// Where the others go
    #[arg(long, value_name = "FILE")]
    valid: PathBuf,
    /// The share of the others
    #[arg(long, default_value = "0.1", value_name = "SHARE", value_parser = share)]
    share: f64,
    /// Decides which games go where; with the same seed and share tune holds the same games out, and train does with this one
    #[arg(long, default_value_t = HELD_OUT_SEED, value_name = "S")]
    seed: u64,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
    /// Go on with work that was stopped
    #[arg(long)]
    resume: bool,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut task = Task::new("split", &args.reading, &args.files)?;
    // Each record would be broken, and leaving them out would leave nothing.
    if let Some(input) = task.inputs.iter().find(|input| matches!(input.format, Format::Samples(_))) {
        let (path, name) = (input.path.display(), input.format.name());
        bail!(
            "{path}: {name} does not tell which game a position comes from: split the games, or Parquet made of them"
        );
    }
    let outputs = [task.output(&args.train, &args.writing)?, task.output(&args.valid, &args.writing)?];
    if args.train == args.valid || outputs.iter().any(|o| o.path.as_os_str() == "-") {
        bail!("--train and --valid are two files");
    }
    if outputs[0].format.holds_games() != outputs[1].format.holds_games() {
        bail!("--train and --valid hold games, or positions, both of them");
    }
    task.resume(args.resume);
    task.word(format!("seed {} share {}", args.seed, args.share));
    let tally = task.run(|job| {
        convert(job, &outputs, |_, routed: Routed, fault| {
            routed.part(2, |item: Item<'_>, number| {
                let part = split_of(item, args.seed, args.share);
                if part.is_none() {
                    let expected = "the game that the position comes from";
                    fault(number, tesuji_record::Fault::Expected { expected, found: "0 (unknown)".into() });
                }
                part
            })
        })
    })?;
    task.end(&tally, &args.train, args.writing.json)
}
