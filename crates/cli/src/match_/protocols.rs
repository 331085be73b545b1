//! Options about what engines and runner say to each other.

use anyhow::Context;
use std::path::PathBuf;

/// What is written of the dialogue.
#[derive(clap::Args, Debug)]
#[group(skip)]
pub(super) struct Args {
    /// Write all that is said in each game to a file of its own in this folder
    #[arg(long, value_name = "FOLDER")]
    log_dialogue: Option<PathBuf>,
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
