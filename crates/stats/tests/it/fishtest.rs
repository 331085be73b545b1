//! Fishtest's figures from its published formulas, solved another way than the room does: likelihoods are maximised
//! over the distribution itself (Newton on Lagrange's conditions), the normal distribution is integrated.

use tesuji_stats::{Games, Model, Pairs, Sprt};

const TRINOMIAL: [[u64; 3]; 6] = [
    [35032, 29453, 35515],
    [1723, 1337, 1940],
    [36027, 68692, 36433],
    [3278, 6686, 3456],
    [2, 3, 5],
    [1700, 1800, 1500],
];
const PENTANOMIAL: [[u64; 5]; 6] = [
    [379, 10170, 21828, 10640, 343],
    [127, 4883, 10712, 5150, 104],
    [72, 2370, 5021, 2466, 87],
    [223, 9863, 21279, 10037, 246],
    [0, 0, 10, 20, 5],
    [50, 200, 500, 200, 50],
];

/// Gauss's elimination with pivots; the last column is the right side.
fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs())).unwrap();
        rows.swap(i, pivot);
        for k in i + 1..n {
            let by = rows[k][i] / rows[i][i];
            let above = rows[i].clone();
            rows[k].iter_mut().zip(above).skip(i).for_each(|(x, a)| *x -= by * a);
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][n] - known) / rows[i][i];
    }
    x
}

/// What the mean of a distribution is bound to.
#[derive(Clone, Copy)]
enum Bound {
    /// A score.
    Score(f64),
    /// One half and this many deviations.
    Deviations(f64),
}

/// The value of a bound's equation at `p`, its slopes and its bends.
fn equation(bound: Bound, a: &[f64], p: &[f64]) -> (f64, Vec<f64>, Vec<Vec<f64>>) {
    let k = a.len();
    let mean: f64 = a.iter().zip(p).map(|(a, p)| a * p).sum();
    match bound {
        Bound::Score(s) => (mean - s, a.to_vec(), vec![vec![0.0; k]; k]),
        Bound::Deviations(t) => {
            let v = a.iter().zip(p).map(|(a, p)| a * a * p).sum::<f64>() - mean * mean;
            let sigma = v.sqrt();
            let slope: Vec<f64> = a.iter().map(|a| a * a - 2.0 * mean * a).collect();
            let g = a.iter().zip(&slope).map(|(a, v)| a - t * v / (2.0 * sigma)).collect();
            let bend = |i: usize, j: usize| {
                -t * (-2.0 * a[i] * a[j] / (2.0 * sigma) - slope[i] * slope[j] / (4.0 * sigma.powi(3)))
            };
            (mean - 0.5 - t * sigma, g, (0..k).map(|i| (0..k).map(|j| bend(i, j)).collect()).collect())
        }
    }
}

/// The distribution under `bound` that makes the shares `found` likeliest.
fn likeliest(found: &[f64], bound: Bound) -> Vec<f64> {
    let k = found.len();
    let a: Vec<f64> = (0..k).map(|i| i as f64 / (k - 1) as f64).collect();
    let (mut p, mut lambda, mut nu) = (found.to_vec(), 1.0, 0.0);
    for _ in 0..200 {
        let (g, slope, bend) = equation(bound, &a, &p);
        let mut rows = Vec::new();
        for i in 0..k {
            let mut row: Vec<f64> = (0..k).map(|j| -nu * bend[i][j]).collect();
            row[i] -= found[i] / (p[i] * p[i]);
            row.extend([-1.0, -slope[i], -(found[i] / p[i] - lambda - nu * slope[i])]);
            rows.push(row);
        }
        let total: f64 = p.iter().sum();
        rows.push((0..k).map(|_| 1.0).chain([0.0, 0.0, 1.0 - total]).collect());
        rows.push(slope.iter().copied().chain([0.0, 0.0, -g]).collect());
        let step = solve(rows);
        // No share may lose more than half of itself at once.
        let most = (0..k).map(|i| -step[i] / p[i]).fold(0.0, f64::max);
        let part = if most > 0.5 { 0.5 / most } else { 1.0 };
        (0..k).for_each(|i| p[i] += part * step[i]);
        lambda += part * step[k];
        nu += part * step[k + 1];
        if step.iter().take(k).all(|s| s.abs() < 1e-15) {
            break;
        }
    }
    p
}

/// The log-likelihood ratio of two bounds.
fn ratio(counts: &[u64], bounds: [Bound; 2]) -> f64 {
    let counts: Vec<f64> = counts.iter().map(|&c| if c == 0 { 1e-3 } else { c as f64 }).collect();
    let n: f64 = counts.iter().sum();
    let found: Vec<f64> = counts.iter().map(|c| c / n).collect();
    let [p0, p1] = bounds.map(|bound| likeliest(&found, bound));
    counts.iter().zip(p0).zip(p1).map(|((c, p0), p1)| c * (p1 / p0).ln()).sum()
}

fn score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[test]
fn logistic_ratios_are_exact() {
    let sprt = Sprt { model: Model::Logistic, ..Sprt::new(0.0, 5.0) };
    let bounds = [0.0, 5.0].map(|elo| Bound::Score(score(elo)));
    for counts in TRINOMIAL {
        let [losses, draws, wins] = counts;
        let (ours, exact) = (sprt.llr_games(&Games::new(wins, draws, losses)), ratio(&counts, bounds));
        assert!((ours - exact).abs() < 1e-6, "{counts:?}: {ours} {exact}");
    }
    for counts in PENTANOMIAL {
        let (ours, exact) = (sprt.llr_pairs(&Pairs(counts)), ratio(&counts, bounds));
        assert!((ours - exact).abs() < 1e-6, "{counts:?}: {ours} {exact}");
    }
}

#[test]
fn normalised_ratios_are_exact() {
    for (elo0, elo1) in [(0.0, 5.0), (-3.0, 1.0), (0.5, 2.5)] {
        let sprt = Sprt::new(elo0, elo1);
        let t = [elo0, elo1].map(|elo| elo / (800.0 / 10f64.ln()));
        for counts in TRINOMIAL {
            let [losses, draws, wins] = counts;
            let ours = sprt.llr_games(&Games::new(wins, draws, losses));
            let exact = ratio(&counts, t.map(Bound::Deviations));
            assert!((ours - exact).abs() < 1e-6, "{counts:?}: {ours} {exact}");
        }
        for counts in PENTANOMIAL {
            let ours = sprt.llr_pairs(&Pairs(counts));
            let exact = ratio(&counts, t.map(|t| Bound::Deviations(t * 2f64.sqrt())));
            assert!((ours - exact).abs() < 1e-6, "{counts:?}: {ours} {exact}");
        }
    }
}

/// The normal distribution function by Simpson's rule.
fn normal(z: f64) -> f64 {
    const STEPS: i32 = 2000;
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let h = z / f64::from(STEPS);
    let inner: f64 = (1..STEPS).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * density(f64::from(i) * h)).sum();
    0.5 + h / 3.0 * (density(0.0) + inner + density(z))
}

/// Elo, its ends, normalised Elo and LOS as fishtest's pages define them.
#[test]
fn elo_and_los_are_fishtest_s() {
    let elo = |s: f64| -400.0 * (1.0 / s - 1.0).log10();
    for counts in PENTANOMIAL {
        let n: f64 = counts.iter().sum::<u64>() as f64;
        let mean = counts.iter().enumerate().map(|(i, &c)| i as f64 / 4.0 * c as f64).sum::<f64>() / n;
        let var = counts.iter().enumerate().map(|(i, &c)| (i as f64 / 4.0 - mean).powi(2) * c as f64).sum::<f64>() / n;
        let (pairs, half) = (Pairs(counts), 1.959963984540054 * (var / n).sqrt());
        let ours = pairs.elo().unwrap();
        for (ours, exact) in [(ours.low, mean - half), (ours.value, mean), (ours.high, mean + half)] {
            assert!((ours - elo(exact)).abs() < 1e-6, "{counts:?}");
        }
        let nelo = (mean - 0.5) / (2.0 * var).sqrt() * 800.0 / 10f64.ln();
        assert!((pairs.normalised_elo().unwrap().value - nelo).abs() < 1e-6, "{counts:?}");
        assert!((pairs.los().unwrap() - normal((mean - 0.5) / (var / n).sqrt())).abs() < 1e-6, "{counts:?}");
    }
}
