//! Coordinate descent as V. Medvedev's GreKo did it (2016): one weight after the other, by whole steps, up while that is
//! better, then down; over when a full cycle finds no better validation loss.

use crate::{
    Event, LearnedChange, Loss,
    journal::Journal,
    loss::LossBlock,
    model::values,
    objective::{Free, Objective},
    pair::Pair,
    set::Set,
};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Rows of a column whose losses one thread makes at a time.
const PIECE: usize = 4096;
/// Rows of a block of vector code.
const BLOCK: usize = 64;

/// A row that a weight touches.
#[derive(Clone, Copy)]
struct Touch {
    row: u32,
    /// The change of value / K by one centipawn more of the weight.
    by: f32,
}

/// Rows with their values and losses kept, so that changing one weight costs only the rows that it touches.
struct Ledger<'a> {
    set: &'a Set,
    loss: Loss,
    k: f64,
    /// value / K of each row.
    x: Vec<f32>,
    losses: Vec<f32>,
    sum: f64,
    weight: f64,
    /// Rows that the weight in turn touches.
    column: Vec<Touch>,
}

impl<'a> Ledger<'a> {
    fn new(set: &'a Set, objective: &Objective) -> Ledger<'a> {
        let (loss, k) = (objective.settings.loss, objective.k);
        let (x, losses, column) = (Vec::new(), Vec::new(), Vec::new());
        Ledger { set, loss, k, x, losses, sum: 0.0, weight: set.weight(), column }
    }

    /// Computes everything again at `weights`.
    fn refresh(&mut self, weights: &[Pair]) {
        self.x = values(self.set, weights, self.k);
        self.losses = vec![0.0; self.x.len()];
        let (x, leads, loss) = (&self.x, &self.set.leads, self.loss);
        let sums: Vec<f64> = (self.losses.par_chunks_mut(PIECE).enumerate())
            .map(|(piece, losses)| {
                let mut sum = 0.0;
                let mut block = LossBlock::<BLOCK>::EMPTY;
                for (i, losses) in losses.chunks_mut(BLOCK).enumerate() {
                    let from = piece * PIECE + i * BLOCK;
                    let rows = from..from + losses.len();
                    block.x[..losses.len()].copy_from_slice(&x[rows.clone()]);
                    for (target, lead) in block.targets.iter_mut().zip(&leads[rows.clone()]) {
                        *target = lead.target;
                    }
                    block.apply(loss);
                    losses.copy_from_slice(&block.losses[..losses.len()]);
                    sum += losses.iter().zip(&leads[rows]).map(|(l, r)| f64::from(l * r.weight)).sum::<f64>();
                }
                sum
            })
            .collect();
        // Pieces are summed in their order, so that any number of threads gives the same bits.
        self.sum = sums.iter().sum();
    }

    /// Makes `free` the weight in turn.
    fn turn_to(&mut self, free: Free) {
        let set = self.set;
        let k = self.k as f32;
        let columns: Vec<Vec<Touch>> = (0..set.len().div_ceil(PIECE))
            .into_par_iter()
            .map(|piece| {
                let mut column = Vec::new();
                for row in piece * PIECE..((piece + 1) * PIECE).min(set.len()) {
                    let lead = set.leads[row];
                    let share = if free.phase == 0 { lead.mg } else { lead.eg };
                    let entries = &set.entries[set.starts[row]..set.starts[row + 1]];
                    let found = entries.iter().find(|e| usize::from(e.feature) == free.feature);
                    let by = found.map_or(0.0, |e| f32::from(e.count) * share / k);
                    // Only rows that have the feature: most features stand in few of them.
                    if by != 0.0 {
                        column.push(Touch { row: row as u32, by });
                    }
                }
                column
            })
            .collect();
        self.column = columns.concat();
    }

    /// The mean loss.
    fn mean(&self) -> f64 {
        if self.weight > 0.0 { self.sum / self.weight } else { 0.0 }
    }

    /// The mean loss after `cp` more in the weight in turn.
    fn try_step(&self, cp: f32) -> f64 {
        let differences: Vec<f64> = (self.column.par_chunks(PIECE))
            .map(|column| {
                let mut sum = 0.0;
                self.blocks(column, cp, |touch, _, loss| {
                    let row = touch.row as usize;
                    sum += f64::from(loss - self.losses[row]) * f64::from(self.set.leads[row].weight);
                });
                sum
            })
            .collect();
        let sum = self.sum + differences.iter().sum::<f64>();
        if self.weight > 0.0 { sum / self.weight } else { 0.0 }
    }

    /// Takes `cp` more in the weight in turn.
    fn step(&mut self, cp: f32) {
        let pieces: Vec<Vec<[f32; 2]>> = (self.column.par_chunks(PIECE))
            .map(|column| {
                let mut all = Vec::with_capacity(column.len());
                self.blocks(column, cp, |_, x, loss| all.push([x, loss]));
                all
            })
            .collect();
        for (touch, [x, loss]) in self.column.iter().zip(pieces.concat()) {
            let row = touch.row as usize;
            self.sum += f64::from(loss - self.losses[row]) * f64::from(self.set.leads[row].weight);
            (self.x[row], self.losses[row]) = (x, loss);
        }
    }

    /// For each touched row: its value / K after `cp` more, and its loss then.
    fn blocks(&self, column: &[Touch], cp: f32, mut see: impl FnMut(&Touch, f32, f32)) {
        let mut block = LossBlock::<BLOCK>::EMPTY;
        let mut kept = [0f32; BLOCK];
        for touches in column.chunks(BLOCK) {
            for (i, touch) in touches.iter().enumerate() {
                kept[i] = self.x[touch.row as usize] + cp * touch.by;
                block.x[i] = kept[i];
                block.targets[i] = self.set.leads[touch.row as usize].target;
            }
            block.apply(self.loss);
            for (i, touch) in touches.iter().enumerate() {
                see(touch, kept[i], block.losses[i]);
            }
        }
    }
}

/// The descent on its way.
struct Descent<'a, 'b> {
    objective: &'a Objective<'b>,
    train: Ledger<'a>,
    held: Ledger<'a>,
    weights: Vec<Pair>,
    cycle: u32,
    /// Tries so far, in touched rows.
    touched: f64,
}

/// Learns from `weights`, rounded where they are whole, on, telling `journal` of each turn and of each accepted step.
pub(crate) fn learn(objective: &Objective, mut weights: Vec<Pair>, journal: &mut Journal) {
    if objective.settings.is_whole() {
        // Whole centipawns from the beginning, since steps are whole.
        weights.iter_mut().flatten().for_each(|w| *w = w.round());
    }
    let (train, held) = (Ledger::new(objective.train, objective), Ledger::new(objective.held, objective));
    let mut descent = Descent { objective, train, held, weights, cycle: 0, touched: 0.0 };
    let mut best = f64::INFINITY;
    for cycle in 1..=objective.settings.epochs {
        descent.cycle = cycle;
        descent.train.refresh(&descent.weights);
        descent.held.refresh(&descent.weights);
        // The end: a whole cycle without a gain where it counts, on the held-out rows.
        best = best.min(descent.decisive());
        if descent.one_cycle(journal).is_break() || descent.decisive() >= best {
            break;
        }
    }
    let passes = descent.touched / objective.train.len().max(1) as f64;
    objective.passes.set(objective.passes.get() + passes);
}

impl Descent<'_, '_> {
    fn decisive(&self) -> f64 {
        if self.objective.held.is_empty() { self.train.mean() } else { self.held.mean() }
    }

    fn one_cycle(&mut self, journal: &mut Journal) -> ControlFlow<()> {
        for i in 0..self.objective.free.len() {
            let free = self.objective.free[i];
            journal.tell(Event::Turn(self.change(free)))?;
            self.train.turn_to(free);
            self.held.turn_to(free);
            for direction in [1.0, -1.0] {
                while self.step(i, direction * self.objective.settings.step_of(free.feature)) {
                    let held = (!self.objective.held.is_empty()).then(|| self.held.mean());
                    journal.change(
                        self.objective,
                        &self.weights,
                        [Some(self.train.mean()), held],
                        self.change(free),
                    )?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn change(&self, Free { feature, phase }: Free) -> LearnedChange {
        LearnedChange { cycle: self.cycle, feature, phase, value: self.weights[feature][phase] as i16 }
    }

    /// Takes a step where it is better and within the bounds.
    fn step(&mut self, i: usize, cp: f64) -> bool {
        let Free { feature, phase } = self.objective.free[i];
        let now = f64::from(self.weights[feature][phase]);
        let next = now + cp;
        if !(self.objective.bounds[i][0]..=self.objective.bounds[i][1]).contains(&next) {
            return false;
        }
        self.touched += self.train.column.len() as f64;
        let pull = self.objective.pull(i, next)[0] - self.objective.pull(i, now)[0];
        if self.train.try_step(cp as f32) + pull >= self.train.mean() {
            return false;
        }
        self.train.step(cp as f32);
        self.held.step(cp as f32);
        self.weights[feature][phase] = next as f32;
        true
    }
}
