//! Tests of rules that are known as text alone: slow counts of leaves, for games that offer nothing faster.

use super::{
    LegalPositions, Perft, PerftRequest, RulesAbilities, RulesTest, Selftest, SelftestListener, SelftestRequest,
};
use crate::{RequestError, RulesOnly};
use std::time::Instant;
use tesuji_record::{AnyGame, RulesTable};

impl RulesTest for RulesOnly {
    fn abilities(&self) -> RulesAbilities {
        RulesAbilities::default()
    }

    fn perft(&self, request: &PerftRequest) -> Result<Perft, RequestError> {
        request.validate()?;
        let quoted = |text: &str| format!("{text:?}");
        let start = request.position.start.as_deref();
        let mut table = self
            .table(&request.rules, start)
            .map_err(|error| RequestError::value("position", quoted(start.unwrap_or_default()), error))?;
        for text in &request.position.moves {
            table.play(text).map_err(|error| RequestError::value("moves", text, error))?;
        }
        let began = Instant::now();
        let mut moves = Vec::new();
        if request.depth > 0 && table.outcome().is_none() {
            for text in table.moves() {
                moves.push((text.clone(), below(&mut *table, &text, request.depth)));
            }
        }
        let leaves = if request.depth == 0 { 1 } else { moves.iter().map(|(_, leaves)| leaves).sum() };
        Ok(Perft { position: table.position(), moves, leaves, elapsed: began.elapsed() })
    }

    fn legal_positions(&self, _: &PerftRequest) -> Result<LegalPositions, RequestError> {
        Err(no_legal_positions(self.name()))
    }

    fn selftest(&self, _: &SelftestRequest, _: &mut SelftestListener<'_>) -> Result<Selftest, RequestError> {
        Err(RequestError::failed(format!("{} has no selftest", self.name())))
    }
}

/// The leaves below a move.
fn below(table: &mut dyn RulesTable, mv: &str, depth: u32) -> u64 {
    if depth == 1 {
        return 1;
    }
    if table.play(mv).is_err() {
        return 0;
    }
    let leaves = match table.outcome() {
        Some(_) => 0,
        None => table.moves().iter().map(|mv| below(table, mv, depth - 1)).sum(),
    };
    table.undo();
    leaves
}

/// The error of a game that cannot count its legal positions.
pub(super) fn no_legal_positions(game: &str) -> RequestError {
    RequestError::failed(format!("{game} does not count its legal positions"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pasted;
    use tesuji_testkit::four::Four;

    static RULES: tesuji_record::Of<Four> = tesuji_record::of(&[]);

    #[test]
    fn leaves_of_connect_four() {
        let perft = |depth, moves: &[&str]| {
            let moves: Vec<String> = moves.iter().map(|mv| mv.to_string()).collect();
            let position = Pasted::of(None, &moves);
            let request = PerftRequest { game: "four".into(), depth, position, ..PerftRequest::default() };
            RulesOnly(&RULES).perft(&request).unwrap()
        };
        // J. Tromp, John's Connect Four Playground: no game ends before its seventh ply.
        assert_eq!(perft(0, &[]).leaves, 1);
        assert_eq!(perft(4, &[]).leaves, 7 * 7 * 7 * 7);
        let first = perft(1, &[]).moves[0].0.clone();
        assert_eq!(perft(2, &[&first]).leaves, 49);
    }
}
