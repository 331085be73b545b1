//! `tesuji selfplay`: games for learning, many at once in this process.

use crate::{games, version};
use anyhow::Context;
use std::{path::PathBuf, process::ExitCode, thread::available_parallelism};
use tesuji_circle::{Openings, Plan, Setup, conditions, selfplay};
use tesuji_jobs::{Interrupt, Progress, Show};

/// Arguments of `tesuji selfplay`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji selfplay chess --games 1000 --nodes 2000 --seed 1 --out games.sgs\n  \
    tesuji selfplay chess --games 5000 --nodes 2000 --seed 1 --out games.sgs --resume\n\n\
    The same seed gives the same bytes for any number of jobs. Exit codes: 0 done, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The game
    game: String,
    /// Games in all
    #[arg(long, value_name = "N")]
    games: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 2000, value_name = "K")]
    nodes: u64,
    /// Decides the openings, and so the games
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Where the games go: a SoFGameSet (.sgs)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Play with these weights instead of those built in
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Threads (0: one for each core)
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
    /// Random plies that games begin with
    #[arg(long, default_value_t = 8, value_name = "N")]
    random_plies: u32,
    /// Go on with a file that was left unfinished
    #[arg(long)]
    resume: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Threads to use when `jobs` was asked for.
pub(crate) fn threads(jobs: usize) -> usize {
    if jobs > 0 { jobs } else { available_parallelism().map_or(1, usize::from) }
}

/// Plays the games.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let weights = args.weights.as_ref().map_or("built in".to_string(), |w| w.display().to_string());
    let plan = Plan {
        games: args.games,
        setup: args.weights.as_deref().map_or_else(Setup::default, Setup::with_weights),
        openings: Openings::random(args.random_plies, args.seed),
        conditions: conditions(args.nodes),
        jobs: threads(args.jobs),
        until: None,
        origin: format!(
            "tesuji {} selfplay, {} nodes, seed {}, {} random plies, weights {weights}",
            version::short(),
            args.nodes,
            args.seed,
            args.random_plies
        ),
    };
    if args.out.exists() && !args.resume {
        anyhow::bail!("{} is there already; give --resume to go on with it, or another name", args.out.display());
    }
    let stop = Interrupt::of_process();
    let show = if args.quiet { Show::Quiet } else { Show::Auto };
    let progress = Progress::start("self-play", "games", Some(args.games), show);
    let mut first = true;
    let played = selfplay(kit, &plan, &args.out, args.resume, &stop, &mut |played| {
        if std::mem::take(&mut first) {
            progress.resume_at(played.games);
        }
        progress.set(played.games);
        let [won, drawn, lost] = played.results;
        progress.note(&format!("+{won} ={drawn} -{lost}"));
    })
    .with_context(|| format!("self-play into {}", args.out.display()))?;
    drop(progress);
    let [won, drawn, lost] = played.results;
    println!("{}: {} games ({} of them new)", args.out.display(), played.games, played.games - played.resumed);
    println!("the first side won {won}, drew {drawn}, lost {lost} of the new ones; {} moves", played.plies);
    if played.games < args.games {
        println!("stopped; the same command with --resume goes on");
        return Ok(ExitCode::from(4));
    }
    Ok(ExitCode::SUCCESS)
}
