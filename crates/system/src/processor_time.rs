//! Processor time that has been used: what speeds are measured by, so that other work on the machine counts little.

use std::time::Duration;

/// The processor time that all threads of this process have used, user and system.
///
/// # Examples
/// ```
/// let before = tesuji_system::processor_time();
/// assert!(tesuji_system::processor_time() >= before);
/// ```
pub fn processor_time() -> Duration {
    of::process()
}

/// The processor time that this thread has used, user and system.
pub fn thread_processor_time() -> Duration {
    of::thread()
}

#[cfg(unix)]
mod of {
    use rustix::time::{ClockId, clock_gettime};
    use std::time::Duration;

    pub(super) fn process() -> Duration {
        read(ClockId::ProcessCPUTime)
    }

    pub(super) fn thread() -> Duration {
        read(ClockId::ThreadCPUTime)
    }

    fn read(clock: ClockId) -> Duration {
        let time = clock_gettime(clock);
        Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
    }
}

#[cfg(windows)]
mod of {
    use cpu_time::{ProcessTime, ThreadTime};
    use std::time::Duration;

    pub(super) fn process() -> Duration {
        ProcessTime::try_now().map_or(Duration::ZERO, |time| time.as_duration())
    }

    pub(super) fn thread() -> Duration {
        ThreadTime::try_now().map_or(Duration::ZERO, |time| time.as_duration())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_of_the_thread_and_the_process() {
        let (process, thread) = (processor_time(), thread_processor_time());
        let (mut sum, began) = (0_u64, std::time::Instant::now());
        // Windows counts in steps of 16 ms.
        let has_grown = || thread_processor_time() > thread && processor_time() > process;
        while !has_grown() && began.elapsed() < Duration::from_secs(60) {
            sum = (0..100_000).fold(sum, |sum: u64, i| sum.wrapping_mul(31).wrapping_add(i));
        }
        assert!(has_grown(), "{sum}");
    }
}
