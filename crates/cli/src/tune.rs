//! `tesuji tune`: weights from games.

mod chances;

use crate::{games, lessons, selfplay::threads, version};
use anyhow::{Context, bail};
use serde_json::json;
use std::{ops::ControlFlow, path::Path, path::PathBuf, process::ExitCode, time::Instant};
use tesuji_chess_eval::{GAME, TERMS, builtin_weights, material_weights};
use tesuji_dataset::{Plan, Rows, build};
use tesuji_engine::Kit;
use tesuji_jobs::{Interrupt, Progress, Show, open_input};
use tesuji_record::{AnyGame, RecordReader};
use tesuji_tally::Weights;
use tesuji_tune::{Loss, Settings, Trained, learn, load_weights, save_weights};

/// Arguments of `tesuji tune`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji tune chess --games games.sgs --out tuned.json\n  \
    tesuji tune chess --games a.sgs.zst --games b.pgn --start material --epochs 60 --lambda 40 --out tuned.json\n  \
    tesuji tune chess --games games.sgs --chances\n\n\
    Boards of the opening, after captures and in or after check are left out. A tenth of the games is kept to judge\n\
    what was learned. Exit codes: 0 done, 2 wrong usage or input, 4 stopped (the best weights so far are written).")]
pub(crate) struct Args {
    /// The game: chess
    #[arg(value_parser = ["chess"])]
    game: String,
    /// Games to learn from (.sgs or .pgn, also .zst or .gz); several times for several files
    #[arg(long, value_name = "FILE", required = true)]
    games: Vec<PathBuf>,
    /// Where the weights go; what is there is kept as FILE.old
    #[arg(long, value_name = "FILE", required_unless_present = "chances")]
    out: Option<PathBuf>,
    /// Learn no weights: fit the chances to win, draw and lose that go with a value, and print them
    #[arg(long, conflicts_with = "out")]
    chances: bool,
    /// Weights to start from: builtin, material (piece values alone), or a file
    #[arg(long, default_value = "builtin", value_name = "WEIGHTS")]
    start: String,
    /// Passes over the games, at most
    #[arg(long, default_value_t = Settings::default().epochs, value_name = "N")]
    epochs: u32,
    /// A board so many plies before the end counts 1/e of the last one; 0: all count the same
    #[arg(long, default_value_t = 32.0, value_name = "PLIES")]
    lambda: f64,
    /// Share of the game's result in what is learned; the rest is the search's score, where the games have one
    #[arg(long, default_value_t = Settings::default().result_share, value_name = "SHARE")]
    result_share: f64,
    /// What is minimised: mse or cross-entropy
    #[arg(long, default_value = "mse", value_name = "LOSS")]
    loss: Loss,
    /// Length of the first steps, in centipawns
    #[arg(long, default_value_t = Settings::default().rate_cp, value_name = "CP")]
    rate: f64,
    /// Rows of one step
    #[arg(long, default_value_t = Settings::default().batch, value_name = "ROWS")]
    batch: usize,
    /// How hard weights are held where they start: as strong as so many boards of one more squared pawn of loss
    #[arg(long, default_value_t = Settings::default().pull_rows, value_name = "ROWS")]
    pull: f64,
    /// Centipawns that multiply the odds by e; fitted when not given
    #[arg(long, value_name = "CP")]
    k: Option<f64>,
    /// Decides the split and the order
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Threads (0: one for each core); the result does not depend on them
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// The weights that `name` means: builtin, material, or a file.
pub(crate) fn start_weights(name: &str) -> anyhow::Result<Weights> {
    match name {
        "builtin" => Ok(builtin_weights()),
        "material" => Ok(material_weights()),
        path => Ok(load_weights(Path::new(path), GAME, TERMS)?),
    }
}

/// Learns.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.chances {
        return chances::run(&args);
    }
    let Some(out) = &args.out else { bail!("--out is missing") };
    let start = start_weights(&args.start)?;
    let show = if args.quiet || args.json { Show::Quiet } else { Show::Auto };
    let began = Instant::now();
    let (rows, games) = read_rows(&args, show)?;
    if !args.json {
        println!("{} games, {} quiet boards, {:.1} s", games, rows.len(), began.elapsed().as_secs_f64());
    }
    let trained = teach(&args, &rows, &start, show)?;
    let mut weights = trained.weights.clone();
    weights.origin.made_by = format!("tesuji {}", version::short());
    weights.origin.from =
        format!("tune: {} games, {} boards, seed {}, from {}", games, rows.len(), args.seed, args.start);
    save_weights(out, &weights, GAME, TERMS)?;
    print(&args, out, &trained)?;
    Ok(if trained.stopped { ExitCode::from(4) } else { ExitCode::SUCCESS })
}

/// Reads the games of a file in the format that its name says.
fn reader(kit: &dyn Kit, path: &Path) -> anyhow::Result<Box<dyn RecordReader>> {
    let name = path.display().to_string();
    let plain = name.strip_suffix(".zst").or(name.strip_suffix(".gz")).unwrap_or(&name);
    let Some(format) = AnyGame::format(kit, plain) else {
        let known: Vec<&str> = kit.formats().iter().flat_map(|f| f.extensions()).copied().collect();
        bail!("{name}: no format is known by this name; known endings: {}", known.join(", "));
    };
    Ok(format.reader(open_input(path)?))
}

fn read_rows(args: &Args, show: Show) -> anyhow::Result<(Rows, u64)> {
    let kit: &dyn Kit = games::kit(&args.game)?;
    let plan = Plan { jobs: threads(args.jobs), seed: args.seed, ..Plan::default() };
    let progress = Progress::start("reading", "games", None, show);
    let (mut rows, mut games) = (Rows::default(), 0);
    for path in &args.games {
        let mut reader = reader(kit, path)?;
        let before = games;
        let built = build(reader.as_mut(), &lessons::ChessLessons, &plan, &mut rows, &mut |built| {
            progress.set(before + built.games);
            ControlFlow::Continue(())
        });
        let built = built.with_context(|| path.display().to_string())?;
        games += built.games;
    }
    Ok((rows, games))
}

fn teach(args: &Args, rows: &Rows, start: &Weights, show: Show) -> anyhow::Result<Trained> {
    let settings = Settings {
        epochs: args.epochs,
        lambda_plies: (args.lambda > 0.0).then_some(args.lambda),
        result_share: args.result_share,
        loss: args.loss,
        rate_cp: args.rate,
        batch: args.batch,
        pull_rows: args.pull,
        k: args.k,
        seed: args.seed,
        jobs: threads(args.jobs),
        ..Settings::default()
    };
    let stop = Interrupt::of_process();
    let progress = Progress::start("learning", "epochs", Some(u64::from(args.epochs)), show);
    let trained = learn(rows, start, &lessons::canon(), &settings, &mut |p| {
        progress.set(u64::from(p.epoch));
        let held = p.held_loss.map_or(String::new(), |l| format!(", validation {l:.6}"));
        progress.note(&format!("training {:.6}{held}", p.train_loss));
        if stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(trained)
}

fn print(args: &Args, out: &Path, trained: &Trained) -> anyhow::Result<()> {
    let start = trained.history.first();
    if args.json {
        let report = json!({
            "weights": out, "k": trained.k, "start_k": trained.start_k, "rows": trained.rows,
            "best_epoch": trained.best_epoch, "train_loss": trained.train_loss, "validation_loss": trained.held_loss,
            "start_train_loss": start.map(|p| p.train_loss), "start_validation_loss": start.and_then(|p| p.held_loss),
            "stopped": trained.stopped,
        });
        println!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(());
    }
    let held = |loss: Option<f64>| loss.map_or("-".to_string(), |l| format!("{l:.6}"));
    println!("{} boards to learn from, {} to judge by", trained.rows[0], trained.rows[1]);
    if let Some(start) = start {
        println!("before: training loss {:.6}, validation {}", start.train_loss, held(start.held_loss));
    }
    println!("after:  training loss {:.6}, validation {}", trained.train_loss, held(trained.held_loss));
    println!("best after epoch {}, K {:.1} -> {:.1} centipawns", trained.best_epoch, trained.start_k, trained.k);
    let out = out.display();
    println!(
        "weights in {out}; prove them: tesuji match --engine 'name=new weights={out}' --engine name=old --nodes 5000"
    );
    Ok(())
}
