//! Efficiently updatable networks: every set of instructions computes what the plain form computes; what does not fit is refused.

use proptest::prelude::*;
use tesuji_game::Random;
use tesuji_nn::{
    NetError,
    kernels::Isa,
    nnue::{
        Architecture, FloatWeights, Network, Prepared, Scratch,
        kernels::{self, Instructions, LANES, LaneBlock},
    },
};

/// A network with the activation, width, hidden layers and buckets asked for.
fn architecture(activation: &str, width: usize, hidden: &[usize], buckets: usize, input: i32) -> Architecture {
    let text = format!(
        "name = 'test'\ngame = 'none'\nwidth = {width}\nactivation = '{activation}'\nhidden = {hidden:?}\n\
         output_buckets = {buckets}\n[features]\nset = 'any'\ninputs = 40\nactive_max = 12\n\
         [quantisation]\ninput = {input}\noutput = 64\n"
    );
    Architecture::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A network of random numbers that use all of their range.
fn network(architecture: &Architecture, wide: bool, random: &mut Random) -> Network {
    let mut network = Network::quantise(architecture, &FloatWeights::zeros(architecture)).unwrap();
    let span = |random: &mut Random, max: i32| random.below(2 * max as usize + 1) as i32 - max;
    let input = architecture.quantisation.input;
    network.features.iter_mut().for_each(|weight| *weight = span(random, input) as i16);
    network.bias.iter_mut().for_each(|weight| *weight = span(random, input) as i16);
    let weight_max = match (architecture.hidden.is_empty(), wide) {
        (false, _) => 127,
        (true, true) => 32767,
        (true, false) => 32767 / input,
    };
    for layer in network.buckets.iter_mut().flatten() {
        layer.weights.iter_mut().for_each(|weight| *weight = span(random, weight_max) as i16);
        layer.bias.iter_mut().for_each(|bias| *bias = span(random, 20_000));
    }
    network
}

/// All that this machine has.
fn all_instructions() -> Vec<Instructions> {
    [Isa::Scalar, Isa::Avx2, Isa::Avx512].into_iter().filter_map(Instructions::of).collect()
}

fn actives(random: &mut Random) -> Vec<u32> {
    let mut all: Vec<u32> = (0..40).collect();
    random.shuffle(&mut all);
    all.truncate(random.below(13));
    all
}

/// Columns of a block row in the order of the network, without what fills blocks up.
fn columns(architecture: &Architecture, blocks: &[LaneBlock]) -> Vec<i16> {
    let part = architecture.activated();
    let parts = architecture.width / part;
    let whole: Vec<i16> = blocks.iter().flat_map(|block| block.0).collect();
    whole.chunks(whole.len() / parts).flat_map(|chunk| chunk[..part].to_vec()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn all_instructions_give_the_same_value(
        activation in prop::sample::select(vec!["crelu", "screlu", "pairwise"]),
        width in 1usize..40,
        hidden in prop::collection::vec(1usize..70, 0..3),
        (eight, wide, small) in any::<(bool, bool, bool)>(),
        seed in any::<u64>(),
    ) {
        let input = if small || (!hidden.is_empty() && activation == "crelu") { 127 } else { 255 };
        let architecture = architecture(activation, 32 * width, &hidden, if eight { 8 } else { 1 }, input);
        let mut random = Random::new(seed);
        let network = network(&architecture, wide, &mut random);
        let positions: Vec<_> = (0..4).map(|_| (actives(&mut random), actives(&mut random), random.below(architecture.output_buckets))).collect();
        for on in all_instructions() {
            let prepared = Prepared::for_instructions(&network, on).unwrap();
            let mut scratch = Scratch::default();
            let sums = |active: &[u32]| {
                let mut sums = prepared.bias().to_vec();
                let rows: Vec<&[LaneBlock]> = active.iter().map(|&input| prepared.row(input)).collect();
                kernels::change(on, &mut sums, &rows, &[]);
                sums
            };
            for (own, other, bucket) in &positions {
                prop_assert_eq!(columns(&architecture, &sums(own)), network.accumulator(own));
                let found = prepared.value(&sums(own), &sums(other), *bucket, &mut scratch);
                prop_assert_eq!(found, network.value(own, other, *bucket), "{:?}", on);
            }
        }
    }

    #[test]
    fn fused_updates_are_sums_of_rows(
        blocks in 1usize..20,
        (adds, removes) in (0usize..5, 0usize..5),
        seed in any::<u64>(),
    ) {
        let mut random = Random::new(seed);
        let mut row = || (0..blocks).map(|_| LaneBlock(std::array::from_fn(|_| random.below(1 << 16) as u16 as i16))).collect();
        let from: Vec<LaneBlock> = row();
        let added: Vec<Vec<LaneBlock>> = (0..adds).map(|_| row()).collect();
        let removed: Vec<Vec<LaneBlock>> = (0..removes).map(|_| row()).collect();
        let expected: Vec<i16> = (0..blocks * LANES).map(|at| {
            let number = |row: &Vec<LaneBlock>| row[at / LANES].0[at % LANES];
            let sum = added.iter().map(number).fold(number(&from), i16::wrapping_add);
            removed.iter().map(number).fold(sum, i16::wrapping_sub)
        }).collect();
        let added: Vec<&[LaneBlock]> = added.iter().map(|row| &row[..]).collect();
        let removed: Vec<&[LaneBlock]> = removed.iter().map(|row| &row[..]).collect();
        for on in all_instructions() {
            let mut to = vec![LaneBlock::ZERO; blocks];
            kernels::update(on, &from, &mut to, &added, &removed);
            prop_assert_eq!(to.iter().flat_map(|block| block.0).collect::<Vec<_>>(), expected.clone(), "{:?}", on);
            let mut sums = from.clone();
            kernels::change(on, &mut sums, &added, &removed);
            prop_assert_eq!(sums, to, "{:?}", on);
        }
    }
}

/// The largest sums that fit a lane, added over the widest accumulator: no form overflows.
#[test]
fn the_widest_network_does_not_overflow() {
    for (activation, input) in [("crelu", 1023), ("screlu", 1023), ("pairwise", 1023), ("screlu", 255)] {
        let architecture = architecture(activation, 2048, &[], 1, input);
        let mut network = Network::quantise(&architecture, &FloatWeights::zeros(&architecture)).unwrap();
        network.bias.fill(i16::MAX);
        let weight = if activation == "crelu" { i16::MIN } else { -(i16::MAX / input as i16) };
        network.buckets[0][0].weights.fill(weight);
        let expected = network.value(&[], &[], 0);
        assert!(expected < -100_000, "{expected}");
        for on in all_instructions() {
            let prepared = Prepared::for_instructions(&network, on).unwrap();
            let (own, other) = (prepared.bias(), prepared.bias());
            assert_eq!(prepared.value(own, other, 0, &mut Scratch::default()), expected, "{on:?} {activation}");
        }
    }
}

#[test]
fn integers_follow_the_float_network() {
    for (activation, hidden, input) in [
        ("crelu", vec![], 255),
        ("screlu", vec![], 255),
        ("pairwise", vec![], 255),
        ("screlu", vec![32, 32], 255),
        ("crelu", vec![32, 32], 127),
    ] {
        let architecture = architecture(activation, 256, &hidden, 8, input);
        let mut weights = FloatWeights::random(&architecture, 3);
        // As large as trained ones, for which the integers are made: random ones round to -2..=2.
        for layers in &mut weights.buckets {
            layers[0].weights.iter_mut().for_each(|weight| *weight *= 20.0);
        }
        let network = Network::quantise(&architecture, &weights).unwrap();
        let mut random = Random::new(9);
        let (mut worst, mut largest) = (0.0f32, 0.0f32);
        for _ in 0..200 {
            let (own, other, bucket) = (actives(&mut random), actives(&mut random), random.below(8));
            let exact = weights.output(&architecture, &own, &other, bucket) * architecture.scale as f32;
            worst = worst.max((exact - network.value(&own, &other, bucket) as f32).abs());
            largest = largest.max(exact.abs());
        }
        assert!(worst < 0.1 * largest && largest > 100.0, "{activation} {hidden:?}: off by {worst} of {largest}");
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let architecture = architecture("screlu", 32, &[16], 1, 255);
    let zeros = FloatWeights::zeros(&architecture);
    let refused = |change: &dyn Fn(&mut FloatWeights)| {
        let mut weights = zeros.clone();
        change(&mut weights);
        Network::quantise(&architecture, &weights).unwrap_err()
    };
    let error = refused(&|weights| weights.features[7] = 200.0).to_string();
    assert!(error.contains("number 7 of `features` is 200, expected at most ±128.49"), "{error}");
    let error = refused(&|weights| weights.buckets[0][0].weights[3] = -2.0).to_string();
    assert!(error.contains("number 3 of `bucket.0.layer.0.weights` is -2, expected at most ±1.98"), "{error}");
    let error =
        refused(&|weights| weights.features.iter_mut().step_by(32).for_each(|weight| *weight = 20.0)).to_string();
    assert!(error.contains("12 weights in column 0 of the first layer is 61200"), "{error}");
    let error = refused(&|weights| weights.bias[1] = f32::NAN);
    assert_eq!(error, NetError::NotFinite("bias".into()));
    let error = refused(&|weights| weights.bias.truncate(3));
    assert_eq!(error, NetError::Shape { name: "bias".into(), found: vec![3], expected: vec![32] });
}
