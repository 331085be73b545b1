//! ONNX both ways, against what ONNX Runtime answered (`tests/data/golden.py`).

use crate::running::lively;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tesuji_nn::{Activation, Architecture, Net, NetError, Pooling, Runner, Squash, Weights};

const RELU: &[u8] = include_bytes!("../data/dlshogi-relu.onnx");
const HALF: &[u8] = include_bytes!("../data/dlshogi-swish-half.onnx");

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Our nets, by the names of their golden files.
fn ours() -> Vec<(&'static str, Weights)> {
    let go = Architecture::for_any_size("go-1", 6, 9, 3, 20);
    let mut swish = Architecture::for_any_size("go-1", 3, 9, 1, 8);
    swish.activation = Activation::Swish;
    (swish.policy.bias_per_action, swish.value.squash, swish.score) = (true, Squash::Sigmoid, false);
    let mut shogi = Architecture::for_one_size("dlshogi-1", [62, 57], 27, 9, 2, 12);
    shogi.value.hidden = 6;
    vec![("our-go", lively(go, 11)), ("our-swish", lively(swish, 12)), ("our-shogi", lively(shogi, 13))]
}

/// Runs a net on the two boards of `golden.py` and compares with its file.
#[track_caller]
fn check(name: &str, weights: &Weights) {
    let net = &weights.architecture;
    let (height, width, batch) = (net.height, net.width, 2);
    let count = batch * net.planes * height * width;
    let planes: Vec<f32> = (0..count).map(|index| (index * 7919 % 13 == 0).into()).collect();
    let mut runner = Runner::new(Arc::new(Net::new(weights).unwrap()), height, width, batch).unwrap();
    let outputs = runner.run(&planes, batch);
    let value: Vec<f32> = match net.value.squash {
        Squash::Tanh => outputs.value.to_vec(),
        Squash::Sigmoid => outputs.value.iter().map(|value| (value + 1.0) / 2.0).collect(),
    };
    let text = std::fs::read_to_string(data(&format!("{name}.txt"))).unwrap();
    let mut compared = 0;
    for line in text.lines() {
        let (output, numbers) = line.split_once(' ').unwrap();
        let expected: Vec<f32> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        let found = match output {
            "output_policy" => outputs.policy,
            "output_value" => &value,
            "output_ownership" => outputs.ownership,
            "output_score" => outputs.score,
            other => panic!("{other}"),
        };
        assert_eq!(found.len(), expected.len(), "{name} {output}");
        // Half precision is rounded after every step there, and only in the file here.
        let bound = if name.ends_with("half") { 1e-2 } else { 1e-4 };
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let error = (found - expected).abs() / expected.abs().max(1.0);
            assert!(error <= bound, "{name} {output} {index}: {found}, ONNX Runtime {expected}");
        }
        compared += expected.len();
    }
    assert!(compared > 100, "{name}: {compared} numbers");
}

#[test]
fn golden_our_nets_answer_as_in_onnx_runtime() {
    for (name, weights) in ours() {
        if let Some(folder) = std::env::var_os("GOLDEN") {
            std::fs::write(Path::new(&folder).join(format!("{name}.onnx")), weights.to_onnx()).unwrap();
        } else {
            check(name, &weights);
        }
    }
}

#[test]
fn nets_of_dlshogis_shape_answer_as_in_onnx_runtime() {
    for (name, bytes, activation) in
        [("dlshogi-relu", RELU, Activation::Relu), ("dlshogi-swish-half", HALF, Activation::Swish)]
    {
        let weights = Weights::from_onnx(bytes, "dlshogi-1").unwrap();
        let net = &weights.architecture;
        assert_eq!((net.planes, net.channels, net.blocks, net.activation), (119, 5, 1, activation));
        assert_eq!((net.value.hidden, net.value.pool, net.policy.bias_per_action), (6, Pooling::Flat, true));
        check(name, &weights);
    }
}

#[test]
fn an_exported_net_of_shogi_comes_back_as_it_was() {
    let (_, weights) = ours().pop().unwrap();
    let mut again = Weights::from_onnx(&weights.to_onnx(), "dlshogi-1").unwrap();
    assert_eq!(again.origin.remove("features").as_deref(), Some("dlshogi-1"));
    assert_eq!(again, weights);
}

#[test]
fn what_is_no_net_of_that_shape_is_named() {
    let error = |bytes: &[u8]| Weights::from_onnx(bytes, "dlshogi-1").unwrap_err().to_string();
    let (_, go) = ours().swap_remove(0);
    assert_eq!(
        error(&go.to_onnx()),
        "this ONNX net is not understood: Concat `node.output_policy` where Conv was expected"
    );
    assert_eq!(error(b""), "not a network file: no ONNX model: it holds no graph");
    assert_eq!(
        error(b"hello world"),
        "not a network file: no ONNX model: a field of kind 4 (raw integers are read by the name of their shape)"
    );
    for length in (0..RELU.len()).step_by(997) {
        let error = Weights::from_onnx(&RELU[..length], "dlshogi-1").unwrap_err();
        assert!(matches!(error, NetError::Truncated(_) | NetError::Format(_)), "{length}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn foreign_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Weights::from_onnx(&bytes, "x");
    }

    #[test]
    fn changed_bytes_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        half in any::<bool>(),
    ) {
        let mut bytes = if half { HALF } else { RELU }.to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(weights) = Weights::from_onnx(&bytes, "x") {
            prop_assert!(Net::new(&weights).is_ok());
        }
    }
}
