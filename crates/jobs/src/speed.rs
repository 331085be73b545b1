//! The speed of this machine for what engines do, so that clocks of timed games can be longer on slow machines.

use std::{hint::black_box, sync::OnceLock, time::Duration};
use tesuji_system::thread_processor_time;

/// Words of the table that the measurement walks through: 1 MiB, as much as a core's own cache.
const TABLE: usize = 1 << 17;
/// Steps of one measurement.
const STEPS: u32 = 1 << 20;
/// Measurements, the fastest of which counts: whatever disturbs makes them slower.
const TRIES: u32 = 7;
/// Nanoseconds of processor time for a step at speed 1: a core of an Intel Xeon at 2.1 GHz that other virtual machines share.
const REFERENCE_NS: f64 = 8.0;

/// The speed of one core of this machine, measured once in a process (some 60 ms): 1 is a core of a server of 2020, 2 is twice as fast.
///
/// Only the ratio of two machines means anything: a game whose clock is 10 s where the speed is 1 takes 5 s where it is 2.
pub fn speed() -> f64 {
    static SPEED: OnceLock<f64> = OnceLock::new();
    *SPEED.get_or_init(|| {
        let mut table = vec![0_u64; TABLE];
        let fastest = (0..TRIES).map(|_| measure(&mut table)).min().unwrap_or_default();
        let step_ns = fastest.as_nanos() as f64 / f64::from(STEPS);
        if step_ns > 0.0 { REFERENCE_NS / step_ns } else { 1.0 }
    })
}

/// The processor time of [`STEPS`] steps: multiplications, look-ups that depend on each other, branches that nobody predicts.
fn measure(table: &mut [u64]) -> Duration {
    let began = thread_processor_time();
    let mut key = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..STEPS {
        key = key.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let place = (key >> 40) as usize % TABLE;
        let found = table[place];
        key ^= if found & 1 == 0 { found.rotate_left(17) } else { found.count_ones().into() };
        table[place] = key;
    }
    black_box(key);
    thread_processor_time().saturating_sub(began)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_speed_is_one_number_for_the_process() {
        let speed = super::speed();
        assert!(speed > 0.001 && speed < 1_000.0, "{speed}");
        assert_eq!(speed, super::speed());
    }
}
