//! Nets on a card against the same nets on the processor: outputs, gradients, a run of training, a net at play.
#![allow(unsafe_code, reason = "a card that is played by the processor")]

mod host;
mod nnue;
#[cfg(feature = "card")]
mod real;

use host::Host;
use std::sync::Arc;
use tesuji_cuda::device::{Device, DeviceError, Product};
use tesuji_cuda::{CardNet, Cuda};
use tesuji_game::Random;
use tesuji_nn::{Activation, Architecture, Net, Runner, Service, Weights};
use tesuji_train::backend::Backend;
use tesuji_train::cpu::Cpu;
use tesuji_train::loss::{LossSettings, losses};
use tesuji_train::net::{Raw, Wired};
use tesuji_train::parameters::{ParameterKind, Parameters};
use tesuji_train::sample::Sample;

/// How near a device comes to the processor.
#[derive(Debug, Clone, Copy)]
pub enum Near {
    /// Every number, as a part of the largest; gradients four times as much.
    Each(f32),
    /// The mean square of the differences, as a part of the mean square: with factors of ten bits a slope or the place of a maximum may be
    /// another here and there.
    Mean(f32),
}

/// What TensorFloat-32 may change.
pub const TENSOR_ALLOWED: Near = Near::Mean(0.02);

/// Nets with every kind of head and layer: channels that come in fours and others, ReLU and Swish, both ways to pool.
pub fn architectures() -> Vec<Architecture> {
    let mut go = Architecture::for_any_size("test-1", 5, 5, 2, 12);
    (go.activation, go.value.planes, go.value.hidden) = (Activation::Swish, 3, 8);
    let mut odd = Architecture::for_any_size("test-1", 6, 7, 1, 9);
    (odd.ownership, odd.score) = (false, false);
    let mut shogi = Architecture::for_one_size("test-1", [62, 4], 27, 9, 2, 8);
    (shogi.height, shogi.width, shogi.value.hidden) = (4, 3, 10);
    vec![go, odd, shogi]
}

/// A batch of samples made of noise.
pub fn samples(architecture: &Architecture, batch: usize) -> Vec<Sample> {
    let mut random = Random::new(9);
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

/// Numbers for a net in which every tensor does something.
pub fn numbers(architecture: &Architecture) -> Vec<f32> {
    let layout = Parameters::new(architecture);
    let mut row = layout.row(&Weights::random(architecture.clone(), 5));
    let mut random = Random::new(1);
    for (range, kind) in layout.kinds() {
        if *kind != ParameterKind::Weight {
            row[range.clone()].iter_mut().for_each(|x| *x += 0.3 * (random.normal() as f32).abs());
        }
    }
    row
}

/// All samples' planes in one row.
pub fn planes(samples: &[Sample]) -> Vec<f32> {
    samples.iter().flat_map(|sample| sample.planes.iter().copied()).collect()
}

/// What a device makes of a net: raw outputs in play and in training, and the gradient.
pub fn run<B: Backend>(architecture: &Architecture, backend: B, batch: usize) -> (Raw, Raw, Vec<f32>) {
    let (samples, row) = (samples(architecture, batch), numbers(architecture));
    let mut net = Wired::new(architecture, backend);
    let (mut play, mut raw, mut slopes, mut gradient) = (Raw::default(), Raw::default(), Raw::default(), Vec::new());
    // A larger batch first: nothing of it may be left in the smaller one.
    net.forward(&row, &planes(&samples), batch, false, &mut play);
    net.forward(&row, &planes(&samples[..batch - 2]), batch - 2, true, &mut raw);
    losses(architecture, &LossSettings::default(), &raw, &samples[..batch - 2], &mut slopes);
    net.backward(&slopes, &mut gradient);
    assert_eq!(net.trouble(), None);
    (play, raw, gradient)
}

/// Asserts that two rows of numbers are the same but for rounding.
pub fn close(what: &str, a: &[f32], b: &[f32], allowed: f32) {
    assert_eq!(a.len(), b.len(), "{what}");
    let scale = a.iter().fold(1e-3f32, |most, x| most.max(x.abs()));
    for (n, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= allowed * scale, "{what}, number {n}: {x} and {y}, the largest is {scale}");
    }
}

/// Asserts that two rows of numbers are as near as they should be, `many` times as far where they are gradients.
fn near(what: &str, a: &[f32], b: &[f32], near: Near, many: f32) {
    match near {
        Near::Each(allowed) => close(what, a, b, many * allowed),
        Near::Mean(allowed) => {
            assert_eq!(a.len(), b.len(), "{what}");
            let square = |numbers: &mut dyn Iterator<Item = f32>| numbers.map(|x| f64::from(x * x)).sum::<f64>().sqrt();
            let (size, error) = (square(&mut a.iter().copied()), square(&mut a.iter().zip(b).map(|(x, y)| x - y)));
            assert!(error <= f64::from(many * allowed) * size.max(1e-3), "{what}: {error} of {size}");
        }
    }
}

/// Compares a device with the processor on all nets.
pub fn agrees<B: Backend>(backend: impl Fn(usize) -> B, allowed: Near) {
    for architecture in architectures() {
        let batch = 7;
        let (play, raw, gradient) = run(&architecture, Cpu::new(2, batch).unwrap(), batch);
        let (card_play, card_raw, card_gradient) = run(&architecture, backend(batch), batch);
        for (what, a, b) in [("in play", &play, &card_play), ("in training", &raw, &card_raw)] {
            near(&format!("policy {what}"), &a.policy, &b.policy, allowed, 1.0);
            near(&format!("value {what}"), &a.value, &b.value, allowed, 1.0);
            near(&format!("ownership {what}"), &a.ownership, &b.ownership, allowed, 1.0);
            near(&format!("score {what}"), &a.score, &b.score, allowed, 1.0);
        }
        for (name, _) in architecture.tensors() {
            let range = Parameters::new(&architecture).range(&name);
            near(&format!("gradient of {name}"), &gradient[range.clone()], &card_gradient[range], allowed, 4.0);
        }
    }
}

#[test]
fn kernels_on_a_processor_agree_with_the_processor() {
    for grid in [(1, 1), (3, 2), (2, 64)] {
        let host = |batch| Cuda::new(Host { grid, ..Host::default() }, batch).unwrap();
        agrees(host, Near::Each(2e-5));
    }
}

/// What a card's products in TensorFloat-32 may cost: the bound of the comparison with a real card.
#[test]
fn factors_of_ten_bits_stay_near() {
    agrees(|batch| Cuda::new(Host { is_tensor: true, ..Host::default() }, batch).unwrap(), TENSOR_ALLOWED);
}

#[test]
fn batches_in_pieces_are_the_same() {
    // Neighbourhoods of two elements of a batch of seven at a time, and of single ones.
    for gather_max in [2 * 12 * 9 * 25, 1] {
        agrees(|batch| Cuda::new(Host::default(), batch).unwrap().gathering(gather_max), Near::Each(2e-5));
    }
}

#[test]
fn a_net_on_a_card_plays_as_on_the_processor() {
    for architecture in architectures() {
        let weights =
            Parameters::new(&architecture).net(&architecture, Default::default(), &numbers(&architecture)).unwrap();
        let net = Arc::new(Net::new(&weights).unwrap());
        let card = CardNet::new(&weights, || Ok::<_, DeviceError>(Host::default())).unwrap();
        let mut sizes = vec![(architecture.height, architecture.width)];
        if net.architecture().expect_board(4, 6).is_ok() {
            sizes.push((4, 6));
        }
        for (height, width) in sizes {
            let mut random = Random::new(3);
            let planes: Vec<f32> =
                (0..5 * architecture.planes * height * width).map(|_| random.normal() as f32).collect();
            let mut runner = Runner::new(net.clone(), height, width, 5).unwrap();
            let mut session = card.session(height, width, 5).unwrap();
            let (here, there) = (runner.run(&planes, 5), session.run(&planes, 5).unwrap());
            close("policy", here.policy, there.policy, 1e-4);
            close("value", here.value, there.value, 1e-4);
            close("ownership", here.ownership, there.ownership, 1e-4);
            close("score", here.score, there.score, 1e-4);
        }
        assert!(card.session(99, 99, 1).is_err());
    }
}

#[test]
fn a_card_without_room_says_so() {
    let architecture = &architectures()[0];
    let small = || Host { room: std::cell::Cell::new(20_000), ..Host::default() };
    let mut net = Wired::new(architecture, Cuda::new(small(), 64).unwrap());
    assert_eq!(net.trouble().as_deref(), Some("no room"));
    let samples = samples(architecture, 64);
    net.forward(&numbers(architecture), &planes(&samples), 64, false, &mut Raw::default());
    assert_eq!(net.trouble().as_deref(), Some("no room"));
    let weights = Weights::random(architecture.clone(), 1);
    let card = CardNet::new(&weights, move || Ok::<_, DeviceError>(small())).unwrap();
    let refused = card.session(architecture.height, architecture.width, 64).err().expect("no session");
    assert!(refused.to_string().ends_with("no room"), "{refused}");
}

#[test]
fn products_are_those_of_the_definition() {
    let host = Host::default();
    let [rows, columns, depth] = [3, 4, 5];
    let value = |n: usize| (n as f32 * 0.37).sin();
    let buffer = |len: usize| {
        let buffer = host.allocate(len).unwrap();
        host.upload(&(0..len).map(value).collect::<Vec<_>>(), &buffer).unwrap();
        buffer
    };
    let (a, b) = (buffer(rows * depth), buffer(columns * depth));
    for product in [Product::ByRows, Product::ByColumns, Product::Plain] {
        let c = buffer(rows * columns);
        let at = tesuji_cuda::device::At(&c, 0);
        let (first, second) = (tesuji_cuda::device::At(&a, 0), tesuji_cuda::device::At(&b, 0));
        host.multiply(product, [rows, columns, depth], first, second, at, true).unwrap();
        let mut found = vec![0.0; rows * columns];
        host.download(&c, &mut found).unwrap();
        for row in 0..rows {
            for column in 0..columns {
                let sum: f32 = (0..depth)
                    .map(|d| match product {
                        Product::ByRows => value(row * depth + d) * value(column * depth + d),
                        Product::ByColumns => value(d * rows + row) * value(d * columns + column),
                        Product::Plain => value(row * depth + d) * value(d * columns + column),
                    })
                    .sum();
                let wanted = value(row * columns + column) + sum;
                assert!((found[row * columns + column] - wanted).abs() < 1e-5, "{product:?} {row} {column}");
            }
        }
    }
}
