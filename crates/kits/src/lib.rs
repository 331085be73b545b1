//! The table of the games, and what asks all of them: who learns, files of weights, encodings, files and speed of networks. The one crate that knows all games.

mod architecture;
mod host;
mod learner;
mod machine_report;
mod net_files;
mod net_speed;
mod weight_build;
mod weight_file;

pub use architecture::{encodings, foreign_encoding, preset};
pub use host::LocalHost;
pub use learner::{learner, spsa_games};
pub use machine_report::machine_report;
pub use net_files::{net_from_onnx, read_foreign_net, read_net, read_packed};
pub use net_speed::{NetSpeed, net_speed};
pub use tesuji_kits_chess::{GrekoDiary, GrekoLearning, learn_as_greko, quiescence};
pub use tesuji_kits_go::GoBoards;
pub use tesuji_kits_shared::{
    book_convert::convert_book,
    book_import::import_games,
    net::{net_file, open_nets},
    opening_book::OpeningBook,
};
pub use tesuji_kits_shogi::{CsaFailed, CsaRequest, CsaScore, play_on_server};

pub use weight_build::{build_in, checkout, whole_numbers};
pub use weight_file::{AnyWeights, WeightChange};

use tesuji_kit::Games;

/// All games, in the order in which they are listed.
pub const GAMES: Games = Games(&[&tesuji_kits_chess::CHESS, &tesuji_kits_shogi::SHOGI, &tesuji_kits_go::GO]);
