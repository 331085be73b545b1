//! GTP 2 (Gunnar Farnebäck, 2002), the protocol of go engines, with KGS's time settings and `cputime`.
//!
//! Every command is answered, in order: `=ID text` or `?ID words`, ended by a blank line. Both ends remember which
//! commands wait for their answers, and the runner's which moves stand on the engine's board, so that a session and a
//! match may speak of whole lines as in UCI. Points and passes are text here; the game reads them.

mod analysis;
mod analysis_reader;
mod clocks;
mod engine;
pub mod regression;
mod runner;
mod score;
mod words;

pub(crate) use analysis_reader::{VISITS_MAX, sure, value_of_chance};
pub use engine::GtpEngine;
pub use runner::GtpRunner;
pub use score::parse_score;

use tesuji_game::Side;

/// Sets the board to a position in the game's notation: no word of the standard, understood by our engines.
pub(crate) const POSITION: &str = "tesuji-position";

/// Sets an option, `NAME=VALUE`: no word of the standard, understood by our engines.
pub(crate) const OPTION: &str = "tesuji-option";

/// Black moves first.
pub(crate) const fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "b",
        Side::Second => "w",
    }
}

/// `line` without what the standard tells to drop: control characters, comments; tabs are spaces.
pub(crate) fn cleaned(line: &str) -> String {
    let line = line.split_once('#').map_or(line, |(before, _)| before);
    let kept = line.chars().filter(|c| *c == '\t' || !c.is_control());
    let text: String = kept.map(|c| if c == '\t' { ' ' } else { c }).collect();
    text.trim().to_string()
}
