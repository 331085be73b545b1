//! Feeds `tesuji_chess::fuzz::binpack` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_chess::fuzz::binpack(bytes));
