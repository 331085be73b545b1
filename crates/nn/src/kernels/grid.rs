//! The layout of a batch of boards in memory: rows of pixels with one shared pad, so that a 3x3 convolution needs no edges.

/// A batch of boards in one buffer of pixels, each pixel holding all its channels. Each row begins with a pad pixel,
/// which is the right neighbour of the row before as well; above, between and below the boards lies a row of pads.
/// Pads hold zeros and are never written.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::Grid;
/// // Two boards of 2x2 with three planes; planes 1 and 2 are read as the channels of each pixel.
/// let grid = Grid::new(2, 2, 2);
/// let planes: Vec<f32> = (0..24).map(|number| number as f32).collect();
/// let mut pixels = grid.buffer(2);
/// grid.load(&planes, 3, (1, 2), &mut pixels);
/// let first = grid.points(1)[0] as usize;
/// assert_eq!(pixels[2 * first..][..2], [4.0, 8.0]);
/// // What is stored again is what was loaded.
/// let mut back = [0.0; 16];
/// grid.store(&pixels, 2, 2, 2, &mut back);
/// assert_eq!(back[..8], planes[4..12]);
/// ```
#[derive(Debug, Clone)]
pub struct Grid {
    height: usize,
    width: usize,
    batch: usize,
    padded: bool,
    /// The pixel of each point: board after board, row after row.
    points: Vec<u32>,
}

impl Grid {
    /// Room for `batch` boards of `height` x `width`.
    ///
    /// # Panics
    /// When a number is 0 or the whole is beyond 2^31 pixels.
    pub fn new(height: usize, width: usize, batch: usize) -> Self {
        assert!(height > 0 && width > 0 && batch > 0, "a grid of nothing");
        let mut grid = Grid { height, width, batch, padded: true, points: Vec::new() };
        assert!(grid.pixels() < 1 << 31, "the grid is too large");
        // One row of pads above each board and one pad before each row: these are the ones added here.
        let pixel = |index: usize| {
            let (board, point) = (index / (height * width), index % (height * width));
            let row = board * (height + 1) + 1 + point / width;
            (row * (width + 1) + 1 + point % width) as u32
        };
        grid.points = (0..batch * height * width).map(pixel).collect();
        grid
    }

    /// Room for `batch` vectors, one after another without pads: for linear layers as 1x1 convolutions.
    ///
    /// # Panics
    /// When `batch` is 0.
    pub fn flat(batch: usize) -> Self {
        assert!(batch > 0, "a grid of nothing");
        Grid { height: 1, width: 1, batch, padded: false, points: (0..batch as u32).collect() }
    }

    /// Pixels of a buffer, pads included.
    pub fn pixels(&self) -> usize {
        match self.padded {
            true => (self.batch * (self.height + 1) + 1) * (self.width + 1) + 1,
            false => self.batch,
        }
    }

    /// A buffer of zeros for `channels` channels: `[pixels][channels]`.
    pub fn buffer(&self, channels: usize) -> Vec<f32> {
        vec![0.0; self.pixels() * channels]
    }

    /// The pixels of the first `boards` boards' points, in their order.
    pub fn points(&self, boards: usize) -> &[u32] {
        &self.points[..boards * self.height * self.width]
    }

    /// Rows of a board.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Columns of a board.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of boards.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Whether a 3x3 convolution finds its pads.
    pub fn is_padded(&self) -> bool {
        self.padded
    }

    /// Offsets of the neighbours in pixels: 1 for a 1x1 convolution, 9 for 3x3, in the order of the kernel.
    pub(super) fn taps(&self, kernel: usize) -> Vec<isize> {
        // A row of the board and the pad before it.
        let row = self.width as isize + 1;
        match kernel {
            1 => vec![0],
            _ => (-1..=1).flat_map(|down| (-1..=1).map(move |right| down * row + right)).collect(),
        }
    }

    /// Copies the planes `first..first + count` of each board (`[boards][total][height][width]`) into a buffer of
    /// `[pixels][count]`.
    ///
    /// # Panics
    /// When a length does not fit.
    pub fn load(&self, planes: &[f32], total: usize, (first, count): (usize, usize), buffer: &mut [f32]) {
        let area = self.height * self.width;
        assert!(planes.len().is_multiple_of(total * area) && first + count <= total, "the planes do not fit");
        assert!(buffer.len() == self.pixels() * count, "the buffer does not fit");
        // Planes come one after another; kernels want the channels of a point side by side.
        for (board, planes) in planes.chunks_exact(total * area).enumerate() {
            let points = &self.points[board * area..][..area];
            let planes = &planes[first * area..];
            for (index, &point) in points.iter().enumerate() {
                let pixel = &mut buffer[point as usize * count..][..count];
                for (plane, number) in pixel.iter_mut().enumerate() {
                    *number = planes[plane * area + index];
                }
            }
        }
    }

    /// Copies the first `count` channels out of a buffer of `[pixels][channels]` as `[boards][count][height][width]`.
    ///
    /// # Panics
    /// When a length does not fit.
    pub fn store(&self, buffer: &[f32], channels: usize, boards: usize, count: usize, planes: &mut [f32]) {
        let area = self.height * self.width;
        assert!(planes.len() == boards * count * area && count <= channels, "the planes do not fit");
        for (board, planes) in planes.chunks_exact_mut(count * area).enumerate() {
            let points = &self.points[board * area..][..area];
            for (index, &point) in points.iter().enumerate() {
                let pixel = &buffer[point as usize * channels..][..count];
                for (plane, &number) in pixel.iter().enumerate() {
                    planes[plane * area + index] = number;
                }
            }
        }
    }
}
