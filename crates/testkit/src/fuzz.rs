//! A small mutation fuzzer for stable Rust: seeds are cut, spliced and bent, and the target must not panic.
//!
//! The same targets are run with coverage guidance from `fuzz/` (cargo-fuzz, nightly).

use std::{
    cell::RefCell,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use tesuji_game::Random;

/// A parser under test: takes any bytes, must return.
pub type Target = fn(&[u8]);

/// The longest input made, in bytes, where the seeds are not longer.
const BYTES_MAX: usize = 4096;
/// The fewest inputs made, however slow the machine is.
const INPUTS_MIN: u64 = 64;
/// The most inputs made, however fast the machine is, without `SLOW=1`: a faster machine would find what none before it found.
const INPUTS_MAX: u64 = 16_384;

/// Bytes of a large input.
const LARGE_BYTES: usize = 1 << 20;
/// The most processor time that a target may take for a large input: a hundred times what is usual, so that only what is not linear
/// fails, whatever else the machine does.
const LARGE_TIME_MAX: Duration = Duration::from_secs(20);
/// The most memory, in bytes, that all large inputs of a target may take at once, beside what the process took before.
const LARGE_MEMORY_MAX: u64 = 256 << 20;

/// The time for each of `targets` targets: a minute for all together, a minute each with `SLOW=1`.
pub fn time_for_each(targets: usize) -> Duration {
    let minute = Duration::from_secs(60);
    if crate::needs::is_slow() { minute } else { minute / targets.max(1) as u32 }
}

/// Feeds `target` with mutations of `seeds` for `time`. Returns the number of inputs tried.
///
/// # Panics
/// When the target panics, with the input that made it.
pub fn run(name: &str, target: Target, seeds: &[&str], seed: u64, time: Duration) -> u64 {
    let seeds: Vec<Vec<u8>> = seeds.iter().map(|s| s.as_bytes().to_vec()).collect();
    run_bytes(name, target, &seeds, seed, time)
}

/// [`run`] for formats that are no text.
///
/// # Panics
/// When the target panics, with the input that made it.
pub fn run_bytes(name: &str, target: Target, seeds: &[Vec<u8>], seed: u64, time: Duration) -> u64 {
    mutate(name, target, seeds, seed, time, bend)
}

/// [`run_bytes`] for formats that refer to their own bytes by offset, such as databases and archives: of ten inputs nine have
/// bytes changed in place alone, since a byte added or removed breaks the whole file.
///
/// # Panics
/// When the target panics, with the input that made it.
pub fn run_in_place(name: &str, target: Target, seeds: &[Vec<u8>], seed: u64, time: Duration) -> u64 {
    mutate(name, target, seeds, seed, time, |input, kept, random| {
        if random.below(10) == 0 { bend(input, kept, random) } else { bend_in_place(input, random) }
    })
}

/// One change of an input, which may take parts of the inputs kept.
type Bend = fn(&mut Vec<u8>, &[Vec<u8>], &mut Random);

fn mutate(name: &str, target: Target, seeds: &[Vec<u8>], seed: u64, time: Duration, bend: Bend) -> u64 {
    assert!(!seeds.is_empty(), "{name}: a fuzzer needs a seed");
    // A format whose smallest file is longer than usual keeps its end.
    let bytes_max = seeds.iter().map(|seed| 2 * seed.len()).min().unwrap_or(0).max(BYTES_MAX);
    let mut random = Random::new(seed);
    let end = Instant::now() + time;
    let mut inputs = 0;
    let mut kept: Vec<Vec<u8>> = seeds.to_vec();
    for input in &kept {
        feed(name, target, input);
    }
    let inputs_max = if crate::needs::is_slow() { u64::MAX } else { INPUTS_MAX };
    while inputs < INPUTS_MIN || inputs % 64 != 0 || (inputs < inputs_max && Instant::now() < end) {
        let mut input = kept[random.below(kept.len())].clone();
        for _ in 0..1 + random.below(6) {
            bend(&mut input, &kept, &mut random);
        }
        input.truncate(bytes_max);
        feed(name, target, &input);
        inputs += 1;
        // Now and then a bent input becomes a seed, so that faults can pile up.
        if inputs % 256 == 0 {
            let at = random.below(64);
            if at < kept.len() && at >= seeds.len() {
                kept[at] = input
            } else if kept.len() < 64 {
                kept.push(input)
            }
        }
    }
    inputs
}

/// Feeds `target` with inputs of a megabyte: each of `seeds` repeated whole, from its middle and bent, and each bracket and
/// separator alone. Returns the number of inputs.
///
/// # Panics
/// When the target panics, takes more than 20 s of processor time for one input, or 256 MiB for any (measured on Linux).
pub fn run_large(name: &str, target: Target, seeds: &[Vec<u8>], seed: u64) -> usize {
    assert!(!seeds.is_empty(), "{name}: a fuzzer needs a seed");
    let mut random = Random::new(seed);
    let mut inputs: Vec<Vec<u8>> = b"[{(\"\n 1-".iter().map(|&byte| vec![byte]).collect();
    for seed in seeds {
        let mut bent = seed.clone();
        (0..4).for_each(|_| bend(&mut bent, seeds, &mut random));
        let from_middle = [&seed[..seed.len() / 2], &seed[seed.len() / 3..]].concat();
        inputs.extend([seed.clone(), from_middle, bent]);
    }
    // What another target takes meanwhile would be counted here.
    let _alone = LARGE.lock().unwrap_or_else(PoisonError::into_inner);
    reset_memory_peak();
    let before = memory_peak();
    for part in inputs.iter().filter(|part| !part.is_empty()) {
        // The beginning of a file once, and then its end again and again: most formats have a head.
        let input: Vec<u8> = seeds[0].iter().chain(part.iter().cycle()).copied().take(LARGE_BYTES).collect();
        let began = processor_time();
        feed(name, target, &input);
        let took = processor_time().saturating_sub(began);
        let start = String::from_utf8_lossy(&part[..part.len().min(60)]).into_owned();
        assert!(took < LARGE_TIME_MAX, "{name} took {took:?} for a megabyte of {start:?}");
        let more = memory_peak().zip(before).map_or(0, |(now, before)| now.saturating_sub(before));
        assert!(more < LARGE_MEMORY_MAX, "{name} took {} MiB for a megabyte of {start:?}", more >> 20);
    }
    inputs.len()
}

/// Held while large inputs are fed.
static LARGE: Mutex<()> = Mutex::new(());

/// Makes [`memory_peak`] begin again from what the process takes now, where the system can (Linux 4.0 and later).
fn reset_memory_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The processor time of this process, to a hundredth of a second; where the system does not tell, nothing.
fn processor_time() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in brackets, may hold anything. Behind it come the state and ten numbers, then user and system time.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

/// The most memory that this process took since it began or [`reset_memory_peak`], in bytes; `None` where the system does not tell.
fn memory_peak() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// Runs `f` on a file of `bytes`, for readers that take paths; the file and what stands beside it are gone afterwards. It lies
/// in memory where the system has a folder for that.
///
/// # Panics
/// When no file can be written there.
pub fn in_file(bytes: &[u8], f: impl FnOnce(&Path)) {
    thread_local!(static FOLDER: RefCell<Option<Folder>> = const { RefCell::new(None) });
    // Taken out, so that a target that panics leaves none behind.
    let folder = FOLDER.take().unwrap_or_else(Folder::new);
    let path = folder.0.join("input");
    fs::write(&path, bytes).expect("a file for the target");
    f(&path);
    for entry in fs::read_dir(&folder.0).expect("the folder of the target").flatten() {
        let _ = fs::remove_file(entry.path());
    }
    FOLDER.set(Some(folder));
}

/// A folder that goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("tesuji-fuzz-{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
        let places = [PathBuf::from("/dev/shm"), std::env::temp_dir()];
        let made = places.iter().map(|place| place.join(&name)).find(|path| fs::create_dir(path).is_ok());
        Folder(made.expect("a folder for files of targets"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn feed(name: &str, target: Target, input: &[u8]) {
    if let Err(cause) = catch_unwind(AssertUnwindSafe(|| target(input))) {
        let words = cause.downcast_ref::<String>().map(String::as_str).or(cause.downcast_ref::<&str>().copied());
        let shown = &input[..input.len().min(BYTES_MAX)];
        panic!("{name} panicked ({}) on\n{:?}", words.unwrap_or("?"), String::from_utf8_lossy(shown));
    }
}

/// One change: a bit, a byte, a cut, a copy, a splice, a number made huge.
fn bend(input: &mut Vec<u8>, kept: &[Vec<u8>], random: &mut Random) {
    if input.is_empty() {
        input.push(random.next_u64() as u8);
        return;
    }
    let at = random.below(input.len());
    match random.below(9) {
        0 => input[at] ^= 1 << random.below(8),
        1 => input[at] = random.next_u64() as u8,
        2 => input.insert(at, b" \n/-{}()[]:;,.#0189aAkKqQxX+=\"\0\xff"[random.below(32)]),
        3 => {
            input.remove(at);
        }
        4 => input.truncate(at),
        5 => {
            let to = at + random.below(input.len() - at + 1);
            let piece = input[at..to].to_vec();
            let to = random.below(input.len());
            input.splice(to..to, piece);
        }
        6 => {
            let other = &kept[random.below(kept.len())];
            input.truncate(at);
            input.extend_from_slice(&other[random.below(other.len().max(1)).min(other.len())..]);
        }
        7 => {
            let numbers: [&[u8]; 6] = [b"-1", b"99999999999999999999", b"0", b"65536", b"1e999", b"\xe2\x99\x94"];
            let number = numbers[random.below(numbers.len())];
            input.splice(at..at, number.iter().copied());
        }
        _ => {
            let to = at + random.below(input.len() - at + 1);
            input.drain(at..to);
        }
    }
}

/// One change that moves nothing: a bit, a byte, or two, four or eight bytes that become a number at the edge of its range.
fn bend_in_place(input: &mut [u8], random: &mut Random) {
    if input.is_empty() {
        return;
    }
    let at = random.below(input.len());
    match random.below(4) {
        0 => input[at] ^= 1 << random.below(8),
        1 => input[at] = random.next_u64() as u8,
        // A number of one byte, of which many formats make a long one by its highest bit.
        2 => input[at] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF][random.below(6)],
        _ => {
            let end = input.len().min(at + (2 << random.below(3)));
            let byte = [0, 0x7F, 0x80, 0xFF][random.below(4)];
            input[at..end].fill(byte);
            // The highest byte of a big or a little number, the sign bit aside.
            if byte == 0xFF && random.below(2) == 0 {
                input[if random.below(2) == 0 { at } else { end - 1 }] = 0x7F;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "panicked")]
    fn a_panic_is_found() {
        let fragile: Target = |bytes| assert!(!bytes.windows(2).any(|w| w == b"bb"), "two of them");
        run("fragile", fragile, &["abab"], 1, Duration::from_secs(5));
    }

    /// Time on the wall failed sound targets where other work took the processor.
    #[test]
    fn time_is_that_of_the_processor() {
        let (began, wall) = (processor_time(), Instant::now());
        std::thread::sleep(Duration::from_millis(300));
        assert!(processor_time() - began < Duration::from_millis(200));
        let mut number = 1u64;
        while cfg!(target_os = "linux") && processor_time() - began < Duration::from_millis(50) {
            (0..100_000).for_each(|i| number = std::hint::black_box(number ^ i));
            assert!(wall.elapsed() < Duration::from_secs(60), "it stands still");
        }
    }

    #[test]
    #[should_panic(expected = "MiB for a megabyte")]
    fn a_target_that_wastes_memory_is_found() {
        let wasteful: Target = |bytes| assert_eq!(bytes.repeat(300).len(), 300 * bytes.len());
        run_large("wasteful", wasteful, &[b"abc".to_vec()], 1);
    }

    #[test]
    fn files_of_targets_have_their_bytes_and_are_gone_afterwards() {
        let mut seen = PathBuf::new();
        in_file(b"abc", |path| {
            assert_eq!(fs::read(path).unwrap(), b"abc");
            fs::write(path.with_file_name("beside"), "x").unwrap();
            seen = path.to_path_buf();
        });
        assert!(!seen.exists() && !seen.with_file_name("beside").exists());
        let fragile: Target = |bytes| in_file(bytes, |path| assert!(fs::read(path).unwrap().len() < 5000, "long"));
        let caught = catch_unwind(|| run_large("fragile", fragile, &[b"abc".to_vec()], 1));
        assert!(caught.is_err());
    }

    #[test]
    fn seeds_longer_than_usual_keep_their_end() {
        let seed = [vec![0; 5000], b"end".to_vec()].concat();
        let target: Target = |bytes| assert_ne!(bytes.len(), BYTES_MAX, "cut");
        assert!(run_in_place("long", target, &[seed], 1, Duration::ZERO) >= INPUTS_MIN);
    }

    #[test]
    fn a_sound_target_passes() {
        assert!(run_large("sound", |b| drop(b.to_vec()), &[b"abc".to_vec()], 1) > 5);
        assert!(run("sound", |b| drop(b.to_vec()), &["abc"], 1, Duration::from_millis(20)) > 100);
    }
}
