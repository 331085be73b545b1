//! Nets from their doors: files, answers, errors.

mod files;
mod kernels;
mod nnue;
mod onnx;
mod oracle;
mod raw;
mod reference;
mod running;
