//! What `tesuji match` computes without playing, and the options of its statistics and reports.

use super::numbers::{self, SigmaArg};
use anyhow::Context;
use tesuji_stats::{Games, Pairs, Sprt, StopWidth};

/// Options of statistics.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Statistics")]
pub(super) struct StatsArgs {
    /// Compute the statistics of results without playing
    #[arg(long, num_args = 3, value_names = ["W", "D", "L"])]
    stats: Option<Vec<u64>>,
    /// Compute the statistics of pairs of games without playing
    #[arg(long, num_args = 5, value_names = ["LL", "LD", "DD+WL", "WD", "WW"])]
    pairs: Option<Vec<u64>>,
    /// The spread of a game's result in intervals and verdicts of games
    #[arg(long, value_enum, default_value_t)]
    pub(super) sigma: SigmaArg,
    /// Stop when the 95 % interval of Elo (from pairs) is so wide from end to end: 20 is ±10
    #[arg(long, value_name = "ELO")]
    stop_width: Option<f64>,
}

impl StatsArgs {
    /// The rule that stops by the interval's width.
    ///
    /// # Errors
    /// When the width cannot be reached.
    pub(super) fn stop_width(&self) -> anyhow::Result<Option<StopWidth>> {
        match self.stop_width {
            Some(elo) if !(elo > 0.0 && elo.is_finite()) => {
                anyhow::bail!("--stop-width {elo}: a width above 0 is needed")
            }
            width => Ok(width.map(|elo| StopWidth { elo })),
        }
    }

    /// Computes, if that is what was asked for; `false` when a match is to be played.
    ///
    /// # Errors
    /// Wrong usage or input.
    pub(super) fn compute(&self, sprt: Option<&Sprt>, as_json: bool) -> anyhow::Result<bool> {
        if let Some([w, d, l]) = self.stats.as_deref() {
            numbers::print_games(&Games::new(*w, *d, *l), self.sigma.into(), sprt, as_json)?;
        } else if let Some(counts) = self.pairs.as_deref() {
            let counts = counts.try_into().context("--pairs takes five counts")?;
            numbers::print_pairs(&Pairs(counts), sprt, as_json)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
