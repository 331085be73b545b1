//! The mock engine as a program. See `tesuji_testkit::mock`.

use std::process::ExitCode;
use tesuji_chess::Chess;
use tesuji_record::{Of, of};
use tesuji_testkit::{four::Four, mock};

static CHESS: Of<Chess> = of::<Chess>(&[]);
static FOUR: Of<Four> = of::<Four>(&[]);

fn main() -> ExitCode {
    match mock::run(&[&CHESS, &FOUR], std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mock-engine: {error}");
            ExitCode::from(2)
        }
    }
}
