//! Training of efficiently updatable networks (NNUE): what a game offers for it, what is asked for, and the run from games to a net.

mod game;
mod prepare;
mod request;
mod run;
mod sweep;

pub use game::{BRANCH_PLIES, NnueTraining, after_random_moves, input_table};
pub use request::{NnueRequest, PositionFilters, RunLength};
pub use run::{NnueDone, NnueNews, NnueTrainRun, train_nnue};
pub use sweep::{NnueSweep, NnueSweepRow, sweep_nnue};
