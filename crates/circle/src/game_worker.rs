//! Both sides of self-play on one thread: a game by its number, played again where an engine is at fault.

use crate::{CircleError, Duelist, Openings, duelist::Sides};
use std::borrow::Cow;
use tesuji_arena::{Conditions, Fault, NoGame, Played as PlayedGame, play_game};
use tesuji_game::Side;
use tesuji_jobs::Interrupt;
use tesuji_kit::Kit;

/// Attempts at a game that an engine ends by a fault: the first, and those again from the same opening.
pub(crate) const ATTEMPTS: usize = 3;

/// What came of a game.
pub(crate) struct Attempts {
    /// The faults that made it void, attempt by attempt.
    pub(crate) faults: Vec<(Side, Fault)>,
    /// The game; `None` after too many of them.
    pub(crate) played: Option<PlayedGame>,
}

/// Both sides on one thread. Engines are started when a game begins.
pub(crate) struct GameWorker<'a> {
    pub(crate) kit: &'a dyn Kit,
    pub(crate) plan: GamesOf<'a>,
    pub(crate) stop: &'a Interrupt,
    pub(crate) sides: Option<Sides>,
}

/// Who plays games, from which openings, under which conditions: with the number of a game it decides that game.
#[derive(Clone, Copy)]
pub(crate) struct GamesOf<'a> {
    pub(crate) player: &'a Duelist,
    pub(crate) openings: &'a Openings,
    pub(crate) conditions: &'a Conditions,
}

impl GameWorker<'_> {
    /// Game `number`; `None` when it was stopped.
    pub(crate) fn play_one(&mut self, number: u64) -> Result<Option<Attempts>, CircleError> {
        match self.attempt(number) {
            // An engine that was about to start breaks off, too.
            Err(CircleError::Engine(_)) if self.stop.is_raised() => Ok(None),
            played => played,
        }
    }

    fn attempt(&mut self, number: u64) -> Result<Option<Attempts>, CircleError> {
        let (kit, plan, stop) = (self.kit, self.plan, self.stop);
        let sides = match &mut self.sides {
            Some(sides) => sides,
            none => {
                let both = [(plan.player, "first"), (plan.player, "second")];
                none.insert(Sides::new(kit, both, 0, stop)?)
            }
        };
        let mut conditions = Cow::Borrowed(plan.conditions);
        if let Some(rules) = plan.openings.shuffled_rules(number) {
            conditions.to_mut().rules = rules.to_string();
        }
        let Some(judge) = sides.judge() else { return Ok(None) };
        let drawn = plan.openings.draw(kit, &conditions.rules, number, judge, stop.flag())?;
        let Some(opening) = drawn else { return Ok(None) };
        let mut faults = Vec::new();
        loop {
            let [first, second] = &mut sides.contenders;
            let seated = [first.contestant(), second.contestant()];
            let (played, found) = match play_game(kit, &opening, seated, &conditions, stop.flag()) {
                Ok(mut played) => {
                    let fault = played.fault.take();
                    (Some(played), fault)
                }
                Err(NoGame::Stopped) => return Ok(None),
                Err(NoGame::Void(side, fault)) if plan.player.is_foreign() => (None, Some((side, fault))),
                Err(no_game) => return Err(CircleError::Play { number: number + 1, what: format!("{no_game:?}") }),
            };
            for (side, contender) in Side::ALL.into_iter().zip(&mut sides.contenders) {
                let own = found.as_ref().filter(|(at_fault, _)| *at_fault == side);
                contender.renew(own.map(|(_, fault)| fault), stop)?;
            }
            match found {
                None => return Ok(Some(Attempts { faults, played })),
                Some((_, fault)) if !plan.player.is_foreign() => {
                    return Err(CircleError::Play { number: number + 1, what: fault.to_string() });
                }
                Some(found) => faults.push(found),
            }
            if faults.len() >= ATTEMPTS {
                return Ok(Some(Attempts { faults, played: None }));
            }
        }
    }
}
