//! Players around other players: what a wrapper does not answer itself, the player inside answers.

use crate::{Account, Handicap, HandicapError, LiveTree, Placed, Player, PlayerError, TreeBounds, TreeCopy};
use std::sync::Arc;
use tesuji_game::{CacheCounts, Limits, Report, Side, Watch};
use tesuji_options::Options;
use tesuji_protocol::MateAnswer;
use tesuji_search::profile::Profile;

/// A player around another one, such as one with a book or one that plays weaker. It is a [`Player`] that does these four things
/// itself, or as the inner player does them, and leaves every other question to the inner player.
pub trait Wrapper: Send {
    /// The player inside.
    type Inner: Player;

    /// The player inside.
    fn inner(&self) -> &Self::Inner;

    /// The player inside, to be changed.
    fn inner_mut(&mut self) -> &mut Self::Inner;

    /// As [`Player::options`]: those of the inner player, and its own.
    fn all_options(&mut self) -> Box<dyn Options + '_>;

    /// Learns that a new game begins, before the inner player does.
    fn game_begins(&mut self) {}

    /// Learns the position that the inner player has taken.
    fn position_taken(&mut self, _rules: &str, _start: Option<&str>, _moves: &[String]) {}

    /// As [`Player::go`].
    fn think(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String>;
}

impl<W: Wrapper> Player for W {
    fn options(&mut self) -> Box<dyn Options + '_> {
        self.all_options()
    }

    fn new_game(&mut self) {
        self.game_begins();
        self.inner_mut().new_game();
    }

    fn set_position(&mut self, rules: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError> {
        self.inner_mut().set_position(rules, start, moves)?;
        self.position_taken(rules, start, moves);
        Ok(())
    }

    fn is_move(&self, text: &str) -> bool {
        self.inner().is_move(text)
    }

    fn go(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        self.think(limits, only, watch)
    }

    fn obeys_soft_nodes(&self) -> bool {
        self.inner().obeys_soft_nodes()
    }

    fn solve(&mut self, limits: &Limits, watch: &mut dyn Watch<String>) -> MateAnswer {
        self.inner_mut().solve(limits, watch)
    }

    fn show(&self) -> String {
        self.inner().show()
    }

    fn explain(&self) -> Option<String> {
        self.inner().explain()
    }

    fn side_to_move(&self) -> Option<Side> {
        self.inner().side_to_move()
    }

    fn final_score(&self) -> Option<String> {
        self.inner().final_score()
    }

    fn final_status(&self, status: &str) -> Option<Vec<Vec<String>>> {
        self.inner().final_status(status)
    }

    fn owners(&self) -> Option<Vec<Vec<f32>>> {
        self.inner().owners()
    }

    fn rules(&self) -> Option<String> {
        self.inner().rules()
    }

    fn compensation(&self) -> Option<f64> {
        self.inner().compensation()
    }

    fn moves(&self) -> Vec<String> {
        self.inner().moves()
    }

    fn handicap(&self, stones: &Handicap) -> Result<Placed, HandicapError> {
        self.inner().handicap(stones)
    }

    fn perft(&self, depth: u32, stop: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
        self.inner().perft(depth, stop)
    }

    fn tree(&self, bounds: &TreeBounds) -> Option<TreeCopy> {
        self.inner().tree(bounds)
    }

    fn live_tree(&self) -> Option<Arc<dyn LiveTree>> {
        self.inner().live_tree()
    }

    fn raw_net(&self, symmetry: Option<u8>) -> Result<String, String> {
        self.inner().raw_net(symmetry)
    }

    fn account(&self) -> Option<Account> {
        self.inner().account()
    }

    fn worths(&self) -> Option<Vec<(String, i32)>> {
        self.inner().worths()
    }

    fn profile(&self) -> Option<Profile> {
        self.inner().profile()
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.inner().counts()
    }
}
