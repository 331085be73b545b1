//! The layers after the first one: small dense layers, the loss, and backpropagation to the sums of the blocks. Done in chunks of
//! positions whose gradients are added in order, so that the result does not depend on the threads.

use super::block::WEIGHT_BOUND;
use super::inputs::{Label, Segment};
use super::record::NO_RESULT;
use super::tensor::{NnueStep, Tensor};
use std::ops::Range;
use tesuji_nn::kernels::Isa;
use tesuji_nn::nnue::{Architecture, FloatWeights};

/// Positions of a chunk.
pub(super) const CHUNK: usize = 256;
/// The widest layer and the deepest net that an [`Architecture`] may have.
const OUTPUTS_MAX: usize = 256;
const LAYERS_MAX: usize = 4;
/// Biases stay within ±this: of no meaning but to keep them finite.
pub(super) const BIAS_BOUND: f32 = 64.0;

/// The training target of a position: the logistic function of `score / scale`, mixed with the result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NnueTarget {
    /// Centipawns of which the logistic function makes 73 %.
    pub scale: f32,
    /// The share of the game's result, 0 to 1.
    pub result_share: f32,
    /// The loss is the error to this power.
    pub power: f32,
    /// Positions of a batch, whose mean loss is minimised.
    pub batch: f32,
    /// Whether the network corrects the hand-made evaluation: its output is added to that, divided by `scale`.
    pub corrects: bool,
}

/// Sums over positions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct NnueSums {
    /// Positions that were counted.
    pub positions: f64,
    /// The loss as it is minimised.
    pub loss: f64,
    /// Squared error against the result of the game, both in -1..=1.
    pub value: f64,
    /// Games that were decided.
    pub decided: f64,
    /// Outputs on the winner's side.
    pub signs: f64,
}

impl NnueSums {
    /// Adds other positions.
    pub fn add(&mut self, other: &NnueSums) {
        self.positions += other.positions;
        self.loss += other.loss;
        self.value += other.value;
        self.decided += other.decided;
        self.signs += other.signs;
    }
}

/// See the file.
#[derive(Debug, Clone)]
pub(super) struct Tail {
    /// Outputs of each layer after the accumulators; the last has 1.
    outputs: Vec<usize>,
    buckets: usize,
    /// Of all layers but the first, whose weights the blocks have: `[buckets][outputs][inputs]`.
    weights: Vec<Tensor>,
    /// Of all layers: `[buckets][outputs]`.
    biases: Vec<Tensor>,
}

/// Sum of products in a fixed order: eight lanes, then these.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Eight sums side by side: a compiler may not reorder the additions of one.
    let mut lanes = [0.0f32; 8];
    let (eights, others) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (x, y) in eights.0.iter().zip(others.0) {
        for lane in 0..8 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    let rest: f32 = eights.1.iter().zip(others.1).map(|(x, y)| x * y).sum();
    let four: [f32; 4] = std::array::from_fn(|lane| lanes[lane] + lanes[lane + 4]);
    (four[0] + four[2]) + (four[1] + four[3]) + rest
}

/// `to += factor * from`.
#[inline(always)]
fn add_scaled(to: &mut [f32], factor: f32, from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

/// The logistic function.
pub(super) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl NnueTarget {
    /// The loss of `output`, a logit, and its slope by that (of the mean over the batch).
    pub(super) fn loss(&self, output: f32, label: Label, sums: &mut NnueSums) -> f32 {
        let Label { score, base, half_points } = label;
        let output = if self.corrects { output + f32::from(base) / self.scale } else { output };
        let of_score = logistic(f32::from(score) / self.scale);
        let result = if half_points == NO_RESULT { of_score } else { f32::from(half_points) * 0.5 };
        let target = of_score + self.result_share * (result - of_score);
        let expected = logistic(output);
        let error = expected - target;
        let (loss, slope) = if self.power == 2.0 {
            (error * error, 2.0 * error)
        } else {
            let size = error.abs().powf(self.power - 1.0);
            (size * error.abs(), self.power * size * error.signum())
        };
        sums.positions += 1.0;
        sums.loss += f64::from(loss);
        // Twice the distance: expected results in 0..=1 are told as values in -1..=1.
        sums.value += f64::from(4.0 * (expected - result) * (expected - result));
        // A draw has no winner whose sign could be right.
        if matches!(half_points, 0 | 2) {
            sums.decided += 1.0;
            sums.signs += f64::from(u8::from((output > 0.0) == (half_points == 2)));
        }
        slope * expected * (1.0 - expected) / self.batch
    }
}

impl Tail {
    pub(super) fn new(architecture: &Architecture, weights: &FloatWeights) -> Tail {
        let outputs: Vec<usize> = architecture.layers().iter().map(|&(_, outputs)| outputs).collect();
        let last = outputs.len() - 1;
        let gather = |layer: usize, is_bias: bool| -> Vec<f32> {
            let layers = weights.buckets.iter().map(|bucket| &bucket[layer]);
            layers.flat_map(|layer| if is_bias { &layer.bias } else { &layer.weights }).copied().collect()
        };
        let quantisation = architecture.quantisation;
        let one = |layer| if layer == last { quantisation.output } else { quantisation.hidden };
        Tail {
            buckets: architecture.output_buckets,
            weights: (1..=last).map(|layer| Tensor::new(gather(layer, false), WEIGHT_BOUND, one(layer))).collect(),
            biases: (0..=last).map(|layer| Tensor::new(gather(layer, true), BIAS_BOUND, 0).without_decay()).collect(),
            outputs,
        }
    }

    /// Writes the numbers that passes read into `weights`.
    pub(super) fn write(&self, weights: &mut FloatWeights) {
        for (bucket, layers) in weights.buckets.iter_mut().enumerate() {
            for (index, layer) in layers.iter_mut().enumerate() {
                if index > 0 {
                    let size = layer.weights.len();
                    layer.weights.copy_from_slice(&self.weights[index - 1].used()[bucket * size..][..size]);
                }
                let size = layer.bias.len();
                layer.bias.copy_from_slice(&self.biases[index].values[bucket * size..][..size]);
            }
        }
    }

    /// The tensors in the order of checkpoints.
    pub(super) fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.weights.iter().chain(&self.biases)
    }

    /// Its tensors, to be changed.
    pub(super) fn tensors_mut(&mut self) -> impl Iterator<Item = &mut Tensor> {
        self.weights.iter_mut().chain(&mut self.biases)
    }

    /// Numbers of all gradients, one after another.
    pub(super) fn gradient_len(&self) -> usize {
        self.tensors().map(|tensor| tensor.values.len()).sum()
    }

    /// Adds the gradient of a chunk.
    pub(super) fn add_gradient(&mut self, mut gradient: &[f32]) {
        for tensor in self.tensors_mut() {
            let (here, rest) = gradient.split_at(tensor.gradient.len());
            tensor.gradient.iter_mut().zip(here).for_each(|(to, from)| *to += from);
            gradient = rest;
        }
    }

    /// Moves its numbers.
    pub(super) fn step(&mut self, with: Isa, step: &NnueStep) {
        self.tensors_mut().for_each(|tensor| tensor.step_all(with, step));
    }

    /// The outputs of `positions` of a segment, whose sums of the first layer are those of `partials` together.
    pub(super) fn outputs(&self, segment: &Segment, partials: &[&[f32]], positions: Range<usize>, out: &mut Vec<f32>) {
        let mut layers = [[0.0; OUTPUTS_MAX]; LAYERS_MAX];
        out.extend(positions.map(|at| self.forward(self.bucket(segment, at), partials, at, &mut layers)));
    }

    fn bucket(&self, segment: &Segment, at: usize) -> usize {
        usize::from(segment.heads[at].bucket) % self.buckets
    }

    /// The loss of `positions`, with its slopes by the sums of the first layer, `[positions][outputs]`, and the gradient of
    /// the numbers here, to which it adds.
    pub(super) fn learn(
        &self,
        (segment, target): (&Segment, &NnueTarget),
        partials: &[&[f32]],
        positions: Range<usize>,
        (slopes, gradient): (&mut [f32], &mut [f32]),
    ) -> NnueSums {
        let (mut sums, mut layers) = (NnueSums::default(), [[0.0; OUTPUTS_MAX]; LAYERS_MAX]);
        for (at, slopes) in positions.zip(slopes.chunks_exact_mut(self.outputs[0])) {
            let bucket = self.bucket(segment, at);
            let output = self.forward(bucket, partials, at, &mut layers);
            let slope = target.loss(output, segment.labels[at], &mut sums);
            self.backward(bucket, slope, &layers, (slopes, gradient));
        }
        sums
    }

    /// The output; `layers` become the sums of all layers.
    #[inline(always)]
    fn forward(
        &self,
        bucket: usize,
        partials: &[&[f32]],
        at: usize,
        layers: &mut [[f32; OUTPUTS_MAX]; LAYERS_MAX],
    ) -> f32 {
        let count = self.outputs[0];
        let sums = &mut layers[0][..count];
        sums.copy_from_slice(&self.biases[0].used()[bucket * count..][..count]);
        for partial in partials {
            sums.iter_mut().zip(&partial[at * count..][..count]).for_each(|(sum, part)| *sum += part);
        }
        let mut clipped = [0.0; OUTPUTS_MAX];
        for (index, weights) in self.weights.iter().enumerate() {
            let (inputs, outputs) = (self.outputs[index], self.outputs[index + 1]);
            clipped[..inputs].copy_from_slice(&layers[index][..inputs]);
            clipped[..inputs].iter_mut().for_each(|x| *x = x.clamp(0.0, 1.0));
            let rows = weights.used()[bucket * inputs * outputs..].chunks_exact(inputs);
            let bias = &self.biases[index + 1].used()[bucket * outputs..][..outputs];
            for ((to, row), bias) in layers[index + 1].iter_mut().zip(rows).zip(bias) {
                *to = bias + dot(row, &clipped[..inputs]);
            }
        }
        layers[self.outputs.len() - 1][0]
    }

    /// The way back from the slope of the output.
    #[inline(always)]
    fn backward(
        &self,
        bucket: usize,
        slope: f32,
        layers: &[[f32; OUTPUTS_MAX]; LAYERS_MAX],
        (slopes, gradient): (&mut [f32], &mut [f32]),
    ) {
        let last = self.outputs.len() - 1;
        let (weights_end, mut here) = (self.weights.iter().map(|w| w.values.len()).sum::<usize>(), [0.0; OUTPUTS_MAX]);
        let (of_weights, of_biases) = gradient.split_at_mut(weights_end);
        let (mut weights_at, mut biases_at) = (of_weights.len(), of_biases.len());
        here[0] = slope;
        for layer in (0..=last).rev() {
            let outputs = self.outputs[layer];
            biases_at -= self.buckets * outputs;
            add_scaled(&mut of_biases[biases_at + bucket * outputs..][..outputs], 1.0, &here[..outputs]);
            if layer == 0 {
                break;
            }
            let inputs = self.outputs[layer - 1];
            let size = inputs * outputs;
            weights_at -= self.buckets * size;
            let (sums, mut clipped, mut below) = (&layers[layer - 1][..inputs], [0.0; OUTPUTS_MAX], [0.0; OUTPUTS_MAX]);
            clipped.iter_mut().zip(sums).for_each(|(to, x)| *to = x.clamp(0.0, 1.0));
            let rows = self.weights[layer - 1].used()[bucket * size..][..size].chunks_exact(inputs);
            let of_rows = of_weights[weights_at + bucket * size..][..size].chunks_exact_mut(inputs);
            for ((row, of_row), &slope) in rows.zip(of_rows).zip(&here) {
                add_scaled(&mut below[..inputs], slope, row);
                add_scaled(of_row, slope, &clipped[..inputs]);
            }
            for (below, sum) in below.iter_mut().zip(sums) {
                *below = if *sum > 0.0 && *sum < 1.0 { *below } else { 0.0 };
            }
            here = below;
        }
        slopes.copy_from_slice(&here[..self.outputs[0]]);
    }
}
