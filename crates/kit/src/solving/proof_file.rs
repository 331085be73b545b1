//! A proof as a file: JSON, Graphviz, or a game with variations, as the ending of its name says.

use crate::{Kit, mates::Proof};
use anyhow::{Context, bail};
use std::path::Path;
use tesuji_jobs::AtomicFile;
use tesuji_record::{GameRecord, Part, RecordFormat, SharedBuffer};

/// The format of a proof.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Json,
    Graphviz,
    /// As a game with variations.
    Game(&'static dyn RecordFormat),
}

impl Form {
    /// The format that the ending of the name tells.
    ///
    /// # Errors
    /// When it says no form that this game has.
    pub(super) fn of(kit: &dyn Kit, path: &Path) -> anyhow::Result<Form> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match ending {
            "json" => Ok(Form::Json),
            "dot" | "gv" => Ok(Form::Graphviz),
            _ => match game_formats(kit).find(|format| format.extensions().contains(&ending)) {
                Some(format) => Ok(Form::Game(format)),
                None => {
                    let endings = game_formats(kit).filter_map(|format| format.extensions().first());
                    let games: String = endings.map(|ending| format!(" or .{ending}")).collect();
                    bail!("{}: a proof of {} is written as .json or .dot{games}", path.display(), kit.name())
                }
            },
        }
    }

    /// Writes `proof`.
    ///
    /// # Errors
    /// When nothing can be written.
    pub(super) fn write(self, path: &Path, proof: &Proof) -> anyhow::Result<()> {
        match self {
            Form::Json => Ok(AtomicFile::write(path, proof.json().as_bytes())?),
            Form::Graphviz => Ok(AtomicFile::write(path, proof.graphviz().as_bytes())?),
            Form::Game(format) => write_game(format, path, &proof.game()),
        }
    }
}

fn write_game(format: &dyn RecordFormat, path: &Path, record: &GameRecord<String>) -> anyhow::Result<()> {
    let text = SharedBuffer::default();
    let mut writer = format.writer(Box::new(text.clone()));
    writer.write(record)?;
    writer.finish()?;
    AtomicFile::write(path, &text.take()).with_context(|| path.display().to_string())
}

/// The formats of the game that can hold a proof: its defences are variations.
fn game_formats(kit: &dyn Kit) -> impl Iterator<Item = &'static dyn RecordFormat> {
    kit.formats().iter().copied().filter(|format| !format.drops().contains(&Part::Variations))
}
