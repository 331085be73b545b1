//! Errors that end a training run early.

use crate::{checkpoint::CheckpointError, sample::SourceError};
use std::path::PathBuf;
use tesuji_nn::NetError;

/// An error that ended a run early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The samples.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A checkpoint that cannot be read.
    #[error("{path}: {error}")]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// The error of the checkpoint.
        error: CheckpointError,
    },
    /// A checkpoint of another run.
    #[error("{path}: a checkpoint of another run: {difference}")]
    Other {
        /// The file.
        path: PathBuf,
        /// The first difference.
        difference: String,
    },
    /// A net that does not fit.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The encoding writes other planes or actions than the net has.
    #[error("the samples have {found}, the net {expected}")]
    Shape {
        /// Of the samples.
        found: String,
        /// Of the net.
        expected: String,
    },
    /// The loss is no number any more.
    #[error("the loss is no number at step {step}: try a smaller rate; the last checkpoint is from before")]
    Diverged {
        /// The step.
        step: u64,
    },
    /// The file system.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Its words.
        error: std::io::Error,
    },
    /// A file that cannot be read; the words name it.
    #[error("{0}")]
    File(std::io::Error),
    /// The system gives no thread.
    #[error("the system gives no thread to read positions on: {0}")]
    NoThread(std::io::Error),
    /// The device that computes.
    #[error("{0}")]
    Device(String),
    /// No threads.
    #[error("no threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
