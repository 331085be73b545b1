//! Games of chess as GreKo's 27 terms see them, and where games come from.

use crate::lessons::walk;
use std::{collections::BTreeMap, sync::Mutex};
use tesuji_chess::{Board, UciNotation};
use tesuji_chess_eval::{GAME, GREKO_SET, GREKO_TERMS, GrekoEval};
use tesuji_dataset::{Features, Filter, Head, Rows, SampleError};
use tesuji_game::Notation;
use tesuji_record::GameRecord;
use tesuji_tally::{Row, Term};

/// Chess as GreKo's 27 terms see it.
pub(crate) struct GrekoLessons;

impl Features for GrekoLessons {
    fn game(&self) -> &'static str {
        GAME
    }

    fn terms(&self) -> &'static [Term] {
        GREKO_SET
    }

    fn rows(
        &self,
        game: &GameRecord<String>,
        number: u32,
        filter: &Filter,
        out: &mut Rows,
    ) -> Result<usize, SampleError> {
        let mut row = Row::new(GREKO_TERMS);
        let parse = |board: &Board, text: &String| UciNotation::parse_move(board, text);
        walk(game, number, parse, |board, seen, head| {
            if filter.keeps(seen) {
                let blend = GrekoEval::row(board, &mut row);
                out.push(Head { phase: blend.phase as u16, scale: blend.scale as u16, ..head() }, row.entries());
            }
        })
    }
}

/// Any lessons, with a list of where the games come from and how many they are.
pub(super) struct Watched<'a> {
    lessons: &'a dyn Features,
    origins: Mutex<BTreeMap<String, u64>>,
}

impl<'a> Watched<'a> {
    pub(super) fn new(lessons: &'a dyn Features) -> Watched<'a> {
        Watched { lessons, origins: Mutex::default() }
    }

    /// The origins that games named, with the number of games.
    pub(super) fn origins(self) -> BTreeMap<String, u64> {
        self.origins.into_inner().unwrap_or_default()
    }
}

impl Features for Watched<'_> {
    fn game(&self) -> &'static str {
        self.lessons.game()
    }

    fn terms(&self) -> &'static [Term] {
        self.lessons.terms()
    }

    fn rows(
        &self,
        game: &GameRecord<String>,
        number: u32,
        filter: &Filter,
        out: &mut Rows,
    ) -> Result<usize, SampleError> {
        if let (Some(origin), Ok(mut origins)) = (game.tag("Origin"), self.origins.lock()) {
            *origins.entry(origin.to_string()).or_default() += 1;
        }
        self.lessons.rows(game, number, filter, out)
    }
}
