//! UCI (Stefan Meyer-Kahlen and Rudolf Huber, 2006), with what engines and GUIs have agreed on since: `wdl`, `d`, `eval`, `bench`, `go perft`.
//!
//! Reading is lenient: words in front of a command are skipped as the standard asks, case does not matter in the
//! protocol's own words, unknown words after `go` are skipped, times below zero are zero, fractions of milliseconds are cut
//! off. A `go` whose limit cannot be read (a count that is no number or below 1) is carried out one ply deep and tells its
//! fault, [`crate::Go::fault`]: the runner waits for a `bestmove`, and a search with a limit that was not understood could
//! last for ever. Any other faulty command is a [`crate::ProtocolError`], and nothing is done.

pub(crate) mod engine;
pub(crate) mod info;
pub(crate) mod options;
pub(crate) mod runner;

pub use engine::UciEngine;
pub use runner::UciRunner;

/// The options by which a runner tells an engine the variant of a game.
pub const VARIANT_OPTIONS: [&str; 2] = ["UCI_Chess960", "UCI_Variant"];
