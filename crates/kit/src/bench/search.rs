//! Searches of the positions of a bench to a fixed depth: nodes, times, hits of tables.

use super::{Benchmark, split};
use crate::Kit;
use anyhow::Context;
use serde::Serialize;
use std::time::{Duration, Instant};
use tesuji_engine::Player;
use tesuji_game::{CacheCounts, Limits, Report, Signal, Watch};
use tesuji_jobs::{Progress, Show, processor_time};
use tesuji_options::find;

/// One class of positions searched by one family.
#[derive(Debug, Clone, Serialize)]
pub struct Searched {
    /// The game.
    pub game: &'static str,
    /// The search family.
    pub family: String,
    /// The class of positions.
    pub class: &'static str,
    /// Plies searched.
    pub depth: u32,
    /// The nodes at which the search of a position ends before this depth.
    pub nodes_max: Option<u64>,
    /// The sum of all counts.
    #[serde(flatten)]
    pub sum: SearchCounts,
}

/// Counts of some searches.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SearchCounts {
    /// Positions searched.
    pub positions: u32,
    /// Nodes.
    pub nodes: u64,
    /// Seconds of processor time, of all threads together.
    pub cpu_seconds: f64,
    /// Seconds by the clock.
    pub seconds: f64,
    /// Probes and hits of tables and caches.
    pub tables: Vec<Hits>,
}

/// The time that a search took.
#[derive(Debug, Clone, Copy)]
pub struct Spent {
    /// Processor time, of all threads together.
    pub cpu: Duration,
    /// By the clock.
    pub wall: Duration,
}

/// Probes and hits of a table or cache.
#[derive(Serialize, Clone, Debug)]
pub struct Hits {
    /// Its name.
    pub name: &'static str,
    /// Times it was asked.
    pub probes: u64,
    /// Times it knew.
    pub hits: u64,
}

impl SearchCounts {
    /// Adds one search.
    pub fn add(&mut self, nodes: u64, spent: Spent, counts: &[CacheCounts]) {
        self.positions += 1;
        self.nodes += nodes;
        self.cpu_seconds += spent.cpu.as_secs_f64();
        self.seconds += spent.wall.as_secs_f64();
        for counts in counts {
            self.hits_of(counts.name, counts.probes, counts.hits);
        }
    }

    fn hits_of(&mut self, name: &'static str, probes: u64, hits: u64) {
        match self.tables.iter_mut().find(|t| t.name == name) {
            Some(table) => (table.probes, table.hits) = (table.probes + probes, table.hits + hits),
            None => self.tables.push(Hits { name, probes, hits }),
        }
    }

    /// Adds all of another.
    pub fn join(&mut self, other: &SearchCounts) {
        self.positions += other.positions;
        self.nodes += other.nodes;
        self.cpu_seconds += other.cpu_seconds;
        self.seconds += other.seconds;
        other.tables.iter().for_each(|t| self.hits_of(t.name, t.probes, t.hits));
    }
}

/// Searches the positions of a game's bench, class by class, each from empty tables to `depth` or the bound of its nodes, until it is
/// stopped.
pub fn search_classes(
    kit: &dyn Kit,
    family: &str,
    player: &mut dyn Player,
    depth: u32,
    stopped: &dyn Fn() -> bool,
) -> Vec<Searched> {
    let Some(bench) = kit.benchmark() else { return Vec::new() };
    let before = set_unset(player, bench.options(family));
    let lines = search_positions((kit.name(), bench), family, player, depth, stopped);
    for (name, value) in before {
        // It had this value.
        let _ = player.options().set(name, &value);
    }
    lines
}

fn search_positions(
    (game, bench): (&'static str, &dyn Benchmark),
    family: &str,
    player: &mut dyn Player,
    depth: u32,
    stopped: &dyn Fn() -> bool,
) -> Vec<Searched> {
    let mut lines = Vec::new();
    let nodes_max = bench.nodes_max(family);
    for (class, positions) in bench.classes() {
        let mut sum = SearchCounts::default();
        for position in positions {
            if stopped() {
                return lines;
            }
            player.new_game();
            let (start, moves) = split(position);
            if let Err(error) = player.set_position("", Some(start), &moves) {
                // Our own positions; a test reads them all.
                tracing::error!(target: "bench", "{position}: {error}");
                continue;
            }
            let (began, cpu_began) = (Instant::now(), processor_time());
            let mut clock = Clock { began, stopped };
            let limits = Limits { depth: Some(depth), nodes: nodes_max, ..Limits::default() };
            let report = player.go(&limits, &[], &mut clock);
            let spent = Spent { cpu: processor_time().saturating_sub(cpu_began), wall: began.elapsed() };
            sum.add(report.nodes, spent, &player.counts());
        }
        lines.push(Searched { game, family: family.to_string(), class, depth, nodes_max, sum });
    }
    lines
}

/// Sets the options of the bench that have their default values, and returns those with these values.
fn set_unset(player: &mut dyn Player, options: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let mut own = player.options();
    let specs = own.specs();
    let mut before = Vec::new();
    for (name, value) in options {
        let usual = find(&specs, name).map(|spec| spec.kind.default_text()).unwrap_or_default();
        if own.get(name).as_ref() == Some(&usual) && own.set(name, value).is_ok() {
            before.push((*name, usual));
        }
    }
    before
}

/// Runs the searches of all families of `kits`, or of the family `wanted` alone, to `depth` or to that of each, with these options.
/// Shows which one runs.
///
/// # Errors
/// An option that a family does not have.
pub fn bench_families(
    kits: &[&'static dyn Kit],
    wanted: Option<&str>,
    depth: Option<u32>,
    options: &[(&str, &str)],
) -> anyhow::Result<Vec<Searched>> {
    let of_kit = |kit: &&'static dyn Kit| kit.families().iter().map(|family| (*kit, *family)).collect::<Vec<_>>();
    let mut asked: Vec<_> = kits.iter().flat_map(of_kit).collect();
    asked.retain(|(_, family)| wanted.is_none_or(|wanted| wanted == *family));
    let progress = Progress::start("bench", "searches", Some(asked.len() as u64), Show::Auto);
    let mut lines = Vec::new();
    for (kit, family) in asked {
        progress.note(&format!("{} {family}", kit.name()));
        let mut player = kit.player(family).with_context(|| format!("{} {family}", kit.name()))?;
        tesuji_options::set_all(&mut *player.options(), options.iter().copied())?;
        let depth = depth.unwrap_or(bench_depth(kit, family));
        lines.extend(search_classes(kit, family, player.as_mut(), depth, &|| false));
        progress.advance(1);
    }
    progress.finish();
    Ok(lines)
}

/// The depth of a family's searches; of no consequence where there are no positions.
pub fn bench_depth(kit: &dyn Kit, family: &str) -> u32 {
    kit.benchmark().map_or(1, |bench| bench.depth(family))
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
