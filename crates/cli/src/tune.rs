//! `tesuji tune`: weights from games.

mod ask;
mod rows;

use crate::{
    games, logs, own_program,
    request::{RequestArgs, refused},
    skip::SkipArgs,
    version,
};
use anyhow::{Context, anyhow, bail};
use std::{path::PathBuf, process::ExitCode, time::Instant};
use tesuji_circle::{
    LearnRequest,
    sweep::{SweepRequest, SweepRun, sweep},
};
use tesuji_jobs::{AtomicFile, Interrupt, Progress, Show};
use tesuji_kit::{
    Kit, RequestError, check_beside,
    playouts::{StrengthRequest, StrengthRun},
    tuning::{
        ChanceOutcome, ChanceRequest, Leaf, MarginRequest, TuneNews, TuneOutcome, TuneRequest, TuneRun, fit_chances,
        tune,
    },
};
use tesuji_kits::GrekoDiary;
use tesuji_report::{sweep as sweeps, tuning};
use tesuji_tune::{Loss, Method, TuneSettings};

/// Arguments of `tesuji tune`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji tune chess --games games.sgs --out tuned.json\n  \
    tesuji tune chess --games a.sgs.zst --games b.pgn --start material --epochs 60 --lambda 40 --out tuned.json\n  \
    tesuji tune chess --games games.sgs --method lbfgs --only pawns --bootstrap 20 --curves c.svg --out pawns.json\n  \
    tesuji tune chess --games games.pgn --weight-set greko --only 6..27 --method coordinate --log greko --out weights.txt\n  \
    tesuji tune chess --games games.sgs --chances\n  \
    tesuji tune chess --games games.sgs --margins razoring,futility\n  \
    tesuji tune chess --sweep versions.toml --out sweeps/a\n  \
    tesuji tune shogi --games games.hcpe3 --games teacher.psv --start material --out tuned.json\n  \
    tesuji tune go --games games.txt.zst --games more.sgf --rank-min 6d --out gammas.txt\n  \
    tesuji tune rows rows.csv --column result=wdl --column game=id --out weights.json\n\n\
    Boards of the opening, after captures and in or after check are left out. A tenth of the games is kept to judge\n\
    what was learned. Exit codes: 0 done, 2 wrong usage or input, 4 stopped (the best weights so far are written).")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    other: Option<Other>,
    /// The game: chess or shogi (weights of the evaluation), or go (strengths of move features and patterns)
    #[arg(required_unless_present = "request")]
    game: Option<String>,
    /// Games to learn from, or positions with results (.sgs, .pgn, .hcpe3, .csa, .psv, .hcpe and others, also .zst, .gz, .xz or .bz2);
    /// several times for several files; for go also folders and archives (.zip, .tar, .tar.gz, .tar.bz2, .tar.xz) of SGF files
    #[arg(long, value_name = "FILE", required_unless_present_any = ["sweep", "request"])]
    games: Vec<PathBuf>,
    /// The file for the weights; weights that are there are kept as FILE.old, any other file is refused
    #[arg(long, value_name = "FILE", required_unless_present_any = ["chances", "margins", "request"])]
    out: Option<PathBuf>,
    /// Learn a version for each combination of games, weights and lambda that FILE lists, and let each play against a pool
    /// of weights and engines, by nodes or by several clocks; --out is the folder, and the same command goes on with it
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["games", "only", "chances", "margins", "curves", "steps"])]
    sweep: Option<PathBuf>,
    /// Learn no weights: ask the search how large margins should be (razoring, reverse-futility, futility)
    #[arg(long, value_name = "WHICH", value_delimiter = ',', conflicts_with_all = ["out", "chances"])]
    margins: Vec<String>,
    /// Positions that --margins asks about, one of each game (500 when not given), or that moves of go are learned from
    /// (1000000)
    #[arg(long, value_name = "N")]
    positions: Option<usize>,
    /// Nodes of each of these searches
    #[arg(long, default_value_t = 50_000, value_name = "N", requires = "margins")]
    nodes: u64,
    /// The share of the pruned cases that may be wrong with a proposed margin
    #[arg(long, default_value_t = 0.01, value_name = "SHARE", requires = "margins")]
    false_rate: f64,
    /// Learn no weights: fit the chances to win, draw and lose that go with a value, and print them
    #[arg(long, conflicts_with = "out")]
    chances: bool,
    /// Which weights: those that play, or of chess GreKo's 27 or SoFCheck's 480; a file of these for --start says it, too
    #[arg(long, alias = "set", value_enum, default_value_t = Set::Full)]
    weight_set: Set,
    /// The board of a row: the board itself where it is quiet (static), or any board's quiet end after the best
    /// captures (quiescence, the original Texel method)
    #[arg(long, value_enum, default_value_t = LeafArg::Static)]
    leaf: LeafArg,
    /// Weights to start from: builtin, material (piece values alone), or a file
    #[arg(long, default_value = "builtin", value_name = "WEIGHTS")]
    start: String,
    /// Learn only these: groups, terms, features or ranges from 1, with commas (pawns,psq_knight.27,6..27)
    #[arg(long, value_name = "WHICH", value_delimiter = ',')]
    only: Vec<String>,
    /// Leave these as they are
    #[arg(long, value_name = "WHICH", value_delimiter = ',')]
    freeze: Vec<String>,
    /// Bounds of weights: a TOML file with `[TERM]`, `low` and `high`, and the `step` of coordinate descent
    #[arg(long, value_name = "FILE")]
    bounds: Option<PathBuf>,
    #[command(flatten)]
    fit: FitArgs,
    #[command(flatten)]
    skip: SkipArgs,
    /// Leave out games in which a player is known to be weaker (go): 6d, 1p
    #[arg(long, value_name = "RANK")]
    rank_min: Option<String>,
    /// Learn patterns that were met at least so often around a move that was played (go)
    #[arg(long, default_value_t = 20, value_name = "N")]
    pattern_min: usize,
    /// The largest patterns that are learned, from 3 (the points around) to 12 (go); 3 is for playouts
    #[arg(long, default_value_t = 12, value_name = "SIZE", value_parser = clap::value_parser!(u8).range(3..=12))]
    pattern_max: u8,
    /// Contests that each feature and pattern is taken to have won, and lost, against a plain move (go): rare ones stay near it
    #[arg(long, default_value_t = 1.0, value_name = "N")]
    pattern_prior: f64,
    /// Write each epoch or step to a CSV file
    #[arg(long, value_name = "FILE")]
    steps: Option<PathBuf>,
    /// Draw the losses over the epochs
    #[arg(long, value_name = "FILE.svg")]
    curves: Option<PathBuf>,
    /// Show all weights before and after
    #[arg(long)]
    table: bool,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    request: RequestArgs,
}

/// Other things to learn from.
#[derive(clap::Subcommand)]
enum Other {
    /// Learn weights from a table of features that any program wrote: CSV, Parquet, sparse text
    Rows(Box<rows::Args>),
}

/// How weights are fitted.
#[derive(clap::Args)]
struct FitArgs {
    /// How: adam, lbfgs, coordinate (one weight after the other, as GreKo did) or cma-es [default: adam; for rows lbfgs]
    #[arg(long, value_name = "METHOD")]
    method: Option<Method>,
    /// Passes over the games at most: iterations, generations or cycles, as the method counts [default: 30; for rows 200]
    #[arg(long, value_name = "N")]
    epochs: Option<u32>,
    /// Stop after this many epochs without a better validation loss
    #[arg(long, default_value_t = TuneSettings::default().patience, value_name = "N")]
    patience: u32,
    /// Attempts after the first, from shaken weights; the spread of their losses is shown
    #[arg(long, default_value_t = 0, value_name = "N")]
    restarts: u32,
    /// The distance by which weights are shaken for another attempt, in centipawns of what they can make
    #[arg(long, default_value_t = TuneSettings::default().shake_cp, value_name = "CP")]
    shake: f64,
    /// Learn this many times more with games drawn again, for the standard error of each weight
    #[arg(long, default_value_t = 0, value_name = "N")]
    bootstrap: u32,
    /// A board this many plies before the end counts 1/e of the last one; 0: all count the same
    #[arg(long, default_value_t = 32.0, value_name = "PLIES")]
    lambda: f64,
    /// Share of the game's result in what is learned; the rest is the search's score, where the games have one
    #[arg(long, default_value_t = TuneSettings::default().result_share, value_name = "SHARE")]
    result_share: f64,
    /// The loss: mse, mae, l4 or cross-entropy
    #[arg(long, default_value = "mse", value_name = "LOSS")]
    loss: Loss,
    /// Length of the first steps, in centipawns
    #[arg(long, default_value_t = TuneSettings::default().rate_cp, value_name = "CP")]
    rate: f64,
    /// Rows of one step
    #[arg(long, default_value_t = TuneSettings::default().batch, value_name = "ROWS")]
    batch: usize,
    /// How hard weights are held where they start: as strong as this many boards of one more squared pawn of loss, or auto,
    /// what the games say is best
    #[arg(long, default_value = "auto", value_parser = pull, value_name = "ROWS")]
    pull: Pull,
    /// How hard weights are drawn to 0 (L2), in the same measure
    #[arg(long, default_value_t = 0.0, value_name = "ROWS")]
    l2: f64,
    /// Centipawns that multiply the odds by e; fitted when not given
    #[arg(long, value_name = "CP")]
    k: Option<f64>,
    /// Share of the games that are kept to judge what was learned: the start weights stay where these games judge the best epoch
    /// worse by more than two standard errors
    #[arg(long, default_value_t = TuneSettings::default().held_out, value_name = "SHARE")]
    held_out: f64,
    /// Decides the split and the order
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Threads (0: one for each core); the result does not depend on them
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
}

/// A set of weights that can be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Set {
    /// The evaluation that plays: weights as JSON
    Full,
    /// GreKo's 27 named weights: `NAME value` a line
    Greko,
    /// SoFCheck's 480 weights: a features.json
    Sofcheck,
}

impl Set {
    /// Its name in a request.
    fn name(self) -> &'static str {
        match self {
            Set::Full => "full",
            Set::Greko => "greko",
            Set::Sofcheck => "sofcheck",
        }
    }
}

/// Which board stands for a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LeafArg {
    /// The board itself, where it is quiet
    Static,
    /// The end of the best captures
    Quiescence,
}

/// The pull towards the start in rows; `None` leaves it to the games.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pull(Option<f64>);

fn pull(text: &str) -> Result<Pull, String> {
    let number = || text.parse().ok().filter(|rows: &f64| *rows >= 0.0 && rows.is_finite());
    match text {
        "auto" => Ok(Pull(None)),
        _ => number()
            .map(|rows| Pull(Some(rows)))
            .ok_or_else(|| format!("{text:?}: expected a number of boards, or auto")),
    }
}

/// Flags that are not called as the fields of a request.
const FLAGS: [(&str, &str); 7] = [
    ("lambda_plies", "lambda"),
    ("pull_rows", "pull"),
    ("l2_rows", "l2"),
    ("rate_cp", "rate"),
    ("shake_cp", "shake"),
    ("plan", "sweep"),
    ("tune", "sweep"),
];

/// Learns. With `--log greko` each step is told in GreKo's words too, on the screen and in `learning.log` beside the
/// weights.
pub(crate) fn run(args: Args, logs: &logs::Args) -> anyhow::Result<ExitCode> {
    if let Some(Other::Rows(args)) = &args.other {
        return rows::run(args);
    }
    let request = args.request.read(|| args.own_request())?;
    let kit = games::kit(request.game())?;
    request.validate().map_err(flags)?;
    if args.request.print(&request)? {
        return Ok(ExitCode::SUCCESS);
    }
    match request {
        LearnRequest::Weights(request) => args.weights(kit, &request, logs.wants("greko")),
        LearnRequest::Strengths(request) => args.strengths(kit, &request),
        LearnRequest::Chances(request) => args.chances(kit, &request),
        LearnRequest::Margins(request) => args.margins(kit, &request),
        LearnRequest::Sweep(request) => args.sweep(kit, &request),
    }
}

/// The error of a request in words of the command line.
fn flags(error: RequestError) -> anyhow::Error {
    match error {
        RequestError::Field { field: "leaf", .. } => {
            let games = games::with(|kit| kit.tuning().is_some_and(|tuning| tuning.leaves.is_some())).join(" and ");
            anyhow!("--leaf quiescence is for the whole evaluation of {games}")
        }
        error => refused(error, &FLAGS),
    }
}

impl Args {
    /// The display mode of progress: `usual` where nothing forbids it.
    fn show(&self, usual: Show) -> Show {
        if self.quiet || self.json { Show::Quiet } else { usual }
    }

    /// Learns weights of an evaluation.
    fn weights(&self, kit: &'static dyn Kit, request: &TuneRequest, in_greko_words: bool) -> anyhow::Result<ExitCode> {
        // A game without weights names those that have some.
        games::tuning(kit.name())?;
        if let Some(path) = &self.curves {
            check_beside(path, &self.games, std::slice::from_ref(&request.out))?;
        }
        let show = if in_greko_words { Show::Quiet } else { self.show(Show::Auto) };
        let (mut greko, mut began, is_told) = (None::<GrekoDiary>, Instant::now(), !self.json);
        let mut news = |news: &TuneNews<'_>| {
            match news {
                TuneNews::Read { games, rows, terms } => {
                    if is_told {
                        let what = if request.leaf == Leaf::Static { "quiet boards" } else { "leaves of quiescence" };
                        println!("{games} games, {rows} {what}, {:.1} s", began.elapsed().as_secs_f64());
                    }
                    began = Instant::now();
                    greko = in_greko_words
                        .then(|| GrekoDiary::begin(&request.out, terms, |line| println!("{line}")))
                        .transpose()?;
                }
                TuneNews::Event(event) => greko.as_mut().map_or(Ok(()), |greko| greko.note(event))?,
            }
            Ok(())
        };
        let (interrupt, version) = (Interrupt::of_process(), version::short());
        let mut run = TuneRun { version, reading: show, learning: show, interrupt: &interrupt, news: &mut news };
        let outcome = tune(kit, request, &mut run).map_err(flags)?;
        if is_told {
            println!("learned in {:.1} s", began.elapsed().as_secs_f64());
        }
        if let Some(path) = &self.curves {
            AtomicFile::write(path, tuning::curves::svg(&outcome.trained).as_bytes())?;
        }
        self.print_weights(kit, request, &outcome)
    }

    fn print_weights(&self, kit: &dyn Kit, request: &TuneRequest, outcome: &TuneOutcome) -> anyhow::Result<ExitCode> {
        let TuneOutcome { terms, set, start, trained, older_engine, .. } = outcome;
        let warnings: Vec<String> =
            [older_engine.clone(), tuning::few_held_out(trained), tuning::at_bounds(terms, trained)]
                .into_iter()
                .flatten()
                .collect();
        let report = tuning::Report {
            terms,
            before: start,
            trained,
            held_out: request.held_out,
            out: &request.out,
            warnings: &warnings,
            table: self.table,
            set: *set,
            start: &request.start,
            // `match` plays the usual game where none is named.
            game: Some(kit.name()).filter(|game| *game != games::usual()),
        };
        match self.json {
            true => println!("{}", serde_json::to_string_pretty(&report.json())?),
            false => print!("{}", report.text()),
        }
        Ok(if trained.stopped { ExitCode::from(4) } else { ExitCode::SUCCESS })
    }

    /// Learns strengths of moves; tells how well moves are foreseen.
    fn strengths(&self, kit: &dyn Kit, request: &StrengthRequest) -> anyhow::Result<ExitCode> {
        let playouts = kit.playouts().with_context(|| format!("{} is not searched by playouts", kit.name()))?;
        let mut tell = |line: &str| {
            if !self.json {
                println!("{line}");
            }
        };
        let made_by = format!("tesuji {}", version::short());
        let outcome =
            playouts.learn(request, &mut StrengthRun { made_by, show: self.show(Show::Lines), tell: &mut tell })?;
        if self.json {
            println!("{}", outcome.json);
        }
        Ok(if outcome.stopped { ExitCode::from(4) } else { ExitCode::SUCCESS })
    }

    /// Fits the chances to win that go with a value.
    fn chances(&self, kit: &dyn Kit, request: &ChanceRequest) -> anyhow::Result<ExitCode> {
        let ChanceOutcome { games, fit } = fit_chances(kit, request, self.show(Show::Auto)).map_err(flags)?;
        match self.json {
            true => println!("{}", tuning::chances::json(games, &fit)),
            false => print!("{}", tuning::chances::text(games, &fit)),
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Asks the search how large margins should be.
    fn margins(&self, kit: &dyn Kit, request: &MarginRequest) -> anyhow::Result<ExitCode> {
        let tuning = games::tuning(kit.name())?;
        let start = tuning.weights(&request.start)?;
        let Some(margins) = tuning.margins else {
            let games = games::with(|kit| kit.tuning().is_some_and(|tuning| tuning.margins.is_some())).join(" and ");
            bail!("--margins: only {games} has margins that can be asked");
        };
        let progress = Progress::start("asking", "positions", Some(request.positions() as u64), self.show(Show::Auto));
        let report = margins.ask(request, start, &Interrupt::of_process(), &progress)?;
        drop(progress);
        match report {
            None => {
                println!("stopped");
                return Ok(ExitCode::from(4));
            }
            Some(report) if self.json => println!("{}", serde_json::to_string_pretty(&report.json)?),
            Some(report) => print!("{}", report.text),
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Learns versions of weights, which play against a pool.
    fn sweep(&self, kit: &'static dyn Kit, request: &SweepRequest) -> anyhow::Result<ExitCode> {
        games::tuning(kit.name())?;
        let (interrupt, version, own, out) =
            (Interrupt::of_process(), version::short(), own_program(kit)?, &request.out);
        let run = SweepRun { version, show: self.show(Show::Auto), own: &own, interrupt: &interrupt };
        let Some(outcome) = sweep(kit, request, &run).map_err(flags)? else {
            println!("stopped; the same command goes on from {}", out.display());
            return Ok(ExitCode::from(4));
        };
        let told = serde_json::to_value(sweeps::SweepTable::of(&outcome))?;
        let (table, told) = (sweeps::table(&outcome), serde_json::to_string_pretty(&told)?);
        let pictures = [("ratings.svg", sweeps::ratings_svg(&outcome)), ("losses.svg", sweeps::losses_svg(&outcome))];
        let tables = [("table.txt", table.clone()), ("table.json", told.clone())];
        for (name, text) in tables.into_iter().chain(pictures) {
            AtomicFile::write(&out.join(name), text.as_bytes())?;
        }
        match self.json {
            true => println!("{told}"),
            false => print!("{table}"),
        }
        Ok(ExitCode::SUCCESS)
    }
}
