//! A node's moves with what is known of each, and what follows from them for the node.

use super::PLIES_MAX;
use super::numbers::{NEVER, NONE, Numbers};
use super::parallel::virtual_number;
use super::solver::{Solver, followed};
use std::ops::ControlFlow::Continue;
use tesuji_game::{Hand, Key, Mating};

/// Checks in another order lead to the same positions, which the sum of their disproof numbers counts again for each order. So the
/// greatest number is added in full and the rest divided by this: something between the plain sum and weak proof numbers (Ueda,
/// Hashimoto, Hashimoto and Iida 2008), which add only how many moves there are.
const DAMPING: u32 = 3;

/// A move of a node on the path.
pub(crate) struct Child<P: Mating> {
    pub mv: P::Move,
    /// The board's key, the key and the attacker's hand after it.
    pub after: (Key, Key, P::Hand),
    pub numbers: Numbers<P::Hand>,
    /// The least depth at which it was reached before; `None`: nobody was there.
    pub seen_at: Option<u16>,
    /// The move of its siblings before it, relative to the node's first one; it is looked at when that one has failed.
    before: Option<u16>,
    /// It and all its siblings before it have failed.
    has_failed: bool,
    /// The number of times that other workers had left it when it was last read.
    pub left: u32,
}

impl<P: Mating> Child<P> {
    /// The number of which the parent takes the least, and the one that it sums.
    #[inline]
    pub fn parts(&self, is_or: bool) -> (u32, u32) {
        if is_or { (self.numbers.pn, self.numbers.dn) } else { (self.numbers.dn, self.numbers.pn) }
    }
}

/// Proof and disproof numbers of a node as computed from its children: minimum, sum, second best.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sums {
    /// The least of one number, as it looks where others are at work.
    pub least: u32,
    /// The least as it is.
    pub real: u32,
    /// The sum of the other, damped where the attacker moves.
    pub sum: u32,
    /// The part of the sum that stays whatever becomes of the best one.
    pub rest: u32,
    /// The next to the least.
    pub second: u32,
    /// The index of the child with the minimum.
    pub best: usize,
}

impl Sums {
    pub fn is_solved(&self) -> bool {
        self.least == 0 || self.sum == 0
    }

    /// As numbers of the node.
    pub fn open<H: tesuji_game::Hand>(&self, is_or: bool, hand: H) -> Numbers<H> {
        let (pn, dn) = if is_or { (self.real, self.sum) } else { (self.sum, self.real) };
        Numbers::open(pn.min(NEVER - 1), dn.min(NEVER - 1), hand)
    }
}

impl<P: Mating> Solver<P> {
    /// The minimum and the sum over the children from `first` on.
    pub fn sums(&mut self, first: usize, is_or: bool) -> Sums {
        let parallel = self.table.parallel();
        let children = &mut self.children[first..];
        let mut sums = Sums { least: NEVER, real: NEVER, sum: 0, rest: 0, second: NEVER, best: first };
        let (mut greatest, mut open) = (0, 0);
        for i in 0..children.len() {
            // Sibling moves that do the same are one thing to do: the first of them that has not failed.
            let is_seen = children[i].before.is_none_or(|before| children[usize::from(before)].has_failed);
            let child = &mut children[i];
            let (least, sum) = child.parts(is_or);
            // What decides the node counts even where it would not be looked at yet.
            if least == 0 {
                return Sums { least: 0, real: 0, sum: NEVER, rest: 0, second: NEVER, best: first + i };
            }
            child.has_failed = is_seen && sum == 0;
            if sum == 0 || !is_seen {
                continue;
            }
            // Moves that meet again are counted once for each way, so that a sum may outgrow all numbers: it says nothing then, but
            // must not pass for a limit of never, or the search would stand still.
            sums.sum = sums.sum.saturating_add(sum).min(NEVER - 1);
            (greatest, open) = (sum.max(greatest), open + 1);
            sums.real = sums.real.min(least);
            let least = parallel.map_or(least, |parallel| virtual_number(least, parallel.at(child.after.1).0));
            if least < sums.least {
                (sums.second, sums.least, sums.best) = (sums.least, least, first + i);
            } else if least < sums.second {
                sums.second = least;
            }
        }
        if open > 0 {
            let own = children[sums.best - first].parts(is_or).1;
            sums.rest = sums.sum.saturating_sub(own);
            if is_or && self.parameters.damp {
                // At least one for each: what is open must not look nearer to its end than it can be.
                sums.rest = ((sums.sum - greatest) / DAMPING).max(open - 1);
                sums.sum = greatest.saturating_add(sums.rest).min(NEVER - 1);
            }
        }
        sums
    }

    /// Puts the moves of a node on the stack with what is known of them. Whether one that is not solved was reached before
    /// at a lesser depth than the node itself, so that numbers may go round in a circle.
    pub fn expand(&mut self, pos: &mut P, plies: u16, is_or: bool, depth: u16) -> bool {
        let first = self.children.len();
        let hand = pos.hand(self.attacker);
        let path = self.path_here();
        let (children, attacker) = (&mut self.children, self.attacker);
        let (table, firsts, returns) = (&self.table, &self.firsts, &self.returns);
        for_each_of(pos, is_or, |mv| {
            let after = pos.after(mv, attacker);
            table.prefetch(after.0);
            firsts.prefetch(after.1, attacker);
            returns.prefetch(followed(path, after.1));
            let numbers = Numbers::open(1, 1, hand);
            children.push(Child { mv, after, numbers, seen_at: None, before: None, has_failed: false, left: 0 });
        });
        if self.parameters.delay {
            self.find_siblings(pos, first);
        }
        let mut has_old = false;
        for index in first..self.children.len() {
            self.has_left(index);
            let (numbers, seen_at) = self.judge(pos, index, plies.saturating_sub(1), !is_or);
            let child = &mut self.children[index];
            (child.numbers, child.seen_at) = (numbers, seen_at);
            let is_open = !numbers.is_proved() && !numbers.is_disproved();
            has_old |= is_open && seen_at.is_some_and(|seen_at| seen_at < depth);
            let decides = if is_or { numbers.is_proved() } else { numbers.is_disproved() && numbers.rests_on == NONE };
            if decides {
                break;
            }
        }
        has_old && self.parameters.threshold_control
    }

    /// Notes that a child's numbers are as fresh as they can be.
    pub fn has_left(&mut self, index: usize) {
        if let Some(parallel) = self.table.parallel() {
            let child = &mut self.children[index];
            child.left = parallel.at(child.after.1).1;
        }
    }

    /// Looks again at the children that others have left since.
    pub fn refresh(&mut self, first: usize, plies: u16) {
        let Some(parallel) = self.table.parallel() else { return };
        for child in &mut self.children[first..] {
            let left = parallel.at(child.after.1).1;
            if left == child.left || child.numbers.is_proved() || child.numbers.is_disproved() {
                continue;
            }
            child.left = left;
            if let Ok(found) = self.table.look(child.after.0, child.after.2, plies) {
                child.numbers = found.numbers;
                child.seen_at = child.seen_at.min(found.depth).or(child.seen_at).or(found.depth);
            }
        }
    }

    /// The numbers of the position that a move leads to, and the depth at which it was reached before. The move is played only where
    /// the table has no entry.
    fn judge(&mut self, pos: &mut P, index: usize, plies: u16, is_or: bool) -> (Numbers<P::Hand>, Option<u16>) {
        let (mv, (key, full, hand)) = (self.children[index].mv, self.children[index].after);
        if self.parameters.loops {
            if let Some(depth) = self.returns_to(key, hand) {
                return (Numbers::disproved(hand, NONE, depth), None);
            }
            if let Some((reach, rests_on)) = self.returns.look(self.path_to(full))
                && reach >= plies
            {
                return (Numbers::disproved(hand, reach, rests_on), None);
            }
        }
        let found = match self.table.look(key, hand, plies) {
            // What was left open elsewhere is not searched beyond the longest mate: without `loops` a line that returns
            // again and again would never end.
            Ok(found) if self.depth() > PLIES_MAX && !found.numbers.is_solved() => return (self.beyond(hand), None),
            Ok(found) => return (found.numbers, found.depth),
            Err(bounds) => bounds,
        };
        // At the end of the plies numbers say another thing.
        let remembered = self.firsts.look(full, self.attacker).filter(|_| plies > 0);
        if let Some((pn, dn)) = remembered {
            return (found.raise(Numbers::open(pn, dn, hand)), None);
        }
        let undo = pos.play_seen(mv, |_| ());
        debug_assert!((pos.board_key(), pos.key()) == (key, full) && pos.hand(self.attacker) == hand);
        let numbers = self.first_look(pos, plies, is_or);
        pos.undo(mv, undo);
        if plies > 0 && !numbers.is_proved() && !numbers.is_disproved() {
            self.firsts.store(full, self.attacker, (numbers.pn, numbers.dn));
        } else if numbers.is_proved() {
            let depth = self.depth() + 1;
            self.table.store(key, &numbers, depth, 1);
        }
        (found.raise(numbers), None)
    }

    /// The numbers of a position that is seen for the first time, with a look ahead where the attacker moves.
    fn first_look(&mut self, pos: &mut P, plies: u16, is_or: bool) -> Numbers<P::Hand> {
        if !is_or || plies == 0 {
            return self.first_numbers(pos, plies, is_or);
        }
        let mut checks = std::mem::take(&mut self.checks);
        checks.clear();
        for_each_of(pos, true, |mv| checks.push(mv));
        let count = checks.len() as u32;
        let mate = if self.parameters.look_ahead {
            pos.keep_close(&mut checks);
            self.mate_at_once(pos, &checks)
        } else {
            None
        };
        self.checks = checks;
        mate.unwrap_or_else(|| self.numbers_of_moves(pos, plies, true, count))
    }

    /// The numbers of a position of which nothing is known: how many moves there are.
    pub fn first_numbers(&self, pos: &P, plies: u16, is_or: bool) -> Numbers<P::Hand> {
        let mut moves = 0;
        if is_or {
            for_each_of(pos, true, |_| moves += 1);
        } else {
            moves = pos.count_moves() as u32;
        }
        self.numbers_of_moves(pos, plies, is_or, moves)
    }

    fn numbers_of_moves(&self, pos: &P, plies: u16, is_or: bool, moves: u32) -> Numbers<P::Hand> {
        let hand = pos.hand(self.attacker);
        match (is_or, moves) {
            (true, 0) => Numbers::disproved(self.greatest_without_moves(pos), NONE, NONE),
            (false, 0) => self.no_legal_moves(pos),
            _ if plies == 0 => self.beyond(hand),
            (true, n) => Numbers::open(1, n, hand),
            // One more than answers: with twice as many long problems took longer, with as many those of self-play.
            (false, n) => Numbers::open(n + 1, 1, hand),
        }
    }

    /// The numbers of a position at the end of the plies. Anyone who knows no limits takes the end of the search for the end of
    /// all mates.
    fn beyond(&self, hand: P::Hand) -> Numbers<P::Hand> {
        Numbers::disproved(hand, if self.parameters.loops { 0 } else { NONE }, NONE)
    }

    fn greatest_without_moves(&self, pos: &P) -> P::Hand {
        if self.parameters.disproof_hands { pos.hand_uncheckable(P::Hand::full()) } else { pos.hand(self.attacker) }
    }

    /// One of the checks to which there is no answer.
    fn mate_at_once(&self, pos: &mut P, checks: &[P::Move]) -> Option<Numbers<P::Hand>> {
        checks.iter().find_map(|&mv| {
            let undo = pos.play_seen(mv, |_| ());
            let mated = if pos.has_moves() { None } else { Some(self.no_legal_moves(pos)).filter(Numbers::is_proved) };
            pos.undo(mv, undo);
            let hand = |below: P::Hand| {
                if self.parameters.proof_hands { pos.hand_before(mv, below) } else { pos.hand(self.attacker) }
            };
            mated.map(|below| Numbers::proved(hand(below.hand), 1))
        })
    }

    /// Links moves that are siblings: each is looked at when the one before has failed.
    fn find_siblings(&mut self, pos: &P, first: usize) {
        let children = &mut self.children[first..];
        self.siblings.clear();
        let siblings = children.iter().enumerate().filter_map(|(i, child)| Some((pos.siblings(child.mv)?, i as u16)));
        self.siblings.extend(siblings);
        self.siblings.sort_unstable();
        for pair in self.siblings.windows(2) {
            if pair[0].0 == pair[1].0 {
                children[usize::from(pair[1].1)].before = Some(pair[0].1);
            }
        }
    }
}

/// Calls `f` with the moves of a node: checks for the attacker, all for the defender.
pub(crate) fn for_each_of<P: Mating>(pos: &P, is_or: bool, mut f: impl FnMut(P::Move)) {
    let each = |mv| {
        f(mv);
        Continue::<(), ()>(())
    };
    // It never breaks off.
    let _ = if is_or { pos.for_each_check(each) } else { pos.for_each_move(each) };
}
