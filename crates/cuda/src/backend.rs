//! Training's dozen functions on a card: images as rows of channels, convolutions as products with gathered neighbourhoods.
//!
//! A 3x3 convolution gathers the nine rows around each point into one long row and multiplies by the weights, some elements
//! of the batch at a time, so that what was gathered is still in the card's cache when it is read.

use crate::device::{At, Device, DeviceError, KernelArguments, Product};
use tesuji_train::backend::{Activation, Backend, Conv, Layout, Norm, Pooling};

/// Floats of gathered neighbourhoods at most: 24 MiB, half of a large card's cache.
const GATHER_MAX: usize = 6 << 20;
/// Rows that one thread sums over.
const PART: usize = 256;

/// A batch on the card.
pub struct CardTensor<B> {
    layout: Layout,
    data: B,
}

/// A card, ready for a net.
pub struct Cuda<D: Device> {
    device: D,
    batch_max: usize,
    batch: usize,
    /// Floats of gathered neighbourhoods at most.
    gather_max: usize,
    parameters: D::Buffer,
    gradients: D::Buffer,
    /// Room that grows: planes as they came, packed weights, gathered rows, gradients of packed weights, sums, factors.
    planes: D::Buffer,
    weights: D::Buffer,
    gathered: D::Buffer,
    packed: D::Buffer,
    sums: D::Buffer,
    factors: D::Buffer,
    /// The first error. Nothing is done after it.
    failed: Option<DeviceError>,
}

/// Rows and channels of a layout.
fn shape(layout: Layout) -> (usize, usize) {
    match layout {
        Layout::Grid { channels, height, width } => (height * width, channels),
        Layout::Flat(len) => (1, len),
    }
}

/// The number of an activation in the kernels.
fn number(activation: Activation) -> usize {
    match activation {
        Activation::Relu => 0,
        Activation::Swish => 1,
    }
}

/// A buffer of at least `len` numbers in the place of a smaller one.
pub(crate) fn room<D: Device>(device: &D, buffer: &mut D::Buffer, len: usize) -> Result<(), DeviceError> {
    if device.len(buffer) < len {
        *buffer = device.allocate(len)?;
    }
    Ok(())
}

/// Sizes in the kernels' words.
pub(crate) fn sizes<const N: usize>(sizes: [usize; N]) -> Result<[i32; 8], DeviceError> {
    let mut n = [0; 8];
    for (to, from) in n.iter_mut().zip(sizes) {
        *to = i32::try_from(from)
            .map_err(|_| DeviceError(format!("a batch of {from} items in one kernel; try a smaller one")))?;
    }
    Ok(n)
}

/// Channels in and out of a convolution, and the side of its square neighbourhood.
struct Kernel {
    inputs: usize,
    outputs: usize,
    side: usize,
}

impl<D: Device> Cuda<D> {
    /// A card for batches of at most `batch_max` elements.
    ///
    /// # Errors
    /// When it has no room.
    pub fn new(device: D, batch_max: usize) -> Result<Self, DeviceError> {
        let empty = || device.allocate(1);
        let (parameters, gradients, planes, weights) = (empty()?, empty()?, empty()?, empty()?);
        let (gathered, packed, sums, factors) = (empty()?, empty()?, empty()?, empty()?);
        Ok(Cuda {
            device,
            batch_max,
            batch: 0,
            gather_max: GATHER_MAX,
            parameters,
            gradients,
            planes,
            weights,
            gathered,
            packed,
            sums,
            factors,
            failed: None,
        })
    }

    /// This backend, with room for this many numbers of gathered neighbourhoods (at least those of one position).
    #[must_use]
    pub fn gathering(mut self, gather_max: usize) -> Self {
        self.gather_max = gather_max;
        self
    }

    /// Does `work`, unless something failed before, and remembers if it fails.
    fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Result<(), DeviceError>) {
        if self.failed.is_none() {
            self.failed = work(self).err();
        }
    }

    /// The address of a number in a buffer.
    fn at(&self, buffer: &D::Buffer, from: usize) -> u64 {
        self.device.address(buffer) + 4 * from as u64
    }

    /// Runs a kernel.
    fn run<const N: usize, const S: usize>(
        &self,
        kernel: &'static str,
        items: usize,
        addresses: [u64; N],
        n: [usize; S],
        epsilon: f32,
    ) -> Result<(), DeviceError> {
        let mut p = [0; 6];
        p[..N].copy_from_slice(&addresses);
        let n = sizes(n)?;
        sizes([items])?;
        self.device.launch(kernel, items, KernelArguments { p, n, f: [epsilon, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] })
    }

    /// Packs the weights of a convolution as [`Cuda::convolve`] wants them.
    fn pack(&mut self, conv: &Conv, turned: bool) -> Result<(), DeviceError> {
        let taps = conv.side * conv.side;
        let len = conv.outputs * conv.inputs * taps;
        room(&self.device, &mut self.weights, len)?;
        let addresses = [self.at(&self.parameters, conv.weights), self.at(&self.weights, 0)];
        let kernel = if turned { "pack_turned" } else { "pack" };
        self.run(kernel, len, addresses, [conv.outputs, conv.inputs, taps], 0.0)
    }

    /// Elements whose neighbourhoods are gathered at a time.
    fn chunk(&self, layout: Layout, side: usize) -> usize {
        if side == 1 {
            return self.batch;
        }
        let (points, channels) = shape(layout);
        (self.gather_max / (points * channels * side * side)).clamp(1, self.batch)
    }

    /// Gathers the neighbourhoods of `count` elements of `x` from `first` on, unless they are the rows of `x` themselves.
    fn gather(
        &mut self,
        x: &CardTensor<D::Buffer>,
        side: usize,
        first: usize,
        count: usize,
    ) -> Result<(), DeviceError> {
        let (points, channels) = shape(x.layout);
        let Layout::Grid { height, width, .. } = x.layout else { return Ok(()) };
        if side == 1 {
            return Ok(());
        }
        let len = count * points * side * side * channels;
        room(&self.device, &mut self.gathered, len)?;
        let addresses = [self.at(&x.data, 0), self.at(&self.gathered, 0)];
        let (kernel, each) = if channels.is_multiple_of(4) { ("patches4", 4) } else { ("patches", 1) };
        self.run(kernel, len / each, addresses, [first, count, channels / each, height, width, side], 0.0)
    }

    /// The rows that [`Cuda::gather`] left.
    fn rows<'a>(&'a self, x: &'a CardTensor<D::Buffer>, side: usize, first: usize) -> At<'a, D::Buffer> {
        let (points, channels) = shape(x.layout);
        match side {
            1 => At(&x.data, first * points * channels),
            _ => At(&self.gathered, 0),
        }
    }

    /// `y = ` the packed weights times the neighbourhoods of `x`, or `y +=` it.
    fn convolve(
        &mut self,
        Kernel { inputs, outputs, side }: Kernel,
        x: &CardTensor<D::Buffer>,
        y: &CardTensor<D::Buffer>,
        accumulate: bool,
    ) -> Result<(), DeviceError> {
        let (points, channels) = shape(x.layout);
        assert_eq!((points, outputs), shape(y.layout), "a convolution keeps the board");
        assert_eq!(channels, inputs, "a convolution of other channels");
        let chunk = self.chunk(x.layout, side);
        for first in (0..self.batch).step_by(chunk) {
            let count = chunk.min(self.batch - first);
            self.gather(x, side, first, count)?;
            let sizes = [count * points, outputs, inputs * side * side];
            let (rows, to) = (self.rows(x, side, first), At(&y.data, first * points * outputs));
            self.device.multiply(Product::ByRows, sizes, rows, At(&self.weights, 0), to, accumulate)?;
        }
        Ok(())
    }

    /// Adds to the gradient of a convolution's weights.
    fn weight_slopes(
        &mut self,
        conv: &Conv,
        x: &CardTensor<D::Buffer>,
        dy: &CardTensor<D::Buffer>,
    ) -> Result<(), DeviceError> {
        let (points, inputs) = shape(x.layout);
        assert_eq!(
            (inputs, shape(dy.layout)),
            (conv.inputs, (points, conv.outputs)),
            "a convolution of other channels"
        );
        let taps = conv.side * conv.side;
        let len = conv.outputs * conv.inputs * taps;
        room(&self.device, &mut self.packed, len)?;
        let chunk = self.chunk(x.layout, conv.side);
        for first in (0..self.batch).step_by(chunk) {
            let count = chunk.min(self.batch - first);
            self.gather(x, conv.side, first, count)?;
            let sizes = [conv.outputs, conv.inputs * taps, count * points];
            let (slopes, rows) = (At(&dy.data, first * points * conv.outputs), self.rows(x, conv.side, first));
            self.device.multiply(Product::ByColumns, sizes, slopes, rows, At(&self.packed, 0), first > 0)?;
        }
        let addresses = [self.at(&self.packed, 0), self.at(&self.gradients, conv.weights)];
        self.run("unpack_add", len, addresses, [conv.outputs, conv.inputs, taps], 0.0)
    }

    /// Rows of the batch, channels, rows of a part, parts: how sums over a tensor are cut.
    fn parts(&self, layout: Layout) -> [usize; 4] {
        let (points, channels) = shape(layout);
        let rows = self.batch * points;
        [rows, channels, PART, rows.div_ceil(PART)]
    }

    /// Mean and variance of the batch, into the place of their gradients.
    fn measure(&mut self, norm: &Norm, x: &CardTensor<D::Buffer>) -> Result<(), DeviceError> {
        let cut = self.parts(x.layout);
        let [_, channels, _, parts] = cut;
        // Two numbers of double precision each.
        room(&self.device, &mut self.sums, 4 * parts * channels)?;
        self.run("figures", parts * channels, [self.at(&x.data, 0), self.at(&self.sums, 0)], cut, 0.0)?;
        let [_, _, mean, variance] = self.figures(norm, true);
        self.run("figures_total", channels, [self.at(&self.sums, 0), mean, variance], cut, 0.0)
    }

    /// Addresses of gamma and beta, their gradients, mean and variance: of the batch if `training`, else the running ones.
    fn figures(&self, norm: &Norm, training: bool) -> [u64; 4] {
        let from = if training { &self.gradients } else { &self.parameters };
        [
            self.at(&self.parameters, norm.gamma),
            self.at(&self.gradients, norm.gamma),
            self.at(from, norm.gamma + 2 * norm.channels),
            self.at(from, norm.gamma + 3 * norm.channels),
        ]
    }

    /// Scale and shift of a batch norm, to the beginning of the factors.
    fn affine(&mut self, norm: &Norm, training: bool) -> Result<(), DeviceError> {
        room(&self.device, &mut self.factors, 5 * norm.channels)?;
        let [gamma, _, mean, variance] = self.figures(norm, training);
        let addresses = [gamma, mean, variance, self.at(&self.factors, 0)];
        self.run("affine", norm.channels, addresses, [norm.channels], norm.epsilon)
    }

    /// A batch norm forwards.
    fn normalise(
        &mut self,
        norm: &Norm,
        x: &CardTensor<D::Buffer>,
        residual: Option<&CardTensor<D::Buffer>>,
        y: &CardTensor<D::Buffer>,
        training: bool,
    ) -> Result<(), DeviceError> {
        if training {
            self.measure(norm, x)?;
        }
        self.affine(norm, training)?;
        let [rows, channels, ..] = self.parts(x.layout);
        let residual = residual.map_or(0, |residual| self.at(&residual.data, 0));
        let addresses = [self.at(&x.data, 0), self.at(&self.factors, 0), self.at(&y.data, 0), residual];
        self.run("normalise", rows * channels, addresses, [rows, channels, number(norm.activation)], 0.0)
    }

    /// And backwards.
    fn normalise_back(
        &mut self,
        norm: &Norm,
        x: &CardTensor<D::Buffer>,
        residual: Option<&CardTensor<D::Buffer>>,
        dy: &CardTensor<D::Buffer>,
        dx: &CardTensor<D::Buffer>,
    ) -> Result<(), DeviceError> {
        self.affine(norm, true)?;
        let [rows, channels, part, parts] = self.parts(x.layout);
        room(&self.device, &mut self.sums, 4 * parts * channels)?;
        let [_, slopes, mean, variance] = self.figures(norm, true);
        let (scale, back) = (self.at(&self.factors, 0), self.at(&self.factors, 2 * channels));
        let (x, dy, sums) = (self.at(&x.data, 0), self.at(&dy.data, 0), self.at(&self.sums, 0));
        let residual = residual.map_or(0, |residual| self.at(&residual.data, 0));
        let cut = [rows, channels, part, parts, number(norm.activation)];
        self.run("norm_slopes", parts * channels, [x, scale, dy, residual, mean, sums], cut, 0.0)?;
        let addresses = [sums, scale, mean, variance, slopes, back];
        self.run("norm_total", channels, addresses, [rows, channels, part, parts], norm.epsilon)?;
        self.run("norm_back", rows * channels, [x, dy, back, self.at(&dx.data, 0)], [rows, channels], 0.0)
    }

    /// An image into a vector.
    fn squeeze(
        &mut self,
        pool: Pooling,
        x: &CardTensor<D::Buffer>,
        y: &CardTensor<D::Buffer>,
    ) -> Result<(), DeviceError> {
        let (points, channels) = shape(x.layout);
        let (addresses, n) = ([self.at(&x.data, 0), self.at(&y.data, 0)], [self.batch, channels, points]);
        match pool {
            Pooling::Flat => self.run("from_rows", self.batch * points * channels, addresses, n, 0.0),
            Pooling::Global => self.run("pool", self.batch * channels, addresses, n, 0.0),
        }
    }

    /// The way back of [`Cuda::squeeze`].
    fn squeeze_back(
        &mut self,
        pool: Pooling,
        [x, dy, dx]: [&CardTensor<D::Buffer>; 3],
        accumulate: bool,
    ) -> Result<(), DeviceError> {
        let (points, channels) = shape(x.layout);
        let [x, dy, dx] = [x, dy, dx].map(|tensor| self.at(&tensor.data, 0));
        let (all, n) = (self.batch * points * channels, [self.batch, channels, points]);
        match pool {
            Pooling::Flat if accumulate => self.run("flat_back_add", all, [dy, dx], n, 0.0),
            Pooling::Flat => self.run("to_rows", all, [dy, dx], n, 0.0),
            Pooling::Global => {
                let n = [self.batch, channels, points, usize::from(accumulate)];
                self.run("pool_back", self.batch * channels, [x, dy, dx], n, 0.0)
            }
        }
    }

    /// Room for parameters and gradients, and the parameters in it.
    fn take_over(&mut self, parameters: &[f32]) -> Result<(), DeviceError> {
        room(&self.device, &mut self.parameters, parameters.len())?;
        room(&self.device, &mut self.gradients, parameters.len())?;
        self.device.upload(parameters, &self.parameters)
    }
}

impl<D: Device> Backend for Cuda<D> {
    type Tensor = CardTensor<D::Buffer>;

    fn name(&self) -> String {
        self.device.name()
    }

    fn is_apart(&self) -> bool {
        true
    }

    fn trouble(&self) -> Option<String> {
        self.failed.as_ref().map(ToString::to_string)
    }

    fn tensor(&mut self, layout: Layout) -> Self::Tensor {
        let mut data = None;
        let len = self.batch_max * layout.len();
        self.attempt(|card| {
            data = Some(card.device.allocate(len)?);
            Ok(())
        });
        // After a failure nothing reads or writes it.
        CardTensor { layout, data: data.unwrap_or_else(|| self.device.nothing()) }
    }

    fn load(&mut self, parameters: &[f32]) {
        self.attempt(|card| card.take_over(parameters));
    }

    fn begin(&mut self, batch: usize) {
        assert!((1..=self.batch_max).contains(&batch), "a batch of {batch}, where {} fit", self.batch_max);
        self.batch = batch;
        self.attempt(|card| card.device.clear(&card.gradients));
    }

    fn gradients(&mut self, out: &mut [f32]) {
        self.attempt(|card| card.device.download(&card.gradients, out));
    }

    fn write(&mut self, numbers: &[f32], to: &mut Self::Tensor) {
        let (points, channels) = shape(to.layout);
        assert_eq!(numbers.len(), self.batch * points * channels, "a batch of another size");
        self.attempt(|card| {
            if points == 1 {
                return card.device.upload(numbers, &to.data);
            }
            room(&card.device, &mut card.planes, numbers.len())?;
            card.device.upload(numbers, &card.planes)?;
            let addresses = [card.at(&card.planes, 0), card.at(&to.data, 0)];
            card.run("to_rows", numbers.len(), addresses, [card.batch, channels, points], 0.0)
        });
    }

    fn read(&mut self, from: &Self::Tensor, numbers: &mut [f32]) {
        let (points, channels) = shape(from.layout);
        assert_eq!(numbers.len(), self.batch * points * channels, "a batch of another size");
        self.attempt(|card| {
            if points == 1 || channels == 1 {
                return card.device.download(&from.data, numbers);
            }
            room(&card.device, &mut card.planes, numbers.len())?;
            let addresses = [card.at(&from.data, 0), card.at(&card.planes, 0)];
            card.run("from_rows", numbers.len(), addresses, [card.batch, channels, points], 0.0)?;
            card.device.download(&card.planes, numbers)
        });
    }

    fn conv(&mut self, conv: &Conv, x: &Self::Tensor, y: &mut Self::Tensor, accumulate: bool) {
        self.attempt(|card| {
            card.pack(conv, false)?;
            card.convolve(Kernel { inputs: conv.inputs, outputs: conv.outputs, side: conv.side }, x, y, accumulate)
        });
    }

    fn conv_back(&mut self, conv: &Conv, dy: &Self::Tensor, dx: &mut Self::Tensor, accumulate: bool) {
        self.attempt(|card| {
            card.pack(conv, true)?;
            // Backwards, the channels change places.
            card.convolve(Kernel { inputs: conv.outputs, outputs: conv.inputs, side: conv.side }, dy, dx, accumulate)
        });
    }

    fn conv_weights(&mut self, conv: &Conv, x: &Self::Tensor, dy: &Self::Tensor) {
        self.attempt(|card| card.weight_slopes(conv, x, dy));
    }

    fn norm(
        &mut self,
        norm: &Norm,
        x: &Self::Tensor,
        residual: Option<&Self::Tensor>,
        y: &mut Self::Tensor,
        training: bool,
    ) {
        self.attempt(|card| card.normalise(norm, x, residual, y, training));
    }

    fn norm_back(
        &mut self,
        norm: &Norm,
        x: &Self::Tensor,
        residual: Option<&Self::Tensor>,
        _: &Self::Tensor,
        dy: &mut Self::Tensor,
        dx: &mut Self::Tensor,
    ) {
        self.attempt(|card| card.normalise_back(norm, x, residual, dy, dx));
    }

    fn pool(&mut self, pool: Pooling, x: &Self::Tensor, y: &mut Self::Tensor) {
        self.attempt(|card| card.squeeze(pool, x, y));
    }

    fn pool_back(
        &mut self,
        pool: Pooling,
        x: &Self::Tensor,
        dy: &Self::Tensor,
        dx: &mut Self::Tensor,
        accumulate: bool,
    ) {
        self.attempt(|card| card.squeeze_back(pool, [x, dy, dx], accumulate));
    }

    fn bias(&mut self, bias: usize, activation: Activation, x: &Self::Tensor, y: &mut Self::Tensor) {
        self.attempt(|card| {
            let [rows, channels, ..] = card.parts(x.layout);
            let addresses = [card.at(&x.data, 0), card.at(&card.parameters, bias), card.at(&y.data, 0)];
            card.run("bias", rows * channels, addresses, [rows, channels, number(activation)], 0.0)
        });
    }

    fn bias_back(&mut self, bias: usize, activation: Activation, x: &Self::Tensor, dy: &mut Self::Tensor) {
        self.attempt(|card| {
            let [rows, channels, ..] = card.parts(x.layout);
            let (by, slopes) = (card.at(&card.parameters, bias), card.at(&card.gradients, bias));
            let addresses = [card.at(&x.data, 0), by, card.at(&dy.data, 0), slopes];
            card.run("bias_back", channels, addresses, [rows, channels, number(activation)], 0.0)
        });
    }
}
