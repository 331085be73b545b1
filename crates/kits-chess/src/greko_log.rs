//! The log written while weights are learned, in GreKo's words.

use std::{
    env,
    io::Write,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tesuji_arena::time_text;
use tesuji_jobs::{Existing, OutputFile, open_output};
use tesuji_kit::tuning::weight_name;
use tesuji_tally::Term;
use tesuji_tune::{Event, LearnedChange, old_name};

/// Now, or what `SOURCE_DATE_EPOCH` (seconds) says: logs that can be compared.
fn now() -> SystemTime {
    let set = env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.trim().parse().ok());
    set.map_or_else(SystemTime::now, |seconds| UNIX_EPOCH + Duration::from_secs(seconds))
}

/// GreKo's lines: the mean is over boards, not over their weights, and times are universal.
pub(crate) struct GrekoLog {
    terms: &'static [Term],
    /// Makes its mean of ours.
    factors: [f64; 2],
}

impl GrekoLog {
    /// Lines for weights of `terms`.
    pub fn new(terms: &'static [Term]) -> GrekoLog {
        GrekoLog { terms, factors: [1.0; 2] }
    }

    /// A validation loss as the lines tell it.
    pub fn validation(&self, loss: f64) -> f64 {
        loss * self.factors[1]
    }

    /// The line that tells of `event`, where there is one.
    pub fn line(&mut self, event: &Event) -> Option<String> {
        let features = self.terms.last().map_or(0, |t| t.range().end);
        match event {
            Event::Start { rows, weights, .. } => {
                self.factors = std::array::from_fn(|i| weights[i] / (rows[i].max(1)) as f64);
                None
            }
            Event::Turn(change) => {
                let LearnedChange { feature, value, .. } = change;
                let name = weight_name(self.terms, change);
                Some(format!("Parameter {} of {features}: {name} = {value}", feature + 1))
            }
            Event::Epoch(p) => {
                let train = p.train_loss * self.factors[0];
                // `0.000…` would be a loss.
                let held = p.held_loss.map_or("-".into(), |loss| format!("{:.12}", self.validation(loss)));
                let time = time_text(now()).replace('T', " ");
                let time = time.trim_end_matches('Z');
                let what = p.change.map_or(String::new(), |c| format!(" [{}.{}] {}", c.cycle, c.feature + 1, c.value));
                Some(format!("{} {train:.12} {held} {time}{what}", p.epoch))
            }
            _ => None,
        }
    }
}

/// The log of the steps beside the weights, `learning.log`, with its lines printed as well.
pub struct GrekoDiary {
    lines: GrekoLog,
    file: OutputFile,
    print: fn(&str),
}

impl GrekoDiary {
    /// Opens the log beside the weights `out` and tells that learning begins.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(out: &Path, terms: &'static [Term], print: fn(&str)) -> anyhow::Result<GrekoDiary> {
        let file = open_output(&out.with_file_name("learning.log"), Existing::Append)?;
        let mut diary = GrekoDiary { lines: GrekoLog::new(terms), file, print };
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
        (self.print)(line);
        writeln!(self.file, "{line}")?;
        Ok(())
    }

    /// Tells of an event, where GreKo does.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub fn note(&mut self, event: &Event) -> anyhow::Result<()> {
        self.lines.line(event).map_or(Ok(()), |line| self.say(&line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_chess_eval::GREKO_SET;
    use tesuji_tune::Progress;

    #[test]
    fn lines_are_grekos() {
        let mut log = GrekoLog::new(GREKO_SET);
        assert_eq!(log.line(&Event::Start { rows: [100, 10], weights: [50.0, 10.0], k: 150.0 }), None);
        let change = LearnedChange { cycle: 1, feature: 6, phase: 0, value: -19 };
        assert_eq!(log.line(&Event::Turn(change)).unwrap(), "Parameter 7 of 27: PawnIsolated = -19");
        let mut p = Progress {
            run: 0,
            epoch: 0,
            epochs: 9,
            train_loss: 0.279_204_480_354,
            held_loss: Some(0.140_008_376_153),
            best: true,
            rows: 100,
            change: None,
        };
        let start = log.line(&Event::Epoch(&p)).unwrap();
        assert!(start.starts_with("0 0.139602240177 0.140008376153 20"), "{start}");
        assert_eq!(start.len(), "0 0.139602240177 0.140008376153 2016-07-21 17:01:16".len());
        p.change = Some(LearnedChange { value: -20, ..change });
        p.epoch = 1;
        assert!(log.line(&Event::Epoch(&p)).unwrap().ends_with(" [1.7] -20"));
        // It once read -0.000000000000.
        p.held_loss = None;
        assert!(log.line(&Event::Epoch(&p)).unwrap().starts_with("1 0.139602240177 - 20"));
    }
}
