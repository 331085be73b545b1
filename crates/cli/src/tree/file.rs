//! Trees in files.

use anyhow::{Context, bail};
use std::{
    io::{Read, Write},
    path::Path,
};
use tesuji_engine::SavedTree;
use tesuji_jobs::{AtomicFile, open_input};
use tesuji_kit::Kit;

/// The most text of a tree that is read: a compressed file may unpack without end.
const TEXT_BYTES_MAX: u64 = 1 << 30;

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
    let read = open_input(path).and_then(|file| file.take(TEXT_BYTES_MAX + 1).read_to_string(&mut text));
    if read.context(name.clone())? as u64 > TEXT_BYTES_MAX {
        bail!("{name}: expected at most {} MiB of text, unpacked", TEXT_BYTES_MAX >> 20);
    }
    SavedTree::from_json(kit, &text).with_context(|| format!("{name} is not a whole tree"))
}
