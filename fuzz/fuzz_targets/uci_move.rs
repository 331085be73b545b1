//! Feeds `tesuji_chess::fuzz::uci_move` with inputs found by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_chess::fuzz::uci_move(bytes));
