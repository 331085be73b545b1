//! The door of a game: rules as text, object-safe, opened for every [`Game`] by one blanket implementation.

use crate::RecordFormat;
use std::{marker::PhantomData, ops::ControlFlow};
use tesuji_game::{Game, Line, Notation, NotationError, Outcome, Position, Side, move_text};

/// A game whose rules are asked through text. Referees, the web and record tools know games only this way.
pub trait AnyGame: Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// A table to play at: `rules` as [`Game::Rules`] reads them (`""`: the usual), `start` in the game's position
    /// notation (`None`: the usual start).
    ///
    /// # Errors
    /// If the rules or the position are wrong.
    fn table(&self, rules: &str, start: Option<&str>) -> Result<Box<dyn RulesTable>, NotationError>;

    /// The record formats of this game, the preferred one first.
    fn formats(&self) -> &'static [&'static dyn RecordFormat];

    /// The usual number of plies of a game between engines, where that is known: for predicting how long games take.
    fn plies_usual(&self) -> Option<f64> {
        None
    }

    /// The format named `name`, or that of the file `name` by its ending (those of compression left out).
    fn format(&self, name: &str) -> Option<&'static dyn RecordFormat> {
        format_of_name(self.formats(), name)
    }
}

/// The one of `formats` that is named `name`, or that of the file `name` by its ending (those of compression left out).
pub fn format_of_name(formats: &[&'static dyn RecordFormat], name: &str) -> Option<&'static dyn RecordFormat> {
    let lower = name.to_ascii_lowercase();
    let stem = crate::unpacked_name(&lower);
    let ending = stem.rsplit_once('.').map_or(stem, |(_, ending)| ending);
    formats.iter().copied().find(|f| f.name() == ending || f.extensions().contains(&ending))
}

/// A game being played, in text: positions in the game's notation, moves in its protocol's.
pub trait RulesTable: Send {
    /// The rules: those that the table was asked for, or those that its start position implies.
    fn rules(&self) -> &str;

    /// Plays a move.
    ///
    /// # Errors
    /// When the text is no move or the move is not allowed (superko included); the table is unchanged then.
    fn play(&mut self, text: &str) -> Result<(), NotationError>;

    /// Takes the last move back; `false` at the start.
    fn undo(&mut self) -> bool;

    /// The side to move.
    fn side_to_move(&self) -> Side;

    /// The result by the rule book, if the game is over here.
    fn outcome(&self) -> Option<Outcome>;

    /// The outcome that the mover may declare instead of moving.
    fn claim(&self) -> Option<Outcome>;

    /// The result of a game that is counted once its players agree that the pieces on these places are dead, as
    /// [`Game::count_without`] has it.
    fn count_without(&self, dead: &[&str]) -> Option<Outcome>;

    /// The position in the game's notation.
    fn position(&self) -> String;

    /// The moves that may be played, in the protocol's notation.
    fn moves(&self) -> Vec<String>;

    /// A move as people of the game write it: `Nf3` for `g1f3`.
    ///
    /// # Errors
    /// When the text is no move of this position.
    fn format_move(&self, text: &str) -> Result<String, NotationError>;

    /// A move that people may have written as they do, in the protocol's notation: `g1f3` for `Nf3`.
    ///
    /// # Errors
    /// When the text is no move of this position.
    fn parse_move(&self, text: &str) -> Result<String, NotationError>;

    /// The moves played so far, in the protocol's notation.
    fn played(&self) -> Vec<String>;

    /// The last move, in the protocol's notation; `None` at the start.
    fn last_move(&self) -> Option<&str>;

    /// The number of moves played.
    fn plies(&self) -> usize;
}

/// Something larger that has the door of a game, and opens it for others: a kit.
pub trait HasDoor: Sync {
    /// The door.
    fn door(&self) -> &'static dyn AnyGame;
}

impl<T: HasDoor> AnyGame for T {
    fn name(&self) -> &'static str {
        self.door().name()
    }

    fn table(&self, rules: &str, start: Option<&str>) -> Result<Box<dyn RulesTable>, NotationError> {
        self.door().table(rules, start)
    }

    fn formats(&self) -> &'static [&'static dyn RecordFormat] {
        self.door().formats()
    }

    fn plies_usual(&self) -> Option<f64> {
        self.door().plies_usual()
    }
}

/// The door of the game `G`, with its record formats: `static CHESS: Of<Chess> = of(&[…])`.
pub struct Of<G> {
    formats: &'static [&'static dyn RecordFormat],
    plies_usual: Option<f64>,
    game: PhantomData<fn() -> G>,
}

/// Opens the door of `G`.
pub const fn of<G: Game>(formats: &'static [&'static dyn RecordFormat]) -> Of<G> {
    Of { formats, plies_usual: None, game: PhantomData }
}

impl<G> Of<G> {
    /// Sets the usual number of plies of a game between engines.
    pub const fn lasting(self, plies: f64) -> Of<G> {
        Of { plies_usual: Some(plies), ..self }
    }
}

impl<G: Game> AnyGame for Of<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn table(&self, rules: &str, start: Option<&str>) -> Result<Box<dyn RulesTable>, NotationError> {
        let asked = rules;
        let rules: G::Rules = if rules.is_empty() { G::Rules::default() } else { rules.parse()? };
        let pos = match start {
            Some(text) => G::Notation::parse_position(&rules, text)?,
            None => G::start(&rules),
        };
        let rules = G::implied_rules(&rules, &pos).map_or_else(|| asked.to_string(), |rules| rules.to_string());
        Ok(Box::new(GameInText::<G> { rules, line: Line::new(pos), texts: Vec::new() }))
    }

    fn formats(&self) -> &'static [&'static dyn RecordFormat] {
        self.formats
    }

    fn plies_usual(&self) -> Option<f64> {
        self.plies_usual
    }
}

/// A table of the game `G`: its line and the moves as text.
struct GameInText<G: Game> {
    rules: String,
    line: Line<G::Position>,
    texts: Vec<String>,
}

impl<G: Game> RulesTable for GameInText<G> {
    fn rules(&self) -> &str {
        &self.rules
    }

    fn play(&mut self, text: &str) -> Result<(), NotationError> {
        let here = self.line.here();
        let mv = G::Notation::parse_move(here, text)?;
        if !here.allows(mv, self.line.past()) {
            return Err(NotationError::IllegalMove { text: text.into() });
        }
        self.texts.push(move_text::<G>(here, mv));
        self.line.push(mv);
        Ok(())
    }

    fn undo(&mut self) -> bool {
        self.texts.pop();
        self.line.pop().is_some()
    }

    fn side_to_move(&self) -> Side {
        self.line.here().side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.line.outcome()
    }

    fn claim(&self) -> Option<Outcome> {
        self.line.here().claim()
    }

    fn count_without(&self, dead: &[&str]) -> Option<Outcome> {
        G::count_without(self.line.here(), dead)
    }

    fn position(&self) -> String {
        let mut text = String::new();
        let _ = G::Notation::write_position(self.line.here(), &mut text);
        text
    }

    fn moves(&self) -> Vec<String> {
        let here = self.line.here();
        let mut moves = Vec::new();
        let _ = here.for_each_move(|mv| {
            if here.allows(mv, self.line.past()) {
                moves.push(move_text::<G>(here, mv));
            }
            ControlFlow::<()>::Continue(())
        });
        moves
    }

    fn format_move(&self, text: &str) -> Result<String, NotationError> {
        let here = self.line.here();
        let mut words = String::new();
        let _ = G::Notation::write_readable(here, G::Notation::parse_move(here, text)?, &mut words);
        Ok(words)
    }

    fn parse_move(&self, text: &str) -> Result<String, NotationError> {
        let here = self.line.here();
        Ok(move_text::<G>(here, G::Notation::parse_readable(here, text)?))
    }

    fn played(&self) -> Vec<String> {
        self.texts.clone()
    }

    fn last_move(&self) -> Option<&str> {
        self.texts.last().map(String::as_str)
    }

    fn plies(&self) -> usize {
        self.line.len()
    }
}
