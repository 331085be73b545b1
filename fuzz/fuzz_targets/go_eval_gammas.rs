//! Feeds `tesuji_go_eval::fuzz::gammas` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_go_eval::fuzz::gammas(bytes));
