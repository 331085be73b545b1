//! Files of nets: round trips, broken ones, averages.

use crate::running::lively;
use proptest::prelude::*;
use tesuji_nn::{Architecture, Tensor, Weights};

fn small() -> Weights {
    let mut weights = lively(Architecture::for_any_size("go-1", 2, 3, 1, 4), 5);
    weights.origin.insert("command".into(), "tesuji train go --out \"x\"".into());
    weights
}

/// The error of the file that `change` makes of a good net.
#[track_caller]
fn check(change: impl FnOnce(&mut Weights), expected: &str) {
    let mut weights = small();
    change(&mut weights);
    assert_eq!(weights.check().unwrap_err().to_string(), expected);
}

#[test]
fn a_net_comes_back_as_it_was_written() {
    let weights = small();
    let bytes = weights.write();
    assert_eq!(Weights::read(&bytes).unwrap(), weights);
    assert_eq!(Weights::read(&bytes).unwrap().write(), bytes);
}

#[test]
fn what_is_wrong_with_a_net_is_named() {
    let name = "policy.bias";
    check(|net| drop(net.tensors.remove(name)), "tensor `policy.bias` is missing");
    check(
        |net| drop(net.tensors.insert("extra".into(), Tensor::filled(&[1], 0.0))),
        "tensor `extra` is unknown to this architecture",
    );
    check(
        |net| drop(net.tensors.insert(name.into(), Tensor::filled(&[2, 3], 0.0))),
        "tensor `policy.bias` has shape [2, 3], expected [1]",
    );
    check(
        |net| net.tensors.get_mut(name).unwrap().data[0] = f32::NAN,
        "tensor `policy.bias` holds a number that is not finite",
    );
    check(|net| net.architecture.stem[0].kernel = 5, "the architecture is wrong: stem 0 has kernel 5, expected 1 or 3");
}

#[test]
fn every_shortened_file_is_refused() {
    let bytes = small().write();
    for length in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        let error = Weights::read(&bytes[..length]).unwrap_err().to_string();
        assert!(error.starts_with("the file is truncated") || length <= 8, "{length}: {error}");
    }
    assert_eq!(
        Weights::read(b"PK\x03\x04 a zip").unwrap_err().to_string(),
        "not a network file: expected .nnue, or .safetensors, whose header begins with `{` at byte 8"
    );
}

#[test]
fn an_average_lies_between() {
    let (a, mut b) = (small(), small());
    for tensor in b.tensors.values_mut() {
        tensor.data.iter_mut().for_each(|number| *number += 4.0);
    }
    let mean = Weights::average(&[(&a, 3.0), (&b, 1.0)]).unwrap();
    for (name, tensor) in &mean.tensors {
        for (number, before) in tensor.data.iter().zip(a.numbers(name)) {
            assert!((number - before - 1.0).abs() < 1e-5, "{name}");
        }
    }
    let other = Weights::random(Architecture::for_any_size("go-1", 2, 3, 1, 5), 1);
    let error = Weights::average(&[(&a, 1.0), (&other, 1.0)]).unwrap_err();
    assert_eq!(error.to_string(), "nets cannot be averaged: net 2 has another architecture than net 1");
    assert!(Weights::average(&[]).is_err() && Weights::average(&[(&a, 0.0)]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn foreign_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Weights::read(&bytes);
        let mut framed = (bytes.len() as u64).to_le_bytes().to_vec();
        framed.push(b'{');
        framed.extend(bytes);
        let _ = Weights::read(&framed);
    }

    #[test]
    fn a_flipped_byte_never_panics(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = small().write();
        let at = at.index(bytes.len().min(3500));
        bytes[at] = byte;
        if let Ok(weights) = Weights::read(&bytes) {
            prop_assert!(weights.check().is_ok());
        }
    }
}
