//! Files that grow by a game at a time, in any format but columns: what self-play writes while it plays.

use super::{Format, Left, encode::encode};
use super::{Items, Lens};
use std::collections::BTreeMap;
use tesuji_record::{Fault, GameRecord, RecordWriter, SharedBuffer, Survey};

/// Turns games into the bytes that a growing file gets for each of them: games, or their positions.
pub struct GameEncoder {
    format: Format,
    lens: Lens,
    /// The writer of games, which may remember the one before, and its bytes.
    games: Option<(Box<dyn RecordWriter>, SharedBuffer)>,
    left: Left,
    written: u64,
}

impl GameEncoder {
    /// An encoder for the beginning of a file; `None` for columns, which have an index at their end.
    pub fn new(format: Format, survey: Option<&'static dyn Survey>) -> Option<GameEncoder> {
        let games = match format {
            Format::Columns => return None,
            Format::Samples(_) => None,
            Format::Games(format) => {
                let buffer = SharedBuffer::default();
                Some((format.writer(Box::new(buffer.clone())), buffer))
            }
        };
        let lens = Lens { survey, fill_score: None };
        Some(GameEncoder { format, lens, games, left: Left::default(), written: 0 })
    }

    /// The bytes of the next game, the `number`-th from 1. Positions that the format cannot hold are left out and counted.
    ///
    /// # Errors
    /// When the format cannot hold the game.
    pub fn encode(&mut self, game: GameRecord<String>, number: u64) -> Result<Vec<u8>, Fault> {
        if let Some((writer, buffer)) = &mut self.games {
            writer.write(&game).and_then(|()| writer.flush()).map_err(|error| error.fault)?;
            self.written += 1;
            return Ok(buffer.take());
        }
        let (mut numbers, mut faults) = (vec![number], Vec::new());
        let items = self.lens.turn(Items::Games(vec![game]), &mut numbers, false, &mut self.left, &mut faults);
        let (bytes, written) = encode(self.format, items, &numbers, &mut self.left, &mut faults);
        self.written += written;
        faults.into_iter().next().map_or(Ok(bytes), |(_, fault)| Err(fault))
    }

    /// Games or positions so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Games or positions that were left out so far, by reason.
    pub fn left(&self) -> &BTreeMap<String, u64> {
        &self.left.records
    }
}
