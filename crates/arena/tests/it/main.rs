//! Matches of real processes that crash, hang, lie and flood, on the toy game.

mod backlog;
mod dialects;
mod faults;
mod matches;
mod player;
mod units;

use std::time::Duration;
use tesuji_arena::{Allowance, Contestant, Dialect, Engine, EngineSpec, Entrant, Fault};
use tesuji_jobs::Interrupt;
use tesuji_record::{Of, of};
use tesuji_testkit::{four::Four, mock};

/// The toy game's door, with a format made for these tests.
pub static FOUR: Of<Four> = of::<Four>(&[&matches::MoveLines]);

/// A mock engine with these arguments.
pub fn spec(args: &str) -> EngineSpec {
    let mut spec = EngineSpec::new(mock::path());
    spec.args = "--game four".split(' ').chain(args.split_ascii_whitespace()).map(str::to_string).collect();
    spec.start_patience = Duration::from_secs(30);
    spec.quit_patience = Duration::from_millis(300);
    spec.dialect = Some(Dialect::Uci);
    spec
}

/// Starts an engine.
pub fn start(spec: &EngineSpec) -> Result<Engine, Fault> {
    Engine::open(spec, &Interrupt::new())
}

/// An entrant whose every instance is a new process.
pub fn entrant(name: &str, args: &str, allowance: Allowance) -> Entrant {
    let mut spec = spec(args);
    spec.name = Some(name.to_string());
    Entrant {
        name: name.to_string(),
        origin: None,
        allowance,
        make: Box::new(move |stop| {
            let engine = Engine::open(&spec, stop)?;
            Ok(Box::new(engine) as Box<dyn Contestant>)
        }),
    }
}

/// A mock engine that speaks this protocol.
pub fn spec_in(dialect: Dialect, args: &str) -> EngineSpec {
    let mut spec = spec(&format!("--proto {dialect} {args}"));
    spec.dialect = Some(dialect);
    spec
}
