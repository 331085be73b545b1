//! The numbers of a network in one row, as devices hold them: which tensor lies where, and what the optimiser does to it.

use super::block::{Shape, WEIGHT_BOUND};
use super::tail::BIAS_BOUND;
use std::ops::Range;
use tesuji_nn::nnue::{Architecture, FloatWeights};

/// Numbers of one kind in the row of a [`NnueLayout`].
#[derive(Debug, Clone, PartialEq)]
pub struct NumberGroup {
    /// Where they lie in the row.
    pub range: Range<usize>,
    /// Numbers beyond ±this are brought back.
    pub bound: f32,
    /// 1.0 as an integer of the network; 0: never rounded.
    pub one: f32,
    /// Whether weight decay makes them smaller.
    pub decays: bool,
}

/// The numbers of a network in one row: rows of the first layer and its bias, `[inputs + 1][width]`; then the weights of each
/// layer after it, `[buckets][outputs][inputs]`; then their biases, `[buckets][outputs]`.
///
/// # Examples
///
/// ```
/// use tesuji_nn::nnue::{Architecture, FloatWeights};
/// use tesuji_train::nnue::NnueLayout;
/// let text = "name = 'small'\ngame = 'cells'\nwidth = 32\nactivation = 'screlu'\nhidden = [4]\n\
///             [features]\nset = 'cells'\ninputs = 8\nactive_max = 4\n";
/// let architecture = Architecture::parse(text)?;
/// let layout = NnueLayout::new(&architecture);
/// assert_eq!((layout.bias().range.clone(), layout.weights(1).range.clone()), (256..288, 544..548));
/// let weights = FloatWeights::random(&architecture, 1);
/// assert_eq!(layout.unpack(&layout.pack(&weights)), weights);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NnueLayout {
    architecture: Architecture,
    groups: Vec<NumberGroup>,
}

impl NnueLayout {
    /// The layout of a network.
    pub fn new(architecture: &Architecture) -> NnueLayout {
        let (quantisation, layers) = (architecture.quantisation, architecture.layers());
        let mut groups: Vec<NumberGroup> = Vec::new();
        let mut add = |len: usize, bound: f32, one: i32, decays: bool| {
            let start = groups.last().map_or(0, |group| group.range.end);
            groups.push(NumberGroup { range: start..start + len, bound, one: one as f32, decays });
        };
        add(architecture.features.inputs * architecture.width, WEIGHT_BOUND, quantisation.input, true);
        add(architecture.width, WEIGHT_BOUND, quantisation.input, false);
        for (layer, (inputs, outputs)) in layers.iter().enumerate() {
            let one = if layer + 1 == layers.len() { quantisation.output } else { quantisation.hidden };
            add(architecture.output_buckets * inputs * outputs, WEIGHT_BOUND, one, true);
        }
        for (_, outputs) in &layers {
            add(architecture.output_buckets * outputs, BIAS_BOUND, 0, false);
        }
        NnueLayout { architecture: architecture.clone(), groups }
    }

    /// The network.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Whether a step moves only rows of the first layer that its batch touched.
    pub fn is_lazy(&self) -> bool {
        Shape::of(&self.architecture).is_lazy()
    }

    /// All groups, in their order.
    pub fn groups(&self) -> &[NumberGroup] {
        &self.groups
    }

    /// Numbers in the row.
    pub fn numbers(&self) -> usize {
        self.groups.last().map_or(0, |group| group.range.end)
    }

    /// The rows of the first layer.
    pub fn rows(&self) -> &NumberGroup {
        &self.groups[0]
    }

    /// The bias of the first layer, behind its rows.
    pub fn bias(&self) -> &NumberGroup {
        &self.groups[1]
    }

    /// The weights of a layer after the first one, of all buckets.
    pub fn weights(&self, layer: usize) -> &NumberGroup {
        &self.groups[2 + layer]
    }

    /// The biases of a layer after the first one, of all buckets.
    pub fn biases(&self, layer: usize) -> &NumberGroup {
        &self.groups[2 + self.architecture.layers().len() + layer]
    }

    /// Numbers of `weights` as a row.
    pub fn pack(&self, weights: &FloatWeights) -> Vec<f32> {
        let mut row = Vec::with_capacity(self.numbers());
        row.extend(&weights.features);
        row.extend(&weights.bias);
        for layer in 0..self.architecture.layers().len() {
            weights.buckets.iter().for_each(|bucket| row.extend(&bucket[layer].weights));
        }
        for layer in 0..self.architecture.layers().len() {
            weights.buckets.iter().for_each(|bucket| row.extend(&bucket[layer].bias));
        }
        row
    }

    /// The reverse of [`NnueLayout::pack`].
    ///
    /// # Panics
    /// When the row has another length than [`NnueLayout::numbers`].
    pub fn unpack(&self, row: &[f32]) -> FloatWeights {
        assert_eq!(row.len(), self.numbers(), "a row of another network");
        let mut weights = FloatWeights::zeros(&self.architecture);
        weights.features.copy_from_slice(&row[self.rows().range.clone()]);
        weights.bias.copy_from_slice(&row[self.bias().range.clone()]);
        for (bucket, layers) in weights.buckets.iter_mut().enumerate() {
            for (index, layer) in layers.iter_mut().enumerate() {
                for (to, group) in [(&mut layer.weights, self.weights(index)), (&mut layer.bias, self.biases(index))] {
                    let len = to.len();
                    to.copy_from_slice(&row[group.range.start + bucket * len..][..len]);
                }
            }
        }
        weights
    }
}

/// The state of the optimiser: numbers with their moments, each a row of a [`NnueLayout`].
#[derive(Debug, Clone, PartialEq)]
pub struct NnueNumbers {
    /// The numbers, not rounded.
    pub values: Vec<f32>,
    /// Means of gradients, and of their squares.
    pub moments: [Vec<f32>; 2],
}
