//! One thread's buffers around a shared net: planes in, policy, value, ownership and score out.

use crate::kernels::{self, Finish, Grid, Isa, Squares, convolve_on, padded};
use crate::{Activation, Net, NetError, Pooling, Squash};
use std::sync::Arc;

/// The most numbers of a buffer of activations that one pass works on: what stays in a core's second cache.
const PASS_MAX: usize = 128 << 10;

/// Runs a net on boards of one size.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use tesuji_nn::{Architecture, Net, Runner, Weights, kernels::Isa};
/// let net = Arc::new(Net::new(&Weights::random(Architecture::for_any_size("go-1", 8, 9, 1, 16), 1))?);
/// let planes: Vec<f32> = (0..2 * 8 * 81).map(|number| (number % 3) as f32).collect();
/// let (mut best, mut plain) = (Runner::new(net.clone(), 9, 9, 2)?, Runner::new(net, 9, 9, 2)?.on(Isa::Scalar));
/// let (found, expected) = (best.run(&planes, 2), plain.run(&planes, 2));
/// assert_eq!((found.policy.len(), found.value.len(), found.ownership.len()), (2 * 82, 2, 2 * 81));
/// assert!(found.value.iter().zip(expected.value).all(|(a, b)| (a - b).abs() < 1e-3));
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug)]
pub struct Runner {
    net: Arc<Net>,
    height: usize,
    width: usize,
    batch_max: usize,
    isa: Isa,
    /// Boards that go through the layers together.
    pass: usize,
    grid: Grid,
    vectors: Grid,
    /// The tiling and buffers of Winograd convolutions in the tower; `None`: direct convolutions.
    squares: Option<(Squares, [Vec<f32>; 2])>,
    /// One buffer for each convolution of the stem.
    inputs: Vec<Vec<f32>>,
    tower: Vec<f32>,
    half: Vec<f32>,
    heads: Vec<f32>,
    value: Vec<f32>,
    pooled: Vec<f32>,
    hidden: Vec<f32>,
    output: Vec<f32>,
    answers: Answers,
}

/// The outputs of the last run, for all boards of the batch.
#[derive(Debug, Default)]
struct Answers {
    policy: Vec<f32>,
    value: Vec<f32>,
    ownership: Vec<f32>,
    score: Vec<f32>,
}

/// The outputs of a net, for the side to move of each position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outputs<'a> {
    /// `[batch * actions]`, logits: no softmax was taken.
    pub policy: &'a [f32],
    /// `[batch]`, expected results in -1..=1.
    pub value: &'a [f32],
    /// `[batch * height * width]`, each in -1..=1, row after row; empty without such a head.
    pub ownership: &'a [f32],
    /// `[batch]`, expected margins in points; empty without such a head.
    pub score: &'a [f32],
}

impl Runner {
    /// Buffers for up to `batch_max` positions on boards of `height` x `width`.
    ///
    /// # Errors
    /// When the net is for boards of another size.
    ///
    /// # Panics
    /// When `batch_max` is 0.
    pub fn new(net: Arc<Net>, height: usize, width: usize, batch_max: usize) -> Result<Runner, NetError> {
        assert!(batch_max > 0, "a batch of nothing");
        net.architecture().expect_board(height, width)?;
        let architecture = net.architecture();
        let (area, channels) = (height * width, padded(architecture.channels));
        // Large batches are cut into passes whose planes stay in the cache.
        let pass = (PASS_MAX / (area * channels)).clamp(1, batch_max);
        let (grid, vectors) = (Grid::new(height, width, pass), Grid::flat(pass));
        let answers = Answers {
            policy: vec![0.0; batch_max * architecture.actions(height, width)],
            value: vec![0.0; batch_max],
            ownership: vec![0.0; if architecture.ownership { batch_max * area } else { 0 }],
            score: vec![0.0; if architecture.score { batch_max } else { 0 }],
        };
        let squares = Squares::pay(height, width, channels).then(|| {
            let squares = Squares::new(&grid);
            let scratch = squares.scratch(channels);
            (squares, scratch)
        });
        Ok(Runner {
            squares,
            inputs: net.stem.iter().map(|stem| grid.buffer(stem.planes)).collect(),
            tower: grid.buffer(channels),
            half: grid.buffer(channels),
            heads: grid.buffer(net.heads.outputs()),
            value: grid.buffer(net.value.outputs()),
            pooled: vectors.buffer(architecture.pooled()),
            hidden: vectors.buffer(net.hidden.outputs()),
            output: vectors.buffer(net.output.outputs()),
            answers,
            net,
            height,
            width,
            batch_max,
            isa: Isa::best(),
            pass,
            grid,
            vectors,
        })
    }

    /// The net.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// Runs on other instructions than the machine's best: for comparisons.
    ///
    /// # Panics
    /// When the machine lacks them.
    pub fn on(mut self, isa: Isa) -> Self {
        assert!(isa <= Isa::best(), "the machine lacks {isa:?}");
        self.isa = isa;
        self
    }

    /// The most positions of one run.
    pub fn batch_max(&self) -> usize {
        self.batch_max
    }

    /// Evaluates `batch` positions, given as `[batch][planes][height][width]`. The answer to a position does not depend
    /// on the others of its batch.
    ///
    /// # Panics
    /// When `batch` is above [`Runner::batch_max`] or the planes are not of that length.
    pub fn run(&mut self, planes: &[f32], batch: usize) -> Outputs<'_> {
        let area = self.height * self.width;
        let each = self.net.architecture().planes * area;
        assert!(batch <= self.batch_max, "{batch} positions, room for {}", self.batch_max);
        assert!(planes.len() == batch * each, "{} numbers for {batch} positions of {each}", planes.len());
        for first in (0..batch).step_by(self.pass) {
            let boards = self.pass.min(batch - first);
            self.tower(&planes[first * each..][..boards * each], boards);
            self.policy(first, boards);
            self.value(first, boards);
        }
        let actions = self.net.architecture().actions(self.height, self.width);
        let (ownership, score) = (&self.answers.ownership, &self.answers.score);
        Outputs {
            policy: &self.answers.policy[..batch * actions],
            value: &self.answers.value[..batch],
            ownership: &ownership[..ownership.len().min(batch * area)],
            score: &score[..score.len().min(batch)],
        }
    }
}

impl Runner {
    /// Input planes to the last block's output, in `self.tower`.
    fn tower(&mut self, planes: &[f32], boards: usize) {
        let isa = self.isa;
        let Runner { net, grid, inputs, tower, half, squares, .. } = self;
        let architecture = net.architecture();
        let (relu, channels) = (architecture.activation == Activation::Relu, padded(architecture.channels));
        let finish = |buffer: &mut [f32]| {
            if !relu {
                kernels::swish_on(isa, grid, boards, buffer, channels);
            }
        };
        for (index, (stem, input)) in net.stem.iter().zip(inputs).enumerate() {
            grid.load(planes, architecture.planes, (stem.first, stem.planes), input);
            let last = index + 1 == net.stem.len();
            // The activation belongs behind the sum of all parts.
            let how = Finish { accumulate: index > 0, relu: relu && last };
            convolve_on(isa, grid, boards, (input, stem.planes), &stem.filter, how, tower);
        }
        finish(tower);
        // The second convolution of a block adds to what the tower holds, which is the residual.
        let (set, add) = (Finish { accumulate: false, relu }, Finish { accumulate: true, relu });
        if let Some((squares, scratch)) = squares {
            for [first, second] in net.squares(squares.side()) {
                first.convolve(isa, (squares, boards), tower, set, scratch, half);
                finish(half);
                second.convolve(isa, (squares, boards), half, add, scratch, tower);
                finish(tower);
            }
        } else {
            for [first, second] in net.direct() {
                convolve_on(isa, grid, boards, (tower, channels), first, set, half);
                finish(half);
                convolve_on(isa, grid, boards, (half, channels), second, add, tower);
                finish(tower);
            }
        }
    }

    /// Logits and ownership of the positions from `first` on.
    fn policy(&mut self, first: usize, boards: usize) {
        let isa = self.isa;
        let Runner { net, grid, tower, heads, answers, .. } = self;
        let architecture = net.architecture();
        let (area, channels) = (self.height * self.width, padded(architecture.channels));
        let actions = architecture.actions(self.height, self.width);
        convolve_on(isa, grid, boards, (tower, channels), &net.heads, Finish::default(), heads);
        let (stride, planes) = (net.heads.outputs(), architecture.policy.planes);
        for board in 0..boards {
            let points = &grid.points(boards)[board * area..][..area];
            let policy = &mut answers.policy[(first + board) * actions..][..actions];
            for (index, &point) in points.iter().enumerate() {
                let logits = &heads[point as usize * stride..][..stride];
                for (plane, logit) in logits[..planes].iter().enumerate() {
                    policy[plane * area + index] = *logit;
                }
                if architecture.ownership {
                    answers.ownership[(first + board) * area + index] = logits[planes].tanh();
                }
            }
            policy.iter_mut().zip(&net.policy_bias).for_each(|(logit, bias)| *logit += bias);
            if let Some((weights, bias)) = &net.pass {
                let mut pooled = vec![0.0; weights.len()];
                pool(tower, channels, points, &mut pooled);
                policy[actions - 1] = bias + pooled.iter().zip(weights).map(|(a, b)| a * b).sum::<f32>();
            }
        }
    }

    /// Values and scores of the positions from `first` on.
    fn value(&mut self, first: usize, boards: usize) {
        let isa = self.isa;
        let Runner { net, grid, vectors, tower, value, pooled, hidden, output, answers, .. } = self;
        let architecture = net.architecture();
        let (area, channels, head) = (self.height * self.width, padded(architecture.channels), architecture.value);
        let relu = architecture.activation == Activation::Relu;
        let how = Finish { accumulate: false, relu };
        convolve_on(isa, grid, boards, (tower, channels), &net.value, how, value);
        let (stride, length) = (net.value.outputs(), architecture.pooled());
        if !relu {
            kernels::swish_on(isa, grid, boards, value, stride);
        }
        match head.pool {
            Pooling::Flat => grid.store(value, stride, boards, head.planes, &mut pooled[..boards * length]),
            Pooling::Global => {
                for (points, vector) in grid.points(boards).chunks(area).zip(pooled.chunks_exact_mut(length)) {
                    pool(value, stride, points, vector);
                }
            }
        }
        convolve_on(isa, vectors, boards, (pooled, length), &net.hidden, how, hidden);
        if !relu {
            kernels::swish_on(isa, vectors, boards, hidden, net.hidden.outputs());
        }
        convolve_on(isa, vectors, boards, (hidden, net.hidden.outputs()), &net.output, Finish::default(), output);
        for (board, output) in output.chunks_exact(net.output.outputs()).take(boards).enumerate() {
            answers.value[first + board] = match head.squash {
                Squash::Tanh => output[0].tanh(),
                // A chance of winning in 0..=1, told as an expected result in -1..=1.
                Squash::Sigmoid => 2.0 / (1.0 + (-output[0]).exp()) - 1.0,
            };
            if architecture.score {
                answers.score[first + board] = output[1];
            }
        }
    }
}

/// The mean of each channel over `points`, then its maximum: `[2 * channels of interest]` in `vector`.
fn pool(buffer: &[f32], stride: usize, points: &[u32], vector: &mut [f32]) {
    let (means, maxima) = vector.split_at_mut(vector.len() / 2);
    means.fill(0.0);
    // Not 0: after Swish all numbers of a plane may be negative.
    maxima.fill(f32::NEG_INFINITY);
    for &point in points {
        let pixel = &buffer[point as usize * stride..][..means.len()];
        for ((mean, maximum), &number) in means.iter_mut().zip(&mut *maxima).zip(pixel) {
            *mean += number;
            *maximum = maximum.max(number);
        }
    }
    means.iter_mut().for_each(|mean| *mean /= points.len() as f32);
}
