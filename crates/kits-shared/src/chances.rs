//! Reports that know the chances to win, draw and lose: a game's model added to whatever a search tells.

use std::time::Duration;
use tesuji_game::{Report, Signal, Value, Watch, Wdl};

/// Converts a value into the chances to win, draw and lose, in thousandths.
pub type Model = fn(Value) -> Wdl;

/// A watch whose reports know the chances.
pub struct WithChances<'a> {
    /// Takes the reports.
    pub watch: &'a mut dyn Watch<String>,
    /// The scale of values.
    pub model: Model,
}

impl Watch<String> for WithChances<'_> {
    fn signal(&mut self) -> Signal {
        self.watch.signal()
    }

    fn elapsed(&self) -> Duration {
        self.watch.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        let mut report = report.clone();
        add_chances(&mut report, self.model);
        self.watch.report(&report);
    }
}

/// Gives chances to all lines that have none.
pub fn add_chances(report: &mut Report<String>, model: Model) {
    for line in &mut report.lines {
        line.wdl = line.wdl.or_else(|| Some(model(line.value)));
    }
}
