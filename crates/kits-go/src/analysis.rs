//! The boards of go as KataGo's analysis protocol needs them to read a query.

use super::GO;
use tesuji_game::Side;
use tesuji_go::{Rules, Size, Vertex};
use tesuji_protocol::analysis::{Boards, QueryBoard};
use tesuji_record::{AnyGame, RulesTable};

/// The boards of go.
pub struct GoBoards;

impl Boards for GoBoards {
    fn point(&self, text: &str, width: usize, height: usize) -> Option<(usize, usize)> {
        let vertex = Vertex::parse(text, Size::new(width, height)?).ok()?;
        Some((usize::from(vertex.x), usize::from(vertex.y)))
    }

    fn rules_fit(&self, rules: &str, width: usize, height: usize) -> Result<bool, String> {
        let rules: Rules = rules.parse().map_err(|error| format!("{error}"))?;
        Ok(Some(rules.size) == Size::new(width, height))
    }

    fn board(&self, rules: &str, start: Option<&str>) -> Result<Box<dyn QueryBoard>, String> {
        let table = GO.table(rules, start).map_err(|error| error.to_string())?;
        Ok(Box::new(GoBoard(table)))
    }
}

/// One of them.
struct GoBoard(Box<dyn RulesTable>);

impl QueryBoard for GoBoard {
    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn play(&mut self, mv: &str) -> Result<(), String> {
        self.0.play(mv).map_err(|error| error.to_string())
    }
}
