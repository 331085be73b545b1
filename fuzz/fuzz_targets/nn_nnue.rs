//! Feeds `tesuji_nn::fuzz::nnue` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_nn::fuzz::nnue(bytes));
