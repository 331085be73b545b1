//! What transcripts cannot say: how fast, how often, and how it ends.

use crate::{scripted::Scripted, wire::Wire};
use std::time::{Duration, Instant};

#[test]
fn a_stop_is_answered_within_5_ms() {
    let mut wire = Wire::scripted();
    wire.send("position fen hang");
    let mut times: Vec<Duration> = (0..100)
        .map(|_| {
            wire.send("go infinite");
            wire.until("info depth 1");
            let since = Instant::now();
            wire.send("stop");
            wire.until("bestmove");
            since.elapsed()
        })
        .collect();
    times.sort();
    println!("stop to bestmove: median {:?}, slowest {:?}", times[50], times[99]);
    // The machine may be busy with other tests: the median tells what the session does.
    assert!(times[50] < Duration::from_millis(5), "{times:?}");
}

#[test]
fn a_thousand_quick_searches_get_a_thousand_moves() {
    let mut wire = Wire::scripted();
    for i in 0..1000 {
        let manner = if i % 50 == 0 { "fen late" } else { ["startpos", "fen hang"][i % 2] };
        wire.send(&format!("position {manner}"));
        wire.send(["go infinite", "go ponder", "go depth 3"][i % 3]);
        wire.send(if i % 6 == 1 { "ponderhit" } else { "stop" });
        wire.send("isready");
    }
    wire.send("stop");
    wire.close();
    let lines = wire.rest();
    let count = |head: &str| lines.iter().filter(|l| l.starts_with(head)).count();
    assert_eq!((count("bestmove"), count("readyok"), count("info string")), (1000, 1000, 0));
}

#[test]
fn quit_ends_a_search() {
    let mut wire = Wire::scripted();
    wire.send("position fen hang");
    wire.send("go infinite");
    wire.until("info");
    // In one write: after it the session may be gone.
    wire.send("quit\nisready");
    assert_eq!(wire.rest(), ["bestmove e2e4 ponder e7e5"]);
}

#[test]
fn quit_ends_a_perft() {
    let mut wire = Wire::scripted();
    wire.send("go perft 20");
    wire.send("quit");
    assert_eq!(wire.rest(), ["info string error: perft was stopped"]);
}

#[test]
fn a_runner_that_reads_no_more_ends_the_session() {
    let (mut wire, output) = Wire::with_output(Box::new(Scripted::default()));
    wire.send("position fen chat");
    wire.send("go infinite");
    std::thread::sleep(Duration::from_millis(20));
    drop(output);
    // The input stays open: the next line finds the output broken.
    std::thread::sleep(Duration::from_millis(20));
    wire.send("isready");
    wire.join();
}

#[test]
fn overlong_lines_are_refused() {
    let mut wire = Wire::scripted();
    wire.send(&"x".repeat((1 << 22) + 100));
    assert_eq!(wire.until("info"), ["info string error: a line of more than 4194304 bytes"]);
    wire.send("isready");
    assert_eq!(wire.until("readyok").len(), 1);
}
