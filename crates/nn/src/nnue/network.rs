//! An efficiently updatable network in integers: quantisation with checks, and its plain evaluation, which all kernels match.

use super::{
    architecture::{Activation, Architecture, Quantisation},
    float::{FloatLayer, FloatWeights},
};
use crate::{NetError, Origin};

/// A quantised network, as files hold it.
///
/// # Examples
///
/// ```
/// use tesuji_nn::nnue::{Architecture, FloatWeights, Network};
/// let text = "name = 'small'\ngame = 'four'\nwidth = 32\nactivation = 'screlu'\n\
///             [features]\nset = 'discs'\ninputs = 84\nactive_max = 42\n";
/// let architecture = Architecture::parse(text)?;
/// let make = |seed| Network::quantise(&architecture, &FloatWeights::random(&architecture, seed));
/// let (one, other) = (make(1)?, make(2)?);
/// let mean = Network::average(&[(&one, 1.0), (&other, 1.0)])?;
/// let middle = f64::midpoint(f64::from(one.features[0]), f64::from(other.features[0]));
/// assert!((f64::from(mean.features[0]) - middle).abs() <= 0.5);
/// assert_eq!(one.accumulator(&[]), one.bias);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// The shape.
    pub architecture: Architecture,
    /// The origin: program, data and settings that made it.
    pub origin: Origin,
    /// The weights of the evaluation that it corrects ([`super::Base`]), as the game's files have them; empty without one.
    pub base: String,
    /// `[inputs][width]`: rows of the first layer; 1.0 is [`super::Quantisation::input`].
    pub features: Vec<i16>,
    /// `[width]`: what an accumulator starts from, on the same scale.
    pub bias: Vec<i16>,
    /// `[output_buckets][hidden.len() + 1]` layers after the accumulators.
    pub buckets: Vec<Vec<Layer>>,
}

/// One layer after the accumulators, in integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// `[outputs][inputs]`; with hidden layers each number fits a byte.
    pub weights: Vec<i16>,
    /// `[outputs]`. Scales: without hidden layers `input * output` of [`super::Quantisation`], with them
    /// [`Architecture::activated_one`] times the weights' factor.
    pub bias: Vec<i32>,
}

impl Network {
    /// Rounds `weights` to integers. The origin is empty, and so are the weights of a base, which is the caller's to fill in.
    ///
    /// # Errors
    /// When the numbers are not those of the architecture or not finite, when one is too large for its integer, or when
    /// an accumulator could overflow with [`super::Features::active_max`] active inputs: the text names the number.
    pub fn quantise(architecture: &Architecture, weights: &FloatWeights) -> Result<Self, NetError> {
        architecture.check()?;
        weights.check(architecture)?;
        let input = f64::from(architecture.quantisation.input);
        let features = rounded("features", &weights.features, input, i32::from(i16::MAX))?;
        let bias = rounded("bias", &weights.bias, input, i32::from(i16::MAX))?;
        let short = |numbers: Vec<i32>| numbers.into_iter().map(|number| number as i16).collect::<Vec<i16>>();
        let mut buckets = Vec::with_capacity(weights.buckets.len());
        for (bucket, layers) in weights.buckets.iter().enumerate() {
            let mut set = Vec::with_capacity(layers.len());
            for (index, layer) in layers.iter().enumerate() {
                let name = format!("bucket.{bucket}.layer.{index}");
                set.push(quantise_layer(architecture, &name, layer, index + 1 == layers.len())?);
            }
            buckets.push(set);
        }
        let (architecture, origin) = (architecture.clone(), Origin::new());
        let (features, bias) = (short(features), short(bias));
        let network = Network { architecture, origin, base: String::new(), features, bias, buckets };
        network.check_accumulators()?;
        Ok(network)
    }

    /// The numbers in floating point, of which [`Network::quantise`] makes this network again: what training can go on with.
    ///
    /// # Examples
    ///
    /// ```
    /// use tesuji_nn::nnue::{Architecture, FloatWeights, Network};
    /// let text = "name = 'small'\ngame = 'four'\nwidth = 32\nactivation = 'screlu'\nhidden = [16]\n\
    ///             [features]\nset = 'discs'\ninputs = 84\nactive_max = 42\n";
    /// let architecture = Architecture::parse(text)?;
    /// let network = Network::quantise(&architecture, &FloatWeights::random(&architecture, 1))?;
    /// assert_eq!(Network::quantise(&architecture, &network.floats())?, network);
    /// # Ok::<(), tesuji_nn::NetError>(())
    /// ```
    pub fn floats(&self) -> FloatWeights {
        let factors = self.architecture.quantisation;
        let input = f64::from(factors.input);
        let one = if self.architecture.hidden.is_empty() { input } else { self.architecture.activated_one() };
        let shorts = |numbers: &[i16], factor: f64| numbers.iter().map(|&x| (f64::from(x) / factor) as f32).collect();
        let layer = |layer: &Layer, is_last: bool| {
            let factor = f64::from(if is_last { factors.output } else { factors.hidden });
            let bias = layer.bias.iter().map(|&x| (f64::from(x) / (one * factor)) as f32).collect();
            FloatLayer { weights: shorts(&layer.weights, factor), bias }
        };
        let set = |layers: &Vec<Layer>| {
            let last = layers.len() - 1;
            layers.iter().enumerate().map(|(at, each)| layer(each, at == last)).collect()
        };
        FloatWeights {
            features: shorts(&self.features, input),
            bias: shorts(&self.bias, input),
            buckets: self.buckets.iter().map(set).collect(),
        }
    }

    /// The mean of several networks of one shape, each with a share, rounded; shares need not sum to 1. Its origin has
    /// those of all, with the number of the network behind each word.
    ///
    /// # Errors
    /// When there is none, a share is no positive number, or the shapes differ in more than their names.
    pub fn average(networks: &[(&Network, f64)]) -> Result<Self, NetError> {
        let unlike = |text: String| NetError::Unlike(text);
        let Some(((first, _), others)) = networks.split_first() else { return Err(unlike("there is none".into())) };
        if let Some((_, share)) = networks.iter().find(|(_, share)| !(*share > 0.0 && share.is_finite())) {
            return Err(unlike(format!("a share is {share}, expected more than 0")));
        }
        for (index, (other, _)) in others.iter().enumerate() {
            // A name says nothing about the numbers.
            let alike = Architecture { name: first.architecture.name.clone(), ..other.architecture.clone() };
            if alike != first.architecture {
                return Err(unlike(format!("net {} has another architecture than net 1", index + 2)));
            }
            if other.base != first.base {
                let words = "corrects a hand-made evaluation with other weights than net 1 does";
                return Err(unlike(format!("net {} {words}", index + 2)));
            }
        }
        let total: f64 = networks.iter().map(|(_, share)| share).sum();
        let mean = |number: &dyn Fn(&Network) -> i32| {
            let sum: f64 = networks.iter().map(|(network, share)| f64::from(number(network)) * share).sum();
            (sum / total).round()
        };
        let origins = networks.iter().enumerate().flat_map(|(index, (network, _))| {
            let named = move |(word, text): (&String, &String)| (format!("{word} (net {})", index + 1), text.clone());
            network.origin.iter().map(named)
        });
        let mut network = Network { origin: origins.collect(), ..(*first).clone() };
        for (at, number) in network.features.iter_mut().enumerate() {
            *number = mean(&|network| i32::from(network.features[at])) as i16;
        }
        for (at, number) in network.bias.iter_mut().enumerate() {
            *number = mean(&|network| i32::from(network.bias[at])) as i16;
        }
        for (bucket, layers) in network.buckets.iter_mut().enumerate() {
            for (index, layer) in layers.iter_mut().enumerate() {
                for (at, number) in layer.weights.iter_mut().enumerate() {
                    *number = mean(&|network| i32::from(network.buckets[bucket][index].weights[at])) as i16;
                }
                for (at, number) in layer.bias.iter_mut().enumerate() {
                    *number = mean(&|network| network.buckets[bucket][index].bias[at]) as i32;
                }
            }
        }
        Ok(network)
    }

    /// That the numbers are those of the architecture and fit their integers.
    ///
    /// # Errors
    /// With the first tensor that does not.
    pub fn check(&self) -> Result<(), NetError> {
        self.architecture.check()?;
        if self.architecture.base.is_none() != self.base.is_empty() {
            let found = if self.base.is_empty() { "no weights of it" } else { "weights of one" };
            let words = format!("`base` is {:?}, but there are {found}", self.architecture.base);
            return Err(NetError::Architecture(words));
        }
        let width = self.architecture.width;
        let mut found = vec![self.features.len(), self.bias.len()];
        for layer in self.buckets.iter().flatten() {
            found.extend([layer.weights.len(), layer.bias.len()]);
        }
        let wanted = FloatWeights::tensor_shapes(&self.architecture);
        if found.len() != wanted.len() {
            return Err(NetError::Architecture(format!("{} tensors, expected {}", found.len(), wanted.len())));
        }
        for (found, (name, expected)) in found.into_iter().zip(wanted) {
            if found != expected.iter().product::<usize>() {
                return Err(NetError::Shape { name, found: vec![found], expected });
            }
        }
        debug_assert_eq!(self.bias.len(), width);
        if self.architecture.hidden.is_empty() {
            return Ok(());
        }
        for (bucket, layers) in self.buckets.iter().enumerate() {
            for (index, layer) in layers.iter().enumerate() {
                if let Some(&weight) = layer.weights.iter().find(|&&weight| i8::try_from(weight).is_err()) {
                    let name = format!("a weight of bucket.{bucket}.layer.{index}");
                    let expected = "-128 to 127".to_owned();
                    return Err(NetError::Beyond { name, found: weight.to_string(), expected });
                }
            }
        }
        Ok(())
    }

    /// That no accumulator can overflow, whichever [`super::Features::active_max`] inputs are active.
    fn check_accumulators(&self) -> Result<(), NetError> {
        let (width, active) = (self.architecture.width, self.architecture.features.active_max);
        // In trained networks the largest weight of a column alone is proof enough; the rest is slow.
        let mut largest = vec![0u16; width];
        for row in self.features.chunks_exact(width) {
            largest.iter_mut().zip(row).for_each(|(largest, weight)| *largest = (*largest).max(weight.unsigned_abs()));
        }
        let mut column = Vec::new();
        for (at, &bias) in self.bias.iter().enumerate() {
            if usize::from(largest[at]) * active + usize::from(bias.unsigned_abs()) <= i16::MAX as usize {
                continue;
            }
            for sign in [1, -1] {
                column.clear();
                column.extend(self.features[at..].iter().step_by(width).map(|&w| (sign * i32::from(w)).max(0)));
                if active < column.len() {
                    column.select_nth_unstable_by(active, |a, b| b.cmp(a));
                    column.truncate(active);
                }
                let bound = column.iter().sum::<i32>() + sign * i32::from(bias);
                if bound > i32::from(i16::MAX) {
                    return Err(NetError::Beyond {
                        name: format!("the largest sum of {active} weights in column {at} of the first layer"),
                        found: (sign * bound).to_string(),
                        expected: format!("at most ±{}: clip the weights in training", i16::MAX),
                    });
                }
            }
        }
        Ok(())
    }

    /// The value for the side to move in centipawns, exactly as every kernel computes it: the plain form, slow. `own` and
    /// `other` are the active inputs as the side to move and the other side see them.
    ///
    /// # Panics
    /// When an input or the bucket is beyond the architecture.
    pub fn value(&self, own: &[u32], other: &[u32], bucket: usize) -> i32 {
        let (own, other) = (self.accumulator(own), self.accumulator(other));
        self.value_of(&own, &other, bucket)
    }

    /// The accumulator of a side that sees the inputs `active`; sums wrap around.
    ///
    /// # Panics
    /// When an input is beyond the architecture.
    pub fn accumulator(&self, active: &[u32]) -> Vec<i16> {
        let width = self.architecture.width;
        let mut sums = self.bias.clone();
        for &input in active {
            let row = &self.features[input as usize * width..][..width];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum = sum.wrapping_add(weight));
        }
        sums
    }

    /// The value in centipawns that two accumulators stand for.
    ///
    /// # Panics
    /// When an accumulator has another width, or the bucket is beyond the architecture.
    pub fn value_of(&self, own: &[i16], other: &[i16], bucket: usize) -> i32 {
        let numbers: Vec<i32> = [own, other].iter().flat_map(|sums| self.activated(sums)).collect();
        let layers = &self.buckets[bucket];
        if layers.len() == 1 {
            return finish_direct(&self.architecture, dot(&layers[0].weights, &numbers), layers[0].bias[0]);
        }
        let shift = self.architecture.quantisation.hidden.trailing_zeros();
        let one = self.architecture.activated_one() as i32;
        let mut numbers = numbers;
        let (last, hidden) = layers.split_last().expect("a network has a last layer");
        for layer in hidden {
            let rows = layer.weights.chunks_exact(numbers.len()).zip(&layer.bias);
            let sum =
                |(row, &bias): (&[i16], &i32)| (bias.wrapping_add(dot(row, &numbers) as i32) >> shift).clamp(0, one);
            numbers = rows.map(sum).collect();
        }
        finish_hidden(&self.architecture, last.bias[0].wrapping_add(dot(&last.weights, &numbers) as i32))
    }

    /// The clipped accumulator after the activation.
    fn activated(&self, sums: &[i16]) -> Vec<i32> {
        assert_eq!(sums.len(), self.architecture.width, "an accumulator of the network's width");
        let one = self.architecture.quantisation.input;
        let shift = self.architecture.byte_shift();
        let clipped = |&sum: &i16| i32::from(sum).clamp(0, one);
        match self.architecture.activation {
            Activation::Crelu => sums.iter().map(clipped).collect(),
            Activation::Screlu => sums.iter().map(|sum| (clipped(sum) * clipped(sum)) >> shift).collect(),
            Activation::Pairwise => {
                let (low, high) = sums.split_at(sums.len() / 2);
                low.iter().zip(high).map(|(a, b)| (clipped(a) * clipped(b)) >> shift).collect()
            }
        }
    }
}

fn dot(weights: &[i16], numbers: &[i32]) -> i64 {
    weights.iter().zip(numbers).map(|(&weight, &number)| i64::from(weight) * i64::from(number)).sum()
}

/// Centipawns of the output `sum` of a network without hidden layers. The order of divisions, each towards 0, is that of
/// engines which play nets of this shape.
#[inline]
pub(super) fn finish_direct(architecture: &Architecture, sum: i64, bias: i32) -> i32 {
    let is_plain = architecture.activation == Activation::Crelu;
    if !is_plain && architecture.quantisation == Quantisation::USUAL {
        return finish_usual(sum, bias, architecture.scale);
    }
    let (input, output) = (i64::from(architecture.quantisation.input), i64::from(architecture.quantisation.output));
    let sum = if is_plain { sum } else { sum / input };
    ((sum + i64::from(bias)) * i64::from(architecture.scale) / (input * output)) as i32
}

/// As [`finish_direct`] for a clipped square by the usual constants, of which divisions are multiplications. A function of its own: inlined, the compiler
/// joins these divisions with those by any number, and divides after all, which takes a tenth of an evaluation.
#[inline(never)]
fn finish_usual(sum: i64, bias: i32, scale: i32) -> i32 {
    const USUAL: Quantisation = Quantisation::USUAL;
    let (input, output) = (USUAL.input as i64, USUAL.output as i64);
    ((sum / input + i64::from(bias)) * i64::from(scale) / (input * output)) as i32
}

/// Centipawns of the output `sum` of a network with hidden layers.
pub(super) fn finish_hidden(architecture: &Architecture, sum: i32) -> i32 {
    let input = i64::from(architecture.quantisation.input);
    let one = if architecture.activation == Activation::Crelu { input } else { input * input };
    let scaled = (i64::from(sum) * i64::from(architecture.scale)) << architecture.byte_shift();
    (scaled / (one * i64::from(architecture.quantisation.output))) as i32
}

fn quantise_layer(architecture: &Architecture, name: &str, layer: &FloatLayer, last: bool) -> Result<Layer, NetError> {
    let factors = architecture.quantisation;
    let direct = architecture.hidden.is_empty();
    let factor = f64::from(if last { factors.output } else { factors.hidden });
    let one = if direct { f64::from(factors.input) } else { architecture.activated_one() };
    let weights_max = i32::from(if direct { i16::MAX } else { i16::from(i8::MAX) });
    let weights = rounded(&format!("{name}.weights"), &layer.weights, factor, weights_max)?;
    let bias = rounded(&format!("{name}.bias"), &layer.bias, one * factor, 1 << 30)?;
    Ok(Layer { weights: weights.into_iter().map(|weight| weight as i16).collect(), bias })
}

/// `numbers` times `factor`, rounded to the nearest integer.
fn rounded(name: &str, numbers: &[f32], factor: f64, max: i32) -> Result<Vec<i32>, NetError> {
    let each = |(at, &number): (usize, &f32)| {
        let scaled = (f64::from(number) * factor).round();
        if scaled.abs() <= f64::from(max) {
            return Ok(scaled as i32);
        }
        Err(NetError::Beyond {
            name: format!("number {at} of `{name}`"),
            found: number.to_string(),
            expected: format!("at most ±{:.4}", f64::from(max) / factor),
        })
    };
    numbers.iter().enumerate().map(each).collect()
}
