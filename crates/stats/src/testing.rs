//! Helpers shared by the tests of this crate: a small generator of random numbers.

use statrs::distribution::{ContinuousCDF, Normal};

/// A small linear congruential generator: tests need no better one.
pub(crate) struct Uniform(pub(crate) u64);

impl Uniform {
    /// A number in 0..1.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Its numbers, as those who are tested ask for them.
    pub(crate) fn closure(mut self) -> impl FnMut() -> f64 {
        move || self.next()
    }

    /// A standard normal number.
    pub(crate) fn normal(&mut self) -> f64 {
        Normal::standard().inverse_cdf(self.next().clamp(1e-9, 1.0 - 1e-9))
    }
}
