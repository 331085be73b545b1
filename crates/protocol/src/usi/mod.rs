//! USI (Tord Romstad's UCI for shogi, 2007), with what engines and GUIs have agreed on since: `binc`, `winc`, `nodes`, `depth`, `movetime`.
//!
//! It differs from UCI in its words (`usi`, `usiok`, `usinewgame`, `sfen`), in clocks (Black, who moves first, has
//! `btime`; `byoyomi` is for both), in mates (counted in plies; `go mate` is a search of its own, answered by
//! `checkmate`), in `gameover`, and in that an engine may resign or declare a win instead of moving. Reading is as
//! lenient as in [`crate::uci`].

mod engine;
mod runner;

pub use engine::{UsiEngine, common_name};
pub use runner::UsiRunner;

/// The words of `checkmate` other than moves.
const NO_MATE: &str = "nomate";
const TIMEOUT: &str = "timeout";
const NOT_IMPLEMENTED: &str = "notimplemented";
