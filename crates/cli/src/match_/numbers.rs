//! Statistics as text and as JSON: `--stats`, `--pairs`, and the lines of a match's report.

use serde_json::{Value, json};
use tesuji_stats::{Decision, Games, Interval, Model, Pairs, Sprt};

/// The unit of `--sprt` on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ModelArg {
    /// Per standard deviation of a game
    #[value(alias = "normalized")]
    Normalised,
    /// As ratings have it
    Logistic,
    /// BayesElo; games only
    Bayesian,
}

impl From<ModelArg> for Model {
    fn from(arg: ModelArg) -> Model {
        match arg {
            ModelArg::Normalised => Model::Normalised,
            ModelArg::Logistic => Model::Logistic,
            ModelArg::Bayesian => Model::Bayesian,
        }
    }
}

/// `12.3 ± 4.5`; with an infinite end the interval itself.
pub(super) fn interval_text(interval: Option<Interval>) -> String {
    let number = |x: f64| match x {
        x if x == f64::INFINITY => "oo".to_string(),
        x if x == f64::NEG_INFINITY => "-oo".to_string(),
        x => format!("{x:.2}"),
    };
    match interval {
        None => "unknown (no games)".to_string(),
        Some(i) if i.value.is_finite() && i.error().is_finite() => format!("{:.2} ± {:.2}", i.value, i.error()),
        Some(i) => format!("{} (from {} to {})", number(i.value), number(i.low), number(i.high)),
    }
}

/// A share in percent.
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or("unknown".to_string(), |s| format!("{:.2} %", 100.0 * s))
}

/// The state of a test: `LLR 1.23 (-2.94 to 2.94), undecided`.
pub(super) fn sprt_text(sprt: &Sprt, llr: f64) -> String {
    let (low, high) = sprt.bounds();
    let model = match sprt.model {
        Model::Normalised => "normalised",
        Model::Logistic => "logistic",
        Model::Bayesian => "bayesian",
    };
    let decision = match sprt.decide(llr) {
        Decision::AcceptH0 => "H0 accepted",
        Decision::AcceptH1 => "H1 accepted",
        Decision::Continue => "undecided",
    };
    format!("{} to {} ({model}): LLR {llr:.2} ({low:.2} to {high:.2}), {decision}", sprt.elo0, sprt.elo1)
}

/// JSON has no infinity: such ends are null.
fn interval_json(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |i| json!({ "value": i.value, "low": i.low, "high": i.high }))
}

fn sprt_json(sprt: &Sprt, llr: f64) -> Value {
    let (low, high) = sprt.bounds();
    let decision = match sprt.decide(llr) {
        Decision::AcceptH0 => Some("H0"),
        Decision::AcceptH1 => Some("H1"),
        Decision::Continue => None,
    };
    json!({ "elo0": sprt.elo0, "elo1": sprt.elo1, "llr": llr, "low": low, "high": high, "accepted": decision })
}

/// The statistics of games as JSON.
pub(super) fn games_json(games: &Games, sprt: Option<&Sprt>) -> Value {
    json!({
        "wins": games.wins, "draws": games.draws, "losses": games.losses, "games": games.games(),
        "points": games.points(), "draw_ratio": games.draw_ratio(),
        "elo": interval_json(games.elo()), "normalised_elo": interval_json(games.normalised_elo()),
        "los": games.los(), "los_wl": games.los_wl(),
        "sprt": sprt.map(|s| sprt_json(s, s.llr_games(games))),
    })
}

/// The statistics of pairs as JSON.
pub(super) fn pairs_json(pairs: &Pairs, sprt: Option<&Sprt>) -> Value {
    json!({
        "counts": pairs.0, "pairs": pairs.pairs(), "ratio": pairs.ratio(), "draw_ratio": pairs.draw_ratio(),
        "elo": interval_json(pairs.elo()), "normalised_elo": interval_json(pairs.normalised_elo()), "los": pairs.los(),
        "sprt": sprt.map(|s| sprt_json(s, s.llr_pairs(pairs))),
    })
}

/// The lines about games: score, Elo, normalised Elo, both likelihoods of superiority.
pub(super) fn games_lines(games: &Games) -> String {
    let Games { wins, draws, losses } = *games;
    let n = games.games();
    let score = (n > 0).then(|| games.points() / n as f64);
    let elo = interval_text(games.elo());
    let nelo = interval_text(games.normalised_elo());
    let (los, los_wl) = (percent(games.los()), percent(games.los_wl()));
    format!(
        "Games: {n}, won {wins}, drawn {draws}, lost {losses}; {} points, {}; draws {}\n\
         Elo (games):  {elo}; normalised {nelo}; 95 %\n\
         Superiority:  los {los}, los_wl {los_wl} (from wins and losses alone)\n",
        games.points(),
        percent(score),
        percent(games.draw_ratio()),
    )
}

/// The lines about pairs.
pub(super) fn pairs_lines(pairs: &Pairs) -> String {
    let [ll, ld, level, wd, ww] = pairs.0;
    let ratio = pairs.ratio().map_or("unknown".to_string(), |r| format!("{r:.3}"));
    format!(
        "Pairs: {}, of points 0: {ll}, ½: {ld}, 1: {level}, 1½: {wd}, 2: {ww}; ratio {ratio}, level {}\n\
         Elo (pairs):  {}; normalised {}; 95 %; los {}\n",
        pairs.pairs(),
        percent(pairs.draw_ratio()),
        interval_text(pairs.elo()),
        interval_text(pairs.normalised_elo()),
        percent(pairs.los()),
    )
}

/// `--stats`.
pub(super) fn print_games(games: &Games, sprt: Option<&Sprt>, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        println!("{}", serde_json::to_string(&games_json(games, sprt))?);
        return Ok(());
    }
    print!("{}", games_lines(games));
    if let Some(sprt) = sprt {
        println!("SPRT (games): {}", sprt_text(sprt, sprt.llr_games(games)));
    }
    Ok(())
}

/// `--pairs`.
pub(super) fn print_pairs(pairs: &Pairs, sprt: Option<&Sprt>, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        println!("{}", serde_json::to_string(&pairs_json(pairs, sprt))?);
        return Ok(());
    }
    print!("{}", pairs_lines(pairs));
    if let Some(sprt) = sprt {
        println!("SPRT (pairs): {}", sprt_text(sprt, sprt.llr_pairs(pairs)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_results_print_something_true() {
        let text = |w, d, l| games_lines(&Games::new(w, d, l));
        for counts in [text(0, 0, 0), text(9, 0, 0), text(0, 9, 0), text(0, 0, 9), pairs_lines(&Pairs::default())] {
            assert!(!counts.to_lowercase().contains("nan") && !counts.contains("inf"), "{counts}");
        }
        assert!(text(9, 0, 0).contains("oo (from 16"), "{}", text(9, 0, 0));
        assert!(text(0, 0, 0).contains("unknown"));
    }

    #[test]
    fn json_is_json() {
        let sprt = Sprt::new(0.0, 5.0);
        let value = games_json(&Games::new(1, 0, 0), Some(&sprt));
        assert!(value["elo"]["value"].is_null() && value["elo"]["low"].is_number());
        assert!(value["sprt"]["llr"].is_number());
        assert_eq!(pairs_json(&Pairs([0, 1, 2, 3, 4]), None)["pairs"], 10);
    }
}
