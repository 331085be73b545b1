//! How to learn: the numbers a user may choose.

use crate::Loss;

/// How to learn.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Passes over the training set at most.
    pub epochs: u32,
    /// Rows of one step of Adam.
    pub batch: usize,
    /// Length of the first steps in centipawns (of a feature that counts 1); falls to nothing along a cosine.
    pub rate_cp: f64,
    /// What is minimised.
    pub loss: Loss,
    /// A board so many plies before the end counts 1/e of the last one; `None`: all count the same.
    pub lambda_plies: Option<f64>,
    /// How much of the target is the game's result; the rest is the search's score, where a row has one.
    pub result_share: f64,
    /// Pull of each weight towards where it started, as strong as so many boards of one more squared pawn of loss.
    /// Weights that few boards know anything about stay where they are; the more data, the weaker.
    pub pull_rows: f64,
    /// Centipawns that multiply the odds by e; `None`: fitted to the start weights before learning.
    pub k: Option<f64>,
    /// Share of the games that are kept to judge what was learned.
    pub held_out: f64,
    /// Stop after so many epochs without a better validation loss.
    pub patience: u32,
    /// Features that keep their start weights.
    pub frozen: Vec<usize>,
    /// Decides the split, the order of the rows and of the batches.
    pub seed: u64,
    /// Threads. The result does not depend on them.
    pub jobs: usize,
}

impl Default for Settings {
    /// What learned best in chess from 3,000 games of self-play with piece values alone at 600 nodes a move (190,000
    /// boards), each in 800 games against one reference, ±24 Elo: half result, half score +108 (pull 1: +104, pull 20:
    /// +69; a tenth of the result: +106), results alone +36 to +71 whatever the pull. Steps of 4 cp without a pull
    /// learned the games by heart in the first epoch.
    fn default() -> Self {
        Settings {
            epochs: 30,
            batch: 8_192,
            rate_cp: 2.0,
            loss: Loss::Squared,
            lambda_plies: Some(32.0),
            result_share: 0.5,
            pull_rows: 3.0,
            k: None,
            held_out: 0.1,
            patience: 30,
            frozen: Vec::new(),
            seed: 0,
            jobs: 1,
        }
    }
}
