//! The log of tuning: each epoch or step as a line of CSV.

use anyhow::Context;
use std::{io::Write, path::Path, time::Instant};
use tesuji_jobs::{OutputFile, open_log};
use tesuji_tally::{Term, feature_name};
use tesuji_tune::{LearnedChange, Progress};

/// A CSV file with a line for each epoch of each attempt, written as it happens.
pub(super) struct Csv {
    file: OutputFile,
    began: Instant,
    terms: &'static [Term],
}

impl Csv {
    pub(super) fn create(path: &Path, terms: &'static [Term]) -> anyhow::Result<Csv> {
        let mut file = open_log(path).context("--steps")?;
        writeln!(file, "run,epoch,train_loss,validation_loss,best,seconds,weight,value")?;
        Ok(Csv { file, began: Instant::now(), terms })
    }

    pub(super) fn epoch(&mut self, p: &Progress) -> std::io::Result<()> {
        let Progress { run, epoch, train_loss, best, .. } = p;
        let held = p.held_loss.map_or(String::new(), |l| format!("{l:.12}"));
        let seconds = self.began.elapsed().as_secs_f64();
        let change = p.change.map_or(",".into(), |c| format!("{},{}", weight_name(self.terms, &c), c.value));
        let best = u8::from(*best);
        writeln!(self.file, "{run},{epoch},{train_loss:.12},{held},{best},{seconds:.3},{change}")
    }
}

/// The name of a weight: its feature's, with `mg` or `eg` where an evaluation has both.
pub fn weight_name(terms: &[Term], change: &LearnedChange) -> String {
    let name = feature_name(terms, change.feature);
    if terms.first().is_some_and(|t| t.unit == 256) { name } else { format!("{name}.{}", ["mg", "eg"][change.phase]) }
}
