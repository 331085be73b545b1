//! Programs that long work starts: each ends with all that it started when it is dropped, or when this process is killed.

mod line_process;

pub use line_process::{LineProcess, NoLine};
