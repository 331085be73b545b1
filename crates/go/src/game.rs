//! Go as a game: its start, and its door for those who speak text, which finds the capacity that a board needs.

use crate::{Area, CellSet, GoPosition, Large, Medium, Rules, Small, Vertex, notation};
use std::marker::PhantomData;
use tesuji_game::{Game, NotationError, Outcome};
use tesuji_record::{AnyGame, RecordFormat, RulesTable, of};

/// Go on boards that fit the capacity `A`.
pub struct Go<A: Area>(PhantomData<A>);

impl<A: Area> Game for Go<A> {
    const NAME: &'static str = "go";
    type Position = GoPosition<A>;
    type Notation = notation::GtpNotation;
    type Rules = Rules;

    /// # Panics
    /// When the board of `rules` does not fit the capacity, or has no room for its handicap: read rules have.
    fn start(rules: &Rules) -> GoPosition<A> {
        match GoPosition::start(rules) {
            Ok(start) => start,
            Err(error) => panic!("{rules} on {} lines: {error}", A::LINES),
        }
    }

    /// A stone named stands for its chain.
    fn count_without(pos: &GoPosition<A>, dead: &[&str]) -> Option<Outcome> {
        let board = pos.board();
        let mut gone = A::Set::default();
        for text in dead {
            let vertex = Vertex::parse(text, pos.size()).ok()?;
            board.stone(vertex)?;
            gone.unite(&A::Set::of(board.chain_stones(board.chain(A::cell(vertex)))));
        }
        Some(pos.result(&gone))
    }
}

/// The door of go: a table of the smallest capacity that holds the board. `static GO: GoDoor = door(&[…])`.
pub struct GoDoor {
    formats: &'static [&'static dyn RecordFormat],
}

/// Opens the door of go with these record formats.
pub const fn door(formats: &'static [&'static dyn RecordFormat]) -> GoDoor {
    GoDoor { formats }
}

impl AnyGame for GoDoor {
    fn name(&self) -> &'static str {
        "go"
    }

    fn table(&self, rules: &str, start: Option<&str>) -> Result<Box<dyn RulesTable>, NotationError> {
        let read: Rules = rules.parse()?;
        let size = notation::size_of(&read, start.unwrap_or(""))?;
        if Small::holds(size) {
            of::<Go<Small>>(self.formats).table(rules, start)
        } else if Medium::holds(size) {
            of::<Go<Medium>>(self.formats).table(rules, start)
        } else {
            of::<Go<Large>>(self.formats).table(rules, start)
        }
    }

    fn formats(&self) -> &'static [&'static dyn RecordFormat] {
        self.formats
    }

    /// About the length of a 19x19 game between engines.
    fn plies_usual(&self) -> Option<f64> {
        Some(260.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::{By, Side};

    #[test]
    fn dead_stones_are_taken_off_by_agreement() {
        // Black has the left of a 5x5 board, White the right; a white stone lies dead at a1's side.
        let game = door(&[]);
        let mut table = game.table("5x5 chinese komi 0.5", None).unwrap();
        for mv in "c1 d1 c2 d2 c3 d3 c4 d4 c5 d5 pass a1 pass pass".split(' ') {
            table.play(mv).unwrap();
        }
        let points = |outcome: Option<Outcome>| match outcome {
            Some(Outcome { winner: Some(side), by: By::Points(points) }) => (side, points),
            other => panic!("{other:?}"),
        };
        // With the stone alive the left is nobody's: 5 points against 10 and 1.
        assert_eq!(points(table.outcome()), (Side::Second, 6.5));
        assert_eq!(points(table.count_without(&[])), (Side::Second, 6.5));
        assert_eq!(points(table.count_without(&["A1"])), (Side::First, 4.5));
        assert_eq!((table.count_without(&["B1"]), table.count_without(&["x"])), (None, None));
    }
}
