//! Numbered work on several threads, taken in the order of the numbers.

use crate::CircleError;
use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread,
};

/// The function that a worker applies to an item; `None` when it was interrupted.
pub(crate) type Work<'a, W, T> = dyn Fn(&mut W, u64) -> Result<Option<T>, CircleError> + Sync + 'a;

/// Does the work items `range` on `jobs` threads, each with a worker of its own from `worker`, and hands the results to
/// `take` in order. No item is begun once `enough` says so. An item without a result was broken off: nothing after it is
/// taken. Returns the number of the first item that was not taken.
pub(crate) fn in_order<W, T: Send>(
    jobs: usize,
    range: Range<u64>,
    enough: &(dyn Fn() -> bool + Sync),
    worker: &(dyn Fn() -> Result<W, CircleError> + Sync),
    work: &Work<'_, W, T>,
    take: &mut dyn FnMut(u64, T) -> Result<(), CircleError>,
) -> Result<u64, CircleError> {
    let next = AtomicU64::new(range.start);
    let halt = AtomicBool::new(false);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        // Making a worker may take long: none for which there is no item.
        let items = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        for started in 0..jobs.min(items).max(1) {
            let sender = sender.clone();
            let (next, halt) = (&next, &halt);
            let work = move || {
                let mut hand = match worker() {
                    Ok(hand) => hand,
                    Err(error) => return drop(sender.send((range.start, Err(error)))),
                };
                while !halt.load(Relaxed) && !enough() {
                    let item = next.fetch_add(1, Relaxed);
                    if item >= range.end {
                        break;
                    }
                    let result = work(&mut hand, item);
                    let goes_on = matches!(result, Ok(Some(_)));
                    if sender.send((item, result)).is_err() || !goes_on {
                        halt.store(true, Relaxed);
                    }
                }
            };
            match thread::Builder::new().spawn_scoped(scope, work) {
                // Where the system gives no more threads, fewer work.
                Err(error) if started == 0 => return Err(CircleError::NoThread(error)),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        // The workers have copies: without this the loop below would wait for ever.
        drop(sender);
        // Results wait here until all before them have come.
        let (mut wanted, mut early, mut fault) = (range.start, BTreeMap::new(), None);
        for (item, result) in results {
            match result {
                Ok(Some(result)) => drop(early.insert(item, result)),
                Ok(None) => {}
                Err(error) => fault = fault.or(Some(error)),
            }
            while fault.is_none()
                && let Some(result) = early.remove(&wanted)
            {
                match take(wanted, result) {
                    Ok(()) => wanted += 1,
                    Err(error) => fault = Some(error),
                }
            }
            if fault.is_some() {
                halt.store(true, Relaxed);
            }
        }
        fault.map_or(Ok(wanted), Err)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(jobs: usize, broken: u64) -> (u64, Vec<u64>) {
        let mut taken = Vec::new();
        let work = |_: &mut (), n: u64| {
            thread::sleep(std::time::Duration::from_micros((n * 37) % 400));
            Ok((n != broken).then_some(n * n))
        };
        let end = in_order(jobs, 5..60, &|| false, &|| Ok(()), &work, &mut |n, square| {
            assert_eq!(square, n * n);
            taken.push(n);
            Ok(())
        });
        (end.unwrap(), taken)
    }

    #[test]
    fn results_come_in_order() {
        for jobs in [1, 2, 7] {
            assert_eq!(run(jobs, u64::MAX), (60, (5..60).collect()));
        }
    }

    #[test]
    fn nothing_is_taken_after_a_gap() {
        for jobs in [1, 4] {
            assert_eq!(run(jobs, 20), (20, (5..20).collect()));
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let fault = |n| CircleError::Play { number: n, what: "failed".into() };
        let work = |_: &mut (), n: u64| if n == 3 { Err(fault(n)) } else { Ok(Some(n)) };
        let end = in_order(2, 0..1_000_000, &|| false, &|| Ok(()), &work, &mut |_, _| Ok(()));
        assert!(end.is_err());
        let end = in_order::<(), u64>(2, 0..9, &|| false, &|| Err(fault(0)), &|_, n| Ok(Some(n)), &mut |_, _| Ok(()));
        assert!(end.is_err());
    }
}
