//! Processors that an engine may run on.

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io;

/// Does something, such as starting a process, on these processors only: what is started then stays there. No
/// processors: on any.
///
/// # Errors
/// Those of the system, when none of them is there; and those of `work`.
#[cfg(target_os = "linux")]
pub fn on_processors<T>(processors: &[usize], work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    if processors.is_empty() {
        return work();
    }
    let before = sched_getaffinity(None)?;
    let mut set = CpuSet::new();
    for &processor in processors {
        if processor >= CpuSet::MAX_CPU {
            return Err(io::Error::other(format!("there is no processor {processor}")));
        }
        set.set(processor);
    }
    sched_setaffinity(None, &set)
        .map_err(|e| io::Error::other(format!("it cannot run on processors {processors:?}: {e}")))?;
    let result = work();
    sched_setaffinity(None, &before)?;
    result
}

/// Elsewhere than on Linux processors cannot be chosen.
///
/// # Errors
/// When some are named; and those of `work`.
#[cfg(not(target_os = "linux"))]
pub fn on_processors<T>(processors: &[usize], work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    match processors {
        [] => work(),
        some => Err(io::Error::other(format!("processors {some:?}: this system does not let them be chosen"))),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_thread_is_back_where_it_was() {
        let before = sched_getaffinity(None).unwrap();
        let processor = (0..CpuSet::MAX_CPU).find(|&c| before.is_set(c)).unwrap();
        let during = on_processors(&[processor], || Ok(sched_getaffinity(None)?)).unwrap();
        assert_eq!((during.count(), during.is_set(processor)), (1, true));
        assert_eq!(sched_getaffinity(None).unwrap(), before);
        assert!(on_processors(&[1 << 20], || Ok(())).is_err());
    }
}
