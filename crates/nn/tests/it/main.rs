//! Nets from their doors: files, answers, errors.

mod files;
mod kernels;
mod reference;
mod running;
