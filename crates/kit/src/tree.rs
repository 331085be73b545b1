//! The search tree of a position, of any family, as a typed request asks for it: grown, saved, opened again and cut.

use crate::{Games, Kit, Pasted, PlayerRequest, RequestError, mates::TreeLimits};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::{
    io::{Read, Write},
    path::Path,
    time::{Duration, Instant},
};
use tesuji_engine::{SavedTree, TreeBounds, TreeCopy, TreeNode};
use tesuji_game::{Limits, Report, Signal, Watch};
use tesuji_jobs::{AtomicFile, Interrupt, Progress, Show, open_input};
use tesuji_search::mate::MateLimits;

/// Nodes to search where no limit is given.
const NODES: u64 = 20_000;
/// The name that asks for a proof of a mate, where a search family could stand.
const MATE: &str = "mate";
/// The most text of a tree that is read: a compressed file may unpack without end.
const TEXT_BYTES_MAX: u64 = 1 << 30;

/// A tree that is wanted.
///
/// # Examples
/// ```
/// use tesuji_kit::tree::TreeRequest;
/// let request: TreeRequest = serde_json::from_str(r#"{ "game": "four", "nodes": 500, "plies": 2 }"#)?;
/// assert!(request.validate().is_ok());
/// assert!(TreeRequest::default().validate().is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TreeRequest {
    /// The version of this form: [`TreeRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// The position, with moves from there.
    pub position: Pasted,
    /// The rules; empty: the usual ones.
    pub rules: String,
    /// The player that searches; its family may also be `mate`, for the proof of a mate.
    pub player: PlayerRequest,
    /// All options of the family at once, by the name of a preset.
    pub preset: Option<String>,
    /// Nodes (playouts) to search; 20,000 where nothing limits the search.
    pub nodes: Option<u64>,
    /// Plies to search.
    pub depth: Option<u32>,
    /// Seconds to search.
    pub seconds: Option<f64>,
    /// Plies that are kept.
    pub plies: u32,
    /// The most nodes that are kept, those with the most effort first.
    pub nodes_kept: usize,
    /// The least effort of a node that is kept; moves that were left out have none.
    pub effort: u64,
}

impl Default for TreeRequest {
    fn default() -> TreeRequest {
        TreeRequest {
            version: Self::VERSION,
            game: String::new(),
            position: Pasted::default(),
            rules: String::new(),
            player: PlayerRequest::default(),
            preset: None,
            nodes: None,
            depth: None,
            seconds: None,
            plies: 3,
            nodes_kept: 1000,
            effort: 0,
        }
    }
}

impl TreeRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; the position and the player are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        match self.seconds {
            Some(seconds) if !(0.0..=1e9).contains(&seconds) => {
                Err(RequestError::value("seconds", seconds, "expected 0 to 1000000000"))
            }
            _ => Ok(()),
        }
    }

    /// The bounds of the tree that is kept.
    pub fn bounds(&self) -> TreeBounds {
        TreeBounds { nodes_max: self.nodes_kept.max(1), plies_max: self.plies, effort_min: self.effort }
    }

    fn limits(&self) -> Limits {
        let move_time = self.seconds.map(Duration::from_secs_f64);
        let is_free = self.nodes.is_none() && self.depth.is_none() && move_time.is_none();
        Limits { nodes: self.nodes.or(is_free.then_some(NODES)), depth: self.depth, move_time, ..Limits::default() }
    }
}

/// Searches and copies the tree.
///
/// # Errors
/// The field that cannot be meant, a position without a move, a family that keeps no tree.
pub fn grow_tree(games: Games, request: &TreeRequest, interrupt: &Interrupt) -> Result<SavedTree, RequestError> {
    request.validate()?;
    let kit = games.kit(&request.game)?;
    Ok(match request.player.search == MATE {
        true => grow_mates(games, kit, request, interrupt)?,
        false => grow(games, kit, request, interrupt)?,
    })
}

fn grow(
    games: Games,
    kit: &'static dyn Kit,
    request: &TreeRequest,
    interrupt: &Interrupt,
) -> anyhow::Result<SavedTree> {
    let asked = &request.player.search;
    let search = if asked.is_empty() { kit.families()[0].to_string() } else { asked.clone() };
    let plies = request.plies.clamp(1, 64).to_string();
    let mut first: Vec<(&str, &str)> = request.preset.iter().map(|name| ("Preset", name.as_str())).collect();
    // Only alpha-beta keeps nothing by itself.
    first.extend((search == "alpha-beta").then_some(("TracePlies", plies.as_str())));
    let mut player = request.player.player(games, kit, &first)?;
    let (start, moves) = (request.position.start.clone(), request.position.table(kit, &request.rules)?.played());
    player.set_position(&request.rules, start.as_deref(), &moves)?;
    let limits = request.limits();
    let progress = Progress::start("search", "nodes", limits.nodes, Show::Auto);
    let mut watch = Interrupted { began: Instant::now(), interrupt, progress: &progress };
    let report = player.go(&limits, &[], &mut watch);
    progress.finish();
    if let Some(fault) = report.fault {
        bail!(fault);
    }
    if report.choice.is_none() {
        bail!("there is no move in this position, and no tree");
    }
    let game = kit.name().to_string();
    let tree = player.tree(&request.bounds()).with_context(|| format!("{search} keeps no tree of {game}"))?;
    Ok(SavedTree { game, rules: request.rules.clone(), position: start, moves, search, tree })
}

/// The tree of a search for mates.
fn grow_mates(games: Games, kit: &dyn Kit, request: &TreeRequest, interrupt: &Interrupt) -> anyhow::Result<SavedTree> {
    let known = || games.names_with(|kit| kit.mates().is_some()).join(" and ");
    let mates = kit.mates().with_context(|| format!("mates are searched in {}, not in {}", known(), kit.name()))?;
    let (began, limits) = (Instant::now(), request.limits());
    let is_stopped = || interrupt.is_raised() || limits.move_time.is_some_and(|time| began.elapsed() >= time);
    let plies = request.depth.and_then(|depth| u16::try_from(depth).ok());
    let mate = MateLimits { plies, nodes: limits.nodes };
    let limits = TreeLimits { mate, is_stopped: &is_stopped, bounds: request.bounds() };
    let progress = Progress::start("search", "mates", Some(1), Show::Auto);
    let tree = mates.tree(&request.rules, &request.position, &limits);
    progress.finish();
    let tree = tree?;
    let (start, moves) = (request.position.start.clone(), request.position.table(kit, &request.rules)?.played());
    let (rules, search) = (request.rules.clone(), MATE.to_string());
    Ok(SavedTree { game: kit.name().to_string(), rules, position: start, moves, search, tree })
}

/// The part of a tree within the bounds.
pub fn cut_tree(tree: &TreeCopy, bounds: &TreeBounds) -> TreeCopy {
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
        kept.nodes.push(TreeNode { parent, ..node.clone() });
    }
    kept
}

/// Writes a tree aside and renames it.
///
/// # Errors
/// Those of the file system.
pub fn save_tree(tree: &SavedTree, path: &Path) -> Result<(), RequestError> {
    let text = tree.to_json().map_err(RequestError::failed)? + "\n";
    let write = || {
        let mut file = AtomicFile::create(path)?;
        file.write_all(text.as_bytes())?;
        file.commit()
    };
    Ok(write().with_context(|| path.display().to_string())?)
}

/// Reads a tree of `kit`'s game.
///
/// # Errors
/// When the file is no tree, of another game, cut off or changed; the words name the file and what is wrong.
pub fn open_tree(kit: &dyn Kit, path: &Path) -> Result<SavedTree, RequestError> {
    let name = path.display().to_string();
    let mut text = String::new();
    let read = open_input(path).and_then(|file| file.take(TEXT_BYTES_MAX + 1).read_to_string(&mut text));
    if read.context(name.clone())? as u64 > TEXT_BYTES_MAX {
        let most = TEXT_BYTES_MAX >> 20;
        return Err(RequestError::failed(format_args!("{name}: expected at most {most} MiB of text, unpacked")));
    }
    Ok(SavedTree::from_json(kit, &text).with_context(|| format!("{name} is not a whole tree"))?)
}

/// The watch of a search: its clock, and Ctrl-C.
struct Interrupted<'a> {
    began: Instant,
    interrupt: &'a Interrupt,
    progress: &'a Progress,
}

impl Watch<String> for Interrupted<'_> {
    fn signal(&mut self) -> Signal {
        if self.interrupt.is_raised() { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        self.progress.set_noted(report.nodes, &format!("depth {}", report.depth));
    }
}
