//! Positions per CPU-second of training on one thread: `training-speed [PRESET] [PLANES] [SIZE] [BATCH] [SECONDS] [plain|avx2|avx512]`.

use std::time::{Duration, Instant};
use tesuji_nn::{Architecture, Weights, kernels::Isa};
use tesuji_train::cpu::Cpu;
use tesuji_train::loss::{LossSettings, losses};
use tesuji_train::net::{Raw, Wired};
use tesuji_train::optimiser::{Optimiser, OptimiserSettings};
use tesuji_train::parameters::Parameters;
use tesuji_train::sample::Sample;

/// Seconds of processor time of this process, where the system tells.
fn cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?) / 100.0)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize, usual: &str| words.get(at).cloned().unwrap_or_else(|| usual.to_string());
    let number = |at: usize, usual: &str| word(at, usual).parse::<usize>().expect("a number");
    let (planes, size, batch) = (number(1, "40"), number(2, "19"), number(3, "64"));
    let shape = word(0, "6x64");
    let (blocks, channels) = shape.split_once('x').expect("blocks x channels");
    let numbers = [blocks, channels].map(|text| text.parse::<usize>().expect("a number"));
    let architecture = Architecture::for_any_size("any-1", planes, size, numbers[0], numbers[1]);
    let with = match word(5, "best").as_str() {
        "plain" => Isa::Scalar,
        "avx2" => Isa::Avx2,
        "avx512" => Isa::Avx512,
        _ => Isa::best(),
    };
    let (points, layout) = (size * size, Parameters::new(&architecture));
    let mut row = layout.row(&Weights::random(architecture.clone(), 1));
    let settings = OptimiserSettings::default();
    let mut optimiser = Optimiser::new(&settings, &row);
    let sample = |n: usize| Sample {
        planes: (0..planes * points).map(|at| ((at * (n + 7) * 31 % 97) as f32) / 97.0).collect(),
        policy: vec![((n * 13 % points) as u16, 1.0)],
        value: if n.is_multiple_of(2) { 1.0 } else { -1.0 },
        value_weight: 1.0,
        ..Sample::default()
    };
    let samples: Vec<Sample> = (0..batch).map(sample).collect();
    let all: Vec<f32> = samples.iter().flat_map(|sample| sample.planes.iter().copied()).collect();
    let mut net = Wired::new(&architecture, Cpu::with(with, 1, batch).expect("a thread"));
    let (mut raw, mut slopes, mut gradient) = (Raw::default(), Raw::default(), Vec::new());
    let (mut first, mut last) = (0.0, 0.0);
    let mut step = |row: &mut Vec<f32>| {
        net.forward(row, &all, batch, true, &mut raw);
        let figures = losses(&architecture, &LossSettings::default(), &raw, &samples, &mut slopes);
        net.backward(&slopes, &mut gradient);
        optimiser.step(&settings, &layout, 1000, &gradient, row);
        figures.total / batch as f64
    };
    first += step(&mut row);
    let (limit, began, before) = (Duration::from_secs(number(4, "10") as u64), Instant::now(), cpu());
    let mut steps = 0;
    while began.elapsed() < limit || steps < 3 {
        last = step(&mut row);
        steps += 1;
    }
    let seen = (steps * batch) as f64;
    let wall = seen / began.elapsed().as_secs_f64();
    let per_cpu = before.zip(cpu()).map(|(before, after)| seen / (after - before));
    let flops = 3.0 * architecture.operations(size, size) as f64;
    println!(
        "{wall:.1} positions a second, {:.1} per CPU-second ({:.1} GFLOP/s), loss {first:.3} to {last:.3}",
        per_cpu.unwrap_or(0.0),
        per_cpu.unwrap_or(0.0) * flops / 1e9
    );
    assert!(last < first, "it does not learn");
}
