//! Layers made ready to run, over boards in memory; what all of them need while they run.

use super::model::{ConvLayer, LinearLayer, NormLayer};
use crate::kernels::{Curve, Filter, Finish, Grid, Isa, Products, Squares, convolve_on, padded, scale_on, shift_on};
use std::{collections::HashMap, sync::OnceLock};

/// The most numbers of a buffer of activations that one pass works on: what stays in a core's second cache.
const PASS_MAX: usize = 128 << 10;

/// What layers need while they run: the boards' places in memory, instructions, and buffers.
pub(super) struct Workspace {
    pub(super) isa: Isa,
    pub(super) grid: Grid,
    /// Boards of the present pass.
    pub(super) boards: usize,
    squares: Squares,
    scratch: [Vec<f32>; 2],
    /// One pixel for each point, without pads: for kernels whose taps are gathered first.
    flat: Grid,
    gathered: Vec<f32>,
    /// Buffers that are not in use, by their channels. Their pads hold zeros.
    free: HashMap<usize, Vec<Vec<f32>>>,
}

impl Workspace {
    /// For boards of `height` x `width`; passes have room for as many boards as stay in the cache with `channels` channels, at
    /// most `batch_max`.
    pub(super) fn new(height: usize, width: usize, channels: usize, batch_max: usize) -> Self {
        let pass = (PASS_MAX / (height * width * padded(channels))).clamp(1, batch_max);
        let grid = Grid::new(height, width, pass);
        Workspace {
            isa: Isa::best(),
            boards: pass,
            squares: Squares::new(&grid),
            scratch: [Vec::new(), Vec::new()],
            flat: Grid::flat(pass * height * width),
            gathered: Vec::new(),
            free: HashMap::new(),
            grid,
        }
    }

    /// Boards of a pass at most.
    pub(super) fn pass(&self) -> usize {
        self.grid.batch()
    }

    /// Points of a board.
    pub(super) fn area(&self) -> usize {
        self.grid.height() * self.grid.width()
    }

    /// The pixels of a board's points.
    pub(super) fn points(&self, board: usize) -> &[u32] {
        let area = self.area();
        &self.grid.points(board + 1)[board * area..]
    }

    /// A buffer with zeros on its pads, for `channels` channels, padded.
    pub(super) fn take(&mut self, channels: usize) -> Vec<f32> {
        let channels = padded(channels);
        let free = self.free.get_mut(&channels).and_then(Vec::pop);
        free.unwrap_or_else(|| self.grid.buffer(channels))
    }

    /// Gives a buffer of [`Workspace::take`] back.
    pub(super) fn give(&mut self, channels: usize, buffer: Vec<f32>) {
        self.free.entry(padded(channels)).or_default().push(buffer);
    }
}

/// Numbers behind which zeros were put up to whole blocks.
fn filled(numbers: &[f32]) -> Vec<f32> {
    let mut filled = numbers.to_vec();
    filled.resize(padded(numbers.len()), 0.0);
    filled
}

/// A convolution, with the factors and shifts of the norm behind it.
#[derive(Debug)]
pub(super) struct Conv {
    kernel: [usize; 2],
    dilation: [usize; 2],
    inputs: usize,
    outputs: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
    /// Made when first asked for.
    filter: OnceLock<Filter>,
    /// The products for squares of 3 and of 4.
    squares: [OnceLock<Products>; 2],
}

impl Conv {
    /// The convolution by itself.
    pub(super) fn plain(layer: &ConvLayer) -> Conv {
        Conv {
            kernel: layer.kernel,
            dilation: layer.dilation,
            inputs: layer.inputs,
            outputs: layer.outputs,
            weights: layer.weights.clone(),
            bias: vec![0.0; layer.outputs],
            filter: OnceLock::new(),
            squares: [OnceLock::new(), OnceLock::new()],
        }
    }

    /// With the factors of `norm` inside, but not its shifts.
    pub(super) fn scaled(layer: &ConvLayer, norm: &NormLayer) -> Conv {
        let mut conv = Conv::plain(layer);
        let each = conv.weights.len() / conv.outputs;
        for (row, scale) in conv.weights.chunks_exact_mut(each).zip(&norm.scale) {
            row.iter_mut().for_each(|weight| *weight *= scale);
        }
        conv
    }

    /// With all of `norm` inside, its activation aside.
    pub(super) fn folded(layer: &ConvLayer, norm: &NormLayer) -> Conv {
        Conv { bias: norm.shift.clone(), ..Conv::scaled(layer, norm) }
    }

    /// Channels that it writes.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Multiplications for a point.
    pub(super) fn work(&self) -> usize {
        self.weights.len()
    }

    /// Whether the kernels' own 1x1 and 3x3 convolutions do it.
    fn is_direct(&self) -> bool {
        self.kernel == [1, 1] || (self.kernel == [3, 3] && self.dilation == [1, 1])
    }

    fn filter(&self) -> &Filter {
        self.filter.get_or_init(|| {
            if self.is_direct() {
                return Filter::new(&self.weights, self.outputs, self.inputs, self.kernel[0], &self.bias);
            }
            // Taps become channels: all inputs of the first tap, then those of the second.
            let taps = self.kernel[0] * self.kernel[1];
            let mut weights = vec![0.0; self.weights.len()];
            for (index, &weight) in self.weights.iter().enumerate() {
                let (rest, tap) = (index / taps, index % taps);
                let (output, input) = (rest / self.inputs, rest % self.inputs);
                weights[(output * taps + tap) * self.inputs + input] = weight;
            }
            Filter::new(&weights, self.outputs, self.inputs * taps, 1, &self.bias)
        })
    }

    fn products(&self, side: usize) -> &Products {
        let make = || Products::new(&self.weights, self.outputs, self.inputs, &self.bias, side);
        self.squares[usize::from(side == 4)].get_or_init(make)
    }

    /// Convolves `input` (of padded channels) into `out`, adding to what is there where `adds`; ReLU follows where `curve` is that,
    /// and any other activation as a pass of its own.
    pub(super) fn run(&self, work: &mut Workspace, input: &[f32], adds: bool, curve: Curve, out: &mut [f32]) {
        let finish = Finish { accumulate: adds, relu: curve == Curve::Relu };
        let (isa, boards) = (work.isa, work.boards);
        let (height, width) = (work.grid.height(), work.grid.width());
        if !self.is_direct() {
            self.run_gathered(work, input, finish, out);
        } else if self.kernel == [3, 3] && Squares::pay(height, width, self.inputs.min(self.outputs)) {
            let most = self.inputs.max(self.outputs);
            let Workspace { squares, scratch, .. } = work;
            if scratch[0].len() < squares.scratch_length(padded(most)) {
                *scratch = squares.scratch(padded(most));
            }
            self.products(squares.side()).convolve(isa, (squares, boards), input, finish, scratch, out);
        } else {
            convolve_on(isa, &work.grid, boards, (input, padded(self.inputs)), self.filter(), finish, out);
        }
        if !matches!(curve, Curve::Identity | Curve::Relu) {
            let none = vec![0.0; padded(self.outputs)];
            (0..boards).for_each(|board| shift_on(isa, &work.grid, board, &none, curve, out));
        }
    }

    /// Kernels of other sizes: the inputs of all taps are gathered for each point, which makes a linear layer of it.
    fn run_gathered(&self, work: &mut Workspace, input: &[f32], finish: Finish, out: &mut [f32]) {
        let [rows, columns] = self.kernel;
        let (inputs, stride, outputs) = (self.inputs, padded(self.inputs), padded(self.outputs));
        let (height, width, area) = (work.grid.height(), work.grid.width(), work.area());
        let each = rows * columns * inputs;
        let (isa, boards) = (work.isa, work.boards);
        let Workspace { grid, flat, gathered, .. } = work;
        gathered.clear();
        gathered.resize(flat.pixels() * each, 0.0);
        for board in 0..boards {
            let points = &grid.points(board + 1)[board * area..];
            for (point, to) in gathered[board * area * each..].chunks_exact_mut(each).take(area).enumerate() {
                let (y, x) = (point / width, point % width);
                for (tap, to) in to.chunks_exact_mut(inputs).enumerate() {
                    let row = (y + tap / columns * self.dilation[0]).wrapping_sub(rows / 2 * self.dilation[0]);
                    let column = (x + tap % columns * self.dilation[1]).wrapping_sub(columns / 2 * self.dilation[1]);
                    if row < height && column < width {
                        let pixel = points[row * width + column] as usize * stride;
                        to.copy_from_slice(&input[pixel..pixel + inputs]);
                    }
                }
            }
        }
        let mut sums = vec![0.0; flat.pixels() * outputs];
        convolve_on(isa, flat, boards * area, (gathered, each), self.filter(), Finish::default(), &mut sums);
        for (&point, sums) in grid.points(boards).iter().zip(sums.chunks_exact(outputs)) {
            let out = &mut out[point as usize * outputs..][..outputs];
            for (out, &sum) in out.iter_mut().zip(sums) {
                let sum = if finish.accumulate { *out + sum } else { sum };
                *out = if finish.relu { sum.max(0.0) } else { sum };
            }
        }
    }
}

/// A norm by factors and shifts with the activation behind it, padded.
#[derive(Debug)]
pub(super) struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
    pub(super) curve: Curve,
}

impl Norm {
    pub(super) fn new(layer: &NormLayer) -> Norm {
        Norm { scale: filled(&layer.scale), shift: filled(&layer.shift), curve: layer.curve }
    }

    /// Normalises `from` into `to`.
    pub(super) fn run(&self, work: &Workspace, from: &[f32], to: &mut [f32]) {
        scale_on(work.isa, &work.grid, work.boards, (&self.scale, &self.shift), self.curve, from, to);
    }

    /// What a number for each channel that is added before the norm adds behind it, the norm's own shift included.
    fn shifted(&self, add: &[f32]) -> Vec<f32> {
        let mut shift = self.shift.clone();
        shift.iter_mut().zip(add).zip(&self.scale).for_each(|((shift, add), scale)| *shift += add * scale);
        shift
    }

    /// Adds to each channel of a board what `add` says, shifts by the norm and activates: for a convolution that has the norm's
    /// factors inside.
    pub(super) fn finish(&self, work: &Workspace, board: usize, add: &[f32], buffer: &mut [f32]) {
        shift_on(work.isa, &work.grid, board, &self.shifted(add), self.curve, buffer);
    }
}

/// A linear layer on vectors.
#[derive(Debug)]
pub(super) struct Linear {
    outputs: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    pub(super) fn new(layer: &LinearLayer, bias: &[f32]) -> Linear {
        let bias = if bias.is_empty() { vec![0.0; layer.outputs] } else { bias.to_vec() };
        Linear { outputs: layer.outputs, weights: layer.weights.clone(), bias }
    }

    /// Its output.
    pub(super) fn run(&self, input: &[f32]) -> Vec<f32> {
        let mut sums = self.bias.clone();
        for (input, weights) in input.iter().zip(self.weights.chunks_exact(self.outputs)) {
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += input * weight);
        }
        sums
    }

    /// Multiplications.
    pub(super) fn work(&self) -> usize {
        self.weights.len()
    }
}

/// A linear layer at each point as a 1x1 convolution.
pub(super) fn at_each_point(layer: &LinearLayer) -> Conv {
    let mut weights = vec![0.0; layer.weights.len()];
    for (index, &weight) in layer.weights.iter().enumerate() {
        weights[index % layer.outputs * layer.inputs + index / layer.outputs] = weight;
    }
    let (inputs, outputs) = (layer.inputs, layer.outputs);
    Conv::plain(&ConvLayer { kernel: [1, 1], dilation: [1, 1], inputs, outputs, weights })
}

/// The side of the board for which the factors below are 1 and 0.
const USUAL_SIDE: f32 = 14.0;

/// The means and maxima of a buffer's channels over a board, as they are shown to layers: means, means by the size of the board, and
/// maxima, or, for the value head, means by the squared size.
pub(super) fn pool(work: &Workspace, board: usize, buffer: &[f32], channels: usize, for_value: bool) -> Vec<f32> {
    let stride = padded(channels);
    let mut pooled = vec![0.0; 3 * channels];
    let (means, rest) = pooled.split_at_mut(channels);
    let (by_size, last) = rest.split_at_mut(channels);
    // Activations are never below -1, so that KataGo begins there.
    last.fill(-1.0);
    for &point in work.points(board) {
        let pixel = &buffer[point as usize * stride..][..channels];
        for ((mean, most), &number) in means.iter_mut().zip(&mut *last).zip(pixel) {
            *mean += number;
            *most = most.max(number);
        }
    }
    let size = (work.area() as f32).sqrt() - USUAL_SIDE;
    for ((mean, by_size), last) in means.iter_mut().zip(by_size).zip(last) {
        *mean /= work.area() as f32;
        *by_size = *mean * size * 0.1;
        if for_value {
            *last = *mean * (size * size * 0.01 - 0.1);
        }
    }
    pooled
}
