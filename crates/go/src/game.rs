//! Go as a game: its start, and its door for those who speak text, which finds the capacity that a board needs.

use crate::{Area, GoPosition, Large, Medium, Rules, Small, notation};
use std::marker::PhantomData;
use tesuji_game::{Game, NotationError};
use tesuji_record::{AnyGame, RecordFormat, Table, of};

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

    fn table(&self, rules: &str, start: Option<&str>) -> Result<Box<dyn Table>, NotationError> {
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
