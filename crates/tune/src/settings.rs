//! Settings of learning that a user may choose.

use crate::Loss;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use utoipa::ToSchema;

/// The optimisation method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Adam over batches of rows.
    #[default]
    Adam,
    /// L-BFGS over all rows: exact and quick to the last digit, with nothing to adjust.
    Lbfgs,
    /// One weight after the other by whole steps, up while that is better, then down, as GreKo did: for comparison.
    Coordinate,
    /// CMA-ES: random samples around a mean, whose shape is learned. Looks beyond the nearest minimum.
    CmaEs,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 4] = [Method::Adam, Method::Lbfgs, Method::Coordinate, Method::CmaEs];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Adam => "adam",
            Method::Lbfgs => "lbfgs",
            Method::Coordinate => "coordinate",
            Method::CmaEs => "cma-es",
        })
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || Method::ALL.map(|m| m.to_string()).join(", ");
        Method::ALL
            .into_iter()
            .find(|m| m.to_string() == text)
            .ok_or_else(|| format!("{text:?} is none of {}", known()))
    }
}

/// Settings of learning.
#[derive(Debug, Clone, PartialEq)]
pub struct TuneSettings {
    /// The optimisation method.
    pub method: Method,
    /// Passes over the training set at most; iterations of L-BFGS, generations of CMA-ES, cycles of coordinate descent.
    pub epochs: u32,
    /// Rows of one step of Adam.
    pub batch: usize,
    /// Length of Adam's first steps in centipawns (of a feature that counts 1); falls to nothing along a cosine. Also
    /// half the width in which CMA-ES first looks around.
    pub rate_cp: f64,
    /// The loss that is minimised.
    pub loss: Loss,
    /// A board this many plies before the end counts 1/e of the last one; `None` or 0: all count the same.
    pub lambda_plies: Option<f64>,
    /// The share of the game's result in the target; the rest is the search's score, where a row has one.
    pub result_share: f64,
    /// Pull of each weight towards where it started, as strong as this many boards of one more squared pawn of loss.
    /// Weights that few boards know anything about stay where they are; the more data, the weaker. `None`: what the
    /// games themselves say is best, from how far they contradict the start and how sure they are of it.
    pub pull_rows: Option<f64>,
    /// For an estimated pull: rows of games that another player played whose errors may be taken for chance. What such
    /// games teach wrongly does not average out with more of them, so beyond that the pull grows with the rows. `None`: all.
    pub trusted_rows: Option<usize>,
    /// Strength of the pull of each weight towards 0 (L2, weight decay), in boards as for `pull_rows`.
    pub l2_rows: f64,
    /// Centipawns that multiply the odds by e; `None`: fitted to the start weights before learning.
    pub k: Option<f64>,
    /// Share of the games that are kept to judge what was learned.
    pub held_out: f64,
    /// Stop after this many epochs without a better validation loss.
    pub patience: u32,
    /// Features that keep their start weights.
    pub frozen: Vec<usize>,
    /// Least and greatest weight of each feature; empty: what a weight can be.
    pub bounds: Vec<[f64; 2]>,
    /// The step of coordinate descent.
    pub step: f64,
    /// Where weights are real numbers: what a weight of 1 is worth to its reader, for each feature. Such weights are not rounded,
    /// and their step is worth `step`. Empty: weights are whole numbers.
    pub units: Vec<f64>,
    /// Attempts after the first, each from weights shaken by `shake_cp`.
    pub restarts: u32,
    /// Noise added to the weights for another attempt: standard deviation in centipawns of what a feature can make.
    pub shake_cp: f64,
    /// Bootstrap samples of the games from which the standard errors are estimated; 0: no errors.
    pub bootstrap: u32,
    /// Decides the split, the order of the rows and of the batches.
    pub seed: u64,
    /// Threads. The result does not depend on them.
    pub jobs: usize,
}

impl TuneSettings {
    /// Whether weights are whole numbers.
    pub(crate) fn is_whole(&self) -> bool {
        self.units.is_empty()
    }

    /// The step of coordinate descent for the weights of `feature`.
    pub(crate) fn step_of(&self, feature: usize) -> f64 {
        self.units.get(feature).map_or(self.step, |unit| self.step / unit)
    }
}

impl Default for TuneSettings {
    /// The settings that learned best in chess from 3,000 games of self-play with piece values alone at 600 nodes a move (190,000
    /// boards), each in 800 games against one reference, ±24 Elo: half result, half score +108 (pull 1: +104, pull 20: +69; a tenth
    /// of the result: +106; all that with a pull of 3), results alone +36 to +71 whatever the pull. Steps of 4 cp without a pull
    /// overfitted the games in the first epoch.
    fn default() -> Self {
        TuneSettings {
            method: Method::Adam,
            epochs: 30,
            batch: 8_192,
            rate_cp: 2.0,
            loss: Loss::Squared,
            lambda_plies: Some(32.0),
            result_share: 0.5,
            pull_rows: None,
            trusted_rows: None,
            l2_rows: 0.0,
            k: None,
            held_out: 0.1,
            patience: 30,
            frozen: Vec::new(),
            bounds: Vec::new(),
            step: 1.0,
            units: Vec::new(),
            restarts: 0,
            shake_cp: 30.0,
            bootstrap: 0,
            seed: 0,
            jobs: 1,
        }
    }
}
