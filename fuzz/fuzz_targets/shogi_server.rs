//! Feeds `tesuji_shogi::fuzz::server` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_shogi::fuzz::server(bytes));
