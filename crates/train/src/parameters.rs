//! All numbers of a net in one row, as optimisers and devices want them, in the order of the architecture's tensors.

use std::collections::BTreeMap;
use std::ops::Range;
use tesuji_nn::{Architecture, NetError, Origin, Tensor, Weights};

/// The range of each tensor in the row of parameters.
///
/// # Examples
///
/// ```
/// use tesuji_nn::{Architecture, Weights};
/// use tesuji_train::parameters::Parameters;
/// let weights = Weights::random(Architecture::for_any_size("go-1", 1, 3, 1, 16), 1);
/// let layout = Parameters::new(&weights.architecture);
/// let row = layout.row(&weights);
/// assert_eq!((row.len(), layout.len()), (layout.kinds().last().unwrap().0.end, weights.architecture.parameters() as usize));
/// assert_eq!(row[layout.range("policy.conv.weight")], *weights.numbers("policy.conv.weight"));
/// assert_eq!(layout.net(&weights.architecture, Default::default(), &row)?, weights);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    ranges: BTreeMap<String, Range<usize>>,
    kinds: Vec<(Range<usize>, ParameterKind)>,
    len: usize,
}

/// The kind of a tensor of parameters, which decides its treatment by the optimiser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// Learned, and pulled towards zero: weights.
    Weight,
    /// Learned, left alone otherwise: biases, `gamma` and `beta`.
    Free,
    /// No gradient: the running mean and variance, which follow those of the batches.
    Running,
}

impl Parameters {
    /// The row of an architecture.
    pub fn new(architecture: &Architecture) -> Parameters {
        let (mut ranges, mut kinds, mut len) = (BTreeMap::new(), Vec::new(), 0);
        for (name, shape) in architecture.tensors() {
            let range = len..len + shape.iter().product::<usize>();
            len = range.end;
            let kind = match name.rsplit('.').next() {
                Some("weight") => ParameterKind::Weight,
                Some("mean" | "variance") => ParameterKind::Running,
                _ => ParameterKind::Free,
            };
            kinds.push((range.clone(), kind));
            ranges.insert(name, range);
        }
        Parameters { ranges, kinds, len }
    }

    /// Numbers in the row.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The range of the tensor `name`.
    ///
    /// # Panics
    /// When the architecture has no such tensor.
    pub fn range(&self, name: &str) -> Range<usize> {
        self.ranges.get(name).unwrap_or_else(|| panic!("the architecture has no tensor `{name}`")).clone()
    }

    /// Every tensor's place and kind, in order.
    pub fn kinds(&self) -> &[(Range<usize>, ParameterKind)] {
        &self.kinds
    }

    /// The numbers of a net.
    pub fn row(&self, weights: &Weights) -> Vec<f32> {
        let mut row = vec![0.0; self.len];
        for (name, range) in &self.ranges {
            row[range.clone()].copy_from_slice(weights.numbers(name));
        }
        row
    }

    /// The net with these numbers.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn net(&self, architecture: &Architecture, origin: Origin, row: &[f32]) -> Result<Weights, NetError> {
        let tensor = |(name, shape): (String, Vec<usize>)| {
            let data = row[self.range(&name)].to_vec();
            (name, Tensor { shape, data })
        };
        let tensors = architecture.tensors().into_iter().map(tensor).collect();
        Weights::new(architecture.clone(), origin, tensors)
    }
}
