//! `tesuji bench`: nodes and speed of searches to a fixed depth, and with `--rules` the speed of the rules themselves.

mod report;

use crate::{games, settings::settings};
use anyhow::Context;
use std::process::ExitCode;
use tesuji_engine::Bench;
use tesuji_kit::{
    Kit,
    bench::{Benchmark, Timing, search_classes},
};

/// Measure nodes and speed of searches and rules
///
/// Searches a fixed set of positions, each from empty tables, to a fixed depth on one thread. The node counts are the
/// signature of the engine: a change that keeps them changed nothing that matters. `bench.txt` holds them. Speeds are
/// nodes per second of processor time (all threads), so that other work on the machine counts little; the wall time stands
/// beside it.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tesuji bench --depth 8\n  tesuji bench --rules")]
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
    if args.rules {
        let is_asked = |kit: &&&dyn Kit| kits.iter().any(|asked| asked.name() == kit.name());
        let asked = games::kits().iter().filter(is_asked).filter_map(|kit| kit.benchmark());
        let timings: Vec<Timing> = asked.flat_map(Benchmark::timings).collect();
        print!("{}", if args.json { report::json(&timings)? } else { report::timings(&timings) });
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = Vec::new();
    for kit in kits {
        for family in kit.families().iter().filter(|f| args.search.as_deref().is_none_or(|wanted| wanted == **f)) {
            let mut player = kit.player(family).with_context(|| format!("{} {family}", kit.name()))?;
            tesuji_options::set_all(&mut *player.options(), settings(&args.options)?)?;
            let depth = args.depth.unwrap_or(depth_of(kit, family));
            lines.extend(search_classes(kit, family, player.as_mut(), depth, &|| false));
        }
    }
    print!("{}", if args.json { report::json(&lines)? } else { report::table(&lines) });
    Ok(ExitCode::SUCCESS)
}

/// The depth of a family's searches; of no consequence where there are no positions.
fn depth_of(kit: &dyn Kit, family: &str) -> u32 {
    kit.benchmark().map_or(1, |bench| bench.depth(family))
}

/// What a session does when it is asked for `bench`: the same searches with the session's own player and options.
pub(crate) fn for_session(kit: &'static dyn Kit, family: &'static str) -> Bench {
    Box::new(move |player, stopped| report::table(&search_classes(kit, family, player, depth_of(kit, family), stopped)))
}
