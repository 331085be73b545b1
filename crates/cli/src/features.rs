//! `tesuji data features`: what the evaluation counts on every board of games, for learning, for comparing, for hashing.

use crate::{
    games,
    request::{RequestArgs, refused},
    skip::SkipArgs,
};
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;
use tesuji_dataset::Filter;
use tesuji_jobs::{Interrupt, Progress, Show};
use tesuji_kit::check_new_output;
use tesuji_kit::features::{FeatureOutput, FeatureRequest};

/// Which features become columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Layout {
    /// Those of the evaluation
    Tesuji,
    /// SoFCheck's 480, as its make_dataset counts them
    Sofcheck,
}

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
    /// Games (.sgs or .pgn, also .zst, .gz, .xz or .bz2); - for stdin
    #[arg(default_value = "-", value_name = "FILE")]
    games: Vec<PathBuf>,
    /// The game
    #[arg(long, value_parser = games::parser(), default_value = games::usual())]
    game: String,
    /// The file for the rows: a name ending in .parquet or .csv; - for stdout (CSV)
    #[arg(long, short, default_value = "-", value_name = "FILE")]
    out: PathBuf,
    /// Which features: those of our evaluation, or SoFCheck's
    #[arg(long, value_enum, default_value = "tesuji")]
    layout: Layout,
    /// Write no rows: print one hash of all of them, which changes when any count of any board does
    #[arg(long, conflicts_with = "out")]
    hash: bool,
    /// Only this many rows, drawn at random from all that are kept, in random order
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
    /// Keep only boards that captures and promotions make no better for the mover, by more than this many centipawns
    #[arg(long = "quiet", num_args = 0..=1, default_missing_value = "0", value_name = "CP", require_equals = true, id = "quiet_cp")]
    quiet: Option<u32>,
    #[command(flatten)]
    broken: SkipArgs,
    /// Threads (0: one for each core)
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
    /// Show no progress
    #[arg(long)]
    no_progress: bool,
    #[command(flatten)]
    asked: RequestArgs,
}

/// Flags that are not called as the fields of a request.
const FLAGS: [(&str, &str); 1] = [("quiet_cp", "quiet")];

impl Args {
    /// The feature request of these arguments.
    fn request(&self) -> anyhow::Result<FeatureRequest> {
        let filter = Filter {
            skip: self.skip,
            drop_noisy: !self.keep_captures,
            drop_checks: !self.keep_checks,
            drop_after_checks: !self.keep_after_checks,
        };
        let out = FeatureOutput::of_file(&self.out);
        let layout = if self.layout == Layout::Tesuji { "tesuji" } else { "sofcheck" };
        Ok(FeatureRequest {
            version: FeatureRequest::VERSION,
            game: self.game.clone(),
            games: self.games.clone(),
            out: if self.hash { FeatureOutput::Hash } else { out.map_err(|error| refused(error, &FLAGS))? },
            layout: layout.to_string(),
            filter: if self.all { Filter::ALL } else { filter },
            quiet_cp: self.quiet,
            count: self.count,
            seed: self.seed,
            skip: *self.broken,
            jobs: self.jobs,
        })
    }
}

/// Makes rows.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Some(request) = args.asked.take(|| args.request(), FeatureRequest::validate, &FLAGS)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let kit = games::kit(&request.game)?;
    let tables = kit.feature_tables().with_context(|| format!("{} has no tables of features", kit.name()))?;
    request.check_layout(tables.layouts()).map_err(|error| refused(error, &FLAGS))?;
    if let Some(file) = request.out.file() {
        check_new_output(file, &request.games)?;
    }
    let show = if args.no_progress { Show::Quiet } else { Show::Auto };
    let progress = Progress::start("reading", "games", None, show);
    let outcome = tables.write(&request, &Interrupt::of_process(), &progress)?;
    drop(progress);
    if outcome.stopped {
        eprintln!("stopped after {} games; nothing was written under the name of the file", outcome.games);
        return Ok(ExitCode::from(4));
    }
    if let Some(hash) = outcome.hash {
        println!("{hash:016x}");
    }
    if !args.no_progress {
        let without = match outcome.unfinished {
            0 => String::new(),
            unfinished => format!(", {unfinished} games without a result left out"),
        };
        let (games, boards, kept, rows) = (outcome.games, outcome.boards, outcome.kept, outcome.rows);
        eprintln!("{games} games, {boards} boards, {kept} kept, {rows} rows{without}");
    }
    Ok(ExitCode::SUCCESS)
}
