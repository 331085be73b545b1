//! Random openings: moves drawn by seed and number, none that one side has lost.

use crate::{CircleError, seat::Unwatched};
use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Instant,
};
use tesuji_engine::Player;
use tesuji_game::{Limits, Random};
use tesuji_record::AnyGame;

/// Openings looked at before giving up.
const TRIES: u32 = 500;

/// How random openings are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Openings {
    /// Random moves from the start. Every other opening has one more, so that both sides get to move first.
    pub plies: u32,
    /// A quick search must see neither side ahead by more.
    pub limit_cp: i32,
    /// Nodes of the quick search.
    pub nodes: u64,
    /// Decides all of them.
    pub seed: u64,
}

impl Openings {
    /// So many random plies, within three pawns.
    pub fn random(plies: u32, seed: u64) -> Openings {
        Openings { plies, limit_cp: 300, nodes: 500, seed }
    }

    /// Opening `number`, judged by `player`: a new one is drawn until one is balanced. `None` when it was stopped.
    ///
    /// # Errors
    /// When none is balanced, or the player does not take a position.
    pub fn draw(
        &self,
        game: &dyn AnyGame,
        number: u64,
        player: &mut dyn Player,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<String>>, CircleError> {
        let mut random = Random::for_item(self.seed, number);
        let plies = self.plies + (self.plies > 0 && number % 2 == 1) as u32;
        for _ in 0..TRIES {
            let Some(moves) = random_line(game, plies, &mut random)? else { continue };
            player.new_game();
            player.set_position("", None, &moves)?;
            let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
            let report = player.go(&limits, &[], &mut Unwatched { began: Instant::now(), stop });
            if stop.load(Relaxed) {
                return Ok(None);
            }
            if report.lines.first().is_some_and(|best| best.value.raw().abs() <= self.limit_cp) {
                return Ok(Some(moves));
            }
        }
        Err(CircleError::Opening { plies, limit_cp: self.limit_cp, tries: TRIES })
    }
}

/// So many random moves; `None` when the game ended on the way.
fn random_line(game: &dyn AnyGame, plies: u32, random: &mut Random) -> Result<Option<Vec<String>>, CircleError> {
    let mut table = game.table("", None)?;
    for _ in 0..plies {
        let moves = table.moves();
        if moves.is_empty() || table.outcome().is_some() {
            return Ok(None);
        }
        table.play(&moves[random.below(moves.len())])?;
    }
    Ok(table.outcome().is_none().then(|| table.played()))
}
