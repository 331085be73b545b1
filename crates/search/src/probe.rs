//! Probing of endgame tables: the result of positions with few pieces.

use tesuji_game::Position;

/// The result of perfect play for the side to move, with the rule of fifty moves in mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wdl5 {
    /// Lost.
    Loss,
    /// Lost, but saved by a rule that counts moves.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but spoilt by a rule that counts moves.
    CursedWin,
    /// Won.
    Win,
}

/// Endgame tables, asked by every thread of a search.
pub trait EndgameProbe<P: Position>: Send + Sync {
    /// The most pieces, kings included, of a position that is found.
    fn pieces_max(&self) -> u32;

    /// The result at `pos`, if it is in the tables. Cheap where it is not.
    fn wdl(&self, pos: &P) -> Option<Wdl5>;

    /// The moves at `pos` that keep the result and make progress, with that result; `None` if it is not in the tables.
    fn root_moves(&self, _pos: &P) -> Option<(Wdl5, Vec<P::Move>)> {
        None
    }
}
