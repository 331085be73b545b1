//! Held-out games, chosen by one rule on a game's start and moves for everything that splits, tunes and trains.

use tesuji_game::Random;
use tesuji_record::Hash;

/// Whether a game belongs to the share that is held out of training and judges what was learned. `game` is its [`fingerprint`](tesuji_record::fingerprint), so that
/// the answer is the same in whatever file, format and order the game is read, and no position of a game that was learned from judges
/// what was learned. A larger `share` holds the games of a smaller one out, too.
///
/// # Examples
/// ```
/// use tesuji_dataset::is_held_out;
/// assert!(!is_held_out(7, 0, 0.0));
/// assert!(is_held_out(7, 0, 1.0));
/// ```
pub fn is_held_out(game: u64, seed: u64, share: f64) -> bool {
    Random::for_item(seed ^ 0x5EED_5011_7000_0001, game).unit() < share
}

/// The seed of [`is_held_out`] where nobody gives another: `data split`, `tune` and `train` then hold the same games out.
pub const HELD_OUT_SEED: u64 = 0;

/// Neighbours of which neither the game nor the ply is known count as one game, this many of them: a shuffled file has no
/// games, and of one that is not shuffled few games are cut.
const RUN: u32 = 256;

/// Tells the games of positions apart that are read one after the other. A game ends where the next position names another one, or where
/// its ply does not follow.
#[derive(Debug, Clone, Default)]
pub struct GamesOfPositions {
    count: u32,
    last: Option<(Option<u64>, u32)>,
    run: u32,
    key: u64,
}

impl GamesOfPositions {
    /// The number of the game of the next position, from 0, and what [`is_held_out`] knows it by. `game` is the fingerprint of its game
    /// and `ply` its ply, where they are known. Where the game is unknown it is known by its first position, as text.
    pub fn next(&mut self, game: Option<u64>, ply: Option<u32>, position: impl FnOnce() -> String) -> (u32, u64) {
        // A position that tells no ply may be the start.
        let here = (game, ply.unwrap_or(0));
        self.run += 1;
        let goes_on = match self.last.replace(here) {
            None => false,
            Some((game, _)) if game.is_some() || here.0.is_some() => game == here.0,
            Some((_, ply)) if ply != 0 || here.1 != 0 => here.1 == ply.wrapping_add(1),
            Some(_) => self.run < RUN,
        };
        if !goes_on {
            self.count += 1;
            self.run = 0;
            self.key = game.unwrap_or_else(|| {
                let mut hash = Hash::default();
                hash.add(position().as_bytes());
                hash.finish().max(1)
            });
        }
        (self.count - 1, self.key)
    }

    /// The number of games so far.
    pub fn count(&self) -> u32 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Item, split_of};
    use tesuji_record::{GameRecord, Sample, fingerprint};

    #[track_caller]
    fn check(samples: &[(u64, u32)], expect: &[u32]) {
        let mut games = GamesOfPositions::default();
        let known = |number: u64| Some(number).filter(|&number| number != 0);
        let mut number = |&(game, ply): &(u64, u32)| games.next(known(game), Some(ply), String::new).0;
        let numbers: Vec<u32> = samples.iter().map(&mut number).collect();
        assert_eq!(numbers, expect);
    }

    #[test]
    fn games_end_where_they_are_seen_to() {
        check(&[(7, 0), (7, 1), (9, 2), (7, 3)], &[0, 0, 1, 2]);
        check(&[(0, 4), (0, 5), (0, 9), (0, 10), (0, 0)], &[0, 0, 1, 1, 2]);
        check(&[(0, 0), (0, 0), (3, 0)], &[0, 0, 1]);
    }

    #[test]
    fn what_is_not_known_falls_into_runs() {
        let mut games = GamesOfPositions::default();
        let seen: Vec<_> = (0..3 * RUN).map(|i| games.next(None, None, || format!("position {i}"))).collect();
        assert_eq!((seen[0].0, seen[RUN as usize - 1].0, seen[3 * RUN as usize - 1].0), (0, 0, 2));
        assert_eq!(seen[0].1, seen[RUN as usize - 1].1);
        assert_ne!(seen[0].1, seen[RUN as usize].1);
        assert_eq!(games.count(), 3);
    }

    #[test]
    fn the_share_depends_on_the_seed_and_grows() {
        let held = |seed, share| (0..10_000).filter(|&g| is_held_out(g, seed, share)).collect::<Vec<_>>();
        assert!((900..1100).contains(&held(1, 0.1).len()), "{}", held(1, 0.1).len());
        assert_ne!(held(1, 0.1), held(2, 0.1));
        assert!(held(1, 0.1).iter().all(|game| is_held_out(*game, 1, 0.2)));
        assert_eq!((held(1, 0.0).len(), held(1, 1.0).len()), (0, 10_000));
    }

    /// Tests that `data split` sends a game and its positions to the same side as the hold-out rule sends their rows.
    #[test]
    fn games_and_their_positions_are_held_out_alike() {
        for number in 0..200 {
            let game = GameRecord::from_moves("", None, [format!("move {number}")]);
            let id = fingerprint(&game);
            let sample = Sample { game: Some(id), ply: Some(3), ..Sample::default() };
            let held = is_held_out(id, HELD_OUT_SEED, 0.3);
            assert_eq!(split_of(Item::Game(&game), HELD_OUT_SEED, 0.3), Some(usize::from(held)));
            assert_eq!(split_of(Item::Sample(&sample), HELD_OUT_SEED, 0.3), Some(usize::from(held)));
            let key = GamesOfPositions::default().next(sample.game, sample.ply, String::new).1;
            assert_eq!(is_held_out(key, HELD_OUT_SEED, 0.3), held);
        }
    }
}
