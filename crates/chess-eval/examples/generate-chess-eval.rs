//! Writes `src/generated/weights.rs` from `data/weights.json`. With `--check` it only says whether they agree.

use std::process::ExitCode;
use tesuji_chess_eval::{PACKAGE, load_weights};
use tesuji_tally::rust_source;

fn main() -> ExitCode {
    let root = env!("CARGO_MANIFEST_DIR");
    let (data, source) = (format!("{root}/data/weights.json"), format!("{root}/src/generated/weights.rs"));
    let text = match std::fs::read_to_string(&data) {
        Ok(text) => text,
        Err(error) => return fail(&format!("{data}: {error}")),
    };
    let wanted = match load_weights(&text, "data/weights.json") {
        Ok(weights) => rust_source(&weights, PACKAGE),
        Err(error) => return fail(&error.to_string()),
    };
    if std::fs::read_to_string(&source).is_ok_and(|present| present == wanted) {
        return ExitCode::SUCCESS;
    }
    if std::env::args().any(|a| a == "--check") {
        return fail("src/generated/weights.rs does not hold data/weights.json; run without --check");
    }
    match std::fs::write(&source, wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("{source}: {error}")),
    }
}

fn fail(why: &str) -> ExitCode {
    eprintln!("generate: {why}");
    ExitCode::FAILURE
}
