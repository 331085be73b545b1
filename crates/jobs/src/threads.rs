//! The number of threads of long work.

use std::thread::available_parallelism;

/// Threads to use when `asked` were asked for; 0: one for each processor.
///
/// # Examples
/// ```
/// assert_eq!(tesuji_jobs::threads(3), 3);
/// assert!(tesuji_jobs::threads(0) >= 1);
/// ```
pub fn threads(asked: usize) -> usize {
    if asked > 0 { asked } else { available_parallelism().map_or(1, usize::from) }
}
