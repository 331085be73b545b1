//! `tesuji train`: policy and value nets from games and positions; efficiently updatable networks in a subcommand.

mod nnue;

use crate::{
    bounds, games,
    request::{RequestArgs, refused},
    version,
};
use anyhow::{Context, bail};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};
use tesuji_cuda::ComputeDevice;
use tesuji_jobs::{AtomicFile, Interrupt, Show};
use tesuji_kit::check_beside;
use tesuji_kit::networks::{OptimiserRule, RateSchedule, TrainNews, TrainRequest, TrainRun, ValueLoss};
use tesuji_nn::Activation;
use tesuji_report::training;
use tesuji_train::{learn::Outcome, log::LogEntry};

/// Arguments of `tesuji train`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji train go --games games.txt.zst --net 4x48 --positions 1000000 --out go.safetensors\n  \
    tesuji train go --games a.sgf --games b.sgf --size 9 --features bakago-1 --out small.safetensors\n  \
    tesuji train shogi --games teacher.hcpe3 --net 6x64 --search-share 0.3 --out shogi.safetensors\n  \
    tesuji train nnue --game chess --games games.sgs --net chess-768m-128 --out net.nnue\n\n\
    The run is kept in NET.checkpoint: the same command goes on with it after Ctrl-C, a kill or a power cut, to the same\n\
    bytes; more --positions make a finished run longer. Exit codes: 0 done, 2 wrong usage or input, 4 stopped.")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    other: Option<Other>,
    /// The game: go or shogi
    #[arg(required_unless_present = "request")]
    game: Option<String>,
    /// Games or positions to learn from (go: .sgf, lists of games; shogi: .hcpe, .psv, .hcpe3; both: searched positions in .parquet; also .zst or .gz), folders
    /// and archives (.zip, .tar.gz) of records; several times for several
    #[arg(long, value_name = "FILE", required_unless_present = "request")]
    games: Vec<PathBuf>,
    /// The file for the net
    #[arg(long, value_name = "NET.safetensors", required_unless_present = "request")]
    out: Option<PathBuf>,
    /// Residual blocks and channels
    #[arg(long, default_value = "6x64", value_name = "BLOCKSxCHANNELS")]
    net: String,
    /// How positions are shown to the net: go-1, bakago-1, bakago-1-quirks, katago-7; dlshogi-1, dlshogi-nyugyoku-1
    #[arg(long, value_name = "NAME")]
    features: Option<String>,
    /// Lines of the board (go)
    #[arg(long, default_value_t = 19, value_name = "N")]
    size: usize,
    /// The function after each batch norm: relu or swish
    #[arg(long, default_value = "relu", value_name = "NAME", value_parser = bounds::words::<Activation>(["relu", "swish"]))]
    activation: Activation,
    /// Begin with this net instead of random numbers; one of go may have learned on boards of another size
    #[arg(long, value_name = "NET.safetensors")]
    from: Option<PathBuf>,
    /// Positions to see in all
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    positions: u64,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    samples: Samples,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    request: RequestArgs,
}

/// Other kinds of nets.
#[derive(clap::Subcommand)]
enum Other {
    /// Train efficiently updatable networks (NNUE) for chess and shogi
    Nnue(Box<nnue::Args>),
}

/// How steps are made.
#[derive(clap::Args)]
struct How {
    /// Positions of one step
    #[arg(long, default_value_t = 128, value_name = "N")]
    batch: usize,
    /// How numbers move: sgd (with momentum) or adamw
    #[arg(long, default_value = "sgd", value_name = "RULE", value_parser = bounds::words::<OptimiserRule>(["sgd", "adamw"]))]
    rule: OptimiserRule,
    /// The largest learning rate; by default 0.1 for sgd, 0.002 for adamw
    #[arg(long, value_name = "RATE")]
    rate: Option<f32>,
    /// The schedule of the rate: constant, cosine, or steps
    #[arg(long, default_value = "cosine", value_name = "HOW", value_parser = bounds::words::<RateSchedule>(["constant", "cosine", "steps"]))]
    schedule: RateSchedule,
    /// The shares of the run at which --schedule steps divides the rate by ten
    #[arg(long, default_value = "0.5,0.75,0.9", value_name = "SHARES", value_delimiter = ',')]
    steps_at: Vec<f32>,
    /// Steps over which the rate rises from nothing
    #[arg(long, default_value_t = 200, value_name = "STEPS")]
    warm_up: u64,
    /// The decay of weights for each unit of rate
    #[arg(long, default_value_t = 1e-4, value_name = "SHARE")]
    decay: f32,
    /// The largest length of a gradient; 0: no limit
    #[arg(long, default_value_t = 5.0, value_name = "LENGTH")]
    clip: f32,
    /// The decay of the moving average of the weights, which becomes the net; 0: no average
    #[arg(long, default_value_t = 0.999, value_name = "SHARE")]
    average: f32,
    /// Of the generator of random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// The weight of the value beside the policy
    #[arg(long, default_value_t = 1.0, value_name = "WEIGHT")]
    value_weight: f32,
    /// The weight of the score (go)
    #[arg(long, default_value_t = 0.1, value_name = "WEIGHT")]
    score_weight: f32,
    /// The loss of the value: mse or cross-entropy
    #[arg(long, default_value = "mse", value_name = "LOSS", value_parser = bounds::words::<ValueLoss>(["mse", "cross-entropy"]))]
    value_loss: ValueLoss,
}

/// Which samples, and how they are mixed.
#[derive(clap::Args)]
struct Samples {
    /// Leave out games in which a player is known to be weaker (go): 6d, 1p
    #[arg(long, value_name = "RANK")]
    rank_min: Option<String>,
    /// Share of the games that are held out and judge the net, the same as those of data split with this share
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    held_out: f64,
    /// Positions of a validation
    #[arg(long, default_value_t = 8192, value_name = "N")]
    validation: usize,
    /// Positions between two validations
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    validate_every: u64,
    /// Do not turn and mirror boards (go has 8 symmetries)
    #[arg(long)]
    no_symmetries: bool,
    /// Mirror boards left to right at random (shogi)
    #[arg(long)]
    mirror: bool,
    /// Share of the search's score in the value that is learned, where positions have one; the rest is the result
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    search_share: f32,
    /// Games or positions in memory at once; where there are more, give files that are shuffled
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    room: usize,
    /// The number of draws of one of them before another takes its place, where not all fit
    #[arg(long, default_value_t = 16, value_name = "N")]
    times: u32,
}

/// Options that do not change the net.
#[derive(clap::Args)]
struct RunArgs {
    /// The device: cpu, cuda or cuda:N (a program built with the feature cuda)
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
    /// Draw the hits of the policy and the loss into FILE and FILE with `loss` before its ending
    #[arg(long, value_name = "FILE.svg")]
    curves: Option<PathBuf>,
}

impl Args {
    /// The request that the flags make.
    fn own_request(&self) -> TrainRequest {
        let (how, samples, run) = (&self.how, &self.samples, &self.run);
        TrainRequest {
            game: self.game.clone().unwrap_or_default(),
            games: self.games.clone(),
            rank_min: self.samples.rank_min.clone(),
            out: self.out.clone().unwrap_or_default(),
            net: self.net.clone(),
            features: self.features.clone(),
            size: Some(self.size),
            activation: self.activation,
            from: self.from.clone(),
            positions: self.positions,
            batch: how.batch,
            rule: how.rule,
            rate: how.rate,
            schedule: how.schedule,
            steps_at: how.steps_at.clone(),
            warm_up: how.warm_up,
            decay: how.decay,
            clip: how.clip,
            average: how.average,
            seed: how.seed,
            value_weight: how.value_weight,
            score_weight: how.score_weight,
            value_loss: how.value_loss,
            held_out: samples.held_out,
            validation: samples.validation,
            validate_every: samples.validate_every,
            symmetries: !samples.no_symmetries,
            mirror: samples.mirror,
            search_share: samples.search_share,
            room: samples.room,
            times: samples.times,
            device: run.device,
            threads: run.threads,
            checkpoint: run.checkpoint.clone(),
            save_every: run.save_every,
            journal: run.journal.clone(),
            ..TrainRequest::default()
        }
    }
}

/// Runs `tesuji train`; `command` is the command line of this process.
pub(crate) fn run(args: &Args, command: String) -> anyhow::Result<ExitCode> {
    if let Some(Other::Nnue(args)) = &args.other {
        return nnue::run(args, command);
    }
    let Some(request) = args.request.take(|| Ok(args.own_request()), TrainRequest::validate, &[])? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut news = |news: TrainNews<'_>| match news {
        _ if args.run.quiet => {}
        TrainNews::Samples(samples) => eprintln!("{samples}"),
        TrainNews::GoingOn { checkpoint, positions } => {
            eprintln!("going on with {} after {positions} positions", checkpoint.display());
        }
    };
    let show = if args.run.quiet { Show::Quiet } else { Show::Lines };
    if let Some(path) = &args.run.curves {
        let curves = [path, &loss_path(path)];
        curves.iter().try_for_each(|path| check_beside(path, &request.games, &request.outputs()))?;
    }
    let outcome = train(&request, command, show, &mut news)?;
    if let Some(path) = &args.run.curves {
        draw(&outcome.log, path)?;
    }
    Ok(tell(&request, &outcome))
}

/// Carries out a request; the net will say that `command` made it.
fn train(
    request: &TrainRequest,
    command: String,
    show: Show,
    news: &mut dyn FnMut(TrainNews<'_>),
) -> anyhow::Result<Outcome> {
    let kit = games::kit(&request.game).ok();
    let Some(networks) = kit.and_then(|kit| kit.networks()) else {
        bail!(tesuji_kit::networks::no_networks(kit, &request.game, &games::with_networks()));
    };
    let (made_by, interrupt) = (format!("tesuji {}", version::short()), Interrupt::of_process());
    let mut run = TrainRun { made_by, command, judges_start: false, show, interrupt: &interrupt, news };
    networks.train(request, &mut run).map_err(|error| refused(error, &[]))
}

/// Says how a run ended.
fn tell(request: &TrainRequest, outcome: &Outcome) -> ExitCode {
    if outcome.stopped {
        let seen = outcome.state.optimiser.step * outcome.state.settings.batch as u64;
        eprintln!("stopped after {seen} positions; the same command goes on");
        return ExitCode::from(4);
    }
    println!("{}", outcome.last_validation());
    let parameters = outcome.state.settings.architecture.parameters();
    println!("{parameters} parameters in {}", request.out.display());
    ExitCode::SUCCESS
}

/// Draws the log: hits into `path`, the loss beside it.
fn draw(log: &[LogEntry], path: &Path) -> anyhow::Result<()> {
    draw_curve(log, path, training::Curve::Top1)?;
    draw_curve(log, &loss_path(path), training::Curve::Loss)
}

fn loss_path(path: &Path) -> PathBuf {
    path.with_extension("loss.svg")
}

/// Draws one curve of a log into `path`.
fn draw_curve(log: &[LogEntry], path: &Path, what: training::Curve) -> anyhow::Result<()> {
    AtomicFile::write(path, training::svg(log, what).as_bytes()).with_context(|| path.display().to_string())
}
