//! The heads of a model, and what its raw numbers mean.

use super::{
    GLOBALS,
    layers::{Conv, Linear, Norm, Workspace, pool},
    model::{Model, PolicyLayers, Units, ValueLayers},
};
use crate::kernels::{Curve, padded};

/// The output of a KataGo network for one position, from the point of view of the side to move.
///
/// # Examples
///
/// ```
/// use tesuji_nn::ForeignOutput;
/// let even = ForeignOutput { win: 0.5, loss: 0.5, ..ForeignOutput::default() };
/// assert_eq!(even.value(), 0.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ForeignOutput {
    /// The probability of winning.
    pub win: f32,
    /// The probability of losing.
    pub loss: f32,
    /// The probability that the game ends without a result, by repetition; 0 under superko and area scoring.
    pub no_result: f32,
    /// The expected score of play like the network's self-play, in points.
    pub score_mean: f32,
    /// The expected square of that score.
    pub score_mean_square: f32,
    /// The points by which the side to move is ahead: what komi would have to be for an even game.
    pub lead: f32,
    /// The time until the uncertainty is gone, in moves; `None` before version 9.
    pub variance_time: Option<f32>,
    /// The expected error of the value, compared with that after a short search; `None` before version 9.
    pub short_value_error: Option<f32>,
    /// The expected error of the score, in points; `None` before version 9.
    pub short_score_error: Option<f32>,
}

impl ForeignOutput {
    /// The expected result in -1..=1, where no result counts as a draw.
    pub fn value(&self) -> f32 {
        self.win - self.loss
    }
}

/// The policy head.
#[derive(Debug)]
pub(super) struct Policy {
    channels: usize,
    first: Conv,
    pooled: Conv,
    pooled_curve: Curve,
    to_shift: Linear,
    mid: Norm,
    last: Conv,
    to_pass: Linear,
    pass_end: Option<(Curve, Linear)>,
}

impl Policy {
    pub(super) fn new(layers: &PolicyLayers) -> Policy {
        let bias = layers.pass_end.as_ref().map_or(&[][..], |(bias, _, _)| bias);
        Policy {
            channels: layers.channels,
            first: Conv::scaled(&layers.first, &layers.mid),
            pooled: Conv::folded(&layers.pooled, &layers.pooled_norm),
            pooled_curve: layers.pooled_norm.curve,
            to_shift: Linear::new(&layers.to_shift, &[]),
            mid: Norm::new(&layers.mid),
            last: Conv::plain(&layers.last),
            to_pass: Linear::new(&layers.to_pass, bias),
            pass_end: layers.pass_end.as_ref().map(|(_, curve, last)| (*curve, Linear::new(last, &[]))),
        }
    }

    /// Multiplications for a position of `area` points.
    pub(super) fn work(&self, area: usize) -> usize {
        area * (self.first.work() + self.pooled.work() + self.last.work())
    }

    /// Logits of all points and of passing, board after board, into `out`. `optimism`: the share of the optimistic policy, where
    /// there is one.
    pub(super) fn run(&self, work: &mut Workspace, trunk: &[f32], optimism: f32, out: &mut [f32]) {
        let (mut inner, mut seen) = (work.take(self.first.outputs()), work.take(self.pooled.outputs()));
        let mut logits = work.take(self.channels);
        self.first.run(work, trunk, false, Curve::Identity, &mut inner);
        self.pooled.run(work, trunk, false, self.pooled_curve, &mut seen);
        let mixed = |numbers: &[f32]| match self.channels {
            1 => numbers[0],
            _ => numbers[0] + optimism * (numbers[1] - numbers[0]),
        };
        let actions = work.area() + 1;
        for (board, out) in out.chunks_exact_mut(actions).enumerate().take(work.boards) {
            let pooled = pool(work, board, &seen, self.pooled.outputs(), false);
            self.mid.finish(work, board, &self.to_shift.run(&pooled), &mut inner);
            let mut pass = self.to_pass.run(&pooled);
            if let Some((curve, last)) = &self.pass_end {
                pass.iter_mut().for_each(|number| *number = curve.at(*number));
                pass = last.run(&pass);
            }
            out[actions - 1] = mixed(&pass);
        }
        self.last.run(work, &inner, false, Curve::Identity, &mut logits);
        let stride = padded(self.channels);
        for (board, out) in out.chunks_exact_mut(actions).enumerate().take(work.boards) {
            for (&point, out) in work.points(board).iter().zip(out) {
                *out = mixed(&logits[point as usize * stride..][..self.channels]);
            }
        }
        work.give(self.channels, logits);
        work.give(self.pooled.outputs(), seen);
        work.give(self.first.outputs(), inner);
    }
}

/// The value head.
#[derive(Debug)]
pub(super) struct Value {
    version: usize,
    units: Units,
    first: Conv,
    curve: Curve,
    hidden: Linear,
    hidden_curve: Curve,
    result: Linear,
    score: Linear,
    ownership: Conv,
}

/// `ln(1 + exp(x))`.
fn softplus(x: f32) -> f32 {
    if x > 40.0 { x } else { x.exp().ln_1p() }
}

impl Value {
    pub(super) fn new(model: &Model) -> Value {
        let layers: &ValueLayers = &model.value;
        Value {
            version: model.version,
            units: model.units,
            first: Conv::folded(&layers.first, &layers.norm),
            curve: layers.norm.curve,
            hidden: Linear::new(&layers.hidden, &layers.hidden_bias),
            hidden_curve: layers.hidden_curve,
            result: Linear::new(&layers.result, &layers.result_bias),
            score: Linear::new(&layers.score, &layers.score_bias),
            ownership: Conv::plain(&layers.ownership),
        }
    }

    /// Multiplications for a position of `area` points.
    pub(super) fn work(&self, area: usize) -> usize {
        area * (self.first.work() + self.ownership.work()) + self.hidden.work()
    }

    /// Channels of its first convolution, and numbers of its hidden layer.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.first.outputs(), self.hidden.run(&[]).len())
    }

    /// The outputs of each board of a pass, and in `ownership` that of all points, board after board. `globals` are the global
    /// inputs of each board.
    pub(super) fn run(
        &self,
        work: &mut Workspace,
        trunk: &[f32],
        globals: &[[f32; GLOBALS]],
        ownership: &mut [f32],
    ) -> Vec<ForeignOutput> {
        let mut inner = work.take(self.first.outputs());
        let mut owners = work.take(1);
        self.first.run(work, trunk, false, self.curve, &mut inner);
        let output = |board: usize| {
            let mut hidden = self.hidden.run(&pool(work, board, &inner, self.first.outputs(), true));
            hidden.iter_mut().for_each(|number| *number = self.hidden_curve.at(*number));
            self.output(&self.result.run(&hidden), &self.score.run(&hidden), &globals[board])
        };
        let outputs = (0..work.boards).map(output).collect();
        self.ownership.run(work, &inner, false, Curve::Identity, &mut owners);
        let (area, stride) = (work.area(), padded(1));
        for (board, ownership) in ownership.chunks_exact_mut(area).enumerate().take(work.boards) {
            for (&point, to) in work.points(board).iter().zip(ownership) {
                *to = owners[point as usize * stride].tanh();
            }
        }
        work.give(1, owners);
        work.give(self.first.outputs(), inner);
        outputs
    }

    /// The meaning of the raw numbers.
    fn output(&self, result: &[f32], score: &[f32], globals: &[f32; GLOBALS]) -> ForeignOutput {
        let (is_repetition_forbidden, has_territory) = (globals[NO_REPETITION] != 0.0, globals[TERRITORY] != 0.0);
        // A game without result ends by repetition, which superko forbids; under territory scoring there are other ways.
        let possible = if is_repetition_forbidden && !has_territory { 2 } else { 3 };
        let most = result[..possible].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut chances = [0.0; 3];
        chances.iter_mut().zip(&result[..possible]).for_each(|(chance, logit)| *chance = (logit - most).exp());
        let sum: f32 = chances.iter().sum();
        let [win, loss, no_result] = chances.map(|chance| chance / sum);
        let units = &self.units;
        let (mean, deviation) = (score[0] * units.score_mean, softplus(score[1]) * units.score_deviation);
        // No result is a score of 0.
        let has_result = 1.0 - no_result;
        let mut output = ForeignOutput {
            win,
            loss,
            no_result,
            score_mean: mean * has_result,
            score_mean_square: (mean * mean + deviation * deviation) * has_result,
            lead: score[2] * units.lead * has_result,
            ..ForeignOutput::default()
        };
        if let Some(&[value_error, score_error]) = score.get(4..6) {
            output.variance_time = Some(softplus(score[3]) * units.variance_time);
            let [value_error, score_error] = match self.version {
                14.. => [(value_error, units.short_value_error), (score_error, units.short_score_error)]
                    .map(|(error, unit)| softplus(error * 0.5) * unit.sqrt()),
                10..14 => [(value_error, units.short_value_error), (score_error, units.short_score_error)]
                    .map(|(error, unit)| (softplus(error) * unit).sqrt()),
                _ => [softplus(value_error), softplus(score_error) * 10.0],
            };
            (output.short_value_error, output.short_score_error) = (Some(value_error), Some(score_error));
        }
        output
    }
}

/// Among the global inputs: that positions must not repeat.
const NO_REPETITION: usize = 6;
/// Among the global inputs: territory scoring.
const TERRITORY: usize = 9;
