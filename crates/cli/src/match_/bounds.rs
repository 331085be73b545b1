//! Numbers of `tesuji match` that are refused before anything is done with them.

use super::Args;
use anyhow::bail;

/// Games of a pairing, and games at a time, at most: more is a slip of the pen, and would only end for want of memory.
const GAMES_MAX: u64 = 1_000_000_000;
const CONCURRENCY_MAX: usize = 1_024;
/// The largest difference, in Elo, that a test can ask for.
const ELO_MAX: f64 = 10_000.0;

/// Refuses numbers with which nothing can be played or computed.
///
/// # Errors
/// The first of them, with what is possible.
pub(super) fn check(args: &Args) -> anyhow::Result<()> {
    for (name, number) in [("games", args.games), ("rounds", args.rounds)] {
        if let Some(number) = number.filter(|&number| number > GAMES_MAX) {
            bail!("--{name} {number}: {GAMES_MAX} is the most");
        }
    }
    if let Some(jobs) = args.concurrency.filter(|&jobs| jobs > CONCURRENCY_MAX) {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        bail!("--concurrency {jobs}: {CONCURRENCY_MAX} is the most; this machine has {processors} processors");
    }
    if let Some(st) = args.st.filter(|st| !(st.is_finite() && *st > 0.0)) {
        bail!("--st {st}: a number of seconds above 0 is needed");
    }
    if let Some(patience) = args.patience.filter(|p| !(p.is_finite() && *p >= 0.0)) {
        bail!("--patience {patience}: a number of seconds is needed");
    }
    if let Some(elo) = args.sprt.iter().flatten().find(|elo| elo.is_nan() || elo.abs() > ELO_MAX) {
        bail!("--sprt {elo}: differences from -{ELO_MAX} to {ELO_MAX} can be tested");
    }
    Ok(())
}
