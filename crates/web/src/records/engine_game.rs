//! The game against an engine that a record belongs to: who plays, for how long it may think, what the clocks show.

use crate::{Problem, seats::Seat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Options of one engine at most.
const OPTIONS_MAX: usize = 500;
/// The longest time on a clock in milliseconds: a hundred days.
const CLOCK_MAX: u64 = 100 * 86_400_000;
/// The longest name of a seat, in bytes.
const WORDS_MAX: usize = 10_000;

/// A game against an engine, as it is kept with its record: who opens the record plays on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EngineGame {
    /// Who searches.
    seat: Seat,
    /// The sides that it plays: 0, 1.
    plays: Vec<u8>,
    /// Milliseconds a move, where it has no clock and no limit of nodes.
    #[serde(default)]
    time: Option<u64>,
    /// Nodes a move.
    #[serde(default)]
    nodes: Option<u64>,
    /// Its options by name: its strength, the seeds of this game.
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// The clocks of both sides; none: it is played without.
    #[serde(default)]
    clock: Option<GameClock>,
}

/// The clocks of a game when its last move was made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameClock {
    /// Milliseconds that each side had left, the side that moves first before the other.
    left: [u64; 2],
    /// Milliseconds that a move adds.
    increment: u64,
}

impl EngineGame {
    /// Checks that no number is out of its range.
    ///
    /// # Errors
    /// The first that is, with its name.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let wrong = |field: &str, what: String| Err(Problem::unprocessable(what).at(format!("play.{field}")));
        if self.plays.len() > 2 || self.plays.iter().any(|side| *side > 1) {
            return wrong("plays", format!("{:?}: expected sides, 0 or 1 each", self.plays));
        }
        if self.time == Some(0) || self.nodes == Some(0) {
            return wrong("time", "expected a number above 0".into());
        }
        let bytes: usize = self.options.iter().map(|(name, value)| name.len() + value.len()).sum();
        if self.options.len() > OPTIONS_MAX || bytes > OPTIONS_MAX * WORDS_MAX {
            return wrong("options", format!("expected at most {OPTIONS_MAX} options"));
        }
        let is_long = |clock: &GameClock| clock.left.iter().chain([&clock.increment]).any(|ms| *ms > CLOCK_MAX);
        if self.clock.as_ref().is_some_and(is_long) {
            return wrong("clock", format!("expected at most {CLOCK_MAX} milliseconds"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_out_of_range_are_named() {
        let game = |change: serde_json::Value| {
            let mut all = json!({"seat": {"search": "mcts"}, "plays": [1], "clock": {"left": [1, 2], "increment": 0}});
            for (name, value) in change.as_object().expect("fields") {
                all[name] = value.clone();
            }
            serde_json::from_value::<EngineGame>(all).expect("a game").check().map_err(|problem| problem.place)
        };
        assert_eq!(game(json!({})), Ok(()));
        let at = |place: &str| Err(Some(place.to_string()));
        assert_eq!(game(json!({"plays": [2]})), at("play.plays"));
        assert_eq!(game(json!({"nodes": 0})), at("play.time"));
        assert_eq!(game(json!({"clock": {"left": [1, u64::MAX], "increment": 0}})), at("play.clock"));
    }
}
