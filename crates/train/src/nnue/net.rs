//! A network that learns: blocks of columns of the first layer, what comes after them, a step from a batch of positions.

use super::block::{Block, Shape, blocks};
use super::inputs::{InputTable, Segment};
use super::layout::{NnueLayout, NnueNumbers};
use super::tail::{CHUNK, NnueSums, NnueTarget, Tail};
use super::tensor::{NnueStep, Tensor};
use rayon::prelude::*;
use tesuji_nn::kernels::Isa;
use tesuji_nn::nnue::{Architecture, FloatWeights};

/// Positions that are taken forwards and back at once. Runs are cut where a segment ends, so that the bytes depend on it.
pub(super) const SEGMENT: usize = 1024;

/// See the file.
pub(super) struct Learner {
    architecture: Architecture,
    with: Isa,
    pub(super) blocks: Vec<Block>,
    pub(super) tail: Tail,
    segments: Vec<Segment>,
    slopes: Vec<f32>,
    chunks: Vec<Vec<f32>>,
    touched: Touched,
}

/// Rows that a batch touches.
#[derive(Default)]
struct Touched {
    seen: Vec<u64>,
    rows: Vec<u32>,
}

impl Touched {
    fn gather(&mut self, inputs: usize, segments: &[Segment]) {
        self.rows.clear();
        self.seen.clear();
        self.seen.resize((inputs + 1).div_ceil(64), 0);
        for change in segments.iter().flat_map(|segment| segment.changes.iter().chain(&segment.active)) {
            for row in [change.first, change.second] {
                let (word, bit) = (&mut self.seen[row as usize / 64], 1 << (row % 64));
                if *word & bit == 0 {
                    *word |= bit;
                    self.rows.push(row);
                }
            }
        }
        self.rows.sort_unstable();
    }
}

impl Learner {
    pub(super) fn new(architecture: &Architecture, weights: &FloatWeights, with: Isa) -> Learner {
        Learner {
            blocks: (0..blocks(architecture)).map(|index| Block::new(architecture, weights, index)).collect(),
            tail: Tail::new(architecture, weights),
            architecture: architecture.clone(),
            with,
            segments: Vec::new(),
            slopes: Vec::new(),
            chunks: Vec::new(),
            touched: Touched::default(),
        }
    }

    /// The numbers as passes read them: rounded in the last stage.
    pub(super) fn weights(&self) -> FloatWeights {
        let mut weights = FloatWeights::zeros(&self.architecture);
        self.blocks.iter().enumerate().for_each(|(index, block)| block.write(&self.architecture, index, &mut weights));
        self.tail.write(&mut weights);
        weights
    }

    /// All tensors, in the order of checkpoints.
    pub(super) fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.blocks.iter().flat_map(Block::tensors).chain(self.tail.tensors())
    }

    /// Its tensors, to be changed.
    pub(super) fn tensors_mut(&mut self) -> impl Iterator<Item = &mut Tensor> {
        self.blocks.iter_mut().flat_map(Block::tensors_mut).chain(self.tail.tensors_mut())
    }

    /// The numbers with their moments, for a device. They are not rounded at this time.
    pub(super) fn numbers(&mut self, layout: &NnueLayout) -> NnueNumbers {
        let values = layout.pack(&self.weights());
        let moments = [0, 1].map(|which| {
            let swap = |tensor: &mut Tensor| std::mem::swap(&mut tensor.values, &mut tensor.moments[which]);
            self.tensors_mut().for_each(swap);
            let row = layout.pack(&self.weights());
            self.tensors_mut().for_each(swap);
            row
        });
        NnueNumbers { values, moments }
    }

    /// Takes over what a device made of [`Learner::numbers`].
    pub(super) fn take(&mut self, layout: &NnueLayout, numbers: &NnueNumbers) {
        let [first, second] = &numbers.moments;
        for (which, row) in [&numbers.values, first, second].into_iter().enumerate() {
            let mut other = Learner::new(&self.architecture, &layout.unpack(row), self.with);
            for (to, from) in self.tensors_mut().zip(other.tensors_mut()) {
                let to = if which == 0 { &mut to.values } else { &mut to.moments[which - 1] };
                std::mem::swap(to, &mut from.values);
            }
        }
    }

    /// Passes begin to read numbers as the integers of the network will have them, or no longer do.
    pub(super) fn round(&mut self, is_rounded: bool) {
        self.tensors_mut().for_each(|tensor| tensor.round(is_rounded));
    }

    /// Whether all numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.tensors().all(|tensor| tensor.values.iter().all(|value| value.is_finite()))
    }

    /// Takes `records` as segments; decoding is shared among the threads.
    fn decode(&mut self, table: &InputTable, records: &[u8], mirrored: &[bool]) {
        let size = table.layout().record_bytes();
        let pieces = records.chunks(SEGMENT * size);
        self.segments.resize_with(pieces.len(), Segment::default);
        let flags = |at: usize| mirrored.get(at * SEGMENT..).map_or(&[][..], |rest| &rest[..rest.len().min(SEGMENT)]);
        let pieces: Vec<&[u8]> = pieces.collect();
        let work = self.segments.par_iter_mut().zip(pieces).enumerate();
        work.for_each(|(at, (segment, piece))| segment.decode(table, piece, flags(at)));
    }

    /// Adds the gradient of the mean loss over `records`, of which `mirrored` are shown mirrored; returns sums of the loss.
    pub(super) fn gradient(
        &mut self,
        table: &InputTable,
        records: &[u8],
        mirrored: &[bool],
        target: &NnueTarget,
    ) -> NnueSums {
        self.decode(table, records, mirrored);
        let shape = Shape::of(&self.architecture);
        if shape.is_lazy() {
            self.touched.gather(shape.inputs, &self.segments);
        }
        let (with, mut all) = (self.with, NnueSums::default());
        for segment in &self.segments {
            self.blocks.par_iter_mut().for_each(|block| block.forward(with, segment));
            let partials: Vec<&[f32]> = self.blocks.iter().map(|block| &block.partial[..]).collect();
            let (positions, outputs) = (segment.len(), shape.outputs);
            self.slopes.resize(positions * outputs, 0.0);
            self.chunks.resize_with(positions.div_ceil(CHUNK), Vec::new);
            let (tail, gradients) = (&self.tail, tail_gradients(&self.tail, &mut self.chunks));
            let pieces: Vec<_> = self.slopes.chunks_mut(CHUNK * outputs).zip(gradients).enumerate().collect();
            let sums: Vec<NnueSums> = pieces
                .into_par_iter()
                .map(|(at, (slopes, gradient))| {
                    let positions = at * CHUNK..((at + 1) * CHUNK).min(positions);
                    tail.learn((segment, target), &partials, positions, (slopes, gradient))
                })
                .collect();
            sums.iter().for_each(|sums| all.add(sums));
            self.chunks.iter().for_each(|gradient| self.tail.add_gradient(gradient));
            let slopes = &self.slopes;
            self.blocks.par_iter_mut().for_each(|block| block.backward(with, segment, slopes));
        }
        self.blocks.par_iter_mut().for_each(Block::end_gradient);
        all
    }

    /// The length of the gradient.
    pub(super) fn gradient_length(&self) -> f32 {
        self.tensors().map(Tensor::gradient_square).sum::<f64>().sqrt() as f32
    }

    /// Moves all numbers by the gradient, which becomes 0.
    pub(super) fn step(&mut self, step: &NnueStep) {
        let touched = Shape::of(&self.architecture).is_lazy().then_some(&self.touched.rows[..]);
        let with = self.with;
        self.blocks.par_iter_mut().for_each(|block| block.step(with, step, touched));
        self.tail.step(with, step);
    }

    /// The outputs of `records`, logits for the side to move.
    pub(super) fn outputs(&mut self, table: &InputTable, records: &[u8]) -> Vec<f32> {
        self.decode(table, records, &[]);
        let (with, mut out) = (self.with, Vec::new());
        for segment in &self.segments {
            self.blocks.par_iter_mut().for_each(|block| block.forward(with, segment));
            let partials: Vec<&[f32]> = self.blocks.iter().map(|block| &block.partial[..]).collect();
            self.tail.outputs(segment, &partials, 0..segment.len(), &mut out);
        }
        out
    }

    /// Sums of the loss over `records`, which nothing is learned from.
    pub(super) fn judge(&mut self, table: &InputTable, records: &[u8], target: &NnueTarget) -> NnueSums {
        let outputs = self.outputs(table, records);
        let labels = self.segments.iter().flat_map(|segment| &segment.labels);
        let mut sums = NnueSums::default();
        for (&output, &labels) in outputs.iter().zip(labels) {
            target.loss(output, labels, &mut sums);
        }
        sums
    }
}

/// The gradients of chunks, all 0.
fn tail_gradients<'a>(tail: &Tail, chunks: &'a mut [Vec<f32>]) -> impl Iterator<Item = &'a mut [f32]> {
    let length = tail.gradient_len();
    chunks.iter_mut().map(move |gradient| {
        gradient.clear();
        gradient.resize(length, 0.0);
        &mut gradient[..]
    })
}
