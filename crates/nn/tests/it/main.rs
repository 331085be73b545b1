//! Nets from their doors: files, answers, errors.

mod files;
mod reference;
mod running;
