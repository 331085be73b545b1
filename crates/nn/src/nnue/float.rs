//! The numbers of an efficiently updatable network in single precision, as a trainer makes them, and their plain evaluation.

use super::architecture::{Activation, Architecture};
use crate::NetError;
use tesuji_game::Random;

/// The weights of a network in single precision, as training makes them, before quantisation.
///
/// # Examples
///
/// ```
/// use tesuji_nn::nnue::{Architecture, FloatWeights};
/// let text = "name = 'small'\ngame = 'four'\nwidth = 32\nactivation = 'screlu'\n\
///             [features]\nset = 'discs'\ninputs = 84\nactive_max = 42\n";
/// let architecture = Architecture::parse(text)?;
/// let mut weights = FloatWeights::zeros(&architecture);
/// assert_eq!(weights.output(&architecture, &[3], &[45], 0), 0.0);
/// weights.tensors_mut().last_mut().unwrap()[0] = 0.25;
/// assert_eq!(weights.output(&architecture, &[3], &[45], 0), 0.25, "the last bias");
/// weights.features.pop();
/// assert!(weights.check(&architecture).is_err());
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FloatWeights {
    /// `[inputs][width]`: the row that each active input adds to an accumulator.
    pub features: Vec<f32>,
    /// `[width]`: what an accumulator starts from.
    pub bias: Vec<f32>,
    /// `[output_buckets][hidden.len() + 1]` layers after the accumulators.
    pub buckets: Vec<Vec<FloatLayer>>,
}

/// One layer after the accumulators.
#[derive(Debug, Clone, PartialEq)]
pub struct FloatLayer {
    /// `[outputs][inputs]`. The first layer reads the side to move's activated accumulator, then the other side's.
    pub weights: Vec<f32>,
    /// `[outputs]`.
    pub bias: Vec<f32>,
}

impl FloatWeights {
    /// All numbers 0.
    pub fn zeros(architecture: &Architecture) -> Self {
        let layer = |(inputs, outputs): (usize, usize)| FloatLayer {
            weights: vec![0.0; inputs * outputs],
            bias: vec![0.0; outputs],
        };
        let set: Vec<FloatLayer> = architecture.layers().into_iter().map(layer).collect();
        FloatWeights {
            features: vec![0.0; architecture.features.inputs * architecture.width],
            bias: vec![0.0; architecture.width],
            buckets: vec![set; architecture.output_buckets],
        }
    }

    /// A network that knows nothing, ready to be trained: numbers even in ±1 / sqrt(n) where `n` inputs are active at
    /// once, biases 0. All output buckets start alike. The same seed gives the same network.
    pub fn random(architecture: &Architecture, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut even = |numbers: &mut [f32], inputs: usize| {
            let bound = 1.0 / (inputs.max(1) as f64).sqrt();
            numbers.fill_with(|| ((2.0 * random.unit() - 1.0) * bound) as f32);
        };
        let mut weights = FloatWeights::zeros(architecture);
        even(&mut weights.features, architecture.features.active_max);
        let mut set = weights.buckets[0].clone();
        for (layer, (inputs, _)) in set.iter_mut().zip(architecture.layers()) {
            even(&mut layer.weights, inputs);
        }
        weights.buckets.fill(set);
        weights
    }

    /// That there are as many numbers as the architecture wants, all finite.
    ///
    /// # Errors
    /// With the first tensor that differs.
    pub fn check(&self, architecture: &Architecture) -> Result<(), NetError> {
        let wanted = FloatWeights::tensor_shapes(architecture);
        let found: Vec<(String, &[f32])> = self.tensors();
        if found.len() != wanted.len() {
            let text = format!("{} tensors, expected {}", found.len(), wanted.len());
            return Err(NetError::Architecture(text));
        }
        for ((name, numbers), (_, shape)) in found.into_iter().zip(wanted) {
            if numbers.len() != shape.iter().product::<usize>() {
                return Err(NetError::Shape { name, found: vec![numbers.len()], expected: shape });
            }
            if !numbers.iter().all(|number| number.is_finite()) {
                return Err(NetError::NotFinite(name));
            }
        }
        Ok(())
    }

    /// Names and shapes of all tensors in the order of files: `features`, `bias`, then `bucket.B.layer.L.weights` and
    /// `bucket.B.layer.L.bias`.
    pub fn tensor_shapes(architecture: &Architecture) -> Vec<(String, Vec<usize>)> {
        let width = architecture.width;
        let mut all =
            vec![("features".to_owned(), vec![architecture.features.inputs, width]), ("bias".to_owned(), vec![width])];
        for bucket in 0..architecture.output_buckets {
            for (layer, (inputs, outputs)) in architecture.layers().into_iter().enumerate() {
                all.push((format!("bucket.{bucket}.layer.{layer}.weights"), vec![outputs, inputs]));
                all.push((format!("bucket.{bucket}.layer.{layer}.bias"), vec![outputs]));
            }
        }
        all
    }

    /// Names and numbers of all tensors, in the order of [`FloatWeights::tensor_shapes`].
    pub fn tensors(&self) -> Vec<(String, &[f32])> {
        let mut all = vec![("features".to_owned(), &self.features[..]), ("bias".to_owned(), &self.bias[..])];
        for (bucket, layers) in self.buckets.iter().enumerate() {
            for (index, layer) in layers.iter().enumerate() {
                all.push((format!("bucket.{bucket}.layer.{index}.weights"), &layer.weights));
                all.push((format!("bucket.{bucket}.layer.{index}.bias"), &layer.bias));
            }
        }
        all
    }

    /// The numbers of all tensors, in the same order, to be changed.
    pub fn tensors_mut(&mut self) -> Vec<&mut [f32]> {
        let mut all = vec![&mut self.features[..], &mut self.bias[..]];
        for layer in self.buckets.iter_mut().flatten() {
            all.push(&mut layer.weights);
            all.push(&mut layer.bias);
        }
        all
    }

    /// The output for the side to move, a logit; times [`Architecture::scale`] it is centipawns. `own` and `other` are the
    /// active inputs as the side to move and the other side see them. The plain form, for comparison: slow.
    ///
    /// # Panics
    /// When an input or the bucket is beyond the architecture.
    pub fn output(&self, architecture: &Architecture, own: &[u32], other: &[u32], bucket: usize) -> f32 {
        let mut numbers: Vec<f64> =
            [own, other].iter().flat_map(|active| self.activated(architecture, active)).collect();
        let layers = &self.buckets[bucket];
        for (index, layer) in layers.iter().enumerate() {
            let rows = layer.weights.chunks_exact(numbers.len()).zip(&layer.bias);
            let sum = |(row, &bias): (&[f32], &f32)| {
                f64::from(bias)
                    + row.iter().zip(&numbers).map(|(&weight, number)| f64::from(weight) * number).sum::<f64>()
            };
            let clipped = |sum: f64| if index + 1 < layers.len() { sum.clamp(0.0, 1.0) } else { sum };
            numbers = rows.map(sum).map(clipped).collect();
        }
        numbers[0] as f32
    }

    fn activated(&self, architecture: &Architecture, active: &[u32]) -> Vec<f64> {
        let width = architecture.width;
        let mut sums: Vec<f64> = self.bias.iter().map(|&number| f64::from(number)).collect();
        for &input in active {
            let row = &self.features[input as usize * width..][..width];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += f64::from(weight));
        }
        sums.iter_mut().for_each(|sum| *sum = sum.clamp(0.0, 1.0));
        match architecture.activation {
            Activation::Crelu => sums,
            Activation::Screlu => sums.iter().map(|c| c * c).collect(),
            Activation::Pairwise => {
                let (low, high) = sums.split_at(width / 2);
                low.iter().zip(high).map(|(a, b)| a * b).collect()
            }
        }
    }
}
