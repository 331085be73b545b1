//! Feeds `tesuji_serving::fuzz::greeting` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_serving::fuzz::greeting(bytes));
