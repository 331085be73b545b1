//! Who meets whom in `tesuji match`, as arguments.

use anyhow::bail;
use tesuji_arena::{Format, Schedule, Sides};

/// The form of a tournament.
#[derive(clap::Args, Debug)]
#[group(skip)]
pub(super) struct Args {
    /// The first engine, or the first N, meet all others, instead of everybody meeting everybody
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", require_equals = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    gauntlet: Option<u32>,
    /// Whoever wins a tie of --games games goes on; the order of the engines is that of their seeds
    #[arg(long, conflicts_with_all = ["gauntlet", "sprt", "stop_width"])]
    knockout: bool,
    /// Pairs of games at most that follow in a tie that ends level; after them the better seed goes on
    #[arg(long, value_name = "PAIRS", default_value_t = 20, requires = "knockout")]
    tiebreaks: u64,
    /// Who has which side, and how often an opening is played
    #[arg(long, value_enum, default_value_t = SidesArg::Swap)]
    sides: SidesArg,
}

/// Who has which side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SidesArg {
    /// Every opening twice in a row, with sides swapped
    Swap,
    /// Every opening once, with the first side in turns
    Alternate,
    /// Every opening once; the engine named earlier always has the first side
    Fixed,
}

/// Games of a tie at most: each has a place in memory from the beginning.
const GAMES_OF_TIE_MAX: u64 = 10_000;
/// Games of a tie when nothing is said.
const GAMES_OF_TIE: u64 = 2;

impl Args {
    /// Games that a pairing has in a round.
    pub(super) fn games_a_round(&self) -> u64 {
        if self.sides == SidesArg::Swap { 2 } else { 1 }
    }

    /// Games of a pairing when nothing is said, where this form has a number of its own.
    pub(super) fn games_usual(&self) -> Option<u64> {
        self.knockout.then_some(GAMES_OF_TIE)
    }

    /// Whether one engine meets all others of so many, so that it can be tested.
    pub(super) fn can_test(&self, engines: usize) -> bool {
        engines == 2 || self.gauntlet == Some(1)
    }

    /// Who meets whom; `games`: those of every pairing.
    ///
    /// # Errors
    /// When the engines are too few for it.
    pub(super) fn schedule(&self, engines: usize, games: u64, openings: usize) -> anyhow::Result<Schedule> {
        let format = match (self.gauntlet, self.knockout) {
            (Some(seeds), _) if seeds as usize >= engines => {
                bail!("--gauntlet={seeds}: of {engines} engines nobody is left to be met")
            }
            (Some(seeds), _) => Format::Gauntlet(seeds as usize),
            (None, true) => Format::Knockout(self.tiebreaks.min(TIEBREAKS_MAX)),
            (None, false) => Format::RoundRobin,
        };
        if self.knockout && games > GAMES_OF_TIE_MAX {
            bail!("--games {games}: a tie of a knockout has {GAMES_OF_TIE_MAX} at most");
        }
        if self.knockout && self.sides != SidesArg::Swap {
            bail!("--knockout always plays pairs with sides swapped: leave --sides out");
        }
        let sides = match self.sides {
            SidesArg::Swap => Sides::Swap,
            SidesArg::Alternate => Sides::Alternate,
            SidesArg::Fixed => Sides::Fixed,
        };
        Ok(Schedule::new(engines, format, games, openings, sides))
    }
}

/// More are as good as without end.
const TIEBREAKS_MAX: u64 = 1_000;
