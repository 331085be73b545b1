//! Feeds `tesuji_protocol::fuzz::kata_runner` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_protocol::fuzz::kata_runner(bytes));
