//! Statistics of games and pairs as typed JSON, for programs and for the page.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tesuji_stats::{
    BATTLEFIELD_LEVELS, Decision, Games, Interval, Model, Pairs, Sigma, Sprt, Verdict, battlefield_verdict,
    pairs_verdict,
};
use utoipa::ToSchema;

/// A number with its 95 % interval. What is infinite is null: JSON has no infinity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Estimate {
    /// The number.
    pub value: Option<f64>,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl From<Interval> for Estimate {
    fn from(interval: Interval) -> Estimate {
        let [value, low, high] =
            [interval.value, interval.low, interval.high].map(|end| Some(end).filter(|end| end.is_finite()));
        Estimate { value, low, high }
    }
}

/// A hypothesis of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum Hypothesis {
    /// The difference is the lower one, or less.
    H0,
    /// The difference is the higher one, or more.
    H1,
}

/// A sequential test and how it stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct TestState {
    /// The lower difference.
    pub elo0: f64,
    /// The higher difference.
    pub elo1: f64,
    /// The unit of the differences: `normalised`, `logistic`, `bayesian`.
    pub model: String,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The bound at which H0 is accepted.
    pub low: f64,
    /// The bound at which H1 is accepted.
    pub high: f64,
    /// The hypothesis that is accepted; null: none yet.
    pub accepted: Option<Hypothesis>,
}

impl TestState {
    /// The state of `sprt` with the log-likelihood ratio `llr`.
    pub fn of(sprt: &Sprt, llr: f64) -> TestState {
        let (low, high) = sprt.bounds();
        let accepted = match sprt.decide(llr) {
            Decision::AcceptH0 => Some(Hypothesis::H0),
            Decision::AcceptH1 => Some(Hypothesis::H1),
            Decision::Continue => None,
        };
        TestState { elo0: sprt.elo0, elo1: sprt.elo1, model: sprt_unit(sprt.model).into(), llr, low, high, accepted }
    }
}

/// The unit of a test in a word.
pub fn sprt_unit(model: Model) -> &'static str {
    match model {
        Model::Normalised => "normalised",
        Model::Logistic => "logistic",
        Model::Bayesian => "bayesian",
    }
}

/// The player that is called better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BetterPlayer {
    /// The first.
    First,
    /// The second.
    Second,
}

/// The verdict at each of BattleField's confidences, by its name: the better player, or null.
pub type Verdicts = BTreeMap<String, Option<BetterPlayer>>;

fn verdicts(verdict: impl Fn((f64, f64)) -> Verdict) -> Verdicts {
    let better = |level| match verdict(level) {
        Verdict::First => Some(BetterPlayer::First),
        Verdict::Second => Some(BetterPlayer::Second),
        Verdict::Unclear => None,
    };
    BATTLEFIELD_LEVELS.iter().map(|&level| (format!("{:.2}", level.0), better(level))).collect()
}

/// Counts of games and what they say of the first player.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct GameCounts {
    /// Games that it won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    /// All games.
    pub games: u64,
    /// Its points.
    pub points: f64,
    /// Points a game; null without games.
    pub score: Option<f64>,
    /// The share of draws; null without games.
    pub draw_ratio: Option<f64>,
    /// Elo; null without games.
    pub elo: Option<Estimate>,
    /// Elo as if there were no draws.
    pub elo_binomial: Option<Estimate>,
    /// Elo in standard deviations of a game.
    pub normalised_elo: Option<Estimate>,
    /// The likelihood of superiority.
    pub los: Option<f64>,
    /// The likelihood of superiority by wins and losses alone.
    pub los_wl: Option<f64>,
    /// Verdicts at fixed confidences; null where a test decides.
    pub verdicts: Option<Verdicts>,
    /// The test, where one decides.
    pub sprt: Option<TestState>,
}

impl GameCounts {
    /// What `games` say; `sprt` is the test that decides.
    pub fn of(games: &Games, sprt: Option<&Sprt>) -> GameCounts {
        GameCounts {
            wins: games.wins,
            draws: games.draws,
            losses: games.losses,
            games: games.games(),
            points: games.points(),
            score: score(games),
            draw_ratio: games.draw_ratio(),
            elo: games.elo().map(Estimate::from),
            elo_binomial: games.elo_by(Sigma::Binomial).map(Estimate::from),
            normalised_elo: games.normalised_elo().map(Estimate::from),
            los: games.los(),
            los_wl: games.los_wl(),
            verdicts: sprt.is_none().then(|| verdicts(|(_, z)| battlefield_verdict(games, z, Sigma::Trinomial))),
            sprt: sprt.map(|sprt| TestState::of(sprt, sprt.llr_games(games))),
        }
    }
}

/// Points a game; `None` without games.
pub(super) fn score(games: &Games) -> Option<f64> {
    (games.games() > 0).then(|| games.points() / games.games() as f64)
}

/// Counts of pairs of games and what they say of the first player.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PairCounts {
    /// Pairs in which it made 0, ½, 1, 1½, 2 points.
    pub counts: [u64; 5],
    /// All pairs.
    pub pairs: u64,
    /// Pairs that it won for one that it lost; null where it lost none.
    pub ratio: Option<f64>,
    /// The share of level pairs; null without pairs.
    pub draw_ratio: Option<f64>,
    /// Elo; null without pairs.
    pub elo: Option<Estimate>,
    /// Elo in standard deviations of a game.
    pub normalised_elo: Option<Estimate>,
    /// The likelihood of superiority.
    pub los: Option<f64>,
    /// Verdicts at fixed confidences; null where a test decides.
    pub verdicts: Option<Verdicts>,
    /// The test, where one of pairs decides.
    pub sprt: Option<TestState>,
}

impl PairCounts {
    /// What `pairs` say; `sprt` is the test that decides.
    pub fn of(pairs: &Pairs, sprt: Option<&Sprt>) -> PairCounts {
        let of_pairs = sprt.filter(|sprt| sprt.is_of_pairs());
        PairCounts {
            counts: pairs.0,
            pairs: pairs.pairs(),
            ratio: pairs.ratio(),
            draw_ratio: pairs.draw_ratio(),
            elo: pairs.elo().map(Estimate::from),
            normalised_elo: pairs.normalised_elo().map(Estimate::from),
            los: pairs.los(),
            verdicts: sprt.is_none().then(|| verdicts(|level| pairs_verdict(pairs, level))),
            sprt: of_pairs.map(|sprt| TestState::of(sprt, sprt.llr_pairs(pairs))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_infinite_is_null() {
        let sprt = Sprt::new(0.0, 5.0);
        let counts = GameCounts::of(&Games::new(1, 0, 0), Some(&sprt));
        let value = serde_json::to_value(&counts).unwrap();
        assert!(value["elo"]["value"].is_null() && value["elo"]["low"].is_number());
        assert!(value["sprt"]["llr"].is_number());
        assert_eq!(serde_json::from_value::<GameCounts>(value).unwrap(), counts);
        assert_eq!(PairCounts::of(&Pairs([0, 1, 2, 3, 4]), None).pairs, 10);
    }

    #[test]
    fn verdicts_stand_where_no_test_decides() {
        let pairs = Pairs([7, 21, 35, 11, 1]);
        let of = |sprt: Option<&Sprt>| serde_json::to_value(PairCounts::of(&pairs, sprt)).unwrap();
        assert_eq!(of(None)["verdicts"]["0.99"], "second");
        assert!(of(Some(&Sprt::new(0.0, 5.0)))["verdicts"].is_null());
    }
}
