//! `tesuji tune`: weights from games.

mod chances;
mod margins;
mod steps;
mod strengths;
mod sweep;

pub(crate) use steps::GrekoLog;
pub(crate) use sweep::check_text;

use crate::{games, logs, skip::SkipArgs, version};
use anyhow::{Context, bail};
use std::{
    collections::BTreeMap, io::Write, ops::ControlFlow, path::Path, path::PathBuf, process::ExitCode, time::Instant,
};
use tesuji_dataset::{
    Built, DatasetError, Features, Filter, Plan, Rows, build, build_positions,
    data::{Format, Input, Job, Lens},
};
use tesuji_jobs::{Existing, Interrupt, OutputFile, Progress, Show, check_output, open_output, threads};
use tesuji_kit::{
    complain, open_records,
    tuning::{Pupil, Watched, check_weights_target, frozen, older_engine, trusted_rows as trusted},
};
use tesuji_report::tuning;
use tesuji_tally::Weights;
use tesuji_tune::{Event, Kept, Loss, Method, Settings, Trained, learn_with, old_name};

/// Arguments of `tesuji tune`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji tune chess --games games.sgs --out tuned.json\n  \
    tesuji tune chess --games a.sgs.zst --games b.pgn --start material --epochs 60 --lambda 40 --out tuned.json\n  \
    tesuji tune chess --games games.sgs --method lbfgs --only pawns --bootstrap 20 --curves c.svg --out pawns.json\n  \
    tesuji tune chess --games games.pgn --set greko --only 6..27 --method coordinate --log greko --out weights.txt\n  \
    tesuji tune chess --games games.sgs --chances\n  \
    tesuji tune chess --games games.sgs --margins razoring,futility\n  \
    tesuji tune chess --sweep versions.toml --out sweeps/a\n  \
    tesuji tune shogi --games games.hcpe3 --games teacher.psv --start material --out tuned.json\n  \
    tesuji tune go --games games.txt.zst --games more.sgf --rank-min 6d --out gammas.txt\n\n\
    Boards of the opening, after captures and in or after check are left out. A tenth of the games is kept to judge\n\
    what was learned. Exit codes: 0 done, 2 wrong usage or input, 4 stopped (the best weights so far are written).")]
pub(crate) struct Args {
    /// The game: chess or shogi (weights of the evaluation), or go (strengths of move features and patterns)
    game: String,
    /// Games to learn from, or positions with results (.sgs, .pgn, .hcpe3, .csa, .psv, .hcpe and others, also .zst, .gz, .xz or .bz2);
    /// several times for several files; for go also folders and archives (.zip, .tar, .tar.gz, .tar.bz2, .tar.xz) of SGF files
    #[arg(long, value_name = "FILE", required_unless_present = "sweep")]
    games: Vec<PathBuf>,
    /// Where the weights go; weights that are there are kept as FILE.old, any other file is refused
    #[arg(long, value_name = "FILE", required_unless_present_any = ["chances", "margins"])]
    out: Option<PathBuf>,
    /// Learn a version for each combination of games, weights and lambda that FILE lists, and let each play against a pool;
    /// --out is the folder, and the same command goes on with it
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["games", "only", "chances", "margins"])]
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
    /// What share of the pruned cases may be wrong with a proposed margin
    #[arg(long, default_value_t = 0.01, value_name = "SHARE", requires = "margins")]
    false_rate: f64,
    /// Learn no weights: fit the chances to win, draw and lose that go with a value, and print them
    #[arg(long, conflicts_with = "out")]
    chances: bool,
    /// Which weights: those that play, or GreKo's 27 of chess
    #[arg(long, value_enum, default_value_t = Set::Full)]
    set: Set,
    /// What a board's row is: of the board itself where it is quiet (static), or of any board's quiet end after the best
    /// captures (quiescence, the original Texel method)
    #[arg(long, value_enum, default_value_t = Leaf::Static)]
    leaf: Leaf,
    /// Weights to start from: builtin, material (piece values alone), or a file
    #[arg(long, default_value = "builtin", value_name = "WEIGHTS")]
    start: String,
    /// Learn only these: groups, terms, features or ranges from 1, with commas (pawns,psq_knight.27,6..27)
    #[arg(long, value_name = "WHICH", value_delimiter = ',')]
    only: Vec<String>,
    /// Leave these as they are
    #[arg(long, value_name = "WHICH", value_delimiter = ',')]
    freeze: Vec<String>,
    /// How: adam, lbfgs, coordinate (one weight after the other, as GreKo did) or cma-es
    #[arg(long, default_value = "adam", value_name = "METHOD")]
    method: Method,
    /// Passes over the games at most: iterations, generations or cycles, as the method counts
    #[arg(long, default_value_t = Settings::default().epochs, value_name = "N")]
    epochs: u32,
    /// Stop after so many epochs without a better validation loss
    #[arg(long, default_value_t = Settings::default().patience, value_name = "N")]
    patience: u32,
    /// Attempts after the first, from shaken weights; the spread of their losses is shown
    #[arg(long, default_value_t = 0, value_name = "N")]
    restarts: u32,
    /// How far weights are shaken for another attempt, in centipawns of what they can make
    #[arg(long, default_value_t = Settings::default().shake_cp, value_name = "CP")]
    shake: f64,
    /// Learn so many times more with games drawn anew, for the standard error of each weight
    #[arg(long, default_value_t = 0, value_name = "N")]
    bootstrap: u32,
    /// Bounds of weights: a TOML file with `[TERM]`, `low` and `high`, and the `step` of coordinate descent
    #[arg(long, value_name = "FILE")]
    bounds: Option<PathBuf>,
    /// A board so many plies before the end counts 1/e of the last one; 0: all count the same
    #[arg(long, default_value_t = 32.0, value_name = "PLIES")]
    lambda: f64,
    /// Share of the game's result in what is learned; the rest is the search's score, where the games have one
    #[arg(long, default_value_t = Settings::default().result_share, value_name = "SHARE")]
    result_share: f64,
    /// What is minimised: mse, mae, l4 or cross-entropy
    #[arg(long, default_value = "mse", value_name = "LOSS")]
    loss: Loss,
    /// Length of the first steps, in centipawns
    #[arg(long, default_value_t = Settings::default().rate_cp, value_name = "CP")]
    rate: f64,
    /// Rows of one step
    #[arg(long, default_value_t = Settings::default().batch, value_name = "ROWS")]
    batch: usize,
    /// How hard weights are held where they start: as strong as so many boards of one more squared pawn of loss, or auto,
    /// what the games say is best
    #[arg(long, default_value = "auto", value_parser = pull, value_name = "ROWS")]
    pull: Pull,
    /// How hard weights are drawn to 0 (L2), in the same measure
    #[arg(long, default_value_t = 0.0, value_name = "ROWS")]
    l2: f64,
    /// Centipawns that multiply the odds by e; fitted when not given
    #[arg(long, value_name = "CP")]
    k: Option<f64>,
    /// Share of the games that are kept to judge what was learned
    #[arg(long, default_value_t = Settings::default().held_out, value_name = "SHARE")]
    held_out: f64,
    /// Decides the split and the order
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    #[command(flatten)]
    skip: SkipArgs,
    /// Threads (0: one for each core); the result does not depend on them
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
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
}

/// What GreKo plays.
const GREKO_GAME: &str = "chess";

/// A set of weights that can be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Set {
    /// The evaluation that plays: weights as JSON
    Full,
    /// GreKo's 27 named weights: `NAME value` a line
    Greko,
}

impl Set {
    /// The weights of `game` that this means.
    pub(crate) fn pupil(self, game: &str) -> anyhow::Result<Pupil> {
        let name = if self == Set::Full { "full" } else { "greko" };
        // A game without weights names those that have some.
        games::tuning(game)?;
        Pupil::new(games::kit(game)?, name)
    }
}

/// Which board stands for a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Leaf {
    /// The board itself, where it is quiet
    Static,
    /// Where the best captures end
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

/// GreKo's bounds and step, changed by `weights.toml` beside its weights, where there is one.
pub(crate) fn bounds_beside(weights: &Path) -> anyhow::Result<(Vec<[i16; 2]>, i16)> {
    let file = weights.with_extension("toml");
    let limits = Set::Greko.pupil(GREKO_GAME)?.limits(file.exists().then_some(&file))?;
    Ok((limits.bounds, limits.step.unwrap_or(1)))
}

/// Learns. With `--log greko` each step is told in GreKo's words too, on the screen and in `learning.log` beside the
/// weights.
pub(crate) fn run(args: Args, logs: &logs::Args) -> anyhow::Result<ExitCode> {
    if let Some(playouts) = games::kit(&args.game)?.playouts() {
        return strengths::run(&args, playouts);
    }
    if args.chances {
        return chances::run(&args);
    }
    if !args.margins.is_empty() {
        return margins::run(&args);
    }
    let Some(out) = &args.out else { bail!("--out is missing") };
    if let Some(file) = &args.sweep {
        return sweep::run(&args, file, out);
    }
    let pupil = args.set.pupil(&args.game)?;
    let start = pupil.start(&args.start)?;
    let mut settings = settings(&args, pupil)?;
    let in_greko_words = logs.wants("greko");
    check_weights_target(out, &args.games, |path| pupil.start(&path.display().to_string()).is_ok())?;
    for path in args.steps.iter().chain(&args.curves) {
        check_output(path, Existing::Refuse)?;
    }
    let show = if args.quiet || args.json || in_greko_words { Show::Quiet } else { Show::Auto };
    let began = Instant::now();
    let (rows, games, origins) = read_rows(&args, pupil, &args.games, &start, show)?;
    if !args.json {
        let what = if args.leaf == Leaf::Static { "quiet boards" } else { "leaves of quiescence" };
        println!("{} games, {} {what}, {:.1} s", games, rows.len(), began.elapsed().as_secs_f64());
    }
    settings.trusted_rows = trusted_rows(&args, &origins, games);
    let mut diary = Diary::open(&args, pupil, out, in_greko_words)?;
    diary.begin(out)?;
    let began = Instant::now();
    let trained = teach((&args, pupil), &settings, &rows, &start, &mut diary, show)?;
    if !args.json {
        println!("learned in {:.1} s", began.elapsed().as_secs_f64());
    }
    let words = format!("tune: {} games, {} boards, seed {}, from {}", games, rows.len(), args.seed, args.start);
    pupil.save(out, &named(&trained, &start, words))?;
    if let Some(path) = &args.curves {
        tesuji_jobs::AtomicFile::write(path, tuning::curves::svg(&trained).as_bytes())?;
    }
    let terms = pupil.terms();
    let warnings: Vec<String> =
        [older_engine(&origins, version::short()), tuning::at_bounds(terms, &trained)].into_iter().flatten().collect();
    let (trained, warnings) = (&trained, &warnings[..]);
    let (table, plays, game) = (args.table, pupil.plays(), pupil.game());
    // `match` plays chess where no game is named.
    let game = Some(game).filter(|game| *game != GREKO_GAME);
    let report =
        tuning::Report { terms, before: &start, trained, held_out: args.held_out, out, warnings, table, plays, game };
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&report.json())?),
        false => print!("{}", report.text()),
    }
    Ok(if trained.stopped { ExitCode::from(4) } else { ExitCode::SUCCESS })
}

/// The weights that were kept, with where they come from: `words` where they were learned, as before where they are those
/// of the start.
fn named(trained: &Trained, start: &Weights, words: String) -> Weights {
    if trained.kept != Kept::Best {
        return start.clone();
    }
    let mut weights = trained.weights.clone();
    weights.origin.made_by = format!("tesuji {}", version::short());
    weights.origin.from = words;
    weights
}

fn settings(args: &Args, pupil: Pupil) -> anyhow::Result<Settings> {
    if !(0.0..1.0).contains(&args.held_out) {
        bail!("--held-out {}: expected a share from 0 up to, but not, 1", args.held_out);
    }
    let limits = pupil.limits(args.bounds.as_ref())?;
    Ok(Settings {
        method: args.method,
        epochs: args.epochs,
        patience: args.patience,
        lambda_plies: (args.lambda > 0.0).then_some(args.lambda),
        result_share: args.result_share,
        loss: args.loss,
        rate_cp: args.rate,
        batch: args.batch,
        pull_rows: args.pull.0,
        trusted_rows: None,
        l2_rows: args.l2,
        k: args.k,
        held_out: args.held_out,
        frozen: frozen(pupil.terms(), &args.only, &args.freeze)?,
        bounds: limits.bounds,
        step: limits.step.unwrap_or(1),
        restarts: args.restarts,
        shake_cp: args.shake,
        bootstrap: args.bootstrap,
        seed: args.seed,
        jobs: threads(args.jobs),
    })
}

/// What is learned from: rows, how many games they come from, and who made these.
fn read_rows(
    args: &Args,
    pupil: Pupil,
    files: &[PathBuf],
    start: &Weights,
    show: Show,
) -> anyhow::Result<(Rows, u64, BTreeMap<String, u64>)> {
    let kit = games::kit(&args.game)?;
    let leaves;
    let (features, filter): (&dyn Features, Filter) = match args.leaf {
        Leaf::Static => (pupil.features(), pupil.filter()),
        Leaf::Quiescence => match pupil.tuning().leaves.filter(|_| pupil.plays()) {
            Some(leaves_of) => {
                let filter;
                (leaves, filter) = leaves_of(start.clone());
                (&*leaves, filter)
            }
            None => bail!("--leaf quiescence is for the whole evaluation of chess"),
        },
    };
    let skip = args.skip.wanted.then_some(skip_game as fn(&DatasetError));
    let plan = Plan { jobs: threads(args.jobs), seed: args.seed, filter, skip, ..Plan::default() };
    let lessons = Watched::new(features);
    let progress = Progress::start("reading", "games", None, show);
    let (mut rows, mut games, stop) = (Rows::default(), 0, Interrupt::of_process());
    for path in files {
        let before = games;
        let format = Format::find(kit, kit.survey(), &path.display().to_string())?;
        let built = if let Format::Games(_) = format {
            let mut reader = args.skip.reader(path, open_records(kit, path)?);
            let built = build(reader.as_mut(), &lessons, &plan, &mut rows, &mut |built| {
                progress.set(before + built.games);
                ControlFlow::Continue(())
            })
            .with_context(|| path.display().to_string());
            args.skip.hinted(built)?
        } else {
            let input = [Input { path: path.clone(), format }];
            let tell = &mut |built: &Built| progress.set(before + built.games);
            // What was played before a position is asked of its neighbour.
            let lens = Lens { survey: kit.survey(), fill_score: None };
            let job = Job { skip_errors: args.skip.wanted, lens, ..reading(&input, &plan, &stop) };
            let built = build_positions(&job, &lessons, &plan, &mut rows, tell);
            args.skip.hinted(built.map_err(anyhow::Error::from))?
        };
        games += built.games;
    }
    Ok((rows, games, lessons.origins()))
}

/// Names a game that cannot be learned from.
fn skip_game(error: &DatasetError) {
    complain(error);
}

/// The pass over a file of positions.
fn reading<'a>(inputs: &'a [Input], plan: &Plan, interrupt: &'a Interrupt) -> Job<'a> {
    Job {
        inputs,
        keep_game: None,
        scale: 1,
        lens: Lens { survey: None, fill_score: None },
        jobs: plan.jobs,
        skip_errors: false,
        resume: false,
        words: "tune".into(),
        about: Vec::new(),
        interrupt,
        tell: &|_| (),
        complain: &|error| complain(error),
    }
}

/// Learns a version of a sweep into `path`; `false` when it was stopped.
fn learn_version(args: &Args, version: &sweep::Version, path: &Path, show: Show) -> anyhow::Result<bool> {
    let pupil = args.set.pupil(&args.game)?;
    let start = pupil.start(&args.start)?;
    let mut settings = settings(args, pupil)?;
    let (rows, games, origins) = read_rows(args, pupil, &version.files, &start, show)?;
    settings.trusted_rows = trusted_rows(args, &origins, games);
    settings.lambda_plies = (version.lambda > 0.0).then_some(version.lambda);
    settings.frozen = frozen(pupil.terms(), &version.only, &args.freeze)?;
    let stop = Interrupt::of_process();
    let trained = learn_with(&rows, &start, &pupil.canon(), &settings, &mut |_| {
        if stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if trained.stopped {
        return Ok(false);
    }
    let weights =
        named(&trained, &start, format!("tune --sweep: {games} games, {} boards, seed {}", rows.len(), args.seed));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    pupil.save(path, &weights)?;
    Ok(true)
}

/// Rows that are trusted, see [`Settings::trusted_rows`]. Piece values alone deserve no trust against anybody's games.
fn trusted_rows(args: &Args, origins: &BTreeMap<String, u64>, games: u64) -> Option<usize> {
    if args.start == "material" { None } else { trusted(origins, games) }
}

fn teach(
    (args, pupil): (&Args, Pupil),
    settings: &Settings,
    rows: &Rows,
    start: &Weights,
    diary: &mut Diary,
    show: Show,
) -> anyhow::Result<Trained> {
    let stop = Interrupt::of_process();
    let progress = Progress::start("learning", "epochs", Some(u64::from(args.epochs)), show);
    let mut failed = None;
    let trained = learn_with(rows, start, &pupil.canon(), settings, &mut |event| {
        if let Event::Epoch(p) = &event {
            let held = p.held_loss.map_or(String::new(), |l| format!(", validation {l:.6}"));
            progress.set_noted(u64::from(p.epoch), &format!("training {:.6}{held}", p.train_loss));
        }
        failed = diary.note(&event).err();
        if failed.is_some() || stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    match failed {
        Some(error) => Err(error),
        None => Ok(trained),
    }
}

/// Where each step is written down.
struct Diary {
    csv: Option<steps::Csv>,
    greko: Option<(GrekoLog, OutputFile)>,
}

impl Diary {
    fn open(args: &Args, pupil: Pupil, out: &Path, greko: bool) -> anyhow::Result<Diary> {
        let terms = pupil.terms();
        let csv = args.steps.as_ref().map(|path| steps::Csv::create(path, terms)).transpose()?;
        let log = out.with_file_name("learning.log");
        let open = || open_output(&log, Existing::Append);
        let greko = greko.then(|| open().map(|file| (GrekoLog::new(terms), file))).transpose()?;
        Ok(Diary { csv, greko })
    }

    /// A line on the screen and in the log.
    fn say(&mut self, line: &str) -> anyhow::Result<()> {
        if let Some((_, file)) = &mut self.greko {
            println!("{line}");
            writeln!(file, "{line}")?;
        }
        Ok(())
    }

    fn begin(&mut self, out: &Path) -> anyhow::Result<()> {
        if out.exists() {
            let old = old_name(out);
            let name = old.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.say(&format!("Old values saved in file '{name}'"))?;
        }
        self.say("Start optimization...")
    }

    fn note(&mut self, event: &Event) -> anyhow::Result<()> {
        if let (Some(csv), Event::Epoch(progress)) = (&mut self.csv, event) {
            csv.epoch(progress)?;
        }
        let line = self.greko.as_mut().and_then(|(log, _)| log.line(event));
        line.map_or(Ok(()), |line| self.say(&line))
    }
}
