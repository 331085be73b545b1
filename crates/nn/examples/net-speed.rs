//! Positions per CPU-second of one thread: `net-speed [NET | MODEL | BLOCKSxCHANNELS] [SIZE] [BATCH] [SECONDS] [scalar|avx2|avx512]`. Asserts that the
//! answers are those of the plain kernels.

use std::sync::Arc;
use std::time::Instant;
use tesuji_nn::kernels::Isa;
use tesuji_nn::{Architecture, ForeignNet, Net, NetSession, Runner, Weights};

/// Opens a session for a batch on given instructions.
type Open = Box<dyn Fn(usize, Isa) -> Box<dyn NetSession>>;

/// Sessions with a net for boards of `size`, its planes, and its operations for a position.
fn open(name: &str, size: usize) -> (Open, usize, u64) {
    let bytes = std::fs::read(name);
    if let Some(bytes) = bytes.as_ref().ok().filter(|bytes| ForeignNet::is_model(bytes)) {
        let net = Arc::new(ForeignNet::read(bytes).expect("a model, unpacked"));
        let (planes, operations) = (net.architecture().planes, net.operations(size, size));
        return (
            Box::new(move |batch, isa| Box::new(net.open(size, size, batch).expect("a board").on(isa))),
            planes,
            operations,
        );
    }
    let weights = match bytes {
        Ok(bytes) => Weights::read(&bytes).expect("a net"),
        Err(_) => {
            let (blocks, channels) = name.split_once('x').expect("a net, or blocks x channels");
            let number = |text: &str| text.parse::<usize>().expect("a number");
            Weights::random(Architecture::for_any_size("random", 40, size, number(blocks), number(channels)), 1)
        }
    };
    let net = Arc::new(Net::new(&weights).expect("a net"));
    let (planes, operations) = (net.architecture().planes, net.architecture().operations(size, size));
    (
        Box::new(move |batch, isa| Box::new(Runner::new(net.clone(), size, size, batch).expect("a board").on(isa))),
        planes,
        operations,
    )
}

/// Seconds of CPU that this thread has used, where the system tells.
fn cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<u64>().ok()? as f64 * 1e-9)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |index: usize, default: &str| words.get(index).map_or(default.to_owned(), Clone::clone);
    let name = word(0, "6x64");
    let size: usize = word(1, "19").parse().expect("SIZE is a number");
    let batch: usize = word(2, "8").parse().expect("BATCH is a number");
    let seconds: f64 = word(3, "3").parse().expect("SECONDS is a number");
    let isa = match word(4, "best").as_str() {
        "scalar" => Isa::Scalar,
        "avx2" => Isa::Avx2,
        "avx512" => Isa::Avx512,
        _ => Isa::best(),
    };
    let (open, planes, operations) = open(&name, size);
    let planes: Vec<f32> = (0..batch * planes * size * size).map(|index| (index * 7919 % 13 == 0).into()).collect();
    let (mut runner, mut plain) = (open(batch, isa), open(batch, Isa::Scalar));
    let fast = runner.run(&planes, batch).expect("an answer");
    let slow = plain.run(&planes, batch).expect("an answer");
    let scale = slow.policy.iter().fold(1f32, |most, logit| most.max(logit.abs()));
    let worst = fast.policy.iter().zip(slow.policy).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
    assert!(worst <= 1e-5 * scale, "the answers differ by {worst}");
    let (start, cpu_start, mut runs) = (Instant::now(), cpu(), 0u32);
    while start.elapsed().as_secs_f64() < seconds {
        runner.run(&planes, batch).expect("an answer");
        runs += 1;
    }
    let spent = match (cpu_start, cpu()) {
        (Some(before), Some(now)) => now - before,
        _ => start.elapsed().as_secs_f64(),
    };
    let rate = f64::from(runs) * batch as f64 / spent;
    let giga = operations as f64 * rate * 1e-9;
    println!("{name} {size}x{size} batch {batch} {isa:?}: {rate:.1} positions per CPU-second, {giga:.1} GFLOP/s");
}
