//! The position on which a tree is walked: moves and set-up stones, each of which can be taken back.

use crate::{Area, GoPosition, GtpNotation, Move, Rules, Undo as MoveUndo, Vertex};
use tesuji_game::{Notation, NotationError, Position, Side};

/// A position and what a file may do to it.
#[derive(Clone)]
pub(super) struct Table<A: Area> {
    pos: GoPosition<A>,
}

/// The undo information of one step.
pub(super) enum Undo<A: Area> {
    /// A move.
    Move(Move, MoveUndo),
    /// The position before: moves before it are taken back on just that.
    Position(Box<GoPosition<A>>),
}

impl<A: Area> Table<A> {
    /// The start of a game: `start` in go's notation, or the usual one.
    pub(super) fn new(rules: &Rules, start: Option<&str>) -> Result<Table<A>, NotationError> {
        let Some(start) = start else {
            let no_room =
                |_| NotationError::IllegalPosition { at: 0, reason: "the board has no room for the handicap" };
            return GoPosition::start(rules).map(|pos| Table { pos }).map_err(no_room);
        };
        Ok(Table { pos: GtpNotation::parse_position(rules, start)? })
    }

    /// The number of bytes needed to step back over a position that was set up.
    pub(super) const STEP_BYTES: usize = size_of::<GoPosition<A>>();

    /// The position.
    pub(super) fn pos(&self) -> &GoPosition<A> {
        &self.pos
    }

    /// The side to move.
    pub(super) fn side(&self) -> Side {
        self.pos.side_to_move()
    }

    /// The stones on all points, row by row from `A1` upward.
    pub(super) fn stones(&self) -> Vec<Option<Side>> {
        Vertex::all(self.pos.size()).map(|v| self.pos.board().stone(v)).collect()
    }

    /// The position in go's notation.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let _ = GtpNotation::write_position(&self.pos, &mut text);
        text
    }

    /// Plays a move; `None` when it cannot be played: on a stone, into ko, as suicide where that is forbidden.
    pub(super) fn play(&mut self, mv: Move) -> Option<Undo<A>> {
        let mv = self.pos.unpack(mv.bits())?;
        Some(Undo::Move(mv, self.pos.play_seen(mv, |_| ())))
    }

    /// Puts exactly these stones on the board and gives the move to `side`; prisoners and handicap stay. `None`, and
    /// nothing done, when a chain would have no liberty.
    pub(super) fn set_up(&mut self, stones: &[Option<Side>], side: Side) -> Option<Undo<A>> {
        let placed = Vertex::all(self.pos.size()).zip(stones).filter_map(|(v, stone)| stone.map(|side| (v, side)));
        let mut pos = GoPosition::with_stones(self.pos.rules(), placed, side).ok()?;
        let board = self.pos.board();
        let captured = [board.captured(Side::First) as u16, board.captured(Side::Second) as u16];
        pos.set_state(None, 0, captured, self.pos.button());
        pos.set_handicap(self.pos.handicap());
        Some(self.replace(pos))
    }

    /// Gives the move to `side`. Nothing changes where it is that side's anyway.
    pub(super) fn turn(&mut self, side: Side) -> Option<Undo<A>> {
        if side == self.side() {
            return None;
        }
        let before = Box::new(self.pos.clone());
        self.pos.set_side_to_move(side);
        Some(Undo::Position(before))
    }

    /// Says how many black stones count as handicap.
    pub(super) fn set_handicap(&mut self, stones: u16) {
        self.pos.set_handicap(stones as usize);
    }

    /// Sets up the position that `text` says in go's notation; its board must have the same size.
    pub(super) fn set_text(&mut self, rules: &Rules, text: &str) -> Result<Undo<A>, NotationError> {
        let size = crate::notation::size_of(rules, text)?;
        if size != self.pos.size() {
            return Err(NotationError::IllegalPosition { at: 0, reason: "the board has another size than the game's" });
        }
        let pos = GtpNotation::parse_position(rules, text)?;
        Ok(self.replace(pos))
    }

    fn replace(&mut self, pos: GoPosition<A>) -> Undo<A> {
        Undo::Position(Box::new(std::mem::replace(&mut self.pos, pos)))
    }

    /// Takes back the last step not yet taken back.
    pub(super) fn undo(&mut self, undo: Undo<A>) {
        match undo {
            Undo::Move(mv, undo) => self.pos.undo(mv, undo),
            Undo::Position(pos) => self.pos = *pos,
        }
    }
}
