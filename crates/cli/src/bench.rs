//! `tesuji bench`: nodes and speed of searches to a fixed depth, their profiles, suites of positions, and the speed of the rules.

mod profile;
mod suite;

use crate::{games, settings::settings, skip::SkipArgs};
use std::{path::PathBuf, process::ExitCode};
use tesuji_engine::Bench;
use tesuji_kit::{
    Kit,
    bench::{Benchmark, Timing, bench_depth, bench_families, search_classes},
};
use tesuji_report::bench::table;

/// Measure nodes and speed of searches and rules
///
/// Searches a fixed set of positions, each from empty tables, to a fixed depth on one thread. The node counts are the
/// signature of the engine: a change that keeps them changed nothing that matters. `bench.txt` holds them. Speeds are
/// nodes per second of processor time (all threads), so that other work on the machine counts little; the wall time stands
/// beside it. Searches of trees (mcts, best-first) also end at a number of nodes for each position, which is shown: one more
/// ply takes minutes there.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  tesuji bench --depth 8\n  tesuji bench --rules\n  \
    tesuji bench chess --profile --nodes 100000\n  \
    tesuji bench chess --suite tactics.epd --nodes 500000 --engine cmd=stockfish\n  \
    tesuji bench chess --make-suite tactics.epd --from games.pgn --engine cmd=stockfish\n\n\
    A suite has a position a line, ' bm ' and its best moves, then operations as in EPD: FEN bm Nf3; id \"name\";")]
pub(crate) struct Args {
    /// The games to run; all if none is given
    games: Vec<String>,
    /// Plies to search, instead of those that fit the search family
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: Option<u32>,
    /// Run this search family only
    #[arg(long, value_name = "FAMILY")]
    search: Option<String>,
    /// Options for the engine, as NAME=VALUE
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Time generation, making and taking back, attack queries, replayed searches and playouts instead
    #[arg(long)]
    rules: bool,
    /// Count what alpha-beta does instead: nodes and cutoffs by kind and depth, tries and successes of every step
    #[arg(long, conflicts_with_all = ["rules", "search"])]
    profile: bool,
    /// Search the positions of this suite instead, of one game, and tell after how many nodes each is solved
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rules", "profile", "depth"])]
    suite: Option<PathBuf>,
    /// Make a suite from games: positions with one move far better than all others, that short searches miss
    #[arg(long, value_name = "FILE", requires = "from", conflicts_with_all = ["rules", "profile", "depth", "suite", "json"])]
    make_suite: Option<PathBuf>,
    /// Games that --make-suite takes positions from
    #[arg(long = "from", id = "from", value_name = "GAMES", requires = "make_suite")]
    records: Option<PathBuf>,
    /// Nodes for each position, with --profile, --suite (200000) and --make-suite (2000000)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    nodes: Option<u64>,
    /// With --suite: another engine over its protocol, as in tesuji match; may be repeated. With --make-suite: the judge
    #[arg(long, value_name = "SPEC")]
    engine: Vec<String>,
    /// Positions that --make-suite is to find (80)
    #[arg(long, requires = "make_suite")]
    count: Option<usize>,
    /// Centipawns by which the best move must be better, for --make-suite (100)
    #[arg(long, value_name = "CP", requires = "make_suite")]
    margin: Option<i32>,
    /// Nodes of the judge, or of the second look where there is none, for --make-suite; those of --nodes if not given
    #[arg(long, value_name = "NODES", requires = "make_suite")]
    judge_nodes: Option<u64>,
    /// The seed of --make-suite (1)
    #[arg(long, requires = "make_suite")]
    seed: Option<u64>,
    #[command(flatten)]
    skip: SkipArgs,
    /// Show every position of a suite
    #[arg(long, short, requires = "suite")]
    verbose: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// When a game or option is unknown.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kits = match args.games.is_empty() {
        true => games::kits().to_vec(),
        false => args.games.iter().map(|name| games::kit(name)).collect::<Result<_, _>>()?,
    };
    if let Some(file) = &args.suite {
        return suite::run(&args, &kits, file);
    }
    if let Some(file) = &args.make_suite {
        return suite::make(&args, &kits, file);
    }
    if args.profile {
        return profile::run(&args, &kits);
    }
    if args.nodes.is_some() || !args.engine.is_empty() {
        let given = if args.nodes.is_some() { "--nodes" } else { "--engine" };
        anyhow::bail!("{given} is for --profile, --suite and --make-suite");
    }
    if args.rules {
        let is_asked = |kit: &&&dyn Kit| kits.iter().any(|asked| asked.name() == kit.name());
        let asked = games::kits().iter().filter(is_asked).filter_map(|kit| kit.benchmark());
        let timings: Vec<Timing> = asked.flat_map(Benchmark::timings).collect();
        print!("{}", if args.json { table::json(&timings)? } else { table::timings(&timings) });
        return Ok(ExitCode::SUCCESS);
    }
    let lines = bench_families(&kits, args.search.as_deref(), args.depth, &settings(&args.options)?)?;
    print!("{}", if args.json { table::json(&lines)? } else { table::table(&lines) });
    Ok(ExitCode::SUCCESS)
}

/// The `bench` command of a session: the usual searches with the session's own player and options.
pub(crate) fn for_session(kit: &'static dyn Kit, family: &'static str) -> Bench {
    Box::new(move |player, stopped| {
        table::table(&search_classes(kit, family, player, bench_depth(kit, family), stopped))
    })
}
