//! Lines of the field, one by one.

use std::time::Duration;
use tesuji_game::{Bound, Choice, Side, Value, Wdl};
use tesuji_options::options;
use tesuji_protocol::{
    Ask, BoardCommand, Command, EngineEnd, Info, Offer, Reply, RunnerEnd, Score,
    uci::{UciEngine, UciRunner},
};

#[track_caller]
fn command(line: &str) -> Option<Command> {
    UciEngine.read(line).unwrap()
}

#[track_caller]
fn refused(line: &str, words: &str) {
    assert_eq!(UciEngine.read(line).unwrap_err().to_string(), words);
}

#[track_caller]
fn go(line: &str) -> tesuji_protocol::Go {
    match command(line) {
        Some(Command::Go(go)) => go,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn info(line: &str) -> Info {
    match UciRunner::default().read(line).unwrap() {
        Some(Reply::Info(info)) => info,
        other => panic!("{other:?}"),
    }
}

fn reply(line: &str) -> Option<Reply> {
    UciRunner::default().read(line).unwrap()
}

#[test]
fn words_before_a_command_are_skipped() {
    assert_eq!(command("joho debug on\n"), Some(Command::Debug(true)));
    assert_eq!(command("  \t isready \r\n"), Some(Command::Sync));
    assert_eq!(command("ISREADY"), Some(Command::Sync));
    assert_eq!(command(""), None);
    assert_eq!(command("# a remark: go"), None);
    assert_eq!(command("register later"), None);
    refused("what is this", "unknown command \"what\"");
    refused("show me eval", "unknown command \"show\"");
}

#[test]
fn options_have_spaces_in_names_and_values() {
    let set = |name: &str, value: &str| Some(Command::Set { name: name.into(), value: value.into() });
    assert_eq!(command("setoption name Hash value 64"), set("Hash", "64"));
    assert_eq!(command("setoption name Clear Hash"), set("Clear Hash", ""));
    assert_eq!(command("setoption name Eval  File value /a b/c  d.json"), set("Eval File", "/a b/c  d.json"));
    assert_eq!(command("setoption NAME move overhead VALUE value"), set("move overhead", "value"));
    assert_eq!(command("setoption name EvalFile value"), set("EvalFile", ""));
    refused("setoption", "setoption needs the word name");
    refused("setoption Hash value 3", "setoption needs the word name, not \"Hash\"");
    refused("setoption name value 3", "setoption name needs an option's name");
}

#[test]
fn positions_are_lines() {
    let set = |start: Option<&str>, moves: &[&str]| {
        let (start, moves) = (start.map(str::to_string), moves.iter().map(|m| m.to_string()).collect());
        Some(Command::Board(BoardCommand::Set { start, moves }))
    };
    assert_eq!(command("position startpos"), set(None, &[]));
    assert_eq!(command("position startpos moves"), set(None, &[]));
    assert_eq!(command("position startpos moves e2e4  e7e5"), set(None, &["e2e4", "e7e5"]));
    assert_eq!(command("position fen 8/8 w - - moves a1a2"), set(Some("8/8 w - -"), &["a1a2"]));
    refused("position", "position needs startpos or fen");
    refused("position e2e4", "position needs startpos or fen, not \"e2e4\"");
    refused("position fen", "position fen needs a position");
    refused("position startpos e2e4", "position startpos needs the word moves, not \"e2e4\"");
}

#[test]
fn go_knows_every_limit() {
    let ms = Duration::from_millis;
    let all = go("go ponder wtime 1000 btime 2000 winc 10 binc 20 movestogo 40 depth 9 nodes 500 mate 3 movetime 70 \
                  searchmoves e2e4 d2d4 infinite");
    let [first, second] = all.limits.clock.unwrap();
    assert_eq!((first.left, first.increment, first.moves_to_go), (ms(1000), ms(10), Some(40)));
    assert_eq!((second.left, second.increment, second.moves_to_go), (ms(2000), ms(20), Some(40)));
    assert_eq!((all.limits.depth, all.limits.nodes, all.limits.mate_plies), (Some(9), Some(500), Some(5)));
    assert_eq!((all.limits.move_time, all.limits.ponder, all.limits.infinite), (Some(ms(70)), true, true));
    assert_eq!(all.only, ["e2e4", "d2d4"]);
    assert_eq!(go("go").limits, tesuji_game::Limits::default());
    assert_eq!(command("go perft 5"), Some(Command::Ask(Ask::Perft(5))));
    assert_eq!(go("go searchmoves e2e4 depth 3").only, ["e2e4"]);
    assert_eq!(go("go quickly depth 3").limits.depth, Some(3));
}

#[test]
fn odd_numbers_are_mended_or_refused() {
    assert_eq!(go("go wtime -50 btime 100").limits.clock.unwrap()[Side::First.index()].left, Duration::ZERO);
    assert_eq!(go("go movestogo 0 wtime 9 btime 9").limits.clock.unwrap()[0].moves_to_go, None);
    assert_eq!(go("go btime 700").limits.clock.unwrap()[0].left, Duration::from_millis(700));
    assert_eq!(go("go movetime 99999999999999999999999").limits.move_time, Some(Duration::from_secs(315_360_000)));
    assert_eq!(go("go depth 99999999999").limits.depth, Some(u32::MAX));
    assert_eq!(go("go wtime 1000.5").limits.clock.unwrap()[0].left, Duration::from_millis(1000));
    let mate = go("go mate infinite");
    assert_eq!((mate.limits.mate_plies, mate.limits.infinite, mate.fault), (None, true, None));
    refused("go perft", "go perft needs a whole number from 1");
    refused("debug maybe", "debug needs on or off, not \"maybe\"");
}

/// They were refused, and the runner waited for a `bestmove` for ever.
#[test]
fn a_go_with_a_fault_is_searched_one_ply_deep() {
    for (line, words) in [
        ("go depth 0", "go depth needs a whole number from 1, not \"0\""),
        ("go depth -1 wtime 5000 btime 5000", "go depth needs a whole number from 1, not \"-1\""),
        ("go nodes 0", "go nodes needs a whole number from 1, not \"0\""),
        ("go nodes lots", "go nodes needs a whole number from 1, not \"lots\""),
        ("go movetime", "go movetime needs milliseconds"),
        ("go wtime 1e3", "go wtime needs milliseconds, not \"1e3\""),
        ("go mate", "go mate needs a whole number from 1"),
    ] {
        let order = go(line);
        assert_eq!(order.fault.map(|fault| fault.to_string()).as_deref(), Some(words), "{line}");
        assert_eq!(order.limits, tesuji_game::Limits { depth: Some(1), ..Default::default() }, "{line}");
    }
    let held = go("go infinite depth x searchmoves e2e4");
    assert!(held.limits.infinite && held.fault.is_some());
    assert_eq!(held.only, ["e2e4"]);
}

#[test]
fn scores_are_read_before_and_after_the_line() {
    let expect = Info {
        depth: Some(7),
        time: Some(Duration::from_millis(12)),
        nodes: Some(3456),
        speed: Some(288_000),
        pv: vec!["e2e4".into(), "e7e5".into()],
        score: Some(Score { value: Value::cp(-13), bound: Bound::Lower }),
        ..Info::default()
    };
    assert_eq!(info("info depth 7 time 12 nodes 3456 nps 288000 pv e2e4 e7e5 score cp -13 lowerbound"), expect);
    assert_eq!(info("info depth 7 time 12 score cp -13 lowerbound nodes 3456 nps 288000 pv e2e4 e7e5"), expect);
    let line = "info depth 24 seldepth 31 multipv 1 score cp 25 wdl 67 912 21 nodes 1 nps 2 hashfull 3 tbhits 4 time 5 pv d2d4";
    let full = info(line);
    assert_eq!(full.wdl, Some(Wdl { win: 67, draw: 912, loss: 21 }));
    let mut text = String::new();
    UciEngine.write(&Reply::Info(full), &mut text);
    assert_eq!(text.trim_end(), line);
}

#[test]
fn mates_are_counted_in_moves() {
    let value = |line: &str| info(line).score.map(|s| s.value);
    assert_eq!(value("info score mate 1"), Some(Value::mate_in(1)));
    assert_eq!(value("info score mate 3"), Some(Value::mate_in(5)));
    assert_eq!(value("info score mate -2"), Some(Value::mated_in(4)));
    assert_eq!(value("info score mate 0"), Some(Value::mated_in(0)));
    assert_eq!(value("info score mate -99999"), Some(Value::mated_in(1000)));
    assert_eq!(value("info score cp 999999"), Some(Value::cp(30_999)));
}

#[test]
fn broken_infos_name_the_word() {
    let error = UciRunner::default().read("info depth x score cp 3").unwrap_err();
    assert_eq!(error.to_string(), "info depth needs a whole number, not \"x\"");
    assert!(UciRunner::default().read("bestmove").is_err());
    assert_eq!(info("info nodes -1 foo bar cpuload 3"), Info::default());
    // Such numbers were cut to the largest ones, and became depths and scores of games.
    let nonsense = "info depth 99999999999999999999 score cp -99999999999999999999 nodes 18446744073709551616 nps 9223372036854775808";
    assert_eq!(info(nonsense), Info::default());
    assert_eq!(info("info string pv a score cp 3").text.as_deref(), Some("pv a score cp 3"));
}

#[test]
fn best_moves_in_all_their_forms() {
    let best = |choice: Option<Choice<&str>>, ponder: Option<&str>| {
        let choice = choice.map(|c| match c {
            Choice::Play(mv) => Choice::Play(mv.to_string()),
            Choice::Claim => Choice::Claim,
            Choice::Resign => Choice::Resign,
        });
        Some(Reply::Best { choice, ponder: ponder.map(str::to_string) })
    };
    assert_eq!(reply("bestmove e2e4 ponder e7e5"), best(Some(Choice::Play("e2e4")), Some("e7e5")));
    assert_eq!(reply("bestmove e2e4 ponder (none)"), best(Some(Choice::Play("e2e4")), None));
    assert_eq!(reply("bestmove (none)"), best(None, None));
    assert_eq!(reply("bestmove 0000"), best(None, None));
    assert_eq!(reply("bestmove resign"), best(Some(Choice::Resign), None));
    assert_eq!(reply("bestmove win"), best(Some(Choice::Claim), None));
    assert_eq!(
        reply("Stockfish 15.1 by the Stockfish developers\r\n"),
        Some(Reply::Text("Stockfish 15.1 by the Stockfish developers".into()))
    );
    assert_eq!(reply("info string error: no such file"), Some(Reply::Fault("no such file".into())));
}

options! {
    /// For tests: one of each kind.
    struct Demo {
        /// A number.
        hash_mib: u32 = 16 in 1..=64, "Hash";
        /// A fraction.
        share: f32 = 0.5 in 0.0..=1.0, "Share";
        /// A switch.
        ponder: bool = false, "Ponder";
        /// A text.
        eval_file: File = "", "EvalFile";
        /// A choice.
        style: Choice = "calm" of ["calm", "wild"], "Style";
        /// A button.
        clear_hash: Button, "Clear Hash";
    }
}

/// Options are printed in one way, no matter who prints them.
#[test]
fn offers_are_written_as_the_options_room_does() {
    let mut ours = String::new();
    for spec in Demo::SPECS {
        UciEngine.write(&Reply::Option(Offer::from(spec)), &mut ours);
    }
    let mut theirs = String::new();
    tesuji_options::write_uci(Demo::SPECS, false, &mut theirs).unwrap();
    assert_eq!(ours, theirs);
}

#[test]
fn single_moves_become_whole_lines() {
    let mut runner = UciRunner::default();
    let mut text = String::new();
    let play = |text: &str| Command::Board(BoardCommand::Play { side: Side::First, text: text.into() });
    runner.write(&Command::Board(BoardCommand::Rules("chess960".into())), &mut text);
    runner.write(
        &Command::Board(BoardCommand::Set { start: Some("a fen".into()), moves: vec!["e2e4".into()] }),
        &mut text,
    );
    runner.write(&play("e7e5"), &mut text);
    runner.write(&Command::Board(BoardCommand::Undo), &mut text);
    runner.write(&Command::Board(BoardCommand::Rules(String::new())), &mut text);
    assert_eq!(
        text,
        "setoption name UCI_Chess960 value true\n\
         position fen a fen moves e2e4\n\
         position fen a fen moves e2e4 e7e5\n\
         position fen a fen moves e2e4\n\
         setoption name UCI_Chess960 value false\n"
    );
}

/// A name with a line break must not become a command of its own.
#[test]
fn nothing_breaks_out_of_its_line() {
    let mut text = String::new();
    UciRunner::default().write(&Command::Set { name: "a\nquit".into(), value: "b\r\nquit".into() }, &mut text);
    UciEngine.write(&Reply::Fault("x\nbestmove e2e4".into()), &mut text);
    assert_eq!(text.lines().count(), 2);
}
