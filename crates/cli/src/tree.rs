//! `tesuji tree`: the search tree of a position, of any family: printed, as JSON or for Graphviz, saved and opened again.

mod file;
mod print;

use crate::{games, settings::settings};
use anyhow::{Context, bail};
use std::{
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};
use tesuji_engine::{SavedTree, TreeBounds, TreeCopy};
use tesuji_game::{Limits, Report, Signal, Watch};
use tesuji_jobs::{Existing, Interrupt, check_output};
use tesuji_kit::{Kit, Pasted, mates::TreeLimits};
use tesuji_search::mate::MateLimits;

/// Nodes to search where no limit is given.
const NODES: u64 = 20_000;

/// Arguments of `tesuji tree`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji tree chess --moves e2e4 e7e5 --search best-first --nodes 50000\n  \
    tesuji tree chess --position '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1' --plies 3 --dot > tree.dot\n  \
    tesuji tree shogi --search mcts --save tree.json\n  \
    tesuji tree shogi --open tree.json --effort 100\n  \
    tesuji tree chess --search mate --fen '7k/8/5K2/6Q1/8/8/8/8 w - - 0 1'\n\n\
    Values are expected results for the side that moved, -1 to 1; effort counts nodes or visits. Of alpha-beta the last\n\
    iteration is shown, each visit with its depth, window and why it was left; moves left out stand there, too. To look\n\
    further below a node, give the moves that lead to it with --moves: they are searched anew with a whole trace.")]
pub(crate) struct Args {
    /// The game
    #[arg(value_name = "GAME")]
    game: String,
    /// The position [default: the usual start]
    #[arg(long, visible_aliases = ["fen", "sfen"], value_name = "TEXT")]
    position: Option<Pasted>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// The rules, in the game's words
    #[arg(long, value_name = "TEXT", default_value = "")]
    rules: String,
    /// Search with this family: alpha-beta, mcts, best-first, mate [default: the best one]
    #[arg(long, value_name = "FAMILY", default_value = "")]
    search: String,
    /// Set all knobs of the family at once
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Set an option of the search; NAME as in `tesuji options GAME`
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Nodes (playouts) to search [default: 20000 where nothing else limits the search]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Plies to search
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Seconds to search
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Plies to show
    #[arg(long, value_name = "N", default_value_t = 3)]
    plies: u32,
    /// The most nodes to show or save, those with the most effort first
    #[arg(long, value_name = "N", default_value_t = 1000)]
    show: usize,
    /// The least effort of a node to show or save; moves that were left out have none
    #[arg(long, value_name = "N", default_value_t = 0)]
    effort: u64,
    /// Print JSON
    #[arg(long, conflicts_with = "dot")]
    json: bool,
    /// Print a Graphviz graph
    #[arg(long)]
    dot: bool,
    /// Write the tree to a file that --open reads
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Show a tree that was saved, instead of searching
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "moves", "search", "nodes", "depth", "time", "save"])]
    open: Option<PathBuf>,
}

/// Searches or opens a tree, and shows it.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    if let Some(path) = &args.save {
        check_output(path, Existing::Refuse)?;
    }
    let saved = match &args.open {
        Some(path) => {
            let mut saved = file::open(kit, path)?;
            saved.tree = cut(&saved.tree, &args.bounds());
            saved
        }
        None => grow(kit, &args)?,
    };
    if let Some(path) = &args.save {
        file::save(&saved, path).with_context(|| path.display().to_string())?;
    }
    let text = match (args.json, args.dot) {
        (true, _) => saved.to_json()? + "\n",
        (_, true) => print::dot(&saved.tree),
        _ => print::text(&saved),
    };
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn bounds(&self) -> TreeBounds {
        TreeBounds { nodes_max: self.show.max(1), plies_max: self.plies, effort_min: self.effort }
    }

    fn limits(&self) -> Limits {
        let move_time = self.time.map(|s| Duration::from_secs_f64(s.clamp(0.0, 1e9)));
        let is_free = self.nodes.is_none() && self.depth.is_none() && move_time.is_none();
        Limits { nodes: self.nodes.or(is_free.then_some(NODES)), depth: self.depth, move_time, ..Limits::default() }
    }
}

/// Searches and copies the tree.
fn grow(kit: &'static dyn Kit, args: &Args) -> anyhow::Result<SavedTree> {
    let position = args.position.clone().unwrap_or_default().and(&args.moves);
    if args.search == "mate" {
        return mates(kit, args, position);
    }
    let mut saved = SavedTree {
        game: kit.name().to_string(),
        rules: args.rules.clone(),
        position: position.start,
        moves: position.moves,
        search: args.search.clone(),
        tree: TreeCopy::default(),
    };
    let mut player = kit.player(&args.search)?;
    saved.search = if args.search.is_empty() { kit.families()[0].to_string() } else { args.search.clone() };
    {
        let mut options = player.options();
        if let Some(name) = &args.preset {
            options.set("Preset", name).with_context(|| format!("--preset {name}"))?;
        }
        // Only alpha-beta keeps nothing by itself.
        if saved.search == "alpha-beta" {
            options.set("TracePlies", &args.plies.clamp(1, 64).to_string())?;
        }
        for (name, value) in settings(&args.set)? {
            options.set(name, value).with_context(|| format!("--set {name}={value}"))?;
        }
    }
    player.set_position(&args.rules, saved.position.as_deref(), &saved.moves)?;
    let mut world = World { began: Instant::now(), interrupt: Interrupt::of_process() };
    let report = player.go(&args.limits(), &[], &mut world);
    if let Some(fault) = report.fault {
        bail!(fault);
    }
    if report.choice.is_none() {
        bail!("there is no move in this position, and no tree");
    }
    let tree = player.tree(&args.bounds());
    saved.tree = tree.with_context(|| format!("{} keeps no tree of {}", saved.search, saved.game))?;
    Ok(saved)
}

/// The tree of a search for mates.
fn mates(kit: &dyn Kit, args: &Args, position: Pasted) -> anyhow::Result<SavedTree> {
    let mates = kit.mates();
    let mates = mates.with_context(|| format!("mates are searched in chess and shogi, not in {}", kit.name()))?;
    let (began, interrupt, limits) = (Instant::now(), Interrupt::of_process(), args.limits());
    let is_stopped = || interrupt.is_raised() || limits.move_time.is_some_and(|time| began.elapsed() >= time);
    let plies = args.depth.and_then(|depth| u16::try_from(depth).ok());
    let mate = MateLimits { plies, nodes: limits.nodes };
    let limits = TreeLimits { mate, is_stopped: &is_stopped, bounds: args.bounds() };
    let tree = mates.tree(&args.rules, &position, &limits)?;
    let (rules, search) = (args.rules.clone(), args.search.clone());
    Ok(SavedTree { game: kit.name().to_string(), rules, position: position.start, moves: position.moves, search, tree })
}

/// The part of a tree within the bounds.
fn cut(tree: &TreeCopy, bounds: &TreeBounds) -> TreeCopy {
    let mut numbers: Vec<Option<u32>> = vec![None; tree.nodes.len()];
    let mut plies = vec![0; tree.nodes.len()];
    let mut kept = TreeCopy::default();
    for (id, node) in tree.nodes.iter().enumerate() {
        let parent = match node.parent {
            None => None,
            Some(above) => {
                plies[id] = plies[above as usize] + 1;
                let is_in = plies[id] <= bounds.plies_max && node.effort >= bounds.effort_min;
                let Some(parent) = numbers[above as usize].filter(|_| is_in && kept.nodes.len() < bounds.nodes_max)
                else {
                    continue;
                };
                Some(parent)
            }
        };
        numbers[id] = Some(kept.nodes.len() as u32);
        kept.nodes.push(tesuji_engine::TreeNode { parent, ..node.clone() });
    }
    kept
}

/// The world of one search: a clock, and Ctrl-C.
struct World {
    began: Instant,
    interrupt: Interrupt,
}

impl Watch<String> for World {
    fn signal(&mut self) -> Signal {
        if self.interrupt.is_raised() { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}
}
