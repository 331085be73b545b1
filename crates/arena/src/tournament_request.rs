//! The pairings of a match as requested: format, rounds, sides.

use crate::request_error::refuse;
use crate::{Format, Schedule, Sides};
use serde::{Deserialize, Serialize};
use tesuji_kit::RequestError;
use utoipa::ToSchema;

/// The form of a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TournamentRequest {
    /// The first this many engines meet all others, instead of everybody meeting everybody.
    pub gauntlet: Option<u32>,
    /// The winner of a tie goes on; the order of the engines is that of their seeds.
    pub knockout: bool,
    /// Pairs of games at most that follow in a tie that ends level; after them the better seed goes on.
    pub tiebreaks: u64,
    /// The assignment of sides, and how often an opening is played.
    pub sides: Sides,
}

impl Default for TournamentRequest {
    fn default() -> TournamentRequest {
        TournamentRequest { gauntlet: None, knockout: false, tiebreaks: TIEBREAKS, sides: Sides::Swap }
    }
}

/// Pairs of games that follow in a tie that ends level, when nothing is said.
pub const TIEBREAKS: u64 = 20;
/// More are as good as without end.
const TIEBREAKS_MAX: u64 = 1_000;
/// Games of a tie at most: each has a place in memory from the beginning.
const GAMES_OF_TIE_MAX: u64 = 10_000;
/// Games of a tie when nothing is said.
const GAMES_OF_TIE: u64 = 2;

impl TournamentRequest {
    /// Games that a pairing has in a round.
    pub(crate) fn games_a_round(&self) -> u64 {
        if self.sides == Sides::Swap { 2 } else { 1 }
    }

    /// Games of a pairing when nothing is said, where this form has a number of its own.
    pub(crate) fn games_usual(&self) -> Option<u64> {
        self.knockout.then_some(GAMES_OF_TIE)
    }

    /// Whether one engine meets all others of this many, so that it can be tested.
    pub(crate) fn can_test(&self, engines: usize) -> bool {
        engines == 2 || self.gauntlet == Some(1)
    }

    /// The schedule; `games`: those of every pairing.
    ///
    /// # Errors
    /// When the engines are too few for it.
    pub(crate) fn schedule(&self, engines: usize, games: u64, openings: usize) -> Result<Schedule, RequestError> {
        let format = match (self.gauntlet, self.knockout) {
            (Some(seeds), _) if seeds as usize >= engines => {
                refuse!("--gauntlet={seeds}: of {engines} engines nobody is left to be met")
            }
            (Some(seeds), _) => Format::Gauntlet(seeds as usize),
            (None, true) => Format::Knockout(self.tiebreaks.min(TIEBREAKS_MAX)),
            (None, false) => Format::RoundRobin,
        };
        if self.knockout && games > GAMES_OF_TIE_MAX {
            return Err(RequestError::value(
                "games",
                games,
                format_args!("a tie of a knockout has {GAMES_OF_TIE_MAX} at most"),
            ));
        }
        if self.knockout && self.sides != Sides::Swap {
            refuse!("--knockout always plays pairs with sides swapped: leave --sides out");
        }
        Ok(Schedule::new(engines, format, games, openings, self.sides))
    }
}
