//! 3x3 convolutions by the minimal filtering of Winograd (Lavin and Gray, 2015): squares of 3x3 or 4x4 outputs become 25
//! or 36 products of each pair of channels instead of 81 or 144. Works on blocks of channels in memory.

use super::{BLOCK, Filter, Finish, Grid, Isa, Job, run};

/// The numbers of one block of channels.
type Lanes = [f32; BLOCK];

/// The tiling of the boards of a grid.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::Squares;
/// // Nine squares of 3x3 on a board of 9x9, 25 products each: a direct convolution has 729.
/// assert_eq!(Squares::best(9, 9), (3, 225));
/// assert_eq!(Squares::best(19, 19).0, 4);
/// assert!(Squares::pay(9, 9, 128) && !Squares::pay(9, 9, 16));
/// ```
#[derive(Debug, Clone)]
pub struct Squares {
    /// Outputs on a square's side: 3 or 4.
    side: usize,
    per_board: usize,
    /// The pixels that each square reads, `(side + 2)^2`; beyond the pads, pixel 0, which is a pad.
    reads: Vec<u32>,
    /// The pixels that each square writes, `side^2`; none beyond the board.
    writes: Vec<Option<u32>>,
    /// The squares' numbers, as points of a flat grid.
    numbers: Vec<u32>,
}

impl Squares {
    /// The side with the fewest multiplications for boards of `height` x `width`: 3 for 9x9, 4 for 19x19; and how many
    /// for each pair of channels.
    pub fn best(height: usize, width: usize) -> (usize, usize) {
        let work = |side: usize| (height.div_ceil(side) * width.div_ceil(side) * (side + 2) * (side + 2), side);
        // Of equals the smaller side: its transforms have smaller factors.
        let (work, side) = work(4).min(work(3));
        (side, work)
    }

    /// Whether they beat a direct convolution between `channels` channels. The transforms cost about as much as 64
    /// channels more; measured with 16 to 192 channels on boards of 5x5 to 19x19.
    pub fn pay(height: usize, width: usize, channels: usize) -> bool {
        Squares::best(height, width).1 * (channels + 64) < 9 * height * width * channels
    }

    /// Outputs on a square's side.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Cuts the boards of `grid`, which has pads.
    ///
    /// # Panics
    /// When it has none.
    pub fn new(grid: &Grid) -> Self {
        assert!(grid.is_padded(), "a 3x3 convolution needs pads");
        let (height, width, boards) = (grid.height(), grid.width(), grid.batch());
        let (side, _) = Squares::best(height, width);
        let per_board = height.div_ceil(side) * width.div_ceil(side);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for board in 0..boards {
            // The pixel of a point, whose row and column may be one outside.
            let first = (board * (height + 1) + 1) * (width + 1) + 1;
            let pixel = |row: usize, column: usize| (first + row * (width + 1) + column - (width + 1) - 1) as u32;
            for (top, left) in (0..height).step_by(side).flat_map(|y| (0..width).step_by(side).map(move |x| (y, x))) {
                for (row, column) in (0..side + 2).flat_map(|y| (0..side + 2).map(move |x| (top + y, left + x))) {
                    let inside = row <= height + 1 && column <= width + 1;
                    // Squares may hang over the edge, where boards are no multiple of their side.
                    reads.push(if inside { pixel(row, column) } else { 0 });
                }
                for (row, column) in (0..side).flat_map(|y| (0..side).map(move |x| (top + y, left + x))) {
                    let inside = row < height && column < width;
                    writes.push(inside.then(|| pixel(row + 1, column + 1)));
                }
            }
        }
        let numbers = (0..(boards * per_board) as u32).collect();
        Squares { side, per_board, reads, writes, numbers }
    }

    /// Numbers of each half of [`Squares::scratch`].
    pub fn scratch_length(&self, channels: usize) -> usize {
        self.numbers.len() * (self.side + 2) * (self.side + 2) * channels
    }

    /// Room for the products of convolutions between up to `channels` channels (padded).
    pub fn scratch(&self, channels: usize) -> [Vec<f32>; 2] {
        let numbers = self.scratch_length(channels);
        [vec![0.0; numbers], vec![0.0; numbers]]
    }
}

/// The weights of a 3x3 convolution, transformed.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::{BLOCK, Filter, Finish, Grid, Isa, Products, Squares, convolve};
/// let grid = Grid::new(9, 9, 1);
/// let weights: Vec<f32> = (0..9 * BLOCK * BLOCK).map(|n| (n % 7) as f32 / 8.0).collect();
/// let input: Vec<f32> = (0..grid.pixels() * BLOCK).map(|n| if n % 5 == 0 { 0.5 } else { 0.0 }).collect();
/// # // Pads hold zeros.
/// # let mut padded = grid.buffer(BLOCK);
/// # for &point in grid.points(1) {
/// #     let pixel = point as usize * BLOCK;
/// #     padded[pixel..pixel + BLOCK].copy_from_slice(&input[pixel..pixel + BLOCK]);
/// # }
/// # let input = padded;
/// let (mut direct, mut tiled) = (grid.buffer(BLOCK), grid.buffer(BLOCK));
/// let filter = Filter::new(&weights, BLOCK, BLOCK, 3, &[0.25; BLOCK]);
/// convolve(&grid, 1, (&input, BLOCK), &filter, Finish::default(), &mut direct);
///
/// let squares = Squares::new(&grid);
/// let products = Products::new(&weights, BLOCK, BLOCK, &[0.25; BLOCK], squares.side());
/// let mut scratch = squares.scratch(BLOCK);
/// products.convolve(Isa::best(), (&squares, 1), &input, Finish::default(), &mut scratch, &mut tiled);
/// assert!(direct.iter().zip(&tiled).all(|(a, b)| (a - b).abs() < 1e-3));
/// assert!(direct.iter().any(|sum| *sum > 1.0));
/// ```
#[derive(Debug, Clone)]
pub struct Products {
    side: usize,
    /// One for each of the `(side + 2)^2` products.
    filters: Vec<Filter>,
    bias: Vec<f32>,
}

impl Products {
    /// Transforms weights of `outputs x inputs x 3 x 3` with one bias per output, for squares of `side`.
    ///
    /// # Panics
    /// When a length does not fit or the side is neither 3 nor 4.
    pub fn new(weights: &[f32], outputs: usize, inputs: usize, bias: &[f32], side: usize) -> Self {
        assert!(weights.len() == outputs * inputs * 9 && bias.len() == outputs, "the weights do not fit");
        // The kernel's transform for the points 0, 1, -1, 2 (and -2), and infinity, by which a polynomial product is interpolated.
        let rows: &[[f64; 3]] = match side {
            3 => &[
                [0.5, 0.0, 0.0],
                [-0.5, -0.5, -0.5],
                [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
                [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
                [0.0, 0.0, 1.0],
            ],
            4 => &[
                [0.25, 0.0, 0.0],
                [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
                [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
                [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
                [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
                [0.0, 0.0, 1.0],
            ],
            _ => panic!("squares have sides of 3 or 4"),
        };
        let inner = inputs.next_multiple_of(BLOCK);
        let product = |down: &[f64; 3], right: &[f64; 3]| {
            let mut numbers = vec![0.0; outputs * inner];
            for (index, kernel) in weights.chunks_exact(9).enumerate() {
                let sum =
                    |row: usize| (0..3).map(|column| f64::from(kernel[row * 3 + column]) * right[column]).sum::<f64>();
                // In doubles, since this is done once: the sixths round once instead of twice.
                let sum: f64 = (0..3).map(|row| down[row] * sum(row)).sum();
                numbers[index / inputs * inner + index % inputs] = sum as f32;
            }
            Filter::new(&numbers, outputs, inner, 1, &vec![0.0; outputs])
        };
        let filters: Vec<Filter> =
            rows.iter().flat_map(|down| rows.iter().map(move |right| product(down, right))).collect();
        let mut bias = bias.to_vec();
        bias.resize(filters[0].outputs(), 0.0);
        Products { side, filters, bias }
    }

    /// Convolves the first `boards` boards of `input` into `out`, both `[pixels][padded channels]`, as
    /// [`super::convolve`] does. `scratch` is of [`Squares::scratch`] for the larger number of channels.
    ///
    /// # Panics
    /// When a length does not fit.
    pub fn convolve(
        &self,
        isa: Isa,
        (squares, boards): (&Squares, usize),
        input: &[f32],
        finish: Finish,
        scratch: &mut [Vec<f32>; 2],
        out: &mut [f32],
    ) {
        assert!(self.side == squares.side, "the squares are of another side");
        let (inputs, outputs) = (self.filters[0].inputs(), self.filters[0].outputs());
        let count = squares.per_board * boards;
        let [before, after] = scratch;
        let (before, after) =
            (&mut before[..self.filters.len() * count * inputs], &mut after[..self.filters.len() * count * outputs]);
        match self.side {
            3 => run::read_squares::<5>(isa, &squares.reads[..count * 25], input, inputs, before),
            _ => run::read_squares::<6>(isa, &squares.reads[..count * 36], input, inputs, before),
        }
        let products = before.chunks_exact(count * inputs).zip(after.chunks_exact_mut(count * outputs));
        // Each product of the transform is a matrix product over all squares: a 1x1 convolution.
        for (filter, (from, to)) in self.filters.iter().zip(products) {
            let points = &squares.numbers[..count];
            run::convolve(
                isa,
                &Job { points, taps: &[0], input: from, stride: inputs, filter, accumulate: false, relu: false },
                to,
            );
        }
        let writes = &squares.writes[..count * self.side * self.side];
        match self.side {
            3 => run::write_squares::<5, 3>(isa, writes, after, &self.bias, finish, out),
            _ => run::write_squares::<6, 4>(isa, writes, after, &self.bias, finish, out),
        }
    }
}

/// Transforms all squares: `[squares][N * N]` pixels of `input` to `[N * N][squares][inputs]` in `before`.
#[inline(always)]
pub(super) fn read_squares<const N: usize>(reads: &[u32], input: &[f32], inputs: usize, before: &mut [f32]) {
    let plane = reads.len() / (N * N) * inputs;
    // Outside of the loops: every number is overwritten for each square.
    let mut columns = [[[0f32; BLOCK]; N]; N];
    for (square, pixels) in reads.chunks_exact(N * N).enumerate() {
        for block in (0..inputs).step_by(BLOCK) {
            for (column, lanes) in columns.iter_mut().enumerate() {
                let read = |row: usize| lanes_at(input, pixels[row * N + column] as usize * inputs + block);
                *lanes = forward(std::array::from_fn(read));
            }
            #[expect(clippy::needless_range_loop, reason = "the row runs across the columns")]
            for row in 0..N {
                let numbers = forward::<N>(std::array::from_fn(|column| &columns[column][row]));
                for (column, numbers) in numbers.iter().enumerate() {
                    let at = (row * N + column) * plane + square * inputs + block;
                    before[at..at + BLOCK].copy_from_slice(numbers);
                }
            }
        }
    }
}

/// Transforms the products back: `[N * N][squares][outputs]` in `after` to `[squares][M * M]` pixels of `out`.
#[inline(always)]
pub(super) fn write_squares<const N: usize, const M: usize>(
    writes: &[Option<u32>],
    after: &[f32],
    bias: &[f32],
    finish: Finish,
    out: &mut [f32],
) {
    let (outputs, squares) = (bias.len(), writes.len() / (M * M));
    let plane = squares * outputs;
    let mut columns = [[[0f32; BLOCK]; M]; N];
    for (square, pixels) in writes.chunks_exact(M * M).enumerate() {
        for block in (0..outputs).step_by(BLOCK) {
            let bias = lanes_at(bias, block);
            for (column, lanes) in columns.iter_mut().enumerate() {
                let read = |row: usize| lanes_at(after, (row * N + column) * plane + square * outputs + block);
                *lanes = back::<N, M>(std::array::from_fn(read));
            }
            for row in 0..M {
                let numbers = back::<N, M>(std::array::from_fn(|column| &columns[column][row]));
                for (pixel, numbers) in pixels[row * M..][..M].iter().zip(&numbers) {
                    let Some(pixel) = *pixel else { continue };
                    let to = &mut out[pixel as usize * outputs + block..][..BLOCK];
                    for lane in 0..BLOCK {
                        let sum = numbers[lane] + bias[lane] + if finish.accumulate { to[lane] } else { 0.0 };
                        to[lane] = if finish.relu { sum.max(0.0) } else { sum };
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn lanes_at(numbers: &[f32], at: usize) -> &Lanes {
    numbers[at..].first_chunk().expect("buffers hold whole blocks")
}

/// One side of the transform of inputs.
#[inline(always)]
fn forward<const N: usize>(from: [&Lanes; N]) -> [Lanes; N] {
    let mut to = [[0f32; BLOCK]; N];
    for lane in 0..BLOCK {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|index| from[index][lane]);
        if N == 5 {
            to[0][lane] = 2.0 * (a - c) + (d - b);
            to[1][lane] = d - c - 2.0 * b;
            to[2][lane] = 2.0 * b - 3.0 * c + d;
            to[3][lane] = d - b;
            to[4][lane] = 2.0 * (b - d) + (e - c);
        } else {
            // The rows of 1 and -1, and of 2 and -2, differ in the sign of the odd part alone.
            let (even, odd) = (e - 4.0 * c, d - 4.0 * b);
            let (close, twice) = (e - c, 2.0 * (d - b));
            to[0][lane] = 4.0 * a - 5.0 * c + e;
            to[1][lane] = even + odd;
            to[2][lane] = even - odd;
            to[3][lane] = close + twice;
            to[4][lane] = close - twice;
            to[5][lane] = 4.0 * b - 5.0 * d + from[5][lane];
        }
    }
    to
}

/// One side of the transform of outputs.
#[inline(always)]
fn back<const N: usize, const M: usize>(from: [&Lanes; N]) -> [Lanes; M] {
    let mut to = [[0f32; BLOCK]; M];
    for lane in 0..BLOCK {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|index| from[index][lane]);
        let (sum, difference) = (b + c, b - c);
        if N == 5 {
            to[0][lane] = a + sum + d;
            to[1][lane] = difference + 2.0 * d;
            to[2][lane] = sum + 4.0 * d + e;
        } else {
            // As in the other direction: products of opposite points are used as sum and difference.
            let (far_sum, far_difference) = (d + e, d - e);
            to[0][lane] = a + sum + far_sum;
            to[1][lane] = difference + 2.0 * far_difference;
            to[2][lane] = sum + 4.0 * far_sum;
            to[3][lane] = difference + 8.0 * far_difference + from[5][lane];
        }
    }
    to
}
