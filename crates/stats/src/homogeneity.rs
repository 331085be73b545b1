//! Whether several counts come from one source: the chi-square test of homogeneity, and Fisher's exact test of a rare event.

use statrs::function::{factorial::ln_binomial, gamma::gamma_ur};

/// How far two rows of counts are from one source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Homogeneity {
    /// Pearson's statistic.
    pub chi_square: f64,
    /// Its degrees of freedom: categories with enough results, less one.
    pub freedom: u32,
    /// The chance that two samples of one source differ so much, or more.
    pub p: f64,
    /// The size of the difference, whatever the number of results: the root of the first row's part of the statistic per result. 0: none.
    pub effect: f64,
}

/// The chance that a chi-square variable with this many degrees of freedom is `statistic` or more.
///
/// # Examples
/// ```
/// // The 5 % point of one degree of freedom.
/// assert!((tesuji_stats::chi_square_tail(3.841_458_820_694_124, 1) - 0.05).abs() < 1e-12);
/// ```
pub fn chi_square_tail(statistic: f64, freedom: u32) -> f64 {
    if statistic <= 0.0 || freedom == 0 {
        return 1.0;
    }
    gamma_ur(f64::from(freedom) / 2.0, statistic / 2.0).clamp(0.0, 1.0)
}

/// Compares two rows of counts over the same categories, whose order says which are neighbours. Categories with fewer than `expected_min`
/// expected results in a row are joined with their neighbours first: with few of them the chi-square distribution is no good approximation.
/// 5 are enough for usual levels (Cochran, "Some methods for strengthening the common chi-square tests", 1954). Far tails need more: at a
/// level of 1e-6, an `expected_min` of 5 has ten times as many false alarms as it should, one of 20 three times as many at most (exact
/// binomial distribution, 40 to 200 results). `None`: too few results to tell anything.
///
/// # Examples
/// ```
/// use tesuji_stats::homogeneity;
/// let same = homogeneity(&[10, 40, 100, 40, 10], &[100, 400, 1000, 400, 100], 5.0).unwrap();
/// assert!(same.p > 0.999 && same.effect < 1e-9);
/// let other = homogeneity(&[60, 40, 60, 30, 10], &[100, 400, 1000, 400, 100], 5.0).unwrap();
/// assert!(other.p < 1e-12 && other.effect > 0.5);
/// assert_eq!(homogeneity(&[1, 0, 2, 0, 1], &[3, 3, 3, 3, 3], 5.0), None);
/// ```
pub fn homogeneity<const N: usize>(one: &[u64; N], other: &[u64; N], expected_min: f64) -> Option<Homogeneity> {
    let sum = |row: &[u64; N]| row.iter().sum::<u64>() as f64;
    let (ones, others) = (sum(one), sum(other));
    if ones == 0.0 || others == 0.0 {
        return None;
    }
    let share = ones.min(others) / (ones + others);
    let mut categories: Vec<[f64; 2]> = Vec::new();
    let mut open = [0.0; 2];
    for (a, b) in one.iter().zip(other) {
        open = [open[0] + *a as f64, open[1] + *b as f64];
        if (open[0] + open[1]) * share >= expected_min {
            categories.push(std::mem::take(&mut open));
        }
    }
    // What is left at the end is too little for a category of its own.
    if let Some(last) = categories.last_mut() {
        *last = [last[0] + open[0], last[1] + open[1]];
    }
    if categories.len() < 2 {
        return None;
    }
    let (mut chi_square, mut of_first) = (0.0, 0.0);
    for [a, b] in &categories {
        for (row, (count, total)) in [(a, ones), (b, others)].into_iter().enumerate() {
            let expected = (a + b) * total / (ones + others);
            let part = (count - expected).powi(2) / expected;
            chi_square += part;
            of_first += if row == 0 { part } else { 0.0 };
        }
    }
    let freedom = categories.len() as u32 - 1;
    let p = chi_square_tail(chi_square, freedom);
    Some(Homogeneity { chi_square, freedom, p, effect: (of_first / ones).sqrt() })
}

/// The chance that `events` or more of all events fall on `trials` of all trials where all are alike (Fisher's exact test, one side).
/// `all`: events and trials of both together.
///
/// # Examples
/// ```
/// // Five losses on time in 20 games, one in 380 others.
/// let p = tesuji_stats::more_often((5, 20), (6, 400));
/// assert!(p < 1e-5);
/// assert_eq!(tesuji_stats::more_often((0, 20), (6, 400)), 1.0);
/// ```
pub fn more_often((events, trials): (u64, u64), (all_events, all_trials): (u64, u64)) -> f64 {
    if events == 0 || all_events > all_trials || trials > all_trials {
        return 1.0;
    }
    let most = all_events.min(trials);
    let whole = ln_binomial(all_trials, trials);
    let chance = |k: u64| {
        if trials - k > all_trials - all_events {
            return 0.0;
        }
        (ln_binomial(all_events, k) + ln_binomial(all_trials - all_events, trials - k) - whole).exp()
    };
    (events..=most).map(chance).sum::<f64>().clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Uniform;

    const SCIPY_TAILS: [(f64, u32, f64); 5] = [
        (3.5, 1, 0.061_368_829_139_402_3),
        (9.2, 2, 0.010_051_835_744_633_584),
        (12.0, 4, 0.017_351_265_236_664_51),
        (40.0, 4, 4.328_422_607_120_966e-08),
        (100.0, 8, 4.269_159_205_144_943e-18),
    ];

    const SCIPY_TABLES: [([u64; 5], [u64; 5], f64, f64); 3] = [
        ([8, 30, 80, 40, 9], [50, 320, 900, 350, 70], 3.849_591_601_604_629_4, 0.426_743_932_964_249_95),
        ([20, 30, 60, 30, 20], [60, 300, 900, 310, 55], 62.694_224_213_286_72, 7.869_691_396_106_622e-13),
        ([15, 40, 80, 50, 12], [16, 38, 90, 44, 15], 1.298_379_602_063_878_7, 0.861_650_396_240_991_3),
    ];

    const SCIPY_EVENTS: [([u64; 4], f64); 4] = [
        ([5, 20, 6, 400], 1.082_452_750_287_187_7e-06),
        ([3, 100, 20, 1000], 0.322_776_012_368_434_06),
        ([12, 60, 15, 5000], 1.232_389_267_075_224e-21),
        ([2, 40, 2, 400], 0.009_774_436_090_225_564),
    ];

    /// Figures of SciPy 1.17: `scipy.stats.chi2.sf`.
    #[test]
    fn tails_are_those_of_scipy() {
        for (statistic, freedom, expected) in SCIPY_TAILS {
            let found = chi_square_tail(statistic, freedom);
            assert!((found / expected - 1.0).abs() < 1e-9, "{statistic} {freedom}: {found}, expected {expected}");
        }
        assert_eq!((chi_square_tail(0.0, 4), chi_square_tail(5.0, 0)), (1.0, 1.0));
    }

    /// Figures of SciPy 1.17: `scipy.stats.chi2_contingency(table, correction=False)`.
    #[test]
    fn tables_are_judged_as_by_scipy() {
        for (one, other, chi_square, p) in SCIPY_TABLES {
            let found = homogeneity(&one, &other, 5.0).expect("enough results");
            assert!((found.chi_square / chi_square - 1.0).abs() < 1e-9, "{found:?}, expected {chi_square}");
            assert!((found.p / p - 1.0).abs() < 1e-9, "{found:?}, expected {p}");
            assert_eq!(found.freedom, 4);
        }
    }

    /// Figures of SciPy 1.17: `scipy.stats.fisher_exact(table, alternative="greater")`.
    #[test]
    fn rare_events_are_judged_as_by_scipy() {
        for ([events, trials, all_events, all_trials], expected) in SCIPY_EVENTS {
            let found = more_often((events, trials), (all_events, all_trials));
            assert!((found / expected - 1.0).abs() < 1e-8, "{events} of {trials}: {found}, expected {expected}");
        }
        assert_eq!(more_often((3, 10), (3, 10)), 1.0);
    }

    #[test]
    fn rare_categories_are_joined() {
        let joined = homogeneity(&[1, 1, 30, 20, 1], &[8, 10, 300, 200, 2], 5.0).expect("two categories are left");
        assert_eq!(joined.freedom, 1);
        let by_hand = homogeneity(&[32, 21], &[318, 202], 5.0).expect("enough");
        assert_eq!(joined, by_hand);
        assert_eq!(homogeneity(&[0, 0, 0, 0, 0], &[5, 5, 5, 5, 5], 5.0), None);
    }

    /// Samples of one source are seldom called different: as often as the level says, or less.
    #[test]
    fn one_source_is_called_two_as_seldom_as_the_level_says() {
        let mut random = Uniform(7);
        let mut draw = |count: u32| {
            let mut row = [0_u64; 5];
            (0..count).for_each(|_| {
                let score: f64 = random.normal();
                row[(2.0 + score).round().clamp(0.0, 4.0) as usize] += 1;
            });
            row
        };
        let rounds = 4_000;
        let wrong =
            (0..rounds).filter(|_| homogeneity(&draw(40), &draw(400), 5.0).is_some_and(|found| found.p < 0.01)).count();
        // 40 are expected, with a deviation of 6.3.
        assert!((15..70).contains(&wrong), "{wrong} of {rounds}");
    }
}
