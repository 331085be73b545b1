//! Feeds `tesuji_go::fuzz::list` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_go::fuzz::list(bytes));
