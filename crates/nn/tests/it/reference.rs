//! A second opinion on every net: the definition in double precision, batch norm apart, planes apart, no tricks.

use tesuji_nn::{Activation, Pooling, Squash, Weights};

/// What a net says of one position.
pub struct Said {
    pub policy: Vec<f64>,
    pub value: f64,
    pub ownership: Vec<f64>,
    pub score: Option<f64>,
}

struct Slow<'a> {
    weights: &'a Weights,
    height: usize,
    width: usize,
}

/// Evaluates one position, `[planes][height][width]`.
pub fn evaluate(weights: &Weights, planes: &[f32], height: usize, width: usize) -> Said {
    let slow = Slow { weights, height, width };
    let (net, area) = (&weights.architecture, height * width);
    let input: Vec<f64> = planes.iter().map(|&number| f64::from(number)).collect();
    let mut sum = vec![0.0; net.channels * area];
    for (index, stem) in net.stem.iter().enumerate() {
        let part = &input[stem.first * area..][..stem.planes * area];
        let add = slow.convolve(&format!("stem.{index}.weight"), part);
        sum.iter_mut().zip(add).for_each(|(sum, add)| *sum += add);
    }
    let mut tower = slow.activate(slow.norm("stem.norm", sum));
    for block in 0..net.blocks {
        let half = slow.convolve(&format!("block.{block}.conv1.weight"), &tower);
        let half = slow.activate(slow.norm(&format!("block.{block}.norm1"), half));
        let half = slow.convolve(&format!("block.{block}.conv2.weight"), &half);
        let half = slow.norm(&format!("block.{block}.norm2"), half);
        tower = slow.activate(half.iter().zip(&tower).map(|(a, b)| a + b).collect());
    }
    let mut policy = slow.convolve("policy.conv.weight", &tower);
    let bias = weights.numbers("policy.bias");
    for (index, logit) in policy.iter_mut().enumerate() {
        *logit += f64::from(bias[if net.policy.bias_per_action { index } else { index / area }]);
    }
    if net.policy.pass {
        policy.extend(slow.linear("policy.pass", &pool(&tower, area)));
    }
    let value = slow.activate(slow.norm("value.norm", slow.convolve("value.conv.weight", &tower)));
    let vector = if net.value.pool == Pooling::Flat { value } else { pool(&value, area) };
    let hidden = slow.activate(slow.linear("value.hidden", &vector));
    let logit = slow.linear("value.output", &hidden)[0];
    let mut ownership = Vec::new();
    if net.ownership {
        let bias = f64::from(weights.numbers("ownership.bias")[0]);
        ownership = slow.convolve("ownership.weight", &tower).iter().map(|number| (number + bias).tanh()).collect();
    }
    Said {
        policy,
        value: if net.value.squash == Squash::Tanh { logit.tanh() } else { 2.0 / (1.0 + (-logit).exp()) - 1.0 },
        ownership,
        score: net.score.then(|| slow.linear("score", &hidden)[0]),
    }
}

/// Means, then maxima.
fn pool(planes: &[f64], area: usize) -> Vec<f64> {
    let means = planes.chunks(area).map(|plane| plane.iter().sum::<f64>() / area as f64);
    let maxima = planes.chunks(area).map(|plane| plane.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    means.chain(maxima).collect()
}

impl Slow<'_> {
    fn numbers(&self, name: &str) -> Vec<f64> {
        self.weights.numbers(name).iter().map(|&number| f64::from(number)).collect()
    }

    fn convolve(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let (weights, shape) = (self.numbers(name), &self.weights.tensors[name].shape);
        let (outputs, inputs, side) = (shape[0], shape[1], shape[2] as isize);
        let (height, width) = (self.height as isize, self.width as isize);
        let mut out = Vec::new();
        for output in 0..outputs {
            for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
                let mut sum = 0.0;
                for (down, right) in (0..side).flat_map(|down| (0..side).map(move |right| (down, right))) {
                    let (y, x) = (row + down - side / 2, column + right - side / 2);
                    if (0..height).contains(&y) && (0..width).contains(&x) {
                        for channel in 0..inputs {
                            let weight = ((output * inputs + channel) as isize * side + down) * side + right;
                            sum += weights[weight as usize]
                                * input[channel * self.height * self.width + (y * width + x) as usize];
                        }
                    }
                }
                out.push(sum);
            }
        }
        out
    }

    fn norm(&self, name: &str, planes: Vec<f64>) -> Vec<f64> {
        let [gamma, beta, mean, variance] =
            ["gamma", "beta", "mean", "variance"].map(|part| self.numbers(&format!("{name}.{part}")));
        let (area, epsilon) = (self.height * self.width, f64::from(self.weights.architecture.epsilon));
        let one = |(index, number): (usize, f64)| {
            let channel = index / area;
            (number - mean[channel]) / (variance[channel] + epsilon).sqrt() * gamma[channel] + beta[channel]
        };
        planes.into_iter().enumerate().map(one).collect()
    }

    fn linear(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let (weights, bias) = (self.numbers(&format!("{name}.weight")), self.numbers(&format!("{name}.bias")));
        let rows = weights.chunks(input.len()).zip(bias);
        rows.map(|(row, bias)| bias + row.iter().zip(input).map(|(a, b)| a * b).sum::<f64>()).collect()
    }

    fn activate(&self, numbers: Vec<f64>) -> Vec<f64> {
        let one = |number: f64| match self.weights.architecture.activation {
            Activation::Relu => number.max(0.0),
            Activation::Swish => number / (1.0 + (-number).exp()),
        };
        numbers.into_iter().map(one).collect()
    }
}
