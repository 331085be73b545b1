//! Training on the processor: images as rows of channels with a border of zeros, shares of the batch on several threads.
//!
//! The batch is cut into the same shares whatever the number of threads, and sums over shares are taken in their order:
//! the numbers do not depend on the threads.

use crate::backend::{Activation, Backend, Conv, Layout, Norm, Pooling};
use crate::kernels::{self, Rows};
use rayon::prelude::*;
use tesuji_nn::kernels::{Filter, Finish, Grid, Isa, convolve_on, padded};

/// Shares of a batch at most.
const SHARES: usize = 16;

/// A batch on the processor.
pub struct CpuTensor {
    layout: Layout,
    place: RowLayout,
    data: Vec<f32>,
}

/// The layout of an element's rows.
#[derive(Debug, Clone, Copy)]
struct RowLayout {
    /// Floats of a row.
    stride: usize,
    /// Rows of an element, border and all.
    rows: usize,
    /// The row of the first point.
    first: usize,
    /// From the first point to the one after the last.
    span: usize,
    /// Rows from one line of the board to the next.
    line: usize,
    height: usize,
    width: usize,
}

impl RowLayout {
    fn of(layout: Layout) -> RowLayout {
        let stride = padded(layout.channels());
        match layout {
            // A column of zeros before each line is the border on both sides; a line of zeros lies above and below.
            Layout::Grid { height, width, .. } => RowLayout {
                stride,
                rows: (height + 2) * (width + 1) + 1,
                first: width + 2,
                span: (height - 1) * (width + 1) + width,
                line: width + 1,
                height,
                width,
            },
            Layout::Flat(_) => RowLayout { stride, rows: 1, first: 0, span: 1, line: 1, height: 1, width: 1 },
        }
    }

    /// Floats of an element.
    fn len(self) -> usize {
        self.rows * self.stride
    }

    /// Points of an element.
    fn points(self) -> usize {
        self.height * self.width
    }

    /// The floats of each line's points within an element.
    fn lines(self) -> impl Iterator<Item = std::ops::Range<usize>> {
        (0..self.height).map(move |line| {
            let start = (self.first + line * self.line) * self.stride;
            start..start + self.width * self.stride
        })
    }

    /// Distances of the taps of a kernel with `side`.
    fn taps(self, side: usize) -> Vec<isize> {
        let (line, half) = (self.line as isize, side as isize / 2);
        (-half..=half).flat_map(|down| (-half..=half).map(move |right| down * line + right)).collect()
    }
}

/// The processor.
pub struct Cpu {
    with: Isa,
    pool: rayon::ThreadPool,
    batch_max: usize,
    batch: usize,
    parameters: Vec<f32>,
    gradients: Vec<f32>,
}

impl Cpu {
    /// `threads` threads for batches of at most `batch_max` elements.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn new(threads: usize, batch_max: usize) -> Result<Cpu, rayon::ThreadPoolBuildError> {
        Cpu::with(Isa::best(), threads, batch_max)
    }

    /// [`Cpu::new`] with chosen instructions.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn with(with: Isa, threads: usize, batch_max: usize) -> Result<Cpu, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build()?;
        Ok(Cpu { with, pool, batch_max, batch: 0, parameters: Vec::new(), gradients: Vec::new() })
    }

    /// Elements in a share.
    fn share(&self) -> usize {
        self.batch.div_ceil(SHARES).max(1)
    }

    /// The batch's part of a tensor.
    fn used<'a>(&self, tensor: &'a CpuTensor) -> &'a [f32] {
        &tensor.data[..self.batch * tensor.place.len()]
    }

    /// Runs `work` on the shares of `y` (number of the share, its part of `y`), and returns what it returned, in order.
    fn shares<R: Send>(&self, y: &mut CpuTensor, work: impl Fn(usize, &mut [f32]) -> R + Sync) -> Vec<R> {
        let len = self.share() * y.place.len();
        let data = &mut y.data[..self.batch * y.place.len()];
        self.pool.install(|| data.par_chunks_mut(len).enumerate().map(|(n, part)| work(n, part)).collect())
    }

    /// Runs `work` on the shares of nothing that is written.
    fn shares_read<R: Send>(&self, work: impl Fn(std::ops::Range<usize>) -> R + Sync) -> Vec<R> {
        let (share, batch) = (self.share(), self.batch);
        let starts: Vec<usize> = (0..batch).step_by(share).collect();
        self.pool.install(|| starts.into_par_iter().map(|start| work(start..(start + share).min(batch))).collect())
    }

    /// A convolution by the kernels of inference. Images lie in memory as these want them, each with its own border.
    fn run_conv(&self, filter: &Filter, x: &CpuTensor, y: &mut CpuTensor, accumulate: bool) {
        let (from, to) = (x.place, y.place);
        assert_eq!((from.height, from.width), (to.height, to.width), "a convolution keeps the board");
        let (source, share, isa) = (self.used(x), self.share(), self.with);
        let finish = Finish { accumulate, relu: false };
        self.shares(y, |n, part| {
            let elements = part.len() / to.len();
            let source = &source[n * share * from.len()..][..elements * from.len()];
            if from.rows == 1 {
                // Vectors lie one after another.
                convolve_on(isa, &Grid::flat(elements), elements, (source, from.stride), filter, finish, part);
                return;
            }
            let grid = Grid::new(from.height, from.width, 1);
            for (image, out) in source.chunks_exact(from.len()).zip(part.chunks_exact_mut(to.len())) {
                convolve_on(isa, &grid, 1, (image, from.stride), filter, finish, out);
            }
        });
    }
}

/// `activation(z)`.
#[inline]
fn apply(activation: Activation, z: f32) -> f32 {
    match activation {
        Activation::Relu => z.max(0.0),
        Activation::Swish => z / (1.0 + (-z).exp()),
    }
}

/// The slope of the activation at `z`, where it gave `y`.
#[inline]
fn slope(activation: Activation, z: f32) -> f32 {
    match activation {
        Activation::Relu => f32::from(z > 0.0),
        Activation::Swish => {
            let chance = 1.0 / (1.0 + (-z).exp());
            chance * (1.0 + z * (1.0 - chance))
        }
    }
}

/// Scale and shift of a batch norm, for each channel of a row.
struct Affine {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

impl Cpu {
    /// The numbers of a batch norm: `[gamma, beta, mean, variance]` with `mean` and `variance` taken from `figures`.
    fn affine(&self, norm: &Norm, figures: &[f32], stride: usize) -> Affine {
        let (gamma, beta) = self.parameters[norm.gamma..norm.gamma + 2 * norm.channels].split_at(norm.channels);
        let (mean, variance) =
            figures[norm.gamma + 2 * norm.channels..norm.gamma + 4 * norm.channels].split_at(norm.channels);
        let mut affine = Affine { scale: vec![0.0; stride], shift: vec![0.0; stride] };
        for c in 0..norm.channels {
            affine.scale[c] = gamma[c] / (variance[c] + norm.epsilon).sqrt();
            affine.shift[c] = beta[c] - mean[c] * affine.scale[c];
        }
        affine
    }

    /// Mean and variance of the batch, into the place of their gradients.
    fn measure(&mut self, norm: &Norm, x: &CpuTensor) {
        let place = x.place;
        let source = self.used(x);
        let sums = self.shares_read(|elements| {
            let mut all = vec![0.0f64; 2 * place.stride];
            let mut one = vec![0.0f32; 2 * place.stride];
            for element in elements {
                one.fill(0.0);
                let (sum, squares) = one.split_at_mut(place.stride);
                for line in place.lines() {
                    for row in source[element * place.len()..][line].chunks_exact(place.stride) {
                        for ((sum, square), &x) in sum.iter_mut().zip(squares.iter_mut()).zip(row) {
                            *sum += x;
                            *square += x * x;
                        }
                    }
                }
                all.iter_mut().zip(&one).for_each(|(all, &one)| *all += f64::from(one));
            }
            all
        });
        let count = (self.batch * place.points()) as f64;
        for c in 0..norm.channels {
            let total = |at: usize| sums.iter().map(|share| share[at]).sum::<f64>() / count;
            let (mean, square) = (total(c), total(place.stride + c));
            self.gradients[norm.gamma + 2 * norm.channels + c] = mean as f32;
            // Rounding may take it below 0 where all numbers are equal.
            self.gradients[norm.gamma + 3 * norm.channels + c] = (square - mean * mean).max(0.0) as f32;
        }
    }
}

/// Sums over shares, in their order.
fn total<T: Copy + std::ops::AddAssign>(shares: Vec<Vec<T>>) -> Vec<T> {
    let mut shares = shares.into_iter();
    let mut first = shares.next().unwrap_or_default();
    for share in shares {
        first.iter_mut().zip(&share).for_each(|(sum, part)| *sum += *part);
    }
    first
}

/// A gradient of the first pass through a batch norm: `dy` becomes that before the activation; returns the sums of it and
/// of it times the centred input, for each channel.
fn norm_first(
    (norm, affine, mean): (&Norm, &Affine, &[f32]),
    (place, first): (RowLayout, usize),
    (x, residual, y): (&[f32], Option<&[f32]>, &[f32]),
    part: &mut [f32],
) -> Vec<f64> {
    let stride = place.stride;
    // Sums of an element in 32 bits are exact enough and fast; those over the batch need 64.
    let mut all = vec![0.0f64; 2 * stride];
    let mut one = vec![0.0f32; 2 * stride];
    for (n, element) in part.chunks_exact_mut(place.len()).enumerate() {
        let at = (first + n) * place.len();
        one.fill(0.0);
        let (sum, product) = one.split_at_mut(stride);
        for line in place.lines() {
            for start in line.step_by(stride) {
                let (rx, ry) = (&x[at + start..][..stride], &y[at + start..][..stride]);
                let dy = &mut element[start..start + stride];
                match (norm.activation, residual) {
                    (Activation::Relu, _) => {
                        // The output tells the slope of a ReLU: the input need not be computed again.
                        dy.iter_mut().zip(ry).for_each(|(d, &y)| *d = if y > 0.0 { *d } else { 0.0 })
                    }
                    (Activation::Swish, residual) => {
                        for c in 0..stride {
                            let other = residual.map_or(0.0, |r| r[at + start + c]);
                            dy[c] *= slope(norm.activation, rx[c] * affine.scale[c] + affine.shift[c] + other);
                        }
                    }
                }
                for c in 0..stride {
                    sum[c] += dy[c];
                    product[c] += dy[c] * (rx[c] - mean[c]);
                }
            }
        }
        all.iter_mut().zip(&one).for_each(|(all, &one)| *all += f64::from(one));
    }
    all
}

impl Backend for Cpu {
    type Tensor = CpuTensor;

    fn name(&self) -> String {
        let word = match self.with {
            Isa::Scalar => "plain code",
            Isa::Avx2 => "AVX2",
            Isa::Avx512 => "AVX-512",
        };
        format!("cpu, {word}, {} threads", self.pool.current_num_threads())
    }

    fn tensor(&mut self, layout: Layout) -> CpuTensor {
        let place = RowLayout::of(layout);
        CpuTensor { layout, place, data: vec![0.0; self.batch_max * place.len()] }
    }

    fn load(&mut self, parameters: &[f32]) {
        self.parameters.clear();
        self.parameters.extend_from_slice(parameters);
    }

    fn begin(&mut self, batch: usize) {
        assert!((1..=self.batch_max).contains(&batch), "a batch of {batch}, where {} fit", self.batch_max);
        self.gradients.clear();
        self.gradients.resize(self.parameters.len(), 0.0);
        self.batch = batch;
    }

    fn gradients(&mut self, out: &mut [f32]) {
        out.copy_from_slice(&self.gradients);
    }

    fn write(&mut self, numbers: &[f32], to: &mut CpuTensor) {
        let (place, len, share) = (to.place, to.layout.len(), self.share());
        assert_eq!(numbers.len(), self.batch * len, "a batch of another size");
        self.shares(to, |n, part| {
            for (element, out) in part.chunks_exact_mut(place.len()).enumerate() {
                let source = &numbers[(n * share + element) * len..][..len];
                for (channel, plane) in source.chunks_exact(place.points()).enumerate() {
                    for (line, values) in place.lines().zip(plane.chunks_exact(place.width)) {
                        for (row, &value) in out[line].chunks_exact_mut(place.stride).zip(values) {
                            row[channel] = value;
                        }
                    }
                }
            }
        });
    }

    fn read(&mut self, from: &CpuTensor, numbers: &mut [f32]) {
        let (place, len) = (from.place, from.layout.len());
        assert_eq!(numbers.len(), self.batch * len, "a batch of another size");
        for (element, out) in self.used(from).chunks_exact(place.len()).zip(numbers.chunks_exact_mut(len)) {
            for (channel, plane) in out.chunks_exact_mut(place.points()).enumerate() {
                for (line, values) in place.lines().zip(plane.chunks_exact_mut(place.width)) {
                    for (row, value) in element[line].chunks_exact(place.stride).zip(values) {
                        *value = row[channel];
                    }
                }
            }
        }
    }

    fn conv(&mut self, conv: &Conv, x: &CpuTensor, y: &mut CpuTensor, accumulate: bool) {
        assert_eq!(
            (conv.inputs, conv.outputs),
            (x.layout.channels(), y.layout.channels()),
            "a convolution of other channels"
        );
        let weights = &self.parameters[conv.range()];
        // Biases are in the batch norm behind it.
        let filter = Filter::new(weights, conv.outputs, conv.inputs, conv.side, &vec![0.0; conv.outputs]);
        self.run_conv(&filter, x, y, accumulate);
    }

    fn conv_back(&mut self, conv: &Conv, dy: &CpuTensor, dx: &mut CpuTensor, accumulate: bool) {
        assert_eq!(
            (conv.outputs, conv.inputs),
            (dy.layout.channels(), dx.layout.channels()),
            "a convolution of other channels"
        );
        let filter = Filter::backward(&self.parameters[conv.range()], conv.outputs, conv.inputs, conv.side);
        self.run_conv(&filter, dy, dx, accumulate);
    }

    fn conv_weights(&mut self, conv: &Conv, x: &CpuTensor, dy: &CpuTensor) {
        let (from, to, taps) = (x.place, dy.place, x.place.taps(conv.side));
        let (source, slopes, with) = (self.used(x), self.used(dy), self.with);
        let len = padded(conv.outputs) * conv.inputs * taps.len();
        let sums = self.shares_read(|elements| {
            let mut packed = vec![0.0; len];
            // Vectors are one long matrix: a single call takes all elements as its rows.
            let (count, rows) = if from.rows == 1 { (1, elements.len()) } else { (elements.len(), from.span) };
            for element in elements.start..elements.start + count {
                let x_at = Rows { start: element * from.len() + from.first * from.stride, stride: from.stride };
                let y_at = Rows { start: element * to.len() + to.first * to.stride, stride: to.stride };
                kernels::weight_gradient(with, (source, x_at), conv.inputs, &taps, (slopes, y_at), rows, &mut packed);
            }
            packed
        });
        let into = conv.range();
        let packed = total(sums);
        kernels::unpack_add(&packed, conv.outputs, conv.inputs, taps.len(), &mut self.gradients[into]);
    }

    fn norm(&mut self, norm: &Norm, x: &CpuTensor, residual: Option<&CpuTensor>, y: &mut CpuTensor, training: bool) {
        if training {
            self.measure(norm, x);
        }
        let place = x.place;
        let affine = self.affine(norm, if training { &self.gradients } else { &self.parameters }, place.stride);
        let (x, share) = (self.used(x), self.share());
        let residual = residual.map(|r| self.used(r));
        self.shares(y, |n, part| {
            for (element, out) in part.chunks_exact_mut(place.len()).enumerate() {
                let at = (n * share + element) * place.len();
                for start in place.lines().flat_map(|line| line.step_by(place.stride)) {
                    let (x, y) = (&x[at + start..][..place.stride], &mut out[start..start + place.stride]);
                    for (((y, &x), scale), shift) in y.iter_mut().zip(x).zip(&affine.scale).zip(&affine.shift) {
                        *y = x * scale + shift;
                    }
                    if let Some(residual) = residual {
                        y.iter_mut().zip(&residual[at + start..]).for_each(|(y, r)| *y += r);
                    }
                    y.iter_mut().for_each(|y| *y = apply(norm.activation, *y));
                }
            }
        });
    }

    fn norm_back(
        &mut self,
        norm: &Norm,
        x: &CpuTensor,
        residual: Option<&CpuTensor>,
        y: &CpuTensor,
        dy: &mut CpuTensor,
        dx: &mut CpuTensor,
    ) {
        let (place, share, channels) = (x.place, self.share(), norm.channels);
        let affine = self.affine(norm, &self.gradients, place.stride);
        let mut mean = vec![0.0; place.stride];
        mean[..channels].copy_from_slice(&self.gradients[norm.gamma + 2 * channels..][..channels]);
        let sources = (self.used(x), residual.map(|r| self.used(r)), self.used(y));
        let sums =
            total(self.shares(dy, |n, part| norm_first((norm, &affine, &mean), (place, n * share), sources, part)));
        let count = (self.batch * place.points()) as f64;
        // dx = scale * dz + linear * (x - mean) + constant
        let (mut linear, mut constant) = (vec![0.0f32; place.stride], vec![0.0f32; place.stride]);
        for c in 0..channels {
            let (sum, product) = (sums[c], sums[place.stride + c]);
            let inverse = 1.0 / f64::from((self.gradients[norm.gamma + 3 * channels + c] + norm.epsilon).sqrt());
            let scale = f64::from(affine.scale[c]);
            linear[c] = (-scale * product * inverse * inverse / count) as f32;
            constant[c] = (-scale * sum / count) as f32 - linear[c] * mean[c];
            self.gradients[norm.gamma + c] += (product * inverse) as f32;
            self.gradients[norm.gamma + channels + c] += sum as f32;
        }
        let (x, dz) = (self.used(x), self.used(dy));
        self.shares(dx, |n, part| {
            for (element, out) in part.chunks_exact_mut(place.len()).enumerate() {
                let at = (n * share + element) * place.len();
                for start in place.lines().flat_map(|line| line.step_by(place.stride)) {
                    let (x, dz) = (&x[at + start..][..place.stride], &dz[at + start..][..place.stride]);
                    let out = &mut out[start..start + place.stride];
                    for c in 0..place.stride {
                        out[c] = affine.scale[c] * dz[c] + linear[c] * x[c] + constant[c];
                    }
                }
            }
        });
    }

    fn pool(&mut self, pool: Pooling, x: &CpuTensor, y: &mut CpuTensor) {
        let (place, share, channels) = (x.place, self.share(), x.layout.channels());
        let (source, to) = (self.used(x), y.place);
        self.shares(y, |n, part| {
            for (element, out) in part.chunks_exact_mut(to.len()).enumerate() {
                let image = &source[(n * share + element) * place.len()..][..place.len()];
                let rows = place.lines().flat_map(|line| line.step_by(place.stride)).map(|start| &image[start..]);
                match pool {
                    Pooling::Flat => rows.enumerate().for_each(|(point, row)| {
                        (0..channels).for_each(|c| out[c * place.points() + point] = row[c]);
                    }),
                    Pooling::Global => {
                        let (means, maxima) = out.split_at_mut(channels);
                        means.fill(0.0);
                        maxima[..channels].fill(f32::NEG_INFINITY);
                        for row in rows {
                            means.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
                            maxima.iter_mut().zip(&row[..channels]).for_each(|(max, &x)| *max = max.max(x));
                        }
                        means.iter_mut().for_each(|sum| *sum /= place.points() as f32);
                    }
                }
            }
        });
    }

    fn pool_back(&mut self, pool: Pooling, x: &CpuTensor, dy: &CpuTensor, dx: &mut CpuTensor, accumulate: bool) {
        let (place, share, channels) = (x.place, self.share(), x.layout.channels());
        let (source, slopes, from) = (self.used(x), self.used(dy), dy.place);
        self.shares(dx, |n, part| {
            let mut first_of = vec![(f32::NEG_INFINITY, 0); channels];
            for (element, out) in part.chunks_exact_mut(place.len()).enumerate() {
                let at = n * share + element;
                let (image, slope) =
                    (&source[at * place.len()..][..place.len()], &slopes[at * from.len()..][..from.len()]);
                first_of.fill((f32::NEG_INFINITY, 0));
                for (point, start) in place.lines().flat_map(|line| line.step_by(place.stride)).enumerate() {
                    for c in 0..channels {
                        // Strictly greater: of equal maxima the first gets the slope, as on every device.
                        if image[start + c] > first_of[c].0 {
                            first_of[c] = (image[start + c], start);
                        }
                        let back = match pool {
                            Pooling::Flat => slope[c * place.points() + point],
                            Pooling::Global => slope[c] / place.points() as f32,
                        };
                        let before = if accumulate { out[start + c] } else { 0.0 };
                        out[start + c] = before + back;
                    }
                }
                if pool == Pooling::Global {
                    (0..channels).for_each(|c| out[first_of[c].1 + c] += slope[channels + c]);
                }
            }
        });
    }

    fn bias(&mut self, bias: usize, activation: Activation, x: &CpuTensor, y: &mut CpuTensor) {
        let (len, share, place) = (x.layout.channels(), self.share(), x.place);
        let (source, bias) = (self.used(x), &self.parameters[bias..bias + len]);
        self.shares(y, |n, part| {
            for (element, out) in part.chunks_exact_mut(place.len()).enumerate() {
                let row = &source[(n * share + element) * place.len()..];
                out.iter_mut().zip(row).zip(bias).for_each(|((y, x), b)| *y = apply(activation, x + b));
            }
        });
    }

    fn bias_back(&mut self, bias: usize, activation: Activation, x: &CpuTensor, dy: &mut CpuTensor) {
        let (len, share, place) = (x.layout.channels(), self.share(), x.place);
        let (source, numbers) = (self.used(x), &self.parameters[bias..bias + len]);
        let sums = total(self.shares(dy, |n, part| {
            let mut sums = vec![0.0f64; len];
            for (element, out) in part.chunks_exact_mut(place.len()).enumerate() {
                let row = &source[(n * share + element) * place.len()..];
                for c in 0..len {
                    out[c] *= slope(activation, row[c] + numbers[c]);
                    sums[c] += f64::from(out[c]);
                }
            }
            sums
        }));
        self.gradients[bias..bias + len].iter_mut().zip(&sums).for_each(|(g, &sum)| *g += sum as f32);
    }
}
