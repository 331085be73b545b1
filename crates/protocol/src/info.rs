//! Search information that an engine sends while it thinks: depth, nodes, score, principal variation.

use std::time::Duration;
use tesuji_game::{Bound, Value, Wdl};

/// A report of a running search. Everything is optional; what is not there was not said.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::{EngineEnd, Info, Reply, uci::UciEngine};
/// let mut out = String::new();
/// UciEngine.write(&Reply::Info(Info::remark("no tablebases")), &mut out);
/// assert_eq!(out, "info string no tablebases\n");
/// let info = Info { depth: Some(3), nodes: Some(120), pv: vec!["e2e4".into()], ..Info::default() };
/// out.clear();
/// UciEngine.write(&Reply::Info(info), &mut out);
/// assert_eq!(out, "info depth 3 nodes 120 pv e2e4\n");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Info {
    /// Plies of the iteration.
    pub depth: Option<u32>,
    /// Plies of the longest path.
    pub depth_max: Option<u32>,
    /// The rank of the line among several, from 1.
    pub rank: Option<u32>,
    /// For the engine's side.
    pub score: Option<Score>,
    /// Chances, in thousandths.
    pub wdl: Option<Wdl>,
    /// Positions visited, or playouts.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub speed: Option<u64>,
    /// Fill of the hash table, in permille.
    pub hash_full: Option<u32>,
    /// Positions found in endgame tables.
    pub table_hits: Option<u64>,
    /// Since the search began.
    pub time: Option<Duration>,
    /// The move being searched at the root.
    pub current: Option<String>,
    /// Its number, from 1.
    pub current_number: Option<u32>,
    /// The line, first move first.
    pub pv: Vec<String>,
    /// Words for people.
    pub text: Option<String>,
}

impl Info {
    /// A remark for people, and nothing else.
    pub fn remark(text: impl Into<String>) -> Info {
        Info { text: Some(text.into()), ..Info::default() }
    }
}

/// A value with what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    /// For the engine's side. UCI counts mates in moves: a win in `n` moves is read as `2n - 1` plies, a loss as `2n`.
    pub value: Value,
    /// Exact, or only a bound.
    pub bound: Bound,
}
