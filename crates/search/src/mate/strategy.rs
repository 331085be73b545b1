//! Certificates of a mate search: for a mate the attacker's move in every position that may arise, for a disproof the defender's
//! answer in each; and a checker that uses the rules and nothing of the search.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::ControlFlow::{self, Continue};
use std::vec::IntoIter;
use tesuji_game::{Position, Side, Tactical};

/// The winning moves of one side, by position.
pub struct Strategy<P: Position> {
    attacker: Side,
    is_mate: bool,
    moves: HashMap<u64, P::Move>,
}

/// The flaw of a strategy that proves nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw<M> {
    /// After these moves it has no move where it needs one.
    Silent(Vec<M>),
    /// After these moves its move is not legal, or no check.
    Wrong(Vec<M>, M),
    /// After these moves a position comes back: the attacker wins nothing by going round.
    Circle(Vec<M>),
    /// After these moves the game is over, and not as it claims.
    Ended(Vec<M>),
}

impl<M: fmt::Debug> fmt::Display for Flaw<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Silent(line) => write!(f, "no move is given after {line:?}"),
            Flaw::Wrong(line, mv) => write!(f, "{mv:?} after {line:?} is no legal check"),
            Flaw::Circle(line) => write!(f, "a position comes back after {line:?}"),
            Flaw::Ended(line) => write!(f, "the game is over after {line:?}, but not as claimed"),
        }
    }
}

impl<M: fmt::Debug> std::error::Error for Flaw<M> {}

/// The legal moves of a position.
pub(crate) fn legal_moves<P: Position>(pos: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    let _: ControlFlow<()> = pos.for_each_move(|mv| {
        moves.push(mv);
        Continue(())
    });
    moves
}

/// The position after a move.
pub(crate) fn after<P: Position>(pos: &P, mv: P::Move) -> P {
    let mut next = pos.clone();
    next.play(mv);
    next
}

impl<P: Position> Strategy<P> {
    pub(crate) fn new(attacker: Side, is_mate: bool) -> Strategy<P> {
        Strategy { attacker, is_mate, moves: HashMap::new() }
    }

    pub(crate) fn add(&mut self, pos: &P, mv: P::Move) {
        self.moves.insert(pos.key().0, mv);
    }

    /// Whether it claims a mate; otherwise that there is none.
    pub fn is_mate(&self) -> bool {
        self.is_mate
    }

    /// The attacking side.
    pub fn attacker(&self) -> Side {
        self.attacker
    }

    /// Positions in which it has a move.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether it has no move at all.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Its move in a position.
    pub fn mv(&self, pos: &P) -> Option<P::Move> {
        self.moves.get(&pos.key().0).copied()
    }

    /// The longest line of a mate that has been checked, if both follow it: the attacker's moves and the answers that
    /// hold out longest.
    pub fn line(&self, pos: &P) -> Vec<P::Move> {
        let mut lengths = HashMap::new();
        let mut line = Vec::new();
        let mut here = pos.clone();
        while let Some(mv) = self.next_of_line(&here, &mut lengths) {
            line.push(mv);
            here.play(mv);
        }
        line
    }

    fn next_of_line(&self, pos: &P, lengths: &mut HashMap<u64, usize>) -> Option<P::Move> {
        if pos.side_to_move() == self.attacker {
            return self.mv(pos);
        }
        legal_moves(pos).into_iter().max_by_key(|&mv| self.length(&after(pos, mv), lengths))
    }

    /// Plies of the longest line from a position on; 0 beyond what it knows.
    fn length(&self, pos: &P, lengths: &mut HashMap<u64, usize>) -> usize {
        let mut open = Vec::new();
        self.open_length(pos.clone(), lengths, &mut open);
        while let Some((here, moves, longest)) = open.last_mut() {
            let Some(mv) = moves.next() else {
                let (key, longest) = (here.key().0, *longest);
                lengths.insert(key, longest);
                open.pop();
                if let Some((.., above)) = open.last_mut() {
                    *above = (*above).max(1 + longest);
                }
                continue;
            };
            let next = after(here, mv);
            match lengths.get(&next.key().0) {
                Some(known) => *longest = (*longest).max(1 + known),
                None => self.open_length(next, lengths, &mut open),
            }
        }
        lengths.get(&pos.key().0).copied().unwrap_or(0)
    }

    /// Begins to measure a position whose length is not known.
    fn open_length(&self, pos: P, lengths: &mut HashMap<u64, usize>, open: &mut Vec<(P, IntoIter<P::Move>, usize)>) {
        let std::collections::hash_map::Entry::Vacant(length) = lengths.entry(pos.key().0) else { return };
        // A circle ends here rather than never.
        length.insert(0);
        let is_attackers = pos.side_to_move() == self.attacker;
        let moves = if is_attackers { self.mv(&pos).into_iter().collect() } else { legal_moves(&pos) };
        open.push((pos, moves.into_iter(), 0));
    }
}

impl<P: Tactical> Strategy<P> {
    /// Replays all that it must answer, by the rules alone; returns the number of positions that were looked at.
    ///
    /// # Errors
    /// The first flaw: a move that is missing or wrong.
    pub fn check(&self, pos: &P) -> Result<usize, Flaw<P::Move>> {
        if self.is_mate { self.check_mate(pos) } else { self.check_escape(pos) }
    }

    /// A mate: every answer leads to one, and no line goes round. The line at hand lies in a list, for it may be longer than
    /// a call stack is deep.
    fn check_mate(&self, pos: &P) -> Result<usize, Flaw<P::Move>> {
        let (mut done, mut open) = (HashSet::new(), HashSet::from([pos.key().0]));
        let mut line = Vec::new();
        let mut path = vec![(pos.clone(), self.moves_to_follow(pos, &line)?.into_iter())];
        while let Some((here, moves)) = path.last_mut() {
            let Some(mv) = moves.next() else {
                open.remove(&here.key().0);
                done.insert(here.key().0);
                path.pop();
                line.pop();
                continue;
            };
            let next = after(here, mv);
            let key = next.key().0;
            if done.contains(&key) {
                continue;
            }
            line.push(mv);
            if !open.insert(key) {
                return Err(Flaw::Circle(line));
            }
            let moves = self.moves_to_follow(&next, &line)?;
            path.push((next, moves.into_iter()));
        }
        Ok(done.len())
    }

    /// The moves of a position that a mate must go through, at the end of `line`: the attacker's check, or all answers.
    fn moves_to_follow(&self, pos: &P, line: &[P::Move]) -> Result<Vec<P::Move>, Flaw<P::Move>> {
        let moves = legal_moves(pos);
        if pos.side_to_move() != self.attacker {
            let is_no_mate = moves.is_empty() && pos.no_legal_moves().winner != Some(self.attacker);
            return if is_no_mate { Err(Flaw::Ended(line.to_vec())) } else { Ok(moves) };
        }
        let Some(mv) = self.mv(pos) else { return Err(Flaw::Silent(line.to_vec())) };
        let is_check = moves.contains(&mv) && after(pos, mv).in_check();
        if is_check { Ok(vec![mv]) } else { Err(Flaw::Wrong(line.to_vec(), mv)) }
    }

    /// No mate: whatever check is given, there is an answer, and the positions that follow are among those looked at.
    fn check_escape(&self, pos: &P) -> Result<usize, Flaw<P::Move>> {
        let mut seen: HashSet<u64> = HashSet::new();
        let mut waiting: Vec<(P, Vec<P::Move>)> = vec![(pos.clone(), Vec::new())];
        while let Some((pos, line)) = waiting.pop() {
            if !seen.insert(pos.key().0) {
                continue;
            }
            let is_attackers = pos.side_to_move() == self.attacker;
            let moves = legal_moves(&pos);
            if moves.is_empty() {
                if pos.no_legal_moves().winner == Some(self.attacker) {
                    return Err(Flaw::Ended(line));
                }
                continue;
            }
            let followed = |mv: P::Move| [line.as_slice(), &[mv]].concat();
            if is_attackers {
                let checks = moves.into_iter().map(|mv| (after(&pos, mv), followed(mv)));
                waiting.extend(checks.filter(|(next, _)| next.in_check()));
            } else {
                let Some(mv) = self.mv(&pos) else { return Err(Flaw::Silent(line)) };
                if !moves.contains(&mv) {
                    return Err(Flaw::Wrong(line, mv));
                }
                waiting.push((after(&pos, mv), followed(mv)));
            }
        }
        Ok(seen.len())
    }
}
