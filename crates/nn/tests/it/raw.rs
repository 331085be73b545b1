//! The raw layout: what is written reads back, and the C of docs/nnue.md computes from it what we compute.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};
use tesuji_game::Random;
use tesuji_nn::nnue::{Architecture, FloatWeights, Network};
use tesuji_testkit::needs;

fn network(width: usize, buckets: usize, activation: &str) -> Network {
    let text = format!(
        "name = 'n'\ngame = 'g'\nwidth = {width}\nactivation = '{activation}'\noutput_buckets = {buckets}\n\
         [features]\nset = 's'\ninputs = 768\nactive_max = 32\n"
    );
    let architecture = Architecture::parse(&text).unwrap();
    let mut weights = FloatWeights::random(&architecture, 11);
    // As large as trained ones.
    weights.buckets.iter_mut().flatten().for_each(|layer| layer.weights.iter_mut().for_each(|weight| *weight *= 20.0));
    let mut network = Network::quantise(&architecture, &weights).unwrap();
    network.buckets.iter_mut().flatten().for_each(|layer| layer.bias[0] = 1234);
    network
}

#[test]
fn raw_files_read_back() {
    for (width, buckets, activation) in [(256, 1, "screlu"), (16, 8, "crelu"), (32, 8, "pairwise")] {
        let network = network(width, buckets, activation);
        let bytes = network.to_raw().unwrap();
        assert_eq!(bytes.len() % 64, 0);
        assert_eq!(Network::from_raw(&network.architecture, &bytes), Ok(network.clone()));
        let error = Network::from_raw(&network.architecture, &bytes[..bytes.len() - 64]).unwrap_err().to_string();
        assert!(error.contains(&format!("{} bytes, expected", bytes.len() - 64)), "{error}");
        let mut layered = network.architecture.clone();
        layered.hidden = vec![8];
        layered.quantisation.input = 127;
        let error = Network::from_raw(&layered, &bytes).unwrap_err().to_string();
        assert!(error.contains("`n` has hidden layers"), "{error}");
    }
    let mut beyond = network(16, 1, "screlu");
    beyond.buckets[0][0].bias[0] = 40_000;
    let error = beyond.to_raw().unwrap_err().to_string();
    assert!(error.contains("a bias of the last layer is 40000"), "{error}");
}

#[test]
fn the_c_of_the_guide_computes_the_same() {
    let Some(compiler) = needs::program("cc", "gcc") else { return };
    let guide = include_str!("../../../../docs/nnue.md");
    let code = guide.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("C in docs/nnue.md");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("nnue.c"), code).unwrap();
    let mut compile = Command::new(compiler);
    compile.args(["-O2", "-Wall", "-Werror", "-o"]).arg(path("nnue")).arg(path("nnue.c"));
    let built = compile.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let network = network(256, 1, "screlu");
    fs::write(path("net.bin"), network.to_raw().unwrap()).unwrap();
    let mut random = Random::new(2);
    let mut side = || {
        let mut inputs: Vec<u32> = (0..768).collect();
        random.shuffle(&mut inputs);
        inputs.truncate(2 + random.below(31));
        inputs
    };
    let positions: Vec<[Vec<u32>; 2]> = (0..1000).map(|_| [side(), side()]).collect();
    let mut run = Command::new(path("nnue"));
    let mut child = run.arg(path("net.bin")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text: String = positions
        .iter()
        .flatten()
        .map(|inputs| inputs.iter().map(|input| format!("{input} ")).collect::<String>() + "-1\n")
        .collect();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let found: Vec<i32> = String::from_utf8(out.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect();
    let expected: Vec<i32> = positions.iter().map(|[own, other]| network.value(own, other, 0)).collect();
    assert_eq!(found, expected);
    assert!(expected.iter().any(|value| value.abs() > 300) && expected.iter().any(|&value| value < 0));
}
