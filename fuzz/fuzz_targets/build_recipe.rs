//! Feeds `tesuji_builds::fuzz::build_recipe` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_builds::fuzz::build_recipe(bytes));
