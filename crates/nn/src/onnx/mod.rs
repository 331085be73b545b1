//! Nets as ONNX, the form that other programs read (opset 17): a writer for every net of ours, a reader for residual nets
//! of dlshogi's shape. Both speak protobuf themselves; the few messages that matter are numbered in onnx.proto.

mod graph;
mod read;
mod wire;
mod write;

use crate::{NetError, Weights};

impl Weights {
    /// The net as an ONNX model: planes in as `input`, or as `input1`, `input2` where the stem reads separate ranges;
    /// out come `output_policy` (logits), `output_value` (as [`crate::Squash`] says, but a probability after a sigmoid, in
    /// 0..=1, as dlshogi has it), `output_ownership` and `output_score` where there are such heads. The origin becomes
    /// the model's metadata. The same net gives the same bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use tesuji_nn::{Architecture, Weights};
    /// let weights = Weights::random(Architecture::for_one_size("shogi-1", [62, 4], 27, 9, 1, 16), 1);
    /// let read = Weights::from_onnx(&weights.to_onnx(), "shogi-1")?;
    /// assert_eq!(read.architecture, weights.architecture);
    /// # Ok::<(), tesuji_nn::NetError>(())
    /// ```
    pub fn to_onnx(&self) -> Vec<u8> {
        write::model(self)
    }

    /// Reads a model of dlshogi's shape: a stem of convolutions, residual blocks of two, ReLU or Swish, a policy with a
    /// bias per action, a value through two layers. Batch norm may be apart or folded, numbers single or half precision.
    /// `features` names the encoding that it was trained on.
    ///
    /// # Errors
    /// When the bytes are no ONNX, end too early, or describe a net of another shape.
    pub fn from_onnx(bytes: &[u8], features: &str) -> Result<Self, NetError> {
        read::weights(&graph::Graph::read(bytes)?, features)
    }
}
