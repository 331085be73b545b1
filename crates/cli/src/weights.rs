//! `tesuji weights`: weights files shown, compared, blended and put to use; ours, SoFCheck's and GreKo's.

use crate::{games, version};
use anyhow::{Context, bail};
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tesuji_jobs::{AtomicFile, read_text_limited};
use tesuji_kits::{AnyWeights, build_in, checkout, whole_numbers};

/// Arguments of `tesuji weights`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji weights show tuned.json --only passed\n  \
    tesuji weights diff builtin tuned.json\n  \
    tesuji weights blend builtin tuned.json --ratio 0.25 --out mixed.json\n  \
    tesuji weights apply mixed.json\n  \
    tesuji weights show features.json --numbers | tesuji weights apply - --to copy.json\n\n\
    Weights are a file of ours, a features.json of SoFCheck, a weights.txt of GreKo, builtin, or material (piece values\n\
    alone); the last two of other games than chess as in shogi:builtin.")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Print weights: as a file, byte for byte as it would be written, or as numbers
    Show(Show),
    /// Write weights into a file, or build them into the program
    Apply(Apply),
    /// Say which weights differ. Exit codes: 0 none, 1 some, 2 wrong usage or input
    Diff(Diff),
    /// Mix two sets of weights
    Blend(Blend),
}

#[derive(clap::Args)]
struct Show {
    /// Weights
    weights: String,
    /// All numbers on one line, in the order of the file; ours in pairs of middlegame and endgame
    #[arg(long)]
    numbers: bool,
    /// Only weights whose names begin so, one a line
    #[arg(long, value_name = "PREFIX", conflicts_with = "numbers")]
    only: Vec<String>,
}

#[derive(clap::Args)]
struct Apply {
    /// Weights, or - for numbers from stdin
    weights: String,
    /// The file to change; without it those of the checkout of Tesuji around the current folder
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Change the checkout's files and build nothing
    #[arg(long, conflicts_with = "to")]
    no_rebuild: bool,
}

#[derive(clap::Args)]
struct Diff {
    /// Weights
    a: String,
    /// Other weights
    b: String,
}

#[derive(clap::Args)]
struct Blend {
    /// Weights
    a: String,
    /// Other weights
    b: String,
    /// Share of B, from 0 to 1
    #[arg(long, value_name = "R")]
    ratio: f64,
    /// The file for the mixture [default: stdout]; weights that are there are kept as FILE.old
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Does what was asked for.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Show(args) => show(&args),
        What::Apply(args) => apply(&args),
        What::Diff(args) => diff(&args),
        What::Blend(args) => blend(&args),
    }
}

fn show(args: &Show) -> anyhow::Result<ExitCode> {
    let weights = games::weights(&args.weights)?;
    if args.numbers {
        println!("{}", weights.values().iter().map(i32::to_string).collect::<Vec<_>>().join(" "));
    } else if args.only.is_empty() {
        print!("{}", weights.text());
    } else {
        let lines: Vec<(String, i32)> = weights.names().into_iter().zip(weights.values()).collect();
        for prefix in &args.only {
            if !lines.iter().any(|l| l.0.starts_with(prefix)) {
                bail!("--only {prefix}: {} has no weight whose name begins so", args.weights);
            }
        }
        for (name, value) in lines.iter().filter(|l| args.only.iter().any(|prefix| l.0.starts_with(prefix))) {
            println!("{name} {value}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn diff(args: &Diff) -> anyhow::Result<ExitCode> {
    let (a, b) = (games::weights(&args.a)?, games::weights(&args.b)?);
    let changes = a.changes(&b).with_context(|| format!("{} and {}", args.a, args.b))?;
    let names = a.names();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    for change in &changes {
        println!("{:width$} {:>7} {:>7}  {:+}", change.name, change.old, change.new, change.difference());
    }
    let by = || changes.iter().map(|change| change.difference().abs());
    let mean = by().map(i64::from).sum::<i64>() as f64 / changes.len().max(1) as f64;
    let (differ, most) = (changes.len(), by().max().unwrap_or(0));
    println!("{differ} of {} weights differ, by {mean:.1} on average and {most} at most", names.len());
    Ok(ExitCode::from(u8::from(differ > 0)))
}

fn blend(args: &Blend) -> anyhow::Result<ExitCode> {
    let Blend { a, b, ratio, out } = args;
    if let Some(path) = out {
        games::check_weights_target(path)?;
    }
    if !(0.0..=1.0).contains(ratio) {
        bail!("--ratio {ratio}: expected a number from 0 (all of {a}) to 1 (all of {b})");
    }
    let (first, other) = (games::weights(a)?, games::weights(b)?);
    let (made_by, from) = (format!("tesuji {}", version::short()), format!("blend: {ratio} of {b}, the rest of {a}"));
    let mixed = first.blend(&other, *ratio, &made_by, from).with_context(|| format!("{a} and {b}"))?;
    match out {
        Some(path) => mixed.save(path)?,
        None => print!("{}", mixed.text()),
    }
    Ok(ExitCode::SUCCESS)
}

fn apply(args: &Apply) -> anyhow::Result<ExitCode> {
    let given = if args.weights == "-" { None } else { Some(games::weights(&args.weights)?) };
    let checkout = match (&args.to, &given) {
        (Some(_), _) => None,
        (None, Some(AnyWeights::Ours(subject, _))) => Some(checkout(&env::current_dir()?, subject)?),
        (None, _) => Some(checkout(&env::current_dir()?, games::tuning(games::usual())?)?),
    };
    let target = match (&args.to, &checkout) {
        (Some(path), _) => path.clone(),
        (None, Some((root, subject))) => root.join(subject.built_in),
        (None, None) => return Ok(ExitCode::SUCCESS),
    };
    let weights = match given {
        None => {
            let mut old = games::weights_file(&target)?;
            let text = read_text_limited(Path::new("-"), 64 << 20)?;
            old.set(&whole_numbers(&text)?).with_context(|| target.display().to_string())?;
            old
        }
        Some(new) => {
            if target.exists() {
                let names = || format!("{} and {}", args.weights, target.display());
                new.check_same_kind(&games::weights_file(&target)?).with_context(names)?;
            }
            new
        }
    };
    match checkout {
        // Git keeps what was there.
        Some(_) => AtomicFile::write(&target, weights.text().as_bytes())?,
        None => weights.save(&target)?,
    }
    println!("wrote {}", target.display());
    if let Some((root, _)) = checkout {
        build_in(&root, &weights, !args.no_rebuild, &mut |line| println!("{line}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
