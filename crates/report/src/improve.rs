//! Runs of `improve`: the report as a page, what is said on the way, and the verdict as text and as JSON.

mod page;

pub use page::Report;

use serde_json::{Value, json};
use std::{fmt::Write as _, path::Path};
use tesuji_circle::{
    DuelStanding,
    improve::{CONFIRM_TIMES, ImproveSettings, MatchOf, Round, RunVerdict},
};
use tesuji_stats::{BATTLEFIELD_LEVELS, Interval, Pairs, Verdict, pairs_verdict};

/// The verdict of a run with all that is said of it.
pub struct RunEnding<'a> {
    /// The game.
    pub game: &'a str,
    /// The settings of the run.
    pub settings: &'a ImproveSettings,
    /// The result of the final matches.
    pub verdict: &'a RunVerdict,
    /// The path of its page.
    pub page: &'a Path,
    /// The option of an engine that takes the weights.
    pub weights_option: &'a str,
}

/// Elo of the pairs, if there are enough.
fn elo(standing: &DuelStanding) -> Option<Interval> {
    Pairs(standing.pairs).elo()
}

/// Whether it is proven that the challenger is stronger, as the verdict of a match has it (95 %).
fn is_gain(standing: &DuelStanding) -> bool {
    pairs_verdict(&Pairs(standing.pairs), BATTLEFIELD_LEVELS[1]) == Verdict::First
}

/// A score with its Elo, such as `+12 =3 -9, Elo +44 [-60, +151]`.
pub fn score(standing: &DuelStanding) -> String {
    let [won, drawn, lost] = standing.wdl;
    let elo = elo(standing).map_or(String::new(), |e| format!(", Elo {:+.0} [{:+.0}, {:+.0}]", e.value, e.low, e.high));
    format!("+{won} ={drawn} -{lost}{elo}")
}

/// The result of a round, in one line: the score of the new weights against the old, and whether they were adopted.
pub fn decided(round: &Round) -> String {
    match &round.standing {
        Some(standing) if standing.games() > 0 => {
            let what = if round.adopted { "adopted" } else { "rejected: the old weights stay" };
            format!("  new against old: {} in {} games: {what}", score(standing), standing.games())
        }
        _ => "  nothing was learned from these games: the old weights stay".into(),
    }
}

/// The result of a training: the validation losses before and after, and a note.
pub fn learned([before, after]: [f64; 2], note: &str) -> String {
    let better = if after < before { "" } else { ", no better than before" };
    format!("  validation loss {before:.5} -> {after:.5}{better}, {note}")
}

/// The name of a match in the progress display.
pub fn match_name(match_: MatchOf) -> &'static str {
    match match_ {
        MatchOf::Round => "  match",
        MatchOf::Verdict => "verdict",
        MatchOf::Confirmation => "confirmation",
    }
}

impl RunEnding<'_> {
    /// As one JSON object.
    pub fn json(&self) -> Value {
        let told = |standing: &DuelStanding| {
            let interval = elo(standing).map(|e| json!({ "value": e.value, "low": e.low, "high": e.high }));
            let [won, drawn, lost] = standing.wdl;
            json!({ "won": won, "drawn": drawn, "lost": lost, "pairs": standing.pairs, "elo": interval,
                "proven": is_gain(standing) })
        };
        let verdict = self.verdict;
        let mut report = told(&verdict.standing);
        report["weights"] = json!(verdict.weights);
        report["unchanged"] = json!(verdict.unchanged);
        report["report"] = json!(self.page);
        report["confirmed"] = verdict.confirmed.as_ref().map_or(json!(null), told);
        report
    }

    /// As text.
    pub fn text(&self) -> String {
        let (verdict, page, weights) = (self.verdict, self.page.display(), &self.verdict.weights);
        if verdict.unchanged {
            return format!(
                "verdict: no round changed the weights; they are those of the start, and there is nothing to prove\n\
                 report: {page}\nweights: {weights}, those of the start\n"
            );
        }
        let (nodes, games) = (self.settings.nodes, verdict.standing.games());
        let mut text = format!(
            "verdict: final weights against those of the start, {games} games at {nodes} nodes a move\n  {} (95 %)\n",
            score(&verdict.standing)
        );
        if let Some(standing) = &verdict.confirmed {
            let (games, nodes) = (standing.games(), nodes.saturating_mul(CONFIRM_TIMES));
            let _ = writeln!(text, "confirmation: {games} games at {nodes} nodes a move\n  {} (95 %)", score(standing));
        }
        let (game, option) = (self.game, self.weights_option);
        let options: String =
            self.settings.options.iter().map(|(name, value)| format!(" --option {name}={value}")).collect();
        let _ = writeln!(text, "  {}\nreport: {page}\nweights: {weights}", self.gain());
        if self.settings.engine.is_none() {
            let _ = writeln!(text, "play with them: tesuji engine {game} --option {option}={weights}{options}");
        }
        text
    }

    /// The conclusion about the gain: proven or not, and whether it lasts with more nodes.
    fn gain(&self) -> &'static str {
        match (is_gain(&self.verdict.standing), self.verdict.confirmed.as_ref().map(is_gain)) {
            (true, Some(true)) => "a gain is proven, and lasts with more nodes",
            (true, Some(false)) => "a gain is proven; whether it lasts with more nodes is not",
            (true, None) => "a gain is proven",
            (false, Some(true)) => "a gain is proven with more nodes only",
            (false, _) => "no gain is proven; give it more time",
        }
    }
}
