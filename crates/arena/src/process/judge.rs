//! An engine asked about a game that is over: its count, or the stones it takes for dead.

use super::Engine;
use crate::{Contestant, Fault, FaultKind, Over, Referee};
use std::time::Duration;
use tesuji_game::Outcome;
use tesuji_protocol::{Ask, BoardCommand, Command, Reply, gtp};

/// Timeout of a player's list of dead stones.
const DEAD_PATIENCE: Duration = Duration::from_secs(20);

impl Engine {
    /// Puts a question, of which `read` knows an answer when it sees one; lines that are none are passed over.
    fn question<T>(&mut self, ask: Ask, patience: Duration, read: impl Fn(&str) -> Option<T>) -> Result<T, Fault> {
        self.send(&[Command::Ask(ask)])?;
        let mut answer = None;
        self.read_until(patience, "answer", FaultKind::Hang, |reply| {
            if let Reply::Text(text) = reply {
                answer = read(&text);
            }
            answer.is_some()
        })?;
        answer.ok_or_else(|| Fault::new(FaultKind::Garbage, "it gave no answer"))
    }

    /// The stones that it takes for dead in a game that it has played.
    pub(super) fn dead(&mut self, game: &Over<'_>) -> Result<Vec<String>, Fault> {
        let line = BoardCommand::Set { start: game.start.map(str::to_string), moves: game.moves.to_vec() };
        self.send(&[Command::Board(line)])?;
        self.question(Ask::FinalStatus("dead".to_string()), DEAD_PATIENCE, points)
    }
}

impl Referee for Engine {
    fn judge(&mut self, game: &Over<'_>) -> Result<Outcome, Fault> {
        if !self.protocol.may_answer(&Ask::FinalScore) {
            return Err(Fault::new(FaultKind::Garbage, "it has no final_score: a referee must speak GTP"));
        }
        self.new_game(game.rules)?;
        let mut commands = Vec::with_capacity(game.moves.len() + 1);
        if let Some(start) = game.start {
            commands.push(BoardCommand::Set { start: Some(start.to_string()), moves: Vec::new() });
        }
        // One by one, with their sides: a referee is never told who moves.
        let mut side = if game.moves.len().is_multiple_of(2) { game.side } else { !game.side };
        for text in game.moves {
            commands.push(BoardCommand::Play { side, text: text.clone() });
            side = !side;
        }
        let commands: Vec<Command> = commands.into_iter().map(Command::Board).collect();
        self.send(&commands)?;
        let patience = self.spec.start_patience;
        self.question(Ask::FinalScore, patience, gtp::parse_score)
    }

    fn dismiss(&mut self) {
        self.quit();
    }
}

/// Points on a board, such as `A1 T19`; `None` for other words.
fn points(text: &str) -> Option<Vec<String>> {
    let is_point = |word: &str| {
        let (column, row) = word.split_at_checked(1).unwrap_or_default();
        column.chars().all(|c| c.is_ascii_alphabetic()) && !row.is_empty() && row.bytes().all(|b| b.is_ascii_digit())
    };
    let words = text.split_whitespace();
    words.map(|word| is_point(word).then(|| word.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_points_are_points() {
        assert_eq!(points("A1 T19\nb2"), Some(["A1", "T19", "b2"].map(String::from).to_vec()));
        assert_eq!(points(""), Some(Vec::new()));
        for text in ["thinking about it", "A", "1", "A1 and B2", "ä1"] {
            assert_eq!(points(text), None, "{text}");
        }
    }
}
