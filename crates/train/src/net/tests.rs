//! Whole nets against finite differences, and against inference.

use super::*;
use crate::cpu::Cpu;
use crate::loss::{LossSettings, losses};
use crate::sample::Sample;
use std::sync::Arc;
use tesuji_game::Random;
use tesuji_nn::{Net, Runner, Weights, kernels::Isa};

/// A batch of samples made of noise.
fn samples(architecture: &Architecture, batch: usize, random: &mut Random) -> Vec<Sample> {
    let points = architecture.height * architecture.width;
    let actions = architecture.actions(architecture.height, architecture.width);
    let mut unit = move || random.normal() as f32;
    (0..batch)
        .map(|n| Sample {
            planes: (0..architecture.planes * points).map(|_| unit()).collect(),
            policy: vec![((n * 7 % actions) as u16, 0.7), (((n * 5 + 3) % actions) as u16, 0.3)],
            value: if n % 2 == 0 { 1.0 } else { -0.5 },
            value_weight: if n == 1 { 0.5 } else { 1.0 },
            ownership: if n == 2 { Vec::new() } else { (0..points).map(|_| unit().clamp(-1.0, 1.0)).collect() },
            score: (n != 1).then(|| 10.0 * unit()),
        })
        .collect()
}

/// The nets that are checked: go's with every head, and one of dlshogi's shape.
fn architectures() -> Vec<Architecture> {
    let mut go = Architecture::for_any_size("test-1", 5, 5, 2, 18);
    go.activation = tesuji_nn::Activation::Swish;
    go.value.planes = 3;
    go.value.hidden = 8;
    let mut shogi = Architecture::for_one_size("test-1", [62, 4], 27, 9, 1, 7);
    (shogi.height, shogi.width, shogi.value.hidden) = (4, 3, 10);
    let mut bent = shogi.clone();
    shogi.activation = tesuji_nn::Activation::Swish;
    bent.blocks = 2;
    vec![go, shogi, bent]
}

/// All samples' planes in one row.
fn planes(samples: &[Sample]) -> Vec<f32> {
    samples.iter().flat_map(|sample| sample.planes.iter().copied()).collect()
}

#[test]
fn gradients_are_finite_differences() {
    let (mut checked, mut bends) = (0, 0);
    for (which, architecture) in architectures().into_iter().enumerate() {
        for value_entropy in [false, true] {
            let settings = LossSettings { value_entropy, ..LossSettings::default() };
            let mut random = Random::new(7);
            let batch = 3;
            let samples = samples(&architecture, batch, &mut random);
            let planes = planes(&samples);
            let layout = Parameters::new(&architecture);
            let mut row = layout.row(&Weights::random(architecture.clone(), 3));
            // Norms and biases that do something.
            for (range, kind) in layout.kinds() {
                if *kind == crate::parameters::ParameterKind::Free {
                    row[range.clone()].iter_mut().for_each(|x| *x += 0.2 * random.normal() as f32);
                }
            }
            let mut net = Wired::new(&architecture, Cpu::new(2, batch).unwrap());
            let (mut raw, mut slopes, mut gradient) = (Raw::default(), Raw::default(), Vec::new());
            net.forward(&row, &planes, batch, true, &mut raw);
            losses(&architecture, &settings, &raw, &samples, &mut slopes);
            net.backward(&slopes, &mut gradient);
            let mut unused = Raw::default();
            let mut loss = |row: &[f32]| {
                net.forward(row, &planes, batch, true, &mut raw);
                losses(&architecture, &settings, &raw, &samples, &mut unused).total / batch as f64
            };
            for (name, _) in architecture.tensors() {
                if name.ends_with("mean") || name.ends_with("variance") {
                    continue;
                }
                // Along a random direction within the tensor: every number of it takes part.
                let range = layout.range(&name);
                let direction: Vec<f32> = range.clone().map(|_| random.normal() as f32).collect();
                let length = direction.iter().map(|x| x * x).sum::<f32>().sqrt();
                let step = if architecture.activation == tesuji_nn::Activation::Swish { 1e-2 } else { 4e-3 } / length;
                let mut moved = |by: f32| {
                    let mut row = row.clone();
                    add(&mut row[range.clone()], &direction, by);
                    loss(&row)
                };
                let mut measure = |step: f32| (moved(step) - moved(-step)) / f64::from(2.0 * step);
                let measured = measure(step);
                let said: f64 = gradient[range.clone()].iter().zip(&direction).map(|(g, d)| f64::from(g * d)).sum();
                let size: f32 = gradient[range.clone()].iter().map(|x| x * x).sum::<f32>().sqrt();
                let allowed = 0.02 * said.abs()
                    + 0.01 * f64::from(size * length) / f64::from(length).sqrt()
                    + 2e-5 * f64::from(length);
                // Where half the step measures something else, a bend of a ReLU lies within it.
                if (measured - measure(step / 2.0)).abs() > allowed / 2.0 {
                    bends += 1;
                    assert!(architecture.activation == tesuji_nn::Activation::Relu, "{which} {name} is not smooth");
                    continue;
                }
                checked += 1;
                assert!(
                    (measured - said).abs() < allowed,
                    "{which} {name}: {said}, measured {measured}, allowed {allowed}"
                );
            }
        }
    }
    assert!(bends * 4 < checked, "{bends} tensors at bends, {checked} checked");
}

#[test]
fn threads_and_instructions_change_nothing_but_rounding() {
    let architecture = architectures().remove(0);
    let batch = 37;
    let samples = samples(&architecture, batch, &mut Random::new(9));
    let row = Parameters::new(&architecture).row(&Weights::random(architecture.clone(), 5));
    let run = |cpu: Cpu| {
        let mut net = Wired::new(&architecture, cpu);
        let (mut raw, mut slopes, mut gradient) = (Raw::default(), Raw::default(), Vec::new());
        net.forward(&row, &planes(&samples), batch, true, &mut raw);
        losses(&architecture, &LossSettings::default(), &raw, &samples, &mut slopes);
        net.backward(&slopes, &mut gradient);
        gradient
    };
    let one = run(Cpu::new(1, batch).unwrap());
    assert_eq!(one, run(Cpu::new(3, batch + 5).unwrap()), "threads change the numbers");
    let largest = one.iter().fold(0.0f32, |max, x| max.max(x.abs()));
    assert!(largest > 0.01);
    for with in [Isa::Scalar, Isa::Avx2, Isa::Avx512].into_iter().filter(|&isa| isa <= Isa::best()) {
        for (a, b) in one.iter().zip(run(Cpu::with(with, 2, batch).unwrap())) {
            assert!((a - b).abs() < 1e-4 * largest.max(1.0), "{with:?}: {a} and {b}");
        }
    }
}

#[test]
fn a_trained_net_says_the_same_in_inference() {
    for architecture in architectures() {
        let batch = 5;
        let samples = samples(&architecture, batch, &mut Random::new(11));
        let layout = Parameters::new(&architecture);
        let mut row = layout.row(&Weights::random(architecture.clone(), 2));
        let mut random = Random::new(1);
        for (range, kind) in layout.kinds() {
            if *kind != crate::parameters::ParameterKind::Weight {
                row[range.clone()].iter_mut().for_each(|x| *x += 0.3 * (random.normal() as f32).abs());
            }
        }
        let mut net = Wired::new(&architecture, Cpu::new(2, batch).unwrap());
        let mut raw = Raw::default();
        net.forward(&row, &planes(&samples), batch, false, &mut raw);
        let weights = layout.net(&architecture, Default::default(), &row).unwrap();
        let ready = Arc::new(Net::new(&weights).unwrap());
        let mut runner = Runner::new(ready, architecture.height, architecture.width, batch).unwrap();
        let out = runner.run(&planes(&samples), batch);
        let close = |what: &str, said: &[f32], other: Vec<f32>| {
            assert_eq!(said.len(), other.len());
            said.iter()
                .zip(&other)
                .for_each(|(a, b)| assert!((a - b).abs() < 2e-4 * (1.0 + a.abs()), "{what}: {a} and {b}"));
        };
        close("policy", out.policy, raw.policy.clone());
        let squash = architecture.value.squash;
        close("value", out.value, raw.value.iter().map(|&x| crate::loss::squashed(squash, x)).collect());
        close("ownership", out.ownership, raw.ownership.iter().map(|x| x.tanh()).collect());
        close("score", out.score, raw.score.clone());
    }
}
