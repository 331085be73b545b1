//! A network laid out for the kernels: rows padded to whole blocks, layers interleaved.

use super::{
    architecture::{Activation, Architecture},
    kernels::{self, Form, Instructions, LANES, LaneBlock, Quads},
    network::{Layer, Network, finish_direct, finish_hidden},
};
use crate::NetError;

/// A network ready to play, shared by all threads.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::Isa;
/// use tesuji_nn::nnue::{Architecture, FloatWeights, Network, Prepared, Scratch, kernels};
/// let text = "name = 'small'\ngame = 'four'\nwidth = 32\nactivation = 'screlu'\n\
///             [features]\nset = 'discs'\ninputs = 84\nactive_max = 42\n";
/// let architecture = Architecture::parse(text)?;
/// let network = Network::quantise(&architecture, &FloatWeights::random(&architecture, 1))?;
/// let plain = kernels::Instructions::of(Isa::Scalar).unwrap();
/// for prepared in [Prepared::new(&network)?, Prepared::for_instructions(&network, plain)?] {
///     // The accumulators of both sides: the bias and the rows of their active inputs.
///     let [own, other] = [[3, 50], [45, 8]].map(|active| {
///         let mut sums = prepared.bias().to_vec();
///         kernels::change(prepared.instructions(), &mut sums, &active.map(|input| prepared.row(input)), &[]);
///         sums
///     });
///     let value = prepared.value(&own, &other, 0, &mut Scratch::default());
///     assert_eq!(value, network.value(&[3, 50], &[45, 8], 0));
/// }
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug)]
pub struct Prepared {
    architecture: Architecture,
    instructions: Instructions,
    form: Form,
    /// Blocks of one accumulator.
    blocks: usize,
    /// Blocks of one activated accumulator; half as many for [`Form::Pair`].
    activated: usize,
    /// `[inputs][blocks]`.
    rows: Vec<LaneBlock>,
    /// `[blocks]`.
    bias: Vec<LaneBlock>,
    buckets: Vec<Layers>,
}

/// The layers of one output bucket.
#[derive(Debug)]
enum Layers {
    /// `[2][activated]` weights, own first; whether the fast kernel takes them.
    Direct { weights: Vec<LaneBlock>, bias: i32, narrow: bool },
    /// All but the last, then the last.
    Hidden { layers: Vec<ByteLayer>, last: Vec<i32>, bias: i32 },
}

#[derive(Debug)]
struct ByteLayer {
    /// Padded to a multiple of 16.
    inputs: usize,
    /// `[inputs / 4][outputs / 16]`.
    weights: Vec<Quads>,
    /// Padded to a multiple of 16.
    bias: Vec<i32>,
}

impl Prepared {
    /// Lays out `network` for the best instructions of this machine.
    ///
    /// # Errors
    /// When the network's numbers are not those of its architecture.
    pub fn new(network: &Network) -> Result<Self, NetError> {
        Prepared::for_instructions(network, Instructions::best())
    }

    /// A prepared network for given instructions.
    ///
    /// # Errors
    /// As [`Prepared::new`].
    pub fn for_instructions(network: &Network, instructions: Instructions) -> Result<Self, NetError> {
        network.check()?;
        let architecture = network.architecture.clone();
        let form = match architecture.activation {
            Activation::Crelu => Form::Plain,
            Activation::Screlu => Form::Square,
            Activation::Pairwise => Form::Pair,
        };
        let activated = architecture.activated().div_ceil(LANES);
        // Pairwise activation multiplies the two halves: each half begins at a block of its own.
        let parts = architecture.width / architecture.activated();
        let blocks = activated * parts;
        let part = architecture.activated();
        let lay = |numbers: &[i16], out: &mut Vec<LaneBlock>| {
            for part in numbers.chunks_exact(part) {
                out.extend(blocks_of(part));
            }
        };
        let mut rows = Vec::with_capacity(architecture.features.inputs * blocks);
        lay(&network.features, &mut rows);
        let mut bias = Vec::new();
        lay(&network.bias, &mut bias);
        let buckets = network.buckets.iter().map(|layers| Layers::new(&architecture, activated, layers)).collect();
        Ok(Prepared { architecture, instructions, form, blocks, activated, rows, bias, buckets })
    }

    /// The shape.
    #[inline(always)]
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The instruction set of the kernels.
    #[inline(always)]
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// Blocks of one accumulator.
    #[inline(always)]
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The biases, from which an accumulator is summed.
    #[inline(always)]
    pub fn bias(&self) -> &[LaneBlock] {
        &self.bias
    }

    /// The row of an input.
    ///
    /// # Panics
    /// When the network has no such input.
    #[inline(always)]
    pub fn row(&self, input: u32) -> &[LaneBlock] {
        &self.rows[input as usize * self.blocks..][..self.blocks]
    }

    /// The value in centipawns for the side to move, from its accumulator and the other side's.
    ///
    /// # Panics
    /// When a length or the bucket does not fit.
    #[inline]
    pub fn value(&self, own: &[LaneBlock], other: &[LaneBlock], bucket: usize, scratch: &mut Scratch) -> i32 {
        let on = self.instructions;
        let one = self.architecture.quantisation.input as i16;
        // Without pairs both halves are the same blocks.
        let high = self.blocks - self.activated;
        let parts = [own, other].map(|sums| (&sums[..self.activated], &sums[high..]));
        match &self.buckets[bucket] {
            Layers::Direct { weights, bias, narrow } => {
                let (low, high) = (parts.map(|part| part.0), parts.map(|part| part.1));
                let sum = if *narrow {
                    kernels::dot(on, self.form, low, high, weights, one)
                } else {
                    kernels::dot_wide(self.form, low, high, weights, one)
                };
                finish_direct(&self.architecture, sum, *bias)
            }
            Layers::Hidden { layers, last, bias } => {
                self.activate(parts, &mut scratch.bytes);
                self.through(layers, last, *bias, scratch)
            }
        }
    }

    /// Both activated accumulators as bytes.
    fn activate(&self, parts: [(&[LaneBlock], &[LaneBlock]); 2], bytes: &mut Vec<u8>) {
        let (one, shift) = (self.architecture.quantisation.input as i16, self.architecture.byte_shift());
        let each = self.activated * LANES;
        if bytes.len() < 2 * each {
            bytes.resize(2 * each, 0);
        }
        let (first, second) = bytes[..2 * each].split_at_mut(each);
        for ((low, high), out) in parts.into_iter().zip([first, second]) {
            kernels::bytes(self.instructions, self.form, low, high, (one, shift), out);
        }
    }

    /// The layers after the accumulators, whose bytes `scratch` holds.
    fn through(&self, layers: &[ByteLayer], last: &[i32], bias: i32, scratch: &mut Scratch) -> i32 {
        let ceiling = self.architecture.activated_one() as i32;
        let shift = self.architecture.quantisation.hidden.trailing_zeros();
        let Scratch { bytes, sums } = scratch;
        for layer in layers {
            sums.clear();
            sums.extend_from_slice(&layer.bias);
            kernels::layer(self.instructions, &bytes[..layer.inputs], &layer.weights, sums);
            // Never shorter: the buffer serves layers of different widths.
            if bytes.len() < sums.len() {
                bytes.resize(sums.len(), 0);
            }
            for (byte, &sum) in bytes.iter_mut().zip(&*sums) {
                *byte = (sum >> shift).clamp(0, ceiling) as u8;
            }
        }
        let products = last.iter().zip(&*bytes).map(|(&weight, &byte)| weight.wrapping_mul(i32::from(byte)));
        finish_hidden(&self.architecture, products.fold(bias, i32::wrapping_add))
    }
}

/// Buffers of one thread.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    /// Input of the next layer.
    bytes: Vec<u8>,
    /// Its sums.
    sums: Vec<i32>,
}

impl Layers {
    fn new(architecture: &Architecture, activated: usize, layers: &[Layer]) -> Layers {
        let (last, hidden) = layers.split_last().expect("a checked network has a last layer");
        if hidden.is_empty() {
            let mut weights = Vec::with_capacity(2 * activated);
            for side in last.weights.chunks_exact(architecture.activated()) {
                weights.extend(blocks_of(side));
            }
            let one = architecture.quantisation.input;
            let plain = architecture.activation == Activation::Crelu;
            // The fast kernels multiply weight and clipped column in 16 bits first.
            let fits = |&weight: &i16| (i32::from(weight) * one).abs() <= i32::from(i16::MAX);
            return Layers::Direct { weights, bias: last.bias[0], narrow: plain || last.weights.iter().all(fits) };
        }
        let mut bytes = Vec::with_capacity(hidden.len());
        let mut inputs = 2 * architecture.activated();
        // Both sides' numbers are padded, each on its own.
        let mut place: Vec<usize> =
            (0..2).flat_map(|side| (0..inputs / 2).map(move |at| side * activated * LANES + at)).collect();
        let mut padded = 2 * activated * LANES;
        for layer in hidden {
            bytes.push(ByteLayer::new(layer, inputs, &place, padded));
            inputs = layer.bias.len();
            padded = inputs.next_multiple_of(16);
            place = (0..inputs).collect();
        }
        let last_weights = last.weights.iter().map(|&weight| i32::from(weight)).collect();
        Layers::Hidden { layers: bytes, last: last_weights, bias: last.bias[0] }
    }
}

impl ByteLayer {
    /// `place[input]` says where an input lies among `padded` ones.
    fn new(layer: &Layer, inputs: usize, place: &[usize], padded: usize) -> ByteLayer {
        let outputs = layer.bias.len().next_multiple_of(16);
        let groups = outputs / 16;
        let mut weights = vec![Quads([0; 64]); padded / 4 * groups];
        for (output, row) in layer.weights.chunks_exact(inputs).enumerate() {
            for (&weight, &at) in row.iter().zip(place) {
                weights[at / 4 * groups + output / 16].0[output % 16 * 4 + at % 4] = weight as i8;
            }
        }
        let mut bias = layer.bias.clone();
        bias.resize(outputs, 0);
        ByteLayer { inputs: padded, weights, bias }
    }
}

/// Numbers in whole blocks, the last filled with zeros.
fn blocks_of(numbers: &[i16]) -> impl Iterator<Item = LaneBlock> {
    numbers.chunks(LANES).map(|chunk| {
        let mut block = LaneBlock::ZERO;
        block.0[..chunk.len()].copy_from_slice(chunk);
        block
    })
}
