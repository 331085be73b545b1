//! Feeds `tesuji_engine::fuzz::saved_tree` with inputs found by coverage: trees of chess.
#![no_main]

use tesuji_chess::Chess;
use tesuji_engine::{Kit, KitError, Player};
use tesuji_record::{AnyGame, HasDoor, Of, of};

/// Chess without engines.
struct Rules;

static DOOR: Of<Chess> = of(&[]);

impl HasDoor for Rules {
    fn door(&self) -> &'static dyn AnyGame {
        &DOOR
    }
}

impl Kit for Rules {
    fn families(&self) -> &'static [&'static str] {
        &[]
    }

    fn player(&self, _: &str) -> Result<Box<dyn Player>, KitError> {
        Err(KitError::Failed("there is no engine here".into()))
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tesuji_engine::fuzz::saved_tree(&Rules, bytes));
