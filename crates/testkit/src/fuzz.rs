//! A small mutation fuzzer for stable Rust: seeds are cut, spliced and bent, and the target must not panic.
//!
//! The same targets are run with coverage guidance from `fuzz/` (cargo-fuzz, nightly).

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};
use tesuji_game::Random;

/// A parser under test: takes any bytes, must return.
pub type Target = fn(&[u8]);

/// The longest input made, in bytes.
const BYTES_MAX: usize = 4096;

/// Bytes of a large input.
const LARGE_BYTES: usize = 1 << 20;
/// The longest that a target may take for a large input: a hundred times what is usual, so that only what is not linear fails.
const LARGE_TIME_MAX: Duration = Duration::from_secs(20);
/// The most memory, in bytes, that all large inputs of a target may take at once, beside what the process took before.
const LARGE_MEMORY_MAX: u64 = 256 << 20;

/// How long each of `targets` targets may run: a minute for all together, a minute each with `SLOW=1`.
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
    assert!(!seeds.is_empty(), "{name}: a fuzzer needs a seed");
    let mut random = Random::new(seed);
    let end = Instant::now() + time;
    let mut inputs = 0;
    let mut kept: Vec<Vec<u8>> = seeds.to_vec();
    for input in &kept {
        feed(name, target, input);
    }
    while inputs % 64 != 0 || Instant::now() < end {
        let mut input = kept[random.below(kept.len())].clone();
        for _ in 0..1 + random.below(6) {
            bend(&mut input, &kept, &mut random);
        }
        input.truncate(BYTES_MAX);
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
/// When the target panics, takes longer than 20 s for one input, or 256 MiB for any (measured on Linux).
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
    let before = memory_peak();
    for part in inputs.iter().filter(|part| !part.is_empty()) {
        // The beginning of a file once, and then its end again and again: most formats have a head.
        let input: Vec<u8> = seeds[0].iter().chain(part.iter().cycle()).copied().take(LARGE_BYTES).collect();
        let began = Instant::now();
        feed(name, target, &input);
        let took = began.elapsed();
        let start = String::from_utf8_lossy(&part[..part.len().min(60)]).into_owned();
        assert!(took < LARGE_TIME_MAX, "{name} took {took:?} for a megabyte of {start:?}");
        let more = memory_peak().zip(before).map_or(0, |(now, before)| now.saturating_sub(before));
        assert!(more < LARGE_MEMORY_MAX, "{name} took {} MiB for a megabyte of {start:?}", more >> 20);
    }
    inputs.len()
}

/// The most memory that this process ever took, in bytes; `None` where the system does not tell.
fn memory_peak() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "panicked")]
    fn a_panic_is_found() {
        let fragile: Target = |bytes| assert!(!bytes.windows(2).any(|w| w == b"bb"), "two of them");
        run("fragile", fragile, &["abab"], 1, Duration::from_secs(5));
    }

    #[test]
    #[should_panic(expected = "MiB for a megabyte")]
    fn a_target_that_wastes_memory_is_found() {
        let wasteful: Target = |bytes| assert_eq!(bytes.repeat(300).len(), 300 * bytes.len());
        run_large("wasteful", wasteful, &[b"abc".to_vec()], 1);
    }

    #[test]
    fn a_sound_target_passes() {
        assert!(run_large("sound", |b| drop(b.to_vec()), &[b"abc".to_vec()], 1) > 5);
        assert!(run("sound", |b| drop(b.to_vec()), &["abc"], 1, Duration::from_millis(20)) > 100);
    }
}
