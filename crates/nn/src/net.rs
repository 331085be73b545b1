//! A net made ready to run: batch norm folded into the convolutions, convolutions over the same planes merged, weights packed.

use crate::kernels::{Filter, Products};
use crate::{Architecture, NetError, Weights};
use std::sync::OnceLock;

/// A net that answers. It never changes; threads share it and each has a [`crate::Runner`].
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use tesuji_nn::{Architecture, Net, Runner, Weights};
/// // One net, shared by the runners of two threads.
/// let net = Arc::new(Net::new(&Weights::random(Architecture::for_any_size("go-1", 8, 9, 1, 16), 1))?);
/// let values: Vec<f32> = [(); 2]
///     .map(|()| {
///         let net = net.clone();
///         std::thread::spawn(move || Runner::new(net, 9, 9, 1).unwrap().run(&[0.5; 8 * 81], 1).value[0])
///     })
///     .into_iter()
///     .map(|thread| thread.join().unwrap())
///     .collect();
/// assert_eq!(values[0], values[1]);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug)]
pub struct Net {
    architecture: Architecture,
    /// The stem's convolutions; only the last may end with the activation.
    pub(crate) stem: Vec<StemFilter>,
    /// Two convolutions for each block.
    blocks: Vec<[Folded; 2]>,
    /// The blocks as runners asked for them.
    direct: OnceLock<Vec<[Filter; 2]>>,
    /// The products for squares of 3 and of 4.
    squares: [OnceLock<Vec<[Products; 2]>>; 2],
    /// Planes of logits, then the plane of ownership if there is one.
    pub(crate) heads: Filter,
    /// `[planes * height * width]`, or empty: then the bias is in `heads`.
    pub(crate) policy_bias: Vec<f32>,
    /// `[2 * channels]` and a bias.
    pub(crate) pass: Option<(Vec<f32>, f32)>,
    pub(crate) value: Filter,
    pub(crate) hidden: Filter,
    /// The value's logit, then the score if there is one.
    pub(crate) output: Filter,
}

/// A convolution with its batch norm inside.
#[derive(Debug)]
struct Folded {
    weights: Vec<f32>,
    inputs: usize,
    kernel: usize,
    bias: Vec<f32>,
}

impl Folded {
    fn filter(&self) -> Filter {
        Filter::new(&self.weights, self.bias.len(), self.inputs, self.kernel, &self.bias)
    }

    fn products(&self, side: usize) -> Products {
        Products::new(&self.weights, self.bias.len(), self.inputs, &self.bias, side)
    }
}

/// One convolution of the stem and the planes it reads.
#[derive(Debug)]
pub(crate) struct StemFilter {
    pub(crate) first: usize,
    pub(crate) planes: usize,
    pub(crate) filter: Filter,
}

/// A batch norm as `scale * x + shift` for each channel.
struct Affine {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

impl Affine {
    fn new(weights: &Weights, name: &str) -> Self {
        let part = |part: &str| weights.numbers(&format!("{name}.{part}"));
        let (gamma, beta, mean, variance) = (part("gamma"), part("beta"), part("mean"), part("variance"));
        let epsilon = f64::from(weights.architecture.epsilon);
        // In doubles, since this is done once for a net.
        let scale = |index: usize| f64::from(gamma[index]) / (f64::from(variance[index]) + epsilon).sqrt();
        let shift = |index: usize| (f64::from(beta[index]) - f64::from(mean[index]) * scale(index)) as f32;
        Affine {
            scale: (0..gamma.len()).map(|index| scale(index) as f32).collect(),
            shift: (0..gamma.len()).map(shift).collect(),
        }
    }

    /// Convolution weights with the scale in them.
    fn scaled(&self, weights: &[f32]) -> Vec<f32> {
        let each = weights.len() / self.scale.len();
        let rows = weights.chunks_exact(each).zip(&self.scale);
        rows.flat_map(|(row, scale)| row.iter().map(move |weight| weight * scale)).collect()
    }

    /// The convolution named `conv` that this follows.
    fn fold(&self, weights: &Weights, conv: &str) -> Folded {
        let tensor = &weights.tensors[conv];
        let (inputs, kernel) = (tensor.shape[1], tensor.shape[2]);
        Folded { weights: self.scaled(&tensor.data), inputs, kernel, bias: self.shift.clone() }
    }
}

impl Net {
    /// Makes `weights` ready.
    ///
    /// # Errors
    /// When they are not those of their architecture.
    pub fn new(weights: &Weights) -> Result<Net, NetError> {
        weights.check()?;
        let architecture = weights.architecture.clone();
        let numbers = |name: &str| weights.numbers(name);
        let blocks = (0..architecture.blocks).map(|block| {
            [1, 2].map(|half| {
                let norm = Affine::new(weights, &format!("block.{block}.norm{half}"));
                // At play a batch norm is a factor and a shift for each channel: both go into the convolution before it.
                norm.fold(weights, &format!("block.{block}.conv{half}.weight"))
            })
        });
        let (channels, policy, value) = (architecture.channels, architecture.policy, architecture.value);
        // Heads that read the same planes are one convolution with more outputs.
        let mut heads = numbers("policy.conv.weight").to_vec();
        let mut heads_bias =
            if policy.bias_per_action { vec![0.0; policy.planes] } else { numbers("policy.bias").to_vec() };
        if architecture.ownership {
            heads.extend(numbers("ownership.weight"));
            heads_bias.extend(numbers("ownership.bias"));
        }
        let mut output = numbers("value.output.weight").to_vec();
        let mut output_bias = numbers("value.output.bias").to_vec();
        if architecture.score {
            output.extend(numbers("score.weight"));
            output_bias.extend(numbers("score.bias"));
        }
        let hidden = numbers("value.hidden.weight");
        Ok(Net {
            stem: stem(weights),
            blocks: blocks.collect(),
            direct: OnceLock::new(),
            squares: [OnceLock::new(), OnceLock::new()],
            heads: Filter::new(&heads, heads_bias.len(), channels, 1, &heads_bias),
            policy_bias: if policy.bias_per_action { numbers("policy.bias").to_vec() } else { Vec::new() },
            pass: policy.pass.then(|| (numbers("policy.pass.weight").to_vec(), numbers("policy.pass.bias")[0])),
            value: Affine::new(weights, "value.norm").fold(weights, "value.conv.weight").filter(),
            hidden: Filter::new(hidden, value.hidden, architecture.pooled(), 1, numbers("value.hidden.bias")),
            output: Filter::new(&output, output_bias.len(), value.hidden, 1, &output_bias),
            architecture,
        })
    }

    /// The tower for direct convolution; made when first asked for.
    pub(crate) fn direct(&self) -> &[[Filter; 2]] {
        self.direct.get_or_init(|| self.blocks.iter().map(|block| [0, 1].map(|half| block[half].filter())).collect())
    }

    /// The tower for convolution by squares of `side` (3 or 4); made when first asked for.
    pub(crate) fn squares(&self, side: usize) -> &[[Products; 2]] {
        let make = |block: &[Folded; 2]| [0, 1].map(|half: usize| block[half].products(side));
        self.squares[usize::from(side == 4)].get_or_init(|| self.blocks.iter().map(make).collect())
    }

    /// Its shape.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }
}

/// The stem's filters: a 1x1 convolution over the planes of a 3x3 one goes into its middle, and the first has the bias.
fn stem(weights: &Weights) -> Vec<StemFilter> {
    let norm = Affine::new(weights, "stem.norm");
    let mut parts: Vec<(crate::Stem, Vec<f32>)> = Vec::new();
    let mut order: Vec<usize> = (0..weights.architecture.stem.len()).collect();
    // The largest kernel first: smaller ones over the same planes are added into its middle.
    order.sort_by_key(|&index| std::cmp::Reverse(weights.architecture.stem[index].kernel));
    for index in order {
        let stem = weights.architecture.stem[index];
        let numbers = norm.scaled(weights.numbers(&format!("stem.{index}.weight")));
        let same = |(other, _): &&mut (crate::Stem, Vec<f32>)| (other.first, other.planes) == (stem.first, stem.planes);
        match parts.iter_mut().find(same) {
            Some((other, sums)) => {
                let (from, to) = (stem.kernel * stem.kernel, other.kernel * other.kernel);
                let middle = (to - from) / 2;
                for (row, add) in sums.chunks_exact_mut(to).zip(numbers.chunks_exact(from)) {
                    row[middle..].iter_mut().zip(add).for_each(|(sum, add)| *sum += add);
                }
            }
            None => parts.push((stem, numbers)),
        }
    }
    let none = vec![0.0; norm.shift.len()];
    let pack = |(index, (stem, numbers)): (usize, (crate::Stem, Vec<f32>))| {
        // All parts of the stem are summed: the shift must come once.
        let bias = if index == 0 { &norm.shift } else { &none };
        let filter = Filter::new(&numbers, bias.len(), stem.planes, stem.kernel, bias);
        StemFilter { first: stem.first, planes: stem.planes, filter }
    };
    parts.into_iter().enumerate().map(pack).collect()
}
