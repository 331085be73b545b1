//! The count of a finished playout by the rules of the game, fast where playouts leave only single empty points.

use crate::Ended;
use tesuji_game::Side;
use tesuji_go::{Area, Board, CellMap, Colour, GoPosition, Rules, Scoring, score};

/// The terms of the count that are the same for all playouts from one position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// Added to twice the difference of areas, Black's less White's.
    halves: i32,
    /// Whether the first pass still earns half a point.
    button: bool,
}

impl Terms {
    /// The terms of playouts from `pos`.
    ///
    /// Under territory rules playouts are counted by area all the same, since they fill territory that players would leave
    /// alone. Area and territory differ by the stones that each side has played; so those played until now are taken off,
    /// and from now on both are taken to play as many.
    pub(crate) fn of<A: Area>(pos: &GoPosition<A>) -> Terms {
        let (rules, board) = (pos.rules(), pos.board());
        let mut halves = -rules.white_bonus_halves(pos.handicap());
        halves += match pos.button() {
            None => 0,
            Some(Side::First) => 1,
            Some(Side::Second) => -1,
        };
        if rules.scoring == Scoring::Territory {
            let mut played = [board.captured(Side::First) as i32, board.captured(Side::Second) as i32];
            for (_, side) in board.stones() {
                played[side.index()] += 1;
            }
            // White plays last: who begins with White gives it one more.
            let extra = i32::from(tesuji_game::Position::side_to_move(pos) == Side::Second);
            halves -= 2 * (played[0] - played[1] - extra);
        }
        Terms { halves, button: rules.button && pos.button().is_none() }
    }

    /// The margin of Black over White, in half points, at the end of a playout; tells `seen` the owner of each point in
    /// the order of [`tesuji_go::Vertex::all`].
    pub(crate) fn margin_halves<A: Area>(
        &self,
        board: &Board<A>,
        ended: Ended,
        points: &[tesuji_go::Cell],
        mut seen: impl FnMut(usize, i32),
    ) -> i32 {
        let mut area = 0;
        let mut owned = |i: usize, sign: i32| {
            area += sign;
            seen(i, sign);
        };
        if board.empties().iter().all(|&cell| board.empty_neighbours(cell) == 0) {
            for (i, &cell) in points.iter().enumerate() {
                owned(
                    i,
                    match board.colour(cell) {
                        Colour::Black => 1,
                        Colour::White => -1,
                        _ if board.is_eye_shape(Side::First, cell) => 1,
                        _ if board.is_eye_shape(Side::Second, cell) => -1,
                        _ => 0,
                    },
                );
            }
        } else {
            let plain = Rules { scoring: Scoring::Area, tax: tesuji_go::Tax::None, ..Rules::default() };
            let counted = score::count(board, &plain, &A::Set::default());
            for (i, &cell) in points.iter().enumerate() {
                owned(
                    i,
                    match counted.owner[cell] {
                        Some(Side::First) => 1,
                        Some(Side::Second) => -1,
                        None => 0,
                    },
                );
            }
        }
        let button = match ended.first_pass {
            Some(Side::First) if self.button => 1,
            Some(Side::Second) if self.button => -1,
            _ => 0,
        };
        2 * area + self.halves + button
    }
}

/// A map that is zero everywhere.
pub(crate) fn zeros<A: Area, T: Copy + Default + Send + Sync + 'static>() -> A::Map<T> {
    <A::Map<T> as CellMap<T>>::filled(T::default())
}
