//! Weights learned from tables of features, as text and as JSON.

use crate::tuning::{difference, few_held_out};
use serde_json::{Value, json};
use std::fmt::Write as _;
use tesuji_circle::rows::{LearnedWeight, RowsOutcome, RowsRequest};
use tesuji_tune::Kept;

/// Weights that are shown where a table has many.
const SHOWN: usize = 20;

/// The outcome as text.
pub fn text(request: &RowsRequest, outcome: &RowsOutcome) -> String {
    let trained = &outcome.trained;
    let held = |loss: Option<f64>| loss.map_or("-".to_string(), |loss| format!("{loss:.6}"));
    let mut out = format!("{} rows, {} games ({})\n", outcome.rows, outcome.games, outcome.games_by);
    let _ = writeln!(
        out,
        "{} rows to learn from, {} to judge by; {} weights free, {:.0} passes",
        trained.rows[0], trained.rows[1], trained.free, trained.passes
    );
    if let Some(start) = trained.history.first() {
        let _ = writeln!(out, "before: training loss {:.6}, validation {}", start.train_loss, held(start.held_loss));
    }
    let _ = writeln!(out, "after:  training loss {:.6}, validation {}", trained.train_loss, held(trained.held_loss));
    let by = trained.against_start.map_or(String::new(), |found| format!(": {}", difference(&found)));
    let _ = match trained.kept {
        Kept::Best => writeln!(out, "kept epoch {}{by}", trained.best_epoch),
        Kept::Start | Kept::StartForRounding => writeln!(out, "kept the start weights{by}"),
    };
    let _ = writeln!(out, "K {:.6} (the value that multiplies the odds by e)", outcome.k);
    out += &weights(outcome);
    for warning in warnings(outcome) {
        let _ = writeln!(out, "warning: {warning}");
    }
    let outputs: Vec<String> = request.outputs().iter().map(|path| path.display().to_string()).collect();
    let _ = writeln!(out, "weights in {}", outputs.join(", "));
    out
}

/// The outcome as one JSON object.
pub fn json(request: &RowsRequest, outcome: &RowsOutcome) -> Value {
    let trained = &outcome.trained;
    let start = trained.history.first();
    let against = trained.against_start;
    let weight = |weight: &LearnedWeight| json!({ "name": weight.name, "before": weight.start, "after": weight.value, "error": weight.error });
    json!({
        "outputs": request.outputs(), "rows": outcome.rows, "games": outcome.games, "k": outcome.k, "used_rows": trained.rows,
        "kept": if trained.kept == Kept::Best { "best" } else { "start" }, "best_epoch": trained.best_epoch,
        "pull": trained.pull_rows, "free": trained.free, "passes": trained.passes,
        "train_loss": trained.train_loss, "validation_loss": trained.held_loss,
        "start_train_loss": start.map(|epoch| epoch.train_loss), "start_validation_loss": start.and_then(|epoch| epoch.held_loss),
        "against_start": against.map(|found| json!({ "games": found.games, "difference": found.difference, "error": found.error })),
        "weights": outcome.weights.list.iter().map(weight).collect::<Vec<_>>(),
        "warnings": warnings(outcome), "stopped": trained.stopped,
    })
}

/// The weights that changed most.
fn weights(outcome: &RowsOutcome) -> String {
    let mut list: Vec<&LearnedWeight> = outcome.weights.list.iter().collect();
    if list.len() > SHOWN {
        let change = |weight: &LearnedWeight| (weight.value - weight.start).abs();
        list.sort_by(|a, b| change(b).total_cmp(&change(a)));
    }
    let mut out = format!("{:28}{:>12}{:>12}{:>12}\n", "weight", "before", "after", "error");
    for weight in list.iter().take(SHOWN) {
        let error = weight.error.map_or(String::new(), |error| format!("{error:.3}"));
        let bound = if weight.at_bound { "  at its bound" } else { "" };
        let _ = writeln!(out, "{:28}{:>12.3}{:>12.3}{error:>12}{bound}", weight.name, weight.start, weight.value);
    }
    if list.len() > SHOWN {
        let _ = writeln!(out, "and {} more that changed less (the file has all)", list.len() - SHOWN);
    }
    out
}

fn warnings(outcome: &RowsOutcome) -> Vec<String> {
    let bound: Vec<&str> =
        outcome.weights.list.iter().filter(|weight| weight.at_bound).map(|weight| &*weight.name).collect();
    let bound = (!bound.is_empty()).then(|| format!("on a bound, and may want to go further: {}", bound.join(", ")));
    outcome.warnings.iter().cloned().chain(few_held_out(&outcome.trained)).chain(bound).collect()
}
