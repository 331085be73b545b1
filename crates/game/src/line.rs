//! A game so far: start, moves, and what the rules remember.

use crate::{Outcome, Position};
use std::ops::ControlFlow::Continue;

/// A game so far. Depth-first searches copy [`Line::here`] and [`Line::past`] and walk on their own.
///
/// # Examples
///
/// ```
/// use tesuji_game::{Line, Position, Side};
/// use tesuji_testkit::four::{Drop, FourPosition};
///
/// let mut line = Line::new(FourPosition::default());
/// for column in [3, 3, 2, 2, 1, 1, 0] {
///     line.push(Drop(column));
/// }
/// let outcome = line.ended(line.past().len()).expect("four in a row");
/// assert_eq!((line.len(), outcome.winner), (7, Some(Side::First)));
/// assert!(line.before(7).is_some_and(|start| start == *line.start()) && line.before(8).is_none());
/// assert_eq!(line.pop(), Some(Drop(0)));
/// assert_eq!(line.ended(line.past().len()), None);
/// ```
pub struct Line<P: Position> {
    start: P,
    here: P,
    steps: Vec<(P::Move, P::Undo)>,
    past: Vec<P::Mark>,
}

impl<P: Position> Clone for Line<P> {
    fn clone(&self) -> Self {
        Line { start: self.start.clone(), here: self.here.clone(), steps: self.steps.clone(), past: self.past.clone() }
    }

    /// Reuses the buffers of `self`: a batch of queries costs no allocation.
    fn clone_from(&mut self, other: &Self) {
        self.start.clone_from(&other.start);
        self.here.clone_from(&other.here);
        self.steps.clone_from(&other.steps);
        self.past.clone_from(&other.past);
    }
}

impl<P: Position> Line<P> {
    /// A line without moves.
    pub fn new(start: P) -> Self {
        Line { here: start.clone(), start, steps: Vec::new(), past: Vec::new() }
    }

    /// The first position of the line.
    pub fn start(&self) -> &P {
        &self.start
    }

    /// The position reached.
    pub fn here(&self) -> &P {
        &self.here
    }

    /// The marks of the positions left behind, oldest first.
    pub fn past(&self) -> &[P::Mark] {
        &self.past
    }

    /// The number of moves played.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no move was played.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The moves played, first to last.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = P::Move> + ExactSizeIterator {
        self.steps.iter().map(|s| s.0)
    }

    /// Plays a legal move and announces its changes.
    pub fn push_seen(&mut self, mv: P::Move, seen: impl FnMut(P::Change)) {
        self.past.push(self.here.mark(&self.past));
        let undo = self.here.play_seen(mv, seen);
        self.steps.push((mv, undo));
    }

    /// Plays a legal move.
    pub fn push(&mut self, mv: P::Move) {
        self.push_seen(mv, |_| ());
    }

    /// Takes the last move back and returns it.
    pub fn pop(&mut self) -> Option<P::Move> {
        let (mv, undo) = self.steps.pop()?;
        self.here.undo(mv, undo);
        self.past.pop();
        Some(mv)
    }

    /// The position `plies` moves before the end; `None` where there were fewer moves.
    pub fn before(&self, plies: usize) -> Option<P> {
        let first = self.steps.len().checked_sub(plies)?;
        let mut pos = self.here.clone();
        self.steps[first..].iter().rev().for_each(|(mv, undo)| pos.undo(*mv, undo.clone()));
        Some(pos)
    }

    /// Fills `out` with the legal moves, superko included.
    pub fn legal_moves(&self, out: &mut Vec<P::Move>) {
        out.clear();
        let _ = self.here.for_each_move(|mv| {
            if self.here.allows(mv, &self.past) {
                out.push(mv);
            }
            Continue::<(), ()>(())
        });
    }

    /// The outcome by history at the end of the line; see [`Position::ended`].
    pub fn ended(&self, root: usize) -> Option<Outcome> {
        self.here.ended(&self.past, root)
    }

    /// The result by the rule book, if the game is over here.
    pub fn outcome(&self) -> Option<Outcome> {
        if self.here.has_moves() { self.ended(self.past.len()) } else { Some(self.here.no_legal_moves()) }
    }
}
