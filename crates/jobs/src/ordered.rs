//! Work in parallel whose results come in order, within bounded memory.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

/// Results that may wait for an earlier one, for each job.
const WAITING_PER_JOB: u64 = 4;

/// The state shared by the threads.
struct Shared<R> {
    /// Results that came early, by number.
    results: BTreeMap<u64, R>,
    /// The number of the next result to hand on.
    next: u64,
    /// The number of all results, once the source has ended.
    total: Option<u64>,
    /// Whether nobody wants more.
    stopped: bool,
}

/// Takes items from `source` until it gives `None`, does `work` on them in `jobs` threads, and hands the results to
/// `sink` on the calling thread, in the order of the source. `state` makes what each thread keeps from item to item.
/// With one job everything happens on the calling thread, as it does where the system gives no threads; where it gives fewer
/// than `jobs`, these do the work.
///
/// At most a few items for each job are under way, so that memory is bounded whatever the length of the source.
///
/// # Errors
/// The first error in the order of the source, whichever of the three functions gave it: the same for any number of jobs.
/// The sink has then had the results before it.
///
/// # Examples
/// ```
/// let (mut next, mut out) = (0, Vec::new());
/// let source = || Ok::<_, String>((next < 100).then(|| { next += 1; next }));
/// tesuji_jobs::in_order(3, source, || (), |(), n| Ok(n * n), |square| { out.push(square); Ok(()) })?;
/// assert!(out.is_sorted() && out.len() == 100);
/// # Ok::<(), String>(())
/// ```
pub fn in_order<T: Send, R: Send, E: Send, S>(
    jobs: usize,
    source: impl FnMut() -> Result<Option<T>, E> + Send,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> Result<R, E> + Sync,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    if jobs <= 1 {
        return alone(source, state, work, sink);
    }
    let shared = Mutex::new(Shared { results: BTreeMap::new(), next: 0, total: None, stopped: false });
    let turned = Condvar::new();
    let source = Mutex::new((source, 0));
    let worker = || {
        let _stop = StopOnPanic { shared: &shared, turned: &turned };
        let mut own = state();
        while let Some((number, item)) = take(&source, &shared, &turned, jobs as u64) {
            let result = item.and_then(|item| work(&mut own, item));
            lock(&shared).results.insert(number, result);
            turned.notify_all();
        }
    };
    let done = std::thread::scope(|scope| {
        if start_threads(scope, jobs, &worker) == 0 {
            return None;
        }
        let result = deliver(&shared, &turned, &mut sink);
        lock(&shared).stopped = true;
        turned.notify_all();
        Some(result)
    });
    done.unwrap_or_else(|| alone(source.into_inner().unwrap_or_else(PoisonError::into_inner).0, state, work, sink))
}

/// Does `work` on `count` threads, or on as many as the system gives, and waits until all have returned; on the calling thread
/// where it gives none.
///
/// # Examples
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
///
/// let next = AtomicUsize::new(0);
/// tesuji_jobs::on_threads(3, &|| while next.fetch_add(1, Relaxed) < 100 {});
/// assert!(next.into_inner() > 100);
/// ```
pub fn on_threads(count: usize, work: &(impl Fn() + Sync)) {
    std::thread::scope(|scope| {
        if start_threads(scope, count, work) == 0 {
            work();
        }
    });
}

/// Starts `count` threads that do `work`, or as many as the system gives. Returns how many they are.
fn start_threads<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    count: usize,
    work: &'env (impl Fn() + Sync),
) -> usize {
    for started in 0..count {
        if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, work) {
            tracing::warn!(target: "jobs", "the system gives {started} of {count} threads: {error}");
            return started;
        }
    }
    count
}

/// [`in_order`] on the calling thread.
fn alone<T, R, E, S>(
    mut source: impl FnMut() -> Result<Option<T>, E>,
    state: impl Fn() -> S,
    work: impl Fn(&mut S, T) -> Result<R, E>,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let mut own = state();
    while let Some(item) = source()? {
        sink(work(&mut own, item)?)?;
    }
    Ok(())
}

/// A source with the number of its next item.
type Numbered<F> = Mutex<(F, u64)>;

/// The next item with its number; an error of the source counts as the last item. `None` when there is nothing to do.
fn take<T, R, E>(
    source: &Numbered<impl FnMut() -> Result<Option<T>, E>>,
    shared: &Mutex<Shared<R>>,
    turned: &Condvar,
    jobs: u64,
) -> Option<(u64, Result<T, E>)> {
    let mut source = lock(source);
    let number = source.1;
    let mut held = lock(shared);
    while !held.stopped && held.total.is_none() && number >= held.next + WAITING_PER_JOB * jobs {
        held = turned.wait(held).unwrap_or_else(PoisonError::into_inner);
    }
    if held.stopped || held.total.is_some() {
        return None;
    }
    drop(held);
    let item = (source.0)().transpose();
    source.1 += 1;
    if !matches!(item, Some(Ok(_))) {
        lock(shared).total = Some(number + u64::from(item.is_some()));
        turned.notify_all();
    }
    item.map(|item| (number, item))
}

/// Hands results on in order until the last one, an error, or the end of a thread.
fn deliver<R, E>(
    shared: &Mutex<Shared<Result<R, E>>>,
    turned: &Condvar,
    sink: &mut impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        let mut held = lock(shared);
        let result = loop {
            let next = held.next;
            if let Some(result) = held.results.remove(&next) {
                held.next += 1;
                break result;
            }
            if held.stopped || held.total == Some(next) {
                return Ok(());
            }
            held = turned.wait(held).unwrap_or_else(PoisonError::into_inner);
        };
        drop(held);
        turned.notify_all();
        sink(result?)?;
    }
}

/// Stops everything when its thread panics; the scope then hands the panic on.
struct StopOnPanic<'a, R> {
    shared: &'a Mutex<Shared<R>>,
    turned: &'a Condvar,
}

impl<R> Drop for StopOnPanic<'_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(self.shared).stopped = true;
            self.turned.notify_all();
        }
    }
}

/// Locks a mutex, even one poisoned by a panic elsewhere.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares of 0 to 999 with `jobs` threads, an error of the source at `broken`, of the work at `bad`.
    fn squares(jobs: usize, broken: u64, bad: u64, full: usize) -> (Vec<u64>, Result<(), String>) {
        let (mut next, mut out) = (0, Vec::new());
        let source = || {
            next += 1;
            if next > broken { Err(format!("no {broken}")) } else { Ok((next <= 1000).then_some(next - 1)) }
        };
        let work = |seen: &mut u64, n: u64| {
            *seen += 1;
            if n.is_multiple_of(7) {
                std::thread::yield_now();
            }
            if n == bad { Err(format!("bad {n}")) } else { Ok(n * n) }
        };
        let sink = |n| {
            out.push(n);
            if out.len() == full { Err("full".to_string()) } else { Ok(()) }
        };
        let result = in_order(jobs, source, || 0, work, sink);
        (out, result)
    }

    #[test]
    fn results_and_errors_are_the_same_for_any_jobs() {
        for (broken, bad, full) in [(9999, 9999, 9999), (500, 9999, 9999), (9999, 77, 9999), (80, 77, 9999), (9, 77, 5)]
        {
            let expected = squares(1, broken, bad, full);
            for jobs in [2, 4, 7] {
                assert_eq!(squares(jobs, broken, bad, full), expected, "{jobs} jobs, {broken} {bad} {full}");
            }
        }
        assert_eq!(squares(4, 9999, 9999, 9999).0.len(), 1000);
    }

    #[test]
    fn a_panic_ends_everything() {
        let run = || {
            let mut next = 0;
            let source = || {
                next += 1;
                Ok::<_, ()>(Some(next))
            };
            let work = |(): &mut (), n| if n == 50 { panic!("as the test wants") } else { Ok(n) };
            let _ = in_order(3, source, || (), work, |_| Ok(()));
        };
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
