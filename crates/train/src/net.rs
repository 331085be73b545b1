//! A net wired for training on any device: forwards through the tower to raw outputs, and back from their gradients.
//!
//! The tower, the pooling and the hidden layer of the value run on the device. What ends in a few numbers (biases of
//! logits, the pass, the last layers of value and score) ends here, next to the losses.

use crate::backend::{Activation, Backend, Conv, Layout, Norm, Pooling};
use crate::parameters::Parameters;
use tesuji_nn::{self as nn, Architecture};

/// The raw outputs of a net for a batch, before softmax and other activations of the heads; or the gradient of a loss by them.
///
/// # Examples
///
/// ```
/// use tesuji_nn::Architecture;
/// use tesuji_train::net::Raw;
/// let mut raw = Raw::default();
/// raw.reset(&Architecture::for_any_size("go-1", 1, 3, 1, 16), 2);
/// // Nine points and the pass, of two positions.
/// assert_eq!((raw.policy.len(), raw.value.len()), (20, 2));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Raw {
    /// Logits of the policy, `[batch][actions]`.
    pub policy: Vec<f32>,
    /// The last number of the value head, `[batch]`.
    pub value: Vec<f32>,
    /// Ownership before its `tanh`, `[batch][points]`, or empty.
    pub ownership: Vec<f32>,
    /// Points for the side to move, `[batch]`, or empty.
    pub score: Vec<f32>,
}

impl Raw {
    /// Zeros for a batch of `batch`.
    pub fn reset(&mut self, architecture: &Architecture, batch: usize) {
        let points = architecture.height * architecture.width;
        let fill = |numbers: &mut Vec<f32>, len: usize| {
            numbers.clear();
            numbers.resize(len, 0.0);
        };
        fill(&mut self.policy, batch * architecture.actions(architecture.height, architecture.width));
        fill(&mut self.value, batch);
        fill(&mut self.ownership, if architecture.ownership { batch * points } else { 0 });
        fill(&mut self.score, if architecture.score { batch } else { 0 });
    }
}

/// The parameters of each layer.
struct Wiring {
    stems: Vec<Conv>,
    stem_norm: Norm,
    blocks: Vec<[(Conv, Norm); 2]>,
    policy: Conv,
    policy_bias: std::ops::Range<usize>,
    /// Weights and bias of the pass.
    pass: Option<(std::ops::Range<usize>, usize)>,
    value: (Conv, Norm),
    pool: Pooling,
    /// Weights and bias of the hidden layer.
    hidden: (Conv, usize),
    output: (std::ops::Range<usize>, usize),
    score: Option<(std::ops::Range<usize>, usize)>,
    ownership: Option<(Conv, usize)>,
    activation: Activation,
}

impl Wiring {
    fn new(architecture: &Architecture, at: &Parameters) -> Wiring {
        let channels = architecture.channels;
        let activation = match architecture.activation {
            nn::Activation::Relu => Activation::Relu,
            nn::Activation::Swish => Activation::Swish,
        };
        let norm = |name: &str, channels| {
            let gamma = at.range(&format!("{name}.gamma")).start;
            Norm { gamma, channels, epsilon: architecture.epsilon, activation }
        };
        let conv = |name: &str, outputs, inputs, side| Conv { weights: at.range(name).start, outputs, inputs, side };
        let vector = |name: &str| (at.range(&format!("{name}.weight")), at.range(&format!("{name}.bias")).start);
        let half = |block: usize, half: usize| {
            let weights = conv(&format!("block.{block}.conv{half}.weight"), channels, channels, 3);
            (weights, norm(&format!("block.{block}.norm{half}"), channels))
        };
        let stem = |(index, stem): (usize, &nn::Stem)| {
            conv(&format!("stem.{index}.weight"), channels, stem.planes, stem.kernel)
        };
        let head = architecture.value;
        let (_, hidden_bias) = vector("value.hidden");
        Wiring {
            stems: architecture.stem.iter().enumerate().map(stem).collect(),
            stem_norm: norm("stem.norm", channels),
            blocks: (0..architecture.blocks).map(|block| [half(block, 1), half(block, 2)]).collect(),
            policy: conv("policy.conv.weight", architecture.policy.planes, channels, 1),
            policy_bias: at.range("policy.bias"),
            pass: architecture.policy.pass.then(|| vector("policy.pass")),
            value: (conv("value.conv.weight", head.planes, channels, 1), norm("value.norm", head.planes)),
            pool: match head.pool {
                nn::Pooling::Flat => Pooling::Flat,
                nn::Pooling::Global => Pooling::Global,
            },
            hidden: (conv("value.hidden.weight", head.hidden, architecture.pooled(), 1), hidden_bias),
            output: vector("value.output"),
            score: architecture.score.then(|| vector("score")),
            ownership: architecture
                .ownership
                .then(|| (conv("ownership.weight", 1, channels, 1), at.range("ownership.bias").start)),
            activation,
        }
    }
}

/// A convolution's output and what its norm made of it.
struct Layer<T> {
    before: T,
    after: T,
}

/// Tensors that a forward pass fills, for the way back.
struct Tensors<T> {
    /// One for each convolution of the stem.
    inputs: Vec<T>,
    stem: Layer<T>,
    blocks: Vec<[Layer<T>; 2]>,
    policy: T,
    ownership: Option<T>,
    tower_pooled: Option<T>,
    value: Layer<T>,
    pooled: T,
    hidden: Layer<T>,
    /// Gradients: of the tower, of a convolution's output, of the middle of a block, of the value's planes and their
    /// output, of its vectors.
    d_tower: T,
    d_before: T,
    d_middle: T,
    d_value: Layer<T>,
    d_pooled: T,
    d_hidden: T,
}

impl<T> Tensors<T> {
    fn new(architecture: &Architecture, backend: &mut impl Backend<Tensor = T>) -> Self {
        let Architecture { height, width, channels, .. } = *architecture;
        let head = architecture.value;
        let mut grid = |channels| backend.tensor(Layout::Grid { channels, height, width });
        let inputs = architecture.stem.iter().map(|stem| grid(stem.planes)).collect();
        let stem = Layer { before: grid(channels), after: grid(channels) };
        let mut layer = || Layer { before: grid(channels), after: grid(channels) };
        let blocks = (0..architecture.blocks).map(|_| [layer(), layer()]).collect();
        let policy = grid(architecture.policy.planes);
        let ownership = architecture.ownership.then(|| grid(1));
        let value = Layer { before: grid(head.planes), after: grid(head.planes) };
        let d_value = Layer { before: grid(head.planes), after: grid(head.planes) };
        let (d_tower, d_before, d_middle) = (grid(channels), grid(channels), grid(channels));
        let mut flat = |len| backend.tensor(Layout::Flat(len));
        Tensors {
            inputs,
            stem,
            blocks,
            policy,
            ownership,
            tower_pooled: architecture.policy.pass.then(|| flat(2 * channels)),
            value,
            pooled: flat(architecture.pooled()),
            hidden: Layer { before: flat(head.hidden), after: flat(head.hidden) },
            d_tower,
            d_before,
            d_middle,
            d_value,
            d_pooled: flat(architecture.pooled()),
            d_hidden: flat(head.hidden),
        }
    }
}

/// A net on a device, ready for forward and backward passes.
///
/// # Examples
///
/// ```
/// use tesuji_nn::{Architecture, Weights};
/// use tesuji_train::{
///     cpu::Cpu,
///     net::{Raw, Wired},
///     parameters::Parameters,
/// };
/// let architecture = Architecture::for_any_size("go-1", 1, 3, 1, 16);
/// let row = Parameters::new(&architecture).row(&Weights::random(architecture.clone(), 1));
/// let mut net = Wired::new(&architecture, Cpu::new(1, 2)?);
/// let (mut raw, mut gradient) = (Raw::default(), Vec::new());
/// net.forward(&row, &[0.5; 18], 2, true, &mut raw);
/// // The same board twice has the same value twice.
/// assert_eq!(raw.value[0], raw.value[1]);
/// // The gradient of the sum of both values.
/// let mut slopes = Raw::default();
/// slopes.reset(&architecture, 2);
/// slopes.value.fill(1.0);
/// net.backward(&slopes, &mut gradient);
/// assert!(gradient.len() == row.len() && gradient.iter().any(|slope| *slope != 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Wired<B: Backend> {
    architecture: Architecture,
    backend: B,
    wiring: Wiring,
    tensors: Tensors<B::Tensor>,
    parameters: Vec<f32>,
    batch: usize,
    /// The hidden layer of the value and the pooled tower, as vectors here.
    hidden: Vec<f32>,
    tower_pooled: Vec<f32>,
}

impl<B: Backend> Wired<B> {
    /// Wires a net on a device; takes the memory for the largest batch of the device.
    pub fn new(architecture: &Architecture, mut backend: B) -> Self {
        let wiring = Wiring::new(architecture, &Parameters::new(architecture));
        let tensors = Tensors::new(architecture, &mut backend);
        let (architecture, parameters) = (architecture.clone(), Vec::new());
        Wired {
            architecture,
            backend,
            wiring,
            tensors,
            parameters,
            batch: 0,
            hidden: Vec::new(),
            tower_pooled: Vec::new(),
        }
    }

    /// The device, in words.
    pub fn device(&self) -> String {
        self.backend.name()
    }

    /// Whether the device computes apart from the processor.
    pub fn is_apart(&self) -> bool {
        self.backend.is_apart()
    }

    /// The error of the device, if any.
    pub fn trouble(&self) -> Option<String> {
        self.backend.trouble()
    }

    /// Takes over the parameters of the next [`Wired::run`].
    pub fn load(&mut self, parameters: &[f32]) {
        self.parameters.clear();
        self.parameters.extend_from_slice(parameters);
        self.backend.load(parameters);
    }

    /// [`Wired::load`], then [`Wired::run`].
    ///
    /// # Panics
    /// When the batch is larger than the device was made for, or the planes are of another size.
    pub fn forward(&mut self, parameters: &[f32], planes: &[f32], batch: usize, training: bool, raw: &mut Raw) {
        self.load(parameters);
        self.run(planes, batch, training, raw);
    }

    /// Evaluates `[batch][planes][rows][columns]` into `raw`. In training, batch norms take the figures of the batch, and a
    /// [`Wired::backward`] may follow.
    ///
    /// # Panics
    /// When the batch is larger than the device was made for, or the planes are of another size.
    pub fn run(&mut self, planes: &[f32], batch: usize, training: bool, raw: &mut Raw) {
        self.batch = batch;
        raw.reset(&self.architecture, batch);
        let (backend, wiring, t) = (&mut self.backend, &self.wiring, &mut self.tensors);
        backend.begin(batch);
        for (index, (conv, stem)) in wiring.stems.iter().zip(&self.architecture.stem).enumerate() {
            write_planes(backend, &self.architecture, stem, planes, &mut t.inputs[index]);
            backend.conv(conv, &t.inputs[index], &mut t.stem.before, index > 0);
        }
        backend.norm(&wiring.stem_norm, &t.stem.before, None, &mut t.stem.after, training);
        for (index, [first, second]) in wiring.blocks.iter().enumerate() {
            let (before, here) = t.blocks.split_at_mut(index);
            let x = before.last().map_or(&t.stem.after, |[_, second]| &second.after);
            let [a, b] = &mut here[0];
            backend.conv(&first.0, x, &mut a.before, false);
            backend.norm(&first.1, &a.before, None, &mut a.after, training);
            backend.conv(&second.0, &a.after, &mut b.before, false);
            backend.norm(&second.1, &b.before, Some(x), &mut b.after, training);
        }
        self.heads(training, raw);
    }

    /// The heads of the forward pass.
    fn heads(&mut self, training: bool, raw: &mut Raw) {
        let (backend, wiring, t, numbers) = (&mut self.backend, &self.wiring, &mut self.tensors, &self.parameters);
        let points = self.architecture.height * self.architecture.width;
        let tower = t.blocks.last().map_or(&t.stem.after, |[_, second]| &second.after);
        backend.conv(&wiring.policy, tower, &mut t.policy, false);
        let logits = self.architecture.policy.planes * points;
        let actions = raw.policy.len() / self.batch;
        if let Some((weights, bias)) = &wiring.pass
            && let Some(pooled) = &mut t.tower_pooled
        {
            backend.pool(Pooling::Global, tower, pooled);
            self.tower_pooled.resize(self.batch * weights.len(), 0.0);
            backend.read(pooled, &mut self.tower_pooled);
            let mut plain = vec![0.0; self.batch * logits];
            backend.read(&t.policy, &mut plain);
            let vectors = self.tower_pooled.chunks_exact(weights.len());
            for ((out, plain), pooled) in
                raw.policy.chunks_exact_mut(actions).zip(plain.chunks_exact(logits)).zip(vectors)
            {
                out[..logits].copy_from_slice(plain);
                out[logits] = dot(&numbers[weights.clone()], pooled) + numbers[*bias];
            }
        } else {
            backend.read(&t.policy, &mut raw.policy);
        }
        let biases = &numbers[wiring.policy_bias.clone()];
        let each = logits / biases.len();
        for out in raw.policy.chunks_exact_mut(actions) {
            for (part, bias) in out[..logits].chunks_exact_mut(each).zip(biases) {
                part.iter_mut().for_each(|logit| *logit += bias);
            }
        }
        if let (Some((conv, bias)), Some(ownership)) = (&wiring.ownership, &mut t.ownership) {
            backend.conv(conv, tower, ownership, false);
            backend.read(ownership, &mut raw.ownership);
            raw.ownership.iter_mut().for_each(|x| *x += numbers[*bias]);
        }
        backend.conv(&wiring.value.0, tower, &mut t.value.before, false);
        backend.norm(&wiring.value.1, &t.value.before, None, &mut t.value.after, training);
        backend.pool(wiring.pool, &t.value.after, &mut t.pooled);
        backend.conv(&wiring.hidden.0, &t.pooled, &mut t.hidden.before, false);
        backend.bias(wiring.hidden.1, wiring.activation, &t.hidden.before, &mut t.hidden.after);
        let hidden = wiring.hidden.0.outputs;
        self.hidden.resize(self.batch * hidden, 0.0);
        backend.read(&t.hidden.after, &mut self.hidden);
        for (n, vector) in self.hidden.chunks_exact(hidden).enumerate() {
            raw.value[n] = dot(&numbers[wiring.output.0.clone()], vector) + numbers[wiring.output.1];
            if let Some((weights, bias)) = &wiring.score {
                raw.score[n] = dot(&numbers[weights.clone()], vector) + numbers[*bias];
            }
        }
    }
}

/// Writes the planes that a convolution of the stem reads.
fn write_planes<B: Backend>(
    backend: &mut B,
    architecture: &Architecture,
    stem: &nn::Stem,
    planes: &[f32],
    to: &mut B::Tensor,
) {
    if stem.planes == architecture.planes {
        return backend.write(planes, to);
    }
    let points = architecture.height * architecture.width;
    let part = |all: &[f32]| all[stem.first * points..(stem.first + stem.planes) * points].to_vec();
    let chosen: Vec<f32> = planes.chunks_exact(architecture.planes * points).flat_map(part).collect();
    backend.write(&chosen, to);
}

/// The sum of products.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `to += factor * from`.
fn add(to: &mut [f32], from: &[f32], factor: f32) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

impl<B: Backend> Wired<B> {
    /// The gradient of a loss by every parameter, from that by the raw outputs of the last [`Wired::forward`] in training.
    /// In the places of running means and variances it holds the figures of the batch. `[parameters]`.
    pub fn backward(&mut self, slopes: &Raw, gradient: &mut Vec<f32>) {
        gradient.clear();
        gradient.resize(self.parameters.len(), 0.0);
        // What ends here is summed here; the device's part is added at the end.
        let mut own = vec![0.0; self.parameters.len()];
        self.back_policy(slopes, &mut own);
        self.back_value(slopes, &mut own);
        self.back_tower();
        self.backend.gradients(gradient);
        add(gradient, &own, 1.0);
    }

    /// The policy, ownership and pass: their gradient begins that of the tower.
    fn back_policy(&mut self, slopes: &Raw, own: &mut [f32]) {
        let (backend, wiring, t, numbers) = (&mut self.backend, &self.wiring, &mut self.tensors, &self.parameters);
        let tower = t.blocks.last().map_or(&t.stem.after, |[_, second]| &second.after);
        let points = self.architecture.height * self.architecture.width;
        let logits = self.architecture.policy.planes * points;
        let actions = slopes.policy.len() / self.batch;
        let each = logits / wiring.policy_bias.len();
        let mut plain = vec![0.0; self.batch * logits];
        for (to, from) in plain.chunks_exact_mut(logits).zip(slopes.policy.chunks_exact(actions)) {
            to.copy_from_slice(&from[..logits]);
            for (bias, part) in own[wiring.policy_bias.clone()].iter_mut().zip(to.chunks_exact(each)) {
                *bias += part.iter().sum::<f32>();
            }
        }
        backend.write(&plain, &mut t.policy);
        backend.conv_weights(&wiring.policy, tower, &t.policy);
        backend.conv_back(&wiring.policy, &t.policy, &mut t.d_tower, false);
        if let (Some((conv, bias)), Some(ownership)) = (&wiring.ownership, &mut t.ownership) {
            own[*bias] += slopes.ownership.iter().sum::<f32>();
            backend.write(&slopes.ownership, ownership);
            backend.conv_weights(conv, tower, ownership);
            backend.conv_back(conv, ownership, &mut t.d_tower, true);
        }
        if let (Some((weights, bias)), Some(pooled)) = (&wiring.pass, &mut t.tower_pooled) {
            let mut back = vec![0.0; self.tower_pooled.len()];
            let vectors = self.tower_pooled.chunks_exact(weights.len()).zip(back.chunks_exact_mut(weights.len()));
            for ((vector, back), slopes) in vectors.zip(slopes.policy.chunks_exact(actions)) {
                let slope = slopes[logits];
                own[*bias] += slope;
                add(&mut own[weights.clone()], vector, slope);
                add(back, &numbers[weights.clone()], slope);
            }
            backend.write(&back, pooled);
            backend.pool_back(Pooling::Global, tower, pooled, &mut t.d_tower, true);
        }
    }

    /// The value and the score: their gradient adds to that of the tower.
    fn back_value(&mut self, slopes: &Raw, own: &mut [f32]) {
        let (backend, wiring, t, numbers) = (&mut self.backend, &self.wiring, &mut self.tensors, &self.parameters);
        let tower = t.blocks.last().map_or(&t.stem.after, |[_, second]| &second.after);
        let hidden = wiring.hidden.0.outputs;
        let mut back = vec![0.0; self.hidden.len()];
        for (n, (vector, back)) in self.hidden.chunks_exact(hidden).zip(back.chunks_exact_mut(hidden)).enumerate() {
            let mut layer = |(weights, bias): &(std::ops::Range<usize>, usize), slope: f32| {
                own[*bias] += slope;
                add(&mut own[weights.clone()], vector, slope);
                add(back, &numbers[weights.clone()], slope);
            };
            layer(&wiring.output, slopes.value[n]);
            if let Some(score) = &wiring.score {
                layer(score, slopes.score[n]);
            }
        }
        backend.write(&back, &mut t.d_hidden);
        backend.bias_back(wiring.hidden.1, wiring.activation, &t.hidden.before, &mut t.d_hidden);
        backend.conv_weights(&wiring.hidden.0, &t.pooled, &t.d_hidden);
        backend.conv_back(&wiring.hidden.0, &t.d_hidden, &mut t.d_pooled, false);
        backend.pool_back(wiring.pool, &t.value.after, &t.d_pooled, &mut t.d_value.after, false);
        let (conv, norm) = &wiring.value;
        let (dy, dx) = (&mut t.d_value.after, &mut t.d_value.before);
        backend.norm_back(norm, &t.value.before, None, &t.value.after, dy, dx);
        backend.conv_weights(conv, tower, dx);
        backend.conv_back(conv, dx, &mut t.d_tower, true);
    }

    /// The tower, from the gradient of its output down to the stem.
    fn back_tower(&mut self) {
        let (backend, wiring, t) = (&mut self.backend, &self.wiring, &mut self.tensors);
        for (index, [first, second]) in wiring.blocks.iter().enumerate().rev() {
            let (before, here) = t.blocks.split_at(index);
            let x = before.last().map_or(&t.stem.after, |[_, second]| &second.after);
            let [a, b] = &here[0];
            // What is left in `d_tower` is the residual's share.
            backend.norm_back(&second.1, &b.before, Some(x), &b.after, &mut t.d_tower, &mut t.d_before);
            backend.conv_weights(&second.0, &a.after, &t.d_before);
            backend.conv_back(&second.0, &t.d_before, &mut t.d_middle, false);
            backend.norm_back(&first.1, &a.before, None, &a.after, &mut t.d_middle, &mut t.d_before);
            backend.conv_weights(&first.0, x, &t.d_before);
            backend.conv_back(&first.0, &t.d_before, &mut t.d_tower, true);
        }
        let stem = &t.stem;
        backend.norm_back(&wiring.stem_norm, &stem.before, None, &stem.after, &mut t.d_tower, &mut t.d_before);
        for (conv, input) in wiring.stems.iter().zip(&t.inputs) {
            backend.conv_weights(conv, input, &t.d_before);
        }
    }
}

#[cfg(test)]
mod tests;
