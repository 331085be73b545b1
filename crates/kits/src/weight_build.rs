//! Weights built into the program: the checkout that holds their file, the source that is made of them, the build.

use crate::AnyWeights;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use tesuji_jobs::AtomicFile;
use tesuji_kit::tuning::Tuning;
use tesuji_tally::rust_source;

/// The checkout of Tesuji that holds `folder`, for the weights of a game.
///
/// # Errors
/// When none does.
pub fn checkout(folder: &Path, subject: &'static Tuning) -> anyhow::Result<(PathBuf, &'static Tuning)> {
    match folder.ancestors().find(|root| root.join(subject.built_in).is_file()) {
        Some(root) => Ok((root.to_path_buf(), subject)),
        None => bail!("no checkout of Tesuji holds {}; say --to FILE", folder.display()),
    }
}

/// Writes the source made of the weights into the checkout `root`, where there is one, and builds the program with them if `rebuild`.
/// `tell` hears what was made.
///
/// # Errors
/// When the weights are not ours, the source cannot be written, or the build fails.
pub fn build_in(root: &Path, weights: &AnyWeights, rebuild: bool, tell: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
    let AnyWeights::Ours(subject, weights) = weights else {
        bail!("only weights of our own evaluation can be built in")
    };
    if let Some(source) = subject.source.map(|source| root.join(source)) {
        AtomicFile::write(&source, rust_source(weights, subject.package).as_bytes())?;
        tell(&format!("wrote {}", source.display()));
    }
    if !rebuild {
        return Ok(());
    }
    let build = Command::new("cargo").args(["build", "--release"]).current_dir(root).status();
    if !build.context("cargo build --release")?.success() {
        bail!("cargo build --release failed in {}", root.display());
    }
    let program = root.join("target/release/tesuji");
    tell(&format!("built {}; the bench changes with the weights: see bench.txt", program.display()));
    Ok(())
}

/// Whole numbers between spaces.
///
/// # Errors
/// A word that is none, with its number from 1.
pub fn whole_numbers(text: &str) -> anyhow::Result<Vec<i32>> {
    let number = |(i, word): (usize, &str)| {
        word.parse().with_context(|| format!("number {} of stdin: expected a whole number, found {word:?}", i + 1))
    };
    text.split_whitespace().enumerate().map(number).collect()
}
