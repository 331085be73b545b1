//! The only place that tells the C library how to keep memory: a server that begins and ends searches all day gives back what
//! they no longer need.
//!
//! Left alone, glibc keeps blocks of up to 32 MiB for later and as much again at the end of each thread's heap. In a soak of
//! four minutes (`web/e2e/tests/soak.spec.js`) the server held 212 MiB after a third and 251 at the end; so it holds 80 and 84.
#![allow(unsafe_code)]

/// Blocks from this size on, in bytes, go back to the system when they are free, and so does the free end of a heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const GIVEN_BACK: libc::c_int = 1 << 20;

/// From now on free memory goes back to the system. Says whether the C library knows how.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back() -> bool {
    [libc::M_MMAP_THRESHOLD, libc::M_TRIM_THRESHOLD].into_iter().all(|name| {
        // SAFETY: `mallopt` takes two numbers by value, may be called at any time, and says no to what it does not know.
        unsafe { libc::mallopt(name, GIVEN_BACK) == 1 }
    })
}

/// Other C libraries decide themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() -> bool {
    false
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    /// Bytes of this process that are in memory.
    fn held() -> usize {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
    }

    #[test]
    fn what_is_free_goes_back() {
        assert!(super::give_back());
        // A large block that is freed teaches glibc to keep such blocks, unless it was told otherwise.
        drop(vec![1_u8; 30 << 20]);
        let before = held();
        let blocks: Vec<Vec<u8>> = (0..8).map(|_| vec![1_u8; 20 << 20]).collect();
        assert!(held() > before + (100 << 20));
        let last = vec![1_u8; 1000];
        drop(blocks);
        assert!(held() < before + (50 << 20), "{} and {}", before, held());
        drop(last);
    }
}
