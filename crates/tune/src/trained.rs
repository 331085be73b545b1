//! Progress reports and the result of learning.

use crate::Comparison;
use tesuji_tally::Weights;
use thiserror::Error;

/// Progress after each epoch or accepted step; epoch 0 is the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The attempt, from 0; see [`crate::TuneSettings::restarts`].
    pub run: u32,
    /// Passes, iterations, generations or accepted steps done, as the method counts.
    pub epoch: u32,
    /// Passes planned at most.
    pub epochs: u32,
    /// Mean loss over the training rows during the pass (at its end for epoch 0 and for all methods but Adam).
    pub train_loss: f64,
    /// Mean loss over the validation rows; `None` where there are none.
    pub held_loss: Option<f64>,
    /// Whether this is the best so far in this attempt, its start not counted once there is an epoch: by validation loss, with few
    /// held-out games by the mean loss of that epoch in a cross-validation; without validation the last one is.
    pub best: bool,
    /// Rows that were learned from in each pass.
    pub rows: usize,
    /// The single weight that was changed, with coordinate descent.
    pub change: Option<LearnedChange>,
}

impl Progress {
    /// The loss that decides which epoch is best: the validation loss, or the training loss where there is no validation.
    pub fn decisive_loss(&self) -> f64 {
        self.held_loss.unwrap_or(self.train_loss)
    }
}

/// A weight of coordinate descent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearnedChange {
    /// The cycle through all weights, from 1.
    pub cycle: u32,
    /// The feature.
    pub feature: usize,
    /// 0: midgame, 1: endgame.
    pub phase: usize,
    /// The weight now.
    pub value: i16,
}

/// An event that [`crate::learn_with`] reports.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Rows are split and K is known; learning begins.
    Start {
        /// Rows to learn from and to judge by.
        rows: [usize; 2],
        /// The sums of their weights.
        weights: [f64; 2],
        /// K in centipawns.
        k: f64,
    },
    /// An epoch is done.
    Epoch(&'a Progress),
    /// A weight's turn has come, with coordinate descent.
    Turn(LearnedChange),
    /// Epochs are judged by games held out in several draws, before learning begins. Once for each epoch of each draw.
    CrossValidation,
    /// Learning is done; it is repeated with games drawn again. Once for each repetition.
    Bootstrap,
}

/// The end of one attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunEnd {
    /// The attempt, from 0.
    pub run: u32,
    /// Epochs it took.
    pub epochs: u32,
    /// Mean training loss where it ended, which may be later than at its best weights.
    pub last_loss: f64,
    /// Mean training loss of its best weights, before rounding.
    pub train_loss: f64,
    /// Mean validation loss of its best weights, before rounding; `None` where there is no validation.
    pub held_loss: Option<f64>,
}

impl RunEnd {
    /// The loss that decides which attempt is best: the validation loss, or the training loss where there is no validation.
    pub fn decisive_loss(&self) -> f64 {
        self.held_loss.unwrap_or(self.train_loss)
    }
}

/// The choice of the weights that learning returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Those of the best epoch: by the held-out games, or the last one where no games were held out.
    Best,
    /// The start weights: there was no epoch, or the held-out games judge the best one worse by more than two standard errors.
    Start,
    /// The start weights: those of the best epoch made readable and rounded, as they are written, are the same, or the held-out
    /// games judge them, and not the epoch itself, worse by more than two standard errors.
    StartForRounding,
}

/// The result of learning.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// The weights, rounded, with an empty origin: the caller knows it. The held-out games judge them no worse than the start
    /// weights, as far as they can tell ([`Comparison::is_worse`]).
    pub weights: Weights,
    /// The same weights, where they are real numbers ([`crate::TuneSettings::units`]) not rounded.
    pub real: Vec<[f32; 2]>,
    /// Whether they are those of the best epoch or those of the start.
    pub kept: Kept,
    /// The weights of the best epoch, made readable and rounded, against those of the start, whichever were kept; `None` where
    /// no game is held out or there was no epoch.
    pub against_start: Option<Comparison>,
    /// Standard error of each weight by bootstrap over games, midgame and endgame; empty when none was asked for, 0 for
    /// weights that were not learned.
    pub errors: Vec<[f32; 2]>,
    /// Weights that ended on a bound: feature and phase (0 midgame, 1 endgame).
    pub at_bound: Vec<(usize, usize)>,
    /// The number of free weights.
    pub free: usize,
    /// K of the finished weights.
    pub k: f64,
    /// K that the start weights were given.
    pub start_k: f64,
    /// The pull towards the start that was used, in rows; see [`crate::TuneSettings::pull_rows`].
    pub pull_rows: f64,
    /// Epochs of all attempts as they were told, each with its start first.
    pub history: Vec<Progress>,
    /// The end of each attempt.
    pub runs: Vec<RunEnd>,
    /// The attempt that the weights come from.
    pub best_run: u32,
    /// The epoch that the weights come from.
    pub best_epoch: u32,
    /// Whether that epoch was chosen by cross-validation, since few games were held out, instead of by the least validation loss.
    pub is_cross_validated: bool,
    /// Mean loss of the finished, rounded weights over the training rows.
    pub train_loss: f64,
    /// Mean loss of the finished, rounded weights over the validation rows; `None` where there are none.
    pub held_loss: Option<f64>,
    /// Rows learned from and rows kept for validation.
    pub rows: [usize; 2],
    /// Passes over the training rows that were made, those of K and of the bootstrap not counted.
    pub passes: f64,
    /// Whether the caller stopped it.
    pub stopped: bool,
}

/// An error that kept learning from starting.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TuneError {
    /// Nothing to learn from.
    #[error("no rows to learn from: the games have no results, or the filter left nothing")]
    NoRows,
    /// All games are held out.
    #[error(
        "no rows to learn from: all {rows} boards are of games that are held out (held_out {held_out}); hold out a smaller share"
    )]
    AllHeldOut {
        /// Rows of the games.
        rows: usize,
        /// The share that was asked for.
        held_out: String,
    },
    /// Every weight is frozen or never occurs.
    #[error("no weight is free: all are frozen or never occur in the games")]
    NoWeights,
    /// Rows and weights belong to different evaluations.
    #[error("the rows count feature {found}, the weights have only {features}")]
    Features {
        /// The largest feature of the rows.
        found: usize,
        /// Features of the weights.
        features: usize,
    },
    /// The threads could not be started.
    #[error("cannot start {jobs} threads: {reason}")]
    Threads {
        /// The number of threads asked for.
        jobs: usize,
        /// The operating system's error message.
        reason: String,
    },
}
