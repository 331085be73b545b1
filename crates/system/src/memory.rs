//! The only place that tells the system how to keep memory: what a long job needed only once goes back.
//!
//! A server that begins and ends searches all day: left alone, glibc keeps blocks of up to 32 MiB for later and as much
//! again at the end of each thread's heap. In a soak of four minutes (`web/e2e/tests/soak.spec.js`) the server held 212 MiB
//! after a third and 251 at the end; so it holds 80 and 84.
//!
//! A match: arguments, openings and journal map more of the program's file than its games do. With mock engines it held
//! 13.6 MB at most instead of 16.6.
#![allow(unsafe_code)]

/// Blocks from this size on, in bytes, go back to the system when they are free, and so does the free end of a heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const GIVEN_BACK: libc::c_int = 1 << 20;

/// From now on free memory goes back to the system. Says whether the C library knows how.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_back() -> bool {
    [libc::M_MMAP_THRESHOLD, libc::M_TRIM_THRESHOLD].into_iter().all(|name| {
        // SAFETY: `mallopt` takes two numbers by value, may be called at any time, and says no to what it does not know.
        unsafe { libc::mallopt(name, GIVEN_BACK) == 1 }
    })
}

/// Other C libraries decide themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() -> bool {
    false
}

/// Memory of a table is asked for in huge pages from this size on, in bytes: one page of 2 MiB.
const HUGE: usize = 2 << 20;

/// Asks the system to keep memory that will be read at random places in huge pages, where it has such: to find a page of 4 KiB among
/// thousands takes longer than to read from it. Nothing happens to small pieces; returns how many bytes were asked for.
pub fn prefer_huge_pages<T>(items: &mut [std::mem::MaybeUninit<T>]) -> usize {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        let range = items.as_mut_ptr_range();
        // Whole pages of this piece alone.
        let (begin, end) = (range.start.addr().next_multiple_of(HUGE), range.end.addr() / HUGE * HUGE);
        if begin >= end {
            return 0;
        }
        let start = range.start.with_addr(begin).cast();
        // SAFETY: the range lies within `items`, which nobody else uses now; the advice changes how memory is kept and not what is in it.
        let done = unsafe { madvise(start, end - begin, Advice::LinuxHugepage) };
        if done.is_ok() { end - begin } else { 0 }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (items, HUGE);
        0
    }
}

/// Lets go of the program's code and constants; what is still needed comes back page by page. Returns how many bytes were
/// looked through, 0 where the system does not tell where they are.
pub fn forget_code() -> usize {
    #[cfg(target_os = "linux")]
    {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let program = std::fs::read_link("/proc/self/exe").unwrap_or_default();
        let fixed = maps.lines().filter_map(|line| fixed_range(line, &program.to_string_lossy()));
        fixed.map(|(begin, end)| forget(begin, end)).sum()
    }
    #[cfg(not(target_os = "linux"))]
    0
}

/// From where to where the line of a memory map has code of `program`, or the constants at its file's beginning. (What is
/// read-only further back was written to when the program was loaded.)
#[cfg(target_os = "linux")]
fn fixed_range(line: &str, program: &str) -> Option<(usize, usize)> {
    let mut words = line.split_whitespace();
    let (range, rights, offset) = (words.next()?, words.next()?, words.next()?);
    let (begin, end) = range.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    let is_fixed = rights == "r-xp" || (rights == "r--p" && number(offset) == Some(0));
    let is_ours = !program.is_empty() && line.ends_with(program);
    (is_fixed && is_ours).then_some((number(begin)?, number(end)?))
}

#[cfg(target_os = "linux")]
fn forget(begin: usize, end: usize) -> usize {
    use rustix::mm::{Advice, madvise};
    let length = end - begin;
    // SAFETY: the range is one whole mapping of this process, as the system has just told. It is mapped from a file that the
    // system keeps from being written while it runs, and has never been written to in memory (it has no right to be), so
    // that what is mapped again is what was there.
    let done = unsafe { madvise(std::ptr::without_provenance_mut(begin), length, Advice::LinuxDontNeed) };
    if done.is_ok() { length } else { 0 }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    /// Bytes of this process that are in memory.
    #[cfg(target_env = "gnu")]
    fn held() -> usize {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
    }

    #[cfg(target_env = "gnu")]
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

    #[test]
    fn large_tables_may_lie_in_huge_pages() {
        let mut large = Vec::<u64>::with_capacity(1 << 20);
        let asked = super::prefer_huge_pages(large.spare_capacity_mut());
        // Where the system knows huge pages, all but the ends that are shared with others.
        let has_huge = std::path::Path::new("/sys/kernel/mm/transparent_hugepage").is_dir();
        assert!((6 << 20..=8 << 20).contains(&asked) || asked == 0 && !has_huge, "{asked}");
        large.resize(1 << 20, 7);
        assert!(large.iter().all(|&number| number == 7));
        assert_eq!(super::prefer_huge_pages(Vec::<u64>::with_capacity(1000).spare_capacity_mut()), 0);
    }

    #[test]
    fn only_what_is_never_written_is_meant() {
        let line = |rights: &str, offset: &str| format!("55d0a000-55d0f000 {rights} {offset} fe:00 77 /opt/tesuji");
        let range = Some((0x55d0_a000, 0x55d0_f000));
        assert_eq!(super::fixed_range(&line("r-xp", "00001000"), "/opt/tesuji"), range);
        assert_eq!(super::fixed_range(&line("r--p", "00000000"), "/opt/tesuji"), range);
        for (rights, offset) in [("r--p", "00001000"), ("rw-p", "00000000"), ("rwxp", "00001000")] {
            assert_eq!(super::fixed_range(&line(rights, offset), "/opt/tesuji"), None);
        }
        assert_eq!(super::fixed_range(&line("r-xp", "00001000"), "/lib/libc.so.6"), None);
        assert_eq!(super::fixed_range("7ffc0000-7ffc2000 r-xp 00000000 00:00 0 [vdso]", ""), None);
    }

    #[test]
    fn a_program_goes_on_without_the_code_it_held() {
        let resident = || {
            let text = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = text.lines().find_map(|l| l.strip_prefix("RssFile:")).unwrap();
            line.trim().trim_end_matches(" kB").parse::<usize>().unwrap()
        };
        // Whatever the tests around it call: half of it at least is not needed at once.
        let before = resident();
        assert!(super::forget_code() > 1 << 20);
        assert!(resident() < before, "{} of {before} kB", resident());
    }
}
