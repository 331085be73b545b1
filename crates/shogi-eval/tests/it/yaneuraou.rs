//! Values of nets in YaneuraOu's format are YaneuraOu's own, position by position.
//!
//! The files in `data` hold what YaneuraOu (its repository at 33ccf1f9) computed by `Eval::compute_eval` from the nets made here: its
//! command `eval` prints nothing and was changed to print that number. `UPDATE=1` with the programs in `TESUJI_YANEURAOU_HALFKP` and
//! `TESUJI_YANEURAOU_KP` computes them again.

use crate::{MATSURI, board};
use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};
use tesuji_game::Evaluator;
use tesuji_nn::nnue::{FloatWeights, Network, NnueEval, Prepared};
use tesuji_shogi::{Board, sfen};
use tesuji_shogi_eval::nnue::{ShogiFeatures, read_yaneuraou, shape, write_yaneuraou};
use tesuji_testkit::conform::random_games;

const POSITIONS: usize = 1000;

/// A net whose layers are neither empty nor full.
fn network(name: &str) -> Network {
    let architecture = shape(name).unwrap();
    let mut weights = FloatWeights::random(&architecture, 24);
    for layer in &mut weights.buckets[0] {
        layer.weights.iter_mut().for_each(|weight| *weight = (*weight * 3.0).clamp(-1.9, 1.9));
        layer.bias.iter_mut().enumerate().for_each(|(at, bias)| *bias = (at % 7) as f32 * 0.1 - 0.2);
    }
    weights.bias.iter_mut().enumerate().for_each(|(at, bias)| *bias = (at % 11) as f32 * 0.1 - 0.3);
    Network::quantise(&architecture, &weights).unwrap()
}

/// Positions of random games from the start, and from a position full of hands.
fn positions() -> Vec<Board> {
    let mut all = Vec::new();
    for seed in 0.. {
        let start = board(if seed % 2 == 0 { sfen::START } else { MATSURI });
        random_games(&start, seed..seed + 1, |line, random| {
            if random.below(4) == 0 {
                all.push(*line.here());
            }
        });
        if all.len() >= POSITIONS {
            break;
        }
    }
    all.truncate(POSITIONS);
    all
}

/// What the program at `path` says of the positions.
fn ask(path: &Path, network: &Network, positions: &[Board]) -> Vec<i32> {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("eval");
    fs::create_dir(&at).unwrap();
    fs::write(at.join("nn.bin"), write_yaneuraou(network).unwrap()).unwrap();
    let mut command = Command::new(path);
    let mut child =
        command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program");
    let lines = positions.iter().map(|pos| format!("position sfen {pos}\neval\n"));
    let options = format!("setoption name USI_Hash value 16\nsetoption name EvalDir value {}", at.display());
    let text = format!("usi\n{options}\nisready\n{}quit\n", lines.collect::<String>());
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    text.lines().filter_map(|line| line.strip_prefix("static ")?.parse().ok()).collect()
}

fn compare(name: &str, program: &str, file: &str) {
    let network = network(name);
    let positions = positions();
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/data").join(file);
    if let (Some(path), Some(_)) = (env::var_os(program), env::var_os("UPDATE")) {
        let values = ask(Path::new(&path), &network, &positions);
        assert_eq!(values.len(), positions.len(), "a value for each position");
        let lines = positions.iter().zip(values).map(|(pos, value)| format!("{value} {pos}\n"));
        fs::write(&data, lines.collect::<String>()).unwrap();
    }
    let text = fs::read_to_string(&data).unwrap();
    let read = read_yaneuraou(&write_yaneuraou(&network).unwrap()).unwrap();
    let features = ShogiFeatures::new(&read.architecture).unwrap();
    let mut eval = NnueEval::new(Arc::new(Prepared::new(&read).unwrap()), features);
    let (mut count, mut largest) = (0, 0);
    for line in text.lines() {
        let (value, text) = line.split_once(' ').unwrap();
        let pos = board(text);
        eval.reset(&pos);
        let expected: i32 = value.parse().unwrap();
        assert_eq!(eval.value(&pos).raw(), expected, "{name}: {text}");
        (count, largest) = (count + 1, largest.max(expected.abs()));
    }
    assert!(count == POSITIONS && largest > 100, "{name}: {count} positions, {largest} at most");
}

#[test]
fn halfkp_values_are_those_of_yaneuraou() {
    compare("shogi-halfkp-256x2-32-32", "TESUJI_YANEURAOU_HALFKP", "yaneuraou-halfkp.txt");
}

#[test]
fn kp_values_are_those_of_yaneuraou() {
    compare("shogi-kp-256x2-32-32", "TESUJI_YANEURAOU_KP", "yaneuraou-kp.txt");
}
