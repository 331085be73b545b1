//! Openings as our own engine plays them: at each move one of its best ones, drawn by chance, so that a book of many lines comes of it.

use crate::Opening;
use crate::request_error::refuse;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tesuji_engine::Player;
use tesuji_game::{Limits, Random};
use tesuji_kit::{Kit, RequestError, think::Unwatched};

/// Moves that are compared.
const LINES: &str = "8";
/// The option that asks for them.
const LINES_OPTION: &str = "MultiPV";
/// A move that is worse by this part of the spread is drawn e times less often.
const SCALE: f64 = 0.5;

/// Plies of a beginning up to which its searches are larger, twice for each ply before: many openings go through few beginnings, whose
/// moves differ by a few centipawns.
const DEEPER_PLIES: usize = 6;

/// The moves among which one is drawn after each beginning that was searched, with their weights.
pub(crate) type KnownMoves = Mutex<HashMap<Vec<String>, Vec<(String, f64)>>>;

/// Settings of games from which openings are taken.
pub(crate) struct OpeningPlay<'a> {
    pub(crate) kit: &'a dyn Kit,
    pub(crate) rules: &'a str,
    pub(crate) plies: u32,
    /// The most that a move is worse than the best one, in centipawns.
    pub(crate) spread_cp: u32,
    /// Nodes of a move, from the seventh on; more before.
    pub(crate) nodes: u64,
    /// Shared by all threads: what they find depends on the beginning alone.
    pub(crate) known: &'a KnownMoves,
}

impl OpeningPlay<'_> {
    /// A player that shows several lines.
    ///
    /// # Errors
    /// When the game's engine shows one alone.
    pub(crate) fn player(&self) -> Result<Box<dyn Player>, RequestError> {
        let mut player = self.kit.player("").map_err(RequestError::failed)?;
        if player.options().set(LINES_OPTION, LINES).is_err() {
            refuse!("--spread: the engine of {} does not show the values of several moves", self.kit.name());
        }
        Ok(player)
    }

    /// Plays one opening; `None` when the game was over at its end.
    pub(crate) fn play(&self, player: &mut dyn Player, random: &mut Random) -> Option<Opening> {
        let mut table = self.kit.table(self.rules, None).ok()?;
        let mut moves = Vec::new();
        for _ in 0..self.plies {
            let choices = self.choices(player, &moves)?;
            let mv = drawn(&choices, random.unit())?;
            table.play(mv).ok()?;
            moves.push(mv.to_string());
        }
        if table.outcome().is_some() { None } else { Some(Opening { start: None, moves }) }
    }

    /// The moves after a beginning; `None` where the game is over.
    fn choices(&self, player: &mut dyn Player, moves: &[String]) -> Option<Vec<(String, f64)>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(choices) = known().get(moves) {
            return Some(choices.clone());
        }
        player.new_game();
        player.set_position(self.rules, None, moves).ok()?;
        let limits = Limits { nodes: Some(nodes_at(self.nodes, moves.len())), ..Limits::default() };
        let report = player.go(&limits, &[], &mut Unwatched::new());
        let values = report.lines.iter().filter_map(|line| Some((line.pv.first()?.clone(), line.value.raw())));
        let choices = weighted(values.collect(), self.spread_cp);
        if choices.is_empty() {
            return None;
        }
        known().insert(moves.to_vec(), choices.clone());
        Some(choices)
    }
}

/// Nodes of the move after that number of plies, where those of late ones are `nodes`.
fn nodes_at(nodes: u64, plies: usize) -> u64 {
    nodes.saturating_mul(1 << DEEPER_PLIES.saturating_sub(plies))
}

/// Moves that are at most `spread_cp` worse than the best, with weights that fall with what they lose.
fn weighted(values: Vec<(String, i32)>, spread_cp: u32) -> Vec<(String, f64)> {
    let best = values.iter().map(|(_, value)| *value).max().unwrap_or_default();
    let loss = |value: i32| (best - value) as u32;
    let near = values.into_iter().filter(|(_, value)| loss(*value) <= spread_cp);
    let scale = (f64::from(spread_cp) * SCALE).max(1.0);
    near.map(|(mv, value)| (mv, (-f64::from(loss(value)) / scale).exp())).collect()
}

/// The move at `at`, in 0..1, of the sum of weights.
fn drawn(choices: &[(String, f64)], at: f64) -> Option<&str> {
    let mut left = at * choices.iter().map(|(_, weight)| weight).sum::<f64>();
    let found = choices.iter().find(|(_, weight)| {
        left -= weight;
        left < 0.0
    });
    found.or(choices.last()).map(|(mv, _)| mv.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_moves_are_searched_more() {
        assert_eq!([0, 1, 5, 6, 7, 100].map(|plies| nodes_at(10, plies)), [640, 320, 20, 10, 10, 10]);
        assert_eq!(nodes_at(u64::MAX, 0), u64::MAX);
    }

    #[test]
    fn better_moves_are_drawn_more_often() {
        let values = [("a", 30), ("b", 10), ("c", -11), ("d", -500)].map(|(mv, value)| (mv.to_string(), value));
        let choices = weighted(values.to_vec(), 40);
        let near: Vec<&str> = choices.iter().map(|(mv, _)| mv.as_str()).collect();
        assert_eq!(near, ["a", "b"], "41 and 530 worse are too much");
        // 20 worse at a scale of 20: e times less.
        assert!((choices[0].1 / choices[1].1 - std::f64::consts::E).abs() < 1e-9, "{choices:?}");
        let share = 1.0 / (1.0 + (-1.0f64).exp());
        assert_eq!(
            [0.0, share - 1e-6, share + 1e-6, 0.999_999].map(|at| drawn(&choices, at)),
            [Some("a"), Some("a"), Some("b"), Some("b")]
        );
        assert_eq!((drawn(&[], 0.5), weighted(Vec::new(), 40).len()), (None, 0));
    }
}
