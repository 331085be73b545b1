//! The layers of a KataGo model as its file has them.

use crate::kernels::Curve;

/// A convolution without bias.
#[derive(Debug, Clone)]
pub(super) struct ConvLayer {
    /// Rows and columns of the kernel, both odd.
    pub(super) kernel: [usize; 2],
    /// Rows and columns from one tap to the next.
    pub(super) dilation: [usize; 2],
    /// Channels that it reads.
    pub(super) inputs: usize,
    /// Channels that it writes.
    pub(super) outputs: usize,
    /// `[outputs][inputs][rows][columns]`.
    pub(super) weights: Vec<f32>,
}

/// A batch norm as a factor and a shift for each channel, and the activation behind it.
#[derive(Debug, Clone)]
pub(super) struct NormLayer {
    /// `[channels]`.
    pub(super) scale: Vec<f32>,
    /// `[channels]`.
    pub(super) shift: Vec<f32>,
    /// The activation.
    pub(super) curve: Curve,
}

/// A linear layer without bias.
#[derive(Debug, Clone)]
pub(super) struct LinearLayer {
    /// Numbers that it reads.
    pub(super) inputs: usize,
    /// Numbers that it writes.
    pub(super) outputs: usize,
    /// `[inputs][outputs]`.
    pub(super) weights: Vec<f32>,
}

/// Root mean square normalisation (Zhang and Sennrich, 2019).
#[derive(Debug, Clone)]
pub(super) struct RmsLayer {
    /// Added to the mean square.
    pub(super) epsilon: f32,
    /// `[channels]`.
    pub(super) scale: Vec<f32>,
    /// `[channels]`, or empty.
    pub(super) shift: Vec<f32>,
    /// Whether the mean is of the whole board, not of each point.
    pub(super) is_spatial: bool,
}

/// The rotation of queries and keys by their place on the board (Su et al., 2021).
#[derive(Debug, Clone)]
pub(super) enum Rotation {
    /// None.
    None,
    /// Frequencies from one base: the first half of the pairs turns with the row, the second with the column.
    Fixed(f32),
    /// Learned frequencies along columns and rows: `[key heads][pairs][2]`.
    Learned(Vec<f32>),
}

/// Attention of each point to all points (Vaswani et al., 2017), where several heads of queries may share one of keys and values.
#[derive(Debug, Clone)]
pub(super) struct AttentionLayer {
    /// Heads of queries.
    pub(super) heads: usize,
    /// Heads of keys and values, a divisor of `heads`.
    pub(super) key_heads: usize,
    /// Numbers of a query and a key.
    pub(super) query_size: usize,
    /// Numbers of a value.
    pub(super) value_size: usize,
    /// How places turn queries and keys.
    pub(super) rotation: Rotation,
    /// The norm before it.
    pub(super) norm: RmsLayer,
    /// Projections to queries, keys and values, and back to the trunk.
    pub(super) projections: [LinearLayer; 4],
}

/// A gated feed-forward layer at each point (SwiGLU; Shazeer, 2020).
#[derive(Debug, Clone)]
pub(super) struct GatedLayer {
    /// The norm before it.
    pub(super) norm: RmsLayer,
    /// What goes through the activation.
    pub(super) first: LinearLayer,
    /// What it is multiplied by.
    pub(super) gate: LinearLayer,
    /// Back to the trunk.
    pub(super) second: LinearLayer,
}

/// A part of a trunk; each adds its result to the trunk.
#[derive(Debug, Clone)]
pub(super) enum BlockLayers {
    /// Norm, convolution, norm, convolution.
    Residual { pre: NormLayer, first: ConvLayer, mid: NormLayer, second: ConvLayer },
    /// The same with a second convolution beside the first, whose means and maxima over the board shift its result.
    Pooling {
        pre: NormLayer,
        first: ConvLayer,
        pooled: ConvLayer,
        pooled_norm: NormLayer,
        to_shift: LinearLayer,
        mid: NormLayer,
        second: ConvLayer,
    },
    /// A convolution to fewer channels, blocks on these, and a convolution back.
    Bottleneck { pre: NormLayer, first: ConvLayer, blocks: Vec<BlockLayers>, post: NormLayer, last: ConvLayer },
    /// Attention.
    Attention(AttentionLayer),
    /// Feed-forward.
    Gated(GatedLayer),
}

/// The norm behind the last block.
#[derive(Debug, Clone)]
pub(super) enum TipLayer {
    /// A batch norm.
    Batch(NormLayer),
    /// Root mean squares.
    Rms(RmsLayer, Curve),
}

/// The head that proposes moves.
#[derive(Debug, Clone)]
pub(super) struct PolicyLayers {
    /// Channels of logits: the policy, the optimistic policy, and predictions of values that are not used here.
    pub(super) channels: usize,
    pub(super) first: ConvLayer,
    pub(super) pooled: ConvLayer,
    pub(super) pooled_norm: NormLayer,
    pub(super) to_shift: LinearLayer,
    pub(super) mid: NormLayer,
    pub(super) last: ConvLayer,
    pub(super) to_pass: LinearLayer,
    /// From version 15 on: bias, activation and another linear layer.
    pub(super) pass_end: Option<(Vec<f32>, Curve, LinearLayer)>,
}

/// The head that predicts result, score and ownership.
#[derive(Debug, Clone)]
pub(super) struct ValueLayers {
    pub(super) first: ConvLayer,
    pub(super) norm: NormLayer,
    pub(super) hidden: LinearLayer,
    pub(super) hidden_bias: Vec<f32>,
    pub(super) hidden_curve: Curve,
    pub(super) result: LinearLayer,
    pub(super) result_bias: Vec<f32>,
    pub(super) score: LinearLayer,
    pub(super) score_bias: Vec<f32>,
    pub(super) ownership: ConvLayer,
}

/// Units of the outputs of the value head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Units {
    pub(super) score_mean: f32,
    pub(super) score_deviation: f32,
    pub(super) lead: f32,
    pub(super) variance_time: f32,
    pub(super) short_value_error: f32,
    pub(super) short_score_error: f32,
}

impl Default for Units {
    /// Those of files before version 13, which do not say them.
    fn default() -> Self {
        Units {
            score_mean: 20.0,
            score_deviation: 20.0,
            lead: 20.0,
            variance_time: 40.0,
            short_value_error: 0.25,
            short_score_error: 30.0,
        }
    }
}

/// A whole model.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) name: String,
    pub(super) version: usize,
    /// Whether its inputs show unconditional life as if suicide of several stones were legal.
    pub(super) life_with_suicide: bool,
    pub(super) units: Units,
    pub(super) channels: usize,
    pub(super) planes: ConvLayer,
    pub(super) globals: LinearLayer,
    pub(super) blocks: Vec<BlockLayers>,
    pub(super) tip: TipLayer,
    pub(super) policy: PolicyLayers,
    pub(super) value: ValueLayers,
    /// Numbers in all layers, running statistics aside.
    pub(super) parameters: usize,
}
