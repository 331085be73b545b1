//! The evaluations that can play chess: our own, and those of SoFCheck and GreKo by files of their weights, which are known by their content.

use crate::sofcheck::{SofcheckEval, SofcheckWeights, explain_sofcheck};
use crate::{
    GREKO_TERMS, GrekoEval, HandEval, builtin_weights, explain, explain_greko, greko_start, is_greko, load_weights,
    parse_greko,
};
use std::{fmt, str::FromStr, sync::Arc};
use tesuji_chess::{Board, Change};
use tesuji_game::{CacheCounts, Evaluator, Value};
use tesuji_tally::{Explanation, Weights, WeightsError};

/// An evaluation by its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvalKind {
    /// Our hand-made one.
    Handmade,
    /// SoFCheck's, with the weights of a `features.json`.
    Sofcheck,
    /// GreKo's, with the weights of a `weights.txt`.
    Greko,
}

impl EvalKind {
    /// The kind of weights that the text of a file holds, by its beginning; what is neither SoFCheck's nor GreKo's is taken for ours.
    ///
    /// # Examples
    /// ```
    /// use tesuji_chess_eval::EvalKind;
    /// assert_eq!(EvalKind::of_text("[\n    {\"two_bishops\": 34}\n]"), EvalKind::Sofcheck);
    /// assert_eq!(EvalKind::of_text("# learned\nVAL_P 100\n"), EvalKind::Greko);
    /// assert_eq!(EvalKind::of_text("{ \"format\": \"tesuji-weights 1\" }"), EvalKind::Handmade);
    /// ```
    pub fn of_text(text: &str) -> EvalKind {
        if text.trim_start().starts_with('[') {
            EvalKind::Sofcheck
        } else if is_greko(text) {
            EvalKind::Greko
        } else {
            EvalKind::Handmade
        }
    }

    /// As [`EvalKind::of_text`]; where `wanted` is GreKo's, lines that are no JSON are meant to be its weights, though their first is wrong.
    pub fn meant(text: &str, wanted: Option<EvalKind>) -> EvalKind {
        match EvalKind::of_text(text) {
            EvalKind::Handmade if wanted == Some(EvalKind::Greko) && !text.trim_start().starts_with('{') => {
                EvalKind::Greko
            }
            kind => kind,
        }
    }
}

/// The word of options.
impl FromStr for EvalKind {
    type Err = ();

    fn from_str(word: &str) -> Result<EvalKind, ()> {
        match word {
            "handmade" => Ok(EvalKind::Handmade),
            "sofcheck" => Ok(EvalKind::Sofcheck),
            "greko" => Ok(EvalKind::Greko),
            _ => Err(()),
        }
    }
}

/// The file, in words.
impl fmt::Display for EvalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EvalKind::Handmade => "weights of the hand-made evaluation in JSON",
            EvalKind::Sofcheck => "SoFCheck's features.json",
            EvalKind::Greko => "GreKo's weights.txt",
        })
    }
}

/// Weights of one of the evaluations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChessWeights {
    /// Of the hand-made one.
    Handmade(Arc<Weights>),
    /// Of SoFCheck's.
    Sofcheck(SofcheckWeights),
    /// Of GreKo's.
    Greko([i16; GREKO_TERMS]),
}

impl ChessWeights {
    /// The weights where no file is named: those that the program is built with; piece values alone for SoFCheck's evaluation, GreKo's
    /// before learning.
    pub fn builtin(kind: EvalKind) -> ChessWeights {
        match kind {
            EvalKind::Handmade => ChessWeights::Handmade(Arc::new(builtin_weights())),
            EvalKind::Sofcheck => ChessWeights::Sofcheck(SofcheckWeights::material()),
            EvalKind::Greko => ChessWeights::Greko(greko_start()),
        }
    }

    /// Reads weights of any kind; `file` is what errors call it. `wanted` is the only kind that is accepted, if there is one.
    ///
    /// # Errors
    /// The file is wrong, or of another kind; the error names the place.
    ///
    /// # Examples
    /// ```
    /// use tesuji_chess_eval::{ChessWeights, EvalKind};
    /// let weights = ChessWeights::load("VAL_P 90\n", "weights.txt", None)?;
    /// assert_eq!(weights.kind(), EvalKind::Greko);
    /// let error = ChessWeights::load("VAL_P 90\n", "weights.txt", Some(EvalKind::Sofcheck)).unwrap_err();
    /// assert!(error.to_string().starts_with("weights.txt: expected SoFCheck's features.json, found GreKo's weights.txt"));
    /// # Ok::<(), tesuji_tally::WeightsError>(())
    /// ```
    pub fn load(text: &str, file: &str, wanted: Option<EvalKind>) -> Result<ChessWeights, WeightsError> {
        let kind = EvalKind::meant(text, wanted);
        let format = |reason: String| WeightsError::Format { file: file.to_string(), reason };
        if let Some(wanted) = wanted.filter(|wanted| *wanted != kind) {
            return Err(format(format!("expected {wanted}, found {kind}")));
        }
        // Their errors name the file themselves.
        let named = |error: String| {
            let reason = error.strip_prefix(file).map_or(&*error, |rest| rest.trim_start_matches([':', ',', ' ']));
            format(reason.to_string())
        };
        match kind {
            EvalKind::Handmade => load_weights(text, file).map(|weights| ChessWeights::Handmade(Arc::new(weights))),
            EvalKind::Sofcheck => SofcheckWeights::from_json(text, file)
                .map(ChessWeights::Sofcheck)
                .map_err(|error| named(error.to_string())),
            EvalKind::Greko => {
                parse_greko(text, file).map(ChessWeights::Greko).map_err(|error| named(error.to_string()))
            }
        }
    }

    /// The evaluation that they belong to.
    pub fn kind(&self) -> EvalKind {
        match self {
            ChessWeights::Handmade(_) => EvalKind::Handmade,
            ChessWeights::Sofcheck(_) => EvalKind::Sofcheck,
            ChessWeights::Greko(_) => EvalKind::Greko,
        }
    }

    /// The evaluation that plays with them.
    pub fn evaluator(&self) -> ChessEval {
        match self {
            ChessWeights::Handmade(weights) => ChessEval::Handmade(HandEval::new(weights.clone())),
            ChessWeights::Sofcheck(weights) => ChessEval::Sofcheck(SofcheckEval::new(weights)),
            ChessWeights::Greko(weights) => ChessEval::Greko(GrekoEval::new(*weights)),
        }
    }

    /// Explains the value of `board` term by term.
    pub fn explain(&self, board: &Board) -> Explanation {
        match self {
            ChessWeights::Handmade(weights) => explain(board, weights),
            ChessWeights::Sofcheck(weights) => explain_sofcheck(board, weights),
            ChessWeights::Greko(weights) => explain_greko(board, weights),
        }
    }
}

/// One of the evaluations, ready to play.
#[derive(Clone)]
pub enum ChessEval {
    /// Our hand-made one.
    Handmade(HandEval),
    /// SoFCheck's.
    Sofcheck(SofcheckEval),
    /// GreKo's.
    Greko(GrekoEval),
}

/// Asks the evaluation that plays.
macro_rules! of_each {
    ($eval:expr, $name:ident => $ask:expr) => {
        match $eval {
            ChessEval::Handmade($name) => $ask,
            ChessEval::Sofcheck($name) => $ask,
            ChessEval::Greko($name) => $ask,
        }
    };
}

impl Evaluator<Board> for ChessEval {
    #[inline]
    fn reset(&mut self, board: &Board) {
        of_each!(self, eval => eval.reset(board));
    }

    #[inline]
    fn push(&mut self, board: &Board, changes: &[Change]) {
        of_each!(self, eval => eval.push(board, changes));
    }

    #[inline]
    fn pop(&mut self) {
        of_each!(self, eval => eval.pop());
    }

    #[inline]
    fn value(&mut self, board: &Board) -> Value {
        of_each!(self, eval => eval.value(board))
    }

    #[inline]
    fn prefetch(&self, board: &Board) {
        of_each!(self, eval => eval.prefetch(board));
    }

    fn cache_counts(&self) -> Vec<CacheCounts> {
        of_each!(self, eval => eval.cache_counts())
    }

    fn reset_counts(&mut self) {
        of_each!(self, eval => eval.reset_counts());
    }

    fn clear(&mut self) {
        of_each!(self, eval => eval.clear());
    }
}
