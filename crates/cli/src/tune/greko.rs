//! Games of chess as GreKo's 27 terms see them, and where games come from.

use crate::lessons::Lessons;
use std::{collections::BTreeMap, sync::Mutex};
use tesuji_chess::Chess;
use tesuji_chess_eval::GrekoEval;
use tesuji_dataset::{Features, Filter, Rows, SampleError};
use tesuji_record::{Fault, GameRecord, Sample};
use tesuji_tally::Term;

/// Chess as GreKo's 27 terms see it.
pub(crate) static GREKO_LESSONS: Lessons<Chess, GrekoEval> = Lessons::new();

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

    fn positions(
        &self,
        samples: &[Sample],
        number: &mut dyn FnMut(&Sample) -> u32,
        filter: &Filter,
        out: &mut Rows,
        fault: &mut dyn FnMut(usize, Fault),
    ) -> usize {
        self.lessons.positions(samples, number, filter, out, fault)
    }
}
