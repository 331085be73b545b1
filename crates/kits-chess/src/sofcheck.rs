//! SoFCheck's 480 weights as a set that learns.

use super::lessons::{ChessTaught, WEIGHTS_BYTES_MAX};
use tesuji_chess_eval::{
    ChessWeights, EvalKind,
    sofcheck::{COLUMNS, SOFCHECK_SET, SofcheckEval, SofcheckWeights},
};
use tesuji_dataset::{Features, Filter};
use tesuji_kit::tuning::{Lessons, WeightSet};
use tesuji_tally::{Weights, find_term};
use tesuji_tune::{Canon, PieceTable};

/// Chess as SoFCheck's evaluation sees it.
static LESSONS: Lessons<ChessTaught, SofcheckEval> = Lessons::new();

/// SoFCheck's 480 weights: a `features.json`.
pub(super) struct SofcheckSet;

impl WeightSet for SofcheckSet {
    fn name(&self) -> &'static str {
        "sofcheck"
    }

    fn file(&self) -> &'static str {
        "features.json"
    }

    fn is_file(&self, text: &str) -> bool {
        EvalKind::of_text(text) == EvalKind::Sofcheck
    }

    fn features(&self) -> &'static dyn Features {
        &LESSONS
    }

    /// That of its `make_dataset`.
    fn filter(&self) -> Filter {
        Filter::default()
    }

    /// The tables of pieces hold what a square adds, as those that its author trains; a pawn is worth 100.
    fn canon(&self) -> Canon {
        let cost = [("psq.pawn", 0), ("psq.knight", 2), ("psq.bishop", 3), ("psq.rook", 4), ("psq.queen", 5)];
        let table = |(name, value): (&str, usize)| {
            find_term(SOFCHECK_SET, name).map(|term| PieceTable { value, table: term.range() })
        };
        // The mean of both halves is the unit, and the second is 0.
        Canon { tables: cost.into_iter().filter_map(table).collect(), unit: Some((0, 50)) }
    }

    fn bounds(&self) -> Vec<[i16; 2]> {
        Vec::new()
    }

    fn start(&self, name: &str) -> anyhow::Result<Weights> {
        let weights = match name {
            "builtin" | "material" => SofcheckWeights::material(),
            path => {
                let text = tesuji_jobs::read_text_limited(std::path::Path::new(path), WEIGHTS_BYTES_MAX)?;
                match ChessWeights::load(&text, path, Some(EvalKind::Sofcheck))? {
                    ChessWeights::Sofcheck(weights) => weights,
                    other => anyhow::bail!("{path}: expected {}, found {}", EvalKind::Sofcheck, other.kind()),
                }
            }
        };
        Ok(Weights { values: weights.values().iter().map(|&w| [w, 0]).collect(), ..Weights::default() })
    }

    fn text(&self, weights: &Weights) -> String {
        let values: [i16; COLUMNS] = std::array::from_fn(|column| weights.values[column][0]);
        SofcheckWeights::new(values).to_json()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_go_out_and_in_and_other_files_are_refused() {
        let set = SofcheckSet;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let mut weights = set.start("builtin").unwrap();
        weights.values[75][0] = -33;
        std::fs::write(path("features.json"), set.text(&weights)).unwrap();
        assert_eq!(set.start(&path("features.json")).unwrap(), weights);
        std::fs::write(path("weights.txt"), "VAL_P 100\n").unwrap();
        let error = set.start(&path("weights.txt")).unwrap_err().to_string();
        assert!(
            error.ends_with("weights.txt: expected SoFCheck's features.json, found GreKo's weights.txt"),
            "{error}"
        );
        assert_eq!(set.canon().tables.len(), 5);
        assert_eq!(set.canon().tables[0].table, 6..70);
    }
}
