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
        let mut last = None;
        let mut counted = |sample: &Sample| {
            let game = number(sample);
            if last.replace(game) != Some(game)
                && !sample.origin.is_empty()
                && let Ok(mut origins) = self.origins.lock()
            {
                *origins.entry(sample.origin.clone()).or_default() += 1;
            }
            game
        };
        self.lessons.positions(samples, &mut counted, filter, out, fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::pupil;
    use std::ops::ControlFlow;
    use tesuji_dataset::data::{Item, split_of};
    use tesuji_dataset::{HELD_OUT_SEED, Plan, build};
    use tesuji_record::{RecordError, RecordReader, outcome_of};

    /// Games that `match` and self-play of this program wrote as positions counted as another's, for lack of a look at their origin.
    #[test]
    fn positions_name_the_origin_of_their_games() {
        let ours = format!("tesuji {} match, weights built in", crate::version::short());
        let sample = |game, origin: &str| Sample {
            position: "4k3/8/8/8/8/8/P7/4K3 w - - 0 1".into(),
            half_points: Some(2),
            game,
            origin: origin.into(),
            ..Sample::default()
        };
        let samples = [sample(1, &ours), sample(1, &ours), sample(2, ""), sample(3, &ours)];
        let watched = Watched::new(&GREKO_LESSONS);
        let (mut number, mut last) = (0, 0);
        let mut numbers = |sample: &Sample| {
            number += u32::from(std::mem::replace(&mut last, sample.game) != sample.game);
            number
        };
        watched.positions(&samples, &mut numbers, &Filter::ALL, &mut Rows::default(), &mut |_, _| ());
        let origins = watched.origins();
        assert_eq!(origins, BTreeMap::from([(ours, 2)]));
        assert_eq!((pupil::trusted_rows(&origins, 3), pupil::older_engine(&origins)), (None, None));
    }

    /// Games as a reader gives them.
    struct List(std::vec::IntoIter<GameRecord<String>>);

    impl RecordReader for List {
        fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
            Ok(self.0.next())
        }
    }

    /// `tune --held-out` went by the number of a game in its file, `data split` by its moves.
    #[test]
    fn rows_are_held_out_as_data_split_does() {
        let files = || ('a'..='h').map(String::from);
        let games: Vec<_> = files()
            .flat_map(|a| files().map(move |b| [format!("{a}2{a}3"), format!("{b}7{b}6")]))
            .map(|moves| GameRecord { outcome: Some(outcome_of(2)), ..GameRecord::from_moves("", None, moves) })
            .collect();
        let (mut rows, plan) = (Rows::default(), Plan { filter: Filter::ALL, ..Plan::default() });
        let mut list = List(games.clone().into_iter());
        build(&mut list, &GREKO_LESSONS, &plan, &mut rows, &mut |_| ControlFlow::Continue(())).unwrap();
        let mut parts = [0; 2];
        for row in rows.iter() {
            let held_out = row.head.is_held_out(HELD_OUT_SEED, 0.3);
            let game = Item::Game(&games[row.head.game as usize]);
            assert_eq!(split_of(game, HELD_OUT_SEED, 0.3), Some(usize::from(held_out)));
            parts[usize::from(held_out)] += 1;
        }
        assert_eq!(parts.iter().sum::<usize>(), 64 * 3);
        assert!(parts.iter().all(|&rows| rows > 0), "{parts:?}");
    }
}
