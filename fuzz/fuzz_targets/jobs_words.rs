//! Feeds `tesuji_jobs::fuzz::words` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_jobs::fuzz::words(bytes));
