//! SPSA (J. Spall, 1992): numbers of a search tuned by games alone. All are changed at once, at random, up on one side
//! of a match and down on the other, and go a little towards the winner.

use tesuji_game::Random;

/// A number that is tuned.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The option's name.
    pub name: String,
    /// The start value.
    pub start: f64,
    /// The least and the greatest value.
    pub bounds: [f64; 2],
    /// Perturbation of the value in the last iterations: about what makes a few Elo.
    pub step: f64,
    /// Whether it can only be played with as a whole number.
    pub whole: bool,
}

impl Parameter {
    /// A value as the option takes it: whole, or to a ten-thousandth of its range.
    pub fn text(&self, value: f64) -> String {
        if self.whole {
            return format!("{value:.0}");
        }
        let range = self.bounds[1] - self.bounds[0];
        // Four digits of the range, which is more than games can tell.
        let digits = (4.0 - range.log10()).ceil().clamp(0.0, 9.0) as usize;
        format!("{value:.digits$}")
    }

    /// A value between two that the option takes, where it is whole with a digit more.
    pub fn text_between(&self, value: f64) -> String {
        if self.whole { format!("{value:.1}") } else { self.text(value) }
    }
}

/// Learning rate at the end, in squared steps, as in fishtest.
pub const SPSA_RATE: f64 = 0.002;

/// A tuning on its way. Everything follows from the options, the seed and the results told, so that a run is resumed by telling
/// its results again.
///
/// # Examples
/// ```
/// use tesuji_tune::{Parameter, Spsa};
/// let option = Parameter { name: "Margin".into(), start: 50.0, bounds: [0.0, 100.0], step: 5.0, whole: true };
/// let mut spsa = Spsa::new(vec![option], 100, 0.02, 7);
/// while let Some([up, down]) = spsa.next() {
///     // Anyone who is nearer to 70 wins.
///     let better = (up[0] - 70.0).abs() < (down[0] - 70.0).abs();
///     spsa.tell(if better { 1.0 } else { -1.0 });
/// }
/// assert!(spsa.values()[0] > 55.0);
/// ```
#[derive(Debug, Clone)]
pub struct Spsa {
    parameters: Vec<Parameter>,
    values: Vec<f64>,
    iterations: u32,
    rate: f64,
    seed: u64,
    /// Results told.
    done: u32,
}

impl Spsa {
    /// The exponents by which steps and rates shrink, as Spall recommends.
    const SHRINK: [f64; 2] = [0.602, 0.101];

    /// `iterations` of them from the start of each option; `rate` as [`SPSA_RATE`].
    pub fn new(parameters: Vec<Parameter>, iterations: u32, rate: f64, seed: u64) -> Spsa {
        let values = parameters.iter().map(|k| k.start).collect();
        Spsa { parameters, values, iterations, rate, seed, done: 0 }
    }

    /// The options.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The numbers so far.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Results told so far.
    pub fn done(&self) -> u32 {
        self.done
    }

    /// The perturbation of option `i` in this iteration, and the step size by which a result counts.
    fn pace(&self, i: usize) -> [f64; 2] {
        let [alpha, gamma] = Self::SHRINK;
        let (all, now) = (f64::from(self.iterations), f64::from(self.done + 1));
        // A tenth of all iterations, as J. Spall advises (1998): the first steps are not wild, the last not tiny.
        let stability = 0.1 * all;
        let step = self.parameters[i].step * (all / now).powf(gamma);
        let rate = self.rate * self.parameters[i].step.powi(2) * ((stability + all) / (stability + now)).powf(alpha);
        [step, rate / (step * step)]
    }

    /// The directions and the dice of this iteration.
    fn dice(&self) -> Vec<[f64; 2]> {
        // By the number of the iteration, so that a tuning that goes on draws the same.
        let mut random = Random::for_item(self.seed ^ 0x5B5A, u64::from(self.done));
        self.parameters.iter().map(|_| [if random.below(2) == 0 { 1.0 } else { -1.0 }, random.unit()]).collect()
    }

    /// The numbers with which both sides of the next match play; `None` when all iterations are done. Fractions of whole
    /// numbers are rounded up as often as they say.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&self) -> Option<[Vec<f64>; 2]> {
        let open = self.done < self.iterations;
        open.then(|| {
            let side = |sign: f64| {
                let value = |(i, [direction, dice]): (usize, [f64; 2])| {
                    let [low, high] = self.parameters[i].bounds;
                    let value = (self.values[i] + sign * direction * self.pace(i)[0]).clamp(low, high);
                    if self.parameters[i].whole { (value + dice).floor().min(high) } else { value }
                };
                // Both sides draw the same numbers, so that rounding moves them alike.
                self.dice().into_iter().enumerate().map(value).collect()
            };
            [side(1.0), side(-1.0)]
        })
    }

    /// Takes the result of the match: games won less games lost by the first side.
    pub fn tell(&mut self, ahead: f64) {
        let dice = self.dice();
        let moves: Vec<f64> = (dice.iter().enumerate())
            .map(|(i, [direction, _])| {
                let [step, rate] = self.pace(i);
                rate * step * ahead * direction
            })
            .collect();
        for ((value, by), parameter) in self.values.iter_mut().zip(moves).zip(&self.parameters) {
            *value = (*value + by).clamp(parameter.bounds[0], parameter.bounds[1]);
        }
        self.done += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(start: f64, bounds: [f64; 2], step: f64) -> Parameter {
        Parameter { name: "k".into(), start, bounds, step, whole: true }
    }

    /// Matches whose result is a coin that strength makes uneven: the peak is at (300, 12).
    #[test]
    fn the_peak_of_a_noisy_hill_is_found() {
        let mut spsa =
            Spsa::new(vec![parameter(200.0, [0.0, 1000.0], 30.0), parameter(20.0, [0.0, 40.0], 3.0)], 4000, 0.01, 3);
        let elo = |v: &[f64]| -> f64 { -((v[0] - 300.0) / 30.0).powi(2) * 4.0 - ((v[1] - 12.0) / 3.0).powi(2) * 4.0 };
        let mut random = Random::new(5);
        while let Some([up, down]) = spsa.next() {
            let mut ahead = 0.0;
            for _ in 0..8 {
                let chance = 1.0 / (1.0 + 10f64.powf((elo(&down) - elo(&up)) / 400.0));
                ahead += if random.unit() < chance { 1.0 } else { -1.0 };
            }
            spsa.tell(ahead);
        }
        let [a, b] = [spsa.values()[0], spsa.values()[1]];
        assert!((a - 300.0).abs() < 40.0 && (b - 12.0).abs() < 4.0, "{a} {b}");
    }

    #[test]
    fn results_told_again_give_the_same_and_bounds_hold() {
        let new = || Spsa::new(vec![parameter(9.5, [0.0, 10.0], 2.0)], 50, 0.5, 1);
        let (mut one, mut other) = (new(), new());
        for i in 0..50 {
            let [up, down] = one.next().unwrap();
            for value in [up[0], down[0]] {
                assert!((0.0..=10.0).contains(&value) && value.fract() == 0.0, "{up:?} {down:?}");
            }
            one.tell(f64::from(i % 3) - 1.0);
        }
        assert_eq!((one.next(), one.done()), (None, 50));
        (0..50).for_each(|i| other.tell(f64::from(i % 3) - 1.0));
        assert_eq!(one.values(), other.values());
    }

    #[test]
    fn fractions_are_played_as_they_are() {
        let spsa = Spsa::new(vec![Parameter { whole: false, ..parameter(0.5, [0.0, 1.0], 0.125) }], 1, 0.5, 1);
        let [up, down] = spsa.next().unwrap();
        assert_eq!((up[0] + down[0], (up[0] - down[0]).abs()), (1.0, 0.25));
    }
}
