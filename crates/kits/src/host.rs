//! The machine as a session sees it: files of games, and processor time.

use std::time::Duration;
use tesuji_engine::Host;
use tesuji_jobs::{open_bounded, processor_time};
use tesuji_kit::Kit;
use tesuji_record::{GameRecord, Records};

/// The largest record that is read because a protocol names it, unpacked.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// The machine, for sessions of one game.
pub struct LocalHost(pub &'static dyn Kit);

impl Host for LocalHost {
    fn load(&self, file: &str) -> Result<GameRecord<String>, String> {
        first_game(self.0, file)
    }

    fn processor_time(&self) -> Option<Duration> {
        Some(processor_time())
    }
}

/// The first game in `file`, in the format of its name or the game's usual one. Komi stands in the rules alone.
///
/// # Errors
/// If the file or the game is wrong, in words.
fn first_game(kit: &dyn Kit, file: &str) -> Result<GameRecord<String>, String> {
    let format = kit.format(file).or(kit.formats().first().copied()).ok_or("this game has no files")?;
    let input = open_bounded(file.as_ref(), RECORD_BYTES_MAX).map_err(|error| error.to_string())?;
    let game = Records::new(format.reader(input)).next();
    let mut game = game.ok_or_else(|| format!("{file}: no game"))?.map_err(|error| format!("{file}: {error}"))?;
    for text in game.start.iter_mut().chain(&mut game.setups) {
        if let Some(at) = text.rfind(" komi ") {
            text.truncate(at);
        }
    }
    Ok(game)
}
