//! Runners against the definition, on boards and nets of all kinds.

use crate::reference::{Said, evaluate};
use std::sync::Arc;
use tesuji_game::Random;
use tesuji_nn::{Activation, Architecture, Net, NetError, Runner, Weights};

/// Random weights whose batch norms do something.
pub fn lively(architecture: Architecture, seed: u64) -> Weights {
    let mut weights = Weights::random(architecture, seed);
    let mut random = Random::new(seed ^ 0x5eed);
    for (name, tensor) in &mut weights.tensors {
        for number in &mut tensor.data {
            if name.ends_with("gamma") || name.ends_with("variance") {
                *number = 0.3 + random.unit() as f32;
            } else if !name.ends_with("weight") {
                *number = random.normal() as f32 * 0.3;
            }
        }
    }
    weights
}

/// Planes of zeros, ones and some fractions.
pub fn planes(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| [0.0, 0.0, 1.0, random.normal() as f32][random.below(4)]).collect()
}

#[track_caller]
fn close(what: &str, found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (f64::from(*found) - expected).abs();
        assert!(error <= 1e-4 * expected.abs().max(1.0), "{what} {index}: {found}, expected {expected}");
    }
}

#[track_caller]
fn check(architecture: Architecture, height: usize, width: usize, batch: usize) {
    let weights = lively(architecture, 7);
    let net = &weights.architecture;
    let input = planes(batch * net.planes * height * width, 3);
    let mut runner = Runner::new(Arc::new(Net::new(&weights).unwrap()), height, width, batch + 1).unwrap();
    runner.run(&planes(input.len(), 4), batch);
    let outputs = runner.run(&input, batch);
    let actions = net.actions(height, width);
    for (index, planes) in input.chunks(net.planes * height * width).enumerate() {
        let Said { policy, value, ownership, score } = evaluate(&weights, planes, height, width);
        close("policy", &outputs.policy[index * actions..][..actions], &policy);
        close("value", &outputs.value[index..=index], &[value]);
        let area = ownership.len();
        close("ownership", &outputs.ownership[index * area..][..area], &ownership);
        if let Some(score) = score {
            close("score", &outputs.score[index..=index], &[score]);
        }
    }
    assert_eq!(outputs.score.len(), if net.score { batch } else { 0 });
}

#[test]
fn a_go_net_answers_as_defined_on_any_board() {
    let net = Architecture::for_any_size("go-1", 11, 9, 3, 24);
    for (height, width, batch) in [(9, 9, 3), (5, 7, 2), (1, 1, 1), (13, 13, 1)] {
        check(net.clone(), height, width, batch);
    }
}

#[test]
fn a_net_of_dlshogis_shape_answers_as_defined() {
    check(Architecture::for_one_size("dlshogi-1", [62, 57], 27, 9, 2, 20), 9, 9, 2);
}

#[test]
fn swish_and_wide_nets_answer_as_defined() {
    let mut net = Architecture::for_any_size("go-1", 3, 5, 1, 80);
    net.activation = Activation::Swish;
    check(net, 5, 5, 4);
}

#[test]
fn a_position_is_answered_alike_in_every_batch() {
    let weights = lively(Architecture::for_any_size("go-1", 5, 9, 2, 16), 1);
    let net = Arc::new(Net::new(&weights).unwrap());
    let (input, batch) = (planes(70 * 5 * 81, 9), 70);
    let mut many = Runner::new(net.clone(), 9, 9, batch).unwrap();
    let mut one = Runner::new(net, 9, 9, 1).unwrap();
    let all = many.run(&input, batch);
    for index in 0..batch {
        let alone = one.run(&input[index * 5 * 81..][..5 * 81], 1);
        assert_eq!(alone.policy, &all.policy[index * 82..][..82]);
        assert_eq!((alone.value[0], alone.score[0]), (all.value[index], all.score[index]));
    }
}

#[test]
fn a_board_or_encoding_that_does_not_fit_is_refused() {
    let shogi = Architecture::for_one_size("dlshogi-1", [62, 57], 27, 9, 1, 16);
    let net = Arc::new(Net::new(&Weights::random(shogi.clone(), 1)).unwrap());
    let error = Runner::new(net, 19, 19, 1).unwrap_err();
    assert_eq!(error.to_string(), "the net is for boards of 9x9, not 19x19");
    let error = shogi.expect_features("dlshogi-2", 119).unwrap_err();
    let text = "the net reads features `dlshogi-1 (119 planes)`, the engine writes `dlshogi-2 (119 planes)`";
    assert_eq!(error.to_string(), text);
    assert!(shogi.expect_features("dlshogi-1", 119).is_ok());
    for (planes, size, blocks, channels) in [(4, 9, 6, 0), (4, 9, 999, 64), (0, 9, 1, 1), (4, 99, 1, 1)] {
        let error = Architecture::for_any_size("go-1", planes, size, blocks, channels).check().unwrap_err();
        assert!(matches!(error, NetError::Architecture(_)), "{error}");
    }
}

#[test]
fn all_instructions_give_one_answer() {
    use tesuji_nn::kernels::Isa;
    let weights = lively(Architecture::for_any_size("go-1", 9, 19, 4, 64), 2);
    let net = Arc::new(Net::new(&weights).unwrap());
    let input = planes(2 * 9 * 361, 5);
    let answers = |isa: Isa| {
        let mut runner = Runner::new(net.clone(), 19, 19, 2).unwrap().on(isa);
        let outputs = runner.run(&input, 2);
        [outputs.policy, outputs.value, outputs.ownership, outputs.score].concat()
    };
    let plain: Vec<f64> = answers(Isa::Scalar).into_iter().map(f64::from).collect();
    for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|&isa| isa <= Isa::best()) {
        close(&format!("{isa:?}"), &answers(isa), &plain);
    }
}
