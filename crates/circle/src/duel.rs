//! A match of two setups in this process: paired random openings, both colours, the same for any number of threads.

use crate::{CircleError, LocalContestant, Openings, Setup, pool::in_order};
use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Instant,
};
use tesuji_arena::{Conditions, NoGame, play_game};
use tesuji_game::Side;
use tesuji_jobs::Interrupt;
use tesuji_kit::Kit;
use tesuji_record::GameRecord;

/// The games to play.
#[derive(Debug, Clone)]
pub struct Duel {
    /// The challenger, whose score is counted, and the defender.
    pub setups: [Setup; 2],
    /// The openings of pairs of games; their balance is judged by the defender.
    pub openings: Openings,
    /// The conditions of the games.
    pub conditions: Conditions,
    /// Pairs of games, at most.
    pub pairs: u64,
    /// Threads.
    pub jobs: usize,
    /// Begin no pair after this.
    pub until: Option<Instant>,
}

/// The standing of the match, for the challenger.
///
/// # Examples
///
/// ```
/// use tesuji_circle::DuelStanding;
/// let mut standing = DuelStanding::default();
/// assert_eq!(standing.score(), 0.5);
/// // A win and a draw, in half points.
/// standing.add([2, 1]);
/// assert_eq!((standing.games(), standing.score(), standing.pairs), (2, 0.75, [0, 0, 0, 1, 0]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct DuelStanding {
    /// Games won, drawn, lost.
    pub wdl: [u64; 3],
    /// Pairs by half points made in them: 0, 1, 2, 3, 4.
    pub pairs: [u64; 5],
}

impl DuelStanding {
    /// Adds a pair of games by the half points of each.
    pub fn add(&mut self, half_points: [u64; 2]) {
        self.pairs[(half_points[0] + half_points[1]) as usize] += 1;
        half_points.iter().for_each(|&h| self.wdl[2 - h as usize] += 1);
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        // Numbers of a file that was changed may be any.
        self.wdl.iter().fold(0, |sum: u64, games| sum.saturating_add(*games))
    }

    /// Share of the points, one half without games.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wdl[0] as f64 + 0.5 * self.wdl[1] as f64) / games as f64,
        }
    }
}

/// Two games from one opening; the challenger has the first side in the first.
pub type Pair = [GameRecord<String>; 2];

/// Hears of each pair, in order: how it stands, the half points of its games, the games. `false` ends the match.
pub type Tell<'a> = dyn FnMut(&DuelStanding, [u64; 2], &Pair) -> Result<bool, CircleError> + 'a;

/// Plays the match from pair number `played` on: the half points of the pairs before it are given. `tell` hears of each
/// pair, in order, with the half points of its games, and may end the match by returning `false`.
///
/// # Errors
/// When a player fails, or `tell` does.
///
/// # Examples
///
/// ```
/// use tesuji_circle::{Duel, Openings, Setup, conditions, duel};
/// use tesuji_four::FOUR;
/// use tesuji_jobs::Interrupt;
/// let games = Duel {
///     setups: [Setup::default(), Setup::default()],
///     openings: Openings::random(4, 7),
///     conditions: conditions(50),
///     pairs: 2,
///     jobs: 1,
///     until: None,
/// };
/// let standing = duel(&FOUR, &games, &[], &Interrupt::new(), &mut |_, _, _| Ok(true))?;
/// // Equal players share the points of every pair.
/// assert_eq!(standing.pairs, [0, 0, 2, 0, 0]);
/// // A match goes on behind the pairs that were played: here none is left.
/// assert_eq!(duel(&FOUR, &games, &[[2, 0], [2, 2]], &Interrupt::new(), &mut |_, _, _| Ok(true))?.score(), 0.75);
/// # Ok::<(), tesuji_circle::CircleError>(())
/// ```
pub fn duel(
    kit: &dyn Kit,
    duel: &Duel,
    played: &[[u64; 2]],
    stop: &Interrupt,
    tell: &mut Tell<'_>,
) -> Result<DuelStanding, CircleError> {
    let mut standing = DuelStanding::default();
    for &half_points in played {
        standing.add(half_points);
    }
    let done = AtomicBool::new(false);
    let enough = || stop.is_raised() || done.load(Relaxed) || duel.until.is_some_and(|until| Instant::now() >= until);
    let worker = || Ok([duel.setups[0].contestant(kit, "challenger")?, duel.setups[1].contestant(kit, "defender")?]);
    let work = |contestants: &mut [LocalContestant; 2], number| play_both(kit, duel, contestants, number, stop);
    let first = played.len() as u64;
    in_order(duel.jobs, first..duel.pairs.max(first), &enough, &worker, &work, &mut |_, pair| {
        // Pairs that were under way at the end still come, and do not count.
        if !done.load(Relaxed) {
            let half_points = half_points(&pair);
            standing.add(half_points);
            done.store(!tell(&standing, half_points, &pair)?, Relaxed);
        }
        Ok(())
    })?;
    Ok(standing)
}

/// The challenger's half points in each game.
fn half_points(pair: &Pair) -> [u64; 2] {
    let points = |game: &GameRecord<String>, side| game.outcome.map_or(1, |o| (2.0 * o.score(side)) as u64);
    [points(&pair[0], Side::First), points(&pair[1], Side::Second)]
}

/// Both games of pair `number`; `None` when they were stopped.
fn play_both(
    kit: &dyn Kit,
    duel: &Duel,
    contestants: &mut [LocalContestant; 2],
    number: u64,
    stop: &Interrupt,
) -> Result<Option<Pair>, CircleError> {
    let [challenger, defender] = contestants;
    let rules = &duel.conditions.rules;
    let drawn = duel.openings.draw(kit, rules, number, defender.player.as_mut(), stop.flag())?;
    let Some(opening) = drawn else { return Ok(None) };
    let play = |contestants: [&mut LocalContestant; 2], number: u64| {
        let [first, second] = contestants;
        match play_game(kit, &opening, [first, second], &duel.conditions, stop.flag()) {
            Ok(played) => match played.fault {
                None => Ok(Some(played.record)),
                Some((_, fault)) => Err(CircleError::Play { number, what: fault.to_string() }),
            },
            Err(NoGame::Stopped) => Ok(None),
            Err(no_game) => Err(CircleError::Play { number, what: format!("{no_game:?}") }),
        }
    };
    let Some(first) = play([&mut *challenger, &mut *defender], 2 * number + 1)? else { return Ok(None) };
    let Some(second) = play([defender, challenger], 2 * number + 2)? else { return Ok(None) };
    Ok(Some([first, second]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_games_are_counted_together() {
        let mut standing = DuelStanding::default();
        assert_eq!(standing.score(), 0.5);
        standing.add([2, 1]);
        standing.add([0, 0]);
        assert_eq!((standing.wdl, standing.pairs), ([1, 1, 2], [1, 0, 0, 1, 0]));
        assert_eq!((standing.games(), standing.score()), (4, 0.375));
    }
}
