//! Feeds `tesuji_cli::fuzz::build_recipe` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_cli::fuzz::build_recipe(bytes));
