//! Options about what engines and runner say to each other.

use super::engines::EngineArg;
use anyhow::{Context, bail};
use std::path::PathBuf;
use tesuji_arena::RefereeMaker;

/// An engine examined, and what is written of dialogues.
#[derive(clap::Args, Debug)]
#[group(skip)]
pub(super) struct Args {
    /// Append all that is said in each game to a file of its own in this folder
    #[arg(long, value_name = "FOLDER")]
    log_dialogue: Option<PathBuf>,
    /// A go engine that counts finished games (GTP's final_score) [default: dead are the stones that both players name]
    #[arg(long, value_name = "SPEC")]
    referee: Option<EngineArg>,
    /// Check whether an engine keeps to its protocol, instead of playing
    #[arg(long, value_name = "SPEC")]
    pub(super) check: Option<EngineArg>,
}

impl Args {
    /// The referee of a match of `game`, if there is to be one.
    ///
    /// # Errors
    /// When nothing is counted in that game.
    pub(super) fn referee(&self, game: &str) -> anyhow::Result<Option<RefereeMaker>> {
        let Some(engine) = &self.referee else { return Ok(None) };
        if game != "go" {
            bail!("--referee: games of {game} are not counted");
        }
        engine.referee(game).map(Some)
    }

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
