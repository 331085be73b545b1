//! What a game review says of a played move, in the page's words.

use crate::places::{GamePosition, Move, in_words, table_at};
use serde::Serialize;
use tesuji_engine::{MistakeKind, MoveVerdict, expected_result};
use tesuji_kit::Kit;
use utoipa::ToSchema;

/// Centipawns that multiply the odds by e, as the page draws its graph.
const ODDS_CP: f64 = 220.0;
/// Beyond these odds an expected result is no value in centipawns.
const ODDS_MAX: f64 = 1000.0;

/// The size of a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MoveMark {
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

/// The cost of a played move, by a search that holds it and the best move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Review {
    /// Hundredths of the expected result.
    pub cost: i32,
    /// The kind of mistake; none: it is no mistake.
    pub mark: Option<MoveMark>,
    /// The better move, where there is a mark; never the played one.
    pub better: Option<Move>,
    /// The values of the better move and of the played one by the search that confirmed the mark, as records hold them, for the side
    /// that moved: their expected results differ by the cost.
    pub values: Option<[i32; 2]>,
}

impl Review {
    /// A verdict about a move played at `place`.
    pub(super) fn of(kit: &'static dyn Kit, place: &GamePosition, verdict: &MoveVerdict) -> Review {
        let mark = verdict.mark.map(|mark| match mark {
            MistakeKind::Dubious => MoveMark::Inaccuracy,
            MistakeKind::Mistake => MoveMark::Mistake,
            MistakeKind::Blunder => MoveMark::Blunder,
        });
        let line = verdict.better.as_ref();
        let values = line.map(|line| {
            let expected = expected_result(line);
            let best = if line.value.is_mate() { line.value.raw() } else { centipawns(expected) };
            [best, centipawns(expected - f64::from(verdict.cost) / 50.0)]
        });
        let better = line.and_then(|line| line.pv.first().cloned());
        let table = table_at(kit, place).ok();
        let better = better.zip(table).map(|(code, table)| in_words(&*table, code));
        Review { cost: verdict.cost, mark, better, values }
    }
}

/// The value in centipawns of an expected result in -1..=1.
fn centipawns(expected: f64) -> i32 {
    let chance = (expected + 1.0) / 2.0;
    let odds = (chance / (1.0 - chance).max(f64::MIN_POSITIVE)).clamp(1.0 / ODDS_MAX, ODDS_MAX);
    (ODDS_CP * odds.ln()).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_whose_expected_results_were_told() {
        let seen = [-1.0, -0.5, 0.0, 0.24, 1.0].map(centipawns);
        assert_eq!(seen, [-1520, -242, 0, 108, 1520]);
    }
}
