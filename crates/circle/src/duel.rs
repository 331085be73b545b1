//! A match of two duelists: paired random openings, both colours, the same for any number of threads.

use crate::{
    CircleError, Duelist, Openings,
    duelist::{Contender, Sides},
    pool::in_order,
};
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::Instant,
};
use tesuji_arena::{Conditions, Fault, NoGame, Opening, play_game};
use tesuji_game::Side;
use tesuji_jobs::Interrupt;
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
    let faults = AtomicU64::new(0);
    let worker = || Board::new(kit, duel, &faults, stop);
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

/// The challenger's half points in each game.
fn half_points(pair: &Pair) -> [u64; 2] {
    let points = |game: &GameRecord<String>, side| game.outcome.map_or(1, |o| (2.0 * o.score(side)) as u64);
    [points(&pair[0], Side::First), points(&pair[1], Side::Second)]
}

/// Both sides of a duel, on one thread.
struct Board<'a> {
    kit: &'a dyn Kit,
    duel: &'a Duel,
    sides: Sides,
    /// Games of the duel that ended by a fault of an engine, on all threads.
    faults: &'a AtomicU64,
    stop: &'a Interrupt,
}

impl<'a> Board<'a> {
    fn new(
        kit: &'a dyn Kit,
        duel: &'a Duel,
        faults: &'a AtomicU64,
        stop: &'a Interrupt,
    ) -> Result<Board<'a>, CircleError> {
        let [challenger, defender] = &duel.duelists;
        let sides = Sides::new(kit, [(challenger, "challenger"), (defender, "defender")], 1, stop)?;
        Ok(Board { kit, duel, sides, faults, stop })
    }

    /// Both games of pair `number`; `None` when they were stopped.
    fn play_both(&mut self, number: u64) -> Result<Option<Pair>, CircleError> {
        let Some(opening) = self.draw(number)? else { return Ok(None) };
        let Some(first) = self.play(&opening, 0, 2 * number + 1)? else { return Ok(None) };
        let Some(second) = self.play(&opening, 1, 2 * number + 2)? else { return Ok(None) };
        Ok(Some([first, second]))
    }

    /// The opening of pair `number`; `None` when it was stopped.
    fn draw(&mut self, number: u64) -> Result<Option<Opening>, CircleError> {
        let rules = &self.duel.conditions.rules;
        let Some(judge) = self.sides.judge() else { return Ok(None) };
        self.duel.openings.draw(self.kit, rules, number, judge, self.stop.flag())
    }

    /// A game, number `number`, in which contender `first` has the first side; `None` when it was stopped.
    fn play(
        &mut self,
        opening: &Opening,
        first: usize,
        number: u64,
    ) -> Result<Option<GameRecord<String>>, CircleError> {
        let [challenger, defender] = &mut self.sides.contenders;
        let sides = match first {
            0 => [challenger, defender],
            _ => [defender, challenger],
        };
        let is_foreign = sides.each_ref().map(|side| side.is_foreign());
        let seated = sides.map(Contender::contestant);
        let played = match play_game(self.kit, opening, seated, &self.duel.conditions, self.stop.flag()) {
            Ok(played) => played,
            Err(NoGame::Stopped) => return Ok(None),
            Err(no_game) => return Err(CircleError::Play { number, what: format!("{no_game:?}") }),
        };
        let fault = played.fault.as_ref();
        if let Some((side, fault)) = fault {
            if !is_foreign[side.index()] {
                return Err(CircleError::Play { number, what: fault.to_string() });
            }
            self.note(number, fault)?;
        }
        for (index, contender) in self.sides.contenders.iter_mut().enumerate() {
            let own = fault.filter(|(side, _)| side.index() == (index + first) % 2);
            contender.renew(own.map(|(_, fault)| fault), self.stop)?;
        }
        Ok(Some(played.record))
    }

    /// Tells of a game that an engine lost by a fault.
    ///
    /// # Errors
    /// When half of all games end so: such a match measures no strength.
    fn note(&self, number: u64, fault: &Fault) -> Result<(), CircleError> {
        tracing::warn!("game {number} of the match is lost by a fault: {fault}");
        let (faults, games) = (self.faults.fetch_add(1, Relaxed) + 1, 2 * self.duel.pairs);
        if faults.saturating_mul(2) < games {
            return Ok(());
        }
        let lines: String = fault.last_lines.iter().map(|line| format!("\n  {line}")).collect();
        let what = format!("{faults} of {games} games ended by faults of an engine; the last one: {fault}{lines}");
        Err(CircleError::Play { number, what })
    }
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
