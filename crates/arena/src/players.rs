//! The contestants of one thread, kept from game to game, with the referee.

use crate::play::NoGame;
use crate::{
    Conditions, Contestant, Dialogue, Fault, FaultKind, MatchPlan, Opening, Played, Referee, Seen, Used, play_seen_game,
};
use std::collections::HashMap;
use tesuji_game::{By, Outcome, Side};
use tesuji_jobs::Interrupt;
use tesuji_record::GameRecord;

/// Hears what an entrant, by its index, did wrong without consequence for a game; or the referee, which has no index.
pub(crate) type Warn<'a> = dyn FnMut(Option<usize>, Fault) + 'a;

/// Contestants by the index of their entrant.
#[derive(Default)]
pub(crate) struct Players {
    contestants: HashMap<usize, Box<dyn Contestant>>,
    referee: Option<Box<dyn Referee>>,
}

/// Ends a contestant, and tells if it does not want to.
fn quit(player: usize, contestant: &mut dyn Contestant, warn: &mut Warn<'_>) {
    if let Some(fault) = contestant.quit() {
        warn(Some(player), fault);
    }
}

impl Players {
    /// Takes a contestant that was made already.
    pub(crate) fn seat(&mut self, player: usize, contestant: Box<dyn Contestant>) {
        self.contestants.insert(player, contestant);
    }

    /// Ends all of them.
    pub(crate) fn dismiss(&mut self, warn: &mut Warn<'_>) {
        for (player, mut contestant) in self.contestants.drain() {
            quit(player, contestant.as_mut(), warn);
        }
        if let Some(mut referee) = self.referee.take() {
            referee.dismiss();
        }
    }

    /// The referee, if there is to be one; if it does not come the game goes on without.
    fn call_referee(
        &mut self,
        plan: &MatchPlan<'_>,
        halt: &Interrupt,
        warn: &mut Warn<'_>,
    ) -> Result<Option<Box<dyn Referee>>, NoGame> {
        let Some(make) = plan.referee.as_ref().filter(|_| self.referee.is_none()) else {
            return Ok(self.referee.take());
        };
        match make(halt) {
            Ok(referee) => Ok(Some(referee)),
            Err(fault) if fault.kind == FaultKind::Stopped => Err(NoGame::Stopped),
            Err(fault) => {
                warn(None, fault);
                Ok(None)
            }
        }
    }

    /// Keeps the referee for the next game, unless it did wrong in this one, which is told.
    fn keep_referee(
        &mut self,
        referee: Option<Box<dyn Referee>>,
        result: &Result<Played, NoGame>,
        warn: &mut Warn<'_>,
    ) {
        let fault = result.as_ref().ok().and_then(|played| played.count.as_ref()?.fault.clone());
        self.referee = referee;
        if let Some(fault) = fault {
            warn(None, fault);
            if let Some(mut referee) = self.referee.take() {
                referee.dismiss();
            }
        }
    }

    /// Plays one game of these entrants, the first side first; contestants that broke are made again at their next one.
    pub(crate) fn play(
        &mut self,
        (plan, halt): (&MatchPlan<'_>, &Interrupt),
        players: [usize; 2],
        opening: &Opening,
        dialogue: Option<Dialogue>,
        (see, warn): (&mut dyn FnMut(&Seen<'_>), &mut Warn<'_>),
    ) -> Result<Played, NoGame> {
        let mut contestants = Vec::with_capacity(2);
        for side in Side::ALL {
            let player = players[side.index()];
            let contestant = match self.contestants.remove(&player) {
                Some(contestant) => Ok(contestant),
                None => (plan.entrants[player].make)(halt),
            };
            match contestant {
                Ok(contestant) => contestants.push(contestant),
                Err(fault) if fault.kind == FaultKind::Stopped => return Err(NoGame::Stopped),
                Err(fault) => {
                    // The other one stays seated for the next game.
                    if let Some(contestant) = contestants.pop() {
                        self.contestants.insert(players[0], contestant);
                    }
                    return Ok(absent(&plan.rules, opening, side, fault));
                }
            }
        }
        let conditions = Conditions {
            rules: plan.rules.clone(),
            allowances: Side::ALL.map(|side| plan.entrants[players[side.index()]].allowance.of(side)),
            adjudication: plan.adjudication,
        };
        if let Some(dialogue) = dialogue {
            contestants.iter_mut().for_each(|contestant| contestant.log_to(Some(dialogue.clone())));
        }
        let mut referee = self.call_referee(plan, halt, warn)?;
        let result = match contestants.as_mut_slice() {
            [first, second] => {
                let both: [&mut dyn Contestant; 2] = [first.as_mut(), second.as_mut()];
                let referee = referee.as_deref_mut().map(|r| r as &mut dyn Referee);
                play_seen_game(plan.game, opening, both, &conditions, halt.flag(), see, referee)
            }
            _ => return Err(NoGame::Stopped),
        };
        self.keep_referee(referee, &result, warn);
        let broken = match &result {
            Ok(played) => played.fault.as_ref().filter(|(_, f)| f.kind.breaks()).map(|(side, _)| side.index()),
            Err(_) => None,
        };
        for (index, mut contestant) in contestants.into_iter().enumerate() {
            contestant.log_to(None);
            if broken == Some(index) {
                continue;
            }
            match contestant.is_spent() {
                true => quit(players[index], contestant.as_mut(), warn),
                false => drop(self.contestants.insert(players[index], contestant)),
            }
        }
        result
    }
}

/// A game whose `side` did not come.
fn absent(rules: &str, opening: &Opening, side: Side, fault: Fault) -> Played {
    let outcome = Outcome::win(!side, By::Disconnect);
    let mut record = GameRecord::from_moves(rules, opening.start.as_deref(), opening.moves.iter().cloned());
    record.outcome = Some(outcome);
    let plies = opening.moves.len() as u32;
    Played { record, outcome, fault: Some((side, fault)), count: None, plies, used: [Used::default(); 2] }
}
