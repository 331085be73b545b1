//! GreKo's 27 named weights as a set that learns.

use super::lessons::ChessTaught;
use tesuji_chess_eval::{ChessWeights, EvalKind, GREKO, GrekoEval, greko_start, print_greko};
use tesuji_dataset::{Features, Filter};
use tesuji_kit::tuning::{Lessons, WeightSet};
use tesuji_tally::Weights;
use tesuji_tune::Canon;

/// Chess as GreKo's 27 terms see it.
static LESSONS: Lessons<ChessTaught, GrekoEval> = Lessons::new();

/// GreKo's 27 weights: `NAME value` a line.
pub(super) struct GrekoSet;

impl WeightSet for GrekoSet {
    fn name(&self) -> &'static str {
        "greko"
    }

    fn file(&self) -> &'static str {
        "weights.txt"
    }

    fn is_file(&self, text: &str) -> bool {
        EvalKind::of_text(text) == EvalKind::Greko
    }

    fn features(&self) -> &'static dyn Features {
        &LESSONS
    }

    fn filter(&self) -> Filter {
        // Boards not in check and not after a capture, as its author had it.
        Filter { skip: 0, drop_after_checks: false, ..Filter::default() }
    }

    /// Each weight is what its author understands by it.
    fn canon(&self) -> Canon {
        Canon::default()
    }

    fn bounds(&self) -> Vec<[i16; 2]> {
        GREKO.map(|t| t.bounds).to_vec()
    }

    fn start(&self, name: &str) -> anyhow::Result<Weights> {
        match name {
            "builtin" => Ok(from_greko(&greko_start())),
            "material" => {
                let mut weights = greko_start();
                weights.iter_mut().zip(&GREKO).filter(|(_, t)| t.group != "material").for_each(|(w, _)| *w = 0);
                Ok(from_greko(&weights))
            }
            path => {
                let text = tesuji_jobs::read_text_limited(std::path::Path::new(path), 1 << 20)?;
                match ChessWeights::load(&text, path, Some(EvalKind::Greko))? {
                    ChessWeights::Greko(weights) => Ok(from_greko(&weights)),
                    other => anyhow::bail!("{path}: expected {}, found {}", EvalKind::Greko, other.kind()),
                }
            }
        }
    }

    fn text(&self, weights: &Weights) -> String {
        print_greko(&to_greko(weights))
    }
}

fn from_greko(weights: &[i16]) -> Weights {
    Weights { values: weights.iter().map(|&w| [w, 0]).collect(), ..Weights::default() }
}

/// GreKo's weights of a set of its terms.
fn to_greko(weights: &Weights) -> [i16; GREKO.len()] {
    std::array::from_fn(|i| weights.values[i][0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeMap, ops::ControlFlow};
    use tesuji_dataset::data::{Item, split_of};
    use tesuji_dataset::{HELD_OUT_SEED, Rows, RowsPlan, build};
    use tesuji_kit::tuning::{Watched, older_engine, trusted_rows};
    use tesuji_record::{GameRecord, RecordError, RecordReader, Sample, outcome_of};

    /// Games that `match` and self-play of this program wrote as positions counted as another's, for lack of a look at their origin.
    #[test]
    fn positions_name_the_origin_of_their_games() {
        let version = "0.1.0 (1234567)";
        let ours = format!("tesuji {version} match, weights built in");
        let sample = |game: u64, origin: &str| Sample {
            position: "4k3/8/8/8/8/8/P7/4K3 w - - 0 1".into(),
            half_points: Some(2),
            game: Some(game),
            origin: origin.into(),
            ..Sample::default()
        };
        let samples = [sample(1, &ours), sample(1, &ours), sample(2, ""), sample(3, &ours)];
        let watched = Watched::new(&LESSONS);
        let (mut number, mut last) = (0, None);
        let mut numbers = |sample: &Sample| {
            number += u32::from(std::mem::replace(&mut last, sample.game) != sample.game);
            number
        };
        watched.positions(&samples, &mut numbers, &Filter::ALL, &mut Rows::default(), &mut |_, _| ());
        let origins = watched.origins();
        assert_eq!(origins, BTreeMap::from([(ours, 2)]));
        assert_eq!((trusted_rows(&origins, 3), older_engine(&origins, version)), (None, None));
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
        let (mut rows, plan) = (Rows::default(), RowsPlan { filter: Filter::ALL, ..RowsPlan::default() });
        let mut list = List(games.clone().into_iter());
        build(&mut list, &LESSONS, &plan, &mut rows, &mut |_| ControlFlow::Continue(())).unwrap();
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
