//! A player that opens a book first: what the book knows is played at once, all else is left to the player behind it, each question of it.

use crate::opening_book::OpeningBook;
use std::{path::Path, sync::Arc};
use tesuji_engine::{Player, Wrapper};
use tesuji_game::{Bound, Candidate, Choice, Limits, Random, Report, Value, Watch};
use tesuji_kit::books::{Books, WeightedMove};
use tesuji_options::{Joined, OptionError, Options, Spec, options};
use tesuji_record::AnyGame;

options! {
    /// Options of the opening book.
    pub struct BookOptions {
        /// The book: our own text, Polyglot's or Apery's `.bin`, YaneuraOu's `.db`; empty: none.
        book_file: File = "" of ["no_book"], "BookFile";
        /// Play from the book.
        own_book: bool = true, "OwnBook";
        /// Moves of the game, of both sides together, that may come from the book.
        book_plies: u32 = 60 in 0..=1000, "BookPlies";
        /// By chance, in proportion to the weights in the book, or always the move of the largest weight.
        book_choice: Choice = "weighted" of ["weighted", "best"], "BookChoice";
        /// Decides what chance draws: the same number, the same games.
        book_seed: u32 = 0 in 0..=1_000_000_000, "BookSeed";
    }
}

/// A player behind a book.
pub struct Booked<P> {
    game: &'static dyn AnyGame,
    books: &'static Books,
    player: P,
    options: BookOptions,
    book: Option<Arc<OpeningBook>>,
    random: Random,
    /// The position: rules, start and moves.
    place: (String, Option<String>, Vec<String>),
}

impl<P: Player> Booked<P> {
    /// A player of `game`, whose books are `books`, with no book yet.
    pub fn new(game: &'static dyn AnyGame, books: &'static Books, player: P) -> Booked<P> {
        let options = BookOptions::default();
        Booked { game, books, player, options, book: None, random: Random::new(0), place: Default::default() }
    }

    /// The book move here as a report; `None` where the book has no move or is not asked.
    fn opening(&mut self, limits: &Limits, only: &[String]) -> Option<Report<String>> {
        let book = self.book.as_deref().filter(|_| self.options.own_book)?;
        let (rules, start, moves) = &self.place;
        let is_asked = !limits.infinite && !limits.ponder && limits.mate_plies.is_none();
        if !is_asked || moves.len() >= self.options.book_plies as usize {
            return None;
        }
        let mut table = self.game.table(rules, start.as_deref()).ok()?;
        moves.iter().try_for_each(|mv| table.play(mv)).ok()?;
        let mut known = book.moves(table.as_ref()).ok()?;
        known.retain(|one| {
            one.weight > 0 && (only.is_empty() || only.contains(&one.mv)) && self.player.is_move(&one.mv)
        });
        let chosen = match self.options.book_choice.as_str() {
            "best" => best(&known),
            _ => draw(&known, self.random.unit()),
        }?;
        let line: Vec<String> = std::iter::once(&chosen.mv).chain(&chosen.answer).cloned().collect();
        let candidate = |cp| Candidate {
            pv: line,
            value: Value::cp(cp),
            bound: Bound::Exact,
            wdl: None,
            visits: chosen.weight,
            prior: 0.0,
            expected: None,
            margin: None,
        };
        Some(Report {
            choice: Some(Choice::Play(chosen.mv.clone())),
            ponder: chosen.answer.clone(),
            lines: chosen.score_cp.map(candidate).into_iter().collect(),
            ..Report::default()
        })
    }
}

/// The first of those that are there most often.
fn best(known: &[WeightedMove]) -> Option<&WeightedMove> {
    known.iter().rev().max_by_key(|one| one.weight)
}

/// The one that `chance`, in 0..1, draws.
fn draw(known: &[WeightedMove], chance: f64) -> Option<&WeightedMove> {
    let sum: u128 = known.iter().map(|one| u128::from(one.weight)).sum();
    let mut rest = chance * sum as f64;
    let drawn = known.iter().find(|one| {
        rest -= one.weight as f64;
        rest < 0.0
    });
    drawn.or(known.last())
}

/// The options of a book, which is read when it is named.
struct Setting<'a> {
    books: &'static Books,
    options: &'a mut BookOptions,
    book: &'a mut Option<Arc<OpeningBook>>,
    random: &'a mut Random,
}

impl Options for Setting<'_> {
    fn specs(&self) -> Vec<Spec> {
        self.options.specs()
    }

    fn get(&self, name: &str) -> Option<String> {
        self.options.get(name)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let before = self.options.clone();
        self.options.set(name, value)?;
        if self.options.book_seed != before.book_seed {
            *self.random = Random::new(u64::from(self.options.book_seed));
        }
        if self.options.book_file == before.book_file {
            return Ok(());
        }
        // What GUIs send for no file.
        let file = Some(self.options.book_file.as_str()).filter(|file| !["", "<empty>", "no_book"].contains(file));
        let read = file.map(|file| OpeningBook::read(self.books, Path::new(file))).transpose();
        match read {
            Ok(book) => *self.book = book.map(Arc::new),
            Err(error) => {
                *self.options = before;
                return Err(OptionError::Failed { name: "BookFile", reason: format!("{error:#}") });
            }
        }
        Ok(())
    }
}

impl<P: Player> Wrapper for Booked<P> {
    type Inner = P;

    fn inner(&self) -> &P {
        &self.player
    }

    fn inner_mut(&mut self) -> &mut P {
        &mut self.player
    }

    fn all_options(&mut self) -> Box<dyn Options + '_> {
        let setting =
            Setting { books: self.books, options: &mut self.options, book: &mut self.book, random: &mut self.random };
        Box::new(Joined::new(vec![self.player.options(), Box::new(setting)]))
    }

    fn position_taken(&mut self, rules: &str, start: Option<&str>, moves: &[String]) {
        self.place = (rules.to_string(), start.map(str::to_string), moves.to_vec());
    }

    fn think(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        match self.opening(limits, only) {
            Some(report) => report,
            None => self.player.go(limits, only, watch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_draws_by_weight() {
        let known = |mv: &str, weight| WeightedMove::new(mv.to_string(), weight);
        let all = [known("a", 1), known("b", 3), known("c", 3)];
        let drawn = [0.0, 0.14, 0.15, 0.57, 0.58, 0.999].map(|chance| draw(&all, chance).unwrap().mv.clone());
        assert_eq!(drawn, ["a", "a", "b", "b", "c", "c"]);
        assert_eq!(best(&all).unwrap().mv, "b");
        assert!(draw(&[], 0.5).is_none() && best(&[]).is_none());
    }
}
