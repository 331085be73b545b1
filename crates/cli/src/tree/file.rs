//! Trees in files.

use anyhow::Context;
use std::{
    io::{Read, Write},
    path::Path,
};
use tesuji_engine::{Kit, SavedTree};
use tesuji_jobs::{AtomicFile, open_input};

/// Writes the tree aside and renames it.
pub(super) fn save(tree: &SavedTree, path: &Path) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all((tree.to_json()? + "\n").as_bytes())?;
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
    SavedTree::from_json(kit, &text).with_context(|| format!("{name} is not a whole tree"))
}
