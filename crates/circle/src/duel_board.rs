//! Both sides of a duel on one thread: the two games of a pair by its number.

use crate::{
    CircleError, Duelist, Openings,
    duelist::{Contender, Sides},
};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tesuji_arena::{Conditions, Fault, NoGame, Opening, play_game};
use tesuji_jobs::Interrupt;
use tesuji_kit::Kit;
use tesuji_record::GameRecord;

/// Two games from one opening; the challenger has the first side in the first.
pub type Pair = [GameRecord<String>; 2];

/// Who plays pairs of games, from which openings, under which conditions: with the number of a pair it decides both games.
#[derive(Clone, Copy)]
pub(crate) struct PairsOf<'a> {
    pub(crate) duelists: &'a [Duelist; 2],
    pub(crate) openings: &'a Openings,
    pub(crate) conditions: &'a Conditions,
}

/// Both sides of a duel, on one thread.
pub(crate) struct Board<'a> {
    pub(crate) kit: &'a dyn Kit,
    pub(crate) pairs: PairsOf<'a>,
    pub(crate) sides: Sides,
    /// Games of the duel that ended by a fault of an engine, on all threads.
    pub(crate) faults: &'a AtomicU64,
    /// Games of the duel.
    pub(crate) games: u64,
    /// The faults of engines on this board.
    pub(crate) found: Vec<Fault>,
    pub(crate) stop: &'a Interrupt,
}

impl Board<'_> {
    /// Makes both sides ready.
    pub(crate) fn sides(kit: &dyn Kit, pairs: PairsOf<'_>, stop: &Interrupt) -> Result<Sides, CircleError> {
        let [challenger, defender] = pairs.duelists;
        Sides::new(kit, [(challenger, "challenger"), (defender, "defender")], 1, stop)
    }

    /// Both games of pair `number`; `None` when they were stopped.
    pub(crate) fn play_both(&mut self, number: u64) -> Result<Option<Pair>, CircleError> {
        let Some(opening) = self.draw(number)? else { return Ok(None) };
        let Some(first) = self.play(&opening, 0, 2 * number + 1)? else { return Ok(None) };
        let Some(second) = self.play(&opening, 1, 2 * number + 2)? else { return Ok(None) };
        Ok(Some([first, second]))
    }

    /// The opening of pair `number`; `None` when it was stopped.
    fn draw(&mut self, number: u64) -> Result<Option<Opening>, CircleError> {
        let rules = &self.pairs.conditions.rules;
        let Some(judge) = self.sides.judge() else { return Ok(None) };
        self.pairs.openings.draw(self.kit, rules, number, judge, self.stop.flag())
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
        let played = match play_game(self.kit, opening, seated, self.pairs.conditions, self.stop.flag()) {
            Ok(played) => played,
            Err(NoGame::Stopped) => return Ok(None),
            Err(no_game) => return Err(CircleError::Play { number, what: format!("{no_game:?}") }),
        };
        let fault = played.fault.as_ref();
        if let Some((side, fault)) = fault {
            if !is_foreign[side.index()] {
                return Err(CircleError::Play { number, what: fault.to_string() });
            }
            self.found.push(fault.clone());
            note((number, self.games), self.faults, fault)?;
        }
        for (index, contender) in self.sides.contenders.iter_mut().enumerate() {
            let own = fault.filter(|(side, _)| side.index() == (index + first) % 2);
            contender.renew(own.map(|(_, fault)| fault), self.stop)?;
        }
        Ok(Some(played.record))
    }
}

/// Tells of a game that an engine lost by a fault.
///
/// # Errors
/// When half of all games end so: such a match measures no strength.
fn note((number, games): (u64, u64), faults: &AtomicU64, fault: &Fault) -> Result<(), CircleError> {
    tracing::warn!("game {number} of the match is lost by a fault: {fault}");
    check_faults(number, (faults.fetch_add(1, Relaxed) + 1, games), fault)
}

/// Refuses a match of `games` games of which this many ended by faults of engines, game `number` last, by `fault`.
///
/// # Errors
/// When they are half of all games or more.
pub(crate) fn check_faults(number: u64, (faults, games): (u64, u64), fault: &Fault) -> Result<(), CircleError> {
    if faults.saturating_mul(2) < games {
        return Ok(());
    }
    let lines: String = fault.last_lines.iter().map(|line| format!("\n  {line}")).collect();
    let what = format!("{faults} of {games} games ended by faults of an engine; the last one: {fault}{lines}");
    Err(CircleError::Play { number, what })
}
