//! Feeds `tesuji_train::fuzz::checkpoint` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_train::fuzz::checkpoint(bytes));
