//! An engine asked for single positions, outside of games.

use super::Engine;
use crate::{Fault, FaultKind};
use std::time::Duration;
use tesuji_game::{Choice, Limits};
use tesuji_protocol::{BoardCommand, Command, Go, Info, Reply};

/// Time limit of a search by nodes.
const SEARCH: Duration = Duration::from_secs(3600);

impl Engine {
    /// As it is called in tables.
    pub fn called(&self) -> &str {
        &self.name
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.pipes.pid()
    }

    /// Sets an option, outside of a search.
    ///
    /// # Errors
    /// When the engine is gone.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        self.send(&[Command::Set { name: name.to_string(), value: value.to_string() }])
    }

    /// Searches a position from empty tables, as far as the engine empties them for a new game, up to `nodes` nodes; what it tells on
    /// the way goes to `each`. Returns its move.
    ///
    /// # Errors
    /// When it ends, hangs or writes what is no answer.
    pub fn search_position(
        &mut self,
        start: &str,
        moves: &[String],
        nodes: u64,
        each: &mut dyn FnMut(&Info),
    ) -> Result<Option<Choice<String>>, Fault> {
        self.send(&[Command::NewGame, Command::Sync])?;
        let patience = self.spec.start_patience;
        self.read_until(patience, "get ready", FaultKind::Ping, |reply| reply == Reply::Ready)?;
        let board = Command::Board(BoardCommand::Set { start: Some(start.to_string()), moves: moves.to_vec() });
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        self.send(&[board, Command::Go(Go { limits, commit: true, ..Go::default() })])?;
        let mut chosen = None;
        self.read_until(SEARCH, "answer", FaultKind::Hang, |reply| {
            match reply {
                Reply::Info(info) => each(&info),
                Reply::Best { choice, .. } => {
                    chosen = choice;
                    return true;
                }
                _ => {}
            }
            false
        })?;
        Ok(chosen)
    }
}
