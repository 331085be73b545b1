//! `tesuji bench`: nodes and speed of searches to a fixed depth, and with `--rules` the speed of the rules themselves.

mod playouts;
mod report;
mod rules;
mod set;
mod traced;

use crate::{games, settings::settings};
use anyhow::Context;
use report::{Line, Spent, Sum};
use std::{
    process::ExitCode,
    time::{Duration, Instant},
};
use tesuji_engine::{Bench, Player};
use tesuji_game::{Limits, Report, Signal, Watch};
use tesuji_jobs::processor_time;
use tesuji_kit::Kit;

/// The depth of the searches that `bench.txt` counts: plies of iterations, of the best line of a best-first tree, or the mean
/// length of paths in a Monte-Carlo tree, which is wider where men are dropped.
fn depth_of(game: &str, family: &str) -> u32 {
    match (game, family) {
        ("shogi", "mcts") => 3,
        (_, "mcts") => 4,
        // Each position costs playouts, and one more ply hundreds of positions.
        ("go", "best-first") => 1,
        (_, "best-first") => 2,
        _ => 10,
    }
}

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
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
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
    let kits = if args.games.is_empty() {
        all()?
    } else {
        args.games.iter().map(|name| games::kit(name)).collect::<Result<_, _>>()?
    };
    if args.rules {
        let of = |name: &str, time: fn() -> Vec<rules::Timing>| {
            if kits.iter().any(|kit| kit.name() == name) { time() } else { Vec::new() }
        };
        let timings = [of("chess", rules::chess), of("shogi", rules::shogi), of("go", playouts::go)].concat();
        print!("{}", if args.json { report::json(&timings)? } else { rules::table(&timings) });
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = Vec::new();
    for kit in kits {
        for family in kit.families().iter().filter(|f| args.search.as_deref().is_none_or(|wanted| wanted == **f)) {
            let mut player = kit.player(family).with_context(|| format!("{} {family}", kit.name()))?;
            tesuji_options::set_all(&mut *player.options(), settings(&args.set)?)?;
            lines.extend(search_all(
                kit,
                family,
                player.as_mut(),
                args.depth.unwrap_or(depth_of(kit.name(), family)),
                &|| false,
            ));
        }
    }
    print!("{}", if args.json { report::json(&lines)? } else { report::table(&lines) });
    Ok(ExitCode::SUCCESS)
}

/// What a session does when it is asked for `bench`: the same searches with the session's own player and options.
pub(crate) fn for_session(kit: &'static dyn Kit, family: &'static str) -> Bench {
    Box::new(move |player, stopped| {
        report::table(&search_all(kit, family, player, depth_of(kit.name(), family), stopped))
    })
}

/// One line for each game and search family, as `bench.txt` has them.
#[cfg(test)]
fn signature() -> anyhow::Result<String> {
    let mut text = String::new();
    for kit in all()? {
        for family in kit.families() {
            let mut player = kit.player(family)?;
            let depth = depth_of(kit.name(), family);
            let lines = search_all(kit, family, player.as_mut(), depth, &|| false);
            let caches: Vec<_> = lines.iter().flat_map(|line| &line.sum.tables).collect();
            for cache in &caches {
                assert!(cache.hits <= cache.probes, "{} {family}: {cache:?}", kit.name());
            }
            // Chess's evaluation has a pawn cache, whatever searches with it.
            assert!(kit.name() != "chess" || caches.iter().any(|cache| cache.name == "pawn"), "{family}: {caches:?}");
            let nodes: u64 = lines.iter().map(|line| line.sum.nodes).sum();
            text += &format!("{} {family} depth {depth}: {nodes} nodes\n", kit.name());
        }
    }
    for (chooser, plies) in playouts::signature() {
        text += &format!("go {chooser} playouts: {plies} plies\n");
    }
    Ok(text)
}

/// The kits of all games.
fn all() -> anyhow::Result<Vec<&'static dyn Kit>> {
    games::names().into_iter().map(games::kit).collect()
}

/// Searches the positions of a game, class by class.
fn search_all(
    kit: &dyn Kit,
    family: &str,
    player: &mut dyn Player,
    depth: u32,
    stopped: &dyn Fn() -> bool,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for (class, positions) in set::classes(kit.name()) {
        let mut sum = Sum::default();
        for position in positions {
            if stopped() {
                return lines;
            }
            player.new_game();
            let (start, moves) = set::split(position);
            if let Err(error) = player.set_position("", Some(start), &moves) {
                // Our own positions; a test reads them all.
                tracing::error!(target: "bench", "{position}: {error}");
                continue;
            }
            let (began, cpu_began) = (Instant::now(), processor_time());
            let mut clock = Clock { began, stopped };
            let report = player.go(&Limits { depth: Some(depth), ..Limits::default() }, &[], &mut clock);
            let spent = Spent { cpu: processor_time().saturating_sub(cpu_began), wall: began.elapsed() };
            sum.add(report.nodes, spent, &player.counts());
        }
        lines.push(Line { game: kit.name(), family: family.to_string(), class, depth, sum });
    }
    lines
}

/// A clock, and ears for a stop.
struct Clock<'a> {
    began: Instant,
    stopped: &'a dyn Fn() -> bool,
}

impl Watch<String> for Clock<'_> {
    fn signal(&mut self) -> Signal {
        if (self.stopped)() { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The node counts of `bench.txt`. `UPDATE=1` rewrites the file; a changed line wants a match result in the commit.
    #[test]
    fn node_counts_are_those_of_bench_txt() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench.txt");
        let now = signature().expect("players");
        if std::env::var("UPDATE").is_ok() {
            std::fs::write(path, &now).expect("writing bench.txt");
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(kept, now, "bench.txt; UPDATE=1 rewrites it");
    }

    #[test]
    fn all_positions_are_read() {
        for kit in all().expect("kits") {
            let mut player = kit.player("").expect("a player");
            let classes = set::classes(kit.name());
            assert!(classes.iter().map(|c| c.1.len()).sum::<usize>() >= 40, "{}", kit.name());
            for position in classes.iter().flat_map(|c| &c.1) {
                let (start, moves) = set::split(position);
                player.set_position("", Some(start), &moves).unwrap_or_else(|e| panic!("{position}: {e}"));
            }
        }
    }
}
