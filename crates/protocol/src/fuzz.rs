//! Entries for fuzzing: any bytes in, no panic, and whatever was understood reads back the same when written.
//!
//! # Examples
//!
//! ```
//! use tesuji_protocol::fuzz;
//! fuzz::uci_engine(b"go wtime 1000 btime -5\nposition startpos moves e2e4\n\xff\n");
//! fuzz::uci_runner(b"info depth 3 score mate -2 pv e2e4\nbestmove e2e4 ponder e7e5\n");
//! fuzz::usi_engine(b"go mate 500\nposition sfen x\n");
//! fuzz::usi_runner(b"checkmate nomate\nbestmove win\n");
//! fuzz::gtp_engine(b"7 play b Q16\nboardsize x\n");
//! fuzz::gtp_runner(b"=1 D4\n\n? unknown\n\n");
//! fuzz::gtp_analysis(b"=5\ninfo move D4 visits 3 winrate 0.5 order 0 pv D4\n\n");
//! fuzz::kata_runner(br#"{"id":"go 1","moveInfos":[{"move":"D4","visits":3}]}"#);
//! fuzz::xboard_engine(b"protover 2\nnew\nusermove e2e4\nlevel 40 5 0\n");
//! fuzz::xboard_runner(b"feature ping=1 done=1\nmove e2e4\n");
//! ```

use crate::{
    Analysed, BoardCommand, Command, EngineEnd, Go, Reply, RunnerEnd, Stream,
    analysis::AnalysisRunner,
    gtp::{GtpEngine, GtpRunner},
    uci::{UciEngine, UciRunner},
    usi::{UsiEngine, UsiRunner},
    xboard::{XboardEngine, XboardRunner},
};
use tesuji_game::Choice;

/// Whether a line of UCI or USI is an order to search, which must be answered whatever else stands in it.
fn is_go(line: &str) -> bool {
    let mut words = line.split_whitespace().map(str::to_ascii_lowercase);
    words.next().is_some_and(|word| word == "go") && words.all(|word| word != "perft")
}

/// Whether a command is carried out although its line has a fault, which no runner writes.
fn is_faulty(command: &Command) -> bool {
    matches!(command, Command::Go(go) if go.fault.is_some())
}

/// Lines for the engine's end of UCI.
pub fn uci_engine(bytes: &[u8]) {
    let (mut end, mut runner) = (UciEngine, UciRunner::default());
    for line in String::from_utf8_lossy(bytes).lines() {
        let read = end.read(line);
        assert!(!is_go(line) || matches!(read, Ok(Some(Command::Go(_)))), "{line:?} was read as {read:?}");
        let Ok(Some(command)) = read else { continue };
        let mut text = String::new();
        runner.write(&command, &mut text);
        assert_eq!(text.lines().count(), 1, "{line:?} was written as {text:?}");
        if !is_faulty(&command) {
            assert_eq!(end.read(&text), Ok(Some(command)), "{line:?} was written as {text:?}");
        }
    }
}

/// Lines for the runner's end of UCI.
pub fn uci_runner(bytes: &[u8]) {
    let (mut end, mut runner) = (UciEngine, UciRunner::default());
    for line in String::from_utf8_lossy(bytes).lines() {
        let Ok(Some(reply)) = runner.read(line) else { continue };
        let mut text = String::new();
        end.write(&reply, &mut text);
        assert_eq!(text.lines().count(), 1, "{line:?} was written as {text:?}");
        assert_eq!(runner.read(&text), Ok(Some(reply)), "{line:?} was written as {text:?}");
    }
}

/// Lines for the engine's end of USI.
pub fn usi_engine(bytes: &[u8]) {
    let (mut end, mut runner) = (UsiEngine, UsiRunner::default());
    for line in String::from_utf8_lossy(bytes).lines() {
        let read = end.read(line);
        assert!(!is_go(line) || matches!(read, Ok(Some(Command::Go(_)))), "{line:?} was read as {read:?}");
        let Ok(Some(command)) = read else { continue };
        let mut text = String::new();
        runner.write(&command, &mut text);
        assert_eq!(text.lines().count(), 1, "{line:?} was written as {text:?}");
        // A search for mate has no other limits than its time.
        if !matches!(&command, Command::Go(go) if go.solve) && !is_faulty(&command) {
            assert_eq!(end.read(&text), Ok(Some(command)), "{line:?} was written as {text:?}");
        }
    }
}

/// Lines for the runner's end of USI.
pub fn usi_runner(bytes: &[u8]) {
    let (mut end, mut runner) = (UsiEngine, UsiRunner::default());
    for line in String::from_utf8_lossy(bytes).lines() {
        let Ok(Some(reply)) = runner.read(line) else { continue };
        let mut text = String::new();
        end.write(&reply, &mut text);
        assert_eq!(text.lines().count(), 1, "{line:?} was written as {text:?}");
        if matches!(reply, Reply::Option(_)) {
            // Names of options are written as USI has them, and stay so.
            let option = runner.read(&text);
            let mut again = String::new();
            if let Ok(Some(option)) = &option {
                end.write(option, &mut again);
            }
            assert_eq!(again, text, "{line:?} was written so, and read as {option:?}");
        } else if !matches!(reply, Reply::Best { choice: None, .. }) {
            assert_eq!(runner.read(&text), Ok(Some(reply)), "{line:?} was written as {text:?}");
        }
    }
}

/// Lines for the engine's end of GTP: each command has one answer, whose id is the command's.
pub fn gtp_engine(bytes: &[u8]) {
    let mut end = GtpEngine::default();
    for line in String::from_utf8_lossy(bytes).lines() {
        let Ok(Some(command)) = end.read(line) else { continue };
        let mut text = String::new();
        end.write(&Reply::Text(line.to_string()), &mut text);
        assert!(text.starts_with('=') && text.ends_with("\n\n"), "{line:?} was answered by {text:?}");
        assert_eq!(text.matches("\n\n").count(), 1, "{line:?} was answered by {text:?}");
        let mut runner = GtpRunner::default();
        let mut text = String::new();
        runner.write(&command, &mut text);
        if let (
            Command::Board(
                BoardCommand::Play { .. } | BoardCommand::Komi(_) | BoardCommand::Undo | BoardCommand::Clear,
            ),
            Ok(again),
        ) = (&command, end.read(&text))
        {
            assert_eq!(again, Some(command), "{line:?} was written as {text:?}");
        }
    }
}

/// Lines for the runner's end of GTP, with commands that wait for answers.
pub fn gtp_runner(bytes: &[u8]) {
    let mut runner = GtpRunner::default();
    let mut out = String::new();
    for command in [Command::Hello, Command::Sync, Command::NewGame, Command::Go(Go::default()), Command::Sync] {
        runner.write(&command, &mut out);
    }
    for line in String::from_utf8_lossy(bytes).lines() {
        let _ = runner.glance(line.as_bytes());
        if let Ok(Some(Reply::Best { .. })) = runner.read(line) {
            let moves = vec!["A1".to_string(), "B2".to_string()];
            runner.write(&Command::Board(BoardCommand::Set { start: None, moves }), &mut out);
            runner.write(&Command::Go(Go::default()), &mut out);
        }
    }
}

/// Lines for the runner's end of GTP while it waits for an analysis, in KataGo's words or Leela Zero's.
pub fn gtp_analysis(bytes: &[u8]) {
    for command in ["kata-analyze", "lz-analyze"] {
        let mut runner = GtpRunner::default();
        let mut out = String::new();
        runner.write(&Command::Hello, &mut out);
        for line in ["=1 2", "", "=2 1", "", "=3 A", "", &format!("=4 {command}"), ""] {
            let _ = runner.read(line);
        }
        let stream = Some(Stream { every: std::time::Duration::from_millis(100), lines: 3 });
        runner.write(&Command::Go(Go { stream, ..Go::default() }), &mut out);
        for line in String::from_utf8_lossy(bytes).lines() {
            if let Ok(Some(Reply::Analysed(told))) = runner.read(line) {
                check_analysed(&told, line);
            }
        }
        runner.write(&Command::Stop, &mut out);
    }
}

/// Lines for the runner's end of KataGo's analysis mode, while it waits for a search.
pub fn kata_runner(bytes: &[u8]) {
    let mut runner = AnalysisRunner::default();
    let mut out = String::new();
    runner.write(&Command::Go(Go::default()), &mut out);
    for line in String::from_utf8_lossy(bytes).lines() {
        if let Ok(Some(Reply::Analysed(told))) = runner.read(line) {
            check_analysed(&told, line);
        }
        while runner.next_reply().is_some() {}
    }
}

/// Each line has a move, a chance that is one, and visits of its own.
fn check_analysed(told: &Analysed, line: &str) {
    assert_eq!(told.pv_visits.len(), told.report.lines.len(), "{line:?} was read as {told:?}");
    let is_chance = |expected: f32| (-1.0..=1.0).contains(&expected);
    let is_sound = told.report.lines.iter().all(|line| !line.pv.is_empty() && line.expected.is_none_or(is_chance));
    assert!(is_sound && !told.report.lines.is_empty(), "{line:?} was read as {told:?}");
}

/// Lines for the engine's end of XBoard's protocol, whose commands are answered in their order.
pub fn xboard_engine(bytes: &[u8]) {
    let mut end = XboardEngine::default();
    let mut out = String::new();
    for (number, line) in String::from_utf8_lossy(bytes).lines().enumerate() {
        let Ok(mut next) = end.read(line) else { continue };
        while let Some(command) = next {
            let reply = match command {
                Command::Go(_) => Reply::Best { choice: Some(Choice::Play("e7e5".into())), ponder: None },
                Command::Board(_) if number % 3 == 0 => Reply::Fault("no such move".into()),
                Command::Board(_) | Command::Set { .. } | Command::NewGame => Reply::Done,
                Command::Say(reply) => reply,
                _ => Reply::Welcome,
            };
            end.write(&reply, &mut out);
            next = end.next_command();
        }
        assert!(!out.contains('\r'), "{line:?} was answered by {out:?}");
        out.clear();
    }
}

/// Lines for the runner's end of XBoard's protocol.
pub fn xboard_runner(bytes: &[u8]) {
    let mut runner = XboardRunner::default();
    let mut out = String::new();
    for line in String::from_utf8_lossy(bytes).lines() {
        let _ = runner.glance(line.as_bytes());
        if let Ok(Some(Reply::Best { .. })) = runner.read(line) {
            runner.write(&Command::Board(BoardCommand::Set { start: None, moves: vec!["e2e4".to_string()] }), &mut out);
            runner.write(&Command::Go(Go::default()), &mut out);
        }
        while runner.next_reply().is_some() {}
        runner.respond(&mut out);
    }
}
