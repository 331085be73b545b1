//! What proves an answer: for a mate the attacker's move in every position that it needs, for no mate the defender's
//! answer in each; and a checker that knows the rules and nothing of the search.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::ControlFlow::{self, Continue};
use tesuji_game::{Position, Side, Tactical};

/// The winning moves of one side, by position.
pub struct Strategy<P: Position> {
    attacker: Side,
    is_mate: bool,
    moves: HashMap<u64, P::Move>,
}

/// Why a strategy proves nothing.
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

    /// Who attacks.
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
        if let Some(&length) = lengths.get(&pos.key().0) {
            return length;
        }
        // A circle ends here rather than never.
        lengths.insert(pos.key().0, 0);
        let length = if pos.side_to_move() == self.attacker {
            self.mv(pos).map_or(0, |mv| 1 + self.length(&after(pos, mv), lengths))
        } else {
            let answers = legal_moves(pos).into_iter().map(|mv| 1 + self.length(&after(pos, mv), lengths));
            answers.max().unwrap_or(0)
        };
        lengths.insert(pos.key().0, length);
        length
    }
}

impl<P: Tactical> Strategy<P> {
    /// Replays all that it must answer, by the rules alone; returns the number of positions that were looked at.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn check(&self, pos: &P) -> Result<usize, Flaw<P::Move>> {
        if self.is_mate {
            let mut walk = Walk { strategy: self, done: HashSet::new(), open: HashSet::new(), line: Vec::new() };
            walk.mate(pos)?;
            Ok(walk.done.len())
        } else {
            self.check_escape(pos)
        }
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
                if pos.stuck().winner == Some(self.attacker) {
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

/// A walk through a mate.
struct Walk<'a, P: Position> {
    strategy: &'a Strategy<P>,
    done: HashSet<u64>,
    open: HashSet<u64>,
    line: Vec<P::Move>,
}

impl<P: Tactical> Walk<'_, P> {
    /// Every answer leads to a mate, and no line goes round.
    fn mate(&mut self, pos: &P) -> Result<(), Flaw<P::Move>> {
        let key = pos.key().0;
        if self.done.contains(&key) {
            return Ok(());
        }
        if !self.open.insert(key) {
            return Err(Flaw::Circle(self.line.clone()));
        }
        let is_attackers = pos.side_to_move() == self.strategy.attacker;
        let moves = legal_moves(pos);
        if is_attackers {
            let Some(mv) = self.strategy.mv(pos) else { return Err(Flaw::Silent(self.line.clone())) };
            let next = Some(mv).filter(|mv| moves.contains(mv)).map(|mv| after(pos, mv)).filter(P::in_check);
            let Some(next) = next else { return Err(Flaw::Wrong(self.line.clone(), mv)) };
            self.step(mv, &next)?;
        } else if moves.is_empty() && pos.stuck().winner != Some(self.strategy.attacker) {
            return Err(Flaw::Ended(self.line.clone()));
        } else {
            moves.into_iter().try_for_each(|mv| self.step(mv, &after(pos, mv)))?;
        }
        self.open.remove(&key);
        self.done.insert(key);
        Ok(())
    }

    fn step(&mut self, mv: P::Move, next: &P) -> Result<(), Flaw<P::Move>> {
        self.line.push(mv);
        let result = self.mate(next);
        self.line.pop();
        result
    }
}
