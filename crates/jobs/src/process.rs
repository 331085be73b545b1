//! Programs that long work starts: each ends with all that it started when it is dropped, or when this process is killed.

mod engine_process;
mod line_process;
mod watchdog;

pub use engine_process::EngineProcess;
pub use line_process::{LineProcess, NoLine};
