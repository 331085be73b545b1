//! The interface of a training device: batches of images and vectors, convolutions and batch norms forwards and backwards.
//!
//! The wiring of a net, the losses, the optimiser and everything that touches files is the same for every device; a device
//! has its tensors, a copy of the parameters, and these dozen functions. Parameters and gradients cross over once a step.

/// The layout of one element of a batch in a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// An image.
    Grid {
        /// Planes.
        channels: usize,
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
    },
    /// A vector of this length.
    Flat(usize),
}

impl Layout {
    /// Numbers in one element, without what a device adds.
    pub fn len(self) -> usize {
        match self {
            Layout::Grid { channels, height, width } => channels * height * width,
            Layout::Flat(len) => len,
        }
    }

    /// Whether it holds nothing.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Channels, or the length of the vector.
    pub fn channels(self) -> usize {
        match self {
            Layout::Grid { channels, .. } | Layout::Flat(channels) => channels,
        }
    }
}

/// The function after a batch norm or a bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// `max(x, 0)`.
    Relu,
    /// `x / (1 + exp(-x))`.
    Swish,
}

/// The pooling of an image to a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// All points of all planes, plane after plane.
    Flat,
    /// The means of all planes, then their maxima.
    Global,
}

/// A convolution of the net, or a linear layer (a 1x1 convolution of vectors).
///
/// # Examples
///
/// ```
/// use tesuji_train::backend::{Conv, Layout};
/// // The weights of a 3x3 convolution from 2 channels to 4, behind 100 other numbers.
/// let conv = Conv { weights: 100, outputs: 4, inputs: 2, side: 3 };
/// assert_eq!(conv.range(), 100..172);
/// assert_eq!(Layout::Grid { channels: 2, height: 9, width: 9 }.len(), 162);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conv {
    /// The first of its weights among the parameters: `[outputs][inputs][side][side]`.
    pub weights: usize,
    /// Channels out.
    pub outputs: usize,
    /// Channels in.
    pub inputs: usize,
    /// 1 or 3.
    pub side: usize,
}

impl Conv {
    /// The range of its weights among the parameters.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.weights..self.weights + self.outputs * self.inputs * self.side * self.side
    }
}

/// A batch norm of the net, with the function after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Norm {
    /// The first of `gamma`, `beta`, `mean` and `variance` among the parameters: four times `channels` numbers.
    ///
    /// In the place of the gradient of the last two, [`Backend::norm`] leaves the mean and the variance of the batch: who
    /// keeps the running figures takes them from there.
    pub gamma: usize,
    /// Channels.
    pub channels: usize,
    /// Added to the variance.
    pub epsilon: f32,
    /// The activation after it.
    pub activation: Activation,
}

/// A device. Tensors hold a whole batch; all of one step have the same number of elements.
///
/// # Examples
///
/// The mean and the maximum of a plane, on the processor:
///
/// ```
/// use tesuji_train::{
///     backend::{Backend, Layout, Pooling},
///     cpu::Cpu,
/// };
///
/// let mut cpu = Cpu::new(1, 1)?;
/// let (mut image, mut vector) = (cpu.tensor(Layout::Grid { channels: 1, height: 2, width: 2 }), cpu.tensor(Layout::Flat(2)));
/// cpu.load(&[]);
/// cpu.begin(1);
/// cpu.write(&[1.0, 2.0, 3.0, 6.0], &mut image);
/// cpu.pool(Pooling::Global, &image, &mut vector);
/// let mut numbers = [0.0; 2];
/// cpu.read(&vector, &mut numbers);
/// assert_eq!(numbers, [3.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Backend {
    /// A batch of images or vectors on the device.
    type Tensor;

    /// In words, for logs: device and instructions.
    fn name(&self) -> String;
    /// The error of the device, if there was one: the numbers since then mean nothing. The processor has none.
    fn trouble(&self) -> Option<String> {
        None
    }
    /// Whether it computes apart from the processor, whose threads may prepare the next batch meanwhile.
    fn is_apart(&self) -> bool {
        false
    }
    /// Makes room for a tensor of `layout` for the largest batch; it holds zeros.
    fn tensor(&mut self, layout: Layout) -> Self::Tensor;
    /// Takes over the parameters.
    fn load(&mut self, parameters: &[f32]);
    /// Forgets the gradients; the next calls are about `batch` elements and the parameters that were taken over last.
    fn begin(&mut self, batch: usize);
    /// The gradients summed since [`Backend::begin`]; `[parameters]`.
    fn gradients(&mut self, out: &mut [f32]);
    /// Fills a tensor from `[batch][channels][rows][columns]`.
    fn write(&mut self, numbers: &[f32], to: &mut Self::Tensor);
    /// The reverse of [`Backend::write`].
    fn read(&mut self, from: &Self::Tensor, numbers: &mut [f32]);

    /// `y = conv(x)`, or `y += conv(x)`.
    fn conv(&mut self, conv: &Conv, x: &Self::Tensor, y: &mut Self::Tensor, accumulate: bool);
    /// `dx = dy` through the turned weights, or `dx +=` it.
    fn conv_back(&mut self, conv: &Conv, dy: &Self::Tensor, dx: &mut Self::Tensor, accumulate: bool);
    /// Adds to the gradient of the weights.
    fn conv_weights(&mut self, conv: &Conv, x: &Self::Tensor, dy: &Self::Tensor);

    /// `y = activation(norm(x) + residual)`: with the batch's figures if `training`, else with the running ones.
    fn norm(
        &mut self,
        norm: &Norm,
        x: &Self::Tensor,
        residual: Option<&Self::Tensor>,
        y: &mut Self::Tensor,
        training: bool,
    );
    /// Takes `dy`, the gradient of `y`, back: `dx` is that of `x`, and `dy` becomes that of the sum before the activation
    /// (which is that of the residual). After [`Backend::norm`] in training with the same tensors.
    fn norm_back(
        &mut self,
        norm: &Norm,
        x: &Self::Tensor,
        residual: Option<&Self::Tensor>,
        y: &Self::Tensor,
        dy: &mut Self::Tensor,
        dx: &mut Self::Tensor,
    );

    /// An image into a vector.
    fn pool(&mut self, pool: Pooling, x: &Self::Tensor, y: &mut Self::Tensor);
    /// `dx = dy` taken back, or `dx +=` it. A maximum goes to its first place.
    fn pool_back(
        &mut self,
        pool: Pooling,
        x: &Self::Tensor,
        dy: &Self::Tensor,
        dx: &mut Self::Tensor,
        accumulate: bool,
    );

    /// `y = activation(x + bias)` for vectors; the bias begins at `bias` among the parameters.
    fn bias(&mut self, bias: usize, activation: Activation, x: &Self::Tensor, y: &mut Self::Tensor);
    /// Takes `dy` back in place, to the gradient of `x`, and adds to that of the bias.
    fn bias_back(&mut self, bias: usize, activation: Activation, x: &Self::Tensor, dy: &mut Self::Tensor);
}
