//! Networks of KataGo (Wu, 2019): model files of versions 8 to 17 in binary and text form, and running them.
//!
//! Their inputs are 22 planes and 19 global numbers; here the latter are planes, too, which hold one number everywhere and follow
//! the others, so that positions are shown to these nets as to any other. Residual blocks, global pooling, nested bottlenecks and
//! transformer blocks are computed; models that want metadata about the players are refused.

mod attention;
mod heads;
mod layers;
mod model;
mod read;
mod source;
mod tower;

pub use heads::ForeignOutput;

use crate::{
    Activation, Architecture, NetError, NetSession, Outputs, PolicyHead, Pooling, Service, Squash, Stem, ValueHead,
    kernels::{Curve, Isa},
    model_file::is_foreign_model,
};
use attention::RmsNorm;
use heads::{Policy, Value};
use layers::{Conv, Linear, Norm, Workspace};
use model::{BlockLayers, Model, TipLayer};
use std::sync::Arc;
use tesuji_game::OracleError;
use tower::Block;

/// Input planes that differ from point to point.
const PLANES: usize = 22;
/// Global inputs.
const GLOBALS: usize = 19;
/// The side of the board that models are described with; they run on any.
const LINES: usize = 19;

/// The norm behind the trunk.
#[derive(Debug)]
enum Tip {
    Batch(Norm),
    Rms(RmsNorm),
}

/// A network of KataGo, ready to run. It never changes; threads share it and each opens a session.
///
/// # Examples
///
/// ```
/// use tesuji_nn::ForeignNet;
/// assert!(ForeignNet::is_model(b"g170-b6c96 8 22 19 trunk 6 96 96 64 32 32 ..."));
/// let error = ForeignNet::read(b"old 7 22 14 trunk").unwrap_err();
/// assert!(error.to_string().contains("versions 8 to 17 are read"));
/// ```
#[derive(Debug)]
pub struct ForeignNet {
    name: String,
    version: usize,
    parameters: usize,
    blocks_text: String,
    architecture: Architecture,
    planes: Conv,
    globals: Linear,
    blocks: Vec<Block>,
    tip: Tip,
    policy: Policy,
    value: Value,
    optimism: f32,
}

impl ForeignNet {
    /// Whether bytes begin as a model file does.
    pub fn is_model(bytes: &[u8]) -> bool {
        is_foreign_model(bytes)
    }

    /// Reads a model file, unpacked.
    ///
    /// # Errors
    /// With the byte, the layer and what was expected there, when the file is no model, of another version, cut, or has blocks that
    /// are not known.
    pub fn read(bytes: &[u8]) -> Result<ForeignNet, NetError> {
        let model = read::read(bytes)?;
        let value = Value::new(&model);
        let tip = match &model.tip {
            TipLayer::Batch(norm) => Tip::Batch(Norm::new(norm)),
            TipLayer::Rms(norm, curve) => Tip::Rms(RmsNorm::new(norm, *curve)),
        };
        Ok(ForeignNet {
            architecture: architecture(&model, &value),
            blocks_text: blocks_text(&model.blocks),
            version: model.version,
            parameters: model.parameters,
            planes: Conv::plain(&model.planes),
            globals: Linear::new(&model.globals, &[]),
            blocks: tower::prepare(&model.blocks),
            tip,
            policy: Policy::new(&model.policy),
            value,
            optimism: 0.0,
            name: model.name,
        })
    }

    /// The same with a share of the optimistic policy, 0 to 1, where the model has one (from version 12 on): moves that may turn out
    /// better than they look.
    pub fn with_optimism(self, optimism: f32) -> ForeignNet {
        ForeignNet { optimism, ..self }
    }

    /// The program whose model it is.
    pub fn program(&self) -> &'static str {
        "KataGo"
    }

    /// The name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version of the file's format.
    pub fn version(&self) -> usize {
        self.version
    }

    /// The kinds of its blocks and their counts, in words.
    pub fn blocks(&self) -> &str {
        &self.blocks_text
    }

    /// Numbers that were trained.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Inputs and heads; of the trunk only the numbers of blocks and channels, since its blocks are of other kinds than ours.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Floating-point operations (a multiplication and an addition are two) for one position of `height` x `width`.
    pub fn operations(&self, height: usize, width: usize) -> u64 {
        let area = height * width;
        let blocks: usize = self.blocks.iter().map(|block| block.work(area)).sum();
        2 * (area * self.planes.work() + blocks + self.policy.work(area) + self.value.work(area)) as u64
    }

    /// A session for one thread.
    ///
    /// # Errors
    /// When the board is none.
    pub fn open(self: &Arc<Self>, height: usize, width: usize, batch_max: usize) -> Result<ForeignSession, NetError> {
        self.architecture.expect_board(height, width)?;
        let batch_max = batch_max.max(1);
        let area = height * width;
        Ok(ForeignSession {
            work: Workspace::new(height, width, self.architecture.channels, batch_max),
            policy: vec![0.0; batch_max * (area + 1)],
            ownership: vec![0.0; batch_max * area],
            value: Vec::new(),
            score: Vec::new(),
            outputs: Vec::new(),
            net: self.clone(),
        })
    }
}

/// The kinds of blocks and how many of each there are, in the order in which they come first.
fn blocks_text(blocks: &[BlockLayers]) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for block in blocks {
        let kind = match block {
            BlockLayers::Residual { .. } => "residual".to_owned(),
            BlockLayers::Pooling { .. } => "global pooling".to_owned(),
            BlockLayers::Bottleneck { first, blocks, .. } => {
                format!("nested bottleneck ({} channels: {})", first.outputs, blocks_text(blocks))
            }
            BlockLayers::Attention(layer) => format!("attention ({} heads)", layer.heads),
            BlockLayers::Gated(layer) => format!("feed-forward ({} channels)", layer.first.outputs),
        };
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
}

/// A model as users of any net see it.
fn architecture(model: &Model, value: &Value) -> Architecture {
    let features = if model.life_with_suicide { "katago-7-suicide" } else { "katago-7" };
    let (planes, hidden) = value.sizes();
    let mut net = Architecture::for_any_size(features, PLANES + GLOBALS, LINES, model.blocks.len(), model.channels);
    net.stem = vec![Stem { first: 0, planes: PLANES, kernel: 3 }, Stem { first: PLANES, planes: GLOBALS, kernel: 1 }];
    net.activation = match &model.tip {
        TipLayer::Batch(norm) if norm.curve == Curve::Relu => Activation::Relu,
        _ => Activation::Swish,
    };
    net.policy = PolicyHead { planes: 1, bias_per_action: false, pass: true };
    net.value = ValueHead { planes, pool: Pooling::Global, hidden, squash: Squash::Tanh };
    net
}

/// One thread's buffers around a shared [`ForeignNet`], for boards of one size.
pub struct ForeignSession {
    net: Arc<ForeignNet>,
    work: Workspace,
    policy: Vec<f32>,
    ownership: Vec<f32>,
    value: Vec<f32>,
    score: Vec<f32>,
    outputs: Vec<ForeignOutput>,
}

impl ForeignSession {
    /// Runs on other instructions than the machine's best: for comparisons.
    ///
    /// # Panics
    /// When the machine lacks them.
    pub fn on(mut self, isa: Isa) -> Self {
        assert!(isa <= Isa::best(), "the machine lacks {isa:?}");
        self.work.isa = isa;
        self
    }

    /// All that the net says of each position of the last run.
    pub fn outputs(&self) -> &[ForeignOutput] {
        &self.outputs
    }

    /// Evaluates `batch` positions, given as `[batch][planes][height][width]`.
    ///
    /// # Panics
    /// When there are more positions than the session has room for, or the planes are not of that length.
    pub fn run(&mut self, planes: &[f32], batch: usize) -> Outputs<'_> {
        let area = self.work.area();
        let each = (PLANES + GLOBALS) * area;
        assert!(batch * area <= self.ownership.len(), "{batch} positions, room for {}", self.ownership.len() / area);
        assert!(planes.len() == batch * each, "{} numbers for {batch} positions of {each}", planes.len());
        self.outputs.clear();
        let pass = self.work.pass();
        for first in (0..batch).step_by(pass) {
            self.work.boards = pass.min(batch - first);
            let end = first + self.work.boards;
            let trunk = self.trunk(&planes[first * each..end * each]);
            let globals: Vec<[f32; GLOBALS]> =
                planes[first * each..end * each].chunks_exact(each).map(globals_of).collect();
            let policy = &mut self.policy[first * (area + 1)..end * (area + 1)];
            self.net.policy.run(&mut self.work, &trunk, self.net.optimism, policy);
            let ownership = &mut self.ownership[first * area..end * area];
            self.outputs.extend(self.net.value.run(&mut self.work, &trunk, &globals, ownership));
            self.work.give(self.net.architecture.channels, trunk);
        }
        self.value.clear();
        self.value.extend(self.outputs.iter().map(ForeignOutput::value));
        self.score.clear();
        self.score.extend(self.outputs.iter().map(|output| output.lead));
        Outputs {
            policy: &self.policy[..batch * (area + 1)],
            value: &self.value,
            ownership: &self.ownership[..batch * area],
            score: &self.score,
        }
    }

    /// Input planes to the normalised output of the last block.
    fn trunk(&mut self, planes: &[f32]) -> Vec<f32> {
        let ForeignSession { net, work, .. } = self;
        let channels = net.architecture.channels;
        let each = planes.len() / work.boards;
        let (area, stride) = (work.area(), crate::kernels::padded(PLANES));
        let (mut input, mut trunk) = (work.take(PLANES), work.take(channels));
        for (board, planes) in planes.chunks_exact(each).enumerate() {
            for (index, &point) in work.points(board).iter().enumerate() {
                let pixel = &mut input[point as usize * stride..][..PLANES];
                pixel.iter_mut().zip(planes[index..].iter().step_by(area)).for_each(|(to, from)| *to = *from);
            }
        }
        net.planes.run(work, &input, false, Curve::Identity, &mut trunk);
        work.give(PLANES, input);
        for (board, planes) in planes.chunks_exact(each).enumerate() {
            let mut shift = net.globals.run(&globals_of(planes));
            shift.resize(crate::kernels::padded(channels), 0.0);
            crate::kernels::shift_on(work.isa, &work.grid, board, &shift, Curve::Identity, &mut trunk);
        }
        for block in &net.blocks {
            block.run(work, channels, &mut trunk);
        }
        let mut out = work.take(channels);
        match &net.tip {
            Tip::Batch(norm) => norm.run(work, &trunk, &mut out),
            Tip::Rms(norm) => norm.run(work, &trunk, &mut out),
        }
        work.give(channels, trunk);
        out
    }
}

/// The global inputs of a position, from the planes that hold them.
fn globals_of(planes: &[f32]) -> [f32; GLOBALS] {
    let area = planes.len() / (PLANES + GLOBALS);
    std::array::from_fn(|index| planes[(PLANES + index) * area])
}

impl NetSession for ForeignSession {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        Ok(ForeignSession::run(self, planes, batch))
    }
}

impl Service for Arc<ForeignNet> {
    fn architecture(&self) -> &Architecture {
        ForeignNet::architecture(self)
    }

    fn session(&self, height: usize, width: usize, batch_max: usize) -> Result<Box<dyn NetSession>, OracleError> {
        let failed = |error: NetError| OracleError::Backend(error.to_string());
        Ok(Box::new(self.open(height, width, batch_max).map_err(failed)?))
    }
}
