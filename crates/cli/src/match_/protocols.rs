//! Options about what engines and runner say to each other.

use super::engines::EngineArg;
use anyhow::Context;
use std::path::PathBuf;

/// An engine examined, and what is written of dialogues.
#[derive(clap::Args, Debug)]
#[group(skip)]
pub(super) struct Args {
    /// Write all that is said in each game to a file of its own in this folder
    #[arg(long, value_name = "FOLDER")]
    log_dialogue: Option<PathBuf>,
    /// Check whether an engine keeps to its protocol, instead of playing
    #[arg(long, value_name = "SPEC")]
    pub(super) check: Option<EngineArg>,
}

impl Args {
    /// The folder for dialogues, made if it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn dialogues(&self) -> anyhow::Result<Option<PathBuf>> {
        let Some(folder) = &self.log_dialogue else { return Ok(None) };
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        Ok(Some(folder.clone()))
    }
}
