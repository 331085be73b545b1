//! `tesuji data features`: what the evaluation counts on every board of games, for learning, for comparing, for hashing.

mod output;
mod quiet;
mod sample;
mod source;
mod worker;

use crate::skip::SkipArgs;
use anyhow::bail;
use output::Output;
use sample::Reservoir;
use source::Source;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tesuji_dataset::Filter;
use tesuji_jobs::{Existing, Interrupt, Progress, Show, check_output, in_order, threads};
use worker::{Layout, Orders, Piece, Worker};

/// Arguments of `tesuji data features`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data features games.sgs --out rows.parquet\n  \
    tesuji data features games.sgs.zst --layout sofcheck > rows.csv\n  \
    tesuji data features games.pgn --count 100000 --seed 7 --quiet --out rows.parquet\n  \
    tesuji data features games.sgs --hash\n\n\
    A row has a column for everything that is counted, White's minus Black's. Parquet keeps index and count of what is\n\
    there; CSV is make_dataset's, byte for byte. Rows, their order and the hash are the same for any number of jobs.\n\
    Exit codes: 0 done, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// Games of chess (.sgs or .pgn, also .zst, .gz, .xz or .bz2); - for stdin
    #[arg(default_value = "-", value_name = "FILE")]
    games: Vec<PathBuf>,
    /// Where rows go: a name ending in .parquet or .csv; - for stdout (CSV) (CSV)
    #[arg(long, short, default_value = "-", value_name = "FILE")]
    out: PathBuf,
    /// Which features: those of our evaluation, or SoFCheck's
    #[arg(long, value_enum, default_value = "tesuji")]
    layout: Layout,
    /// Write no rows: print one hash of all of them, which changes when any count of any board does
    #[arg(long, conflicts_with = "out")]
    hash: bool,
    /// Only so many rows, drawn at random from all that are kept, in random order
    #[arg(long, short, value_name = "N")]
    count: Option<usize>,
    /// Decides what is drawn
    #[arg(long, short, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Keep all boards
    #[arg(long, short, conflicts_with_all = ["skip", "keep_captures", "keep_checks", "keep_after_checks"])]
    all: bool,
    /// Boards left out at the start of each game
    #[arg(long, default_value_t = Filter::default().skip, value_name = "N")]
    skip: u32,
    /// Keep boards that a capture or a promotion led to
    #[arg(long)]
    keep_captures: bool,
    /// Keep boards in check
    #[arg(long)]
    keep_checks: bool,
    /// Keep boards after a check was parried
    #[arg(long)]
    keep_after_checks: bool,
    /// Keep only boards that captures and promotions make no better for the mover, by more than so many centipawns
    #[arg(long, num_args = 0..=1, default_missing_value = "0", value_name = "CP", require_equals = true)]
    quiet: Option<u32>,
    #[command(flatten)]
    broken: SkipArgs,
    /// Threads (0: one for each core)
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
    /// Show no progress
    #[arg(long)]
    no_progress: bool,
}

/// Where rows go, by the name of the file.
fn output_kind(args: &Args) -> anyhow::Result<Kind> {
    let out = &args.out;
    let ending = out.extension().and_then(|e| e.to_str()).unwrap_or("");
    let csv = *out == Path::new("-") || ending.eq_ignore_ascii_case("csv");
    Ok(match args.layout {
        _ if args.hash => Kind::Hash,
        _ if ending.eq_ignore_ascii_case("parquet") => Kind::Parquet,
        Layout::Sofcheck if csv => Kind::Csv,
        Layout::Tesuji if csv => {
            bail!(
                "rows of our own features are written as Parquet: --out rows.parquet (or --layout sofcheck, or --hash)"
            )
        }
        _ => bail!("--out {}: expected a name ending in .parquet or .csv", out.display()),
    })
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Csv,
    Parquet,
    Hash,
}

/// Counts of the whole run.
#[derive(Default)]
struct Total {
    games: u64,
    unfinished: u64,
    boards: u64,
    kept: u64,
}

/// Makes rows.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kind = output_kind(&args)?;
    if !matches!(kind, Kind::Hash) && args.out != Path::new("-") {
        check_output(&args.out, Existing::Refuse)?;
    }
    let filter = Filter {
        skip: args.skip,
        drop_noisy: !args.keep_captures,
        drop_checks: !args.keep_checks,
        drop_after_checks: !args.keep_after_checks,
    };
    let orders = Orders {
        layout: args.layout,
        filter: if args.all { Filter::ALL } else { filter },
        quiet: args.quiet,
        lines: kind == Kind::Csv && args.count.is_none(),
        lots_below: args.count.map(|_| (args.seed, AtomicU64::new(u64::MAX))),
    };
    let mut output = Output::open(kind, &args.out, args.layout)?;
    let (total, stopped) = args.broken.hinted(flow(&args, &orders, &mut output))?;
    if stopped {
        eprintln!("stopped after {} games; nothing was written under the name of the file", total.games);
        return Ok(ExitCode::from(4));
    }
    let rows = output.finish()?;
    if !args.no_progress {
        let Total { games, unfinished, boards, kept } = total;
        let without =
            if unfinished > 0 { format!(", {unfinished} games without a result left out") } else { String::new() };
        eprintln!("{games} games, {boards} boards, {kept} kept, {rows} rows{without}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Games to rows, rows to the output. Says whether it was interrupted.
fn flow(args: &Args, orders: &Orders, output: &mut Output) -> anyhow::Result<(Total, bool)> {
    let stop = Interrupt::of_process();
    let show = if args.no_progress { Show::Quiet } else { Show::Auto };
    let progress = Progress::start("reading", "games", None, show);
    let mut source = Source::new(args.games.clone(), output.block_bytes(), *args.broken);
    let mut reservoir = args.count.map(|size| Reservoir::new(size, args.seed));
    // Pieces come back when they are written: their memory is the largest there is.
    let spare: Mutex<Vec<Piece>> = Mutex::new(Vec::new());
    let mut total = Total::default();
    let encoder = output.encoder();
    in_order(
        threads(args.jobs),
        || if stop.is_raised() { Ok(None) } else { source.next() },
        || Worker::new(orders),
        |worker, item| {
            let mut piece = spare.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_default();
            worker.make(item, &mut piece)?;
            encoder.encode(&mut piece)?;
            Ok(piece)
        },
        |mut piece| {
            total.games += piece.games;
            total.unfinished += piece.unfinished;
            total.boards += piece.boards;
            total.kept += piece.kept;
            progress.set(total.games);
            match (&mut reservoir, &orders.lots_below) {
                (Some(reservoir), Some((_, below))) => {
                    reservoir.offer(&piece.rows);
                    below.store(reservoir.below(), Ordering::Relaxed);
                }
                _ => output.take(&mut piece)?,
            }
            piece.clear();
            if let Ok(mut spare) = spare.lock() {
                spare.push(piece);
            }
            Ok(())
        },
    )?;
    if let Some(reservoir) = reservoir {
        output.take_drawn(reservoir.into_rows())?;
    }
    Ok((total, stop.is_raised()))
}
