//! The one random number generator: xoshiro256** seeded by SplitMix64. Streams that are written into files never change with a library.

/// xoshiro256** (Blackman and Vigna, 2018). Same seed, same numbers, on every machine and in every version.
///
/// # Examples
///
/// ```
/// use tesuji_game::Random;
/// let (mut random, mut again) = (Random::new(7), Random::new(7));
/// assert_eq!(random.next_u64(), again.next_u64());
/// assert!(random.below(6) < 6 && (0.0..1.0).contains(&random.unit()));
/// let mut order = [0, 1, 2, 3, 4];
/// random.shuffle(&mut order);
/// order.sort_unstable();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// // Item 3 of a job has its own stream, whatever was drawn for the others.
/// assert_eq!(Random::for_item(7, 3), Random::for_item(7, 3));
/// assert_ne!(Random::for_item(7, 3), Random::for_item(7, 4));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// A stream for `seed`, expanded by SplitMix64 (Steele, Lea and Flood, 2014).
    pub const fn new(seed: u64) -> Random {
        let mut x = seed;
        let mut state = [0; 4];
        let mut i = 0;
        while i < 4 {
            x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
            state[i] = mix(x);
            i += 1;
        }
        Random { state }
    }

    /// A stream of its own for item `index` of a job seeded by `seed`: the same whatever thread does the work.
    pub const fn for_item(seed: u64, index: u64) -> Random {
        // Mixed twice, so that neighbouring seeds and numbers share no stream.
        Random::new(mix(seed ^ mix(index.wrapping_add(0x9E37_79B9_7F4A_7C15))))
    }

    /// The next 64 random bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `0..bound`, without bias (Lemire, 2019).
    ///
    /// # Panics
    /// When `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a bound of 0 leaves nothing to choose");
        let bound = bound as u64;
        loop {
            let wide = self.next_u64() as u128 * bound as u128;
            // 2^64 is seldom a multiple of the bound: the few values too many are drawn again.
            if wide as u64 >= bound.wrapping_neg() % bound {
                return (wide >> 64) as usize;
            }
        }
    }

    /// A number in `0.0..1.0` with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A normally distributed number with mean 0 and deviation 1 (Box and Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        // Above 0, whose logarithm is infinite.
        let u = 1.0 - self.unit();
        let v = self.unit();
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// Puts `items` into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// The output function of SplitMix64.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64 from 1234567 gives these numbers in its authors' reference implementation.
    #[test]
    fn splitmix_agrees_with_its_reference() {
        let r = Random::new(1234567);
        assert_eq!(r.state, [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]);
    }

    /// xoshiro256** from the state 1, 2, 3, 4: the published first outputs.
    #[test]
    fn xoshiro_agrees_with_its_reference() {
        let mut r = Random { state: [1, 2, 3, 4] };
        let first: Vec<u64> = (0..6).map(|_| r.next_u64()).collect();
        assert_eq!(first, [11520, 0, 1509978240, 1215971899390074240, 1216172134540287360, 607988272756665600]);
    }

    #[test]
    fn below_stays_below_and_reaches_all() {
        let mut r = Random::new(1);
        let mut seen = [0usize; 7];
        for _ in 0..7000 {
            seen[r.below(7)] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
    }
}
