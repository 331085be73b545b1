//! The likelihood of ratings, its hill climbed by Newton's method. Steps are solved by conjugate gradients, so that
//! thousands of players need no matrix; the covariance of few comes from a matrix.

use super::groups::Groups;
use super::{Given, Met};

/// Games of players who can all be compared within their groups.
pub(super) struct Problem<'a> {
    pub(super) players: usize,
    pub(super) met: &'a [Met],
    pub(super) has_draws: bool,
    /// Each may move as a whole without any change to the likelihood.
    pub(super) groups: &'a Groups,
    pub(super) given: Given,
}

/// The maximum-likelihood estimates, in natural units.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    /// Of each player; 0 on average in each group.
    pub(super) strength: Vec<f64>,
    pub(super) advantage: f64,
    /// The deviation of the advantage; `None` when it was not found but taken.
    pub(super) advantage_known: Option<f64>,
    pub(super) theta: f64,
    has_advantage: bool,
    has_theta: bool,
}

/// The logistic function.
pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The logarithm of the logistic function, without overflow.
fn ln_logistic(x: f64) -> f64 {
    if x > 0.0 { -(-x).exp().ln_1p() } else { x - x.exp().ln_1p() }
}

/// An advantage beyond this (in natural units, about 1,700 Elo) is one without end.
const ADVANTAGE_MAX: f64 = 10.0;
/// A slope for each game that is rounding and nothing else: what it asks for may be impossible.
const FLAT: f64 = 1e-13;
/// Steps of Newton's method; a dozen are usual.
const STEPS: usize = 200;

/// A pairing's contribution to the negative second derivatives of the log-likelihood.
struct Bends {
    x: f64,
    x_theta: f64,
    theta: f64,
}

impl Problem<'_> {
    /// The likeliest strengths. An advantage that the games do not tell (all won by the first side, or a player who
    /// always had it) is taken as 0. `None` when there are no games.
    pub(super) fn solve(&self) -> Option<Fit> {
        let groups = self.groups;
        let mut fit = self.highest()?;
        let mut sums = vec![0.0; groups.count()];
        fit.strength.iter().enumerate().for_each(|(i, s)| sums[groups.of[i]] += s);
        for (i, strength) in fit.strength.iter_mut().enumerate() {
            *strength -= sums[groups.of[i]] / groups.size(groups.of[i]) as f64;
        }
        Some(fit)
    }

    /// The likeliest strengths, each group wherever it came to lie.
    fn highest(&self) -> Option<Fit> {
        if self.met.is_empty() {
            return None;
        }
        if self.given.advantage.is_none()
            && let Some(mut fit) = self.climb(true)
        {
            let mut axis = vec![0.0; self.players + 2];
            axis[self.players] = 1.0;
            if let Some(column) = self.conjugate(&fit, &axis) {
                fit.advantage_known = Some(column[self.players].max(0.0).sqrt());
                return Some(fit);
            }
        }
        self.climb(false)
    }

    /// Climbs, with the advantage free or not. `None` when it leads nowhere.
    fn climb(&self, has_advantage: bool) -> Option<Fit> {
        let unit = |elo: f64| elo / super::ELO;
        let has_theta = self.has_draws && self.given.draw_elo.is_none();
        let theta = match self.given.draw_elo {
            Some(elo) => unit(elo),
            None if has_theta => 0.5,
            None => 0.0,
        };
        let advantage = self.given.advantage.map_or(0.0, unit);
        let strength = vec![0.0; self.players];
        let mut fit = Fit { strength, advantage, advantage_known: None, theta, has_advantage, has_theta };
        let mut height = self.likelihood(&fit);
        let games: f64 = self.met.iter().map(|m| counts(m).iter().sum::<f64>()).sum();
        for _ in 0..STEPS {
            let slope = self.slope(&fit);
            if slope.iter().all(|s| s.abs() <= FLAT * games) {
                return Some(fit);
            }
            let step = self.conjugate(&fit, &slope)?;
            let longest = step.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            if longest < 1e-11 {
                return Some(fit);
            }
            // Long steps leave the region where the hill looks like a parabola.
            let mut part = (2.0 / longest).min(1.0);
            loop {
                let next = fit.moved(&step, part);
                let found = self.likelihood(&next);
                if found >= height - 1e-12 * height.abs() {
                    (fit, height) = (next, found);
                    break;
                }
                part /= 2.0;
                if part < 1e-9 {
                    return Some(fit);
                }
            }
            if fit.advantage.abs() > ADVANTAGE_MAX && has_advantage {
                return None;
            }
        }
        (!has_advantage).then_some(fit)
    }

    fn difference(fit: &Fit, m: &Met) -> f64 {
        fit.strength[m.first] - fit.strength[m.second] + fit.advantage
    }

    /// The logarithm of the likelihood; minus infinity where draws are impossible.
    fn likelihood(&self, fit: &Fit) -> f64 {
        if fit.theta < 0.0 || (self.has_draws && fit.theta <= 0.0) {
            return f64::NEG_INFINITY;
        }
        let t = fit.theta;
        let of = |m: &Met| {
            let x = Self::difference(fit, m);
            let [w, d, l] = counts(m);
            let drawn = ln_logistic(x + t) + ln_logistic(t - x) + (-(-2.0 * t).exp_m1()).ln();
            w * ln_logistic(x - t) + l * ln_logistic(-x - t) + if d > 0.0 { d * drawn } else { 0.0 }
        };
        self.met.iter().map(of).sum()
    }

    /// Its slopes: by every strength, by the advantage, by θ.
    fn slope(&self, fit: &Fit) -> Vec<f64> {
        let n = self.players;
        let t = fit.theta;
        let mut slope = vec![0.0; n + 2];
        for m in self.met {
            let x = Self::difference(fit, m);
            let [w, d, l] = counts(m);
            let (up, down) = (w * logistic(t - x) + d * logistic(-x - t), (l * logistic(x + t), d * logistic(x - t)));
            let by_x = up - down.0 - down.1;
            slope[m.first] += by_x;
            slope[m.second] -= by_x;
            slope[n] += by_x;
            let drawn = if d > 0.0 { d * 2.0 / (2.0 * t).exp_m1() } else { 0.0 };
            slope[n + 1] +=
                -w * logistic(t - x) - l * logistic(x + t) + d * (logistic(-x - t) + logistic(x - t)) + drawn;
        }
        slope[n] *= f64::from(u8::from(fit.has_advantage));
        slope[n + 1] *= f64::from(u8::from(fit.has_theta));
        slope
    }

    /// The negative second derivatives of the log-likelihood of a pairing.
    fn bends(fit: &Fit, m: &Met) -> Bends {
        let (x, t) = (Self::difference(fit, m), fit.theta);
        let [w, d, l] = counts(m);
        let near = logistic(x - t) * logistic(t - x);
        let far = logistic(x + t) * logistic(-x - t);
        let drawn = if d > 0.0 { d / t.sinh().powi(2) } else { 0.0 };
        let (near, far) = ((w + d) * near, (l + d) * far);
        Bends { x: near + far, x_theta: far - near, theta: near + far + drawn }
    }

    /// Minus the second derivatives times a vector.
    fn bend(&self, fit: &Fit, bends: &[Bends], vector: &[f64]) -> Vec<f64> {
        let n = self.players;
        let (a, t) = (f64::from(u8::from(fit.has_advantage)), f64::from(u8::from(fit.has_theta)));
        let mut out = vec![0.0; n + 2];
        for (m, b) in self.met.iter().zip(bends) {
            let along = vector[m.first] - vector[m.second] + a * vector[n];
            let theta = t * vector[n + 1];
            let by_x = b.x * along + b.x_theta * theta;
            out[m.first] += by_x;
            out[m.second] -= by_x;
            out[n] += a * by_x;
            out[n + 1] += t * (b.x_theta * along + b.theta * theta);
        }
        // What is not free stays where it is.
        out[n] += (1.0 - a) * vector[n];
        out[n + 1] += (1.0 - t) * vector[n + 1];
        out
    }

    /// Solves "bends times x = `right`" by conjugate gradients (Hestenes and Stiefel, 1952), scaled by the diagonal.
    /// `None` when there is no solution.
    fn conjugate(&self, fit: &Fit, right: &[f64]) -> Option<Vec<f64>> {
        let n = self.players;
        let bends: Vec<Bends> = self.met.iter().map(|m| Self::bends(fit, m)).collect();
        let mut diagonal = vec![0.0; n + 2];
        for (m, b) in self.met.iter().zip(&bends) {
            diagonal[m.first] += b.x;
            diagonal[m.second] += b.x;
            diagonal[n] += b.x;
            diagonal[n + 1] += b.theta;
        }
        let free = [true, fit.has_advantage, fit.has_theta];
        let scaled = |i: usize| diagonal[i] > 0.0 && free[(i + 1).saturating_sub(n).min(2)];
        let scale: Vec<f64> = (0..n + 2).map(|i| if scaled(i) { 1.0 / diagonal[i] } else { 1.0 }).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut x = vec![0.0; n + 2];
        let mut rest = right.to_vec();
        self.center(&mut rest);
        let mut near: Vec<f64> = rest.iter().zip(&scale).map(|(r, s)| r * s).collect();
        let mut along = near.clone();
        let mut power = dot(&rest, &near);
        let target = power * 1e-24;
        for _ in 0..(10 * (n + 2)).min(20_000) {
            if power <= target || power <= 1e-300 {
                return Some(x);
            }
            let bent = self.bend(fit, &bends, &along);
            let curve = dot(&along, &bent);
            // A direction without bend: nothing tells how far to go.
            if curve <= 1e-13 * dot(&along, &along) * diagonal.iter().fold(0.0, |a: f64, b| a.max(*b)) {
                return (power <= target * 1e9).then_some(x);
            }
            let far = power / curve;
            for i in 0..n + 2 {
                x[i] += far * along[i];
                rest[i] -= far * bent[i];
            }
            self.center(&mut rest);
            near.iter_mut().zip(rest.iter().zip(&scale)).for_each(|(n, (r, s))| *n = r * s);
            let next = dot(&rest, &near);
            let keep = next / power;
            power = next;
            along.iter_mut().zip(&near).for_each(|(a, n)| *a = n + keep * *a);
        }
        (power <= target * 1e9).then_some(x)
    }

    /// Takes out what moves a whole group: rounding alone puts it there, and no step answers it.
    fn center(&self, vector: &mut [f64]) {
        let mut sums = vec![0.0; self.groups.count()];
        self.groups.of.iter().zip(&*vector).for_each(|(&group, value)| sums[group] += value);
        for (&group, value) in self.groups.of.iter().zip(vector) {
            *value -= sums[group] / self.groups.size(group) as f64;
        }
    }

    /// The negative second derivative of the log-likelihood by one player's strength, all others held.
    pub(super) fn curvature(&self, fit: &Fit, player: usize) -> f64 {
        self.met.iter().filter(|m| m.first == player || m.second == player).map(|m| Self::bends(fit, m).x).sum()
    }

    /// The covariance of the strengths around the means of their groups, row by row: the inverse of the bends.
    pub(super) fn covariance(&self, fit: &Fit) -> Option<Vec<f64>> {
        let groups = self.groups;
        let (n, size) = (self.players, self.players + 2);
        let bends: Vec<Bends> = self.met.iter().map(|m| Self::bends(fit, m)).collect();
        let mut matrix = vec![0.0; size * size];
        let mut unit = vec![0.0; size];
        for column in 0..size {
            unit[column] = 1.0;
            let bent = self.bend(fit, &bends, &unit);
            unit[column] = 0.0;
            (0..size).for_each(|row| matrix[row * size + column] = bent[row]);
        }
        // A group can move as a whole: held by a spring, whose part is taken out again below.
        for a in 0..n {
            for b in 0..n {
                if groups.of[a] == groups.of[b] {
                    matrix[a * size + b] += 1.0;
                }
            }
        }
        let inverse = inverse(matrix, size)?;
        let mut covariance = vec![0.0; n * n];
        for a in 0..n {
            for b in 0..n {
                let same = groups.of[a] == groups.of[b];
                let spring = if same { 1.0 / (groups.size(groups.of[a]) as f64).powi(2) } else { 0.0 };
                covariance[a * n + b] = inverse[a * size + b] - spring;
            }
        }
        Some(covariance)
    }
}

impl Fit {
    fn moved(&self, step: &[f64], part: f64) -> Fit {
        let n = self.strength.len();
        let mut next = self.clone();
        next.strength.iter_mut().zip(step).for_each(|(s, d)| *s += part * d);
        next.advantage += part * step[n];
        next.theta += part * step[n + 1];
        next
    }
}

/// Wins, draws and losses as numbers.
fn counts(m: &Met) -> [f64; 3] {
    [m.games.wins as f64, m.games.draws as f64, m.games.losses as f64]
}

/// The inverse of a symmetric positive matrix by Cholesky's factors; `None` where it is not positive.
fn inverse(mut l: Vec<f64>, n: usize) -> Option<Vec<f64>> {
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
            let value = l[i * n + j] - sum;
            if i == j {
                if value <= 1e-12 {
                    return None;
                }
                l[i * n + i] = value.sqrt();
            } else {
                l[i * n + j] = value / l[j * n + j];
            }
        }
    }
    let mut out = vec![0.0; n * n];
    let mut y = vec![0.0; n];
    for column in 0..n {
        for i in 0..n {
            let known: f64 = (column..i).map(|k| l[i * n + k] * y[k]).sum();
            let right = f64::from(u8::from(i == column));
            y[i] = if i < column { 0.0 } else { (right - known) / l[i * n + i] };
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| l[k * n + i] * out[k * n + column]).sum();
            out[i * n + column] = (y[i] - known) / l[i * n + i];
        }
    }
    Some(out)
}
