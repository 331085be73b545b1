//! Trees in files: JSON with the sum of what it holds, checked in every part before it is believed.

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    io::{Read, Write},
    path::Path,
};
use tesuji_engine::{Kit, TreeCopy, TreeNode};
use tesuji_jobs::{AtomicFile, open_input};

/// What says that a file is a tree, and in which version.
const FORMAT: &str = "tesuji-tree";
const VERSION: u32 = 1;

/// A tree and where it grew.
pub(super) struct SavedTree {
    pub(super) game: String,
    pub(super) rules: String,
    /// Where the line starts; `None`: the usual start.
    pub(super) position: Option<String>,
    /// The moves from there to the root.
    pub(super) moves: Vec<String>,
    /// The search family.
    pub(super) search: String,
    pub(super) tree: TreeCopy,
}

#[derive(Serialize, Deserialize)]
struct Whole {
    format: String,
    version: u32,
    game: String,
    #[serde(default)]
    rules: String,
    #[serde(default)]
    position: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
    search: String,
    /// The SHA-256 of the nodes as they stand here.
    sha256: String,
    nodes: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    parent: Option<u32>,
    #[serde(rename = "move")]
    mv: String,
    value: f32,
    effort: u64,
    prior: f32,
    children: u32,
    note: String,
}

fn sum_of(rows: &[Row]) -> anyhow::Result<String> {
    let text = serde_json::to_string(rows)?;
    Ok(Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect())
}

impl SavedTree {
    /// The tree as JSON, as it is saved.
    pub(super) fn to_json(&self) -> anyhow::Result<String> {
        let row = |n: &TreeNode| Row {
            parent: n.parent,
            mv: n.mv.clone(),
            value: n.value,
            effort: n.effort,
            prior: n.prior,
            children: n.children,
            note: n.note.clone(),
        };
        let nodes: Vec<Row> = self.tree.nodes.iter().map(row).collect();
        let whole = Whole {
            format: FORMAT.to_string(),
            version: VERSION,
            game: self.game.clone(),
            rules: self.rules.clone(),
            position: self.position.clone(),
            moves: self.moves.clone(),
            search: self.search.clone(),
            sha256: sum_of(&nodes)?,
            nodes,
        };
        Ok(serde_json::to_string_pretty(&whole)?)
    }

    /// Writes the tree aside and renames it.
    pub(super) fn save(&self, path: &Path) -> anyhow::Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write_all((self.to_json()? + "\n").as_bytes())?;
        Ok(file.commit()?)
    }

    /// Reads a tree of `kit`'s game.
    ///
    /// # Errors
    /// When the file is no tree, of another game, cut off or changed; the words name the file and what is wrong.
    pub(super) fn open(kit: &dyn Kit, path: &Path) -> anyhow::Result<SavedTree> {
        let name = path.display().to_string();
        let mut text = String::new();
        open_input(path).and_then(|mut file| file.read_to_string(&mut text)).context(name.clone())?;
        read(kit, &text).with_context(|| format!("{name} is not a whole tree"))
    }
}

fn read(kit: &dyn Kit, text: &str) -> anyhow::Result<SavedTree> {
    let whole: Whole = serde_json::from_str(text)?;
    ensure!(whole.format == FORMAT, "its format is {:?}, expected {FORMAT:?}", whole.format);
    ensure!(whole.version == VERSION, "its version is {}, this program reads {VERSION}", whole.version);
    ensure!(whole.game == kit.name(), "it is of {:?}, not of {}", whole.game, kit.name());
    ensure!(sum_of(&whole.nodes)? == whole.sha256, "its nodes were changed: their sum is not {}", whole.sha256);
    let node = |r: Row| TreeNode {
        parent: r.parent,
        mv: r.mv,
        value: r.value,
        effort: r.effort,
        prior: r.prior,
        children: r.children,
        note: r.note,
    };
    let tree = TreeCopy { nodes: whole.nodes.into_iter().map(node).collect() };
    let saved = SavedTree {
        game: whole.game,
        rules: whole.rules,
        position: whole.position,
        moves: whole.moves,
        search: whole.search,
        tree,
    };
    check(kit, &saved)?;
    Ok(saved)
}

/// Whether it is a tree and its moves can be played.
fn check(kit: &dyn Kit, saved: &SavedTree) -> anyhow::Result<()> {
    let nodes = &saved.tree.nodes;
    ensure!(nodes.first().is_some_and(|n| n.parent.is_none()), "its first node is no root");
    for (id, node) in nodes.iter().enumerate().skip(1) {
        let is_below = node.parent.is_some_and(|parent| (parent as usize) < id);
        ensure!(is_below, "node {id} does not stand after the node above it");
        ensure!(node.value.is_finite() && node.prior.is_finite(), "node {id} has no value");
    }
    let mut table = kit.table(&saved.rules, saved.position.as_deref())?;
    for text in &saved.moves {
        table.play(text).with_context(|| format!("move {text}"))?;
    }
    let below = saved.tree.children();
    // Each entry: the node, and whether it is being left.
    let mut todo: Vec<(u32, bool)> = below[0].iter().rev().map(|&id| (id, false)).collect();
    while let Some((id, is_left)) = todo.pop() {
        let text = &nodes[id as usize].mv;
        if is_left {
            table.undo();
        } else if text.is_empty() {
            // A pass of the search: what follows it has no moves to check.
            ensure!(below[id as usize].is_empty(), "node {id} has moves below a pass");
        } else {
            if let Err(error) = table.play(text) {
                bail!("node {id}: {error}");
            }
            todo.push((id, true));
            todo.extend(below[id as usize].iter().rev().map(|&child| (child, false)));
        }
    }
    Ok(())
}
