//! `tesuji train`: policy and value nets from games and positions.

mod go;
mod report;
mod shogi;

use anyhow::bail;
use std::{path::PathBuf, process::ExitCode};
use tesuji_cuda::Place;
use tesuji_nn::Architecture;
use tesuji_train::learn::Outcome;
use tesuji_train::loss::LossSettings;
use tesuji_train::optimiser::{OptimiserSettings, Rule, Schedule};
use tesuji_train::settings::Settings;

/// Arguments of `tesuji train`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji train go --games games.txt.zst --net 4x48 --positions 1000000 --out go.safetensors\n  \
    tesuji train go --games a.sgf --games b.sgf --size 9 --features bakago-1 --out small.safetensors\n  \
    tesuji train shogi --games teacher.hcpe3 --net 6x64 --search-share 0.3 --out shogi.safetensors\n\n\
    The run is kept in NET.checkpoint: the same command goes on with it after Ctrl-C, a kill or a power cut, to the same\n\
    bytes; more --positions make a finished run longer. Exit codes: 0 done, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The game: go or shogi
    game: String,
    /// Games or positions to learn from (go: .sgf, lists of games; shogi: .hcpe, .psv, .hcpe3; both: searched positions in .parquet; also .zst or .gz); several
    /// times for several files
    #[arg(long, value_name = "FILE", required = true)]
    games: Vec<PathBuf>,
    /// Where the net goes
    #[arg(long, value_name = "NET.safetensors")]
    out: PathBuf,
    /// Residual blocks and channels
    #[arg(long, default_value = "6x64", value_name = "BLOCKSxCHANNELS")]
    net: String,
    /// How positions are shown to the net: go-1, bakago-1, bakago-1-quirks; dlshogi-1, dlshogi-nyugyoku-1
    #[arg(long, value_name = "NAME")]
    features: Option<String>,
    /// Lines of the board (go)
    #[arg(long, default_value_t = 19, value_name = "N")]
    size: usize,
    /// The function after each batch norm: relu or swish
    #[arg(long, default_value = "relu", value_name = "NAME")]
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
    /// What the net says of its making, where that is not the command of this process.
    #[arg(skip)]
    made_by: Option<String>,
}

/// How steps are made.
#[derive(clap::Args)]
struct How {
    /// Positions of one step
    #[arg(long, default_value_t = 128, value_name = "N")]
    batch: usize,
    /// How numbers move: sgd (with momentum) or adamw
    #[arg(long, default_value = "sgd", value_name = "RULE")]
    rule: RuleName,
    /// The largest learning rate; by default 0.1 for sgd, 0.002 for adamw
    #[arg(long, value_name = "RATE")]
    rate: Option<f32>,
    /// How the rate falls: constant, cosine, or steps
    #[arg(long, default_value = "cosine", value_name = "HOW")]
    schedule: ScheduleName,
    /// Where the rate falls to a tenth with --schedule steps, as shares of the run
    #[arg(long, default_value = "0.5,0.75,0.9", value_name = "SHARES", value_delimiter = ',')]
    steps_at: Vec<f32>,
    /// Steps over which the rate rises from nothing
    #[arg(long, default_value_t = 200, value_name = "STEPS")]
    warm_up: u64,
    /// What weights lose for each unit of rate
    #[arg(long, default_value_t = 1e-4, value_name = "SHARE")]
    decay: f32,
    /// The largest length of a gradient; 0: no limit
    #[arg(long, default_value_t = 5.0, value_name = "LENGTH")]
    clip: f32,
    /// What the average of the weights, which becomes the net, keeps at each step; 0: no average
    #[arg(long, default_value_t = 0.999, value_name = "SHARE")]
    average: f32,
    /// Of the generator of random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// How much the value counts beside the policy
    #[arg(long, default_value_t = 1.0, value_name = "WEIGHT")]
    value_weight: f32,
    /// How much the score counts (go)
    #[arg(long, default_value_t = 0.1, value_name = "WEIGHT")]
    score_weight: f32,
    /// How the value is judged: mse or cross-entropy
    #[arg(long, default_value = "mse", value_name = "LOSS")]
    value_loss: ValueLoss,
}

/// Which samples, and how they are mixed.
#[derive(clap::Args)]
struct Samples {
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
    /// How often one of them is drawn before another takes its place, where not all fit
    #[arg(long, default_value_t = 16, value_name = "N")]
    times: u32,
}

/// What does not change the net.
#[derive(clap::Args)]
struct RunArgs {
    /// What computes: cpu, cuda or cuda:N (a program built with the feature cuda)
    #[arg(long, default_value_t, value_name = "DEVICE")]
    device: Place,
    /// Threads
    #[arg(long, short = 'j', default_value_t = 0, value_name = "N")]
    threads: usize,
    /// Where the run is kept; by default NET.checkpoint
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    save_every: u64,
    /// Where the figures go, a line of JSON for every few steps; by default NET.log
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    /// Draw the hits of the policy and the loss into FILE and FILE with `loss` before its ending
    #[arg(long, value_name = "FILE.svg")]
    curves: Option<PathBuf>,
}

/// See [`Args`].
#[derive(Clone, Copy, clap::ValueEnum)]
enum Activation {
    Relu,
    Swish,
}

/// See [`How`].
#[derive(Clone, Copy, clap::ValueEnum)]
enum RuleName {
    Sgd,
    Adamw,
}

/// See [`How`].
#[derive(Clone, Copy, clap::ValueEnum)]
enum ScheduleName {
    Constant,
    Cosine,
    Steps,
}

/// See [`How`].
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum ValueLoss {
    Mse,
    CrossEntropy,
}

impl Args {
    /// The files with an ending after the net's name.
    fn beside(&self, given: &Option<PathBuf>, ending: &str) -> PathBuf {
        given.clone().unwrap_or_else(|| self.out.with_extension(ending))
    }

    /// The optimiser.
    fn optimiser(&self) -> OptimiserSettings {
        let how = &self.how;
        let (rule, rate) = match how.rule {
            RuleName::Sgd => (Rule::Sgd { momentum: 0.9 }, 0.1),
            RuleName::Adamw => (Rule::AdamW { beta1: 0.9, beta2: 0.999 }, 0.002),
        };
        OptimiserSettings {
            rule,
            rate: how.rate.unwrap_or(rate),
            schedule: match how.schedule {
                ScheduleName::Constant => Schedule::Constant,
                ScheduleName::Cosine => Schedule::Cosine { last: 0.01 },
                ScheduleName::Steps => Schedule::Steps { at: how.steps_at.clone(), factor: 0.1 },
            },
            warm_up: how.warm_up,
            decay: how.decay,
            clip: how.clip,
            average: how.average,
            ..OptimiserSettings::default()
        }
    }

    /// The run for a net.
    fn settings(&self, mut architecture: Architecture, samples: String) -> anyhow::Result<Settings> {
        let (how, seen) = (&self.how, &self.samples);
        if how.batch == 0 || self.positions == 0 || seen.validation == 0 || seen.validate_every == 0 {
            bail!("--batch, --positions, --validation and --validate-every count something: at least 1");
        }
        if !(0.0..1.0).contains(&seen.held_out) || seen.held_out * 1000.0 < 1.0 {
            bail!("--held-out {}: expected a share of at least 0.001, below 1", seen.held_out);
        }
        if let Activation::Swish = self.activation {
            architecture.activation = tesuji_nn::Activation::Swish;
        }
        let batch = how.batch as u64;
        Ok(Settings {
            architecture,
            seed: how.seed,
            samples,
            batch: how.batch,
            steps: self.positions.div_ceil(batch),
            optimiser: self.optimiser(),
            loss: LossSettings {
                value: how.value_weight,
                score: how.score_weight,
                value_entropy: how.value_loss == ValueLoss::CrossEntropy,
                ..LossSettings::default()
            },
            log_every: (seen.validate_every / 10).div_ceil(batch).max(1),
            validate_every: seen.validate_every.div_ceil(batch),
            validation: seen.validation,
        })
    }

    /// The files in words, without their folders: what a run goes on with.
    fn files(&self) -> String {
        let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.games.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// The share of the games that is held out.
    fn held_out(&self) -> f64 {
        self.samples.held_out
    }
}

/// Runs `tesuji train`.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let outcome = train(&args)?;
    report::tell(&args, &outcome)
}

fn train(args: &Args) -> anyhow::Result<Outcome> {
    match args.game.as_str() {
        "go" => go::run(args),
        "shogi" => shogi::run(args),
        other => bail!("{other} has no nets to train; these games have: go, shogi"),
    }
}

/// Trains as the words after `tesuji train` say, without a word and in this process; the net will say that `command` made
/// it. The log begins with what the net to begin with is worth.
///
/// # Errors
/// Those of the command.
pub(crate) fn by_words(words: Vec<String>, command: String) -> anyhow::Result<Outcome> {
    /// [`Args`] alone.
    #[derive(clap::Parser)]
    struct Words {
        #[command(flatten)]
        args: Args,
    }
    let words = ["train".to_string()].into_iter().chain(words);
    let mut args = crate::bounds::parse_words::<Words, _>("train", words)?.args;
    args.run.quiet = true;
    args.made_by = Some(command);
    train(&args)
}
