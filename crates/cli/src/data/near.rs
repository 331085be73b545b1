//! Positions near to balance, as the converters of shogi's teacher data ask for them, and the short cuts between packed formats.

use super::task::Task;
use anyhow::bail;
use tesuji_dataset::data::{Format, Output};
use tesuji_record::{Ask, ShortCut};

/// Which scores are wanted.
#[derive(clap::Args)]
pub(super) struct Near {
    /// Positions with a score nearer to 0 than this, in centipawns
    #[arg(long, value_name = "CP")]
    pub(super) score_below: Option<u16>,
    /// And positions with a move number of at most this, from 1, whatever their score
    #[arg(long, value_name = "N", requires = "score_below")]
    pub(super) or_ply_max: Option<u16>,
}

impl Near {
    /// What a sieve asks.
    pub(super) fn bounds(&self) -> Option<(u32, Option<u32>)> {
        self.score_below.map(|below| (below.into(), self.or_ply_max.map(u32::from)))
    }

    /// Whether every file that is read can answer.
    pub(super) fn check(&self, task: &Task) -> anyhow::Result<()> {
        for input in &task.inputs {
            if self.or_ply_max.is_some() && input.format.tells_ply() == Some(false) {
                bail!(
                    "{}: {} has no move numbers, and --or-ply-max asks for them",
                    input.path.display(),
                    input.format.name()
                );
            }
        }
        Ok(())
    }

    /// The short cuts from each input to `output`; `None` where one has none.
    pub(super) fn ways(&self, task: &Task, output: &Output, check: bool) -> Option<Vec<Box<dyn ShortCut>>> {
        let ask = Ask { check, score_below: self.score_below, or_ply_max: self.or_ply_max };
        let Format::Samples(to) = output.format else { return None };
        let way = |format: Format| match format {
            Format::Samples(from) if task.lens.fill_score.is_none() => from.short_cut(to, ask),
            _ => None,
        };
        task.inputs.iter().map(|input| way(input.format)).collect()
    }
}
