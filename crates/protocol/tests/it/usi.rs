//! Lines of USI, one by one, as YaneuraOu, Fairy-Stockfish and the GUIs write them.

use std::time::Duration;
use tesuji_game::{Choice, Clock, Side, Value};
use tesuji_protocol::{
    Command, Ending, EngineEnd, Go, MateAnswer, Offer, OfferKind, Reply, RunnerEnd,
    usi::{UsiEngine, UsiRunner},
};

const MS: fn(u64) -> Duration = Duration::from_millis;

#[track_caller]
fn go(line: &str) -> Go {
    match UsiEngine.read(line).unwrap() {
        Some(Command::Go(go)) => go,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn reply(line: &str) -> Reply {
    UsiRunner::default().read(line).unwrap().unwrap()
}

fn written(command: &Command) -> String {
    let mut out = String::new();
    UsiRunner::default().write(command, &mut out);
    out
}

#[test]
fn black_moves_first_and_byoyomi_is_for_both() {
    let clock = go("go btime 60000 wtime 50000 byoyomi 10000").limits.clock.unwrap();
    let expect = |left| Clock { left, byoyomi: MS(10_000), periods: 1, ..Clock::default() };
    assert_eq!(clock, [expect(MS(60_000)), expect(MS(50_000))]);
    let clock = go("go btime 1 wtime 2 binc 3 winc 4").limits.clock.unwrap();
    assert_eq!((clock[0].increment, clock[1].increment, clock[0].periods), (MS(3), MS(4), 0));
    let clock = go("go byoyomi 500").limits.clock.unwrap();
    assert_eq!((clock[0].left, clock[1].byoyomi), (MS(0), MS(500)));
}

#[test]
fn a_search_for_mate_is_a_search_of_its_own() {
    let search = go("go mate 1500");
    assert!(search.solve && search.limits.move_time == Some(MS(1500)) && !search.limits.infinite);
    for line in ["go mate infinite", "go mate"] {
        let search = go(line);
        assert!(search.solve && search.limits.infinite, "{line}");
    }
    let faulty = go("go mate soon");
    assert_eq!(
        faulty.fault.map(|fault| fault.to_string()).as_deref(),
        Some("go mate needs milliseconds, not \"soon\"")
    );
    assert!(faulty.solve && faulty.limits.depth == Some(1));
    assert_eq!(reply("checkmate G*5b 4a5b"), Reply::Mate(MateAnswer::Line(vec!["G*5b".into(), "4a5b".into()])));
    assert_eq!(reply("checkmate nomate"), Reply::Mate(MateAnswer::None));
    assert_eq!(reply("checkmate timeout"), Reply::Mate(MateAnswer::Limit));
    assert_eq!(reply("checkmate notimplemented"), Reply::Mate(MateAnswer::Unable));
}

/// They were refused, and the runner waited for a `bestmove` for ever.
#[test]
fn a_go_with_a_fault_is_searched_one_ply_deep() {
    for line in ["go nodes 0", "go depth -1", "go byoyomi soon btime 5000", "go movetime"] {
        let order = go(line);
        assert!(order.fault.is_some(), "{line}");
        assert_eq!(order.limits, tesuji_game::Limits { depth: Some(1), ..Default::default() }, "{line}");
    }
    assert_eq!(go("go btime 9 wtime 9 movestogo 0").limits.clock.unwrap()[0].moves_to_go, None);
    assert_eq!(go("go btime 1000.5").limits.clock.unwrap()[0].left, MS(1000));
}

#[test]
fn mates_are_counted_in_plies() {
    let value = |line| match reply(line) {
        Reply::Info(info) => info.score.unwrap().value,
        other => panic!("{other:?}"),
    };
    assert_eq!(value("info depth 1 score mate 3"), Value::mate_in(3));
    assert_eq!(value("info depth 1 score mate -4"), Value::mated_in(4));
    assert_eq!(value("info score mate + pv 7g7f"), Value::mate_in(1000));
    assert_eq!(value("info score mate -"), Value::mated_in(1000));
    assert_eq!(value("info score cp -20 upperbound"), Value::cp(-20));
}

#[test]
fn engines_resign_and_declare() {
    let best = |choice, ponder: Option<&str>| Reply::Best { choice: Some(choice), ponder: ponder.map(str::to_string) };
    assert_eq!(reply("bestmove resign"), best(Choice::Resign, None));
    assert_eq!(reply("bestmove win"), best(Choice::Claim, None));
    assert_eq!(reply("bestmove 8h2b+ ponder 3a2b"), best(Choice::Play("8h2b+".into()), Some("3a2b")));
    let mut out = String::new();
    UsiEngine.write(&Reply::Best { choice: None, ponder: None }, &mut out);
    assert_eq!(out, "bestmove resign\n");
}

#[test]
fn games_have_an_end() {
    assert_eq!(UsiEngine.read("gameover lose\n"), Ok(Some(Command::GameOver(Ending::Lose))));
    assert_eq!(UsiEngine.read("gameover").unwrap_err().to_string(), "gameover needs win, lose or draw");
    assert_eq!(written(&Command::GameOver(Ending::Draw)), "gameover draw\n");
}

#[test]
fn files_are_options() {
    let Reply::Option(offer) = reply("option name EvalDir type filename default <empty>") else { panic!() };
    assert_eq!((offer.name.as_str(), offer.kind), ("EvalDir", OfferKind::File { default: String::new() }));
}

#[test]
fn options_have_the_names_of_the_standard() {
    let offered = |name: &str| {
        let mut out = String::new();
        let kind = OfferKind::Spin { default: 16, min: 1, max: 64 };
        UsiEngine.write(&Reply::Option(Offer { name: name.into(), kind }), &mut out);
        out
    };
    assert_eq!(offered("Hash"), "option name USI_Hash type spin default 16 min 1 max 64\n");
    assert_eq!(offered("Move Overhead"), "option name Move_Overhead type spin default 16 min 1 max 64\n");
    for (line, name) in [
        ("setoption name USI_Hash value 64", "Hash"),
        ("setoption name usi_ponder value 64", "Ponder"),
        ("setoption name Hash value 64", "Hash"),
        ("setoption name Threads value 64", "Threads"),
    ] {
        let expect = Command::Set { name: name.into(), value: "64".into() };
        assert_eq!(UsiEngine.read(line).expect("a command"), Some(expect), "{line}");
    }
}

#[test]
fn clocks_are_written_for_the_mover() {
    let clock = |byoyomi| Clock { left: MS(5000), byoyomi, periods: 1, ..Clock::default() };
    let mut search = Go::default();
    search.limits.clock = Some([clock(MS(1000)), clock(MS(2000))]);
    search.side = Some(Side::Second);
    assert_eq!(written(&Command::Go(search.clone())), "go btime 5000 wtime 5000 byoyomi 2000\n");
    search.side = Some(Side::First);
    search.limits.ponder = true;
    assert_eq!(written(&Command::Go(search)), "go ponder btime 5000 wtime 5000 byoyomi 1000\n");
    let mut sudden = Go::default();
    sudden.limits.clock = Some([Clock { left: MS(9), ..Clock::default() }; 2]);
    assert_eq!(written(&Command::Go(sudden)), "go btime 9 wtime 9 byoyomi 0\n");
}
