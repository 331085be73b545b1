//! The course of learning as it is told: each epoch judged by validation, the best kept, the word to stop passed on.

use crate::{Event, LearnedChange, Progress, RunEnd, objective::Objective, pair::Pair};
use std::ops::ControlFlow;

/// The caller's function that receives all events and may stop the learning.
pub(crate) type Tell<'t> = dyn FnMut(Event) -> ControlFlow<()> + Send + 't;

/// The history of the learning so far.
pub(crate) struct Journal<'t, 'u> {
    tell: &'t mut Tell<'u>,
    /// All epochs of all attempts.
    pub history: Vec<Progress>,
    /// The ends of the finished attempts.
    pub runs: Vec<RunEnd>,
    /// The best of this attempt: its start until there is an epoch.
    best: Option<(Progress, Vec<Pair>)>,
    /// The best of all finished attempts.
    best_of_all: Option<(Progress, Vec<Pair>)>,
    /// The losses by which epochs are judged, from the start on; `None`: their own.
    judge: Option<Vec<f64>>,
    /// Whether the caller stopped it.
    pub stopped: bool,
    run: u32,
    epoch: u32,
}

impl<'t, 'u> Journal<'t, 'u> {
    pub fn new(tell: &'t mut Tell<'u>, judge: Option<Vec<f64>>) -> Self {
        Journal {
            tell,
            history: Vec::new(),
            runs: Vec::new(),
            best: None,
            best_of_all: None,
            judge,
            stopped: false,
            run: 0,
            epoch: 0,
        }
    }

    /// Whether several draws of held-out games judge the epochs.
    pub fn is_cross_validated(&self) -> bool {
        self.judge.is_some()
    }

    /// The loss by which an epoch is compared with others of its attempt.
    fn judged(&self, progress: &Progress) -> f64 {
        let judged = self.judge.as_ref().and_then(|losses| losses.get(progress.epoch as usize).or(losses.last()));
        judged.copied().unwrap_or(progress.decisive_loss())
    }

    /// Tells something that is not an epoch.
    pub fn tell(&mut self, event: Event) -> ControlFlow<()> {
        // Once stopped, always stopped: an attempt that ends early must not let the next one begin.
        self.stopped |= (self.tell)(event).is_break();
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Starts attempt `run` from `weights`.
    pub fn start(&mut self, objective: &Objective, run: u32, weights: &[Pair]) -> ControlFlow<()> {
        (self.run, self.epoch, self.best) = (run, 0, None);
        self.note(weights, objective.train_loss(weights), objective.held_loss(weights), None, objective)
    }

    /// Notes an epoch. Breaks when the caller says so, or when patience is over.
    pub fn epoch(&mut self, objective: &Objective, weights: &[Pair], train_loss: f64) -> ControlFlow<()> {
        self.epoch += 1;
        self.note(weights, train_loss, objective.held_loss(weights), None, objective)?;
        let best = self.best.as_ref().map_or(0, |b| b.0.epoch);
        // Saturating: a patience without end is the largest number.
        let over = self.epoch >= best.saturating_add(objective.settings.patience);
        if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Notes an accepted step of coordinate descent.
    pub fn change(
        &mut self,
        objective: &Objective,
        weights: &[Pair],
        [train_loss, held_loss]: [Option<f64>; 2],
        change: LearnedChange,
    ) -> ControlFlow<()> {
        self.epoch += 1;
        self.note(weights, train_loss.unwrap_or(0.0), held_loss, Some(change), objective)
    }

    fn note(
        &mut self,
        weights: &[Pair],
        train_loss: f64,
        held_loss: Option<f64>,
        change: Option<LearnedChange>,
        objective: &Objective,
    ) -> ControlFlow<()> {
        let (epochs, rows) = (objective.settings.epochs, objective.train.len());
        let (run, epoch) = (self.run, self.epoch);
        let mut progress = Progress { run, epoch, epochs, train_loss, held_loss, best: false, rows, change };
        // Without games to judge by, the optimiser is trusted: its training loss alone would forget the pulls.
        // The start is no candidate: a few held-out games would call it better than most epochs by chance. Whether it stays is
        // decided at the end, by the error of the comparison.
        let is_better = |b: &(Progress, Vec<Pair>)| b.0.epoch == 0 || self.judged(&progress) < self.judged(&b.0);
        progress.best = held_loss.is_none() || self.best.as_ref().is_none_or(is_better);
        if progress.best {
            self.best = Some((progress, weights.to_vec()));
        }
        tracing::info!(
            target: "tune",
            "epoch {epoch}: training {train_loss:.6}, validation {:.6}",
            progress.decisive_loss()
        );
        self.history.push(progress);
        self.tell(Event::Epoch(&progress))
    }

    /// Ends the attempt.
    pub fn finish(&mut self) {
        let Some((best, weights)) = self.best.take() else { return };
        let Progress { run, train_loss, held_loss, .. } = best;
        let last_loss = self.history.last().map_or(train_loss, |p| p.train_loss);
        self.runs.push(RunEnd { run, epochs: self.epoch, last_loss, train_loss, held_loss });
        // An attempt without an epoch has only its start.
        let key = |p: &Progress| (p.epoch == 0, p.decisive_loss());
        if self.best_of_all.as_ref().is_none_or(|b| key(&best) < key(&b.0)) {
            self.best_of_all = Some((best, weights));
        }
    }

    /// The best epoch of all attempts with its weights.
    pub fn best(&mut self) -> Option<(Progress, Vec<Pair>)> {
        self.best_of_all.take()
    }
}
