//! Reading a KataGo model file: versions 8 to 17 in text and in binary form, unpacked.

use super::{
    GLOBALS, PLANES,
    model::{
        AttentionLayer, BlockLayers, ConvLayer, GatedLayer, LinearLayer, Model, NormLayer, PolicyLayers, RmsLayer,
        Rotation, TipLayer, Units, ValueLayers,
    },
    source::Source,
};
use crate::{NetError, kernels::Curve, model_file::is_foreign_model};

/// The versions that are read.
pub(super) const VERSIONS: std::ops::RangeInclusive<usize> = 8..=17;

const CHANNELS_MAX: usize = 8192;
const KERNEL_MAX: usize = 25;
const BLOCKS_MAX: usize = 1000;
const HEADS_MAX: usize = 1024;
/// Bottlenecks within bottlenecks.
const DEPTH_MAX: usize = 8;

/// A reader that knows the version and counts parameters.
struct Reader<'a> {
    source: Source<'a>,
    version: usize,
    parameters: usize,
}

/// Reads a model.
pub(super) fn read(bytes: &[u8]) -> Result<Model, NetError> {
    if !is_foreign_model(bytes) {
        return Err(NetError::Format("a model begins with its name and its version".into()));
    }
    let mut source = Source::new(bytes);
    let name = source.word("the name of the model")?.to_owned();
    let version = source.count("the version of the format", 0, 1 << 20)?;
    if !VERSIONS.contains(&version) {
        let (low, high) = (VERSIONS.start(), VERSIONS.end());
        return Err(source.refuse(&format!("the model is of version {version}; versions {low} to {high} are read")));
    }
    let mut reader = Reader { source, version, parameters: 0 };
    let model = reader.model(name)?;
    if !reader.source.is_at_end() {
        return Err(reader.source.refuse("expected the end of the file behind the value head"));
    }
    Ok(model)
}

impl Reader<'_> {
    fn model(&mut self, name: String) -> Result<Model, NetError> {
        let version = self.version;
        self.source.count("the number of input planes", PLANES, PLANES)?;
        self.source.count("the number of global inputs", GLOBALS, GLOBALS)?;
        let units = if version >= 13 { self.units()? } else { Units::default() };
        let mut life_with_suicide = false;
        if version >= 15 {
            if self.source.count("the version of the metadata encoder", 0, 1)? != 0 {
                let text = "the model wants metadata about the players (human-like play), which is not supported: expected a model \
                            without metadata encoder";
                return Err(self.source.refuse(text));
            }
            life_with_suicide = self.source.count("the flag of unconditional life under suicide", 0, 1)? == 1;
            for option in ["C", "D", "E", "F", "G", "H"] {
                self.source.unused(&format!("model option {option}"))?;
            }
        }
        self.source.begin("trunk")?;
        let count = self.source.count("the number of blocks", 1, BLOCKS_MAX)?;
        let channels = self.source.count("the channels of the trunk", 1, CHANNELS_MAX)?;
        for what in ["middle channels", "regular channels", "dilated channels", "pooled channels"] {
            self.source.count(&format!("the number of {what}"), 0, CHANNELS_MAX)?;
        }
        let mut has_rms_tip = false;
        if version >= 15 {
            has_rms_tip = self.source.count("the kind of the last norm", 0, 1)? == 1;
            for option in ["B", "C", "D", "E", "F"] {
                self.source.unused(&format!("trunk option {option}"))?;
            }
        }
        let planes = self.conv(Some(PLANES), Some(channels))?;
        let globals = self.linear(Some(GLOBALS), Some(channels))?;
        let blocks = self.blocks(count, channels, 0)?;
        let tip = match has_rms_tip {
            false => TipLayer::Batch(self.norm(channels)?),
            true => {
                let rms = self.rms_tip(channels)?;
                TipLayer::Rms(rms, self.curve()?)
            }
        };
        let policy = self.policy(channels)?;
        let value = self.value(channels)?;
        let parameters = self.parameters;
        Ok(Model {
            name,
            version,
            life_with_suicide,
            units,
            channels,
            planes,
            globals,
            blocks,
            tip,
            policy,
            value,
            parameters,
        })
    }

    fn units(&mut self) -> Result<Units, NetError> {
        self.source.positive("the unit of scores learned by differences")?;
        Ok(Units {
            score_mean: self.source.positive("the unit of the mean score")?,
            score_deviation: self.source.positive("the unit of the score's deviation")?,
            lead: self.source.positive("the unit of the lead")?,
            variance_time: self.source.positive("the unit of the variance time")?,
            short_value_error: self.source.positive("the unit of short-term errors of the value")?,
            short_score_error: self.source.positive("the unit of short-term errors of the score")?,
        })
    }

    fn floats(&mut self, what: &str, count: usize) -> Result<Vec<f32>, NetError> {
        self.parameters = self.parameters.saturating_add(count);
        self.source.floats(what, count)
    }

    /// A count that must be `expected`, where that is known.
    fn channels(&mut self, what: &str, expected: Option<usize>) -> Result<usize, NetError> {
        let (low, high) = expected.map_or((1, CHANNELS_MAX * 4), |count| (count, count));
        self.source.count(what, low, high)
    }

    fn conv(&mut self, inputs: Option<usize>, outputs: Option<usize>) -> Result<ConvLayer, NetError> {
        self.source.begin("convolution")?;
        let mut kernel = [0; 2];
        for (side, what) in kernel.iter_mut().zip(["rows", "columns"]) {
            *side = self.source.count(&format!("the {what} of the kernel"), 1, KERNEL_MAX)?;
            if side.is_multiple_of(2) {
                return Err(self.source.refuse(&format!("the kernel has {side} {what}, expected an odd number")));
            }
        }
        let inputs = self.channels("the number of input channels", inputs)?;
        let outputs = self.channels("the number of output channels", outputs)?;
        let mut dilation = [0; 2];
        for side in &mut dilation {
            *side = self.source.count("the dilation", 1, KERNEL_MAX)?;
        }
        let taps = kernel[0] * kernel[1];
        let file = self.floats("weights of a convolution", taps * inputs * outputs)?;
        let mut weights = vec![0.0; file.len()];
        for (tap, file) in file.chunks_exact(inputs * outputs).enumerate() {
            for (index, &weight) in file.iter().enumerate() {
                let (input, output) = (index / outputs, index % outputs);
                weights[(output * inputs + input) * taps + tap] = weight;
            }
        }
        Ok(ConvLayer { kernel, dilation, inputs, outputs, weights })
    }

    fn curve(&mut self) -> Result<Curve, NetError> {
        self.source.begin("activation")?;
        if self.version < 11 {
            return Ok(Curve::Relu);
        }
        match self.source.word("the kind of an activation")? {
            "ACTIVATION_IDENTITY" => Ok(Curve::Identity),
            "ACTIVATION_RELU" => Ok(Curve::Relu),
            "ACTIVATION_MISH" => Ok(Curve::Mish),
            "ACTIVATION_SILU" => Ok(Curve::Silu),
            other => {
                let other: String = other.chars().take(40).collect();
                Err(self
                    .source
                    .refuse(&format!("the activation {other} is unknown, expected identity, ReLU, Mish or SiLU")))
            }
        }
    }

    /// A batch norm with the activation behind it.
    fn norm(&mut self, channels: usize) -> Result<NormLayer, NetError> {
        self.source.begin("batch norm")?;
        self.channels("the number of channels", Some(channels))?;
        let epsilon = f64::from(self.source.positive("epsilon")?);
        let has_scale = self.source.count("the flag of a scale", 0, 1)? == 1;
        let has_shift = self.source.count("the flag of a bias", 0, 1)? == 1;
        let mean = self.source.floats("means", channels)?;
        let variance = self.source.floats("variances", channels)?;
        let gamma = if has_scale { self.floats("scales", channels)? } else { vec![1.0; channels] };
        let beta = if has_shift { self.floats("biases", channels)? } else { vec![0.0; channels] };
        let (mut scale, mut shift) = (Vec::with_capacity(channels), Vec::with_capacity(channels));
        for channel in 0..channels {
            // In doubles, since this is done once for a net.
            let factor = f64::from(gamma[channel]) / (f64::from(variance[channel]) + epsilon).sqrt();
            let offset = f64::from(beta[channel]) - factor * f64::from(mean[channel]);
            if !(factor as f32).is_finite() || !(offset as f32).is_finite() {
                let text = format!("the variance of channel {channel} is {}, expected 0 or more", variance[channel]);
                return Err(self.source.refuse(&text));
            }
            scale.push(factor as f32);
            shift.push(offset as f32);
        }
        Ok(NormLayer { scale, shift, curve: self.curve()? })
    }

    fn linear(&mut self, inputs: Option<usize>, outputs: Option<usize>) -> Result<LinearLayer, NetError> {
        self.source.begin("linear layer")?;
        let inputs = self.channels("the number of inputs", inputs)?;
        let outputs = self.channels("the number of outputs", outputs)?;
        let weights = self.floats("weights of a linear layer", inputs * outputs)?;
        Ok(LinearLayer { inputs, outputs, weights })
    }

    fn bias(&mut self, channels: usize) -> Result<Vec<f32>, NetError> {
        self.source.begin("bias")?;
        self.channels("the number of channels", Some(channels))?;
        self.floats("biases", channels)
    }

    fn rms_epsilon(&mut self) -> Result<f32, NetError> {
        let epsilon = self.source.positive("epsilon")?;
        if epsilon > 1.0 {
            return Err(self.source.refuse(&format!("epsilon is {epsilon}, expected at most 1")));
        }
        Ok(epsilon)
    }

    /// The norm before attention and feed-forward layers.
    fn rms(&mut self, channels: usize) -> Result<RmsLayer, NetError> {
        self.source.begin("RMS norm")?;
        self.channels("the number of channels", Some(channels))?;
        let epsilon = self.rms_epsilon()?;
        let scale = self.floats("scales", channels)?;
        Ok(RmsLayer { epsilon, scale, shift: Vec::new(), is_spatial: false })
    }

    /// The norm behind the last block.
    fn rms_tip(&mut self, channels: usize) -> Result<RmsLayer, NetError> {
        self.source.begin("RMS norm")?;
        self.channels("the number of channels", Some(channels))?;
        let epsilon = self.rms_epsilon()?;
        let is_spatial = self.source.count("the flag of a mean over the board", 0, 1)? == 1;
        self.source.count("the size of groups of channels, which are not supported,", 0, 0)?;
        let scale = self.floats("scales", channels)?;
        let shift = self.floats("biases", channels)?;
        Ok(RmsLayer { epsilon, scale, shift, is_spatial })
    }

    fn blocks(&mut self, count: usize, channels: usize, depth: usize) -> Result<Vec<BlockLayers>, NetError> {
        (0..count).map(|_| self.block(channels, depth)).collect()
    }

    fn block(&mut self, channels: usize, depth: usize) -> Result<BlockLayers, NetError> {
        let kind = self.source.word("the kind of a block")?.to_owned();
        match kind.as_str() {
            "ordinary_block" => {
                self.source.begin("residual block")?;
                let pre = self.norm(channels)?;
                let first = self.conv(Some(channels), None)?;
                let mid = self.norm(first.outputs)?;
                let second = self.conv(Some(first.outputs), Some(channels))?;
                Ok(BlockLayers::Residual { pre, first, mid, second })
            }
            "gpool_block" => self.pooling_block(channels),
            "nested_bottleneck_block" if depth < DEPTH_MAX => {
                self.source.begin("nested bottleneck block")?;
                let count = self.source.count("the number of nested blocks", 1, BLOCKS_MAX)?;
                let pre = self.norm(channels)?;
                let first = self.conv(Some(channels), None)?;
                let blocks = self.blocks(count, first.outputs, depth + 1)?;
                let post = self.norm(first.outputs)?;
                let last = self.conv(Some(first.outputs), Some(channels))?;
                Ok(BlockLayers::Bottleneck { pre, first, blocks, post, last })
            }
            "transformer_attention_block" => self.attention(channels).map(BlockLayers::Attention),
            "transformer_ffn_block" => self.gated(channels).map(BlockLayers::Gated),
            "nested_bottleneck_block" => {
                Err(self.source.refuse(&format!("expected at most {DEPTH_MAX} bottlenecks within each other")))
            }
            other => {
                let other: String = other.chars().take(40).collect();
                Err(self.source.refuse(&format!("a block of kind `{other}` is unknown in version {}", self.version)))
            }
        }
    }

    fn pooling_block(&mut self, channels: usize) -> Result<BlockLayers, NetError> {
        self.source.begin("global pooling block")?;
        let pre = self.norm(channels)?;
        let first = self.conv(Some(channels), None)?;
        let pooled = self.conv(Some(channels), None)?;
        let pooled_norm = self.norm(pooled.outputs)?;
        let to_shift = self.linear(Some(3 * pooled.outputs), Some(first.outputs))?;
        let mid = self.norm(first.outputs)?;
        let second = self.conv(Some(first.outputs), Some(channels))?;
        Ok(BlockLayers::Pooling { pre, first, pooled, pooled_norm, to_shift, mid, second })
    }

    fn attention(&mut self, channels: usize) -> Result<AttentionLayer, NetError> {
        self.source.begin("attention block")?;
        let heads = self.source.count("the number of heads", 1, HEADS_MAX)?;
        let key_heads = self.source.count("the number of heads of keys", 1, heads)?;
        if !heads.is_multiple_of(key_heads) {
            return Err(self.source.refuse(&format!("{heads} heads share {key_heads} of keys, expected a divisor")));
        }
        let query_size = self.source.count("the size of queries", 1, CHANNELS_MAX)?;
        let value_size = self.source.count("the size of values", 1, CHANNELS_MAX)?;
        let turns = self.source.count("the flag of rotations", 0, 1)? == 1;
        let learns = self.source.count("the flag of learned rotations", 0, 1)? == 1;
        if turns && !query_size.is_multiple_of(2) {
            return Err(self
                .source
                .refuse(&format!("queries of {query_size} numbers are rotated, expected an even size")));
        }
        let norm = self.rms(channels)?;
        let queries = self.linear(Some(channels), Some(heads * query_size))?;
        let keys = self.linear(Some(channels), Some(key_heads * query_size))?;
        let values = self.linear(Some(channels), Some(key_heads * value_size))?;
        let back = self.linear(Some(heads * value_size), Some(channels))?;
        let rotation = match (turns, learns) {
            (false, _) => Rotation::None,
            (true, false) => {
                self.source.begin("rotation")?;
                Rotation::Fixed(self.source.positive("the base of rotations")?)
            }
            (true, true) => {
                self.source.begin("rotation")?;
                self.channels("the number of heads of keys", Some(key_heads))?;
                self.channels("the number of pairs", Some(query_size / 2))?;
                self.channels("the number of directions", Some(2))?;
                Rotation::Learned(self.floats("frequencies", key_heads * query_size)?)
            }
        };
        let projections = [queries, keys, values, back];
        Ok(AttentionLayer { heads, key_heads, query_size, value_size, rotation, norm, projections })
    }

    fn gated(&mut self, channels: usize) -> Result<GatedLayer, NetError> {
        self.source.begin("feed-forward block")?;
        self.channels("the number of channels", Some(channels))?;
        let inner = self.channels("the number of inner channels", None)?;
        self.source.count("the flag of a gate, without which there is no meaning yet,", 1, 1)?;
        let norm = self.rms(channels)?;
        let first = self.linear(Some(channels), Some(inner))?;
        let gate = self.linear(Some(channels), Some(inner))?;
        let second = self.linear(Some(inner), Some(channels))?;
        Ok(GatedLayer { norm, first, gate, second })
    }

    fn policy(&mut self, trunk: usize) -> Result<PolicyLayers, NetError> {
        self.source.begin("policy head")?;
        let channels = match self.version {
            17.. => {
                let channels = self.source.count("the number of channels of the policy", 2, 4)?;
                if channels == 3 {
                    return Err(self.source.refuse("the policy has 3 channels, expected 2 or 4"));
                }
                for option in ["A", "B", "C"] {
                    self.source.unused(&format!("policy option {option}"))?;
                }
                channels
            }
            16 => 4,
            12..=15 => 2,
            _ => 1,
        };
        let first = self.conv(Some(trunk), None)?;
        let pooled = self.conv(Some(trunk), None)?;
        let pooled_norm = self.norm(pooled.outputs)?;
        let to_shift = self.linear(Some(3 * pooled.outputs), Some(first.outputs))?;
        let mid = self.norm(first.outputs)?;
        let last = self.conv(Some(first.outputs), Some(channels))?;
        let inner = if self.version >= 15 { first.outputs } else { channels };
        let to_pass = self.linear(Some(3 * pooled.outputs), Some(inner))?;
        let pass_end = match self.version >= 15 {
            false => None,
            true => {
                let bias = self.bias(inner)?;
                let curve = self.curve()?;
                Some((bias, curve, self.linear(Some(inner), Some(channels))?))
            }
        };
        Ok(PolicyLayers { channels, first, pooled, pooled_norm, to_shift, mid, last, to_pass, pass_end })
    }

    fn value(&mut self, trunk: usize) -> Result<ValueLayers, NetError> {
        self.source.begin("value head")?;
        if self.version >= 17 {
            for option in ["A", "B", "C"] {
                self.source.unused(&format!("value option {option}"))?;
            }
        }
        let first = self.conv(Some(trunk), None)?;
        let norm = self.norm(first.outputs)?;
        let hidden = self.linear(Some(3 * first.outputs), None)?;
        let hidden_bias = self.bias(hidden.outputs)?;
        let hidden_curve = self.curve()?;
        let result = self.linear(Some(hidden.outputs), Some(3))?;
        let result_bias = self.bias(3)?;
        let scores = if self.version >= 9 { 6 } else { 4 };
        let score = self.linear(Some(hidden.outputs), Some(scores))?;
        let score_bias = self.bias(scores)?;
        let ownership = self.conv(Some(first.outputs), Some(1))?;
        Ok(ValueLayers {
            first,
            norm,
            hidden,
            hidden_bias,
            hidden_curve,
            result,
            result_bias,
            score,
            score_bias,
            ownership,
        })
    }
}
