//! Feeds `tesuji_chess_eval::fuzz::weights` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_chess_eval::fuzz::weights(bytes));
