//! Feeds `tesuji_serving::fuzz::messages` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_serving::fuzz::messages(bytes));
