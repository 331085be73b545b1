//! Learning as GreKo tells it: `--log greko` prints its lines and appends them to `learning.log` beside the weights.

use std::{io::Write, path::Path};
use tesuji_jobs::{Existing, OutputFile, open_output};
use tesuji_kits::GrekoLog;
use tesuji_tally::Term;
use tesuji_tune::{Event, old_name};

/// The log of the steps.
pub(super) struct GrekoDiary {
    lines: GrekoLog,
    file: OutputFile,
}

impl GrekoDiary {
    /// Opens the log beside the weights `out` and tells that learning begins.
    pub(super) fn begin(out: &Path, terms: &'static [Term]) -> anyhow::Result<GrekoDiary> {
        let file = open_output(&out.with_file_name("learning.log"), Existing::Append)?;
        let mut diary = GrekoDiary { lines: GrekoLog::new(terms), file };
        if out.exists() {
            let old = old_name(out);
            let name = old.file_name().unwrap_or_default().to_string_lossy().into_owned();
            diary.say(&format!("Old values saved in file '{name}'"))?;
        }
        diary.say("Start optimization...")?;
        Ok(diary)
    }

    /// A line on the screen and in the log.
    fn say(&mut self, line: &str) -> anyhow::Result<()> {
        println!("{line}");
        writeln!(self.file, "{line}")?;
        Ok(())
    }

    /// Tells of an event, where GreKo does.
    pub(super) fn note(&mut self, event: &Event) -> anyhow::Result<()> {
        self.lines.line(event).map_or(Ok(()), |line| self.say(&line))
    }
}
