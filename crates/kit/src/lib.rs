//! The interface of a game: the trait `Kit`, its optional capabilities as traits, and their implementations for any game. Names no
//! game.

pub mod bench;
pub mod books;
pub mod console;
pub mod data;
pub mod explain;
pub mod features;
mod games;
mod kit;
pub mod mates;
mod members;
pub mod networks;
pub mod nnue;
pub mod nnue_training;
mod outputs;
mod pasted;
mod player_request;
pub mod playouts;
mod records;
pub mod regions;
pub mod review;
mod rules_only;
pub mod rules_test;
mod settings;
pub mod shuffled;
mod skip;
pub mod solving;
pub mod think;
pub mod tree;
pub mod tuning;
mod written_nets;

pub use games::Games;
pub use kit::{Kit, KitError};
pub use outputs::{check_apart, check_beside, check_new_output, check_packed_output, check_plain_output};
pub use pasted::Pasted;
pub use player_request::PlayerRequest;
pub use records::{endings, open_records};
pub use rules_only::RulesOnly;
pub use rules_test::{Perft, PerftRequest, RulesTest, Selftest, SelftestRequest};
pub use settings::settings;
pub use skip::{SkipErrors, complain};
pub use tesuji_jobs::RequestError;
pub use written_nets::WrittenNets;
