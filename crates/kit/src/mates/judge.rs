//! Detection of mate positions: the side to move mates, or it is in check and mated. Each mate is checked by the rules alone.

use super::rules_of;
use std::sync::{Mutex, PoisonError};
use tesuji_dataset::tasks::{MateJudge, MateVerdict};
use tesuji_game::{Game, Mating, Notation, Position, Tactical};
use tesuji_record::{Fault, Sample};
use tesuji_search::mate::{Answer, MateLimits, MateSearch, Parameters, Settings};

/// The judge of a game, with as many searches as there are threads that ask at a time.
pub(super) struct Judge<G: Game>
where
    G::Position: Mating,
{
    settings: Settings,
    limits: MateLimits,
    idle: Mutex<Vec<MateSearch<G::Position>>>,
}

impl<G> Judge<G>
where
    G: Game,
    G::Position: Mating + Tactical,
{
    pub(super) fn new(hash_mib: usize, limits: MateLimits) -> Judge<G> {
        Judge { settings: Settings { hash_mib }, limits, idle: Mutex::default() }
    }

    /// Both questions: does the side to move mate; and, where it is in check, is it mated?
    fn ask(&self, search: &mut MateSearch<G::Position>, pos: &G::Position) -> MateVerdict {
        let me = pos.side_to_move();
        let mut is_limited = false;
        let questions = [(me, MateVerdict::Mates), (!me, MateVerdict::Mated)];
        for (attacker, verdict) in questions.into_iter().take(if pos.in_check() { 2 } else { 1 }) {
            let answer = search.solve(pos, attacker, self.limits, &mut |_| false);
            match answer {
                // A mate is told only when it is confirmed; what is too large to be replayed stays undecided.
                Answer::Mate(_) => match search.strategy(pos, answer, &mut |_| false) {
                    Ok(strategy) if strategy.check(pos).is_ok() => return verdict,
                    _ => is_limited = true,
                },
                Answer::NoMate => {}
                _ => is_limited = true,
            }
        }
        if is_limited { MateVerdict::Limit } else { MateVerdict::Neither }
    }
}

impl<G> MateJudge for Judge<G>
where
    G: Game<Rules: Sync>,
    G::Position: Mating + Tactical,
    MateSearch<G::Position>: Send,
{
    fn judge(&self, sample: &Sample) -> Result<MateVerdict, Fault> {
        let pos = rules_of::<G>(sample).and_then(|rules| G::Notation::parse_position(&rules, &sample.position));
        let pos = pos.map_err(Fault::Position)?;
        if pos.lacks_for_mate(pos.side_to_move()).is_some() {
            return Err(Fault::expected("a king of the side that is to be mated", &sample.position));
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut search = taken.unwrap_or_else(|| MateSearch::new(&self.settings, &Parameters::default()));
        let verdict = self.ask(&mut search, &pos);
        idle().push(search);
        Ok(verdict)
    }
}
