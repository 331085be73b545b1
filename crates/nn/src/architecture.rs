//! The architecture of a net: input planes, residual tower, heads; the names and shapes of its tensors; common shapes.

use crate::NetError;
use serde::{Deserialize, Serialize};

/// The shape of a residual policy and value net. Files keep it as JSON.
///
/// # Examples
///
/// ```
/// use tesuji_nn::Architecture;
/// let architecture = Architecture::for_any_size("go-1", 8, 9, 2, 16);
/// // The points of the board and the pass.
/// assert_eq!((architecture.actions(9, 9), architecture.actions(19, 19)), (82, 362));
/// assert!(architecture.expect_board(19, 19).is_ok() && architecture.expect_features("go-2", 8).is_err());
/// assert!(architecture.parameters() > 2 * 2 * 16 * 16 * 9, "two blocks of two convolutions");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// The name of the encoding that it reads, with its version.
    pub features: String,
    /// All input planes, in the order in which the encoding writes them.
    pub planes: usize,
    /// Rows of the board that it was trained for.
    pub height: usize,
    /// Columns of that board.
    pub width: usize,
    /// The first convolutions; their sum goes through one batch norm.
    pub stem: Vec<Stem>,
    /// Channels of the tower.
    pub channels: usize,
    /// Residual blocks of two 3x3 convolutions each.
    pub blocks: usize,
    /// The activation after each batch norm.
    pub activation: Activation,
    /// The head that proposes moves.
    pub policy: PolicyHead,
    /// The head that predicts the result.
    pub value: ValueHead,
    /// Whether there is a head that says whose each point will be.
    #[serde(default)]
    pub ownership: bool,
    /// Whether there is a head for the margin in points.
    #[serde(default)]
    pub score: bool,
    /// The epsilon of batch norm.
    #[serde(default = "usual_epsilon")]
    pub epsilon: f32,
}

fn usual_epsilon() -> f32 {
    1e-5
}

/// One convolution of the stem, over some of the planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stem {
    /// The first plane it reads.
    pub first: usize,
    /// The number of planes that it reads.
    pub planes: usize,
    /// Its side: 1 or 3.
    pub kernel: usize,
}

/// The function after a batch norm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// `max(x, 0)`.
    Relu,
    /// `x / (1 + exp(-x))`.
    Swish,
}

/// A 1x1 convolution to planes of logits, one for each kind of move to a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyHead {
    /// Planes of logits, one for each kind of move to a point. An action is `plane * height * width + row * width + column`.
    pub planes: usize,
    /// Whether each action has its own bias (the board's size is then fixed), or each plane.
    pub bias_per_action: bool,
    /// Whether one more action, the last, is made from the mean and the maximum of each channel of the tower.
    pub pass: bool,
}

/// A 1x1 convolution, batch norm, a hidden layer, one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueHead {
    /// Planes after the convolution.
    pub planes: usize,
    /// The pooling of the planes to one vector.
    pub pool: Pooling,
    /// Width of the hidden layer.
    pub hidden: usize,
    /// The function from the last number to the value.
    pub squash: Squash,
}

/// The pooling of planes to a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// All points of all planes, plane after plane: the board's size is fixed.
    Flat,
    /// The means of all planes, then their maxima: for boards of any size.
    Global,
}

/// The function from a logit to the expected result for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Squash {
    /// `tanh(x)`.
    Tanh,
    /// `2 / (1 + exp(-x)) - 1`: the logit is that of winning.
    Sigmoid,
}

const PLANES_MAX: usize = 1024;
const CHANNELS_MAX: usize = 2048;
const BLOCKS_MAX: usize = 200;
const SIDE_MAX: usize = 32;

impl Architecture {
    /// A net for boards of any size, trained for `size` x `size`: one 3x3 stem over all planes, a policy of one plane and
    /// one action more, a pooled value, ownership and score.
    pub fn for_any_size(features: &str, planes: usize, size: usize, blocks: usize, channels: usize) -> Self {
        Architecture {
            features: features.to_owned(),
            planes,
            height: size,
            width: size,
            stem: vec![Stem { first: 0, planes, kernel: 3 }],
            channels,
            blocks,
            activation: Activation::Relu,
            policy: PolicyHead { planes: 1, bias_per_action: false, pass: true },
            value: ValueHead { planes: channels.min(32), pool: Pooling::Global, hidden: 64, squash: Squash::Tanh },
            ownership: true,
            score: true,
            epsilon: usual_epsilon(),
        }
    }

    /// A net for boards of `size` x `size` alone. `planes`: those that differ from point to point, which a 3x3 and a 1x1
    /// convolution read, and those that are the same everywhere, which one of 1x1 reads. `actions`: planes of the policy,
    /// with a bias for each action; the value has as many, a flat head with 256 hidden units and the logit of winning.
    pub fn for_one_size(
        features: &str,
        planes: [usize; 2],
        actions: usize,
        size: usize,
        blocks: usize,
        channels: usize,
    ) -> Self {
        let [points, even] = planes;
        Architecture {
            features: features.to_owned(),
            planes: points + even,
            height: size,
            width: size,
            stem: vec![
                Stem { first: 0, planes: points, kernel: 3 },
                Stem { first: 0, planes: points, kernel: 1 },
                Stem { first: points, planes: even, kernel: 1 },
            ],
            channels,
            blocks,
            activation: Activation::Relu,
            policy: PolicyHead { planes: actions, bias_per_action: true, pass: false },
            value: ValueHead { planes: actions, pool: Pooling::Flat, hidden: 256, squash: Squash::Sigmoid },
            ownership: false,
            score: false,
            epsilon: usual_epsilon(),
        }
    }

    /// Whether the net makes sense: every count within bounds, every stem within the planes.
    ///
    /// # Errors
    /// With the first thing that does not.
    pub fn check(&self) -> Result<(), NetError> {
        let within = |what: &str, value: usize, low: usize, high: usize| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(NetError::Architecture(format!("{what} is {value}, expected {low} to {high}")))
            }
        };
        within("planes", self.planes, 1, PLANES_MAX)?;
        within("height", self.height, 1, SIDE_MAX)?;
        within("width", self.width, 1, SIDE_MAX)?;
        within("channels", self.channels, 1, CHANNELS_MAX)?;
        within("blocks", self.blocks, 0, BLOCKS_MAX)?;
        within("the number of stems", self.stem.len(), 1, 8)?;
        for (index, stem) in self.stem.iter().enumerate() {
            within(&format!("the first plane of stem {index}"), stem.first, 0, self.planes - 1)?;
            within(&format!("the planes of stem {index}"), stem.planes, 1, self.planes - stem.first)?;
            if !matches!(stem.kernel, 1 | 3) {
                return Err(NetError::Architecture(format!(
                    "stem {index} has kernel {}, expected 1 or 3",
                    stem.kernel
                )));
            }
        }
        within("the planes of the policy", self.policy.planes, 1, PLANES_MAX)?;
        within("the planes of the value", self.value.planes, 1, PLANES_MAX)?;
        within("the hidden units of the value", self.value.hidden, 1, 8192)?;
        if !(self.epsilon > 0.0 && self.epsilon < 1.0) {
            return Err(NetError::Architecture(format!("epsilon is {}, expected more than 0, below 1", self.epsilon)));
        }
        Ok(())
    }
}

impl Architecture {
    /// Length of the policy on a board of `height` x `width`.
    pub fn actions(&self, height: usize, width: usize) -> usize {
        self.policy.planes * height * width + usize::from(self.policy.pass)
    }

    /// Whether its heads work on boards of another size than it was trained for.
    pub fn any_size(&self) -> bool {
        !self.policy.bias_per_action && self.value.pool == Pooling::Global
    }

    /// That an engine which writes `features` with `planes` planes may ask this net.
    ///
    /// # Errors
    /// When the names differ, or the counts.
    pub fn expect_features(&self, features: &str, planes: usize) -> Result<(), NetError> {
        if self.features == features && self.planes == planes {
            return Ok(());
        }
        let text = |name: &str, planes: usize| format!("{name} ({planes} planes)");
        Err(NetError::Features { net: text(&self.features, self.planes), engine: text(features, planes) })
    }

    /// That the net can be run on boards of `height` x `width`.
    ///
    /// # Errors
    /// When its heads fit another size alone, or the board is none.
    pub fn expect_board(&self, height: usize, width: usize) -> Result<(), NetError> {
        let fits = if self.any_size() {
            (1..=SIDE_MAX).contains(&height) && (1..=SIDE_MAX).contains(&width)
        } else {
            (height, width) == (self.height, self.width)
        };
        if fits {
            return Ok(());
        }
        let expected = if self.any_size() {
            format!("sides of 1 to {SIDE_MAX}")
        } else {
            format!("{}x{}", self.height, self.width)
        };
        Err(NetError::Board { found: format!("{height}x{width}"), expected })
    }

    /// The names and shapes of all tensors, in the order of files. Convolutions are output x input x rows x columns,
    /// linear layers output x input. A batch norm has `gamma`, `beta`, `mean` and `variance`.
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let mut all = Vec::new();
        let channels = self.channels;
        for (index, stem) in self.stem.iter().enumerate() {
            all.push((format!("stem.{index}.weight"), vec![channels, stem.planes, stem.kernel, stem.kernel]));
        }
        norm(&mut all, "stem.norm", channels);
        for block in 0..self.blocks {
            for half in 1..=2 {
                all.push((format!("block.{block}.conv{half}.weight"), vec![channels, channels, 3, 3]));
                norm(&mut all, &format!("block.{block}.norm{half}"), channels);
            }
        }
        let points = self.height * self.width;
        let mut add = |name: &str, shape: Vec<usize>| all.push((name.to_owned(), shape));
        add("policy.conv.weight", vec![self.policy.planes, channels, 1, 1]);
        add("policy.bias", vec![self.policy.planes * if self.policy.bias_per_action { points } else { 1 }]);
        if self.policy.pass {
            add("policy.pass.weight", vec![1, 2 * channels]);
            add("policy.pass.bias", vec![1]);
        }
        let ValueHead { planes, hidden, .. } = self.value;
        add("value.conv.weight", vec![planes, channels, 1, 1]);
        norm(&mut all, "value.norm", planes);
        let mut add = |name: &str, shape: Vec<usize>| all.push((name.to_owned(), shape));
        add("value.hidden.weight", vec![hidden, self.pooled()]);
        add("value.hidden.bias", vec![hidden]);
        add("value.output.weight", vec![1, hidden]);
        add("value.output.bias", vec![1]);
        if self.ownership {
            add("ownership.weight", vec![1, channels, 1, 1]);
            add("ownership.bias", vec![1]);
        }
        if self.score {
            add("score.weight", vec![1, hidden]);
            add("score.bias", vec![1]);
        }
        all
    }

    /// Length of the vector that the value's hidden layer reads.
    pub fn pooled(&self) -> usize {
        match self.value.pool {
            Pooling::Flat => self.value.planes * self.height * self.width,
            Pooling::Global => 2 * self.value.planes,
        }
    }

    /// Numbers in all tensors.
    pub fn parameters(&self) -> usize {
        self.tensors().iter().map(|(_, shape)| shape.iter().product::<usize>()).sum()
    }

    /// Floating-point operations (a multiplication and an addition are two) for one position of `height` x `width`.
    pub fn operations(&self, height: usize, width: usize) -> u64 {
        let points = height * width;
        let stem: usize = self.stem.iter().map(|stem| stem.planes * stem.kernel * stem.kernel).sum();
        let tower = 2 * self.blocks * self.channels * 9;
        let heads = self.policy.planes + self.value.planes + usize::from(self.ownership);
        let vectors = (self.pooled() + 1 + usize::from(self.score)) * self.value.hidden;
        2 * (points * self.channels * (stem + tower + heads) + vectors) as u64
    }
}

/// The four tensors of a batch norm.
fn norm(all: &mut Vec<(String, Vec<usize>)>, name: &str, channels: usize) {
    for part in ["gamma", "beta", "mean", "variance"] {
        all.push((format!("{name}.{part}"), vec![channels]));
    }
}
