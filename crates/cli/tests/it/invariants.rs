//! The engine with every invariant asserted (`TESUJI_INVARIANTS=1`) searches so many nodes of each of these positions.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    thread,
};

/// Ordinary ones and absurd ones: many queens, pawns about to promote, bare kings.
const POSITIONS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "QQQQQQQQ/Q6k/8/8/8/8/8/K6q b - - 0 1",
    "qqqqqqqq/q6K/8/8/8/8/8/k6Q w - - 0 1",
    "8/PPPPPPPk/8/8/8/8/Kppppppp/8 w - - 0 1",
    "8/PPPPPPPk/PPPPPPP1/8/8/8/8/K7 w - - 0 1",
    "8/8/8/4k3/8/8/8/4K2Q w - - 0 1",
    "8/8/8/4k3/8/8/8/4K2Q b - - 98 70",
    "8/8/8/4k3/8/8/8/2B1KB2 w - - 0 1",
    "8/8/8/4k3/8/8/8/1N2KB2 w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "r1b1k2r/2qnbppp/p2ppn2/1p4B1/3NPPP1/2N2Q2/PPP4P/2KR1B1R w kq - 0 11",
    "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1",
    "5rk1/1rP3pp/p4n2/3Pp3/1P2Pq2/2Q4P/P5P1/R3R1K1 b - - 0 1",
];

/// Nodes of each search: what asserts hold for does not depend on the machine's speed.
const NODES: u64 = 200_000;

/// Thinks about one position with an engine of its own.
fn think(position: &str, threads: usize) {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["uci", "--option", &format!("Threads={threads}")])
        .env("TESUJI_INVARIANTS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let mut words = engine.stdin.take().expect("stdin");
    writeln!(words, "position fen {position}\ngo nodes {NODES}").expect("the engine listens");
    let lines = BufReader::new(engine.stdout.take().expect("stdout")).lines();
    let answer = lines.map_while(Result::ok).find(|line| line.starts_with("bestmove"));
    drop(words);
    let out = engine.wait_with_output().expect("the engine ends");
    let complaints = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && answer.is_some(), "{position}: {}\n{complaints}", out.status);
    assert!(!complaints.contains("panicked"), "{position}: {complaints}");
}

#[test]
fn every_invariant_holds_at_every_node() {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(position) = POSITIONS.get(next.fetch_add(1, Relaxed)) {
                    think(position, 1);
                }
            });
        }
    });
    think(POSITIONS[1], 4);
}
