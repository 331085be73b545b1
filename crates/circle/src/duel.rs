//! A match of two duelists: paired random openings, both colours, the same for any number of threads.

use crate::{
    CircleError, Duelist, Openings,
    duel_board::{Board, Pair, PairsOf, check_faults},
    duel_unit::{DuelParts, DuelUnits},
    pool::in_order,
    unit_order::Halt,
};
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::Instant,
};
use tesuji_arena::Conditions;
use tesuji_game::Side;
use tesuji_jobs::{Interrupt, units::SharedCarrier};
use tesuji_kit::Kit;
use tesuji_record::GameRecord;

/// The games to play.
#[derive(Debug, Clone)]
pub struct Duel {
    /// The challenger, whose score is counted, and the defender.
    pub duelists: [Duelist; 2],
    /// The openings of pairs of games; their balance is judged by the defender, or by the game's usual player where that is an
    /// engine of its own.
    pub openings: Openings,
    /// The conditions of the games.
    pub conditions: Conditions,
    /// Pairs of games, at most.
    pub pairs: u64,
    /// Threads.
    pub jobs: usize,
    /// Begin no pair after this.
    pub until: Option<Instant>,
    /// Reaches workers that play in place of threads.
    pub fleet: Option<SharedCarrier>,
}

impl Duel {
    /// What decides its games.
    pub(crate) fn parts(&self) -> DuelParts<'_> {
        let Duel { duelists, openings, conditions, pairs, .. } = self;
        DuelParts { duelists, openings, conditions, pairs: *pairs }
    }
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

/// Hears of each pair, in order: how it stands, the half points of its games, the games. `false` ends the match.
pub type Tell<'a> = dyn FnMut(&DuelStanding, [u64; 2], &Pair) -> Result<bool, CircleError> + 'a;

/// Plays the match from pair number `played` on: the half points of the pairs before it are given. `tell` hears of each
/// pair, in order, with the half points of its games, and may end the match by returning `false`.
///
/// An engine, a process of its own, loses the game in which it is at fault, which the log tells, and is started again.
///
/// # Errors
/// When a player fails, when faults of engines end half of the games or more, or when `tell` fails.
///
/// # Examples
///
/// ```
/// use tesuji_circle::{Duel, Openings, Setup, conditions, duel};
/// use tesuji_four::FOUR;
/// use tesuji_jobs::Interrupt;
/// let games = Duel {
///     duelists: [Setup::default().into(), Setup::default().into()],
///     openings: Openings::random(4, 7),
///     conditions: conditions(50),
///     pairs: 2,
///     jobs: 1,
///     until: None,
///     fleet: None,
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
    if let Some(fleet) = &duel.fleet {
        let mut units = DuelUnits::begin(fleet, kit, &duel.parts())?;
        units.commit(0..played.len() as u64)?;
        let standing = duel_on(&mut units, duel, (0, played), true, stop, tell)?;
        units.finish();
        return Ok(standing);
    }
    let mut standing = standing_of(played);
    let done = AtomicBool::new(false);
    let enough = || stop.is_raised() || done.load(Relaxed) || duel.until.is_some_and(|until| Instant::now() >= until);
    let faults = AtomicU64::new(0);
    let pairs = PairsOf { duelists: &duel.duelists, openings: &duel.openings, conditions: &duel.conditions };
    let games = duel.pairs.saturating_mul(2);
    let worker = || {
        Ok(Board {
            kit,
            pairs,
            sides: Board::sides(kit, pairs, stop)?,
            faults: &faults,
            games,
            found: Vec::new(),
            stop,
        })
    };
    let work = |board: &mut Board<'_>, number| board.play_both(number);
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

/// The standing after these pairs.
fn standing_of(played: &[[u64; 2]]) -> DuelStanding {
    let mut standing = DuelStanding::default();
    played.iter().for_each(|&half_points| standing.add(half_points));
    standing
}

/// [`duel`] on workers elsewhere, in a run that was begun. `base` is added to the numbers of pairs, which other matches of the run have
/// not: the number of a unit stands for one pair alone. `commits`: what `tell` heard is in the journal.
///
/// # Errors
/// Those of [`duel`], and those of the fleet.
pub(crate) fn duel_on(
    units: &mut DuelUnits<'_>,
    duel: &Duel,
    (base, played): (u64, &[[u64; 2]]),
    commits: bool,
    stop: &Interrupt,
    tell: &mut Tell<'_>,
) -> Result<DuelStanding, CircleError> {
    let mut standing = standing_of(played);
    let mut faults = 0_u64;
    let enough = || duel.until.is_some_and(|until| Instant::now() >= until);
    let range = played.len() as u64..duel.pairs.max(played.len() as u64);
    units.play((base, range, commits), &duel.parts(), &Halt { stop, enough: &enough }, &mut |done| {
        if let Some(fault) = &done.fault {
            faults += done.faults;
            check_faults(2 * done.number + 2, (faults, duel.pairs.saturating_mul(2)), fault)?;
        }
        let half_points = half_points(&done.pair);
        standing.add(half_points);
        tell(&standing, half_points, &done.pair)
    })?;
    Ok(standing)
}

/// The challenger's half points in each game.
fn half_points(pair: &Pair) -> [u64; 2] {
    let points = |game: &GameRecord<String>, side| game.outcome.map_or(1, |o| (2.0 * o.score(side)) as u64);
    [points(&pair[0], Side::First), points(&pair[1], Side::Second)]
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
