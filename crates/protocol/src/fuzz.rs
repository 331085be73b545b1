//! Entries for fuzzing: any bytes in, no panic, and whatever was understood reads back the same when written.

use crate::{
    EngineEnd, RunnerEnd,
    uci::{UciEngine, UciRunner},
};

/// Lines for the engine's end of UCI.
pub fn uci_engine(bytes: &[u8]) {
    let (mut end, mut runner) = (UciEngine, UciRunner::default());
    for line in String::from_utf8_lossy(bytes).lines() {
        let Ok(Some(command)) = end.read(line) else { continue };
        let mut text = String::new();
        runner.write(&command, &mut text);
        assert_eq!(text.lines().count(), 1, "{line:?} was written as {text:?}");
        assert_eq!(end.read(&text), Ok(Some(command)), "{line:?} was written as {text:?}");
    }
}

/// Lines for the runner's end of UCI.
pub fn uci_runner(bytes: &[u8]) {
    let (mut end, mut runner) = (UciEngine, UciRunner::default());
    for line in String::from_utf8_lossy(bytes).lines() {
        let Ok(Some(reply)) = runner.read(line) else { continue };
        let mut text = String::new();
        end.write(&reply, &mut text);
        assert_eq!(text.lines().count(), 1, "{line:?} was written as {text:?}");
        assert_eq!(runner.read(&text), Ok(Some(reply)), "{line:?} was written as {text:?}");
    }
}
