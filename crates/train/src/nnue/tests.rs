//! Training as a whole: gradients against a plain reference in double precision and finite differences, the same bytes for every
//! instruction set, number of threads and interruption, and what is learned.

use super::inputs::tests::{INPUTS, LAYOUT, records, table};
use super::net::{Learner, SEGMENT};
use super::record::turned;
use super::settings::{NnueSettings, tests::settings};
use super::tail::{NnueSums, NnueTarget};
use super::tensor::NnueStep;
use super::*;
use crate::learn::Surroundings;
use std::path::Path;
use std::time::Duration;
use tesuji_game::FirstSide;
use tesuji_jobs::{Interrupt, Progress, Show};
use tesuji_nn::kernels::Isa;
use tesuji_nn::nnue::{Activation, Architecture, Base, Features, FloatWeights, Network, Quantisation};

/// Of a network that corrects an evaluation: what holds for it holds for one by itself, whose base is 0.
const TARGET: NnueTarget = NnueTarget { scale: 400.0, result_share: 0.3, power: 2.0, batch: 64.0, corrects: true };

fn architecture(activation: Activation, width: usize, hidden: &[usize], buckets: usize, frames: usize) -> Architecture {
    let input = if hidden.is_empty() || activation != Activation::Crelu { 255 } else { 127 };
    Architecture {
        name: "cells".into(),
        game: "cells".into(),
        width,
        activation,
        hidden: hidden.to_vec(),
        output_buckets: buckets,
        scale: 400,
        base: Base::None,
        features: Features { set: "cells".into(), inputs: INPUTS * frames, active_max: 40, king_buckets: vec![] },
        quantisation: Quantisation { input, ..Quantisation::default() },
    }
}

/// Shapes that between them have all that a network can have.
fn shapes() -> Vec<(Architecture, usize)> {
    let shape = |activation, width, hidden: &[usize], buckets, frames| {
        (architecture(activation, width, hidden, buckets, frames), frames)
    };
    vec![
        shape(Activation::Screlu, 32, &[], 1, 1),
        shape(Activation::Screlu, 48, &[], 8, 2),
        shape(Activation::Crelu, 64, &[], 1, 2),
        shape(Activation::Pairwise, 64, &[], 8, 1),
        shape(Activation::Crelu, 32, &[5, 7], 1, 1),
        shape(Activation::Screlu, 64, &[16], 8, 2),
        shape(Activation::Pairwise, 96, &[8, 32, 3], 8, 2),
    ]
}

/// Weights whose accumulators and layers are inside, at and beyond their bounds.
fn weights(architecture: &Architecture) -> FloatWeights {
    let mut weights = FloatWeights::random(architecture, 7);
    let mut random = tesuji_game::Random::new(8);
    let mut fill = |numbers: &mut [f32], scale: f64| numbers.fill_with(|| (random.normal() * scale) as f32);
    fill(&mut weights.bias, 0.3);
    fill(&mut weights.features, 0.15);
    for layer in weights.buckets.iter_mut().flatten() {
        fill(&mut layer.weights, 0.2);
        fill(&mut layer.bias, 0.2);
    }
    weights
}

/// Numbers of a network in double precision, as [`FloatWeights::tensors`] has them.
type Doubles = Vec<Vec<f64>>;

fn doubles(weights: &FloatWeights) -> Doubles {
    weights.tensors().iter().map(|(_, numbers)| numbers.iter().map(|&x| f64::from(x)).collect()).collect()
}

/// The loss of one position, with its gradient added to `gradient`: loops as in a textbook.
fn reference(a: &Architecture, w: &Doubles, record: &[u8], table: &InputTable, gradient: &mut Doubles) -> f64 {
    let facts = LAYOUT.facts(record);
    let [first, second] = table.active(record);
    let views = if facts.second_to_move { [second, first] } else { [first, second] };
    let bucket = usize::from(facts.bucket) % a.output_buckets;
    let (width, activated, layers) = (a.width, a.activated(), a.layers());
    let mut sums = [w[1].clone(), w[1].clone()];
    for (sums, view) in sums.iter_mut().zip(&views) {
        for &input in view {
            (0..width).for_each(|i| sums[i] += w[0][input as usize * width + i]);
        }
    }
    let clip = |x: f64| x.clamp(0.0, 1.0);
    let slope = |x: f64| f64::from(u8::from(x > 0.0 && x < 1.0));
    let value = |sums: &Vec<f64>, i: usize| match a.activation {
        Activation::Crelu => clip(sums[i]),
        Activation::Screlu => clip(sums[i]).powi(2),
        Activation::Pairwise => clip(sums[i]) * clip(sums[i + width / 2]),
    };
    let inputs: Vec<f64> = sums.iter().flat_map(|sums| (0..activated).map(move |i| value(sums, i))).collect();
    let at = |layer: usize| 2 + 2 * (bucket * layers.len() + layer);
    let (mut reached, mut raw) = (vec![inputs], Vec::new());
    for (layer, &(ins, outs)) in layers.iter().enumerate() {
        let (weights, bias) = (&w[at(layer)], &w[at(layer) + 1]);
        let here = reached.last().unwrap();
        let sum = |o: usize| bias[o] + (0..ins).map(|i| weights[o * ins + i] * here[i]).sum::<f64>();
        let sums: Vec<f64> = (0..outs).map(sum).collect();
        reached.push(sums.iter().map(|&x| clip(x)).collect());
        raw.push(sums);
    }
    let FirstSide(score) = facts.score;
    let own = f64::from(if facts.second_to_move { -score } else { score });
    let points = if facts.second_to_move { turned(facts.half_points) } else { facts.half_points };
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let FirstSide(base) = facts.base;
    let base = f64::from(if facts.second_to_move { -base } else { base });
    let expected = logistic(raw[layers.len() - 1][0] + base / f64::from(TARGET.scale));
    let of_score = logistic(own / f64::from(TARGET.scale));
    let share = if points == NO_RESULT { 0.0 } else { f64::from(TARGET.result_share) };
    let error = expected - ((1.0 - share) * of_score + share * f64::from(points) / 2.0);
    let mut up = vec![2.0 * error * expected * (1.0 - expected) / f64::from(TARGET.batch)];
    for (layer, &(ins, outs)) in layers.iter().enumerate().rev() {
        let mut below = vec![0.0; ins];
        for o in 0..outs {
            gradient[at(layer) + 1][o] += up[o];
            for i in 0..ins {
                gradient[at(layer)][o * ins + i] += up[o] * reached[layer][i];
                below[i] += up[o] * w[at(layer)][o * ins + i];
            }
        }
        if layer > 0 {
            (0..ins).for_each(|i| below[i] *= slope(raw[layer - 1][i]));
        }
        up = below;
    }
    for (half, (sums, view)) in sums.iter().zip(&views).enumerate() {
        for i in 0..width {
            let from = half * activated;
            let up = match a.activation {
                Activation::Crelu => up[from + i] * slope(sums[i]),
                Activation::Screlu => up[from + i] * 2.0 * clip(sums[i]) * slope(sums[i]),
                Activation::Pairwise => {
                    let pair = if i < width / 2 { i + width / 2 } else { i - width / 2 };
                    up[from + i % (width / 2)] * clip(sums[pair]) * slope(sums[i])
                }
            };
            gradient[1][i] += up;
            view.iter().for_each(|&input| gradient[0][input as usize * width + i] += up);
        }
    }
    error * error
}

fn reference_of(a: &Architecture, w: &Doubles, records: &[u8], table: &InputTable) -> (f64, Doubles) {
    let mut gradient: Doubles = w.iter().map(|numbers| vec![0.0; numbers.len()]).collect();
    let each = records.chunks_exact(LAYOUT.record_bytes());
    (each.map(|record| reference(a, w, record, table, &mut gradient)).sum(), gradient)
}

/// The gradient as a network has its numbers.
fn gradient_of(learner: &mut Learner) -> FloatWeights {
    learner.tensors_mut().for_each(|tensor| std::mem::swap(&mut tensor.values, &mut tensor.gradient));
    let weights = learner.weights();
    learner.tensors_mut().for_each(|tensor| std::mem::swap(&mut tensor.values, &mut tensor.gradient));
    weights
}

#[test]
fn gradients_equal_a_reference_in_double_precision() {
    for (architecture, frames) in shapes() {
        let (table, weights) = (table(frames), weights(&architecture));
        for (count, run) in [(64, 1), (64, 8), (SEGMENT + 64, 30)] {
            let records = records(count, run, 11);
            let mut learner = Learner::new(&architecture, &weights, Isa::best());
            let sums = learner.gradient(&table, &records, &[], &TARGET);
            let (loss, expected) = reference_of(&architecture, &doubles(&weights), &records, &table);
            assert!((sums.loss / loss - 1.0).abs() < 1e-5 && sums.positions == count as f64);
            let gradient = gradient_of(&mut learner);
            for ((name, found), expected) in gradient.tensors().into_iter().zip(&expected) {
                let size = expected.iter().fold(0.0f64, |size, x| size.max(x.abs()));
                let worst = found.iter().zip(expected).map(|(&x, y)| (f64::from(x) - y).abs()).fold(0.0, f64::max);
                assert!(worst <= 2e-6 && worst <= 3e-5 * size, "{name}: {worst} of {size}");
                assert!(size > 0.0 || name.starts_with("bucket"), "{name}");
            }
            for (at, record) in records.chunks_exact(LAYOUT.record_bytes()).enumerate().take(50) {
                let [first, second] = table.active(record);
                let facts = LAYOUT.facts(record);
                let (own, other) = if facts.second_to_move { (second, first) } else { (first, second) };
                let bucket = usize::from(facts.bucket) % architecture.output_buckets;
                let plain = weights.output(&architecture, &own, &other, bucket);
                let found = learner.outputs(&table, &records)[at];
                assert!((plain - found).abs() < 1e-5, "{plain} {found}");
            }
        }
    }
}

#[test]
fn the_reference_equals_finite_differences() {
    const STEP: f64 = 1e-6;
    for (architecture, frames) in shapes() {
        let (table, records) = (table(frames), records(30, 4, 5));
        let w = doubles(&weights(&architecture));
        let (_, gradient) = reference_of(&architecture, &w, &records, &table);
        let mut random = tesuji_game::Random::new(2);
        for (tensor, numbers) in w.iter().enumerate() {
            for _ in 0..12 {
                let at = random.below(numbers.len());
                let loss = |step: f64| {
                    let mut w = w.clone();
                    w[tensor][at] += step;
                    reference_of(&architecture, &w, &records, &table).0
                };
                let difference = (loss(STEP) - loss(-STEP)) / (2.0 * STEP) / f64::from(TARGET.batch);
                assert!((difference - gradient[tensor][at]).abs() < 1e-7, "{tensor} {at}: {difference}");
            }
        }
    }
}

#[test]
fn all_instruction_sets_give_the_same_bytes() {
    for (architecture, frames) in shapes() {
        let (table, weights, records) = (table(frames), weights(&architecture), records(1500, 8, 3));
        let mut outcomes = Vec::new();
        for with in [Isa::Scalar, Isa::Avx2, Isa::Avx512].into_iter().filter(|with| *with <= Isa::best()) {
            let mut learner = Learner::new(&architecture, &weights, with);
            let mut losses = Vec::new();
            for step in 0..4 {
                learner.round(step == 3);
                losses.push(learner.gradient(&table, &records, &[], &TARGET));
                learner.step(&NnueStep::new(0.01, 0.01, [0.9, 0.999], step + 1));
            }
            outcomes.push((learner.weights(), losses));
        }
        assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
    }
}

/// Runs in `folder`, to `until` steps or the end.
fn train(folder: &Path, settings: &NnueSettings, threads: usize, until: Option<u64>) -> NnueOutcome {
    let frames = settings.architecture.features.inputs / INPUTS;
    let positions = folder.join("a.positions");
    if !positions.exists() {
        super::positions::tests::write(&positions, 1000, 200);
    }
    let (checkpoint, log) = (folder.join("net.checkpoint"), folder.join("net.log"));
    let file = PositionsFile::open(&positions).unwrap();
    let run = NnueRun::begin(settings, table(frames), file, None, Some(&checkpoint)).unwrap();
    let (interrupt, progress) = (Interrupt::new(), Progress::start("training", "positions", None, Show::Quiet));
    let around = Surroundings {
        checkpoint: Some(&checkpoint),
        log: Some(&log),
        save_every: Duration::ZERO,
        threads,
        interrupt: &interrupt,
        progress: &progress,
        judges_start: true,
    };
    let Some(until) = until else { return run.learn(&around).unwrap() };
    std::thread::scope(|scope| {
        let learning = scope.spawn(|| run.learn(&around).unwrap());
        while progress.done() < until * settings.batch as u64 && !learning.is_finished() {
            std::thread::sleep(Duration::from_micros(200));
        }
        interrupt.raise();
        learning.join().unwrap()
    })
}

fn files(folder: &Path) -> [Vec<u8>; 2] {
    ["net.checkpoint", "net.log"].map(|name| std::fs::read(folder.join(name)).unwrap())
}

#[test]
fn training_learns_and_gives_the_same_bytes_for_any_number_of_threads() {
    for (architecture, _) in shapes() {
        let settings = settings(architecture.clone());
        let mut all = Vec::new();
        for threads in 1..=3 {
            let folder = tempfile::tempdir().unwrap();
            let outcome = train(folder.path(), &settings, threads, None);
            let (first, last) = (&outcome.log[0], outcome.log.last().unwrap());
            assert!(last.loss < 0.95 * first.loss && !outcome.stopped, "{} {}", first.loss, last.loss);
            assert_eq!((outcome.step, outcome.validation.as_ref()), (60, Some(last)));
            all.push((files(folder.path()), outcome.weights));
        }
        assert!(all.iter().all(|run| *run == all[0]), "{architecture:?}");
    }
}

#[test]
fn interrupted_runs_end_in_the_same_bytes() {
    let settings = NnueSettings { steps: 200, ..settings(architecture(Activation::Screlu, 32, &[4], 8, 2)) };
    let [undisturbed, stopped] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let whole = train(undisturbed.path(), &settings, 2, None);
    let mut stops = 0;
    for (round, until) in [3, 47, 110, 161, 170].into_iter().enumerate() {
        let outcome = train(stopped.path(), &settings, 1 + round % 3, Some(until));
        stops += usize::from(outcome.stopped);
        assert!(outcome.step >= until);
    }
    let gone_on = train(stopped.path(), &settings, 1, None);
    assert!(stops >= 2, "{stops}");
    assert!(files(undisturbed.path()) == files(stopped.path()));
    assert!(whole.weights == gone_on.weights && whole.log.len() == gone_on.log.len());
    // Other settings do not go on with it.
    let other = NnueSettings { rate: 0.5, ..settings };
    let file = PositionsFile::open(&stopped.path().join("a.positions")).unwrap();
    let checkpoint = stopped.path().join("net.checkpoint");
    let error = NnueRun::begin(&other, table(2), file, None, Some(&checkpoint)).err().unwrap().to_string();
    assert!(error.contains("a checkpoint of another run: rate: asked for 0.5"), "{error}");
}

/// The last stage rounds weights, so that integers lose nothing that is worth a centipawn.
#[test]
fn integers_value_positions_as_the_trained_net_does() {
    for (architecture, frames) in shapes() {
        let settings = settings(architecture.clone());
        let folder = tempfile::tempdir().unwrap();
        let outcome = train(folder.path(), &settings, 2, None);
        let network = Network::quantise(&architecture, &outcome.weights).unwrap();
        let (table, mut worst, mut sum) = (table(frames), 0.0f32, 0.0);
        let records = records(400, 3, 77);
        for record in records.chunks_exact(LAYOUT.record_bytes()) {
            let [first, second] = table.active(record);
            let bucket = usize::from(LAYOUT.facts(record).bucket) % architecture.output_buckets;
            let exact = outcome.weights.output(&architecture, &first, &second, bucket) * 400.0;
            let error = (network.value(&first, &second, bucket) as f32 - exact).abs();
            (worst, sum) = (worst.max(error), sum + error);
        }
        println!("{:?} {:?}: worst {worst}, mean {}", architecture.activation, architecture.hidden, sum / 400.0);
        let bounds = if architecture.hidden.is_empty() { (2.0, 1.0) } else { (30.0, 6.0) };
        assert!(worst < bounds.0 && sum / 400.0 < bounds.1, "{worst} {} {architecture:?}", sum / 400.0);
    }
}

#[test]
fn what_is_no_number_never_takes_the_place_of_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(architecture(Activation::Crelu, 32, &[], 1, 1));
    train(folder.path(), &settings, 1, Some(5));
    let before = files(folder.path())[0].clone();
    let mut table = table(1);
    let mut learner = Learner::new(&settings.architecture, &weights(&settings.architecture), Isa::best());
    learner.tail.tensors_mut().for_each(|tensor| tensor.values.fill(f32::NAN));
    assert!(!learner.is_finite());
    let sums: NnueSums = learner.gradient(&table, &records(10, 1, 1), &[], &TARGET);
    assert!(!sums.loss.is_finite());
    table = table.with_mirror((0..24).collect());
    let file = PositionsFile::open(&folder.path().join("a.positions")).unwrap();
    let checkpoint = folder.path().join("net.checkpoint");
    std::fs::write(&checkpoint, &before[..before.len() / 2]).unwrap();
    let error = NnueRun::begin(&settings, table, file, None, Some(&checkpoint)).err().unwrap().to_string();
    assert!(error.contains("net.checkpoint: a truncated checkpoint"), "{error}");
}
