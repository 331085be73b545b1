//! Feeds `tesuji_cli::fuzz::sweep` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_cli::fuzz::sweep(bytes));
