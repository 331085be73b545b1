//! Feeds `tesuji_engine::fuzz::saved_tree` with inputs found by coverage: trees of chess.
#![no_main]

use tesuji_chess::Chess;
use tesuji_record::{Of, of};

static CHESS: Of<Chess> = of(&[]);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_engine::fuzz::saved_tree(&CHESS, bytes));
