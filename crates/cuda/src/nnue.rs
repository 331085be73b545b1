//! Steps of efficiently updatable networks on a card: sums over lists of active inputs, layers as products for the positions of each
//! output bucket, gradients of rows by their readers, and the optimiser. Numbers and moments stay on the card.

use crate::backend::{room, sizes};
use crate::device::{At, Device, DeviceError, KernelArguments, Product};
use std::ops::Range;
use tesuji_nn::nnue::Activation;
use tesuji_train::learn::TrainError;
use tesuji_train::nnue::{
    NnueBackend, NnueLayout, NnueNumbers, NnueStep, NnueSums, NnueTarget, NumberGroup, Section, SparseBatch,
};

/// Positions whose loss one thread sums.
const LOSS_PART: usize = 64;
/// Numbers whose squares one thread sums.
const SQUARES_PART: usize = 4096;
/// Numbers of single precision in a sum of the loss: four of double precision.
const TOTALS: usize = 8;

/// What a layer after the accumulators makes of a batch.
struct LayerRoom<B> {
    inputs: usize,
    outputs: usize,
    /// `[positions][outputs]`: sums, the same clipped, slopes of the loss by the sums.
    sums: B,
    clipped: B,
    slopes: B,
}

/// A card, ready for the steps of a network.
///
/// # Examples
///
/// Without a card, or in a program without the feature `card`, there is one line that says so:
///
/// ```
/// use tesuji_cuda::{card::Card, device::Precision};
/// let error = Card::new(4711, Precision::Single).err().expect("nobody has so many").to_string();
/// assert!(error.contains("cuda: ") || error.contains("CUDA"), "{error}");
/// ```
pub struct NnueCuda<D: Device> {
    device: D,
    layout: NnueLayout,
    batch_max: usize,
    /// Rows of the layout: numbers, gradient, moments; the rounded numbers while they are used.
    values: D::Buffer,
    gradient: D::Buffer,
    moments: [D::Buffer; 2],
    rounded: Option<D::Buffer>,
    /// The words of two batches: one is copied while the other is worked on; which of them is the last.
    words: [D::Buffer; 2],
    last: usize,
    /// Rows that the last batch touched.
    touched: Section,
    /// `[lists][width]`: clipped accumulators, and slopes of the loss by the accumulators.
    clipped: D::Buffer,
    down: D::Buffer,
    /// `[lists][activated]`: activated accumulators where these are not the clipped ones, and slopes by them.
    activated: Option<D::Buffer>,
    up: D::Buffer,
    layers: Vec<LayerRoom<D::Buffer>>,
    /// As many ones as there are positions: a product with them sums slopes.
    ones: D::Buffer,
    /// Gradients of rows in parts; sums of the loss in parts, in all, and those of a batch that is judged; sums of squares.
    parts: D::Buffer,
    losses: D::Buffer,
    totals: D::Buffer,
    judged: D::Buffer,
    squares: D::Buffer,
    /// Positions in the sums.
    positions: f64,
}

/// Numbers of double precision, of which each stands in two of single precision.
fn doubles(halves: &[f32]) -> Vec<f64> {
    let pairs = halves.as_chunks::<2>().0.iter();
    pairs.map(|[low, high]| f64::from_bits(u64::from(high.to_bits()) << 32 | u64::from(low.to_bits()))).collect()
}

/// The reverse of [`doubles`].
fn halves(doubles: &[f64]) -> Vec<f32> {
    let bits = doubles.iter().map(|double| double.to_bits());
    bits.flat_map(|bits| [f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32)]).collect()
}

/// An error of the card as one of the run.
fn run_error(error: DeviceError) -> TrainError {
    TrainError::Device(error.to_string())
}

impl<D: Device> NnueCuda<D> {
    /// A card for a network and batches of at most `batch_max` positions. Products want single precision.
    ///
    /// # Errors
    /// When the card has no room.
    pub fn new(device: D, layout: NnueLayout, batch_max: usize) -> Result<Self, DeviceError> {
        let architecture = layout.architecture();
        let (width, activated) = (architecture.width, architecture.activated());
        let (lists, numbers) = (2 * batch_max, layout.numbers());
        let layer = |(inputs, outputs): (usize, usize)| {
            let room = || device.allocate(batch_max * outputs);
            Ok(LayerRoom { inputs, outputs, sums: room()?, clipped: room()?, slopes: room()? })
        };
        let layers = architecture.layers().into_iter().map(layer).collect::<Result<_, DeviceError>>()?;
        let is_clipped = architecture.activation == Activation::Crelu;
        let ones = device.allocate(batch_max)?;
        device.upload(&vec![1.0; batch_max], &ones)?;
        Ok(NnueCuda {
            values: device.allocate(numbers)?,
            gradient: device.allocate(numbers)?,
            moments: [device.allocate(numbers)?, device.allocate(numbers)?],
            rounded: None,
            words: [device.nothing(), device.nothing()],
            last: 0,
            touched: Section::default(),
            clipped: device.allocate(lists * width)?,
            down: device.allocate(lists * width)?,
            activated: if is_clipped { None } else { Some(device.allocate(lists * activated)?) },
            up: device.allocate(lists * activated)?,
            layers,
            ones,
            parts: device.nothing(),
            losses: device.allocate(TOTALS * batch_max.div_ceil(LOSS_PART))?,
            totals: device.allocate(TOTALS)?,
            judged: device.allocate(TOTALS)?,
            squares: device.allocate(2 * numbers.div_ceil(SQUARES_PART))?,
            positions: 0.0,
            device,
            layout,
            batch_max,
        })
    }

    /// The address of a number of a buffer.
    fn at(&self, buffer: &D::Buffer, from: usize) -> u64 {
        self.device.address(buffer) + 4 * from as u64
    }

    /// The address of a list of the last batch.
    fn list(&self, section: Section) -> u64 {
        self.at(&self.words[self.last], section.start)
    }

    /// The numbers that passes read.
    fn used(&self) -> &D::Buffer {
        self.rounded.as_ref().unwrap_or(&self.values)
    }

    /// Runs a kernel, unless there is nothing to do.
    fn run<const N: usize, const S: usize, const F: usize>(
        &self,
        kernel: &'static str,
        items: usize,
        addresses: [u64; N],
        n: [usize; S],
        numbers: [f32; F],
    ) -> Result<(), DeviceError> {
        if items == 0 {
            return Ok(());
        }
        let mut words = KernelArguments { n: sizes(n)?, ..KernelArguments::default() };
        sizes([items])?;
        words.p[..N].copy_from_slice(&addresses);
        words.f[..F].copy_from_slice(&numbers);
        self.device.launch(kernel, items, words)
    }

    /// Copies a batch to the card, beside the work on the batch before it.
    fn send(&mut self, batch: &SparseBatch) -> Result<(), DeviceError> {
        let positions = batch.positions();
        assert!((1..=self.batch_max).contains(&positions), "a batch of {positions}, where {} fit", self.batch_max);
        self.last = 1 - self.last;
        let words = &mut self.words[self.last];
        if self.device.len(words) < batch.words.len() {
            // Batches differ a little in length.
            *words = self.device.allocate(batch.words.len() + batch.words.len() / 8)?;
            // The room is there, and zeroed, before something is copied into it.
            self.device.join()?;
        }
        self.device.upload_ahead(&batch.words, words)?;
        self.touched = batch.touched;
        self.device.join()
    }

    /// Outputs of the batch that was sent last.
    fn forward(&self, batch: &SparseBatch) -> Result<(), DeviceError> {
        let architecture = self.layout.architecture();
        let (lists, width, activated) = (2 * batch.positions(), architecture.width, architecture.activated());
        let addresses =
            [self.list(batch.starts), self.list(batch.rows), self.at(self.used(), 0), self.at(&self.clipped, 0)];
        let n = [lists, width / 4, architecture.features.inputs, usize::from(batch.rows.is_narrow)];
        self.run("nnue_gather", lists * width / 4, addresses, n, [])?;
        if let Some(out) = &self.activated {
            let addresses = [self.at(&self.clipped, 0), self.at(out, 0)];
            let n = [lists, width, activation(architecture.activation)];
            self.run("nnue_activate", lists * activated, addresses, n, [])?;
        }
        for (index, layer) in self.layers.iter().enumerate() {
            let (LayerRoom { inputs, outputs, .. }, from) = (layer, self.inputs(index));
            for (bucket, positions) in buckets(batch) {
                let (first, count) = (positions.start, positions.len());
                let weights = At(self.used(), self.weights(index, bucket));
                let (from, to) = (At(from, first * inputs), At(&layer.sums, first * outputs));
                self.device.multiply(Product::ByRows, [count, *outputs, *inputs], from, weights, to, false)?;
            }
            let is_last = index + 1 == self.layers.len();
            let biases = self.at(self.used(), self.layout.biases(index).range.start);
            let clipped = if is_last { 0 } else { self.at(&layer.clipped, 0) };
            let addresses = [self.at(&layer.sums, 0), biases, self.list(batch.labels), clipped];
            self.run("nnue_bias", batch.positions() * outputs, addresses, [batch.positions(), *outputs], [])?;
        }
        Ok(())
    }

    /// What layer `index` after the accumulators reads.
    fn inputs(&self, index: usize) -> &D::Buffer {
        match index.checked_sub(1) {
            Some(before) => &self.layers[before].clipped,
            None => self.activated.as_ref().unwrap_or(&self.clipped),
        }
    }

    /// The place of the weights of a layer and bucket.
    fn weights(&self, index: usize, bucket: usize) -> usize {
        let LayerRoom { inputs, outputs, .. } = self.layers[index];
        self.layout.weights(index).range.start + bucket * inputs * outputs
    }

    /// The loss of the outputs, added to `totals`; with its slopes where the network `learns`.
    fn loss(
        &self,
        batch: &SparseBatch,
        target: &NnueTarget,
        totals: &D::Buffer,
        learns: bool,
    ) -> Result<(), DeviceError> {
        let (positions, last) = (batch.positions(), &self.layers[self.layers.len() - 1]);
        let parts = positions.div_ceil(LOSS_PART);
        let slopes = if learns { self.at(&last.slopes, 0) } else { 0 };
        let addresses = [self.at(&last.sums, 0), self.list(batch.labels), slopes, self.at(&self.losses, 0)];
        let numbers = [target.scale, target.result_share, target.power, target.batch];
        self.run("nnue_loss", parts, addresses, [positions, LOSS_PART, parts], numbers)?;
        let addresses = [self.at(&self.losses, 0), self.at(totals, 0)];
        self.run("nnue_loss_total", TOTALS / 2, addresses, [parts], [])
    }

    /// Gradients of the layers after the accumulators, and slopes of the loss by activated accumulators.
    fn layers_back(&self, batch: &SparseBatch) -> Result<(), DeviceError> {
        for (index, layer) in self.layers.iter().enumerate().rev() {
            let LayerRoom { inputs, outputs, slopes, .. } = layer;
            let below = index.checked_sub(1).map(|below| &self.layers[below]);
            let to = below.map_or(&self.up, |below| &below.slopes);
            for (bucket, positions) in buckets(batch) {
                let (first, count, weights) = (positions.start, positions.len(), self.weights(index, bucket));
                let slopes = || At(slopes, first * outputs);
                let from = At(self.inputs(index), first * inputs);
                let gradient = At(&self.gradient, weights);
                let by_columns = [*outputs, *inputs, count];
                self.device.multiply(Product::ByColumns, by_columns, slopes(), from, gradient, false)?;
                let bias = At(&self.gradient, self.layout.biases(index).range.start + bucket * outputs);
                let by_ones = [*outputs, 1, count];
                self.device.multiply(Product::ByColumns, by_ones, slopes(), At(&self.ones, 0), bias, false)?;
                let (weights, to) = (At(self.used(), weights), At(to, first * inputs));
                self.device.multiply(Product::Plain, [count, *inputs, *outputs], slopes(), weights, to, false)?;
            }
            if let Some(below) = below {
                let numbers = batch.positions() * inputs;
                let addresses = [self.at(&below.slopes, 0), self.at(&below.sums, 0)];
                self.run("nnue_clip_back", numbers, addresses, [numbers], [])?;
            }
        }
        Ok(())
    }

    /// Gradients of the first layer.
    fn rows_back(&mut self, batch: &SparseBatch) -> Result<(), DeviceError> {
        let architecture = self.layout.architecture();
        let (lists, width) = (2 * batch.positions(), architecture.width);
        let addresses = [self.at(&self.clipped, 0), self.at(&self.up, 0), self.at(&self.down, 0)];
        let n = [lists, width, activation(architecture.activation)];
        self.run("nnue_activate_back", lists * width, addresses, n, [])?;
        let spare = batch.parts / 8;
        if self.device.len(&self.parts) < batch.parts * width {
            room(&self.device, &mut self.parts, (batch.parts + spare) * width)?;
        }
        // Two words each, and one more pair for the end.
        let (chunks, summed) = (batch.chunks.len / 2 - 1, batch.summed.len / 2 - 1);
        let (parts, gradient) = (self.at(&self.parts, 0), self.at(&self.gradient, 0));
        let addresses = [self.list(batch.chunks), self.list(batch.readers), self.at(&self.down, 0), gradient, parts];
        let n = [chunks, width / 4, usize::from(batch.readers.is_narrow)];
        self.run("nnue_rows_back", chunks * width / 4, addresses, n, [])?;
        let addresses = [self.list(batch.summed), parts, gradient];
        self.run("nnue_rows_total", summed * width / 4, addresses, [summed, width / 4], [])
    }

    /// Moves the numbers of a group, or of the `rows` of it that the last batch touched.
    fn move_group(&self, group: &NumberGroup, rows: Option<Section>, step: &NnueStep) -> Result<(), DeviceError> {
        let (at, width) = (group.range.start, self.layout.architecture().width);
        let (items, touched) = match rows {
            Some(rows) => (rows.len * width, self.list(rows)),
            None => (group.range.len(), 0),
        };
        let [first, second] = &self.moments;
        let rounded = self.rounded.as_ref().map_or(0, |rounded| self.at(rounded, at));
        let [values, gradient] = [&self.values, &self.gradient].map(|buffer| self.at(buffer, at));
        let addresses = [values, gradient, self.at(first, at), self.at(second, at), rounded, touched];
        let NnueStep { rate, beta1, beta2, correction: [mean, square], .. } = *step;
        let decay = if group.decays { step.decay } else { 0.0 };
        let numbers = [rate, decay, beta1, beta2, mean, square, group.bound, group.one];
        self.run("nnue_adamw", items, addresses, [items, width], numbers)
    }

    /// Sums of the loss.
    fn read(&self, totals: &D::Buffer, positions: f64) -> Result<NnueSums, DeviceError> {
        let mut found = [0.0; TOTALS];
        self.device.download(totals, &mut found)?;
        let found = doubles(&found);
        Ok(NnueSums { positions, loss: found[0], value: found[1], decided: found[2], signs: found[3] })
    }

    /// Takes over numbers and sums.
    fn take_over(&mut self, numbers: &NnueNumbers, sums: &NnueSums) -> Result<(), DeviceError> {
        self.rounded = None;
        self.device.upload(&numbers.values, &self.values)?;
        for (moments, to) in numbers.moments.iter().zip(&self.moments) {
            self.device.upload(moments, to)?;
        }
        self.device.clear(&self.gradient)?;
        self.positions = sums.positions;
        self.device.upload(&halves(&[sums.loss, sums.value, sums.decided, sums.signs]), &self.totals)
    }

    /// Rounded numbers from the values, or none.
    fn round_numbers(&mut self, is_rounded: bool) -> Result<(), DeviceError> {
        self.rounded = None;
        if !is_rounded {
            return Ok(());
        }
        let rounded = self.device.allocate(self.layout.numbers())?;
        for group in self.layout.groups() {
            let (at, len) = (group.range.start, group.range.len());
            let addresses = [self.at(&self.values, at), self.at(&rounded, at)];
            self.run("nnue_round", len, addresses, [len], [group.one])?;
        }
        self.rounded = Some(rounded);
        Ok(())
    }

    /// The gradient of a batch.
    fn learn(&mut self, batch: &SparseBatch, target: &NnueTarget) -> Result<(), DeviceError> {
        self.send(batch)?;
        self.forward(batch)?;
        self.loss(batch, target, &self.totals, true)?;
        self.positions += batch.positions() as f64;
        self.layers_back(batch)?;
        self.rows_back(batch)
    }

    /// The square of the length of the gradient.
    fn square(&self) -> Result<f64, DeviceError> {
        let numbers = self.layout.numbers();
        let parts = numbers.div_ceil(SQUARES_PART);
        let addresses = [self.at(&self.gradient, 0), self.at(&self.squares, 0)];
        self.run("nnue_squares", parts, addresses, [numbers, SQUARES_PART, parts], [])?;
        let mut found = vec![0.0; 2 * parts];
        self.device.download(&self.squares, &mut found)?;
        Ok(doubles(&found).iter().sum())
    }

    /// Numbers and moments.
    fn fetch(&self) -> Result<NnueNumbers, DeviceError> {
        let row = |buffer: &D::Buffer| {
            let mut row = vec![0.0; self.layout.numbers()];
            self.device.download(buffer, &mut row).map(|()| row)
        };
        Ok(NnueNumbers { values: row(&self.values)?, moments: [row(&self.moments[0])?, row(&self.moments[1])?] })
    }

    /// The loss of a batch that nothing is learned from.
    fn judge_batch(&mut self, batch: &SparseBatch, target: &NnueTarget) -> Result<NnueSums, DeviceError> {
        self.device.clear(&self.judged)?;
        self.send(batch)?;
        self.forward(batch)?;
        self.loss(batch, target, &self.judged, false)?;
        self.read(&self.judged, batch.positions() as f64)
    }
}

/// The number of an activation in the kernels.
fn activation(activation: Activation) -> usize {
    match activation {
        Activation::Crelu => 0,
        Activation::Screlu => 1,
        Activation::Pairwise => 2,
    }
}

/// Output buckets that have positions in the batch, and these.
fn buckets(batch: &SparseBatch) -> impl Iterator<Item = (usize, Range<usize>)> {
    let ranges = batch.buckets.windows(2).map(|pair| pair[0]..pair[1]);
    ranges.enumerate().filter(|(_, positions)| !positions.is_empty())
}

impl<D: Device> NnueBackend for NnueCuda<D> {
    fn name(&self) -> String {
        self.device.name()
    }

    fn load(&mut self, numbers: &NnueNumbers, sums: &NnueSums) -> Result<(), TrainError> {
        self.take_over(numbers, sums).map_err(run_error)
    }

    fn numbers(&mut self) -> Result<NnueNumbers, TrainError> {
        self.fetch().map_err(run_error)
    }

    fn round(&mut self, is_rounded: bool) -> Result<(), TrainError> {
        self.round_numbers(is_rounded).map_err(run_error)
    }

    fn gradient(&mut self, batch: &SparseBatch, target: &NnueTarget) -> Result<(), TrainError> {
        self.learn(batch, target).map_err(run_error)
    }

    fn gradient_length(&mut self) -> Result<f32, TrainError> {
        self.square().map(|square| square.sqrt() as f32).map_err(run_error)
    }

    fn step(&mut self, step: &NnueStep) -> Result<(), TrainError> {
        let is_lazy = self.layout.is_lazy();
        for (index, group) in self.layout.groups().iter().enumerate() {
            let rows = (index == 0 && is_lazy).then_some(self.touched);
            self.move_group(group, rows, step).map_err(run_error)?;
        }
        Ok(())
    }

    fn sums(&mut self) -> Result<NnueSums, TrainError> {
        self.read(&self.totals, self.positions).map_err(run_error)
    }

    fn restart(&mut self) -> Result<(), TrainError> {
        self.positions = 0.0;
        self.device.clear(&self.totals).map_err(run_error)
    }

    fn judge(&mut self, batch: &SparseBatch, target: &NnueTarget) -> Result<NnueSums, TrainError> {
        self.judge_batch(batch, target).map_err(run_error)
    }
}
