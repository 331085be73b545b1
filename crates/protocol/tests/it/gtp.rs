//! Dialogues of GTP, as GNU Go, KataGo and gogui write them.

use std::time::Duration;
use tesuji_game::{Bound, Candidate, Choice, Clock, Limits, Report, Side, Value};
use tesuji_protocol::{
    Ask, BoardCommand, Command, EngineEnd, Go, Reply, RunnerEnd,
    gtp::{GtpEngine, GtpRunner},
};

const S: fn(u64) -> Duration = Duration::from_secs;

#[track_caller]
fn command(line: &str) -> Command {
    GtpEngine::default().read(line).unwrap().unwrap()
}

/// What an engine answers to these lines when it does everything.
fn answers(lines: &[&str]) -> String {
    let mut end = GtpEngine::default();
    let mut out = String::new();
    for line in lines {
        if let Some(command) = end.read(line).unwrap() {
            let reply = match command {
                Command::Say(reply) => reply,
                Command::Go(_) => Reply::Best { choice: Some(Choice::Play("D4".into())), ponder: None },
                Command::Ask(Ask::Show) => Reply::Text("A\n\n  B\n".into()),
                _ => Reply::Done,
            };
            end.write(&reply, &mut out);
        }
    }
    out
}

fn written(runner: &mut GtpRunner, command: &Command) -> String {
    let mut out = String::new();
    runner.write(command, &mut out);
    out.lines().map(|line| line.split_once(' ').map_or("", |(_, rest)| rest).to_string() + "\n").collect()
}

/// A runner that has greeted an engine which knows these commands.
fn greeted(known: &str) -> GtpRunner {
    let mut runner = GtpRunner::default();
    written(&mut runner, &Command::Hello);
    let text = format!("=1 2\n\n=2 3.8\n\n=3 GNU Go\n\n=4 {known}\n\n");
    let replies: Vec<Reply> = text.lines().filter_map(|line| runner.read(line).unwrap()).collect();
    assert_eq!(replies, [Reply::Name("GNU Go 3.8".into()), Reply::Welcome]);
    runner
}

fn set(moves: &[&str]) -> Command {
    Command::Board(BoardCommand::Set { start: None, moves: moves.iter().map(|m| m.to_string()).collect() })
}

fn genmove(side: Side) -> Command {
    Command::Go(Go { side: Some(side), commit: true, ..Go::default() })
}

#[test]
fn answers_have_the_ids_of_their_commands() {
    let lines = [
        "1 protocol_version",
        "genmove b # think",
        "",
        "# nothing",
        "99 showboard",
        "7 what is this",
        "known_command play",
    ];
    let expect = "=1 2\n\n= D4\n\n=99 A\n  B\n\n?7 unknown command\n\n= true\n\n";
    assert_eq!(answers(&lines), expect);
    assert_eq!(answers(&["12"]), "", "an id without a command");
    assert_eq!(answers(&["5 komi much"]), "?5 syntax error\n\n");
    assert!(answers(&["list_commands"]).contains("\ngenmove\n"));
}

#[test]
fn commands_that_kgs_and_katago_send_are_known() {
    let rules = |text: &str| Command::Board(BoardCommand::Rules(text.to_string()));
    assert_eq!(command("kgs-rules chinese"), rules("rules=chinese-kgs"));
    assert_eq!(command("kgs-rules New_Zealand"), rules("rules=new-zealand"));
    assert_eq!(answers(&["3 kgs-rules mine"]).split(':').next(), Some("?3 syntax error"));
    assert_eq!((command("get_komi"), command("clear_cache")), (Command::Ask(Ask::Komi), Command::NewGame));
    assert_eq!(command("kata-search w"), Command::Go(Go { side: Some(Side::Second), ..Go::default() }));
    for word in ["kgs-rules", "get_komi", "clear_cache", "kata-search"] {
        assert_eq!(answers(&[&format!("known_command {word}")]), "= true\n\n");
    }
}

#[test]
fn control_characters_vanish() {
    let play = Command::Board(BoardCommand::Play { side: Side::Second, text: "Q16".into() });
    assert_eq!(command("play\tWhite\u{7} Q16\r\n"), play);
    assert_eq!(command("  3\tplay w   Q16 # the comment\n"), play);
}

#[test]
fn clocks_are_of_three_kinds() {
    let clock = |line| match command(line) {
        Command::Clock { side: None, clock } => clock,
        other => panic!("{other:?}"),
    };
    let main = Clock { left: S(600), ..Clock::default() };
    assert_eq!(clock("time_settings 600 0 0"), Some(main));
    assert_eq!(clock("time_settings 600 30 25"), Some(Clock { byoyomi: S(30), stones: 25, ..main }));
    assert_eq!(clock("time_settings 0 1 0"), None, "no limit, says the standard");
    assert_eq!(clock("kgs-time_settings none"), None);
    assert_eq!(clock("kgs-time_settings byoyomi 600 30 5"), Some(Clock { byoyomi: S(30), periods: 5, ..main }));
    let mut end = GtpEngine::default();
    end.read("kgs-time_settings byoyomi 600 30 5").unwrap();
    let left = end.read("time_left b 20 3").unwrap();
    let in_period = Clock { byoyomi: S(30), periods: 3, ..Clock::default() };
    assert_eq!(left, Some(Command::Clock { side: Some(Side::First), clock: Some(in_period) }));
    end.read("time_settings 600 30 25").unwrap();
    let left = end.read("time_left w 20 3").unwrap();
    let in_period = Clock { byoyomi: S(20), stones: 3, ..Clock::default() };
    assert_eq!(left, Some(Command::Clock { side: Some(Side::Second), clock: Some(in_period) }));
}

#[test]
fn whole_lines_become_single_moves() {
    let mut runner = greeted("play genmove undo clear_board");
    assert_eq!(written(&mut runner, &Command::NewGame), "clear_board\n");
    assert_eq!(written(&mut runner, &set(&[])), "");
    assert_eq!(written(&mut runner, &genmove(Side::First)), "genmove b\n");
    assert_eq!(runner.read("=6 D4").unwrap(), None);
    let best = Reply::Best { choice: Some(Choice::Play("D4".into())), ponder: None };
    assert_eq!(runner.read("").unwrap(), Some(best));
    written(&mut runner, &set(&["d4", "Q16"]));
    assert_eq!(written(&mut runner, &genmove(Side::First)), "play w Q16\ngenmove b\n");
    written(&mut runner, &set(&["D4", "Q3", "C3"]));
    assert_eq!(written(&mut runner, &genmove(Side::Second)), "undo\nplay w Q3\nplay b C3\ngenmove w\n");
}

#[test]
fn who_cannot_undo_plays_again() {
    let mut runner = greeted("play genmove clear_board");
    written(&mut runner, &set(&["A1", "B2", "C3"]));
    written(&mut runner, &genmove(Side::Second));
    written(&mut runner, &set(&["A1", "B2", "D4"]));
    let expect = "clear_board\nplay b A1\nplay w B2\nplay b D4\ngenmove w\n";
    assert_eq!(written(&mut runner, &genmove(Side::Second)), expect);
}

#[test]
fn refusals_say_what_was_refused() {
    let mut runner = greeted("play genmove clear_board");
    written(&mut runner, &set(&["A1"]));
    written(&mut runner, &genmove(Side::Second));
    assert_eq!(runner.read("?5 illegal move").unwrap(), None);
    assert_eq!(runner.read("").unwrap(), Some(Reply::Fault("play b A1: illegal move".into())));
    // An answer without an id is that of the oldest command.
    assert_eq!(runner.read("= resign").unwrap(), None);
    assert_eq!(runner.read("").unwrap(), Some(Reply::Best { choice: Some(Choice::Resign), ponder: None }));
    assert_eq!(runner.read("thinking aloud").unwrap(), Some(Reply::Text("thinking aloud".into())));
    assert!(runner.refuses() && !runner.tells_options());
}

#[test]
fn clocks_are_set_once_and_told_before_each_move() {
    let mut runner = greeted("time_settings time_left kgs-time_settings play genmove clear_board");
    written(&mut runner, &Command::NewGame);
    let clock = Clock { left: S(60), byoyomi: S(5), periods: 3, ..Clock::default() };
    let go = |clock| {
        let limits = Limits { clock: Some([clock, clock]), ..Limits::default() };
        Command::Go(Go { side: Some(Side::First), commit: true, limits, ..Go::default() })
    };
    let expect = "kgs-time_settings byoyomi 60 5 3\ntime_left b 60 0\ntime_left w 60 0\ngenmove b\n";
    assert_eq!(written(&mut runner, &go(clock)), expect);
    let expect = "time_left b 5 2\ntime_left w 5 2\ngenmove b\n";
    assert_eq!(written(&mut runner, &go(Clock { left: S(0), periods: 2, ..clock })), expect);
    let mut runner = greeted("genmove time_settings");
    let limits = Limits { move_time: Some(S(2)), ..Limits::default() };
    let go = Command::Go(Go { side: Some(Side::First), commit: false, limits, ..Go::default() });
    assert_eq!(written(&mut runner, &go), "time_settings 0 2 1\nreg_genmove b\n");
}

/// Fractions of a second go to those who know KataGo's command, and come back as they were; others get a second rather than nothing.
#[test]
fn clocks_have_fractions_for_those_who_know_them() {
    let ms = Duration::from_millis;
    let of_move = |time| Limits { move_time: Some(time), ..Limits::default() };
    let of_clock = |clock| Limits { clock: Some([clock, clock]), ..Limits::default() };
    let said = |words: &str, limits: Limits| {
        let mut runner = greeted(words);
        written(&mut runner, &Command::Go(Go { side: Some(Side::First), commit: true, limits, ..Go::default() }))
    };
    const ALL: &str = "genmove time_settings time_left kgs-time_settings kata-time_settings";
    const FEW: &str = "genmove time_settings time_left";
    assert_eq!(said(ALL, of_move(ms(200))), "kata-time_settings canadian 0 0.2 1\ngenmove b\n");
    assert_eq!(said(FEW, of_move(ms(200))), "time_settings 0 1 1\ngenmove b\n");
    assert_eq!(said(ALL, of_move(ms(3000))), "time_settings 0 3 1\ngenmove b\n");
    let main = Clock { left: ms(2500), ..Clock::default() };
    let told = "time_left b 2.5 0\ntime_left w 2.5 0\ngenmove b\n";
    assert_eq!(said(ALL, of_clock(main)), format!("kata-time_settings absolute 2.5\n{told}"));
    let period = Clock { left: ms(2500), byoyomi: ms(1250), periods: 3, ..Clock::default() };
    assert_eq!(said(ALL, of_clock(period)), format!("kata-time_settings byoyomi 2.5 1.25 3\n{told}"));
    let few = "time_settings 2 1 1\ntime_left b 2 0\ntime_left w 2 0\ngenmove b\n";
    assert_eq!(said(FEW, of_clock(period)), few);
    let mut end = GtpEngine::default();
    let mut read = |line: &str| match end.read(line).unwrap() {
        Some(Command::Clock { clock: Some(clock), .. }) => clock,
        other => panic!("{other:?}"),
    };
    assert_eq!(read("kata-time_settings byoyomi 2.5 1.25 3"), period);
    assert_eq!(read("time_left w 1.125 2"), Clock { byoyomi: ms(1250), periods: 2, ..Clock::default() });
    assert_eq!(read("kata-time_settings canadian 0 0.2 1"), Clock { byoyomi: ms(200), stones: 1, ..Clock::default() });
    assert_eq!(read("kata-time_settings absolute 2.5"), main);
    assert!(read("time_settings 2147483647 0 0").left > S(1_000_000), "as good as no limit");
    assert_eq!(read("time_left b -0.5 0"), Clock::default(), "an overdrawn clock");
    // Times that cannot be were read as none, or as ten years.
    let impossible =
        ["time_settings -1 0 0", "kata-time_settings fischer 10 -1", "time_left b -100 0", "time_left b 1e300 0"];
    for wrong in impossible.into_iter().chain([
        "time_left b inf 0",
        "time_left b nan 0",
        "time_left b soon 0",
        "time_settings 1 2",
    ]) {
        let answer = answers(&[wrong]);
        assert!(answer.starts_with("? syntax error"), "{wrong}: {answer}");
    }
    let told = "? syntax error: kata-time_settings needs a whole number of stones or periods\n\n";
    assert_eq!(answers(&["kata-time_settings byoyomi 1 2"]), told);
}

#[test]
fn rules_and_options_are_commands() {
    let mut runner = greeted("boardsize komi level");
    let rules = Command::Board(BoardCommand::Rules("size=9 komi=7.5 rules=chinese".into()));
    assert_eq!(written(&mut runner, &rules), "boardsize 9\nkomi 7.5\n");
    // As the game writes its rules; who has handicap stones does not move first.
    let mut knows = greeted("boardsize komi fixed_handicap kata-set-rules undo final_status_list");
    let rules = Command::Board(BoardCommand::Rules("13x13 chinese komi 0.5 handicap 3".into()));
    assert_eq!(written(&mut knows, &rules), "boardsize 13\nkata-set-rules chinese\nkomi 0.5\n");
    assert_eq!(written(&mut knows, &Command::NewGame), "clear_board\nfixed_handicap 3\n");
    let line = |moves: &[&str]| {
        Command::Board(BoardCommand::Set { start: None, moves: moves.iter().map(|m| m.to_string()).collect() })
    };
    written(&mut knows, &line(&["E3", "PASS"]));
    let dead = Ask::FinalStatus("dead".into());
    assert!(knows.may_answer(&dead) && !knows.may_answer(&Ask::FinalScore) && !knows.may_answer(&Ask::Show));
    assert_eq!(written(&mut knows, &Command::Ask(dead)), "play w E3\nplay b PASS\nfinal_status_list dead\n");
    let limits = Limits { nodes: Some(50), ..Limits::default() };
    let go = Command::Go(Go { side: Some(Side::Second), commit: true, limits, ..Go::default() });
    assert_eq!(written(&mut knows, &go), "genmove w\n", "no word for nodes");
    let mut kata = greeted("kata-set-param genmove");
    assert_eq!(written(&mut kata, &go), "kata-set-param maxVisits 50\ngenmove w\n");
    assert_eq!(written(&mut kata, &go), "genmove w\n");
    let mut own = greeted("tesuji-option kata-set-param genmove");
    assert_eq!(written(&mut own, &go), "tesuji-option Visits=50\ngenmove w\n");
    let flags = "9x7 ko simple scoring area tax none suicide no bonus 0 button no komi 7.5";
    let rules = Command::Board(BoardCommand::Rules(flags.into()));
    assert_eq!(written(&mut runner, &rules), "rectangular_boardsize 9 7\nkomi 7.5\n");
    let level = Command::Set { name: "level".into(), value: "10".into() };
    assert_eq!(written(&mut runner, &level), "level 10\n");
    assert_eq!(written(&mut runner, &Command::Stop), "");
}

/// What an engine tells of `report` when `line` asked for it, then of its move.
fn analysis(line: &str) -> String {
    let mut end = GtpEngine::default();
    assert!(matches!(end.read(line), Ok(Some(Command::Go(go))) if go.stream.is_some()));
    let candidate = |pv: &[&str], expected, visits| Candidate {
        pv: pv.iter().map(|mv| mv.to_string()).collect(),
        value: Value::cp(0),
        bound: Bound::Exact,
        wdl: None,
        visits,
        prior: 0.25,
        expected: Some(expected),
        margin: Some(2.5),
    };
    let lines = vec![candidate(&["D4", "Q16"], 0.5, 100), candidate(&["Q4"], -1.0, 10), candidate(&["A1"], 0.0, 0)];
    let report = Report { lines, ownership: vec![1.0, -0.5], margin: Some(1.5), ..Report::default() };
    let mut out = String::new();
    end.write(&Reply::Analysis(report), &mut out);
    end.write(&Reply::Best { choice: Some(Choice::Play("D4".into())), ponder: None }, &mut out);
    out
}

#[test]
fn analyses_are_told_in_two_manners() {
    let leela = "info move D4 visits 100 winrate 7500 prior 2500 lcb 6651 order 0 pv D4 Q16";
    assert_eq!(analysis("5 lz-analyze b 10 maxmoves 1"), format!("=5\n{leela}\n\n"));
    let two = "info move Q4 visits 10 winrate 0 prior 2500 lcb 0 order 1 pv Q4";
    assert_eq!(analysis("lz-genmove_analyze w interval 20"), format!("=\n{leela} {two}\nplay D4\n\n"));
    let kata = analysis("kata-analyze 50 maxmoves 1 ownership true rootInfo true pvVisits false");
    assert!(kata.starts_with("=\ninfo move D4 visits 100 edgeVisits 100 utility 0.500000 winrate 0.750000"), "{kata}");
    assert!(
        kata.ends_with(" pv D4 Q16 rootInfo visits 110 winrate 0.750000 scoreLead 1.500 ownership 1.0000 -0.5000\n\n")
    );
    assert!(analysis("lz-analyze minmoves 3").contains(" order 2 pv A1"));
}

#[test]
fn analyses_read_what_they_look_at() {
    let Command::Go(go) = command("kata-analyze W 25 avoid w D4,Q16 1 allow b C3 1") else { panic!("a search") };
    assert_eq!((go.side, go.avoid, go.only), (Some(Side::Second), vec!["D4".into(), "Q16".into()], vec!["C3".into()]));
    assert_eq!(go.stream.map(|s| s.every), Some(Duration::from_millis(250)));
    assert!(go.limits.infinite && !go.commit);
    assert_eq!(answers(&["lz-analyze sideways"]).split(':').next(), Some("? syntax error"));
}

/// An analysis is asked for, told line by line, and ends when the next command comes.
#[test]
fn the_runner_analyses_where_the_engine_can() {
    let mut runner = GtpRunner::default();
    let go = || {
        let stream = Some(tesuji_protocol::Stream { every: Duration::from_millis(200), lines: 3 });
        Command::Go(Go { stream, only: vec!["D4".into(), "C3".into()], ..Go::default() })
    };
    greet(&mut runner, "lz-analyze");
    assert_eq!(unnumbered(&written_raw(&mut runner, &go())), "lz-analyze b 20 allow b D4,C3 1\n");
    let mut runner = GtpRunner::default();
    greet(&mut runner, "lz-analyze\nkata-analyze\nundo");
    assert!(runner.streams());
    let asked = written_raw(&mut runner, &go());
    assert_eq!(
        unnumbered(&asked),
        "kata-analyze b 20 maxmoves 3 rootInfo true ownership true pvVisits true allow b D4,C3 1\n"
    );
    let id = asked.split(' ').next().unwrap();
    assert_eq!(runner.read(&format!("={id}")), Ok(None));
    for visits in [3, 9] {
        let line = format!("info move D4 visits {visits} winrate 0.5 order 0 pv D4");
        assert!(matches!(runner.read(&line), Ok(Some(Reply::Analysed(told))) if told.report.nodes == visits));
    }
    let stop = written_raw(&mut runner, &Command::Stop);
    assert_eq!(unnumbered(&stop), "protocol_version\n");
    assert_eq!(runner.read(""), Ok(Some(Reply::Best { choice: None, ponder: None })));
    assert_eq!(written_raw(&mut runner, &Command::Stop), "", "nothing is analysed any more");
    // An engine that knows no analysis plays instead.
    let mut runner = GtpRunner::default();
    greet(&mut runner, "genmove");
    assert!(!runner.streams());
    assert_eq!(unnumbered(&written_raw(&mut runner, &go())), "reg_genmove b\n");
}

/// A refused analysis is a fault, in the words of the engine.
#[test]
fn a_refused_analysis_is_a_fault() {
    let mut runner = GtpRunner::default();
    greet(&mut runner, "kata-analyze");
    let stream = Some(tesuji_protocol::Stream { every: Duration::from_millis(200), lines: 1 });
    let asked = written_raw(&mut runner, &Command::Go(Go { stream, ..Go::default() }));
    runner.read(&format!("?{} unknown key", asked.split(' ').next().unwrap())).unwrap();
    assert!(matches!(runner.read(""), Ok(Some(Reply::Fault(words))) if words.ends_with(": unknown key")));
}

/// The runner hears which commands the engine knows.
fn greet(runner: &mut GtpRunner, commands: &str) {
    written_raw(runner, &Command::Hello);
    for line in format!("=1 2\n\n=2 1\n\n=3 Demo\n\n=4 {commands}\n").lines().chain([""]) {
        runner.read(line).unwrap();
    }
}

fn written_raw(runner: &mut GtpRunner, command: &Command) -> String {
    let mut out = String::new();
    runner.write(command, &mut out);
    out
}

/// The commands without their numbers.
fn unnumbered(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.split_once(' ').unwrap().1)).collect()
}
