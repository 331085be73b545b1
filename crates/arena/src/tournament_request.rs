//! The pairings of a match as requested: format, rounds, sides.

use crate::request_error::refuse;
use crate::swiss::Swiss;
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
    /// Players of like scores meet, round by round, nobody twice; the match's `rounds` are those rounds, its `games` those of each
    /// meeting.
    pub swiss: bool,
    /// Pairs of games at most that follow in a tie that ends level; after them the better seed goes on.
    pub tiebreaks: u64,
    /// The assignment of sides, and how often an opening is played.
    pub sides: Sides,
}

impl Default for TournamentRequest {
    fn default() -> TournamentRequest {
        TournamentRequest { gauntlet: None, knockout: false, swiss: false, tiebreaks: TIEBREAKS, sides: Sides::Swap }
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
        match (self.knockout, self.swiss) {
            (true, _) => Some(GAMES_OF_TIE),
            (_, true) => Some(self.games_a_round()),
            _ => None,
        }
    }

    /// Whether one engine meets all others of this many, so that it can be tested.
    pub(crate) fn can_test(&self, engines: usize) -> bool {
        !self.swiss && (engines == 2 || self.gauntlet == Some(1))
    }

    /// The schedule; `games`: those of every pairing, `rounds`: those of a Swiss tournament, where they are given.
    ///
    /// # Errors
    /// When the engines are too few for it.
    pub(crate) fn schedule(
        &self,
        engines: usize,
        games: u64,
        rounds: Option<u64>,
        openings: usize,
    ) -> Result<Schedule, RequestError> {
        let format = match (self.gauntlet, self.knockout) {
            _ if self.swiss => Format::Swiss(self.swiss_rounds(engines, games, rounds)?),
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

    /// The rounds of a Swiss tournament.
    fn swiss_rounds(&self, engines: usize, games: u64, rounds: Option<u64>) -> Result<u64, RequestError> {
        if self.knockout || self.gauntlet.is_some() {
            refuse!("--swiss is one form of a tournament, --knockout and --gauntlet are others: choose one");
        }
        if self.sides == Sides::Fixed {
            refuse!("--swiss balances sides: --sides swap or --sides alternate");
        }
        if games > GAMES_OF_TIE_MAX {
            let reason = format_args!("a meeting of a Swiss tournament has {GAMES_OF_TIE_MAX} at most");
            return Err(RequestError::value("games", games, reason));
        }
        let possible = Swiss::rounds_possible(engines);
        let rounds = rounds.unwrap_or_else(|| Swiss::rounds_usual(engines));
        match rounds {
            0 => Err(RequestError::value("rounds", 0, "nothing to play")),
            _ if rounds > possible => {
                let reason =
                    format_args!("{engines} engines meet each other in {possible} rounds; more would repeat pairings");
                Err(RequestError::value("rounds", rounds, reason))
            }
            _ => Ok(rounds),
        }
    }
}
