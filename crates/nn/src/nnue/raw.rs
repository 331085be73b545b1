//! The raw quantised layout that the trainer bullet (jw1912) writes and most engines of today load: integers in 16 bits, in
//! little-endian order, without a header, filled up to a multiple of 64 bytes.
//!
//! Rows of the first layer `[inputs][width]`, its bias `[width]`, weights of the last layer `[output_buckets][2 * activated]` (the
//! side to move's before the other's), its bias `[output_buckets]`. What it is must be known: an [`Architecture`] without hidden layers.

use super::{
    architecture::Architecture,
    network::{Layer, Network},
};
use crate::NetError;

/// Files are filled up to a multiple of this.
const ALIGNMENT: usize = 64;

impl Network {
    /// The raw layout.
    ///
    /// # Errors
    /// When there are hidden layers or a base, or a bias of the last layer needs more than 16 bits.
    ///
    /// # Examples
    ///
    /// ```
    /// use tesuji_nn::nnue::{Architecture, FloatWeights, Network};
    /// let text = "name = 'small'\ngame = 'four'\nwidth = 32\nactivation = 'screlu'\n\
    ///             [features]\nset = 'discs'\ninputs = 84\nactive_max = 42\n";
    /// let architecture = Architecture::parse(text)?;
    /// let network = Network::quantise(&architecture, &FloatWeights::random(&architecture, 1))?;
    /// let raw = network.to_raw()?;
    /// assert!(raw.len().is_multiple_of(64));
    /// assert_eq!(Network::from_raw(&architecture, &raw)?, network);
    /// # Ok::<(), tesuji_nn::NetError>(())
    /// ```
    pub fn to_raw(&self) -> Result<Vec<u8>, NetError> {
        self.check()?;
        fits(&self.architecture)?;
        let layers = || self.buckets.iter().flatten();
        let short = |&bias: &i32| {
            i16::try_from(bias).map_err(|_| NetError::Beyond {
                name: "a bias of the last layer".into(),
                found: bias.to_string(),
                expected: "-32768 to 32767 in the raw layout".into(),
            })
        };
        let biases = layers().flat_map(|layer| &layer.bias).map(short).collect::<Result<Vec<i16>, _>>()?;
        let weights = layers().flat_map(|layer| &layer.weights);
        let all = self.features.iter().chain(&self.bias).chain(weights).chain(&biases);
        let mut out: Vec<u8> = all.flat_map(|number| number.to_le_bytes()).collect();
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
        Ok(out)
    }

    /// Reads the raw layout of a network of the given shape. The origin is empty.
    ///
    /// # Errors
    /// When there are hidden layers or a base, or the length is that of another shape.
    pub fn from_raw(architecture: &Architecture, bytes: &[u8]) -> Result<Self, NetError> {
        architecture.check()?;
        fits(architecture)?;
        let (inputs, width) = (architecture.features.inputs, architecture.width);
        let (buckets, last) = (architecture.output_buckets, 2 * architecture.activated());
        let exact = 2 * (inputs * width + width + buckets * (last + 1));
        let filled = exact.next_multiple_of(ALIGNMENT);
        if bytes.len() != exact && bytes.len() != filled {
            return Err(NetError::Format(format!(
                "{} bytes, expected {exact} (or {filled}, filled up) for `{}`",
                bytes.len(),
                architecture.name
            )));
        }
        let mut numbers = bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        let mut take = |count: usize| numbers.by_ref().take(count).collect::<Vec<i16>>();
        let (features, bias) = (take(inputs * width), take(width));
        let weights: Vec<Vec<i16>> = (0..buckets).map(|_| take(last)).collect();
        let biases = take(buckets);
        let layer = |(weights, bias): (Vec<i16>, &i16)| vec![Layer { weights, bias: vec![i32::from(*bias)] }];
        let buckets = weights.into_iter().zip(&biases).map(layer).collect();
        let network = Network {
            architecture: architecture.clone(),
            origin: Default::default(),
            base: String::new(),
            features,
            bias,
            buckets,
        };
        network.check()?;
        Ok(network)
    }
}

/// That the layout can hold such a network.
fn fits(architecture: &Architecture) -> Result<(), NetError> {
    if !architecture.base.is_none() {
        let words = "corrects a hand-made evaluation, which is in Tesuji alone: the raw layout cannot hold it";
        return Err(NetError::Architecture(format!("`{}` {words}", architecture.name)));
    }
    if architecture.hidden.is_empty() {
        return Ok(());
    }
    let text = format!("`{}` has hidden layers, which the raw layout cannot hold", architecture.name);
    Err(NetError::Architecture(text))
}
