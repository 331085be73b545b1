//! What transcripts cannot say: how fast, how often, and how it ends.

use crate::{scripted::Scripted, wire::Wire};
use std::{
    io::{self, ErrorKind, Write},
    time::{Duration, Instant},
};
use tesuji_engine::{Identity, Session};
use tesuji_game::Random;
use tesuji_protocol::{EngineEnd, gtp::GtpEngine, uci::UciEngine, usi::UsiEngine};

#[test]
fn every_stop_is_answered_and_soon() {
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
    if tesuji_testkit::needs::slow("the time from stop to bestmove") {
        assert!(times[50] < Duration::from_millis(5), "{times:?}");
    }
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

/// A script whose answers went to a full disk ended as if all was well.
#[test]
fn answers_that_cannot_be_written_are_an_error() {
    struct Failing(ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let run = |kind| session(Box::new(GtpEngine::default())).run(&b"name\n"[..], Failing(kind));
    assert_eq!(run(ErrorKind::StorageFull).map_err(|error| error.kind()), Err(ErrorKind::StorageFull));
    assert_eq!(run(ErrorKind::BrokenPipe).map_err(|error| error.kind()), Ok(()), "a reader that has gone is no error");
}

#[test]
fn overlong_lines_are_refused() {
    let mut wire = Wire::scripted();
    let refusal = "info string error: a line of more than 4194304 bytes";
    wire.send(&"x".repeat((1 << 22) + 100));
    assert_eq!(wire.until("info"), [refusal]);
    wire.send(&format!("go searchmoves {}", "e2e4 ".repeat(1 << 20)));
    assert_eq!(wire.until("bestmove")[0], refusal);
    wire.send("isready");
    assert_eq!(wire.until("readyok").len(), 1);
}

/// What a session of the scripted player answers to a script, line by line.
fn answers(session: Session, script: &str) -> Vec<String> {
    let mut said = Vec::new();
    session.run(script.as_bytes(), &mut said).expect("no error");
    String::from_utf8(said).expect("text").lines().map(str::to_string).collect()
}

fn session(end: Box<dyn EngineEnd>) -> Session {
    let identity = Identity { name: "Scripted".into(), version: "1.0".into(), author: "the tests".into() };
    Session::new(Box::new(Scripted::default()), end, identity)
}

/// Words of `go` with everything that may go wrong, from `wtime 1000.5` to `mate infinite`.
const GO_WORDS: &str = "wtime btime winc binc byoyomi movestogo depth nodes mate movetime infinite ponder searchmoves \
    0 1 -1 1000.5 1e3 99999999999999999999 -99999999999999999999 none , \u{fffd} e2e4 e2e5 go stop quit position";

/// `go nodes 0` and others were refused without an answer, and the runner waited for ever.
#[test]
fn every_go_is_answered_exactly_once() {
    let words: Vec<&str> = GO_WORDS.split_whitespace().collect();
    let mut random = Random::new(1);
    let mut script = String::new();
    let orders = 2000;
    for _ in 0..orders {
        script.push_str("go");
        for _ in 0..random.below(7) {
            script.push(' ');
            script.push_str(words[random.below(words.len())]);
        }
        script.push_str("\nstop\n");
    }
    for end in [Box::new(UciEngine) as Box<dyn EngineEnd>, Box::new(UsiEngine)] {
        let lines = answers(session(end), &script);
        let is_answer = |line: &&String| line.starts_with("bestmove") || line.starts_with("checkmate");
        assert_eq!(lines.iter().filter(is_answer).count(), orders);
    }
}

/// A runner that was killed left its engine thinking to the end of a search that nobody waited for.
#[test]
fn a_runner_that_goes_away_in_the_middle_of_a_search_ends_it() {
    let script = "tesuji-position hang\n1 genmove b\n";
    let lines = answers(session(Box::new(GtpEngine::default())).with_script_gap(Duration::ZERO), script);
    assert_eq!(lines, ["=", "", "=1 e2e4", ""]);
    let lines =
        answers(session(Box::new(UciEngine)).with_script_gap(Duration::ZERO), "position fen hang\ngo depth 9\n");
    assert_eq!(lines.last().map(String::as_str), Some("bestmove e2e4 ponder e7e5"));
}

/// `(printf 'time_settings 0 600 1\ngenmove b\n') | tesuji gtp` thought for minutes about a move of which nobody would hear.
#[test]
fn the_end_of_input_stops_a_genmove_by_the_clock() {
    let script = "time_settings 0 100000 1\ntesuji-position hang\n1 genmove b\n";
    let lines = answers(session(Box::new(GtpEngine::default())).with_script_gap(Duration::MAX), script);
    assert_eq!(lines, ["=", "", "=", "", "=1 e2e4", ""]);
}

/// A policy server died, and the engine played the first legal move without a word.
#[test]
fn an_evaluator_that_does_not_answer_is_told() {
    let script = "tesuji-position mute\n1 genmove b\ntesuji-position deputy\n2 genmove b\n";
    let lines = answers(session(Box::new(GtpEngine::default())), script);
    assert_eq!(lines, ["=", "", "?1 no move: nobody answers", "", "=", "", "=2 d2d4", ""]);
    let script = "position fen deputy\ngo depth 1\ngo depth 1\nposition fen mute\ngo depth 1\n";
    let lines = answers(session(Box::new(UciEngine)), script);
    let told: Vec<&str> = lines.iter().map(String::as_str).filter(|l| !l.starts_with("info depth")).collect();
    let going_on = "info string nobody answers; going on without it";
    let refusal = "info string error: no move: nobody answers";
    assert_eq!(told, [going_on, "bestmove d2d4", "bestmove d2d4", refusal, "bestmove (none)"]);
}
