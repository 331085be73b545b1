//! Processor time that has been used: what speeds are measured by, so that other work on the machine counts little.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The processor time that all threads of this process have used, user and system.
///
/// # Examples
/// ```
/// let before = tesuji_jobs::processor_time();
/// assert!(tesuji_jobs::processor_time() >= before);
/// ```
pub fn processor_time() -> Duration {
    read(ClockId::ProcessCPUTime)
}

/// The processor time that this thread has used, user and system.
pub fn thread_processor_time() -> Duration {
    read(ClockId::ThreadCPUTime)
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
