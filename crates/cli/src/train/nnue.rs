//! `tesuji train nnue`: efficiently updatable networks from games and positions.

use crate::{
    games,
    request::{RequestArgs, refused},
    version,
};
use std::{path::PathBuf, process::ExitCode};
use tesuji_cuda::ComputeDevice;
use tesuji_jobs::{Interrupt, Show};
use tesuji_kit::nnue_training::{
    NnueDone, NnueNews, NnueRequest, NnueSweep, NnueSweepRow, NnueTrainRun, PositionFilters, RunLength, sweep_nnue,
    train_nnue,
};
use tesuji_train::log::LogEntry;

/// Arguments of `tesuji train nnue`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji train nnue --game chess --games games.sgs --net chess-768m-128 --out net.nnue\n  \
    tesuji train nnue --game shogi --games teacher.psv --games more.hcpe3 --net shape.toml --mirror --out net.nnue\n  \
    tesuji train nnue --game chess --prepared net.positions --net chess-768m-256 --result-share 0.3,0.6 --out wide.nnue\n  \
    tesuji train nnue --game chess --games games.sgs --net chess-768m-128 --sweep rates.toml --out net.nnue\n\n\
    Games are read once: what passes the filters is packed into NET.positions, in random order, for this run and others. The run\n\
    is kept in NET.checkpoint: the same command goes on with it after Ctrl-C, a kill or a power cut, to the same bytes, with\n\
    any number of threads. Exit codes: 0 done, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The game: chess or shogi
    #[arg(long, required_unless_present = "request", value_name = "GAME")]
    game: Option<String>,
    /// Games or positions to learn from, in any format of the game (.sgs, .pgn, .viri, .binpack, .bullet; .psv, .hcpe, .hcpe3, .csa; .parquet;
    /// also .zst or .gz); several times, or with commas, for several files
    #[arg(long, value_name = "FILE", value_delimiter = ',', required_unless_present_any = ["request", "prepared"])]
    games: Vec<PathBuf>,
    /// The shape of the network: a name, or a TOML file
    #[arg(long, value_name = "NAME|FILE.toml", required_unless_present = "request")]
    net: Option<String>,
    /// The file for the network
    #[arg(long, value_name = "NET", required_unless_present = "request")]
    out: Option<PathBuf>,
    /// Begin with the weights of this network of the same shape, or of a run's checkpoint, instead of random numbers
    #[arg(long, value_name = "NET|CHECKPOINT")]
    from: Option<PathBuf>,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    request: RequestArgs,
}

/// How steps are made.
#[derive(clap::Args)]
struct How {
    /// The number of times that each position is seen
    #[arg(long, default_value_t = 20.0, value_name = "TIMES", conflicts_with = "positions")]
    epochs: f64,
    /// Positions to see in all, instead of --epochs
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Positions of one step; by default a fiftieth of the positions there are, 256 to 16384
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// The largest learning rate of AdamW
    #[arg(long, default_value_t = 0.001, value_name = "RATE")]
    rate: f32,
    /// The learning rate at the end, to which it falls along a cosine
    #[arg(long, default_value_t = 0.000_01, value_name = "RATE")]
    rate_last: f32,
    /// Positions over which the rate rises from nothing; by default those of one epoch, at most 1000000
    #[arg(long, value_name = "N")]
    warm_up: Option<u64>,
    /// The decay of weights for each unit of rate
    #[arg(long, default_value_t = 0.01, value_name = "SHARE")]
    decay: f32,
    /// Centipawns of score that mean an expected result of 73 %; by default the scale of the network
    #[arg(long, value_name = "CENTIPAWNS")]
    score_scale: Option<f32>,
    /// The share of the game's result in what is learned, the rest is the score; with a comma: at the beginning and at the end
    #[arg(long, default_value = "0.1", value_name = "SHARE[,SHARE]", value_delimiter = ',', num_args = 1)]
    result_share: Vec<f32>,
    /// The loss is the error of the expected result to this power
    #[arg(long, default_value_t = 2.0, value_name = "POWER")]
    power: f32,
    /// The share of the run, at its end, in which weights are rounded as in the network's integers
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    rounded_share: f32,
    /// Show every other run of positions mirrored (shogi)
    #[arg(long)]
    mirror: bool,
    /// Of the generator of random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

/// Which positions, and how they are put together.
#[derive(clap::Args)]
struct Which {
    /// Plies at the beginning of games that are left out
    #[arg(long, default_value_t = 8, value_name = "PLIES")]
    first_plies: u32,
    /// The largest score for either side
    #[arg(long, default_value_t = 2000, value_name = "CENTIPAWNS")]
    score_max: u32,
    /// Learn from positions in check, too
    #[arg(long)]
    checks: bool,
    /// Learn from positions whose best move takes or promotes, too
    #[arg(long)]
    captures: bool,
    /// Learn from positions as often as they come
    #[arg(long)]
    duplicates: bool,
    /// Positions of a game that stand together in a run: runs train faster, single positions (1) are mixed best
    #[arg(long = "run", default_value_t = 8, value_name = "N")]
    run_length: u32,
    /// For each position, this many after one to three random moves, of which the hand-made evaluation's value is learned
    #[arg(long, default_value_t = 0, value_name = "N")]
    branches: u32,
    /// Share of the games that are held out and judge the network, the same as those of data split with this share
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    held_out: f64,
    /// Positions of a validation, at most
    #[arg(long, default_value_t = 500_000, value_name = "N")]
    validation: usize,
    /// Positions between two validations; by default those of one epoch, at most 10000000
    #[arg(long, value_name = "N")]
    validate_every: Option<u64>,
    /// The file of packed positions; by default NET.positions. Without --games the file must be there
    #[arg(long, value_name = "FILE")]
    prepared: Option<PathBuf>,
    /// Leave broken records out
    #[arg(long)]
    skip_errors: bool,
    /// MiB of memory for shuffling; what does not fit goes to the disk
    #[arg(long, default_value_t = 1024, value_name = "MIB")]
    memory: usize,
}

/// Options that do not change the network.
#[derive(clap::Args)]
struct RunArgs {
    /// The device that takes the steps: cpu, cuda or cuda:N (a program built with the feature cuda)
    #[arg(long, default_value_t, value_name = "DEVICE")]
    device: ComputeDevice,
    /// Threads
    #[arg(long, short = 'j', default_value_t = 0, value_name = "N")]
    threads: usize,
    /// The file of the run; by default NET.checkpoint
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    save_every: u64,
    /// The file of the figures, a line of JSON for every few steps; by default NET.log
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    /// Draw the loss into this file
    #[arg(long, value_name = "FILE.svg")]
    curves: Option<PathBuf>,
    /// Train a network for each combination of settings in this file, on the same positions, and compare their losses
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["curves", "checkpoint", "journal"])]
    sweep: Option<PathBuf>,
}

impl Args {
    /// The request that the flags make.
    fn own_request(&self) -> NnueRequest {
        let (how, which, run) = (&self.how, &self.which, &self.run);
        let share = |at: usize| how.result_share.get(at).or(how.result_share.last()).copied().unwrap_or(0.1);
        NnueRequest {
            game: self.game.clone().unwrap_or_default(),
            games: self.games.clone(),
            out: self.out.clone().unwrap_or_default(),
            net: self.net.clone().unwrap_or_default(),
            from: self.from.clone(),
            positions: how.positions.unwrap_or(0),
            epochs: how.epochs,
            batch: how.batch,
            rate: how.rate,
            rate_last: how.rate_last,
            warm_up: how.warm_up,
            decay: how.decay,
            score_scale: how.score_scale.unwrap_or(0.0),
            result_share: [share(0), share(1)],
            power: how.power,
            rounded_share: how.rounded_share,
            mirror: how.mirror,
            seed: how.seed,
            filters: PositionFilters {
                first_plies: which.first_plies,
                score_max: which.score_max,
                checks: which.checks,
                captures: which.captures,
                duplicates: which.duplicates,
                run: RunLength(which.run_length),
                branches: which.branches,
            },
            held_out: which.held_out,
            validation: which.validation,
            validate_every: which.validate_every,
            prepared: which.prepared.clone(),
            memory_mib: which.memory,
            skip_errors: which.skip_errors,
            device: run.device,
            threads: run.threads,
            checkpoint: run.checkpoint.clone(),
            save_every: run.save_every,
            journal: run.journal.clone(),
            ..NnueRequest::default()
        }
    }
}

/// Runs `tesuji train nnue`; `command` is the command line of this process.
pub(super) fn run(args: &Args, command: String) -> anyhow::Result<ExitCode> {
    const RENAMED: [(&str, &str); 3] =
        [("filters.run", "run"), ("filters.branches", "branches"), ("memory_mib", "memory")];
    let Some(request) = args.request.take(|| Ok(args.own_request()), NnueRequest::validate, &RENAMED)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let is_quiet = args.run.quiet;
    let mut news = |news: NnueNews<'_>| match news {
        _ if is_quiet => {}
        news => eprintln!("{news}"),
    };
    if let Some(path) = &args.run.curves {
        tesuji_kit::check_beside(path, &request.games, &request.outputs())?;
    }
    let kit = games::kit(&request.game)?;
    let interrupt = Interrupt::of_process();
    let mut run = NnueTrainRun {
        made_by: format!("tesuji {}", version::short()),
        command,
        show: if is_quiet { Show::Quiet } else { Show::Lines },
        interrupt: &interrupt,
        news: &mut news,
    };
    if let Some(plan) = &args.run.sweep {
        let plan = NnueSweep::read(plan)?;
        let mut tell = |number: usize, count: usize, settings: &str| {
            if !is_quiet {
                eprintln!("run {number} of {count}: {settings}");
            }
        };
        let rows = sweep_nnue(&plan, &request, kit, &mut run, &mut tell).map_err(|error| refused(error, &RENAMED))?;
        return Ok(tell_sweep(&rows));
    }
    let done = train_nnue(&request, kit, &mut run).map_err(|error| refused(error, &RENAMED))?;
    if let Some(path) = &args.run.curves {
        super::draw_curve(&done.log, path, tesuji_report::training::Curve::Loss)?;
    }
    Ok(tell(&request, &done))
}

/// Prints what the runs of a sweep reached, the best first.
fn tell_sweep(rows: &[NnueSweepRow]) -> ExitCode {
    let is_stopped = rows.last().is_some_and(|row| row.done.stopped);
    print!("{}", tesuji_report::training::sweep(rows));
    if is_stopped {
        eprintln!("stopped; the same command goes on");
        return ExitCode::from(4);
    }
    ExitCode::SUCCESS
}

/// Says how a run ended.
fn tell(request: &NnueRequest, done: &NnueDone) -> ExitCode {
    if done.stopped {
        match done.positions {
            0 => eprintln!("stopped before the first step; the same command begins again"),
            positions => eprintln!("stopped after {positions} positions; the same command goes on"),
        }
        return ExitCode::from(4);
    }
    if let Some(text) = done.validation.as_ref().map(LogEntry::text) {
        println!("{text}");
    }
    if let Some(warning) = done.warning(request) {
        eprintln!("warning: {warning}");
    }
    println!("{} parameters in {}", done.architecture.parameters(), request.out.display());
    ExitCode::SUCCESS
}
