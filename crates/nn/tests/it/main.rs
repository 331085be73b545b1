//! Nets from their doors: files, answers, errors.

mod files;
mod kernels;
mod onnx;
mod oracle;
mod reference;
mod running;
