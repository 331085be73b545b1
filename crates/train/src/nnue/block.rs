//! A block of 32 columns of the first layer with its part of the next one: the unit that one thread works on. What a thread
//! does to its block depends on no other block, so that the bytes are the same for any number of threads.

use super::inputs::Segment;
use super::kernels::{Backward, Forward, backward, forward};
use super::strip::{HALF, STRIP};
use super::tensor::{NnueStep, Tensor};
use tesuji_nn::kernels::Isa;
use tesuji_nn::nnue::{Activation, Architecture, FloatWeights};

/// Rows of the first layer from which on only rows that a batch touched are moved. Of fewer rows most are touched in any batch.
const LAZY_FROM: usize = 8192;
/// Weights stay within ±this: 127 / 64, what integers of one byte hold; the usual bound of other trainers, too.
pub(super) const WEIGHT_BOUND: f32 = 1.98;

/// See the file.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// `[inputs + 1][STRIP]`; the last row is 0.
    pub(super) rows: Tensor,
    /// `[STRIP]`.
    pub(super) bias: Tensor,
    /// `[buckets][outputs][own, other][STRIP]`.
    pub(super) head: Tensor,
    clipped: Vec<f32>,
    /// `[positions][outputs]` of the segment last seen.
    pub(super) partial: Vec<f32>,
    shape: Shape,
}

/// The sizes of the network that blocks need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) inputs: usize,
    pub(super) activation: Activation,
    pub(super) buckets: usize,
    /// Of the layer after the accumulators.
    pub(super) outputs: usize,
}

impl Shape {
    pub(super) fn of(architecture: &Architecture) -> Shape {
        Shape {
            inputs: architecture.features.inputs,
            activation: architecture.activation,
            buckets: architecture.output_buckets,
            outputs: architecture.layers()[0].1,
        }
    }

    /// Whether only touched rows are moved.
    pub(super) fn is_lazy(&self) -> bool {
        self.inputs >= LAZY_FROM
    }
}

/// The columns of block `index`, one for each lane, where the network has one. With products of pairs both of a pair are in one block.
fn columns(architecture: &Architecture, index: usize) -> impl Iterator<Item = Option<usize>> {
    let (width, is_paired) = (architecture.width, architecture.activation == Activation::Pairwise);
    (0..STRIP).map(move |lane| {
        let column = match (is_paired, lane < HALF) {
            (false, _) => index * STRIP + lane,
            (true, true) => index * HALF + lane,
            (true, false) => width / 2 + index * HALF + lane - HALF,
        };
        (column < width).then_some(column)
    })
}

/// Blocks of a network.
pub(super) fn blocks(architecture: &Architecture) -> usize {
    architecture.width.div_ceil(STRIP)
}

impl Block {
    /// Block `index` of `weights`.
    pub(super) fn new(architecture: &Architecture, weights: &FloatWeights, index: usize) -> Block {
        let shape = Shape::of(architecture);
        let (width, activated) = (architecture.width, architecture.activated());
        let columns: Vec<Option<usize>> = columns(architecture, index).collect();
        let strip = |row: &[f32]| columns.iter().map(|column| column.map_or(0.0, |at| row[at])).collect::<Vec<f32>>();
        let mut rows: Vec<f32> = Vec::with_capacity((shape.inputs + 1) * STRIP);
        weights.features.chunks_exact(width).for_each(|row| rows.extend(strip(row)));
        // One row more, of zeros, for inputs that only one side has: passes need no branch.
        rows.resize((shape.inputs + 1) * STRIP, 0.0);
        let mut head = Vec::with_capacity(shape.buckets * shape.outputs * 2 * STRIP);
        for bucket in &weights.buckets {
            for row in bucket[0].weights.chunks_exact(2 * activated) {
                for half in row.chunks_exact(activated) {
                    let lane = |column: &Option<usize>| column.and_then(|at| half.get(at)).copied().unwrap_or(0.0);
                    head.extend(columns.iter().map(lane));
                }
            }
        }
        let quantisation = architecture.quantisation;
        let one = if architecture.hidden.is_empty() { quantisation.output } else { quantisation.hidden };
        Block {
            rows: Tensor::new(rows, WEIGHT_BOUND, quantisation.input),
            bias: Tensor::new(strip(&weights.bias), WEIGHT_BOUND, quantisation.input).without_decay(),
            head: Tensor::new(head, WEIGHT_BOUND, one),
            clipped: Vec::new(),
            partial: Vec::new(),
            shape,
        }
    }

    /// Writes the numbers that passes read into `weights`, as block `index`.
    pub(super) fn write(&self, architecture: &Architecture, index: usize, weights: &mut FloatWeights) {
        let (width, activated) = (architecture.width, architecture.activated());
        let columns: Vec<(usize, usize)> =
            columns(architecture, index).enumerate().filter_map(|(lane, column)| Some((lane, column?))).collect();
        let rows = self.rows.used().chunks_exact(STRIP);
        for (row, from) in weights.features.chunks_exact_mut(width).zip(rows) {
            columns.iter().for_each(|&(lane, column)| row[column] = from[lane]);
        }
        columns.iter().for_each(|&(lane, column)| weights.bias[column] = self.bias.used()[lane]);
        let mut strips = self.head.used().chunks_exact(STRIP);
        for row in weights.buckets.iter_mut().flat_map(|bucket| bucket[0].weights.chunks_exact_mut(2 * activated)) {
            for half in row.chunks_exact_mut(activated) {
                let Some(from) = strips.next() else { return };
                let lanes = columns.iter().filter(|&&(_, column)| column < activated);
                lanes.for_each(|&(lane, column)| half[column] = from[lane]);
            }
        }
    }

    /// The tensors in the order of checkpoints.
    pub(super) fn tensors(&self) -> [&Tensor; 3] {
        [&self.rows, &self.bias, &self.head]
    }

    /// Its tensors, to be changed.
    pub(super) fn tensors_mut(&mut self) -> [&mut Tensor; 3] {
        [&mut self.rows, &mut self.bias, &mut self.head]
    }

    /// The way forwards: [`Block::partial`] of the positions of `segment`.
    pub(super) fn forward(&mut self, with: Isa, segment: &Segment) {
        let positions = segment.len();
        self.clipped.resize(positions * 2 * STRIP, 0.0);
        self.partial.resize(positions * self.shape.outputs, 0.0);
        let call = Forward {
            segment,
            rows: self.rows.used(),
            bias: self.bias.used(),
            head: self.head.used(),
            outputs: self.shape.outputs,
            buckets: self.shape.buckets,
            clipped: &mut self.clipped,
            partial: &mut self.partial,
            is_far: self.shape.is_lazy(),
        };
        forward(with, self.shape.activation, call);
    }

    /// The way back from `slopes`, `[positions][outputs]`; after [`Block::forward`] of the same segment.
    pub(super) fn backward(&mut self, with: Isa, segment: &Segment, slopes: &[f32]) {
        let (head, head_gradient) = self.head.used_and_gradient();
        let call = Backward {
            segment,
            head,
            outputs: self.shape.outputs,
            buckets: self.shape.buckets,
            clipped: &self.clipped,
            slopes,
            row_gradient: &mut self.rows.gradient,
            bias_gradient: &mut self.bias.gradient,
            head_gradient,
            is_far: self.shape.is_lazy(),
        };
        backward(with, self.shape.activation, call);
    }

    /// Ends the gradient of a batch: what passes wrote in places of no meaning becomes 0.
    pub(super) fn end_gradient(&mut self) {
        // What passes wrote for inputs that a side lacks is no gradient: that row stays 0.
        self.rows.gradient[self.shape.inputs * STRIP..].fill(0.0);
        if self.shape.activation == Activation::Pairwise {
            // Both lanes of a pair hold the same product: the weights of the upper half stay 0, or it would count twice.
            self.head.gradient.chunks_exact_mut(STRIP).for_each(|strip| strip[HALF..].fill(0.0));
        }
    }

    /// Moves its numbers; `touched` are the rows that a batch used, in ascending order, where only these are moved.
    pub(super) fn step(&mut self, with: Isa, step: &NnueStep, touched: Option<&[u32]>) {
        let rows = self.shape.inputs * STRIP;
        match touched {
            None => self.rows.step(with, step, 0..rows),
            Some(touched) => {
                for &row in touched.iter().filter(|&&row| (row as usize) < self.shape.inputs) {
                    let at = row as usize * STRIP;
                    self.rows.step(with, step, at..at + STRIP);
                }
            }
        }
        self.bias.step_all(with, step);
        self.head.step_all(with, step);
    }
}
