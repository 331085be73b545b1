//! Units of work done by workers elsewhere, taken in the order of their numbers: each is committed when what it made is kept.

use crate::CircleError;
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    ops::Range,
    time::Duration,
};
use tesuji_jobs::{
    Interrupt,
    units::{Dispatcher, Unit},
};

/// Attempts at a unit, by whichever workers.
const ATTEMPTS: u32 = 3;
/// Results that wait at most for an earlier one, for each unit that workers have.
const AHEAD_MAX: u64 = 16;
/// Between two looks at whether it is enough.
const LOOK: Duration = Duration::from_millis(200);

/// What ends the work.
pub(crate) struct Halt<'a> {
    /// At once.
    pub(crate) stop: &'a Interrupt,
    /// Nothing is begun any more; what is under way is still taken.
    pub(crate) enough: &'a dyn Fn() -> bool,
}

/// Reads a unit's result by its number.
pub(crate) type Read<'a, T> = dyn Fn(u64, &[u8]) -> Result<T, String> + 'a;

/// A unit's work: how it is told to a worker, and how its result is read.
pub(crate) struct UnitWork<'a, T> {
    /// What is to be done, by the number.
    pub(crate) body: &'a dyn Fn(u64) -> io::Result<String>,
    /// Reads what a worker made of it; in words what is wrong.
    pub(crate) read: &'a Read<'a, T>,
    /// Whether a unit is in the journal when it was taken; else who asks commits it later.
    pub(crate) commits: bool,
}

/// Has the units `range` done and hands their results to `take`, in order. `take` may end it by `false`.
///
/// # Errors
/// When no worker can do a unit, when the dispatcher carries nothing more, or when `take` fails.
pub(crate) fn in_order_on<T>(
    dispatcher: &mut dyn Dispatcher,
    range: Range<u64>,
    halt: &Halt<'_>,
    work: &UnitWork<'_, T>,
    take: &mut dyn FnMut(u64, T) -> Result<bool, CircleError>,
) -> Result<(), CircleError> {
    let is_stopped = |error: &io::Error| error.kind() == ErrorKind::Interrupted && halt.stop.is_raised();
    let (mut next, mut wanted, mut most) = (range.start, range.start, 1_u64);
    let mut early = BTreeMap::new();
    let mut attempts: BTreeMap<u64, u32> = BTreeMap::new();
    loop {
        let is_enough = halt.stop.is_raised() || (halt.enough)();
        while !is_enough && next < range.end && next < wanted + AHEAD_MAX * most && dispatcher.room() > 0 {
            let unit = Unit { index: next, body: (work.body)(next).map_err(CircleError::fleet)? };
            match dispatcher.submit(unit) {
                Err(error) if is_stopped(&error) => return Ok(()),
                submitted => submitted.map_err(CircleError::fleet)?,
            }
            next += 1;
            most = most.max(next - wanted - early.len() as u64);
        }
        if halt.stop.is_raised() || wanted == next && (is_enough || next >= range.end) {
            return Ok(());
        }
        let received = match dispatcher.receive(LOOK) {
            Err(error) if is_stopped(&error) => return Ok(()),
            received => received.map_err(CircleError::fleet)?,
        };
        let Some(result) = received.filter(|result| (wanted..next).contains(&result.index)) else { continue };
        let (index, worker) = (result.index, result.worker);
        match result.outcome.and_then(|bytes| (work.read)(index, &bytes)) {
            Ok(made) => drop(early.insert(index, made)),
            Err(words) => {
                tracing::warn!("worker {worker} could not do unit {index}: {words}");
                let attempts = attempts.entry(index).or_default();
                *attempts += 1;
                if *attempts >= ATTEMPTS {
                    return Err(CircleError::Workers(format!("{worker}: {words}")));
                }
                let body = (work.body)(index).map_err(CircleError::fleet)?;
                dispatcher.submit(Unit { index, body }).map_err(CircleError::fleet)?;
            }
        }
        while let Some(made) = early.remove(&wanted) {
            let goes_on = take(wanted, made)?;
            if work.commits {
                dispatcher.commit(wanted).map_err(CircleError::fleet)?;
            }
            wanted += 1;
            if !goes_on {
                return Ok(());
            }
        }
    }
}
