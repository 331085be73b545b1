//! Feeds `tesuji_book::fuzz::lines` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_book::fuzz::lines(bytes));
