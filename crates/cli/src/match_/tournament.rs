//! The pairings of `tesuji match`, as arguments.

use tesuji_arena::{Sides, TournamentRequest};

/// The form of a tournament.
#[derive(clap::Args, Debug)]
#[group(skip)]
pub(super) struct Args {
    /// The first engine, or the first N, meet all others, instead of everybody meeting everybody
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", require_equals = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    gauntlet: Option<u32>,
    /// The winner of a tie of --games games goes on; the order of the engines is that of their seeds
    #[arg(long, conflicts_with_all = ["gauntlet", "sprt", "stop_width"])]
    knockout: bool,
    /// Players of like scores meet in each of --rounds rounds, nobody twice; --games are those of a meeting [default: 2]
    #[arg(long, conflicts_with_all = ["gauntlet", "knockout", "sprt", "stop_width"])]
    swiss: bool,
    /// Pairs of games at most that follow in a tie that ends level; after them the better seed goes on
    #[arg(long, value_name = "PAIRS", default_value_t = 20, requires = "knockout")]
    tiebreaks: u64,
    /// The sides of the players, and how often an opening is played
    #[arg(long, value_enum, default_value_t = SidesArg::Swap)]
    sides: SidesArg,
}

/// The sides of the players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SidesArg {
    /// Every opening twice in a row, with sides swapped
    Swap,
    /// Every opening once, with the first side in turns
    Alternate,
    /// Every opening once; the engine named earlier always has the first side
    Fixed,
}

impl Args {
    /// The tournament request of these arguments.
    pub(super) fn request(&self) -> TournamentRequest {
        let sides = match self.sides {
            SidesArg::Swap => Sides::Swap,
            SidesArg::Alternate => Sides::Alternate,
            SidesArg::Fixed => Sides::Fixed,
        };
        let Args { gauntlet, knockout, swiss, tiebreaks, .. } = *self;
        TournamentRequest { gauntlet, knockout, swiss, tiebreaks, sides }
    }
}
