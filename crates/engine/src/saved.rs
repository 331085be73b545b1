//! Trees as text: JSON with the sum of what it holds, checked in every part before it is believed.

use crate::{TreeCopy, TreeNode};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tesuji_record::AnyGame;

/// The format name and version of saved trees.
const FORMAT: &str = "tesuji-tree";
const VERSION: u32 = 2;
/// The version whose sum is of the nodes alone; still read.
const VERSION_NODES: u32 = 1;

/// A tree and where it grew.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SavedTree {
    /// The game.
    pub game: String,
    /// The rules, in the game's words.
    pub rules: String,
    /// The start of the line; `None`: the usual start.
    pub position: Option<String>,
    /// The moves from there to the root.
    pub moves: Vec<String>,
    /// The search family.
    pub search: String,
    /// The tree.
    pub tree: TreeCopy,
}

/// The error of a text that is not a whole tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedTreeError {
    /// It is no JSON, or not of this shape.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is not what it should be; the words say what and where.
    #[error("{0}")]
    Wrong(String),
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
    /// The SHA-256 of all else as compact JSON, with an empty text in this place; in version 1 that of the nodes.
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

/// The node of row `number`.
fn node_of(number: usize, row: Row) -> Result<TreeNode, SavedTreeError> {
    let wrong = |error| SavedTreeError::Wrong(format!("node {number}: {error}"));
    let Row { parent, mv, value, effort, prior, children, note } = row;
    let note = Some(note).filter(|note| !note.is_empty()).map(|note| note.parse()).transpose().map_err(wrong)?;
    Ok(TreeNode { parent, mv, value, effort, prior, children, note, key: 0 })
}

/// The sum of what is written here.
fn sum_of(what: &impl Serialize) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(what)?;
    Ok(Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Fails with `words` unless `is_so`.
fn ensure(is_so: bool, words: impl FnOnce() -> String) -> Result<(), SavedTreeError> {
    if is_so { Ok(()) } else { Err(SavedTreeError::Wrong(words())) }
}

impl SavedTree {
    /// The tree as JSON.
    ///
    /// # Errors
    /// None that can happen: JSON holds every tree.
    pub fn to_json(&self) -> Result<String, SavedTreeError> {
        let row = |n: &TreeNode| Row {
            parent: n.parent,
            mv: n.mv.clone(),
            value: n.value,
            effort: n.effort,
            prior: n.prior,
            children: n.children,
            note: n.note.map_or_else(String::new, |note| note.to_string()),
        };
        let nodes: Vec<Row> = self.tree.nodes.iter().map(row).collect();
        let mut whole = Whole {
            format: FORMAT.to_string(),
            version: VERSION,
            game: self.game.clone(),
            rules: self.rules.clone(),
            position: self.position.clone(),
            moves: self.moves.clone(),
            search: self.search.clone(),
            sha256: String::new(),
            nodes,
        };
        whole.sha256 = sum_of(&whole)?;
        Ok(serde_json::to_string_pretty(&whole)?)
    }

    /// The game of a saved tree in `text`.
    ///
    /// # Errors
    /// When it is no tree at all.
    pub fn game_of(text: &str) -> Result<String, SavedTreeError> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            game: String,
        }
        let head: Head = serde_json::from_str(text)?;
        ensure(head.format == FORMAT, || format!("its format is {:?}, expected {FORMAT:?}", head.format))?;
        Ok(head.game)
    }

    /// Reads a tree of `game`.
    ///
    /// # Errors
    /// When the text is no tree, of another game, cut off or changed.
    pub fn from_json(game: &dyn AnyGame, text: &str) -> Result<SavedTree, SavedTreeError> {
        let mut whole: Whole = serde_json::from_str(text)?;
        ensure(whole.format == FORMAT, || format!("its format is {:?}, expected {FORMAT:?}", whole.format))?;
        ensure([VERSION, VERSION_NODES].contains(&whole.version), || {
            format!("its version is {}, this program reads up to {VERSION}", whole.version)
        })?;
        ensure(whole.game == game.name(), || format!("it is of {:?}, not of {}", whole.game, game.name()))?;
        let told = std::mem::take(&mut whole.sha256);
        let sum = if whole.version == VERSION_NODES { sum_of(&whole.nodes)? } else { sum_of(&whole)? };
        ensure(sum == told, || format!("it was changed: its sum is not {told}"))?;
        let nodes = whole.nodes.into_iter().enumerate().map(|(number, row)| node_of(number, row));
        let saved = SavedTree {
            tree: TreeCopy { nodes: nodes.collect::<Result<_, _>>()? },
            game: whole.game,
            rules: whole.rules,
            position: whole.position,
            moves: whole.moves,
            search: whole.search,
        };
        saved.check(game)?;
        Ok(saved)
    }

    /// A text that is a tree but for its checksum, with that; `None` for others.
    pub(crate) fn with_checksum(text: &str) -> Option<String> {
        let mut whole: Whole = serde_json::from_str(text).ok()?;
        whole.sha256.clear();
        whole.sha256 = if whole.version == VERSION_NODES { sum_of(&whole.nodes).ok()? } else { sum_of(&whole).ok()? };
        serde_json::to_string(&whole).ok()
    }

    /// Whether it is a tree whose moves can be played, in order.
    ///
    /// # Errors
    /// The first node that is not as it should be.
    pub fn check(&self, game: &dyn AnyGame) -> Result<(), SavedTreeError> {
        check(game, self)
    }
}

/// Whether it is a tree and its moves can be played.
fn check(game: &dyn AnyGame, saved: &SavedTree) -> Result<(), SavedTreeError> {
    let nodes = &saved.tree.nodes;
    ensure(nodes.first().is_some_and(|n| n.parent.is_none()), || "its first node is no root".to_string())?;
    for (id, node) in nodes.iter().enumerate() {
        let is_below = id == 0 || node.parent.is_some_and(|parent| (parent as usize) < id);
        ensure(is_below, || format!("node {id} does not stand after the node above it"))?;
        ensure(node.value.is_finite() && node.prior.is_finite(), || format!("node {id} has no value"))?;
    }
    let table = game.table(&saved.rules, saved.position.as_deref());
    let mut table = table.map_err(|error| SavedTreeError::Wrong(error.to_string()))?;
    for text in &saved.moves {
        table.play(text).map_err(|error| SavedTreeError::Wrong(format!("move {text}: {error}")))?;
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
            ensure(below[id as usize].is_empty(), || format!("node {id} has moves below a pass"))?;
        } else {
            table.play(text).map_err(|error| SavedTreeError::Wrong(format!("node {id}: {error}")))?;
            todo.push((id, true));
            todo.extend(below[id as usize].iter().rev().map(|&child| (child, false)));
        }
    }
    Ok(())
}
