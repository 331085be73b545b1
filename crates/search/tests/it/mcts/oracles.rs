//! Oracles for tests: random playouts, one that knows nothing, one that fails.

use tesuji_game::{AsFirst, Line, Oracle, OracleError, Position, Query, Random};
use tesuji_testkit::four::FourPosition;

/// One random playout for each question, the same for the same line. Tells who got which cell, and all moves as first.
#[derive(Clone)]
pub struct Playouts {
    pub seed: u64,
    pub batch: usize,
}

impl Playouts {
    pub fn new(seed: u64) -> Self {
        Playouts { seed, batch: 64 }
    }

    /// The result for the side to move at the end of `line`.
    pub fn value(&self, line: &Line<FourPosition>) -> f32 {
        let mut query = Query::new(line.clone());
        self.clone().ask(std::slice::from_mut(&mut query)).expect("playouts never fail");
        query.answer.value
    }
}

impl Oracle<FourPosition> for Playouts {
    fn batch_max(&self) -> usize {
        self.batch
    }

    fn ask(&mut self, batch: &mut [Query<FourPosition>]) -> Result<(), OracleError> {
        for query in batch {
            let mut pos = *query.line.here();
            let mover = pos.side_to_move();
            let way = query.line.moves().fold(7u64, |h, mv| h.wrapping_mul(11).wrapping_add(u64::from(mv.0) + 1));
            let mut random = Random::for_item(self.seed, way);
            let mut played = Vec::new();
            let outcome = loop {
                let mut moves = Vec::new();
                let _ = pos.for_each_move(|mv| {
                    moves.push(mv);
                    std::ops::ControlFlow::<()>::Continue(())
                });
                if moves.is_empty() {
                    break pos.no_legal_moves();
                }
                let mv = moves[random.below(moves.len())];
                played.push((pos.side_to_move(), mv));
                pos.play(mv);
            };
            query.answer.value = (outcome.score(mover) * 2.0 - 1.0) as f32;
            query.answer.score = Some(query.answer.value * 10.0);
            query.answer.ownership = vec![query.answer.value; 7];
            let seen = &mut query.answer.as_first;
            seen.iter_mut().for_each(|s| s.resize(8, AsFirst::default()));
            for (side, mv) in played {
                let bits = usize::from(FourPosition::pack(mv));
                if seen[1 - side.index()][bits].weight == 0.0 {
                    let value = (outcome.score(side) * 2.0 - 1.0) as f32;
                    seen[side.index()][bits] = AsFirst { weight: 1.0, value };
                }
            }
        }
        Ok(())
    }
}

/// Knows nothing: every position is even, every move as likely.
#[derive(Clone)]
pub struct Blank;

impl Oracle<FourPosition> for Blank {
    fn batch_max(&self) -> usize {
        16
    }

    fn ask(&mut self, _: &mut [Query<FourPosition>]) -> Result<(), OracleError> {
        Ok(())
    }
}

/// Fails after some questions.
#[derive(Clone)]
pub struct Broken(pub usize);

impl Oracle<FourPosition> for Broken {
    fn batch_max(&self) -> usize {
        4
    }

    fn ask(&mut self, batch: &mut [Query<FourPosition>]) -> Result<(), OracleError> {
        self.0 = self.0.checked_sub(batch.len()).ok_or(OracleError::Backend("out of order".to_string()))?;
        Ok(())
    }
}
