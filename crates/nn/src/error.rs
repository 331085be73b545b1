//! Errors of nets and their files, in one line each.

/// The reason why a net cannot be read, built or run. Every message says what was found and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// The bytes end too early or a length does not fit them.
    #[error("the file is truncated: {0}")]
    Truncated(String),
    /// The bytes are no net at all, or of another kind.
    #[error("not a network file: {0}")]
    Format(String),
    /// The architecture contradicts itself, or is beyond what is supported.
    #[error("the architecture is wrong: {0}")]
    Architecture(String),
    /// A tensor has another shape than the architecture says.
    #[error("tensor `{name}` has shape {found:?}, expected {expected:?}")]
    Shape {
        /// The tensor.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape in the architecture.
        expected: Vec<usize>,
    },
    /// A tensor that the architecture wants is not there.
    #[error("tensor `{0}` is missing")]
    Missing(String),
    /// A tensor that the architecture does not know.
    #[error("tensor `{0}` is unknown to this architecture")]
    Unknown(String),
    /// A number in a tensor is infinite or none.
    #[error("tensor `{0}` holds a number that is not finite")]
    NotFinite(String),
    /// The net was trained on other features than it is asked to read.
    #[error("the net reads features `{net}`, the engine writes `{engine}`")]
    Features {
        /// The encoding of the net.
        net: String,
        /// The encoding of the engine.
        engine: String,
    },
    /// The board is not one that the net can be run on.
    #[error("the net is for boards of {expected}, not {found}")]
    Board {
        /// The requested board, as `rows x columns`.
        found: String,
        /// The boards that its heads fit.
        expected: String,
    },
    /// A number that the integers of a network cannot hold.
    #[error("{name} is {found}, expected {expected}")]
    Beyond {
        /// The name of the number.
        name: String,
        /// Its value.
        found: String,
        /// The values that are allowed.
        expected: String,
    },
    /// Nets that should be averaged are not alike.
    #[error("nets cannot be averaged: {0}")]
    Unlike(String),
    /// An ONNX net of a form that is not understood.
    #[error("this ONNX net is not understood: {0}")]
    Onnx(String),
    /// A KataGo model of a form that is not understood; the text says where and what was expected.
    #[error("this model is not understood: {0}")]
    ForeignModel(String),
}
