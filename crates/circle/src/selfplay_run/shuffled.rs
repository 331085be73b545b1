//! Games that begin with shuffled pieces: who has them, and which files can hold them.

use super::SelfplayRequest;
use crate::{Shuffled, game_file::written};
use std::{io::Cursor, path::Path};
use tesuji_dataset::data::Format;
use tesuji_game::{By, Outcome, Value};
use tesuji_kit::{Kit, RequestError, shuffled::ShuffledStarts};
use tesuji_record::{GameRecord, RecordFormat};

/// The field of the share in requests.
const FIELD: &str = "shuffled_share";

/// The games with shuffled pieces that are asked for.
///
/// # Errors
/// When the game has none.
pub(super) fn of(kit: &dyn Kit, request: &SelfplayRequest) -> Result<Option<Shuffled>, RequestError> {
    let share = request.shuffled_share;
    if share == 0.0 {
        return Ok(None);
    }
    let none = || RequestError::value(FIELD, share, format_args!("{} has no such start positions", kit.name()));
    let starts = kit.shuffled_starts().ok_or_else(none)?;
    Ok(Some(Shuffled { starts, share }))
}

/// Refuses the first file whose format cannot hold games with shuffled pieces, before a game is played.
///
/// # Errors
/// The file, and its format.
pub(super) fn check_formats<'a>(
    kit: &dyn Kit,
    starts: &ShuffledStarts,
    files: impl Iterator<Item = (&'a Path, Format)>,
) -> Result<(), RequestError> {
    for (path, format) in files {
        if !holds(kit, starts, format) {
            let reason = format!("{} holds no games of {}; name another output", format.name(), starts.rules);
            return Err(RequestError::value("outputs", path.display(), reason));
        }
    }
    Ok(())
}

/// Whether a game with shuffled pieces comes back from a file of this format, or its positions can be written into it.
fn holds(kit: &dyn Kit, starts: &ShuffledStarts, format: Format) -> bool {
    let Some(game) = sample_game(kit, starts) else { return false };
    match format {
        Format::Games(format) => is_read_back(kit, format, &game),
        Format::Samples(format) => {
            let mut samples = Vec::new();
            let survey = kit.survey().is_some_and(|survey| survey.samples(&game, &mut samples).is_ok());
            survey && samples.iter().filter(|s| s.score.is_some()).all(|s| format.write(s, &mut Vec::new()).is_ok())
        }
        Format::Columns => true,
    }
}

/// A game of one move with a value and a result.
fn sample_game(kit: &dyn Kit, starts: &ShuffledStarts) -> Option<GameRecord<String>> {
    let start = (starts.position)(0);
    let moves = kit.table(starts.rules, Some(&start)).ok()?.moves();
    let mut game = GameRecord::from_moves(starts.rules, Some(&start), moves.into_iter().take(1));
    for node in game.main_nodes() {
        game.note_mut(node).value = Some(Value::cp(20));
    }
    game.outcome = Some(Outcome::draw(By::Adjudication));
    Some(game)
}

fn is_read_back(kit: &dyn Kit, format: &dyn RecordFormat, game: &GameRecord<String>) -> bool {
    let Some(bytes) = written(format, game) else { return false };
    let Ok(Some(back)) = format.reader(Box::new(Cursor::new(bytes))).read() else { return false };
    let position = |game: &GameRecord<String>| {
        let table = kit.table(&game.rules, game.start.as_deref()).ok()?;
        Some((table.rules().to_string(), table.position()))
    };
    position(&back).is_some_and(|there| Some(there) == position(game))
}
