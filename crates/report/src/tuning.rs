//! Results of tuning, as text and as JSON: losses, attempts, weights before and after, warnings.

pub mod chances;
pub mod curves;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{fmt::Write as _, path::Path};
use tesuji_tally::{Term, Weights, feature_name};
use tesuji_tune::{Comparison, Kept, RunEnd, Trained};
use utoipa::ToSchema;

/// Weights that are shown where a set has many.
const SHOWN: usize = 20;

/// Everything that is told at the end.
pub struct Report<'a> {
    /// The terms that the weights belong to.
    pub terms: &'static [Term],
    /// The weights at the start.
    pub before: &'a Weights,
    /// The trained weights, with the attempts that led to them.
    pub trained: &'a Trained,
    /// The share of the games that was to be held out.
    pub held_out: f64,
    /// The path of the weights.
    pub out: &'a Path,
    /// Warnings, a sentence each.
    pub warnings: &'a [String],
    /// Whether all weights are shown, in order.
    pub table: bool,
    /// The set of weights; `None`: those of the game's own evaluation.
    pub set: Option<&'static str>,
    /// The weights at the start as they were asked for: builtin, material, or a file.
    pub start: &'a str,
    /// The game, where a match has to be told it.
    pub game: Option<&'static str>,
}

fn held(loss: Option<f64>) -> String {
    loss.map_or("-".to_string(), |l| format!("{l:.6}"))
}

impl Report<'_> {
    /// As one JSON object.
    pub fn json(&self) -> Value {
        let trained = self.trained;
        let start = trained.history.first();
        let runs: Vec<Value> = trained.runs.iter().map(run_json).collect();
        let weights: Vec<ChangedWeight> = self.changed().into_iter().map(|f| self.changed_weight(f)).collect();
        json!({
            "weights": self.out, "k": trained.k, "start_k": trained.start_k, "pull": trained.pull_rows, "rows": trained.rows,
            "kept": kept_word(trained.kept), "best_run": trained.best_run, "best_epoch": trained.best_epoch,
            "train_loss": trained.train_loss, "validation_loss": trained.held_loss,
            "start_train_loss": start.map(|p| p.train_loss), "start_validation_loss": start.and_then(|p| p.held_loss),
            "against_start": trained.against_start.map(comparison_json), "free": trained.free, "passes": trained.passes, "runs": runs, "changed": weights,
            "warnings": self.warnings, "stopped": trained.stopped,
        })
    }

    /// As text.
    pub fn text(&self) -> String {
        let trained = self.trained;
        let mut out = String::new();
        let _ = writeln!(
            out,
            "{} boards to learn from, {} to judge by; {} weights free, {:.0} passes",
            trained.rows[0], trained.rows[1], trained.free, trained.passes
        );
        if let Some(start) = trained.history.first() {
            let _ =
                writeln!(out, "before: training loss {:.6}, validation {}", start.train_loss, held(start.held_loss));
        }
        let _ =
            writeln!(out, "after:  training loss {:.6}, validation {}", trained.train_loss, held(trained.held_loss));
        let _ = writeln!(out, "{}", self.kept());
        let _ = writeln!(
            out,
            "K {:.1} -> {:.1} centipawns, held at the start by {:.1} boards",
            trained.start_k, trained.k, trained.pull_rows
        );
        out += &self.attempts();
        out += &self.weights();
        for warning in self.warnings {
            let _ = writeln!(out, "warning: {warning}");
        }
        let path = self.out.display();
        let game = self.game.map_or(String::new(), |game| format!(" --game {game}"));
        let old = match (self.set, self.start) {
            // The usual game, chess, is played by a network where nothing is said.
            (None, "builtin" | "material") if self.game.is_none() => "'name=old option.Eval=handmade'".to_string(),
            (None, "builtin" | "material") => "name=old".to_string(),
            (None, file) => format!("'name=old weights={file}'"),
            (Some(set), "builtin" | "material") => format!("'name=old option.Eval={set}'"),
            (Some(_), file) => format!("'name=old weights={file}'"),
        };
        let _ = match trained.kept {
            Kept::Best => writeln!(
                out,
                "weights in {path}; prove them: tesuji match{game} --engine 'name=new weights={path}' --engine {old} --nodes 5000"
            ),
            Kept::Start | Kept::StartForRounding => {
                writeln!(out, "weights in {path}, the same as at the start: nothing to prove")
            }
        };
        out
    }

    /// Says which weights were kept, and why.
    fn kept(&self) -> String {
        let trained = self.trained;
        let epochs: u32 = trained.runs.iter().map(|run| run.epochs).sum();
        let of = if trained.runs.len() > 1 { format!(" of attempt {}", trained.best_run + 1) } else { String::new() };
        let by = trained.against_start.map(|found| difference(&found));
        match (trained.kept, by) {
            (Kept::Best, Some(by)) => {
                let proof = match trained.against_start {
                    Some(found) if found.is_better() => "",
                    _ => "; validation cannot tell them from the start weights: prove them by a match",
                };
                let judge = if trained.is_cross_validated { "cross-validation" } else { "validation" };
                format!("kept epoch {}{of}, the best by {judge}: {by}{proof}", trained.best_epoch)
            }
            (Kept::Best, None) => {
                let why = if self.held_out > 0.0 { "too few for the share of --held-out" } else { "--held-out 0" };
                format!(
                    "kept epoch {}{of}, the last: no games were held out to judge by ({why}), so nothing says that these weights \
                     are better",
                    trained.best_epoch
                )
            }
            (Kept::Start, Some(by)) => format!("kept the start weights: the best of {epochs} epochs is worse, {by}"),
            (Kept::Start, None) => "kept the start weights: there was no epoch".to_string(),
            (Kept::StartForRounding, Some(by)) => {
                format!("kept the start weights: rounded to whole numbers, the best epoch is worse, {by}")
            }
            (Kept::StartForRounding, None) => {
                "kept the start weights: rounded to whole numbers, the best epoch is the same".to_string()
            }
        }
    }

    /// The results of the attempts, and the distance between them.
    fn attempts(&self) -> String {
        let runs = &self.trained.runs;
        let mut out = String::new();
        if runs.len() < 2 {
            return out;
        }
        for run in runs {
            let best = if run.run == self.trained.best_run { "  best" } else { "" };
            let _ = writeln!(
                out,
                "attempt {}: {} epochs, ends at training loss {:.9}; at its best {:.9}, validation {}{best}",
                run.run + 1,
                run.epochs,
                run.last_loss,
                run.train_loss,
                run.held_loss.map_or("-".into(), |l| format!("{l:.9}"))
            );
        }
        let losses = || runs.iter().map(|run| run.last_loss);
        let (low, high) = losses().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        let mean = losses().sum::<f64>() / runs.len() as f64;
        let deviation = (losses().map(|x| (x - mean).powi(2)).sum::<f64>() / (runs.len() - 1) as f64).sqrt();
        let _ = writeln!(
            out,
            "final losses of {} attempts: spread {:.2e}, standard deviation {deviation:.2e}",
            runs.len(),
            high - low
        );
        out
    }

    /// Features whose weights changed, those that changed most first.
    fn changed(&self) -> Vec<usize> {
        let change = |f: &usize| {
            let (a, b) = (self.before.values[*f], self.trained.weights.values[*f]);
            (0..2).map(|p| (i32::from(a[p]) - i32::from(b[p])).abs()).max().unwrap_or(0)
        };
        let mut features: Vec<usize> = (0..self.before.values.len()).filter(|f| change(f) > 0).collect();
        features.sort_by_key(|f| (-change(f), *f));
        features
    }

    /// Weights before and after, with their errors where they are known.
    fn weights(&self) -> String {
        let small = self.before.values.len() <= 60;
        let changed = self.changed();
        let all: Vec<usize> = (0..self.before.values.len()).collect();
        let shown = if small || self.table { &all[..] } else { &changed[..changed.len().min(SHOWN)] };
        if shown.is_empty() {
            return String::new();
        }
        let mut out = format!("{:28}{:>12}{:>12}{:>14}\n", "weight", "before", "after", "error");
        for &f in shown {
            let error = self.trained.errors.get(f).map_or(String::new(), |e| self.pair(&e.map(|e| format!("{e:.1}"))));
            let [before, after] =
                [self.before, &self.trained.weights].map(|w| self.pair(&w.values[f].map(|w| w.to_string())));
            let bound = if self.trained.at_bound.iter().any(|b| b.0 == f) { "  at its bound" } else { "" };
            let name = feature_name(self.terms, f);
            let _ = writeln!(out, "{name:28}{before:>12}{after:>12}{error:>14}{bound}");
        }
        if shown.len() < changed.len() {
            let _ = writeln!(out, "and {} more that changed less (--table shows all)", changed.len() - shown.len());
        }
        out
    }

    /// A midgame and an endgame number; one where a set knows only one.
    fn pair(&self, [mg, eg]: &[String; 2]) -> String {
        if self.set.is_none() { format!("{mg}/{eg}") } else { mg.clone() }
    }

    fn changed_weight(&self, f: usize) -> ChangedWeight {
        let name = feature_name(self.terms, f);
        let [before, after] = [self.before, &self.trained.weights].map(|weights| weights.values[f]);
        let error = self.trained.errors.get(f).map(|&[mg, eg]| (Some(mg), Some(eg)));
        ChangedWeight { name, before: before.into(), after: after.into(), error }
    }
}

/// A feature whose weights changed: in the middlegame and in the endgame.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ChangedWeight {
    /// Its name.
    pub name: String,
    /// Its weights at the start.
    pub before: (i16, i16),
    /// Its weights now.
    pub after: (i16, i16),
    /// Their standard errors, where they are known.
    pub error: Option<(Option<f32>, Option<f32>)>,
}

/// What other programs read of the JSON of a report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct LearnedWeights {
    /// The features whose weights changed, those that changed most first.
    pub changed: Vec<ChangedWeight>,
}

/// A comparison over the held-out games in words.
pub fn difference(found: &Comparison) -> String {
    let Comparison { games, difference, error } = found;
    let games = if *games == 1 { "1 held-out game".to_string() } else { format!("{games} held-out games") };
    let error = if error.is_finite() { format!("± {error:.6} (standard error)") } else { "± unknown".into() };
    format!("loss {difference:+.6} {error} over {games}")
}

/// A warning where the held-out games are too few to say much.
pub fn few_held_out(trained: &Trained) -> Option<String> {
    Comparison::doubt(trained.against_start?.games)
}

/// The name of the kept weights in JSON, for programs.
fn kept_word(kept: Kept) -> &'static str {
    match kept {
        Kept::Best => "best",
        Kept::Start | Kept::StartForRounding => "start",
    }
}

fn comparison_json(found: Comparison) -> Value {
    // An infinite error is null.
    json!({ "games": found.games, "difference": found.difference, "error": found.error })
}

fn run_json(run: &RunEnd) -> Value {
    json!({ "epochs": run.epochs, "last_loss": run.last_loss, "train_loss": run.train_loss, "validation_loss": run.held_loss })
}

/// Warnings about single weights.
pub fn at_bounds(terms: &[Term], trained: &Trained) -> Option<String> {
    let mut names: Vec<String> = trained.at_bound.iter().map(|&(f, _)| feature_name(terms, f)).collect();
    names.dedup();
    let is = if names.len() == 1 { "weight stands" } else { "weights stand" };
    (!names.is_empty()).then(|| {
        format!("{} {is} on a bound and may want to go further (--bounds FILE): {}", names.len(), names.join(", "))
    })
}
