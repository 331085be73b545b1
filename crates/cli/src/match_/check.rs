//! `tesuji match --check ENGINE`: whether an engine keeps to its protocol.

use crate::own_program;
use std::process::ExitCode;
use tesuji_arena::{Checked, Dialect, EngineRequest, check_engine, dialect_of};
use tesuji_jobs::counted;
use tesuji_kit::Kit;

/// Checks the engine and tells; the exit code says whether something is wrong.
///
/// # Errors
/// When it cannot be started at all, or answers in no protocol.
pub(super) fn run(engine: &EngineRequest, kit: &dyn Kit, json: bool) -> anyhow::Result<ExitCode> {
    let spec = engine.spec(&engine.usual_name(), Dialect::of(kit), &own_program(kit)?)?;
    let dialect = dialect_of(&spec)?;
    if !json {
        println!("{} over {dialect}:", spec.command.display());
    }
    let counts = check_engine(&spec, dialect, kit, &mut |checked| tell(checked, json))?;
    if !json {
        println!("{}, {}", counted(counts.errors.into(), "error"), counted(counts.warnings.into(), "warning"));
    }
    Ok(ExitCode::from(if counts.errors > 0 { 5 } else { 0 }))
}

fn tell(Checked { name, verdict }: &Checked, json: bool) {
    let (word, detail) = verdict.words();
    if json {
        println!("{}", serde_json::json!({ "check": name, "verdict": word, "detail": detail }));
    } else {
        println!("  {word:<8} {name:<26} {detail}");
    }
}
