//! From what the table remembers to a strategy that can be checked: what was forgotten is solved again.

use super::numbers::{NONE, Numbers};
use super::strategy::{Strategy, after, legal_moves};
use super::{Answer, MateSearch};
use tesuji_game::Mating;

/// The reason why no strategy can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoStrategy {
    /// The answer claims nothing.
    Unsolved,
    /// It was stopped, or the limit of nodes was reached, while something forgotten was solved again.
    Stopped,
    /// The table is too small to remember it; a larger one would help.
    Forgotten,
}

impl<P: Mating> MateSearch<P> {
    /// The strategy that proves an answer to the problem last solved. `stop` is asked as in [`MateSearch::solve`].
    ///
    /// # Errors
    /// If there is no mate.
    pub fn strategy(
        &mut self,
        pos: &P,
        answer: Answer,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Strategy<P>, NoStrategy> {
        match answer {
            Answer::Mate(plies) => {
                let mut strategy = Strategy::new(self.solver.attacker, true);
                self.explain_mate(pos, plies, &mut strategy, stop)?;
                Ok(strategy)
            }
            Answer::NoMate => self.explain_escape(pos, stop),
            _ => Err(NoStrategy::Unsolved),
        }
    }

    /// The proof table's numbers of a position, without an estimate.
    fn known(&self, pos: &P, plies: u16) -> Numbers<P::Hand> {
        let hand = pos.hand(self.solver.attacker);
        let unknown = Numbers::open(1, 1, hand);
        self.solver.table.look(pos.board_key(), hand, plies).map_or(unknown, |found| found.numbers)
    }

    /// Puts the moves of a mate within `plies` into the strategy. Positions wait in a list: a mate may be longer than a
    /// call stack is deep.
    fn explain_mate(
        &mut self,
        pos: &P,
        plies: u16,
        strategy: &mut Strategy<P>,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), NoStrategy> {
        let mut waiting = vec![(pos.clone(), plies)];
        while let Some((pos, plies)) = waiting.pop() {
            if pos.side_to_move() != self.solver.attacker {
                let answers = legal_moves(&pos);
                waiting.extend(answers.into_iter().rev().map(|mv| (after(&pos, mv), plies.saturating_sub(1))));
                continue;
            }
            if strategy.mv(&pos).is_some() {
                continue;
            }
            let (mv, next, below) = match self.mating_check(&pos, plies) {
                Some(found) => found,
                None => {
                    let again = self.solver.solve_again(&mut pos.clone(), plies, stop);
                    let (mv, plies) = again.ok_or(NoStrategy::Stopped)?;
                    (mv, after(&pos, mv), plies.saturating_sub(1))
                }
            };
            strategy.add(&pos, mv);
            waiting.push((next, below));
        }
        Ok(())
    }

    /// The check that mates soonest, as far as is known: the move, what follows, and in how many plies.
    fn mating_check(&self, pos: &P, plies: u16) -> Option<(P::Move, P, u16)> {
        let mut best: Option<(P::Move, P, u16)> = None;
        super::children::for_each_of(pos, true, |mv| {
            let next = after(pos, mv);
            let is_over = !next.has_moves();
            let known =
                if is_over { self.solver.no_legal_moves(&next) } else { self.known(&next, plies.saturating_sub(1)) };
            if known.is_proved() && best.as_ref().is_none_or(|(_, _, least)| known.plies < *least) {
                best = Some((mv, next, known.plies));
            }
        });
        best
    }

    /// For every position that the attacker can reach by checks against its own answers, the defender's answer.
    fn explain_escape(&mut self, pos: &P, stop: &mut dyn FnMut(u64) -> bool) -> Result<Strategy<P>, NoStrategy> {
        let attacker = self.solver.attacker;
        let mut strategy = Strategy::new(attacker, false);
        let mut seen = std::collections::HashSet::new();
        let mut waiting = vec![pos.clone()];
        while let Some(pos) = waiting.pop() {
            if !seen.insert(pos.key().0) {
                continue;
            }
            if pos.side_to_move() == attacker {
                super::children::for_each_of(&pos, true, |mv| waiting.push(after(&pos, mv)));
                continue;
            }
            let answers: Vec<(P::Move, P)> = legal_moves(&pos).into_iter().map(|mv| (mv, after(&pos, mv))).collect();
            if answers.is_empty() {
                // No legal move without being mated.
                continue;
            }
            let is_safe = |next: &P| seen.contains(&next.key().0) || self.is_disproved(next);
            let known = answers.iter().position(|(_, next)| is_safe(next));
            let place = match known {
                Some(place) => place,
                None => self.solve_answers(&answers, stop)?,
            };
            let (mv, next) = answers[place].clone();
            strategy.add(&pos, mv);
            waiting.push(next);
        }
        Ok(strategy)
    }

    /// Whether it is known that there is no mate of any length.
    fn is_disproved(&self, pos: &P) -> bool {
        let mut has_checks = false;
        super::children::for_each_of(pos, true, |_| has_checks = true);
        !has_checks || Some(self.known(pos, super::PLIES_MAX)).is_some_and(|n| n.is_disproved() && n.plies == NONE)
    }

    /// The first answer after which there is no mate, looked for again.
    fn solve_answers(
        &mut self,
        answers: &[(P::Move, P)],
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Result<usize, NoStrategy> {
        for (place, (_, next)) in answers.iter().enumerate() {
            let numbers = self.solver.solve(&mut next.clone(), super::PLIES_MAX, stop);
            if numbers.is_disproved() && numbers.plies == NONE {
                return Ok(place);
            }
            if !numbers.is_proved() {
                return Err(NoStrategy::Stopped);
            }
        }
        Err(NoStrategy::Forgotten)
    }
}
