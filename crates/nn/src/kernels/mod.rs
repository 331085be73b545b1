//! Convolutions over boards in memory as pixels of channels, with bias, sum and activation in one pass; the fastest form
//! for the machine is chosen at run time. Linear layers are 1x1 convolutions over [`Grid::flat`].

mod curve;
mod grid;
mod run;
mod scalar;
mod swish;
mod winograd;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use curve::{Curve, scale_on, shift_on, softmax_on};
pub use grid::Grid;
pub use winograd::{Products, Squares};

/// Output channels are padded to a multiple of this, with zeros.
pub const BLOCK: usize = 16;

/// `channels` rounded up to a multiple of [`BLOCK`]: the channels of a buffer that a convolution writes.
///
/// # Examples
/// ```
/// use tesuji_nn::kernels::padded;
/// assert!(padded(17) >= 17 && padded(padded(17)) == padded(17));
/// ```
pub fn padded(channels: usize) -> usize {
    channels.next_multiple_of(BLOCK)
}

/// A set of instructions that kernels are written for.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::Isa;
/// // Plain Rust runs everywhere.
/// assert!(Isa::best() >= Isa::Scalar && Isa::Scalar < Isa::Avx2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// Whatever the compiler makes of plain Rust.
    Scalar,
    /// AVX2 and FMA of x86-64.
    Avx2,
    /// AVX-512F of x86-64.
    Avx512,
}

impl Isa {
    /// The best that this machine has.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            // The widest first: machines with AVX-512 have AVX2 as well.
            if is_x86_feature_detected!("avx512f") {
                return Isa::Avx512;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Isa::Avx2;
            }
        }
        Isa::Scalar
    }
}

/// The weights of a convolution as the kernels read them.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::{BLOCK, Filter};
/// // A linear layer from 2 numbers to 1: its output is padded to a block.
/// let filter = Filter::new(&[0.5, -1.0], 1, 2, 1, &[3.0]);
/// assert_eq!((filter.inputs(), filter.outputs()), (2, BLOCK));
/// // Gradients go from 1 output to 2 inputs.
/// assert_eq!(Filter::backward(&[0.5, -1.0], 1, 2, 1).inputs(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct Filter {
    kernel: usize,
    inputs: usize,
    /// Padded.
    outputs: usize,
    /// `[outputs / BLOCK][taps][inputs][BLOCK]`.
    data: Vec<f32>,
    /// `[outputs]`.
    bias: Vec<f32>,
}

impl Filter {
    /// Packs weights of `outputs x inputs x kernel x kernel` (kernel 1 or 3) and one bias per output.
    ///
    /// # Panics
    /// When a length does not fit or the kernel is another.
    pub fn new(weights: &[f32], outputs: usize, inputs: usize, kernel: usize, bias: &[f32]) -> Self {
        let taps = kernel * kernel;
        assert!(matches!(kernel, 1 | 3), "kernels are 1 or 3");
        assert!(weights.len() == outputs * inputs * taps && bias.len() == outputs, "the weights do not fit");
        let mut filter = Filter { kernel, inputs, outputs: padded(outputs), data: Vec::new(), bias: bias.to_vec() };
        filter.bias.resize(filter.outputs, 0.0);
        filter.data.resize(filter.outputs * inputs * taps, 0.0);
        filter.set(
            |output, input, tap| {
                if output < outputs { weights[(output * inputs + input) * taps + tap] } else { 0.0 }
            },
        );
        filter
    }

    /// The filter that carries gradients of this convolution's outputs back to its inputs, without bias: inputs and
    /// outputs exchanged, kernels turned by 180 degrees. `weights` are those of the forward pass.
    ///
    /// # Panics
    /// As [`Filter::new`].
    pub fn backward(weights: &[f32], outputs: usize, inputs: usize, kernel: usize) -> Self {
        let taps = kernel * kernel;
        assert!(weights.len() == outputs * inputs * taps, "the weights do not fit");
        let mut filter = Filter::new(&vec![0.0; weights.len()], inputs, outputs, kernel, &vec![0.0; inputs]);
        filter.set(|back, from, tap| {
            // What went to the right neighbour comes back from the right: taps are read from the last to the first.
            if back < inputs { weights[(from * inputs + back) * taps + taps - 1 - tap] } else { 0.0 }
        });
        filter
    }

    fn set(&mut self, number: impl Fn(usize, usize, usize) -> f32) {
        let (taps, inputs) = (self.kernel * self.kernel, self.inputs);
        for (index, slot) in self.data.iter_mut().enumerate() {
            // From the place in the packed layout back to output, input and tap.
            let (rest, lane) = (index / BLOCK, index % BLOCK);
            let (rest, input) = (rest / inputs, rest % inputs);
            *slot = number(rest / taps * BLOCK + lane, input, rest % taps);
        }
    }

    /// Channels that it reads.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Channels that it writes, padded to a multiple of [`BLOCK`].
    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

/// The steps after the sums of a convolution: scale and shift, residual, activation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Finish {
    /// Add what the output buffer holds.
    pub accumulate: bool,
    /// Then cut below zero.
    pub relu: bool,
}

/// One convolution, checked: every point's pixel and its neighbours lie inside the input and the output.
struct Job<'a> {
    points: &'a [u32],
    taps: &'a [isize],
    input: &'a [f32],
    stride: usize,
    filter: &'a Filter,
    accumulate: bool,
    relu: bool,
}

/// Convolves the first `boards` boards of `input` (`[pixels][stride]`, of which the filter's inputs are read) into `out`
/// (`[pixels][filter.outputs()]`). Pads are not written. Runs on the best instructions of the machine.
///
/// # Panics
/// When a length does not fit.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::{BLOCK, Filter, Finish, Grid, convolve};
/// // The sum of each point and its neighbours on a board of 2x3.
/// let grid = Grid::new(2, 3, 1);
/// let filter = Filter::new(&[1.0; 9], 1, 1, 3, &[0.0]);
/// let (mut input, mut out) = (grid.buffer(1), grid.buffer(BLOCK));
/// grid.load(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 1, (0, 1), &mut input);
/// convolve(&grid, 1, (&input, 1), &filter, Finish::default(), &mut out);
/// let mut sums = [0.0; 6];
/// grid.store(&out, BLOCK, 1, 1, &mut sums);
/// assert_eq!(sums, [12.0, 21.0, 16.0, 12.0, 21.0, 16.0]);
/// ```
pub fn convolve(
    grid: &Grid,
    boards: usize,
    (input, stride): (&[f32], usize),
    filter: &Filter,
    finish: Finish,
    out: &mut [f32],
) {
    convolve_on(Isa::best(), grid, boards, (input, stride), filter, finish, out);
}

/// [`convolve`] on given instructions.
///
/// # Panics
/// When a length does not fit, or the machine lacks the instructions.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::{BLOCK, Filter, Finish, Grid, Isa, convolve, convolve_on};
/// let grid = Grid::flat(2);
/// let filter = Filter::new(&[0.5, -1.0], 1, 2, 1, &[3.0]);
/// let input = [4.0, 1.0, 2.0, 8.0];
/// let (mut plain, mut best) = (grid.buffer(BLOCK), grid.buffer(BLOCK));
/// let finish = Finish { relu: true, ..Finish::default() };
/// convolve_on(Isa::Scalar, &grid, 2, (&input, 2), &filter, finish, &mut plain);
/// convolve(&grid, 2, (&input, 2), &filter, finish, &mut best);
/// assert_eq!((plain[0], plain[BLOCK]), (4.0, 0.0));
/// assert_eq!(plain, best);
/// ```
pub fn convolve_on(
    isa: Isa,
    grid: &Grid,
    boards: usize,
    (input, stride): (&[f32], usize),
    filter: &Filter,
    finish: Finish,
    out: &mut [f32],
) {
    assert!(isa <= Isa::best(), "the machine lacks {isa:?}");
    assert!(filter.kernel == 1 || grid.is_padded(), "a 3x3 convolution needs pads");
    assert!(stride >= filter.inputs && input.len() == grid.pixels() * stride, "the input does not fit");
    assert!(out.len() == grid.pixels() * filter.outputs, "the output does not fit");
    let (points, taps) = (grid.points(boards), grid.taps(filter.kernel));
    let Finish { accumulate, relu } = finish;
    let job = Job { points, taps: &taps, input, stride, filter, accumulate, relu };
    run::convolve(isa, &job, out);
}

/// `x / (1 + exp(-x))` of the first `boards` boards' points of a buffer of `[pixels][channels]`, channels padded.
///
/// # Panics
/// When the buffer does not fit, or the channels are no whole blocks.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::{BLOCK, Grid, swish};
/// let grid = Grid::flat(1);
/// let mut numbers = vec![2.0; BLOCK];
/// swish(&grid, 1, &mut numbers, BLOCK);
/// assert!((numbers[0] - 2.0 / (1.0 + (-2.0_f32).exp())).abs() < 1e-6);
/// ```
pub fn swish(grid: &Grid, boards: usize, buffer: &mut [f32], channels: usize) {
    swish_on(Isa::best(), grid, boards, buffer, channels);
}

/// [`swish`] on given instructions.
///
/// # Panics
/// As [`swish`], or when the machine lacks the instructions.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::{BLOCK, Grid, Isa, swish_on};
/// let grid = Grid::flat(1);
/// let (mut plain, mut best) = (vec![-1.5; BLOCK], vec![-1.5; BLOCK]);
/// swish_on(Isa::Scalar, &grid, 1, &mut plain, BLOCK);
/// swish_on(Isa::best(), &grid, 1, &mut best, BLOCK);
/// assert!(plain[0] < 0.0 && (plain[0] - best[0]).abs() < 1e-6);
/// ```
pub fn swish_on(isa: Isa, grid: &Grid, boards: usize, buffer: &mut [f32], channels: usize) {
    assert!(isa <= Isa::best(), "the machine lacks {isa:?}");
    assert!(channels.is_multiple_of(BLOCK) && buffer.len() == grid.pixels() * channels, "the buffer does not fit");
    run::activate(isa, grid.points(boards), buffer, channels);
}
