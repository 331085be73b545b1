//! Nets from their doors: files, answers, errors.

mod files;
mod kernels;
mod nnue;
mod onnx;
mod oracle;
mod reference;
mod running;
