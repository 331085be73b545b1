//! A real card against the processor, and the kernels through CUDA's compiler. Where there is none, the tests say so and end.

use crate::{Near, TENSOR_ALLOWED, agrees, architectures, nnue, numbers};
use std::sync::Arc;
use tesuji_cuda::card::{Card, compile};
use tesuji_cuda::device::Precision;
use tesuji_cuda::{CardNet, Cuda};
use tesuji_game::Random;
use tesuji_nn::{Net, Runner, Service};
use tesuji_testkit::needs;
use tesuji_train::parameters::Parameters;

/// The card, or nothing where the machine has none.
fn card(precision: Precision) -> Option<Card> {
    Card::new(0, precision).map_err(|reason| needs::skip(&format!("needs a CUDA card: {reason}"))).ok()
}

#[test]
fn a_card_agrees_with_the_processor() {
    for (precision, allowed) in [(Precision::Single, Near::Each(1e-4)), (Precision::Tensor, TENSOR_ALLOWED)] {
        if card(precision).is_some() {
            agrees(|batch| Cuda::new(card(precision).expect("as before"), batch).expect("room"), allowed);
        }
    }
}

#[test]
fn steps_of_efficiently_updatable_networks_agree_with_the_processor() {
    let Some(_) = card(Precision::Single) else { return };
    nnue::agrees(|| card(Precision::Single).expect("as before"), 2e-5);
}

#[test]
fn runs_of_efficiently_updatable_networks_stop_and_go_on() {
    let Some(_) = card(Precision::Single) else { return };
    nnue::goes_on(|| card(Precision::Single).expect("as before"));
}

#[test]
fn a_net_on_a_card_plays_as_on_the_processor() {
    let Some(_) = card(Precision::Tensor) else { return };
    for architecture in architectures() {
        let weights = Parameters::new(&architecture).net(&architecture, Default::default(), &numbers(&architecture));
        let weights = weights.expect("a net");
        let served = CardNet::new(&weights, || Card::new(0, Precision::Tensor)).expect("a card");
        let (height, width, batch) = (architecture.height, architecture.width, 300);
        let mut random = Random::new(3);
        let planes: Vec<f32> =
            (0..batch * architecture.planes * height * width).map(|_| random.normal() as f32).collect();
        let mut runner = Runner::new(Arc::new(Net::new(&weights).expect("a net")), height, width, batch).expect("room");
        let mut session = served.session(height, width, batch).expect("a session");
        let (here, there) = (runner.run(&planes, batch), session.run(&planes, batch).expect("an answer"));
        crate::close("policy", here.policy, there.policy, 1e-2);
        crate::close("value", here.value, there.value, 1e-2);
    }
}

#[test]
fn a_card_that_is_not_there_is_named() {
    let reason = Card::new(4711, Precision::Tensor).err().expect("no such card").to_string();
    assert!(reason.starts_with("cuda: ") && (reason.contains("4711") || reason.contains("not found")), "{reason}");
}

#[test]
fn the_kernels_compile() {
    match compile((9, 0)) {
        Ok(binary) => assert!(binary.starts_with(b"\x7fELF"), "a program for the card"),
        Err(reason) => {
            let reason = reason.to_string();
            assert!(reason.contains("libnvrtc"), "{reason}");
            needs::skip("needs NVRTC (PyPI's nvidia-cuda-nvrtc; its folder in LD_LIBRARY_PATH)");
        }
    }
}
