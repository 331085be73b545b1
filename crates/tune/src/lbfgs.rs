//! L-BFGS (J. Nocedal, 1980): the whole training set's gradient, curvature from the last steps, bounds by projection.

use crate::{journal::Journal, objective::Objective};
use std::{collections::VecDeque, ops::ControlFlow};

/// Steps that are remembered.
const MEMORY: usize = 12;
/// The least share of what the slope promises that a step must keep (Armijo).
const KEEPS: f64 = 1e-4;
/// A step shorter than this share of the first try is none.
const SHORTEST: f64 = 1e-6;

/// A step and what it did to the gradient.
struct Past {
    step: Vec<f64>,
    turn: Vec<f64>,
    /// 1 / (step · turn).
    rho: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Minimises from `z` on, `iterations` at most, until `tell`, which hears the place and its training loss, breaks or
/// nothing gets better by `tolerance` (relative) any more. Returns the last place.
pub(crate) fn minimise(
    objective: &Objective,
    mut z: Vec<f64>,
    iterations: u32,
    tolerance: f64,
    tell: &mut dyn FnMut(&[f64], f64) -> ControlFlow<()>,
) -> Vec<f64> {
    objective.clamp(&mut z);
    let mut gradient = vec![0.0; z.len()];
    let mut value = objective.value_gradient(&z, &mut gradient)[0];
    let mut memory: VecDeque<Past> = VecDeque::new();
    let mut small = 0;
    for _ in 0..iterations {
        let mut direction = direction(&memory, &gradient);
        let mut slope = dot(&direction, &gradient);
        // Bounds and rounding can make a direction that climbs: what was learned about the curvature is wrong here.
        if slope >= 0.0 {
            memory.clear();
            direction = gradient.iter().map(|g| -g).collect();
            slope = dot(&direction, &gradient);
        }
        if slope == 0.0 {
            break;
        }
        // Without curvature: a first step of a tenth of a pawn in what matters most.
        let longest = direction.iter().fold(0.0f64, |most, d| most.max(d.abs()));
        let mut share = if memory.is_empty() { 0.1 / longest } else { 1.0 };
        let least = share * SHORTEST;
        let mut next_gradient = vec![0.0; z.len()];
        // Armijo's rule alone: a gradient costs a pass over all rows, and the memory leaves out pairs of wrong curvature anyway.
        let found = loop {
            let mut next: Vec<f64> = z.iter().zip(&direction).map(|(z, d)| z + share * d).collect();
            objective.clamp(&mut next);
            let [next_value, train_loss] = objective.value_gradient(&next, &mut next_gradient);
            if next_value <= value + KEEPS * share * slope {
                break Some((next, next_value, train_loss));
            }
            // The least of the parabola through both values and the slope.
            let least_of_parabola = -slope * share * share / (2.0 * (next_value - value - slope * share));
            // Neither hardly shorter nor nothing, whatever the parabola says.
            share = least_of_parabola.clamp(0.1 * share, 0.5 * share);
            if share < least {
                break None;
            }
        };
        let Some((next, next_value, train_loss)) = found else {
            if memory.is_empty() {
                break;
            }
            memory.clear();
            continue;
        };
        remember(&mut memory, [&z, &next], [&gradient, &next_gradient]);
        let gain = value - next_value;
        (z, value, gradient) = (next, next_value, next_gradient);
        if tell(&z, train_loss).is_break() {
            break;
        }
        small = if gain <= tolerance * value.abs() { small + 1 } else { 0 };
        // Three in a row: a single short step need not be the end.
        if small == 3 {
            break;
        }
    }
    z
}

/// Learns, telling `journal`.
pub(crate) fn learn(objective: &Objective, z: Vec<f64>, journal: &mut Journal) {
    let iterations = objective.settings.epochs;
    minimise(objective, z, iterations, 1e-7, &mut |z, loss| journal.epoch(objective, &objective.weights(z), loss));
}

fn remember(memory: &mut VecDeque<Past>, places: [&[f64]; 2], gradients: [&[f64]; 2]) {
    let minus = |[a, b]: [&[f64]; 2]| -> Vec<f64> { b.iter().zip(a).map(|(b, a)| b - a).collect() };
    let (step, turn) = (minus(places), minus(gradients));
    let along = dot(&step, &turn);
    // A pair without curvature would make the approximation indefinite.
    if along > 1e-12 * dot(&turn, &turn) {
        memory.push_back(Past { step, turn, rho: 1.0 / along });
        if memory.len() > MEMORY {
            memory.pop_front();
        }
    }
}

/// Against the gradient, bent by what was learned about the curvature (the two-loop recursion).
fn direction(memory: &VecDeque<Past>, gradient: &[f64]) -> Vec<f64> {
    let mut q = gradient.to_vec();
    let add = |q: &mut [f64], by: f64, v: &[f64]| q.iter_mut().zip(v).for_each(|(q, v)| *q += by * v);
    let mut alphas = Vec::with_capacity(memory.len());
    for past in memory.iter().rev() {
        // The two-loop recursion (Nocedal, 1980): the inverse curvature times the gradient, without the matrix.
        let alpha = past.rho * dot(&past.step, &q);
        add(&mut q, -alpha, &past.turn);
        alphas.push(alpha);
    }
    if let Some(last) = memory.back() {
        // The first guess of the inverse curvature has the scale of the last step (Nocedal and Wright, 7.20).
        let curvature = 1.0 / (last.rho * dot(&last.turn, &last.turn));
        q.iter_mut().for_each(|q| *q *= curvature);
    }
    for (past, alpha) in memory.iter().zip(alphas.iter().rev()) {
        let beta = past.rho * dot(&past.turn, &q);
        add(&mut q, alpha - beta, &past.step);
    }
    q.iter_mut().for_each(|q| *q = -*q);
    q
}
